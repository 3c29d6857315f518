//! Windows that slide over images: the geometry that convolutions and pools share.
//!
//! An image has one to three spatial axes; fewer than three are led by axes of one pixel, so that every loop has three.
use core::ops::Range;

/// Why a window does not slide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// A kernel, stride or dilation of nothing.
    #[error("a {what} of 0 along a spatial axis: it must be at least 1")]
    Zero {
        /// What is zero.
        what: &'static str,
    },
    /// The window does not fit even once.
    #[error("a window of {extent} pixels over an axis of {input}, padded by {before} and {after}")]
    Larger {
        /// Pixels that the kernel spans, with dilation.
        extent: usize,
        /// Pixels of the axis.
        input: usize,
        /// Padding before the first pixel.
        before: usize,
        /// Padding behind the last pixel.
        after: usize,
    },
    /// More axes than there are loops for, or none.
    #[error("{rank} spatial axes: one to three are supported")]
    Rank {
        /// Spatial axes.
        rank: usize,
    },
    /// Channels that do not divide into groups.
    #[error("{channels} {of} channels in {groups} groups")]
    Groups {
        /// Which channels.
        of: &'static str,
        /// How many.
        channels: usize,
        /// Groups.
        groups: usize,
    },
    /// A transposed convolution that leaves no pixel.
    #[error(
        "a transposed window of {extent} pixels over an axis of {input} has no output left of paddings {before} and {after}"
    )]
    Transposed {
        /// Pixels that the kernel spans, with dilation.
        extent: usize,
        /// Pixels of the axis.
        input: usize,
        /// Pixels cut off at the front.
        before: usize,
        /// Pixels cut off at the end.
        after: usize,
    },
    /// Sizes beyond the address space.
    #[error("an image or kernel larger than the address space")]
    Overflow,
}

/// One spatial axis: tap `t` of output `o` is input `o * stride + t * dilation - before`, zero outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Pixels of the input.
    pub input: usize,
    /// Taps.
    pub kernel: usize,
    /// Pixels between outputs.
    pub stride: usize,
    /// Pixels between taps.
    pub dilation: usize,
    /// Padding before the first pixel.
    pub before: usize,
    /// Padding behind the last pixel.
    pub after: usize,
    /// Pixels of the output.
    pub output: usize,
}

impl Axis {
    /// One pixel, seen once.
    const ONE: Axis = Axis { input: 1, kernel: 1, stride: 1, dilation: 1, before: 0, after: 0, output: 1 };

    /// As many outputs as windows fit whole.
    pub fn new(
        input: usize,
        kernel: usize,
        stride: usize,
        dilation: usize,
        [before, after]: [usize; 2],
    ) -> Result<Axis, WindowError> {
        let axis = Axis { input, kernel, stride, dilation, before, after, output: 0 };
        Ok(Axis { output: axis.room()? / stride + 1, ..axis })
    }

    /// As [`Axis::new`], with one more output for pixels that are left over; but the last window begins in the input or before it.
    pub fn ceil(
        input: usize,
        kernel: usize,
        stride: usize,
        dilation: usize,
        pads: [usize; 2],
    ) -> Result<Axis, WindowError> {
        let axis = Axis::new(input, kernel, stride, dilation, pads)?;
        let more = axis.room()?.div_ceil(stride) + 1;
        let begins_inside = (more - 1) * stride < input + pads[0];
        Ok(Axis { output: if begins_inside { more } else { more - 1 }, ..axis })
    }

    /// The axis of a transposed convolution, seen from its result: its `output` counts the pixels of the image given, its
    /// `input` those of the image made, `more` of them behind what the windows reach.
    pub fn transposed(
        image: usize,
        kernel: usize,
        stride: usize,
        dilation: usize,
        [before, after]: [usize; 2],
        more: usize,
    ) -> Result<Axis, WindowError> {
        let axis = Axis { input: 0, kernel, stride, dilation, before, after, output: image };
        let extent = axis.extent()?;
        let none = WindowError::Transposed { extent, input: image, before, after };
        let last = image.checked_sub(1).ok_or(none.clone())?;
        let reach = last.checked_mul(stride).and_then(|x| x.checked_add(extent)).and_then(|x| x.checked_add(more));
        let cut = before.checked_add(after).ok_or(WindowError::Overflow)?;
        let input = reach.ok_or(WindowError::Overflow)?.checked_sub(cut).filter(|&left| left > 0).ok_or(none)?;
        isize::try_from(input.saturating_add(cut)).map_err(|_| WindowError::Overflow)?;
        Ok(Axis { input, ..axis })
    }

