//! Boxes that are left when those that overlap better ones are gone.
use crate::arrays::{dense_as, elements};
use freelane_array::{ArrayData, DType};
use freelane_ops::{Array, InOp, OpsError};
use freelane_pool::Lane;

const OP: &str = "NonMaxSuppression";

/// How boxes are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxChoice {
    /// Most boxes of a class.
    pub most: usize,
    /// Boxes that share more than this part of their union with a better one go.
    pub overlap: f64,
    /// Boxes with scores up to this go, if it is given.
    pub score: Option<f64>,
    /// Whether boxes are given by their middle, not their corners.
    pub centred: bool,
}

/// Two corners, the lower one first.
type Corners = [f64; 4];

impl BoxChoice {
    fn corners(&self, b: &[f32]) -> Corners {
        let b = [b[0], b[1], b[2], b[3]].map(f64::from);
        if self.centred {
            let [x, y, w, h] = b;
            return [x - w / 2.0, y - h / 2.0, x + w / 2.0, y + h / 2.0];
        }
        [b[0].min(b[2]), b[1].min(b[3]), b[0].max(b[2]), b[1].max(b[3])]
    }

    fn suppresses(&self, a: &Corners, b: &Corners) -> bool {
        let side = |i: usize| a[i + 2].min(b[i + 2]) - a[i].max(b[i]);
        let (high, broad) = (side(0), side(1));
        if high <= 0.0 || broad <= 0.0 {
            return false;
        }
        let area = |c: &Corners| (c[2] - c[0]) * (c[3] - c[1]);
        let (common, areas) = (high * broad, [area(a), area(b)]);
        let union = areas[0] + areas[1] - common;
        areas.iter().all(|area| *area > 0.0) && union > 0.0 && common / union > self.overlap
    }

    /// Image, class and number of each box that is left, of boxes `[images, boxes, 4]` with scores `[images, classes, boxes]`:
    /// best first.
    ///
    /// # Errors
    /// When shapes do not fit, memory cannot be had, or the lane is told to stop.
    pub fn call(&self, lane: &Lane, boxes: &ArrayData, scores: &ArrayData) -> Result<ArrayData, OpsError> {
        let (shape, scored) = (boxes.layout().shape(), scores.layout().shape());
        let fail = || OpsError::argument(OP, format!("boxes of shape {shape:?} with scores of shape {scored:?}"));
        let (&[images, count, 4], &[images2, classes, count2]) = (shape, scored) else { return Err(fail()) };
        if images != images2 || count != count2 {
            return Err(fail());
        }
        let (boxes, scores) = (dense_as(boxes, DType::F32)?, dense_as(scores, DType::F32)?);
        let (boxes, scores) = (elements::<f32>(&boxes)?, elements::<f32>(&scores)?);
        let mut chosen: Vec<i64> = vec![];
        for image in 0..images {
            let corners: Vec<Corners> =
                boxes[image * count * 4..][..count * 4].chunks_exact(4).map(|b| self.corners(b)).collect();
            for class in 0..classes {
                let scores = &scores[(image * classes + class) * count..][..count];
                for i in self.of_class(lane, &corners, scores)? {
                    chosen.extend([image, class, i].map(|i| i as i64));
                }
            }
        }
        let rows = chosen.len() / 3;
        Ok(Array::from_vec(chosen, &[rows, 3])?.into())
    }

    fn of_class(&self, lane: &Lane, corners: &[Corners], scores: &[f32]) -> Result<Vec<usize>, OpsError> {
        let enough = |i: &usize| self.score.is_none_or(|least| f64::from(scores[*i]) > least);
        let mut order: Vec<usize> = (0..scores.len()).filter(enough).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let mut chosen: Vec<usize> = vec![];
        for i in order {
            if chosen.len() >= self.most {
                break;
            }
            lane.check().in_op(OP)?;
            if !chosen.iter().any(|better| self.suppresses(&corners[i], &corners[*better])) {
                chosen.push(i);
            }
        }
        Ok(chosen)
    }
}
