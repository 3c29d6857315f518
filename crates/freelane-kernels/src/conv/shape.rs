//! What is convolved with what, and in which order products are added.
use crate::gemm::KC;
use crate::window::{Axis, Window, WindowError};
use core::ops::Range;

/// Channels that are stored and read together.
pub const BLOCK: usize = 16;

/// A convolution of one image: channels, groups and the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvShape {
    /// Channels of the input.
    pub inputs: usize,
    /// Channels of the output.
    pub outputs: usize,
    /// Groups of channels that do not see each other.
    pub groups: usize,
    /// Spatial axes.
    pub window: Window,
}

impl ConvShape {
    /// Checks that groups divide the channels, and that all sizes are within the address space, those of an image with its
    /// padding too.
    pub fn new(inputs: usize, outputs: usize, groups: usize, window: Window) -> Result<ConvShape, WindowError> {
        for (of, channels) in [("input", inputs), ("output", outputs)] {
            if groups == 0 || channels == 0 || !channels.is_multiple_of(groups) {
                return Err(WindowError::Groups { of, channels, groups });
            }
        }
        let shape = ConvShape { inputs, outputs, groups, window };
        // Room for padding to blocks and panels, and for 64-bit elements.
        let room = |channels: usize, each: usize| {
            channels.checked_add(64)?.checked_mul(each.checked_add(64)?)?.checked_mul(64)
        };
        let sizes = [
            room(inputs, window.inputs()),
            window.axes.iter().try_fold(1usize, |n, axis| n.checked_mul(span(axis)?)).and_then(|n| room(inputs, n)),
            room(outputs, window.outputs()),
            window.taps().checked_mul(inputs).and_then(|depth| room(outputs, depth)),
        ];
        if sizes.contains(&None) { Err(WindowError::Overflow) } else { Ok(shape) }
    }

    /// Elements of one image.
    pub fn input_len(&self) -> usize {
        self.inputs * self.window.inputs()
    }

    /// Elements of one result.
    pub fn output_len(&self) -> usize {
        self.outputs * self.window.outputs()
    }

    /// Elements of the weights, `[outputs, inputs / groups, taps]`.
    pub fn weights_len(&self) -> usize {
        self.outputs * self.order().depth()
    }

    /// Output channels of a group.
    pub fn group_outputs(&self) -> usize {
        self.outputs / self.groups
    }

    /// Input channels of a group.
    pub fn group_inputs(&self) -> usize {
        self.inputs / self.groups
    }

    /// Whether every channel has a kernel of its own.
    pub fn is_depthwise(&self) -> bool {
        self.groups == self.inputs && self.groups == self.outputs
    }

    /// Multiplications of one image.
    pub fn products(&self) -> u64 {
        (self.output_len() as u64).saturating_mul(self.order().depth() as u64)
    }

    pub(crate) fn order(&self) -> Order {
        Order { channels: self.group_inputs(), taps: self.window.taps() }
    }
}

/// Pixels along an axis that are seen from the first output to one behind the last, in whole strides.
fn span(axis: &Axis) -> Option<usize> {
    let extent = (axis.kernel - 1).checked_mul(axis.dilation)?.checked_add(1)?;
    axis.output.max(1).checked_mul(axis.stride)?.checked_add(extent)
}

/// The order of the products of one output element.
///
/// A step is one tap of a block of up to 16 channels; the taps of a block follow each other, in row-major order. A chain is as
/// many steps as hold 256 products.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub channels: usize,
    pub taps: usize,
}

/// A tap of some channels.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub channel: usize,
    pub width: usize,
    pub tap: usize,
}

impl Order {
    /// Products of one output element.
    pub fn depth(&self) -> usize {
        self.channels * self.taps
    }

    /// Steps of one output element.
    pub fn steps(&self) -> usize {
        self.channels.div_ceil(BLOCK) * self.taps
    }

    /// Steps of a chain, the last one excepted.
    pub fn chain(&self) -> usize {
        KC / self.channels.min(BLOCK)
    }

    /// The chains, as ranges of steps.
    pub fn chains(self) -> impl Iterator<Item = Range<usize>> {
        let (steps, chain) = (self.steps(), self.chain());
        (0..steps).step_by(chain).map(move |first| first..(first + chain).min(steps))
    }

    /// What a step multiplies.
    #[inline(always)]
    pub fn step(&self, step: usize) -> Step {
        let channel = step / self.taps * BLOCK;
        Step { channel, width: BLOCK.min(self.channels - channel), tap: step % self.taps }
    }

    /// Products before a step.
    pub fn before(&self, step: usize) -> usize {
        if step == self.steps() {
            return self.depth();
        }
        let Step { channel, width, tap } = self.step(step);
        channel * self.taps + tap * width
    }

    /// Products of some steps.
    pub fn products(&self, steps: &Range<usize>) -> usize {
        self.before(steps.end) - self.before(steps.start)
    }
}
