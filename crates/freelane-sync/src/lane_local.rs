//! Thread-locals that cost one load.

/// Declares thread-locals without destructor, initialised by a constant, so that access is a plain load.
///
/// What must be given back when the thread ends is given back by an [`on_thread_exit`](crate::on_thread_exit) hook;
/// a type with a destructor does not compile.
///
/// ```
/// use std::cell::Cell;
/// freelane_sync::lane_local! { static DEPTH: Cell<u32> = Cell::new(0); }
/// DEPTH.with(|depth| depth.set(depth.get() + 1));
/// assert_eq!(DEPTH.with(Cell::get), 1);
/// ```
///
/// ```compile_fail
/// freelane_sync::lane_local! { static NAME: String = String::new(); }
/// ```
#[cfg(not(loom))]
#[macro_export]
macro_rules! lane_local {
    ($($(#[$meta:meta])* $vis:vis static $name:ident: $type:ty = $init:expr;)+) => {$(
        const _: () = assert!(!::core::mem::needs_drop::<$type>(), "a lane-local has no destructor");
        ::std::thread_local! {
            #[allow(clippy::disallowed_types)]
            $(#[$meta])* $vis static $name: $type = const { $init }
        }
    )+};
}

/// Declares thread-locals of the model checker's threads.
#[cfg(loom)]
#[macro_export]
macro_rules! lane_local {
    ($($(#[$meta:meta])* $vis:vis static $name:ident: $type:ty = $init:expr;)+) => {$(
        $crate::__loom::thread_local! { $(#[$meta])* $vis static $name: $type = $init }
    )+};
}
