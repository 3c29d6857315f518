//! Products that come down to [`matmul`](crate::Array::matmul) and `multiply`: over any axes, of vectors, of all pairs.
//! Their rows are in `product_rows`.
use crate::ops::matmul::vecdot;
use crate::{Array, InOp, OpsError, stack, ufuncs};
use freelane_array::{Index, Layout, Slice, normalize_axis};
use freelane_pool::Lane;

impl Array {
    /// Sums of products along one axis of both arrays, complex numbers of this one conjugated. Other axes broadcast.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    /// assert_eq!(x.vecdot(&x, -1)?.to_vec::<i64>()?, [5, 50]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis does not exist or has two lengths, or the other axes do not broadcast.
    pub fn vecdot(&self, other: &Array, axis: isize) -> Result<Array, OpsError> {
        Lane::with(|lane| vecdot(lane, self.data(), other.data(), axis)).map(Into::into).map_err(|e| e.of("vecdot"))
    }

    /// Sums of products over pairs of axes: axis `left[i]` of this array with axis `right[i]` of the other. The result has
    /// the other axes of this array, then those of the other.
    ///
    /// ```
    /// use freelane_ops::{Array, DType};
    /// let (x, y) = (Array::ones(&[2, 3, 4], DType::F64)?, Array::ones(&[4, 3, 5], DType::F64)?);
    /// let z = x.tensordot(&y, &[1, 2], &[1, 0])?;
    /// assert_eq!((z.shape(), z.get::<f64>(&[1, 4])?), (&[2, 5][..], 12.0));
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis does not exist or is named twice, or the lengths of a pair differ.
    pub fn tensordot(&self, other: &Array, left: &[isize], right: &[isize]) -> Result<Array, OpsError> {
        const OP: &str = "tensordot";
        if left.len() != right.len() {
            let message = format!("{} axes of the first operand for {} of the second", left.len(), right.len());
            return Err(OpsError::argument(OP, message));
        }
        let (left, right) = (places(left, self.rank())?, places(right, other.rank())?);
        for (&i, &j) in left.iter().zip(&right) {
            let (m, n) = (self.shape()[i], other.shape()[j]);
            if m != n {
                let message = format!("axis {i} of the first operand has {m} elements, axis {j} of the second {n}");
                return Err(OpsError::argument(OP, message));
            }
        }
        let (x, rows) = turned(self, &left, true)?;
        let (y, columns) = turned(other, &right, false)?;
        let product = x.matmul(&y).map_err(|e| e.of(OP))?;
        let shape: Vec<isize> = rows.into_iter().chain(columns).map(|n| n as isize).collect();
        product.reshape(&shape).map_err(|e| e.of(OP))
    }

