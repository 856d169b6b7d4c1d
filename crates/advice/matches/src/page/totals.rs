//! Totals of players over several matches: what they lost in which way, and how they got better.

use std::fmt::Write as _;

use super::chart::Chart;
use super::{escape, signed};
use crate::analysis::{Count, Fault, PlayerSummary, PlayerTotals, TrendPoint, phase_in_words};

/// A row for each player; then for those of several matches their errors and their trend.
pub(super) fn write_totals(totals: &[PlayerTotals], page: &mut String) {
    page.push_str(
        "<table class=\"players\"><tr><th>player</th><th>matches</th><th>PR</th><th>error rate</th>\
         <th>errors</th><th>blunders</th><th>luck (EMG)</th></tr>",
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
        recurring(&player.summary, page);
    }
}

/// The errors that a player has made again and again, the dearest first.
fn recurring(player: &PlayerSummary, page: &mut String) {
    let habits = player.recurring();
    if habits.is_empty() {
        return;
    }
    page.push_str(
        "<table><caption>recurring errors</caption><tr><th></th><th>phase</th><th>times</th>\
         <th>EMG lost</th></tr>",
    );
    for (habit, phase, count) in habits {
        let _ = write!(
            page,
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{:.3}</td></tr>",
            habit.name(),
            escape(phase.map_or("all", phase_in_words)),
            count.errors,
            count.loss_emg
        );
    }
    page.push_str("</table>");
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
         <th>EMG lost</th></tr>"
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
    let (last, margins) = ((rated.len() - 1) as f64, [48.0, 12.0, 24.0, 28.0]);
    let mut chart = Chart::new([1032.0, 180.0], margins, 0.0..last, 0.0..highest);
    chart.y_axis("", [0.0, highest].map(|level| (level, format!("{level:.1}"))));
    // A date is some 80 wide.
    let every = (90.0 * last / 960.0).ceil().max(1.0) as usize;
    let dates = rated.iter().enumerate().step_by(every);
    chart.x_axis("", dates.map(|(index, (point, _))| (index as f64, point.date.clone())));
    chart.line("", rated.iter().enumerate().map(|(index, (_, pr))| (index as f64, *pr)));
    for (index, (point, pr)) in rated.iter().enumerate() {
        let title = format!("{} {}: PR {pr:.2}", point.date, point.source);
        chart.dot("class=\"seat1\"", (index as f64, *pr), &title);
    }
    let svg = chart.svg("role=\"img\" aria-label=\"PR of each match\"");
    let _ = write!(page, "<div class=\"curve\">{svg}</div>");
}
