//! Totals of players over several matches: what they lost in which way, and how they got better.

use std::fmt::Write as _;

use super::{escape, signed};
use crate::analysis::{Count, Fault, PlayerTotals, TrendPoint, phase_in_words};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 140.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 12.0;

/// A row for each player; then for those of several matches their errors and their trend.
pub(super) fn write_totals(totals: &[PlayerTotals], page: &mut String) {
    page.push_str(
        "<table class=\"players\"><tr><th>player</th><th>matches</th><th>PR</th><th>error rate</th>\
         <th>errors</th><th>blunders</th><th>luck</th></tr>",
    );
    for player in totals {
        let rate = |rate: Option<f64>, digits: usize| {
            rate.map_or("&ndash;".to_owned(), |rate| format!("{rate:.digits$}"))
        };
        let summary = &player.summary;
        let _ = write!(
            page,
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
             </tr>",
            escape(&summary.name),
            player.matches,
            rate(summary.pr, 2),
            rate(summary.error_rate_memg, 1),
            summary.errors,
            summary.blunders,
            signed(summary.luck_emg, 3)
        );
    }
    page.push_str("</table>");
    for player in totals.iter().filter(|player| player.matches > 1) {
        let _ = write!(page, "<h2>{}</h2>", escape(&player.summary.name));
        trend(&player.trend, page);
        page.push_str("<div class=\"side\">");
        let faults = Fault::ALL.iter().filter_map(|fault| {
            player.summary.faults.get(fault).map(|count| (fault.name(), String::new(), count))
        });
        kinds("by kind", faults, page);
        let phases = player.summary.phases.iter();
        let phases =
            phases.map(|(name, count)| (phase_in_words(name), count.decisions.to_string(), count));
        kinds("by phase", phases, page);
        page.push_str("</div>");
    }
}

/// How many decisions of each sort there are, if that is known, errors and what all of them lost.
fn kinds<'a>(
    caption: &str,
    rows: impl Iterator<Item = (&'a str, String, &'a Count)>,
    page: &mut String,
) {
    let _ = write!(
        page,
        "<table><caption>{caption}</caption><tr><th></th><th>decisions</th><th>errors and blunders</th>\
         <th>lost</th></tr>"
    );
    for (name, decisions, count) in rows {
        let _ = write!(
            page,
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{:.3}</td></tr>",
            escape(name),
            decisions,
            count.errors,
            count.loss_emg
        );
    }
    page.push_str("</table>");
}

/// The PR of one match after the other as SVG, with the dates below.
fn trend(points: &[TrendPoint], page: &mut String) {
    let rated: Vec<(&TrendPoint, f64)> =
        points.iter().filter_map(|point| Some((point, point.pr?))).collect();
    if rated.len() < 2 {
        return;
    }
    let highest = rated.iter().map(|(_, pr)| *pr).fold(1.0, f64::max);
    let x = |index: usize| LEFT + WIDTH * index as f64 / (rated.len() - 1) as f64;
    let y = |pr: f64| TOP + HEIGHT * (1.0 - pr / highest);
    let _ = write!(
        page,
        "<div class=\"curve\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"PR of each match\">",
        LEFT + WIDTH + 24.0,
        TOP + HEIGHT + 28.0
    );
    for level in [0.0, highest] {
        let _ = write!(
            page,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y1:.1}\" y2=\"{y1:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{level:.1}</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            y(level) + 4.0,
            y1 = y(level)
        );
    }
    let (mut line, mut dots) = (String::new(), String::new());
    let mut named = f64::NEG_INFINITY;
    for (index, (point, pr)) in rated.iter().enumerate() {
        let _ = write!(line, "{:.1},{:.1} ", x(index), y(*pr));
        let _ = write!(
            dots,
            "<circle class=\"seat1\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{} {}: PR {pr:.2}\
             </title></circle>",
            x(index),
            y(*pr),
            escape(&point.date),
            escape(&point.source)
        );
        // A date is some 80 wide.
        if x(index) >= named + 90.0 && !point.date.is_empty() {
            named = x(index);
            let _ = write!(
                dots,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                x(index),
                TOP + HEIGHT + 20.0,
                escape(&point.date)
            );
        }
    }
    let _ = write!(page, "<polyline points=\"{}\"/>{dots}</svg></div>", line.trim_end());
}
