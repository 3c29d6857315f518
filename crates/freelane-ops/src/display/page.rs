//! Words in brackets, one row a line, lines of at most 75 characters.

pub(super) const WIDTH: usize = 75;
const OMITTED: &str = "...";

/// Where the words of an array stand.
pub(super) struct Page<'a> {
    pub shape: &'a [usize],
    /// The indices along each axis that are printed.
    pub places: &'a [Vec<usize>],
    /// Whether long axes are printed in part.
    pub in_part: bool,
    /// What follows an item that is not the last: nothing or a comma.
    pub comma: &'static str,
}

impl Page<'_> {
    /// Lays out the words, which come in row-major order.
    ///
    /// Lines after the first begin with `indent` spaces.
    pub fn lay_out(&self, words: &[String], indent: usize) -> String {
        self.part(0, words, &" ".repeat(indent + 1), WIDTH)
    }

    /// The part of an array under one index of each axis before `axis`. Later lines begin with `indent`.
    fn part(&self, axis: usize, words: &[String], indent: &str, width: usize) -> String {
        let Some(places) = self.places.get(axis) else { return words.concat() };
        let count = words.len() / places.len();
        let omit_at = (places.len() < self.shape[axis] && self.in_part).then_some(places.len() / 2);
        let inner = format!("{indent} ");
        let mut items: Vec<String> =
            words.chunks(count.max(1)).map(|chunk| self.part(axis + 1, chunk, &inner, width - 1)).collect();
        if let Some(at) = omit_at {
            items.insert(at, OMITTED.to_owned());
        }
        let lines = if axis + 1 == self.places.len() {
            row(&items, self.comma, indent, width - 1)
        } else {
            items.join(&format!("{}{}{indent}", self.comma, "\n".repeat(self.places.len() - axis - 1)))
        };
        format!("[{lines}]")
    }
}

/// Words side by side, broken into lines.
fn row(items: &[String], comma: &str, indent: &str, width: usize) -> String {
    let (mut done, mut line) = (String::new(), indent.to_owned());
    for (i, item) in items.iter().enumerate() {
        if line.len() + item.len() + comma.len() > width && line.len() > indent.len() {
            done.push_str(line.trim_end());
            done.push('\n');
            line = indent.to_owned();
        }
        line.push_str(item);
        if i + 1 < items.len() {
            line.push_str(comma);
            line.push(' ');
        }
    }
    done.push_str(&line);
    done[indent.len()..].to_owned()
}
