//! Elements and axes in other places, and differences between neighbours.
use crate::function::{Default, Kind, Param};
use crate::{Array, InOp, Op, Operand, OpsError, Run, concat, ufuncs};
use freelane_array::{ArrayError, DType, Index, Slice, broadcast_shapes, normalize_axis};
use freelane_pool::Lane;

/// Arrays repeated to their common shape. They share storage with what they are made of.
///
/// # Errors
/// When the shapes do not broadcast.
pub fn broadcast_arrays(arrays: &[&Array]) -> Result<Vec<Array>, OpsError> {
    let shape = broadcast_shapes(arrays.iter().map(|a| a.shape())).in_op("broadcast_arrays")?;
    arrays.iter().map(|a| a.broadcast_to(&shape)).collect()
}

/// Coordinates of a grid: array `i` holds the numbers of `axes[i]` along one axis of the grid, repeated along the others.
/// That is axis `i`, but with `swapped` the first two change places: rows then follow the second of `axes`.
///
/// ```
/// use freelane_ops::{Array, meshgrid};
/// let (x, y) = (Array::arange(0, 3, 1)?, Array::arange(0, 2, 1)?);
/// let grid = meshgrid(&[&x, &y], true)?;
/// assert_eq!((grid[0].shape(), grid[0].to_vec::<i64>()?), (&[2, 3][..], vec![0, 1, 2, 0, 1, 2]));
/// # Ok::<(), freelane_ops::OpsError>(())
/// ```
///
/// # Errors
/// When one of the arrays has more than one axis, or the grid exceeds the address space.
pub fn meshgrid(axes: &[&Array], swapped: bool) -> Result<Vec<Array>, OpsError> {
    const OP: &str = "meshgrid";
    if let Some(x) = axes.iter().find(|x| x.rank() > 1) {
        return Err(OpsError::argument(OP, format!("takes arrays of one axis, this has shape {:?}", x.shape())));
    }
    let place = |i: usize| if swapped && axes.len() > 1 && i < 2 { 1 - i } else { i };
    let along = |(i, x): (usize, &&Array)| {
        let mut shape = vec![1; axes.len()];
        shape[place(i)] = x.len() as isize;
        x.reshape(&shape)
    };
    let spaced = axes.iter().enumerate().map(along).collect::<Result<Vec<_>, _>>()?;
    broadcast_arrays(&spaced.iter().collect::<Vec<_>>()).map_err(|e| e.of(OP))
}

impl Array {
    /// Some axes moved to other places; the others keep their order. Shares storage.
    ///
    /// ```
    /// use freelane_ops::{Array, DType};
    /// let x = Array::zeros(&[2, 3, 4], DType::F64)?;
    /// assert_eq!(x.moveaxis(&[0], &[-1])?.shape(), [3, 4, 2]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis does not exist or is named twice, or there are more sources than destinations, or fewer.
    pub fn moveaxis(&self, source: &[isize], destination: &[isize]) -> Result<Array, OpsError> {
        const OP: &str = "moveaxis";
        let rank = self.rank();
        let places = |axes: &[isize]| -> Result<Vec<usize>, OpsError> {
            let found = axes.iter().map(|&a| normalize_axis(a, rank)).collect::<Result<Vec<_>, _>>().in_op(OP)?;
            let twice = (1..found.len()).any(|i| found[..i].contains(&found[i]));
            if twice { Err(ArrayError::BadAxes { axes: axes.to_vec(), rank }).in_op(OP) } else { Ok(found) }
        };
        let (from, to) = (places(source)?, places(destination)?);
        if from.len() != to.len() {
            return Err(OpsError::argument(OP, format!("{} axes for {} places", from.len(), to.len())));
        }
        let mut rest = (0..rank).filter(|axis| !from.contains(axis));
        let axis_at = |place: usize| to.iter().position(|&p| p == place).map(|i| from[i]);
        let axes = (0..rank).filter_map(|place| axis_at(place).or_else(|| rest.next())).map(|axis| axis as isize);
        self.permute_dims(&axes.collect::<Vec<_>>()).map_err(|e| e.of(OP))
    }

    /// Elements moved along an axis by `shift` places, those that leave it at one end coming in at the other.
    ///
    /// # Errors
    /// When there is no such axis, or memory cannot be had.
    pub fn roll(&self, shift: isize, axis: isize) -> Result<Array, OpsError> {
        const OP: &str = "roll";
        let at = normalize_axis(axis, self.rank()).in_op(OP)?;
        let cut = (self.shape()[at] as isize - shift.rem_euclid(self.shape()[at].max(1) as isize)).max(0);
        let [front, back] = [part(self, at, None, Some(cut))?, part(self, at, Some(cut), None)?];
        concat(&[&back, &front], at as isize).map_err(|e| e.of(OP))
    }

    /// The arrays of which [`stack`](crate::stack) makes this one. They share its storage.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    /// assert_eq!(x.unstack(1)?[2].to_vec::<i64>()?, [2, 5]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis.
    pub fn unstack(&self, axis: isize) -> Result<Vec<Array>, OpsError> {
        let axis = normalize_axis(axis, self.rank()).in_op("unstack")?;
        let mut index = vec![Index::from(Slice::all()); axis];
        index.push(Index::At(0));
        let mut at = |i: usize| {
            index[axis] = Index::At(i as isize);
            self.index(&index)
        };
        let mut parts = crate::array::room("unstack", self.shape()[axis])?;
        for i in 0..self.shape()[axis] {
            parts.push(at(i)?);
        }
        Ok(parts)
    }

