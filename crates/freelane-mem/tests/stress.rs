//! No block is in two hands: lanes allocate, pass on, check and free all sizes at once, while others trim and end.

use freelane_mem::{Buffer, BufferMut, trim};
use freelane_sync::Queue;
use std::thread;

struct Numbers(u64);

impl Numbers {
    /// A xorshift step.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn stamped(numbers: &mut Numbers) -> (Buffer, u64) {
    let bytes = (1 << numbers.below(22)) + 16 + numbers.below(100) as usize;
    let align = 1 << numbers.below(14);
    let stamp = numbers.below(u64::MAX);
    let mut buffer = BufferMut::uninit_aligned(bytes, align).unwrap();
    let memory = buffer.as_mut_ptr();
    for at in [0, bytes - 8] {
        // SAFETY: there are at least 8 bytes from there on.
        unsafe { memory.add(at).cast::<u64>().write_unaligned(stamp) };
    }
    (buffer.freeze(), stamp)
}

fn check((buffer, stamp): (Buffer, u64)) {
    for at in [0, buffer.len() - 8] {
        // SAFETY: written when it was stamped.
        assert_eq!(unsafe { buffer.as_ptr().add(at).cast::<u64>().read_unaligned() }, stamp);
    }
}

fn lane(seed: u64, steps: usize, elsewhere: &Queue<(Buffer, u64)>) {
    let mut numbers = Numbers(seed * 0x9E37_79B9 + 1);
    let mut held = Vec::new();
    for _ in 0..steps {
        match numbers.below(4) {
            0 => held.push(stamped(&mut numbers)),
            1 => drop(elsewhere.try_push(stamped(&mut numbers)).map_err(|refused| check(refused.into_item()))),
            2 => elsewhere.try_pop().into_iter().for_each(check),
            _ if !held.is_empty() => {
                let index = numbers.below(held.len() as u64) as usize;
                check(held.swap_remove(index));
            }
            _ => (),
        }
    }
    held.into_iter().for_each(check);
}

#[test]
fn no_block_is_in_two_hands() {
    let elsewhere = Queue::new(64);
    let elsewhere = &elsewhere;
    thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || lane(seed, 20_000, elsewhere));
        }
        scope.spawn(|| (0..50).map(|_| trim()).sum::<usize>());
        for seed in 4..54 {
            thread::scope(|short| drop(short.spawn(move || lane(seed, 200, elsewhere))));
        }
    });
    std::iter::from_fn(|| elsewhere.try_pop()).for_each(check);
}
