//! Which cores the calling thread may use, and binding it to one.

use crate::PoolError;
use std::io;

/// The cores that the calling thread may run on, ascending. Empty where the system does not say.
pub fn allowed_cores() -> Vec<usize> {
    imp::allowed_cores()
}

/// Binds the calling thread to `core`, one of [`allowed_cores`]. Threads it starts later inherit that.
pub fn pin_to_core(core: usize) -> Result<(), PoolError> {
    imp::pin(core).map_err(|source| PoolError::Pin { core, source })
}

#[cfg(target_os = "linux")]
mod imp {
    use super::*;
    use std::ffi::c_ulong;

    const WORD: usize = c_ulong::BITS as usize;
    /// The kernel's own limit is 8192 cores on the largest configurations.
    const MOST_CORES: usize = 1 << 16;

    pub fn allowed_cores() -> Vec<usize> {
        let mut words = 1024 / WORD;
        while words * WORD <= MOST_CORES {
            if let Some(mask) = read_mask(words) {
                return (0..words * WORD).filter(|core| mask[core / WORD] >> (core % WORD) & 1 == 1).collect();
            }
            words *= 2;
        }
        Vec::new()
    }

    /// None when the kernel's mask does not fit.
    fn read_mask(words: usize) -> Option<Vec<c_ulong>> {
        let mut mask = vec![0 as c_ulong; words];
        let bytes = size_of_val(mask.as_slice());
        // SAFETY: `mask` has `bytes` writable bytes; a `cpu_set_t` of any length is an array of `c_ulong`.
        let failed = unsafe { libc::sched_getaffinity(0, bytes, mask.as_mut_ptr().cast()) };
        (failed == 0).then_some(mask)
    }

    pub fn pin(core: usize) -> io::Result<()> {
        if core >= MOST_CORES {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut mask = vec![0 as c_ulong; core / WORD + 1];
        mask[core / WORD] = 1 << (core % WORD);
        // SAFETY: `mask` has that many readable bytes.
        let failed = unsafe { libc::sched_setaffinity(0, size_of_val(mask.as_slice()), mask.as_ptr().cast()) };
        if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::*;

    pub fn allowed_cores() -> Vec<usize> {
        Vec::new()
    }

    pub fn pin(_core: usize) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_has_one_core_and_the_others_keep_theirs() {
        let before = allowed_cores();
        assert!(!before.is_empty());
        for &core in &before {
            let pinned = std::thread::spawn(move || pin_to_core(core).map(|()| allowed_cores()));
            assert_eq!(pinned.join().unwrap().unwrap(), [core]);
        }
        assert_eq!(allowed_cores(), before);
    }

    #[test]
    fn a_core_that_is_not_there_is_an_error() {
        for core in [60_000, usize::MAX] {
            let error = pin_to_core(core).unwrap_err().to_string();
            assert!(error.starts_with(&format!("cannot pin this thread to core {core}: ")), "{error}");
        }
    }
}
