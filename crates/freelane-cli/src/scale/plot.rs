//! Speed-up against threads, one panel a workload, as SVG or PNG.
use super::report::size;
use super::row::Row;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The plot's own font; nothing is asked of the system.
const FONT: &[u8] = include_bytes!("../../assets/Roboto-Regular-latin.ttf");
const FAMILY: &str = "sans-serif";

const PANEL: (u32, u32) = (560, 440);
const LEGEND_LINE: i32 = 20;
const TITLE: u32 = 64;

const INK: RGBColor = RGBColor(40, 40, 48);
const FAINT: RGBColor = RGBColor(150, 150, 158);
const GRID: RGBColor = RGBColor(228, 228, 232);
/// What freelane does.
const OURS: &[RGBColor] = &[
    RGBColor(0, 92, 175),
    RGBColor(0, 140, 120),
    RGBColor(90, 70, 190),
    RGBColor(60, 150, 60),
    RGBColor(20, 150, 205),
    RGBColor(150, 80, 170),
    RGBColor(110, 130, 20),
    RGBColor(0, 105, 105),
];
/// What shares something.
const CONTENDED: &[RGBColor] =
    &[RGBColor(205, 50, 40), RGBColor(235, 125, 20), RGBColor(190, 30, 110), RGBColor(170, 95, 40)];

/// The file of a plot: its ending tells the format.
pub fn file(name: &str) -> Result<PathBuf, String> {
    match format(Path::new(name)) {
        Some(_) => Ok(name.into()),
        None => Err("a plot is written as .svg or .png".to_owned()),
    }
}

enum Format {
    Svg,
    Png,
}

fn format(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => Some(Format::Svg),
        "png" => Some(Format::Png),
        _ => None,
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq)]
enum Stroke {
    Solid,
    Dotted,
    Dashed,
}

/// The horizontal axis: a label at each number of threads that was measured.
struct Threads {
    range: Range<f64>,
    counts: Vec<f64>,
}

