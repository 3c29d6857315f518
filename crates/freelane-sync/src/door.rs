//! The door: std's primitives, or the model checker's under `--cfg loom`.
//!
//! The two differ in three ways that callers see: under loom `new` is not `const` (so statics stay out of models),
//! `thread` has no `scope`, and a wait never wakes for nothing.

#[cfg(not(loom))]
use std::sync as imp;

#[cfg(loom)]
use ::loom::sync as imp;

/// Atomic integers, pointers and fences.
pub mod atomic {
    #[cfg(loom)]
    pub use ::loom::sync::atomic::*;
    #[cfg(not(loom))]
    pub use std::sync::atomic::*;
}

/// Threads: `spawn`, `Builder`, `yield_now`, `current`.
pub mod thread {
    #[cfg(loom)]
    pub use ::loom::thread::*;
    #[cfg(not(loom))]
    pub use std::thread::*;
}

/// `spin_loop`.
pub mod hint {
    #[cfg(loom)]
    pub use ::loom::hint::spin_loop;
    #[cfg(not(loom))]
    pub use std::hint::spin_loop;
}

/// `UnsafeCell` in loom's form: access by closure, so that the checker sees every one.
pub mod cell {
    #[cfg(loom)]
    pub use ::loom::cell::UnsafeCell;

    /// Memory that is written through a shared reference; who may do so is the caller's argument.
    #[cfg(not(loom))]
    #[derive(Debug, Default)]
    #[repr(transparent)]
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    #[cfg(not(loom))]
    impl<T> UnsafeCell<T> {
        /// Wraps `value`.
        pub const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        /// Calls `f` with a pointer for reading.
        #[inline(always)]
        pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Calls `f` with a pointer for writing.
        #[inline(always)]
        pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }

        /// The value.
        pub fn into_inner(self) -> T {
            self.0.into_inner()
        }
    }
}

/// Runs `f` under the model checker, or once when built without it. The checker tries all interleavings with up to
/// three preemptions, unless `LOOM_MAX_PREEMPTIONS` says otherwise.
pub fn model(f: impl Fn() + Send + Sync + 'static) {
    #[cfg(loom)]
    {
        let mut checker = ::loom::model::Builder::new();
        checker.preemption_bound = checker.preemption_bound.or(Some(3));
        checker.check(f);
    }
    #[cfg(not(loom))]
    f();
}

/// Access to what a [`Mutex`] protects; unlocks when dropped.
pub type MutexGuard<'a, T> = imp::MutexGuard<'a, T>;

/// A mutual exclusion lock that a panic does not poison.
#[derive(Debug, Default)]
pub struct Mutex<T>(imp::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked mutex.
    #[cfg(not(loom))]
    pub const fn new(value: T) -> Self {
        Self(imp::Mutex::new(value))
    }

    /// An unlocked mutex.
    #[cfg(loom)]
    pub fn new(value: T) -> Self {
        Self(imp::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes the lock if it is free.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }

    /// The value; nobody else can hold the lock.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The value, without the lock.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A place to wait until a [`Mutex`]-protected condition holds.
#[derive(Debug, Default)]
pub struct Condvar(imp::Condvar);

impl Condvar {
    /// A condition nobody waits for.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self(imp::Condvar::new())
    }

    /// A condition nobody waits for.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self(imp::Condvar::new())
    }

    /// Unlocks, waits to be notified (or wakes for nothing), locks again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// As [`wait`](Self::wait), for `limit` at most; false when the time ran out. Under loom time never does.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: std::time::Duration,
    ) -> (MutexGuard<'a, T>, bool) {
        let (guard, out) = self.0.wait_timeout(guard, limit).unwrap_or_else(|poisoned| poisoned.into_inner());
        (guard, !out.timed_out())
    }

    /// Wakes one waiter.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all waiters.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_panic_while_locked_leaves_the_mutex_usable() {
        let shared = Arc::new(Mutex::new(1));
        let theirs = Arc::clone(&shared);
        let ended = thread::spawn(move || {
            let _held = theirs.lock();
            panic!("while locked");
        })
        .join();
        assert!(ended.is_err());
        *shared.lock() += 1;
        assert_eq!(shared.try_lock().map(|value| *value), Some(2));
    }

    #[test]
    fn try_lock_does_not_wait() {
        let mutex = Mutex::new(());
        let _held = mutex.lock();
        assert!(mutex.try_lock().is_none());
    }

    #[test]
    fn wait_timeout_tells_time_from_notice() {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        let (_guard, notified) = condvar.wait_timeout(mutex.lock(), std::time::Duration::from_millis(1));
        assert!(!notified);
    }
}
