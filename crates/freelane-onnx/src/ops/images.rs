//! Images resized, sampled, put together; boxes chosen.
use super::layers::{groups, sliding};
use super::{Op, Row, Spec, ints_of, row};
use crate::Fault;
use freelane_array::{ArrayData, DType};
use freelane_graph::{Dim, Fact, GraphError, Operator, Run};
use freelane_nn::resize::{AxisTo, Between, Coordinates, Nearest, Resampling, Resize};
use freelane_nn::sample::{self, DeformConv, GridSample, Outside, RoiAlign, affine_grid, columns_to_image};
use freelane_nn::select::BoxChoice;
use freelane_ops::Array;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[
    row("Resize", 10, |s| scaled(s, Place { scales: 1, ..Place::default() })),
    row("Resize", 11, resize),
    row("Upsample", 7, |s| {
        let scales = s.floats("scales")?.ok_or_else(|| Fault::Invalid("attribute scales is missing".to_owned()))?;
        scaled(s, Place { fixed: Some(scales.iter().map(|x| f64::from(*x)).collect()), ..Place::default() })
    }),
    row("Upsample", 9, |s| scaled(s, Place { scales: 1, ..Place::default() })),
    row("GridSample", 16, grid_sample),
    row("AffineGrid", 20, |s| {
        let corners = s.flag("align_corners", false)?;
        Op::new(s, move |cx| {
            let y = affine_grid(cx.lane(), cx.array(0)?, &lengths(cx.array(1)?)?, corners)?;
            cx.set(0, y);
            Ok(())
        })
        .of_input_dtype()
        .done()
    }),
    row("RoiAlign", 10, |s| roi_align(s, false)),
    row("RoiAlign", 16, |s| {
        let half = s.word("coordinate_transformation_mode", "half_pixel", &["half_pixel", "output_half_pixel"])? == 0;
        roi_align(s, half)
    }),
    row("Col2Im", 18, |s| {
        let sliding = sliding(s)?;
        Op::new(s, move |cx| {
            let (image, kernel) = (lengths(cx.array(1)?)?, lengths(cx.array(2)?)?);
            let y = columns_to_image(cx.lane(), cx.array(0)?, &image, &kernel, &sliding)?;
            cx.set(0, y);
            Ok(())
        })
        .of_input_dtype()
        .done()
    }),
    row("DeformConv", 19, deform_conv),
    row("NonMaxSuppression", 10, non_max_suppression),
];

/// Lengths that a list of numbers gives.
fn lengths(x: &ArrayData) -> Result<Vec<usize>, GraphError> {
    let list = ints_of(x)?;
    let lengths: Option<Vec<usize>> = list.iter().map(|&n| usize::try_from(n).ok()).collect();
    lengths.ok_or_else(|| GraphError::invalid(format!("lengths {list:?}")))
}

/// Real numbers of an array.
fn numbers(x: &ArrayData) -> Result<Vec<f64>, GraphError> {
    Ok(Array::from(x.clone()).astype(DType::F64)?.to_vec::<f64>()?)
}

/// What keeps the shape when both lengths and scales are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aspect {
    Stretch,
    NotLarger,
    NotSmaller,
}

/// Which inputs say what becomes of the axes; 0: none does.
#[derive(Default)]
struct Place {
    region: usize,
    scales: usize,
    sizes: usize,
    fixed: Option<Vec<f64>>,
    axes: Option<Vec<i64>>,
    aspect: Option<Aspect>,
}

