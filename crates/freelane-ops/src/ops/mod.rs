//! Structured operations: those that are not one function of each element. One file each, and a line in [`OPS`].
pub(crate) mod apart;
pub(crate) mod assign;
pub(crate) mod astype;
pub(crate) mod clip;
pub(crate) mod close;
pub(crate) mod complex;
pub(crate) mod creation;
pub(crate) mod einsum;
pub(crate) mod histogram;
pub(crate) mod indexing;
pub(crate) mod join;
mod line;
mod lines;
mod long;
pub mod manipulate;
mod masked;
pub(crate) mod matmul;
pub(crate) mod nans;
mod norm;
pub(crate) mod numeric;
mod order;
pub(crate) mod order_stats;
pub(crate) mod pad;
pub(crate) mod positions;
pub mod product_rows;
pub(crate) mod products;
pub(crate) mod put;
pub(crate) mod quantile;
pub(crate) mod rearrange;
pub(crate) mod repeat;
pub(crate) mod reshape;
pub(crate) mod scan;
pub(crate) mod search;
mod selection;
pub(crate) mod sets;
pub(crate) mod softmax;
pub(crate) mod sort;
pub(crate) mod split;
pub(crate) mod take;
mod transfer;
pub(crate) mod triangle;

use crate::Op;

/// All rows.
pub(crate) const OPS: &[&Op] = &[
    &apart::AROUND,
    &apart::DIVMOD,
    &apart::FREXP,
    &apart::LDEXP,
    &apart::MODF,
    &astype::ASTYPE,
    &nans::AVERAGE,
    &scan::CUMULATIVE_MAX,
    &scan::CUMULATIVE_MIN,
    &scan::CUMULATIVE_PROD,
    &scan::CUMULATIVE_SUM,
    &softmax::LOG_SOFTMAX,
    &softmax::LOGSUMEXP,
    &nans::NANARGMAX,
    &nans::NANARGMIN,
    &nans::NANMAX,
    &nans::NANMEAN,
    &nans::NANMIN,
    &nans::NANPROD,
    &nans::NANSTD,
    &nans::NANSUM,
    &nans::NANVAR,
    &nans::PTP,
    &softmax::SOFTMAX,
    &clip::CLIP,
    &close::ALLCLOSE,
    &close::ISCLOSE,
    &close::NAN_TO_NUM,
    &complex::IMAG,
    &complex::REAL,
    &creation::ARANGE,
    &creation::EMPTY,
    &creation::EMPTY_LIKE,
    &creation::EYE,
    &creation::FULL,
    &creation::FULL_LIKE,
    &creation::LINSPACE,
    &creation::ONES,
    &creation::ONES_LIKE,
    &creation::ZEROS,
    &creation::ZEROS_LIKE,
    &join::CONCAT,
    &join::STACK,
    &product_rows::CROSS,
    &product_rows::DIAGONAL,
    &product_rows::DOT,
    &product_rows::EINSUM,
    &product_rows::INNER,
    &product_rows::KRON,
    &product_rows::OUTER,
    &product_rows::TENSORDOT,
    &product_rows::TRACE,
    &product_rows::VECDOT,
    &manipulate::BROADCAST_TO,
    &manipulate::EXPAND_DIMS,
    &manipulate::FLIP,
    &manipulate::MATRIX_TRANSPOSE,
    &matmul::MATMUL,
    &manipulate::PERMUTE_DIMS,
    &manipulate::RESHAPE,
    &manipulate::SQUEEZE,
    &take::TAKE,
    &take::TAKE_ALONG_AXIS,
    &manipulate::TRANSPOSE,
    &positions::NONZERO,
    &rearrange::BROADCAST_ARRAYS,
    &rearrange::DIFF,
    &rearrange::MESHGRID,
    &rearrange::MOVEAXIS,
    &rearrange::ROLL,
    &rearrange::UNSTACK,
    &repeat::REPEAT,
    &repeat::TILE,
    &numeric::APPEND,
    &numeric::ARRAY_EQUAL,
    &numeric::CONVOLVE,
    &numeric::CORRCOEF,
    &numeric::CORRELATE,
    &numeric::COV,
    &numeric::GEOMSPACE,
    &numeric::IDENTITY,
    &numeric::LOGSPACE,
    &numeric::POLYVAL,
    &numeric::TRAPEZOID,
    &pad::PAD,
    &histogram::ARGWHERE,
    &histogram::BINCOUNT,
    &histogram::FLATNONZERO,
    &histogram::HISTOGRAM,
    &histogram::INTERP,
    &order_stats::ARGPARTITION,
    &order_stats::PARTITION_ROW,
    &order_stats::TOPK,
    &put::PUT,
    &quantile::MEDIAN,
    &quantile::PERCENTILE,
    &quantile::QUANTILE,
    &search::DIGITIZE,
    &search::SEARCHSORTED,
    &sets::INTERSECT1D,
    &sets::ISIN,
    &sets::SETDIFF1D,
    &sets::SETXOR1D,
    &sets::UNION1D,
    &sets::UNIQUE_ALL,
    &sets::UNIQUE_COUNTS,
    &sets::UNIQUE_INVERSE,
    &sets::UNIQUE_VALUES,
    &sort::ARGSORT,
    &sort::SORT,
    &split::ARRAY_SPLIT,
    &split::COLUMN_STACK,
    &split::DSTACK,
    &split::HSTACK,
    &split::RAVEL,
    &split::SPLIT,
    &split::SWAPAXES,
    &split::VSTACK,
    &triangle::TRIL,
    &triangle::TRIU,
];
