//! The losses of a run as a picture.

use super::checkpoint::EpochReport;
use plotters::prelude::*;

/// An SVG picture: mean losses by epoch, of the positions learnt from and of those held out.
pub fn svg(reports: &[EpochReport], title: &str) -> String {
    let mut text = String::new();
    // Nothing that is written into a string can fail but a plot without an extent, which the bounds below exclude.
    _ = draw(SVGBackend::with_string(&mut text, (800, 480)), reports, title);
    text
}

fn draw<'a>(
    backend: SVGBackend<'a>,
    reports: &[EpochReport],
    title: &str,
) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>> {
    let losses = || reports.iter().flat_map(|report| [report.loss, report.held_out]).filter(|loss| loss.is_finite());
    let (low, high) = losses().fold((f64::MAX, 0.0), |(low, high): (f64, f64), loss| (low.min(loss), high.max(loss)));
    let (low, high) = if high > 0.0 { (low * 0.98, high * 1.02) } else { (0.0, 1.0) };
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    let last = reports.last().map_or(2, |report| report.epoch.max(2));
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(1..last, low..high)?;
    let label = |loss: &f64| format!("{loss:.4}");
    chart.configure_mesh().x_desc("epoch").y_desc("loss").y_label_formatter(&label).light_line_style(WHITE).draw()?;
    let lines = [("learnt from", RGBColor(0x1F, 0x5A, 0xA6)), ("held out", RGBColor(0xC4, 0x4E, 0x2B))];
    for (number, (name, color)) in lines.into_iter().enumerate() {
        let points = reports.iter().map(|report| (report.epoch, [report.loss, report.held_out][number]));
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK.mix(0.3)).draw()?;
    area.present()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_shows_both_losses() {
        let report = |epoch| EpochReport {
            epoch,
            steps: 0,
            rate: 0.0,
            result_weight: 0.0,
            loss: 0.1 / f64::from(epoch),
            held_out: 0.12 / f64::from(epoch),
            held_out_results: 0.2,
        };
        for epochs in [0, 1, 5] {
            let picture = svg(&(1..=epochs).map(report).collect::<Vec<_>>(), "K-P <test>");
            assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
            assert!(picture.contains("learnt from") && picture.contains("held out"));
            let lines = picture.matches("#1F5AA6").count();
            assert!(lines > usize::from(epochs > 1), "{epochs} epochs, {lines} blue lines: {picture}");
        }
    }
}