impl Place {
    /// What becomes of each axis.
    fn axes(&self, cx: &Run<'_>) -> Result<Vec<AxisTo>, GraphError> {
        let shape = cx.array(0)?.layout().shape();
        let rank = shape.len();
        let axes: Vec<usize> = match &self.axes {
            None => (0..rank).collect(),
            Some(list) => list
                .iter()
                .map(|&a| freelane_array::normalize_axis(a as isize, rank).map_err(GraphError::from))
                .collect::<Result<_, _>>()?,
        };
        let given = |i: usize| if i == 0 { Ok(None) } else { cx.array_or_none(i) };
        let filled = |x: Option<ArrayData>| x.filter(|x| !x.layout().is_empty());
        let sizes = filled(given(self.sizes)?.cloned()).map(|x| lengths(&x)).transpose()?;
        let scales = match &self.fixed {
            Some(scales) => Some(scales.clone()),
            None => filled(given(self.scales)?.cloned()).map(|x| numbers(&x)).transpose()?,
        };
        let region = filled(given(self.region)?.cloned()).map(|x| numbers(&x)).transpose()?;
        let count = axes.len();
        let wrong = |what: &str, n: usize| GraphError::invalid(format!("{n} {what} for {count} axes"));
        if let Some(region) = region.as_ref().filter(|r| r.len() != 2 * count) {
            return Err(wrong("ends of regions", region.len()));
        }
        let region = |i: usize| region.as_ref().map_or([0.0, 1.0], |r| [r[i], r[count + i]]);
        let to = |i: usize, output: usize, scale: f64| AxisTo { axis: axes[i], output, scale, region: region(i) };
        match (sizes, scales) {
            (Some(sizes), _) if sizes.len() == count => {
                let ratio = |i: usize| sizes[i] as f64 / shape[axes[i]] as f64;
                let common = match self.aspect {
                    None | Some(Aspect::Stretch) => None,
                    Some(Aspect::NotLarger) => (0..count).map(ratio).reduce(f64::min),
                    Some(Aspect::NotSmaller) => (0..count).map(ratio).reduce(f64::max),
                };
                Ok((0..count)
                    .map(|i| match common {
                        Some(scale) => to(i, (scale * shape[axes[i]] as f64 + 0.5) as usize, scale),
                        None => to(i, sizes[i], ratio(i)),
                    })
                    .collect())
            }
            (None, Some(scales)) if scales.len() == count => {
                let output = |i: usize| (shape[axes[i]] as f64 * scales[i]).floor() as usize;
                Ok((0..count).map(|i| to(i, output(i), scales[i])).collect())
            }
            (Some(sizes), _) => Err(wrong("sizes", sizes.len())),
            (None, Some(scales)) => Err(wrong("scales", scales.len())),
            (None, None) => Err(GraphError::invalid("neither sizes nor scales are given")),
        }
    }
}

/// The number of axes stays.
fn known(facts: &[Option<&Fact>], outputs: usize) -> Result<Vec<Fact>, GraphError> {
    let x = facts.first().copied().flatten();
    let shape = x.and_then(Fact::rank).map(|rank| vec![Dim::Unknown; rank]);
    Ok(vec![Fact { dtype: x.and_then(|x| x.dtype), shape, constant: None }; outputs])
}

fn run(s: &Spec<'_>, how: Resize, place: Place) -> Made {
    // What the axes become then follows from the shape alone.
    let fixed =
        [place.region, place.scales, place.sizes].iter().all(|&i| i == 0 || !s.has(i) || s.constant(i).is_some());
    Op::new(s, move |cx| {
        let make = |cx: &Run<'_>| -> Result<Resampling, GraphError> {
            Ok(how.plan(cx.lane(), cx.array(0)?, &place.axes(cx)?)?)
        };
        cx.with_memo(
            |cx| make(cx),
            |cx, plan| {
                let x = cx.array(0)?;
                if !fixed || !plan.fits(x) {
                    *plan = make(cx)?;
                }
                let y = how.run(cx.lane(), x, plan)?;
                cx.set(0, y);
                Ok(())
            },
        )
    })
    .infer(known)
    .done()
}

/// The first versions: scales, from the corner on.
fn scaled(s: &Spec<'_>, place: Place) -> Made {
    let between = match s.word("mode", "nearest", &["nearest", "linear", "bilinear"])? {
        0 => Between::Nearest(Nearest::Floor),
        _ => Between::Linear,
    };
    let how = Resize {
        coordinates: Coordinates::Asymmetric,
        between,
        antialias: false,
        exclude_outside: false,
        outside: 0.0,
    };
    run(s, how, place)
}

