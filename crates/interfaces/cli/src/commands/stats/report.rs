//! The statistics as text.

use tavola_arena::{GameReport, Length, StrengthReport, Stronger, WinKinds};

use crate::failure::Outcome;
use crate::report::format::{self, count};
use crate::report::table::{Out, Table};

/// Everything as tables.
pub fn write_text(report: &GameReport, out: &mut dyn Out) -> Outcome {
    let GameReport { game, network, seed, unfinished, .. } = report;
    writeln!(out, "{game}, {network}, 0-ply")?;
    writeln!(out, "{} games of the network against itself, seed {seed}", count(report.games))?;
    if *unfinished > 0 {
        writeln!(out, "{} more were truncated at the turn limit", count(*unfinished))?;
    }
    let Length { mean, standard_deviation, shortest, longest, .. } = report.length;
    writeln!(
        out,
        "\nlength       {mean:.1} turns, standard deviation {standard_deviation:.1}, {shortest} \
         to {longest}"
    )?;
    if let Some(first) = &report.first_mover {
        let first = format::strength(*first);
        writeln!(out, "first mover  {first} (95 % CI)")?;
    }
    let WinKinds { first, second, draws, single, gammon, backgammon } = report.wins;
    let of_games = |count: u64| percent(count as f64 / report.games.max(1) as f64);
    let [first, second, draws] = [first, second, draws].map(of_games);
    writeln!(out, "won by       first {first} %, second {second} %, drawn {draws} %")?;
    let [single, gammon, backgammon] = [single, gammon, backgammon].map(of_games);
    writeln!(out, "kinds        single {single} %, gammon {gammon} %, backgammon {backgammon} %")?;
    let ends = report.endings.iter().map(|it| [percent(it.share), it.meaning.to_owned()]);
    Table::of([">% of games", "end"], ends).write_apart(out)?;
    let events = report.events.iter().map(|it| {
        let share = percent(it.share_of_games);
        [format!("{:.3}", it.turns_a_game), share, it.meaning.to_owned()]
    });
    Table::of([">a game", ">% of games", "what happens"], events).write_apart(out)?;
    let headings = ["roll", ">choices", "opening play", ">equity", "second best", ">margin"];
    let openings = report.openings.iter().map(|opening| {
        [
            opening.roll.clone(),
            opening.choices.to_string(),
            opening.play.clone(),
            format::equity(opening.equity),
            opening.second.clone().unwrap_or_default(),
            opening.second_loses.map_or_else(String::new, |loss| format!("{loss:.3}")),
        ]
    });
    Table::of(headings, openings).write_apart(out)?;
    if !report.strength.is_empty() {
        writeln!(out)?;
    }
    for StrengthReport { opponent, ppg, verdict, games, unfinished } in &report.strength {
        let (ppg, games) = (format::strength(*ppg), count(*games));
        write!(out, "{ppg} against {opponent} (95 % CI, {games} games")?;
        if *unfinished > 0 {
            write!(out, ", {} of them truncated", count(*unfinished))?;
        }
        writeln!(out, ", seed {seed})")?;
        if *verdict == Stronger::TooFewPairs {
            writeln!(out, "  {}", verdict.in_words())?;
        }
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format::percent(share as f32)
}
