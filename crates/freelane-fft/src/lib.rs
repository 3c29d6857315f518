//! Discrete Fourier transforms of arrays: any axis, any length.
//!
//! ```
//! use freelane_fft::{Norm, fft, irfft, rfft};
//! use freelane_ops::Array;
//! use num_complex::Complex;
//!
//! let x = Array::from_vec(vec![1.0, 2.0, 3.0, 4.0], &[4])?;
//! let spectrum = fft(&x, None, -1, Norm::Backward)?;
//! assert_eq!(spectrum.to_vec::<Complex<f64>>()?[1], Complex::new(-2.0, 2.0));
//! let half = rfft(&x, None, -1, Norm::Backward)?;
//! assert_eq!(irfft(&half, None, -1, Norm::Backward)?.to_vec::<f64>()?, x.to_vec::<f64>()?);
//! # Ok::<(), freelane_ops::OpsError>(())
//! ```
//!
//! The transforms of single lines are those of `rustfft` and `realfft`. Here they are put around arrays:
//!
//! ```text
//! axes.rs        the functions over one axis and over several
//! norm.rs        what a transform is multiplied by
//! line.rs        what happens to one line: complex to complex, real to complex, complex to real
//! lines.rs       where the lines of an array lie, tiles of lines that are not contiguous
//! drive.rs       all lines, spread over the lanes of a runtime
//! plans.rs       plans, kept by the thread that made them
//! frequencies.rs sample frequencies and shifts
//! rows.rs        the functions by name
//! ```
//!
//! A line is transformed alone, from memory where it is contiguous, by a plan that depends on its length and dtype only: so its bits
//! depend neither on the lines beside it, nor on strides, nor on the number of threads. They may differ between processors.
//!
//! What it does not do: split one line over several threads, or stop in the middle of one.

mod axes;
mod drive;
mod frequencies;
mod line;
mod lines;
mod norm;
mod plans;
mod real;
mod rows;

pub use axes::{fft, fftn, hfft, ifft, ifftn, ihfft, irfft, irfftn, rfft, rfftn};
pub use frequencies::{fftfreq, fftshift, ifftshift, rfftfreq};
pub use norm::Norm;
pub use plans::{forget_plans, kept_bytes};
pub use rows::OPS;
