//! The losses of a run as a picture.

use super::checkpoint::EpochReport;
use super::held_out::ClassLoss;
use super::teacher::ChildrenReport;
use plotters::coord::Shift;
use plotters::prelude::*;

type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Colours of lines in a chart, as many as there may be lines.
const COLORS: [RGBColor; 5] = [
    RGBColor(0x1F, 0x5A, 0xA6),
    RGBColor(0xC4, 0x4E, 0x2B),
    RGBColor(0x2E, 0x7D, 0x4F),
    RGBColor(0x8A, 0x4F, 0x9E),
    RGBColor(0x9A, 0x7B, 0x1E),
];

/// A line of a chart: its name and its value in a report.
struct Line<'a> {
    name: String,
    value: Box<dyn Fn(&EpochReport) -> f64 + 'a>,
}

impl<'a> Line<'a> {
    fn new(name: &str, value: impl Fn(&EpochReport) -> f64 + 'a) -> Line<'a> {
        Line { name: name.to_string(), value: Box::new(value) }
    }
}

/// An SVG picture by epoch: mean losses of the positions learnt from and of those held out with the learning rate, the
/// losses of those held out by phase and by material, and the distance from a teacher if there is one.
pub fn svg(reports: &[EpochReport], title: &str) -> String {
    let mut text = String::new();
    // Nothing that is written into a string can fail but a plot without an extent, which the bounds below exclude.
    let height = if is_taught(reports) { 1_200 } else { 820 };
    _ = draw(SVGBackend::with_string(&mut text, (800, height)), reports, title);
    text
}

fn children(report: &EpochReport) -> ChildrenReport {
    report.children.unwrap_or_default()
}

fn is_taught(reports: &[EpochReport]) -> bool {
    reports.first().is_some_and(|report| report.children.is_some())
}

fn draw<'a>(backend: SVGBackend<'a>, reports: &[EpochReport], title: &str) -> Result<(), Failure<'a>> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    let (upper, lower) = area.split_vertically(440);
    let (middle, bottom) = lower.split_vertically(380);
    let (left, right) = middle.split_horizontally(400);
    let losses = [Line::new("learnt from", |report| report.loss), Line::new("held out", |report| report.held_out)];
    chart(&upper, title, reports, &losses, true)?;
    let phases = by_class(reports, "in hand", |report| &report.phases);
    chart(&left, "Loss held out, by pieces in hand", reports, &phases, false)?;
    let materials = by_class(reports, "cp", |report| &report.materials);
    chart(&right, "Loss held out, by material", reports, &materials, false)?;
    if is_taught(reports) {
        let (left, right) = bottom.split_horizontally(400);
        let chances = [Line::new("rms", |report| report.rms), Line::new("regret", |report| children(report).regret)];
        chart(&left, "Chance to win, from the teacher's", reports, &chances, false)?;
        let shares = [
            Line::new("error", |report| children(report).error),
            Line::new("same best", |report| children(report).same_best),
        ];
        chart(&right, "Children, beside the teacher's spread and choice", reports, &shares, false)?;
    }
    area.present()
}

/// A line for each class that holds positions.
fn by_class<'a>(
    reports: &'a [EpochReport],
    unit: &str,
    classes: impl Fn(&EpochReport) -> &[ClassLoss] + Copy + 'a,
) -> Vec<Line<'a>> {
    let first = reports.first().map_or(&[][..], classes);
    let held = first.iter().enumerate().filter(|(_, class)| class.positions > 0);
    held.map(|(number, class)| {
        Line::new(&format!("from {} {unit}", class.from), move |report| classes(report)[number].loss)
    })
    .collect()
}

/// Lines by epoch, each with its name; with the learning rate on an axis of its own if that is wanted.
fn chart<'a>(
    area: &Area<'a>,
    title: &str,
    reports: &[EpochReport],
    lines: &[Line],
    with_rate: bool,
) -> Result<(), Failure<'a>> {
    let mut low = f64::MAX;
    let mut high: f64 = 0.0;
    for value in reports.iter().flat_map(|report| lines.iter().map(|line| (line.value)(report))) {
        if value.is_finite() {
            low = low.min(value);
            high = high.max(value);
        }
    }
    let range = if high > 0.0 { low * 0.98..high * 1.02 } else { 0.0..1.0 };
    let last = reports.last().map_or(2, |report| report.epoch.max(2));
    let highest_rate = reports.iter().map(|report| f64::from(report.rate)).fold(1e-9, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .right_y_label_area_size(if with_rate { 64 } else { 0 })
        .build_cartesian_2d(1..last, range)?
        .set_secondary_coord(1..last, 0.0..highest_rate * 1.05);
    let label = |value: &f64| format!("{value:.4}");
    let unit = if with_rate { "loss" } else { "" };
    chart.configure_mesh().x_desc("epoch").y_desc(unit).y_label_formatter(&label).light_line_style(WHITE).draw()?;
    for (line, color) in lines.iter().zip(COLORS) {
        let points = reports.iter().map(|report| (report.epoch, (line.value)(report)));
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(line.name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    if with_rate {
        let label = |rate: &f64| format!("{rate:.1e}");
        chart.configure_secondary_axes().y_desc("learning rate").y_label_formatter(&label).draw()?;
        let points = reports.iter().map(|report| (report.epoch, f64::from(report.rate)));
        let grey = RGBColor(0x88, 0x88, 0x88);
        chart
            .draw_secondary_series(LineSeries::new(points, grey.stroke_width(1)))?
            .label("learning rate")
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], grey.stroke_width(1)));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK.mix(0.3)).draw()?;
    Ok(())
}