    /// Pixels that the kernel spans.
    fn extent(&self) -> Result<usize, WindowError> {
        let parts = [("kernel", self.kernel), ("stride", self.stride), ("dilation", self.dilation)];
        if let Some((what, _)) = parts.into_iter().find(|(_, size)| *size == 0) {
            return Err(WindowError::Zero { what });
        }
        (self.kernel - 1).checked_mul(self.dilation).and_then(|x| x.checked_add(1)).ok_or(WindowError::Overflow)
    }

    /// Pixels that the first window leaves behind it.
    fn room(&self) -> Result<usize, WindowError> {
        let Axis { input, stride, before, after, .. } = *self;
        let extent = self.extent()?;
        let padded = input.checked_add(before).and_then(|x| x.checked_add(after)).ok_or(WindowError::Overflow)?;
        // Positions are computed as `isize`, with some room for the last window.
        let most = padded.checked_add(extent).and_then(|x| x.checked_add(stride)).ok_or(WindowError::Overflow)?;
        isize::try_from(most).map_err(|_| WindowError::Overflow)?;
        padded.checked_sub(extent).ok_or(WindowError::Larger { extent, input, before, after })
    }

    /// The input under a tap, which may lie outside.
    #[inline(always)]
    pub fn position(&self, output: usize, tap: usize) -> isize {
        (output * self.stride + tap * self.dilation) as isize - self.before as isize
    }

    /// The input under a tap, if it lies inside.
    #[inline(always)]
    pub fn inside(&self, output: usize, tap: usize) -> Option<usize> {
        let at = self.position(output, tap);
        (0 <= at && at < self.input as isize).then_some(at as usize)
    }

    /// The outputs for which a tap lies inside.
    pub fn outputs(&self, tap: usize) -> Range<usize> {
        let first = |edge: usize| edge.saturating_sub(tap * self.dilation).div_ceil(self.stride).min(self.output);
        let low = first(self.before);
        low..first(self.before + self.input).max(low)
    }

    /// The taps that lie inside for an output.
    pub fn taps(&self, output: usize) -> Range<usize> {
        let from = output * self.stride;
        if from >= self.before && from + (self.kernel - 1) * self.dilation < self.before + self.input {
            return 0..self.kernel;
        }
        let first = |edge: usize| edge.saturating_sub(from).div_ceil(self.dilation).min(self.kernel);
        let low = first(self.before);
        low..first(self.before + self.input).max(low)
    }

    /// Taps of an output that count: those inside, or also those in the padding.
    pub(crate) fn counted(&self, output: usize, padding: bool) -> usize {
        if !padding {
            return self.taps(output).len();
        }
        let room = (self.before + self.input + self.after).saturating_sub(output * self.stride);
        room.div_ceil(self.dilation).min(self.kernel)
    }

    /// Outputs of which all taps count; there may be others.
    pub(crate) fn counted_in_full(&self, padding: bool) -> Range<usize> {
        let full = |output: &usize| self.counted(*output, padding) == self.kernel;
        let first = (0..self.output).find(full).unwrap_or(self.output);
        let last = (first..self.output).rfind(full).map_or(first, |last| last + 1);
        first..last
    }

    /// Whether every tap is inside for every output, and outputs are inputs.
    fn is_plain(&self) -> bool {
        self.kernel == 1 && self.stride == 1 && self.before == 0 && self.output == self.input
    }
}

/// How the channels and pixels of an image lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// `[channels, pixels]`.
    #[default]
    Planar,
    /// `[channels / 16, pixels, 16]`; channels that fill up the last block are zero.
    Blocked,
}

