//! What a profile says, as a few lines of text.

use std::path::Path;

use tavola_arena::profile::{LETTERS, PhaseRow, ProfileReport, SelfPlay};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::Out;

/// The main figures, and where the page is.
pub fn write_text(report: &ProfileReport, page: Option<&Path>, out: &mut dyn Out) -> Outcome {
    for (letter, network) in LETTERS.iter().zip(&report.networks) {
        let SelfPlay { games, length, gammon_rate, backgammon_rate, .. } = &network.self_play;
        let length =
            length.map_or_else(String::new, |length| format!("{:.1} turns, ", length.mean));
        out.prose(&format!(
            "{letter}  {} (sha256 {:.12}): {length}gammons {} %, backgammons {} % of {} games",
            network.name,
            network.sha256,
            format::percent(*gammon_rate as f32),
            format::percent(*backgammon_rate as f32),
            format::count(*games)
        ))?;
    }
    if let Some(duel) = &report.duel {
        let ppg = duel.luck_adjusted.unwrap_or(duel.ppg);
        out.prose(&format!(
            "A scores {} (95 % CI, luck-adjusted, {} games): {}",
            format::strength(ppg),
            format::count(duel.games),
            duel.verdict.in_words()
        ))?;
        let total = PhaseRow::total(&report.phases);
        out.prose(&format!(
            "they choose differently in {} % of {} decisions, and in {} of {} opening rolls",
            format::percent(total.differing as f32),
            format::count(total.decisions),
            report.openings.iter().filter(|opening| opening.differ).count(),
            report.openings.len()
        ))?;
    }
    if let Some(page) = page {
        writeln!(out, "page  {}", page.display())?;
    }
    Ok(())
}