impl Ranged for Threads {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        low + (part * f64::from(high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.counts.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Threads {
    fn format(threads: &f64) -> String {
        format!("{threads:.0}")
    }
}

struct Line {
    label: String,
    points: Vec<(f64, f64)>,
    colour: RGBColor,
    stroke: Stroke,
}

/// Draws rows into a file.
///
/// # Errors
/// When the file cannot be written.
pub fn draw(rows: &[Row], path: &Path) -> Result<()> {
    register_font(FAMILY, FontStyle::Normal, FONT).map_err(|_| anyhow!("the bundled font cannot be read"))?;
    let mut workloads: Vec<&str> = rows.iter().map(|row| row.workload).collect();
    workloads.dedup();
    let panels: Vec<(&str, Vec<Line>)> = workloads.into_iter().map(|w| (w, lines(rows, w))).collect();
    let disturbed = rows.iter().any(|row| row.disturbed);
    let entries = panels.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    let legend = (entries as u32 + 2) * LEGEND_LINE as u32;
    let whole = (PANEL.0 * panels.len() as u32, TITLE + PANEL.1 + legend);
    match format(path) {
        Some(Format::Png) => paint(&BitMapBackend::new(path, whole).into_drawing_area(), &panels, disturbed),
        _ => paint(&SVGBackend::new(path, whole).into_drawing_area(), &panels, disturbed),
    }
}

fn lines(rows: &[Row], workload: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = vec![];
    let (mut ours, mut contended) = (OURS.iter().cycle(), CONTENDED.iter().cycle());
    for row in rows.iter().filter(|row| row.workload == workload) {
        let label = format!("{}, n = {}", row.case, size(row.n));
        let point = (row.threads as f64, row.speedup);
        if let Some(line) = lines.iter_mut().find(|line| line.label == label) {
            line.points.push(point);
            continue;
        }
        let (colour, stroke) = if row.is_contended() {
            (contended.next(), Stroke::Dotted)
        } else if row.case.contains("plain loop") || row.case.contains("system allocator") {
            (None, Stroke::Dashed)
        } else {
            (ours.next(), Stroke::Solid)
        };
        lines.push(Line { label, points: vec![point], colour: colour.copied().unwrap_or(FAINT), stroke });
    }
    lines
}

fn paint<B: DrawingBackend>(root: &DrawingArea<B, Shift>, panels: &[(&str, Vec<Line>)], disturbed: bool) -> Result<()>
where
    B::ErrorType: 'static,
{
    root.fill(&WHITE)?;
    let title = if disturbed {
        "Speed-up by number of threads, while other programs ran"
    } else {
        "Speed-up by number of threads"
    };
    root.draw(&Text::new(title, (24, 14), font(24, INK)))?;
    let note =
        "solid: freelane    dotted: twins that share one thing on purpose    dashed: the ideal line, and others' lines";
    root.draw(&Text::new(note, (24, 44), font(14, FAINT)))?;
    let (_, below) = root.split_vertically(TITLE);
    for ((workload, lines), area) in panels.iter().zip(below.split_evenly((1, panels.len()))) {
        let (chart, legend) = area.split_vertically(PANEL.1);
        panel(&chart, workload, lines)?;
        entries(&legend, lines)?;
    }
    Ok(root.present()?)
}

fn panel<B: DrawingBackend>(area: &DrawingArea<B, Shift>, workload: &str, lines: &[Line]) -> Result<()>
where
    B::ErrorType: 'static,
{
    let all = || lines.iter().flat_map(|line| line.points.iter().copied());
    let most = all().map(|(threads, _)| threads).fold(1.0, f64::max);
    // A line may rise above the ideal one by chance, but not so far that it flattens the others.
    let top = all().map(|(_, speedup)| speedup).fold(most, f64::max).min(most * 1.25) * 1.04;
    let mut counts: Vec<f64> = all().map(|(threads, _)| threads).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    let margin = (most - 1.0).max(1.0) * 0.04;
    let across = Threads { range: 1.0 - margin..most + margin, counts };
    let mut chart = ChartBuilder::on(area)
        .caption(workload, font(18, INK))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(across, 0.0..top)?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(FAINT)
        .label_style(font(14, INK))
        .x_desc("threads")
        .y_desc("speed-up")
        .y_labels(8)
        .y_label_formatter(&|speedup| format!("{speedup:.1}"))
        .draw()?;
    chart.draw_series(DashedLineSeries::new([(1.0, 1.0), (most, most)], 8, 6, INK.stroke_width(1)))?;
    // Ours last, so that they are not covered.
    for stroke in [Stroke::Dashed, Stroke::Dotted, Stroke::Solid] {
        for line in lines.iter().filter(|line| line.stroke == stroke) {
            let points = line.points.iter().map(|&(threads, speedup)| (threads, speedup.min(top)));
            let style = line.colour.stroke_width(2);
            match stroke {
                Stroke::Solid => chart.draw_series(LineSeries::new(points.clone(), style))?,
                Stroke::Dotted => chart.draw_series(DashedLineSeries::new(points.clone(), 2, 4, style))?,
                Stroke::Dashed => {
                    chart.draw_series(DashedLineSeries::new(points.clone(), 7, 4, line.colour.stroke_width(1)))?
                }
            };
            chart.draw_series(points.map(|at| Circle::new(at, 3, line.colour.filled())))?;
        }
    }
    Ok(())
}

fn entries<B: DrawingBackend>(area: &DrawingArea<B, Shift>, lines: &[Line]) -> Result<()>
where
    B::ErrorType: 'static,
{
    let (left, right) = (52, 92);
    let mut y = LEGEND_LINE / 2;
    let mut entry = |label: &str, colour: RGBColor, stroke: Stroke| -> Result<()> {
        let (ends, style) =
            ([(left, y), (right, y)], colour.stroke_width(if stroke == Stroke::Dashed { 1 } else { 2 }));
        match stroke {
            Stroke::Solid => area.draw(&PathElement::new(ends, style))?,
            Stroke::Dotted => area.draw(&DashedPathElement::new(ends, 2, 4, style))?,
            Stroke::Dashed => area.draw(&DashedPathElement::new(ends, 7, 4, style))?,
        }
        area.draw(&Text::new(label.to_owned(), (right + 12, y - 7), font(14, INK)))?;
        y += LEGEND_LINE;
        Ok(())
    };
    entry("ideal", INK, Stroke::Dashed)?;
    lines.iter().try_for_each(|line| entry(&line.label, line.colour, line.stroke))
}

fn font(size: i32, colour: RGBColor) -> TextStyle<'static> {
    (FAMILY, size).into_font().color(&colour)
}