impl Layout {
    /// Channels that lie side by side.
    pub fn lanes(self) -> usize {
        match self {
            Layout::Planar => 1,
            Layout::Blocked => 16,
        }
    }

    /// Elements of an image.
    pub fn len(self, channels: usize, pixels: usize) -> usize {
        channels.next_multiple_of(self.lanes()) * pixels
    }
}

/// All spatial axes, the last one along rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// Depth, height, width.
    pub axes: [Axis; 3],
}

impl Window {
    /// A window over one to three axes.
    pub fn new(axes: &[Axis]) -> Result<Window, WindowError> {
        if axes.is_empty() || axes.len() > 3 {
            return Err(WindowError::Rank { rank: axes.len() });
        }
        let mut window = Window { axes: [Axis::ONE; 3] };
        window.axes[3 - axes.len()..].copy_from_slice(axes);
        let count = |of: fn(&Axis) -> usize| window.axes.iter().try_fold(1usize, |n, axis| n.checked_mul(of(axis)));
        let counts = [count(|axis| axis.input), count(|axis| axis.output), count(|axis| axis.kernel)];
        if counts.contains(&None) { Err(WindowError::Overflow) } else { Ok(window) }
    }

    /// The same window with axes of one pixel, seen once, in front: pixels and taps keep their numbers, and rows are as long
    /// as they can be.
    ///
    /// ```
    /// use freelane_kernels::window::{Axis, Window};
    /// let (long, one) = (Axis::new(512, 5, 1, 1, [2, 2])?, Axis::new(1, 1, 1, 1, [0, 0])?);
    /// assert_eq!(Window::new(&[long, one])?.in_long_rows(), Window::new(&[long])?);
    /// let padding_alone = Window::new(&[long, Axis::new(1, 1, 2, 1, [1, 0])?])?;
    /// assert_eq!(padding_alone.in_long_rows(), padding_alone);
    /// # Ok::<(), freelane_kernels::window::WindowError>(())
    /// ```
    #[must_use]
    pub fn in_long_rows(mut self) -> Window {
        let is_one = |axis: &Axis| [axis.input, axis.output, axis.kernel] == [1; 3] && axis.before == 0;
        self.axes.sort_by_key(|axis| !is_one(axis));
        self.axes.iter_mut().filter(|axis| is_one(axis)).for_each(|axis| *axis = Axis::ONE);
        self
    }

    /// Pixels of the input.
    pub fn inputs(&self) -> usize {
        self.axes.iter().map(|axis| axis.input).product()
    }

    /// Pixels of the output.
    pub fn outputs(&self) -> usize {
        self.axes.iter().map(|axis| axis.output).product()
    }

    /// Taps of the kernel.
    pub fn taps(&self) -> usize {
        self.axes.iter().map(|axis| axis.kernel).product()
    }

    /// Whether each output sees exactly the input in its place.
    pub fn is_pointwise(&self) -> bool {
        self.axes.iter().all(Axis::is_plain)
    }

    /// A tap along each axis.
    #[inline(always)]
    pub fn tap(&self, tap: usize) -> [usize; 3] {
        split(tap, self.axes.map(|axis| axis.kernel))
    }

    /// An output along each axis.
    #[inline(always)]
    pub(crate) fn output(&self, pixel: usize) -> [usize; 3] {
        split(pixel, self.axes.map(|axis| axis.output))
    }
}

