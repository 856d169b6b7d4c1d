//! What `best --explain` says of each play.

use tavola_engine::operations::{Against, EvaluatedPlay, Evaluation, NamedReply, PlayReasons};
use tavola_evaluator::explain::{Change, Shots};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Replies that are shown from either end.
const SHOWN: usize = 3;

/// Plays that are explained in short, so that all of it takes at most fifteen lines.
const SHORT: usize = 10;

/// Writes a row of reasons for each of the first plays.
pub fn write_short(before: &Evaluation, plays: &[EvaluatedPlay], out: &mut dyn Out) -> Outcome {
    writeln!(
        out,
        "\nbefore the roll {} ({}-ply, cubeless); changes since, in percentage points:",
        format::equity(before.equity),
        before.ply
    )?;
    let headings = [">", "play", ">W", ">WG", ">LG", ">hit", ">best reply", ">worst reply"];
    let mut table = Table::new(headings);
    for (rank, play) in plays.iter().take(SHORT).enumerate() {
        let Some(reasons) = &play.reasons else { continue };
        let [win, gammon, _, lost_gammon, _] = reasons.since_roll.probs.map(points_of_percent);
        let hit = reasons.shots.as_ref().map(|it| format!("{}/36", it.hits));
        let reply = |reply: Option<&NamedReply>| {
            reply.map_or_else(String::new, |it| {
                format!("{} {}", format::dice(Some(&it.dice)), format::equity(it.equity))
            })
        };
        table.row([
            (rank + 1).to_string(),
            play.play.clone(),
            win,
            gammon,
            lost_gammon,
            hit.unwrap_or_default(),
            reply(reasons.replies.first()),
            reply(reasons.replies.last()),
        ]);
    }
    table.write(out)?;
    writeln!(
        out,
        "replies: equity of the player who makes the play (0-ply); more: --explain full"
    )?;
    Ok(())
}

/// Writes the reasons as text.
pub fn write(before: &Evaluation, plays: &[EvaluatedPlay], out: &mut dyn Out) -> Outcome {
    writeln!(
        out,
        "\nbefore the roll: equity {} ({}-ply); equities from here on are cubeless, for money, and\n\
         after a reply those of the player who makes the play (0-ply); changes of probabilities\n\
         are in percentage points",
        format::equity(before.equity),
        before.ply
    )?;
    for (rank, play) in plays.iter().enumerate() {
        let Some(reasons) = &play.reasons else { continue };
        writeln!(out, "\n{}  {}\n", rank + 1, play.play)?;
        changes(reasons).write(out)?;
        if let Some(counted) = &reasons.shots {
            writeln!(out, "   {}", shots(counted))?;
        }
        if reasons.replies.is_empty() {
            writeln!(out, "   the play ends the game")?;
            continue;
        }
        for (what, replies) in ends(&reasons.replies) {
            writeln!(out, "   {what}")?;
            table_of(replies).write(out)?;
        }
    }
    Ok(())
}

/// The replies that are best and worst for the opponent.
fn ends(replies: &[NamedReply]) -> [(&'static str, Vec<&NamedReply>); 2] {
    let shown = SHOWN.min(replies.len());
    [
        ("the opponent's best rolls", replies[..shown].iter().collect()),
        ("their worst", replies[replies.len() - shown..].iter().rev().collect()),
    ]
}

fn changes(reasons: &PlayReasons) -> Table {
    let mut table = Table::new(["  ", "", ">equity"].iter().chain(&format::CHANCE_HEADINGS));
    let mut row = |what: String, change: &Change| {
        let mut cells = vec!["  ".to_owned(), what, format::equity(change.equity)];
        cells.extend(change.probs.map(points_of_percent));
        table.row(cells);
    };
    row("since the roll".to_owned(), &reasons.since_roll);
    if let Some(Against { play, change }) = &reasons.against {
        row(format!("against {play}"), change);
    }
    table
}

/// A change of a probability, always with its sign.
fn points_of_percent(change: f32) -> String {
    let rounded = (change * 1000.0).round() / 10.0 + 0.0;
    format!("{rounded:+.1}")
}

fn shots(shots: &Shots) -> String {
    if shots.blots.is_empty() {
        return "no blots".to_owned();
    }
    let blots: Vec<String> =
        shots.blots.iter().map(|blot| format!("{} ({} of 36)", blot.point, blot.hits)).collect();
    let all = format!("{} of 36 dice throws hit ({} %)", shots.hits, percent_of_36(shots.hits));
    let twice = match shots.double_hits {
        0 => String::new(),
        rolls => format!(", {rolls} of them two checkers"),
    };
    format!("blots on {}: {all}{twice}", blots.join(", "))
}

fn percent_of_36(rolls: u8) -> String {
    format::percent(f32::from(rolls) / 36.0)
}

fn table_of(replies: Vec<&NamedReply>) -> Table {
    let mut table = Table::plain(["", "", ">", ""]);
    for reply in replies {
        let play = reply.play.clone();
        let dice = format::dice(Some(&reply.dice));
        table.row(["    ".to_owned(), dice, format::equity(reply.equity), play]);
    }
    table
}