fn resize(s: &Spec<'_>) -> Made {
    let words = [
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "tf_crop_and_resize",
    ];
    let coordinates = match s.word("coordinate_transformation_mode", "half_pixel", &words)? {
        0 => Coordinates::HalfPixel,
        1 => Coordinates::HalfPixelSymmetric,
        2 => Coordinates::PytorchHalfPixel,
        3 => Coordinates::AlignCorners,
        4 => Coordinates::Asymmetric,
        _ => Coordinates::CropAndResize,
    };
    let words = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"];
    let nearest = match s.word("nearest_mode", "round_prefer_floor", &words)? {
        0 => Nearest::PreferFloor,
        1 => Nearest::PreferCeil,
        2 => Nearest::Floor,
        _ => Nearest::Ceil,
    };
    let a = s.float("cubic_coeff_a", -0.75)?;
    let between = match s.word("mode", "nearest", &["nearest", "linear", "cubic"])? {
        0 => Between::Nearest(nearest),
        1 => Between::Linear,
        _ => Between::Cubic(a),
    };
    let aspect = match s.word("keep_aspect_ratio_policy", "stretch", &["stretch", "not_larger", "not_smaller"])? {
        0 => Aspect::Stretch,
        1 => Aspect::NotLarger,
        _ => Aspect::NotSmaller,
    };
    let how = Resize {
        coordinates,
        between,
        antialias: s.flag("antialias", false)?,
        exclude_outside: s.flag("exclude_outside", false)?,
        outside: s.float("extrapolation_value", 0.0)?,
    };
    let axes = s.ints("axes")?.map(<[i64]>::to_vec);
    run(s, how, Place { region: 1, scales: 2, sizes: 3, fixed: None, axes, aspect: Some(aspect) })
}

fn grid_sample(s: &Spec<'_>) -> Made {
    let words = ["linear", "bilinear", "nearest", "cubic", "bicubic"];
    let default = if s.opset < 20 { "bilinear" } else { "linear" };
    let between = match s.word("mode", default, &words)? {
        0 | 1 => sample::Between::Linear,
        2 => sample::Between::Nearest,
        _ => sample::Between::Cubic,
    };
    let outside = match s.word("padding_mode", "zeros", &["zeros", "border", "reflection"])? {
        0 => Outside::Zeros,
        1 => Outside::Border,
        _ => Outside::Reflection,
    };
    let how = GridSample { between, outside, align_corners: s.flag("align_corners", false)? };
    Op::new(s, move |cx| {
        let y = how.call(cx.lane(), cx.array(0)?, cx.array(1)?)?;
        cx.set(0, y);
        Ok(())
    })
    .infer(known)
    .done()
}

fn roi_align(s: &Spec<'_>, half_pixel: bool) -> Made {
    let count = |name, default| {
        let n = s.int(name, default)?;
        usize::try_from(n).map_err(|_| Fault::Invalid(format!("attribute {name} is {n}")))
    };
    let how = RoiAlign {
        output: [count("output_height", 1)?, count("output_width", 1)?],
        samples: count("sampling_ratio", 0)?,
        scale: s.float("spatial_scale", 1.0)?,
        half_pixel,
        max: s.word("mode", "avg", &["avg", "max"])? == 1,
    };
    Op::new(s, move |cx| {
        let y = how.call(cx.lane(), cx.array(0)?, cx.array(1)?, cx.array(2)?)?;
        cx.set(0, y);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

fn deform_conv(s: &Spec<'_>) -> Made {
    let shared = s.int("offset_group", 1)?;
    let offset_groups =
        usize::try_from(shared).map_err(|_| Fault::Invalid(format!("attribute offset_group is {shared}")))?;
    let layer = DeformConv { sliding: sliding(s)?, groups: groups(s)?, offset_groups };
    Op::new(s, move |cx| {
        let (x, w, offsets) = (cx.array(0)?, cx.array(1)?, cx.array(2)?);
        let y = layer.call(cx.lane(), x, w, offsets, cx.array_or_none(3)?, cx.array_or_none(4)?)?;
        cx.set(0, y);
        Ok(())
    })
    .of_input_dtype()
    .done()
}

fn non_max_suppression(s: &Spec<'_>) -> Made {
    let centred = s.flag("center_point_box", false)?;
    Op::new(s, move |cx| {
        let first = |i: usize| -> Result<Option<f64>, GraphError> {
            Ok(cx.array_or_none(i)?.map(numbers).transpose()?.and_then(|list| list.first().copied()))
        };
        let choice = BoxChoice {
            most: first(2)?.unwrap_or(0.0).max(0.0) as usize,
            overlap: first(3)?.unwrap_or(0.0),
            score: first(4)?,
            centred,
        };
        let y = choice.call(cx.lane(), cx.array(0)?, cx.array(1)?)?;
        cx.set(0, y);
        Ok(())
    })
    .of_dtype(DType::I64)
    .done()
}