fn split(at: usize, [_, h, w]: [usize; 3]) -> [usize; 3] {
    [at / w / h, at / w % h, at % w]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_counted_as_the_standard_does() {
        // Input, kernel, stride, dilation, pads; outputs, and with the ceiling.
        let cases = [
            (5, 3, 1, 1, [0, 0], 3, 3),
            (5, 3, 2, 1, [1, 1], 3, 3),
            (4, 3, 2, 1, [0, 0], 1, 2),
            (224, 7, 2, 1, [3, 3], 112, 113),
            (5, 2, 1, 3, [0, 0], 2, 2),
            (2, 1, 2, 1, [0, 0], 1, 1),
            (0, 2, 1, 1, [1, 1], 1, 1),
            // The window of the last output would begin in the padding behind the input.
            (4, 1, 3, 1, [0, 1], 2, 2),
            (2, 1, 2, 1, [0, 1], 2, 1),
            (2, 1, 2, 1, [0, 0], 1, 1),
            (3, 2, 3, 1, [0, 1], 1, 1),
        ];
        for (input, kernel, stride, dilation, pads, floor, ceil) in cases {
            let made =
                (Axis::new(input, kernel, stride, dilation, pads), Axis::ceil(input, kernel, stride, dilation, pads));
            assert_eq!(
                (made.0.unwrap().output, made.1.unwrap().output),
                (floor, ceil),
                "{input} {kernel} {stride} {pads:?}"
            );
        }
    }

    #[test]
    fn what_lies_inside_is_what_positions_say() {
        for (input, kernel, stride, dilation, pads) in
            [(5, 3, 1, 1, [2, 1]), (7, 4, 3, 2, [5, 4]), (0, 2, 1, 1, [1, 2]), (3, 2, 2, 9, [8, 8])]
        {
            let axis = Axis::ceil(input, kernel, stride, dilation, pads).unwrap();
            for output in 0..axis.output {
                for tap in 0..kernel {
                    let inside = (0..input as isize).contains(&axis.position(output, tap));
                    assert_eq!(axis.inside(output, tap).is_some(), inside);
                    assert_eq!(axis.outputs(tap).contains(&output), inside, "{axis:?} {output} {tap}");
                    assert_eq!(axis.taps(output).contains(&tap), inside, "{axis:?} {output} {tap}");
                }
            }
        }
    }

    #[test]
    fn transposed_axes_undo_axes() {
        for (input, kernel, stride, dilation, pads) in
            [(9, 3, 1, 1, [1, 1]), (10, 4, 3, 2, [2, 0]), (7, 1, 4, 1, [0, 0])]
        {
            let axis = Axis::new(input, kernel, stride, dilation, pads).unwrap();
            let reach = (axis.output - 1) * stride + (kernel - 1) * dilation + 1 - pads[0] - pads[1];
            let made = Axis::transposed(axis.output, kernel, stride, dilation, pads, input - reach).unwrap();
            assert_eq!(made, axis);
        }
        let error = Axis::transposed(1, 3, 2, 1, [2, 1], 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a transposed window of 3 pixels over an axis of 1 has no output left of paddings 2 and 1"
        );
        assert!(Axis::transposed(0, 3, 2, 1, [0, 0], 5).is_err());
        assert_eq!(Axis::transposed(usize::MAX, 3, 2, 1, [0, 0], 0).unwrap_err(), WindowError::Overflow);
    }

    #[test]
    fn errors_name_the_sizes() {
        let error = Axis::new(3, 3, 1, 2, [1, 0]).unwrap_err();
        assert_eq!(error.to_string(), "a window of 5 pixels over an axis of 3, padded by 1 and 0");
        assert_eq!(
            Axis::new(0, 1, 1, 1, [0, 0]).unwrap_err(),
            WindowError::Larger { extent: 1, input: 0, before: 0, after: 0 }
        );
        assert_eq!(Axis::new(3, 3, 0, 2, [1, 0]).unwrap_err(), WindowError::Zero { what: "stride" });
        assert_eq!(Axis::new(3, 0, 1, 2, [1, 0]).unwrap_err(), WindowError::Zero { what: "kernel" });
        for [input, kernel, before] in [[usize::MAX, 1, 1], [1, usize::MAX, 0], [usize::MAX, 1, 0]] {
            assert_eq!(Axis::new(input, kernel, 1, 2, [before, 0]).unwrap_err(), WindowError::Overflow);
        }
        let axis = Axis::new(1 << 40, 1, 1, 1, [0, 0]).unwrap();
        assert_eq!(Window::new(&[axis; 3]).unwrap_err(), WindowError::Overflow);
        assert_eq!(Window::new(&[]).unwrap_err(), WindowError::Rank { rank: 0 });
        assert_eq!(Window::new(&[Axis::ONE; 4]).unwrap_err(), WindowError::Rank { rank: 4 });
    }
}
