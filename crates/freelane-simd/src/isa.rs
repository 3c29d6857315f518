//! Which instruction set a kernel runs on.
//!
//! The CPU is asked once per process. `FREELANE_ISA` (`portable`, `avx2`, `avx512`, `neon`) forces a path; a name that is
//! unknown, or that this CPU cannot run, is reported by [`Isa::forced`] and otherwise ignored, so that a library never fails
//! to load over it.
use freelane_sync::OnceTable;
use std::fmt;

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Isa {
    /// Plain Rust, no fused multiply-add.
    Portable,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 F, DQ, VL, BW and CD.
    Avx512,
    /// aarch64.
    Neon,
}

/// Why `FREELANE_ISA` is not followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IsaError {
    /// The variable holds none of the names.
    #[error("unknown instruction set {name:?}: expected portable, avx2, avx512 or neon")]
    Unknown {
        /// What the variable holds.
        name: String,
    },
    /// This CPU has no such instructions.
    #[error("this CPU does not support {isa}")]
    Unsupported {
        /// What was asked for.
        isa: Isa,
    },
}

// LEDGER: the process; the processor's features, detected once and then only read
static CURRENT: OnceTable<Isa> = OnceTable::new();

impl Isa {
    /// Every instruction set, supported here or not.
    pub const ALL: [Isa; 4] = [Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Neon];

    /// The instruction set kernels use in this process: the forced one if it can run, else the best.
    #[inline]
    pub fn current() -> Isa {
        *CURRENT.get_or_init(|| Isa::forced().ok().flatten().unwrap_or_else(Isa::best))
    }

    /// The widest instruction set of this CPU.
    pub fn best() -> Isa {
        *Isa::available().last().expect("the portable path is always there")
    }

    /// What this CPU can run, the best last.
    pub fn available() -> &'static [Isa] {
        if Isa::Avx512.is_supported() {
            &[Isa::Portable, Isa::Avx2, Isa::Avx512]
        } else if Isa::Avx2.is_supported() {
            &[Isa::Portable, Isa::Avx2]
        } else if Isa::Neon.is_supported() {
            &[Isa::Portable, Isa::Neon]
        } else {
            &[Isa::Portable]
        }
    }

    /// What `FREELANE_ISA` asks for: nothing when it is unset or empty.
    pub fn forced() -> Result<Option<Isa>, IsaError> {
        match std::env::var_os("FREELANE_ISA") {
            Some(name) if !name.is_empty() => Isa::parse(&name.to_string_lossy()).map(Some),
            _ => Ok(None),
        }
    }

    fn parse(name: &str) -> Result<Isa, IsaError> {
        let isa = Isa::ALL.into_iter().find(|isa| isa.name().eq_ignore_ascii_case(name));
        let isa = isa.ok_or_else(|| IsaError::Unknown { name: name.to_owned() })?;
        if isa.is_supported() { Ok(isa) } else { Err(IsaError::Unsupported { isa }) }
    }

    /// The name `FREELANE_ISA` takes.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }

    /// Whether this CPU, and the operating system on it, can run the kernels of this instruction set.
    pub fn is_supported(self) -> bool {
        match self {
            Isa::Portable => true,
            Isa::Avx2 => has_avx2(),
            Isa::Avx512 => has_avx2() && has_avx512(),
            Isa::Neon => cfg!(target_arch = "aarch64"),
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_or_say_why_not() {
        for isa in Isa::ALL {
            let expected = if isa.is_supported() { Ok(isa) } else { Err(IsaError::Unsupported { isa }) };
            assert_eq!(Isa::parse(isa.name()), expected);
            assert_eq!(Isa::parse(&isa.name().to_uppercase()), expected);
        }
        let error = Isa::parse("sse9").unwrap_err();
        assert_eq!(error.to_string(), "unknown instruction set \"sse9\": expected portable, avx2, avx512 or neon");
    }

    #[test]
    fn available_is_what_is_supported() {
        let supported: Vec<_> = Isa::ALL.into_iter().filter(|isa| isa.is_supported()).collect();
        assert_eq!(Isa::available(), supported);
        assert!(Isa::available().contains(&Isa::current()));
    }
}
