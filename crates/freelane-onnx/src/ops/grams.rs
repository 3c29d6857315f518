//! Counts of short sequences of numbers.
use super::{Op, Row, Spec, row};
use crate::Fault;
use freelane_array::DType;
use freelane_graph::{GraphError, Operator};
use freelane_ops::Array;
use std::collections::HashMap;
use std::sync::Arc;

type Made = Result<Arc<dyn Operator>, Fault>;

pub(crate) const ROWS: &[Row] = &[row("TfIdfVectorizer", 9, vectorizer)];

/// Sequences that are counted, and where each count goes.
struct Grams {
    /// Its place and weight, by the sequence.
    places: HashMap<Vec<i64>, (usize, f32)>,
    shortest: usize,
    longest: usize,
    skips: usize,
    width: usize,
    mode: usize,
}

impl Grams {
    fn row(&self, x: &[i64], out: &mut [f32]) {
        let mut counts = vec![0u32; self.width];
        let mut weights = vec![1f32; self.width];
        let mut gram = vec![];
        // Nothing is longer than the row.
        for skip in 0..=self.skips.min(x.len()) {
            for length in self.shortest..=self.longest.min(x.len()) {
                // Single numbers skip nothing.
                if length == 1 && skip > 0 {
                    continue;
                }
                let reach = (length - 1) * (skip + 1);
                for from in 0..x.len().saturating_sub(reach) {
                    gram.clear();
                    gram.extend((0..length).map(|i| x[from + i * (skip + 1)]));
                    if let Some(&(at, weight)) = self.places.get(&gram) {
                        counts[at] += 1;
                        weights[at] = weight;
                    }
                }
            }
        }
        for ((o, &n), weight) in out.iter_mut().zip(&counts).zip(weights) {
            *o = match (self.mode, n) {
                (_, 0) => 0.0,
                (0, n) => n as f32,
                (1, _) => weight,
                (_, n) => n as f32 * weight,
            };
        }
    }
}

fn vectorizer(s: &Spec<'_>) -> Made {
    let mode = s.word("mode", "TF", &["TF", "IDF", "TFIDF"])?;
    let count = |name| -> Result<usize, Fault> {
        let n = s.int_or_none(name)?.and_then(|n| usize::try_from(n).ok());
        n.ok_or_else(|| Fault::Invalid(format!("attribute {name} is missing or negative")))
    };
    let (shortest, longest, skips) =
        (count("min_gram_length")?.max(1), count("max_gram_length")?, count("max_skip_count")?);
    if s.raw("pool_strings").is_some_and(|a| !a.strings.is_empty()) {
        return Err(Fault::Unsupported(
            "sequences of strings are not supported; supported are those of numbers".into(),
        ));
    }
    let pool = s.ints("pool_int64s")?.unwrap_or_default();
    let starts = s.ints("ngram_counts")?.unwrap_or_default();
    let places = s.ints("ngram_indexes")?.unwrap_or_default();
    let weights = s.floats("weights")?;
    let mut table = HashMap::new();
    let mut number = 0;
    for (i, &from) in starts.iter().enumerate() {
        let to = starts.get(i + 1).copied().unwrap_or(pool.len() as i64);
        let part = usize::try_from(from).ok().zip(usize::try_from(to).ok()).and_then(|(from, to)| pool.get(from..to));
        let part = part.ok_or_else(|| Fault::Invalid(format!("sequences from {from} to {to}")))?;
        for gram in part.chunks_exact(i + 1) {
            let at = places.get(number).and_then(|p| usize::try_from(*p).ok());
            let at = at.ok_or_else(|| Fault::Invalid(format!("sequence {number} has no place")))?;
            let weight = weights.and_then(|w| w.get(number)).copied().unwrap_or(1.0);
            table.insert(gram.to_vec(), (at, weight));
            number += 1;
        }
    }
    const MOST: usize = 1 << 24;
    let width = places.iter().map(|p| usize::try_from(*p).unwrap_or(MOST).saturating_add(1)).max().unwrap_or(0);
    if width > MOST {
        return Err(Fault::TooLarge { what: "places of counts", limit: MOST as u64 });
    }
    let grams = Grams { places: table, shortest, longest, skips, width, mode };
    Op::new(s, move |cx| {
        let x = Array::from(cx.array(0)?.clone()).astype(DType::I64)?;
        let (rows, each) = match *x.shape() {
            [n] => (1, n),
            [rows, n] => (rows, n),
            ref other => return Err(GraphError::invalid(format!("sequences of shape {other:?}"))),
        };
        let list = x.to_vec::<i64>()?;
        let shape = if x.rank() == 1 { vec![grams.width] } else { vec![rows, grams.width] };
        let mut y = Array::zeros(&shape, DType::F32)?;
        let out = y.view_mut::<f32>()?.into_slice().ok_or_else(|| GraphError::invalid("an array with gaps"))?;
        for r in 0..rows {
            grams.row(&list[r * each..][..each], &mut out[r * grams.width..][..grams.width]);
        }
        cx.set(0, y);
        Ok(())
    })
    .of_dtype(DType::F32)
    .done()
}