    /// The products of all pairs of elements: row `i` is element `i` of this array times the other. Both count as one axis.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub fn outer(&self, other: &Array) -> Result<Array, OpsError> {
        let (x, y) = (self.reshape(&[self.len() as isize, 1])?, other.reshape(&[1, other.len() as isize])?);
        x.multiply(&y).map_err(|e| e.of("outer"))
    }

    /// As NumPy's `dot`: the last axis of this array with the last but one of the other, or its only one; a number
    /// multiplies.
    ///
    /// # Errors
    /// When the lengths of the two axes differ.
    pub fn dot(&self, other: &Array) -> Result<Array, OpsError> {
        let product = match (self.rank(), other.rank()) {
            (0, _) | (_, 0) => self.multiply(other),
            (1 | 2, 1 | 2) => self.matmul(other),
            (_, 1) => self.tensordot(other, &[-1], &[-1]),
            _ => self.tensordot(other, &[-1], &[-2]),
        };
        product.map_err(|e| e.of("dot"))
    }

    /// As NumPy's `inner`: sums of products over the last axis of both; a number multiplies.
    ///
    /// # Errors
    /// When the lengths of the two axes differ.
    pub fn inner(&self, other: &Array) -> Result<Array, OpsError> {
        let product = match (self.rank(), other.rank()) {
            (0, _) | (_, 0) => self.multiply(other),
            (1, 1) => self.matmul(other),
            _ => self.tensordot(other, &[-1], &[-1]),
        };
        product.map_err(|e| e.of("inner"))
    }

    /// The Kronecker product: each element of this array times the whole other array, in its place. Missing axes are added
    /// in front.
    ///
    /// # Errors
    /// When the result has too many axes or elements.
    pub fn kron(&self, other: &Array) -> Result<Array, OpsError> {
        const OP: &str = "kron";
        let rank = self.rank().max(other.rank());
        let whole = |x: &Array| -> Vec<isize> {
            std::iter::repeat_n(1, rank - x.rank()).chain(x.shape().iter().map(|&n| n as isize)).collect()
        };
        let (m, n) = (whole(self), whole(other));
        let spread = |shape: &[isize], first: bool| -> Vec<isize> {
            shape.iter().flat_map(|&n| if first { [n, 1] } else { [1, n] }).collect()
        };
        let product = self.reshape(&spread(&m, true)).map_err(|e| e.of(OP))?;
        let product = product.multiply(&other.reshape(&spread(&n, false)).map_err(|e| e.of(OP))?);
        let shape: Vec<isize> = m.iter().zip(&n).map(|(m, n)| m * n).collect();
        product.and_then(|p| p.reshape(&shape)).map_err(|e| e.of(OP))
    }

    /// The elements whose places along two axes differ by `offset`, as the last axis of the result. Shares storage.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let x = Array::arange(0, 6, 1)?.reshape(&[2, 3])?;
    /// assert_eq!(x.diagonal(1, [-2, -1])?.to_vec::<i64>()?, [1, 5]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When an axis does not exist, or both are the same.
    pub fn diagonal(&self, offset: isize, axes: [isize; 2]) -> Result<Array, OpsError> {
        const OP: &str = "diagonal";
        let [i, j] = [normalize_axis(axes[0], self.rank()).in_op(OP)?, normalize_axis(axes[1], self.rank()).in_op(OP)?];
        if i == j {
            return Err(OpsError::argument(OP, format!("needs two axes, both are {i}")));
        }
        let layout = self.data().layout();
        let (down, right) = (offset.min(0).unsigned_abs(), offset.max(0) as usize);
        let (rows, columns) = (layout.shape()[i].saturating_sub(down), layout.shape()[j].saturating_sub(right));
        let steps = layout.strides();
        let mut at = layout.offset();
        if rows.min(columns) > 0 && !self.is_empty() {
            at = (at as isize + down as isize * steps[i] + right as isize * steps[j]) as usize;
        }
        let others = (0..self.rank()).filter(|&axis| axis != i && axis != j);
        let mut shape: Vec<usize> = others.clone().map(|axis| layout.shape()[axis]).collect();
        let mut strides: Vec<isize> = others.map(|axis| steps[axis]).collect();
        shape.push(rows.min(columns));
        strides.push(steps[i].wrapping_add(steps[j]));
        self.viewed(OP, Layout::strided(&shape, &strides, at))
    }

    /// The sums of the diagonals of two axes; integers as `sum` adds them.
    ///
    /// # Errors
    /// As [`Array::diagonal`].
    pub fn trace(&self, offset: isize, axes: [isize; 2]) -> Result<Array, OpsError> {
        self.diagonal(offset, axes).and_then(|d| d.sum(-1, false)).map_err(|e| e.of("trace"))
    }

    /// The cross products of vectors of three along an axis of both arrays; other axes broadcast.
    ///
    /// ```
    /// use freelane_ops::Array;
    /// let (x, y) = (Array::from_vec(vec![1, 0, 0], &[3])?, Array::from_vec(vec![0, 1, 0], &[3])?);
    /// assert_eq!(x.cross(&y, -1)?.to_vec::<i32>()?, [0, 0, 1]);
    /// # Ok::<(), freelane_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// When the axis does not exist or has not three elements, or the other axes do not broadcast.
    pub fn cross(&self, other: &Array, axis: isize) -> Result<Array, OpsError> {
        const OP: &str = "cross";
        let parts = |x: &Array| -> Result<[Array; 3], OpsError> {
            let at = normalize_axis(axis, x.rank()).in_op(OP)?;
            if x.shape()[at] != 3 {
                let message = format!(
                    "axis {axis} must have 3 elements, an operand of shape {:?} has {}",
                    x.shape(),
                    x.shape()[at]
                );
                return Err(OpsError::argument(OP, message));
            }
            let part = |i| x.index(&[&vec![Slice::all().into(); at][..], &[Index::At(i)]].concat());
            Ok([part(0)?, part(1)?, part(2)?])
        };
        let ([a, b, c], [x, y, z]) = (parts(self)?, parts(other)?);
        let minus = |p: &Array, q: &Array, r: &Array, s: &Array| {
            ufuncs::SUBTRACT.over(p.multiply(q)?, &[None, Some((&r.multiply(s)?).into())])
        };
        let product = [minus(&b, &z, &c, &y), minus(&c, &x, &a, &z), minus(&a, &y, &b, &x)];
        let [i, j, k] = product.map(|part| part.map_err(|e| e.of(OP)));
        // Counted from the end, so that axes that broadcasting adds in front do not move it.
        let rank = self.rank().max(other.rank()) as isize;
        let place = if axis < 0 { axis } else { axis - rank };
        stack(&[&i?, &j?, &k?], place).map_err(|e| e.of(OP))
    }

    /// The product of `n` times this matrix, or each matrix of a batch; the unit matrix for 0.
    ///
    /// # Errors
    /// When the matrices are not square.
    pub fn matrix_power(&self, mut n: u64) -> Result<Array, OpsError> {
        const OP: &str = "matrix_power";
        let size = match self.shape() {
            [.., rows, columns] if rows == columns => *rows,
            shape => {
                return Err(OpsError::argument(OP, format!("needs square matrices, the array has shape {shape:?}")));
            }
        };
        let (mut power, mut square) = (None::<Array>, self.clone());
        while n > 0 {
            if n & 1 == 1 {
                power = Some(power.map_or(Ok(square.clone()), |p| p.matmul(&square)).map_err(|e| e.of(OP))?);
            }
            n >>= 1;
            if n > 0 {
                square = square.matmul(&square).map_err(|e| e.of(OP))?;
            }
        }
        match power {
            Some(power) => Ok(power),
            None => Array::eye(size, size, 0, self.dtype())?.broadcast_to(self.shape()),
        }
    }
}

