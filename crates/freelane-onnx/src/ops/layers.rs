//! Convolutions and pools.
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::ArrayData;
use freelane_graph::{Dim, Fact, GraphError, Operator, Run};
use freelane_nn::conv::{Activation, BLOCK, Convolution, Layout};
use freelane_nn::pool::{Whole, average_pool, global_pool, max_pool, max_unpool, norm_pool};
use freelane_nn::transposed::Transposed;
use freelane_nn::{AutoPad, Sliding};
use freelane_sync::OnceTable;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("Conv", 1, |s| Ok(Arc::new(Conv::new(s)?))),
    row("ConvTranspose", 1, transposed),
    row("MaxPool", 1, max),
    row("AveragePool", 1, average),
    row("LpPool", 1, |s| norm(s, s.float("p", 2.0)? as i64)),
    row("LpPool", 2, |s| norm(s, s.int("p", 2)?)),
    row("GlobalAveragePool", 1, |s| global(s, "GlobalAveragePool", Whole::Mean)),
    row("GlobalMaxPool", 1, |s| global(s, "GlobalMaxPool", Whole::Max)),
    row("GlobalLpPool", 1, |s| global(s, "GlobalLpPool", Whole::Norm(power(s.float("p", 2.0)? as i64)?))),
    row("GlobalLpPool", 2, |s| global(s, "GlobalLpPool", Whole::Norm(power(s.int("p", 2)?)?))),
    row("MaxUnpool", 9, unpool),
];

/// Whole numbers that are not negative.
pub(super) fn counts(name: &str, list: Option<&[i64]>) -> Result<Vec<usize>, Fault> {
    let list = list.unwrap_or_default().iter().map(|&n| usize::try_from(n).ok());
    list.collect::<Option<_>>().ok_or_else(|| Fault::Unsupported(format!("attribute {name} with negative numbers")))
}

/// How a node's window slides.
pub(super) fn sliding(s: &Spec<'_>) -> Result<Sliding, Fault> {
    let words = ["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"];
    let auto_pad = match s.word("auto_pad", "NOTSET", &words)? {
        0 => AutoPad::Given,
        1 => AutoPad::Valid,
        2 => AutoPad::SameUpper,
        _ => AutoPad::SameLower,
    };
    Ok(Sliding {
        auto_pad,
        kernel: counts("kernel_shape", s.ints("kernel_shape")?)?,
        strides: counts("strides", s.ints("strides")?)?,
        dilations: counts("dilations", s.ints("dilations")?)?,
        pads: counts("pads", s.ints("pads")?)?,
        ceil: false,
    })
}

/// Groups of channels.
pub(super) fn groups(s: &Spec<'_>) -> Result<usize, Fault> {
    let groups = s.int("group", 1)?;
    usize::try_from(groups).map_err(|_| Fault::Invalid(format!("attribute group is {groups}")))
}

/// A convolution of an image and weights; then a bias, a residual, an activation. Constant weights are packed once for all
/// lanes.
pub(crate) struct Conv {
    /// How the kernel slides.
    pub sliding: Sliding,
    /// Groups of channels.
    pub groups: usize,
    /// Applied last.
    pub activation: Activation<f32>,
    /// Whether the weights are the same in every run.
    pub constant: bool,
    /// How images come and go.
    layouts: [Layout; 2],
    key: Option<String>,
    /// The first geometries that were met.
    // LEDGER: the node; written once for each geometry, then read by all lanes
    packed: [OnceTable<Convolution>; 4],
}

impl Conv {
    fn new(s: &Spec<'_>) -> Result<Conv, Fault> {
        Ok(Conv {
            sliding: sliding(s)?,
            groups: groups(s)?,
            activation: Activation::None,
            constant: s.constant(1).is_some(),
            layouts: [Layout::Planar; 2],
            key: s.key(),
            packed: [const { OnceTable::new() }; 4],
        })
    }

    /// The same convolution with constant weights, and an activation behind it.
    pub fn then(&self, activation: Activation<f32>) -> Conv {
        Conv { activation, ..self.within(self.layouts) }
    }

    /// The same convolution with constant weights, of images that come and go in layouts.
    pub fn within(&self, layouts: [Layout; 2]) -> Conv {
        Conv {
            sliding: self.sliding.clone(),
            groups: self.groups,
            activation: self.activation,
            constant: true,
            layouts,
            key: None,
            packed: [const { OnceTable::new() }; 4],
        }
    }

