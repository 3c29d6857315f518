//! Padding, strides and dilations as the standard writes them.
use freelane_kernels::window::{Axis, Window, WindowError};
use freelane_ops::OpsError;
use smallvec::SmallVec;

/// How padding is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoPad {
    /// It is given.
    #[default]
    Given,
    /// There is none.
    Valid,
    /// As many outputs as strides fit in the input; of an odd number of pixels of padding, one more lies behind.
    SameUpper,
    /// As `SameUpper`, but one more lies before.
    SameLower,
}

/// How a window slides: one number for each spatial axis, or none for all of them being 1 (0 for pads).
#[derive(Clone, Debug, Default)]
pub struct Sliding {
    /// How padding is found.
    pub auto_pad: AutoPad,
    /// Taps along each axis.
    pub kernel: Vec<usize>,
    /// Pixels between outputs.
    pub strides: Vec<usize>,
    /// Pixels between taps.
    pub dilations: Vec<usize>,
    /// Padding before each axis, then behind each.
    pub pads: Vec<usize>,
    /// Whether pixels that are left over make one more output.
    pub ceil: bool,
}

fn wrong(op: &'static str, e: &WindowError) -> OpsError {
    OpsError::argument(op, e.to_string())
}

impl Sliding {
    /// Entry `i` of a list that may be left out.
    fn entry(list: &[usize], i: usize, default: usize) -> usize {
        list.get(i).copied().unwrap_or(default)
    }

    /// Stride along an axis.
    pub fn stride(&self, i: usize) -> usize {
        Self::entry(&self.strides, i, 1)
    }

    /// Dilation along an axis.
    pub fn dilation(&self, i: usize) -> usize {
        Self::entry(&self.dilations, i, 1)
    }

    /// Padding before and behind an axis of `rank` spatial axes.
    pub fn pad(&self, i: usize, rank: usize) -> [usize; 2] {
        [Self::entry(&self.pads, i, 0), Self::entry(&self.pads, rank + i, 0)]
    }

    /// Checks that lists that are given have an entry for each axis.
    pub fn check(&self, op: &'static str, rank: usize) -> Result<(), OpsError> {
        let lists = [
            ("kernel", &self.kernel, rank),
            ("stride", &self.strides, rank),
            ("dilation", &self.dilations, rank),
            ("padding", &self.pads, 2 * rank),
        ];
        for (what, list, want) in lists {
            if !list.is_empty() && list.len() != want {
                let found = list.len();
                return Err(OpsError::argument(op, format!("{found} numbers of {what} for {rank} spatial axes")));
            }
        }
        Ok(())
    }

    /// Geometry of axis `i` over `input` pixels with `kernel` taps.
    pub fn axis(&self, op: &'static str, i: usize, rank: usize, input: usize, kernel: usize) -> Result<Axis, OpsError> {
        let (stride, dilation) = (self.stride(i), self.dilation(i));
        let pads = match self.auto_pad {
            AutoPad::Given => self.pad(i, rank),
            AutoPad::Valid => [0, 0],
            upper_or_lower => {
                let extent = kernel.saturating_sub(1).saturating_mul(dilation).saturating_add(1);
                let steps = input.div_ceil(stride.max(1)).max(1) - 1;
                let all = (steps.saturating_mul(stride)).saturating_add(extent).saturating_sub(input);
                let (less, more) = (all / 2, all - all / 2);
                if upper_or_lower == AutoPad::SameUpper { [less, more] } else { [more, less] }
            }
        };
        let make = if self.ceil { Axis::ceil } else { Axis::new };
        make(input, kernel, stride, dilation, pads).map_err(|e| wrong(op, &e))
    }

    /// The window over an image of these lengths, with these taps.
    pub fn window(&self, op: &'static str, image: &[usize], kernel: &[usize]) -> Result<Window, OpsError> {
        let rank = image.len();
        self.check(op, rank)?;
        if kernel.len() != rank {
            let taps = kernel.len();
            return Err(OpsError::argument(op, format!("a kernel of {taps} axes over an image of {rank}")));
        }
        let axes = (0..rank)
            .map(|i| self.axis(op, i, rank, image[i], kernel[i]))
            .collect::<Result<SmallVec<[Axis; 3]>, _>>()?;
        Window::new(&axes).map_err(|e| wrong(op, &e))
    }
}