/// Axes counted from the front, each named once.
fn places(axes: &[isize], rank: usize) -> Result<Vec<usize>, OpsError> {
    let found: Vec<usize> =
        axes.iter().map(|&axis| normalize_axis(axis, rank)).collect::<Result<_, _>>().in_op("tensordot")?;
    match (1..found.len()).find(|&i| found[..i].contains(&found[i])) {
        Some(i) => Err(OpsError::argument("tensordot", format!("axis {} is named twice", found[i]))),
        None => Ok(found),
    }
}

/// A matrix of the array with the `summed` axes as its columns, or as its rows, and the lengths of the other axes.
fn turned(x: &Array, summed: &[usize], columns: bool) -> Result<(Array, Vec<usize>), OpsError> {
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !summed.contains(axis)).collect();
    let length = |axes: &[usize]| axes.iter().map(|&axis| x.shape()[axis]).product::<usize>() as isize;
    let (front, back) = if columns { (&kept[..], summed) } else { (summed, &kept[..]) };
    let order: Vec<isize> = front.iter().chain(back).map(|&axis| axis as isize).collect();
    let matrix = x.permute_dims(&order)?.reshape(&[length(front), length(back)])?;
    Ok((matrix, kept.iter().map(|&axis| x.shape()[axis]).collect()))
}