    /// Geometry and weights for an image: those of all lanes if they fit, else the node's own.
    fn run_on(&self, cx: &mut Run<'_>) -> Result<ArrayData, GraphError> {
        let (x, weights) = (cx.array(0)?, cx.array(1)?);
        let (bias, residual) = (cx.array_or_none(2)?, cx.array_or_none(3)?);
        let lane = cx.lane();
        let make = || Convolution::with_layouts(x, weights, self.groups, &self.sliding, self.layouts);
        if !self.constant {
            return Ok(make()?.run(lane, x, bias, residual, self.activation)?);
        }
        for place in &self.packed {
            let shared = place.get_or_try_init(make)?;
            if shared.fits(x) {
                return Ok(shared.run(lane, x, bias, residual, self.activation)?);
            }
        }
        cx.with_memo(
            |_| Ok(make()?),
            |_, own: &mut Convolution| {
                if !own.fits(x) {
                    *own = make()?;
                }
                Ok(own.run(lane, x, bias, residual, self.activation)?)
            },
        )
    }
}

impl Operator for Conv {
    fn name(&self) -> &str {
        "Conv"
    }

    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        let (Some(Some(x)), Some(Some(w))) = (inputs.first(), inputs.get(1)) else {
            return Err(GraphError::invalid("needs an image and weights"));
        };
        let shape = match (&x.shape, w.known_shape()) {
            (Some(x), Some(w)) => Some(in_blocks(self.layouts[1], self.shape(&in_planes(self.layouts[0], x), &w)?)),
            _ => None,
        };
        let _ = outputs;
        Ok(vec![Fact { dtype: x.dtype, shape, constant: None }])
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let y = self.run_on(cx)?;
        cx.set(0, y);
        Ok(())
    }

    fn key(&self) -> Option<String> {
        self.key.clone()
    }

    fn held_bytes(&self) -> usize {
        self.packed.iter().filter_map(OnceTable::get).map(Convolution::nbytes).sum()
    }
}

impl Conv {
    /// The shape of the result, as far as it is known.
    fn shape(&self, x: &[Dim], w: &[usize]) -> Result<Vec<Dim>, GraphError> {
        if x.len() != w.len() || x.len() < 3 {
            return Err(GraphError::invalid(format!("an image of {} axes and weights of shape {w:?}", x.len())));
        }
        let rank = x.len() - 2;
        let mut shape = vec![x[0].clone(), Dim::Known(w[0])];
        for i in 0..rank {
            shape.push(match x[i + 2].known() {
                Some(n) => Dim::Known(self.sliding.axis("Conv", i, rank, n, w[i + 2])?.output),
                None => Dim::Unknown,
            });
        }
        Ok(shape)
    }
}

/// The shape of planar images, of those in a layout.
fn in_planes(layout: Layout, shape: &[Dim]) -> Vec<Dim> {
    match (layout, shape) {
        (Layout::Blocked, [batch, blocks, pixels @ .., _]) => {
            let channels = blocks.known().map_or(Dim::Unknown, |n| Dim::Known(n * BLOCK));
            [batch.clone(), channels].into_iter().chain(pixels.iter().cloned()).collect()
        }
        _ => shape.to_vec(),
    }
}

/// The shape of images in a layout, of planar ones.
pub(crate) fn in_blocks(layout: Layout, shape: Vec<Dim>) -> Vec<Dim> {
    match (layout, &shape[..]) {
        (Layout::Blocked, [batch, channels, pixels @ ..]) => {
            let blocks = channels.known().map_or(Dim::Unknown, |n| Dim::Known(n / BLOCK));
            [batch.clone(), blocks].into_iter().chain(pixels.iter().cloned()).chain([Dim::Known(BLOCK)]).collect()
        }
        _ => shape,
    }
}

