//! Foreign memory is released exactly once, on every path.

#![allow(clippy::disallowed_types, reason = "a thread-local with a destructor, to see it run at the end of a thread")]

use freelane_mem::{Allocator, Buffer, BufferMut, MemError};
use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

struct Told(Arc<AtomicUsize>);

impl Told {
    fn new() -> Told {
        Told(Arc::default())
    }

    fn buffer(&self) -> BufferMut {
        let memory = Box::leak(vec![7u8; 100].into_boxed_slice());
        let (ptr, len, told) = (NonNull::from(&mut *memory).cast(), memory.len(), self.0.clone());
        let address = ptr.as_ptr() as usize;
        let destructor = move || {
            told.fetch_add(1, SeqCst);
            // SAFETY: leaked above, and given back once.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address as *mut u8, len)) });
        };
        // SAFETY: the memory is leaked until the destructor runs.
        unsafe { BufferMut::from_external(ptr, len, Box::new(destructor)) }.unwrap()
    }

    fn times(&self) -> usize {
        self.0.load(SeqCst)
    }
}

#[test]
fn on_every_path() {
    type Path = (&'static str, fn(BufferMut));
    let paths: &[Path] = &[
        ("dropped", drop),
        ("frozen", |buffer| drop(buffer.freeze())),
        ("cloned", |buffer| {
            let a = buffer.freeze();
            let b = a.clone();
            drop(a);
            drop(b);
        }),
        ("back again", |buffer| drop(buffer.freeze().try_into_mut().unwrap())),
        ("another thread", |buffer| thread::spawn(move || drop(buffer)).join().unwrap()),
        ("a thread's end", |buffer| {
            thread_local!(static KEPT: std::cell::RefCell<Option<BufferMut>> = const { std::cell::RefCell::new(None) });
            thread::spawn(move || KEPT.with(|kept| *kept.borrow_mut() = Some(buffer))).join().unwrap();
        }),
        ("a panic", |buffer| {
            let panics = move || {
                let _held = buffer;
                panic!("while held");
            };
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        }),
        ("elsewhere", |buffer| buffer.freeze().drop_elsewhere()),
        ("many at once", |buffer| {
            let buffer = buffer.freeze();
            thread::scope(|scope| {
                for _ in 0..8 {
                    let buffer = buffer.clone();
                    scope.spawn(move || drop((0..1000).map(|_| buffer.clone()).collect::<Vec<_>>()));
                }
                drop(buffer);
            });
        }),
    ];
    for (name, path) in paths {
        let told = Told::new();
        path(told.buffer());
        for _ in 0..1000 {
            if told.times() > 0 {
                break;
            }
            thread::sleep(std::time::Duration::from_millis(1));
        }
        assert_eq!(told.times(), 1, "{name}");
    }
}

#[test]
fn a_destructor_that_panics_is_heard_once() {
    let told = Arc::new(AtomicUsize::new(0));
    let make = |told: Arc<AtomicUsize>| {
        let destructor = move || {
            told.fetch_add(1, SeqCst);
            panic!("in the destructor");
        };
        // SAFETY: no bytes.
        unsafe { Buffer::from_external(NonNull::dangling(), 0, Box::new(destructor)) }.unwrap()
    };
    let buffer = make(told.clone());
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(buffer))).is_err());
    assert_eq!(told.load(SeqCst), 1);

    let buffer = make(told.clone());
    let two_panics = move || {
        let _held = buffer;
        panic!("while held");
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(two_panics)).is_err());
    assert_eq!(told.load(SeqCst), 2);
}

#[test]
fn read_only_memory_stays_so() {
    static BYTES: [u8; 4] = *b"abcd";
    // SAFETY: a static lives for ever.
    let mut buffer = unsafe { Buffer::from_external(NonNull::from(&BYTES).cast(), 4, Box::new(|| ())) }.unwrap();
    assert!(buffer.is_unique() && buffer.is_read_only() && buffer.get_mut().is_none());
    let buffer = buffer.try_into_mut().unwrap_err();
    // SAFETY: initialised.
    assert_eq!(unsafe { buffer.as_slice() }, b"abcd");
}

#[test]
fn vectors_keep_their_memory() {
    let values = vec![1.5f64, 2.5, 3.5];
    let address = values.as_ptr().addr();
    let buffer = BufferMut::from_vec(values).unwrap();
    assert_eq!((buffer.as_ptr().addr(), buffer.len()), (address, 24));
    let mut spare = Vec::<u32>::with_capacity(100);
    spare.push(5);
    assert_eq!(BufferMut::from_vec(spare).unwrap().len(), 4);
    assert!(BufferMut::from_vec(Vec::<u64>::new()).unwrap().is_empty());
    assert_eq!(BufferMut::from_vec(vec![(); 5]).unwrap().len(), 0);
}

#[derive(Default)]
struct Counting {
    taken: AtomicUsize,
    given_back: AtomicUsize,
}

// SAFETY: passes on to Rust's global allocator.
unsafe impl Allocator for Counting {
    fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, MemError> {
        self.taken.fetch_add(layout.size(), SeqCst);
        // SAFETY: the size is never 0.
        let memory = unsafe { std::alloc::alloc(layout) };
        NonNull::new(memory).ok_or(MemError::OutOfMemory { bytes: layout.size(), align: layout.align() })
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
        self.given_back.fetch_add(layout.size(), SeqCst);
        // SAFETY: the caller's promise.
        unsafe { std::alloc::dealloc(ptr.as_ptr(), layout) }
    }
}

#[test]
fn a_user_allocator_gets_back_what_it_gave() {
    let counting = Arc::new(Counting::default());
    let allocator: Arc<dyn Allocator> = counting.clone();
    for (len, align) in [(1000, 64), (0, 1), (1 << 20, 4096)] {
        let buffer = BufferMut::allocate_in(&allocator, len, align).unwrap();
        assert_eq!((buffer.len(), buffer.as_ptr().addr() % align), (len, 0));
        thread::spawn(move || drop(buffer.freeze())).join().unwrap();
    }
    let sum = 1000 + 1 + (1 << 20);
    assert_eq!((counting.taken.load(SeqCst), counting.given_back.load(SeqCst)), (sum, sum));
    drop(allocator);
    assert_eq!(Arc::strong_count(&counting), 1, "buffers let go of their allocator");
}

#[test]
fn an_immortal_buffer_is_never_freed() {
    let told = Told::new();
    let buffer = told.buffer().freeze();
    buffer.make_immortal();
    drop(buffer.clone());
    drop(buffer);
    assert_eq!(told.times(), 0);
}