    /// What each element along an axis adds to the one before, `n` times over. For booleans: whether they differ.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let squares = Array::arange(0, 5, 1)?.square()?;
    /// assert_eq!(squares.diff(1, -1)?.to_vec::<i64>()?, [1, 3, 5, 7]);
    /// assert_eq!(squares.diff(2, -1)?.to_vec::<i64>()?, [2, 2, 2]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such axis, or memory cannot be had.
    pub fn diff(&self, n: usize, axis: isize) -> Result<Array, OpsError> {
        const OP: &str = "diff";
        let at = normalize_axis(axis, self.rank()).in_op(OP)?;
        let minus = if self.dtype() == DType::Bool { &ufuncs::NOT_EQUAL } else { &ufuncs::SUBTRACT };
        let mut x = self.clone();
        for _ in 0..n.min(self.shape()[at]) {
            let (later, earlier) = (part(&x, at, Some(1), None)?, part(&x, at, None, Some(-1))?);
            let operands = [Operand::from(&later), Operand::from(&earlier)];
            x = Lane::with(|lane| minus.call(lane, &operands)).map_err(|e| e.of(OP))?.into();
        }
        Ok(x)
    }
}

/// Elements `start..stop` along an axis.
pub(super) fn part(x: &Array, axis: usize, start: Option<isize>, stop: Option<isize>) -> Result<Array, OpsError> {
    let mut index = vec![Index::from(Slice::all()); axis];
    index.push(Slice { start, stop, step: 1 }.into());
    x.index(&index)
}

const X: Param = Param::required("x", Kind::Operand);

pub(crate) static MOVEAXIS: Op = Op {
    name: "moveaxis",
    doc: "Some axes moved to other places; the others keep their order.",
    params: &[X, Param::required("source", Kind::Axes), Param::required("destination", Kind::Axes)],
    run: Run::One(|_, a| a.array(0)?.moveaxis(&a.ints(1)?, &a.ints(2)?)),
    onnx: None,
};

pub(crate) static BROADCAST_ARRAYS: Op = Op {
    name: "broadcast_arrays",
    doc: "The arrays, each broadcast to the shape that all of them broadcast to. Nothing is copied.",
    params: &[Param::rest("arrays")],
    run: Run::Many(&[], |_, a| broadcast_arrays(&a.arrays(0)?.iter().collect::<Vec<_>>())),
    onnx: None,
};

pub(crate) static MESHGRID: Op = Op {
    name: "meshgrid",
    doc: "Coordinates of a grid: each array's numbers along one axis of the grid, repeated along the others.\n\nThat is the \
          array's own place among the arrays, with indexing='ij'; with 'xy' the first two change places. Nothing is copied.",
    params: &[Param::rest("arrays"), Param::keyword("indexing", Kind::Str(&["xy", "ij"]), Default::Str("xy"))],
    run: Run::Many(&[], |_, a| meshgrid(&a.arrays(0)?.iter().collect::<Vec<_>>(), a.word(1)? == "xy")),
    onnx: None,
};

pub(crate) static UNSTACK: Op = Op {
    name: "unstack",
    doc: "The arrays of which stack would make this one. Nothing is copied.",
    params: &[X, Param::keyword("axis", Kind::Int, Default::Int(0))],
    run: Run::Many(&[], |_, a| a.array(0)?.unstack(a.int(1)? as isize)),
    onnx: None,
};

pub(crate) static ROLL: Op = Op {
    name: "roll",
    doc: "Elements moved along axes, those that leave one end coming in at the other; in row-major order of all, if no axis is \
          given.",
    params: &[X, Param::required("shift", Kind::Shape), Param::optional("axis", Kind::Axes, Default::None)],
    run: Run::One(|_, a| {
        let (x, shifts) = (a.array(0)?, a.ints(1)?);
        if !a.is_given(2) {
            let shape: Vec<isize> = x.shape().iter().map(|&n| n as isize).collect();
            let all = shifts.iter().fold(0isize, |all, &s| all.wrapping_add(s));
            return x.reshape(&[x.len() as isize])?.roll(all, 0)?.reshape(&shape);
        }
        let axes = a.ints(2)?;
        if shifts.len() != axes.len() && shifts.len() != 1 && axes.len() != 1 {
            return Err(OpsError::argument("roll", format!("{} shifts for {} axes", shifts.len(), axes.len())));
        }
        let steps = if shifts.is_empty() || axes.is_empty() { 0 } else { shifts.len().max(axes.len()) };
        (0..steps).try_fold(x, |x, i| x.roll(shifts[i % shifts.len()], axes[i % axes.len()]))
    }),
    onnx: None,
};

pub(crate) static DIFF: Op = Op {
    name: "diff",
    doc: "What each element along an axis adds to the one before, n times over; prepend and append are joined on first.",
    params: &[
        X,
        Param::keyword("axis", Kind::Int, Default::Int(-1)),
        Param::keyword("n", Kind::Int, Default::Int(1)),
        Param::keyword("prepend", Kind::Operand, Default::None),
        Param::keyword("append", Kind::Operand, Default::None),
    ],
    run: Run::One(|_, a| {
        let (mut x, axis) = (a.array(0)?, a.int(1)? as isize);
        if a.is_given(3) {
            x = concat(&[&a.array(3)?, &x], axis).map_err(|e| e.of("diff"))?;
        }
        if a.is_given(4) {
            x = concat(&[&x, &a.array(4)?], axis).map_err(|e| e.of("diff"))?;
        }
        x.diff(a.length(2)?, axis)
    }),
    onnx: None,
};