fn transposed(s: &Spec<'_>) -> Made {
    let layer = Transposed {
        sliding: sliding(s)?,
        groups: groups(s)?,
        output_padding: counts("output_padding", s.ints("output_padding")?)?,
        output_shape: counts("output_shape", s.ints("output_shape")?)?,
    };
    Op::new(s, move |cx| {
        let y = layer.call(cx.lane(), cx.array(0)?, cx.array(1)?, cx.array_or_none(2)?)?;
        cx.set(0, y);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

/// The window of a pool.
fn pool(s: &Spec<'_>) -> Result<Sliding, Fault> {
    let sliding = Sliding { ceil: s.flag("ceil_mode", false)?, ..sliding(s)? };
    if sliding.kernel.is_empty() {
        return Err(Fault::Invalid("attribute kernel_shape is missing".to_owned()));
    }
    Ok(sliding)
}

/// The outputs of a pool: the first has the type of the input, all its number of axes.
fn pooled(sliding: &Sliding, facts: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
    let mut known = vec![Fact::unknown(); outputs];
    let Some(Some(x)) = facts.first() else { return Ok(known) };
    let shape = match &x.shape {
        Some(shape) if shape.len() > 2 => {
            let rank = shape.len() - 2;
            let mut made = shape[..2].to_vec();
            for (i, dim) in shape[2..].iter().enumerate() {
                let taps = sliding.kernel.get(i).copied().unwrap_or(0);
                made.push(match dim.known() {
                    Some(n) => Dim::Known(sliding.axis("pool", i, rank, n, taps)?.output),
                    None => Dim::Unknown,
                });
            }
            Some(made)
        }
        _ => None,
    };
    if let Some(first) = known.first_mut() {
        *first = Fact { dtype: x.dtype, shape, constant: None };
    }
    Ok(known)
}

/// The largest element or the mean of each window.
pub(crate) struct Pool {
    sliding: Sliding,
    kind: Kind,
    layout: Layout,
    key: Option<String>,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Whether places count columns first.
    Max { column_major: bool },
    /// Whether padding counts.
    Average { padding: bool },
}

impl Pool {
    /// The same pool of images in a layout.
    pub fn within(&self, layout: Layout) -> Pool {
        Pool { sliding: self.sliding.clone(), kind: self.kind, layout, key: None }
    }
}

impl Operator for Pool {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Max { .. } => "MaxPool",
            Kind::Average { .. } => "AveragePool",
        }
    }

    fn infer(&self, inputs: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
        let planes = |x: &Fact| x.shape.as_ref().map(|shape| in_planes(self.layout, shape));
        let x = inputs.first().copied().flatten().map(|x| Fact { shape: planes(x), ..x.clone() });
        let mut known = pooled(&self.sliding, &[x.as_ref()], outputs)?;
        if let Some(first) = known.first_mut() {
            first.shape = first.shape.take().map(|shape| in_blocks(self.layout, shape));
        }
        Ok(known)
    }

    fn run(&self, cx: &mut Run<'_>) -> Result<(), GraphError> {
        let (lane, x, sliding) = (cx.lane(), cx.array(0)?, &self.sliding);
        let (y, places) = match self.kind {
            Kind::Max { column_major } => max_pool(lane, x, sliding, self.layout, column_major, cx.wants(1))?,
            Kind::Average { padding } => (average_pool(lane, x, sliding, self.layout, padding)?, None),
        };
        cx.set(0, y);
        if let Some(places) = places {
            cx.set(1, places);
        }
        Ok(())
    }

    fn key(&self) -> Option<String> {
        self.key.clone()
    }
}

fn max(s: &Spec<'_>) -> Made {
    let kind = Kind::Max { column_major: s.flag("storage_order", false)? };
    Ok(Arc::new(Pool { sliding: pool(s)?, kind, layout: Layout::Planar, key: s.key() }))
}

fn average(s: &Spec<'_>) -> Made {
    let kind = Kind::Average { padding: s.flag("count_include_pad", false)? };
    Ok(Arc::new(Pool { sliding: pool(s)?, kind, layout: Layout::Planar, key: s.key() }))
}

fn power(p: i64) -> Result<u32, Fault> {
    u32::try_from(p).ok().filter(|p| *p > 0).ok_or_else(|| Fault::Invalid(format!("attribute p is {p}")))
}

fn norm(s: &Spec<'_>, p: i64) -> Made {
    let (sliding, p) = (pool(s)?, power(p)?);
    let known = sliding.clone();
    Op::new(s, move |cx| {
        let y = norm_pool(cx.lane(), cx.array(0)?, &sliding, p)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(move |facts, outputs| pooled(&known, facts, outputs))
    .done()
}

fn global(s: &Spec<'_>, name: &'static str, whole: Whole) -> Made {
    Op::new(s, move |cx| {
        let y = global_pool(cx.lane(), name, cx.array(0)?, whole)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(|facts, outputs| {
        let x = facts.first().copied().flatten();
        let ones = |(i, dim): (usize, &Dim)| if i < 2 { dim.clone() } else { Dim::Known(1) };
        let shape = x.and_then(|x| Some(x.shape.as_ref()?.iter().enumerate().map(ones).collect()));
        Ok(vec![Fact { dtype: x.and_then(|x| x.dtype), shape, constant: None }; outputs])
    })
    .done()
}

fn unpool(s: &Spec<'_>) -> Made {
    let sliding = pool(s)?;
    Op::new(s, move |cx| {
        let x = cx.array(0)?;
        let (shape, rank) = (x.layout().shape(), sliding.kernel.len());
        if shape.len() != rank + 2 {
            return Err(GraphError::invalid(format!("an array of shape {shape:?} for {rank} spatial axes")));
        }
        let along = |i: usize| {
            let [before, after] = sliding.pad(i, rank);
            let reach = (shape[i + 2].max(1) - 1).saturating_mul(sliding.stride(i)).saturating_add(sliding.kernel[i]);
            reach.saturating_sub(before.saturating_add(after))
        };
        let natural: Vec<usize> = shape[..2].iter().copied().chain((0..rank).map(along)).collect();
        let whole = match cx.array_or_none(2)? {
            None => natural.clone(),
            Some(given) => super::ints_of(given)?.iter().map(|&n| n.max(0) as usize).collect(),
        };
        let y = max_unpool(x, cx.array(1)?, &natural, &whole)?;
        cx.set(0, y);
        Ok(())
    })
    .of_input_dtype()
    .done()
}
