//! Memory known by its address: passed between threads, kept over the end of its maker, trimmed around, forked.

mod common;

use common::{MIB, in_child};
use freelane_mem::{Bare, trim};
use freelane_sync::Queue;
use std::ptr::NonNull;
use std::thread;

/// An address that travels, with what was written to it.
struct Stamped {
    address: NonNull<u8>,
    len: usize,
    stamp: u64,
}

// SAFETY: the address stands for memory that has one owner and may be freed by any thread.
unsafe impl Send for Stamped {}

struct Numbers(u64);

impl Numbers {
    /// A xorshift step.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn size(&mut self) -> usize {
        (1 << self.below(22)) + 16 + self.below(100) as usize
    }
}

fn write(bare: &mut Bare, len: usize, stamp: u64) {
    for at in [0, len - 8] {
        // SAFETY: there are at least 8 bytes from there on.
        unsafe { bare.as_mut_ptr().add(at).cast::<u64>().write_unaligned(stamp) };
    }
}

fn read(bare: &mut Bare, at: usize) -> u64 {
    // SAFETY: `write` wrote there.
    unsafe { bare.as_mut_ptr().add(at).cast::<u64>().read_unaligned() }
}

impl Stamped {
    fn new(numbers: &mut Numbers) -> Stamped {
        let (len, stamp) = (numbers.size(), numbers.below(u64::MAX));
        let mut bare = if numbers.below(2) == 0 { Bare::uninit(len) } else { Bare::zeroed(len) }.unwrap();
        write(&mut bare, len, stamp);
        Stamped { address: bare.into_raw(), len, stamp }
    }

    fn take(self) -> (Bare, usize, u64) {
        // SAFETY: from `into_raw`, and `self` is gone.
        let mut bare = unsafe { Bare::from_raw(self.address) };
        assert_eq!([read(&mut bare, 0), read(&mut bare, self.len - 8)], [self.stamp; 2]);
        (bare, self.len, self.stamp)
    }

    fn resized(self, numbers: &mut Numbers) -> Stamped {
        let (mut bare, _, stamp) = self.take();
        let len = numbers.size();
        bare.resize(len).unwrap();
        assert!(bare.capacity() >= len);
        assert_eq!(read(&mut bare, 0), stamp);
        write(&mut bare, len, stamp);
        Stamped { address: bare.into_raw(), len, stamp }
    }
}

fn lane(seed: u64, steps: usize, elsewhere: &Queue<Stamped>) {
    let mut numbers = Numbers(seed * 0x9E37_79B9 + 1);
    let mut held: Vec<Stamped> = Vec::new();
    for _ in 0..steps {
        let index = numbers.below(held.len().max(1) as u64) as usize;
        match numbers.below(5) {
            0 => held.push(Stamped::new(&mut numbers)),
            1 => drop(elsewhere.try_push(Stamped::new(&mut numbers)).map_err(|refused| refused.into_item().take())),
            2 => elsewhere.try_pop().into_iter().for_each(|stamped| drop(stamped.take())),
            3 if !held.is_empty() => {
                let stamped = held.swap_remove(index);
                held.push(stamped.resized(&mut numbers));
            }
            _ if !held.is_empty() => drop(held.swap_remove(index).take()),
            _ => (),
        }
    }
    held.into_iter().for_each(|stamped| drop(stamped.take()));
}

#[test]
fn no_block_is_in_two_hands() {
    let elsewhere = Queue::new(64);
    let elsewhere = &elsewhere;
    thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || lane(seed, 10_000, elsewhere));
        }
        scope.spawn(|| (0..50).map(|_| trim()).sum::<usize>());
        for seed in 4..34 {
            thread::scope(|short| drop(short.spawn(move || lane(seed, 200, elsewhere))));
        }
    });
    std::iter::from_fn(|| elsewhere.try_pop()).for_each(|stamped| drop(stamped.take()));
}

#[test]
fn memory_outlives_the_thread_that_made_it() {
    let made = thread::spawn(|| [10, 5000, 100_000, MIB, 5 * MIB].map(|len| Bare::zeroed(len).unwrap()));
    for mut bare in made.join().unwrap() {
        let capacity = bare.capacity();
        // SAFETY: that many bytes may be used.
        unsafe { bare.as_mut_ptr().write_bytes(1, capacity) };
        thread::spawn(move || drop(bare)).join().unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_forked_child_frees_what_its_parent_made() {
    let mut made = [10, 5000, 100_000, 5 * MIB].map(|len| Some(Bare::zeroed(len).unwrap()));
    let child = in_child(|| {
        for bare in &mut made {
            let mut bare = bare.take().unwrap();
            bare.resize(bare.capacity() + 1).unwrap();
            drop(bare);
        }
        trim();
        lane(99, 500, &Queue::new(4));
    });
    assert!(child, "the child could not go on");
}

#[test]
#[cfg(target_os = "linux")]
fn trimming_gives_large_memory_back() {
    let thread = thread::spawn(|| {
        trim();
        let mut bare = Bare::uninit(40 * MIB).unwrap();
        // SAFETY: that many bytes were asked for.
        unsafe { bare.as_mut_ptr().write_bytes(1, 40 * MIB) };
        drop(bare);
        trim()
    });
    assert!(thread.join().unwrap() >= 40 * MIB);
}
