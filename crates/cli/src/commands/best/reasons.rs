//! What `best --explain` says of each play.

use std::io::Write;

use serde::Serialize;
use tavola_evaluator::Evaluator;
use tavola_evaluator::explain::{self, Change, JudgedPlay, Reasons, Reply, Shots};
use tavola_rules::moves;
use tavola_rules::{Backgammon, Dice, Position};

use crate::failure::Outcome;
use crate::query::{Judgement, RatedPlay};
use crate::report::format;
use crate::report::table::{Align, Table};

/// Replies that are shown from either end.
const SHOWN: usize = 3;

/// Reasons with the texts of plays.
#[derive(Debug, Serialize)]
pub struct PlayReasons {
    since_roll: Change,
    against: Option<Against>,
    shots: Shots,
    replies: Vec<NamedReply>,
}

/// The play that another one is compared with.
#[derive(Debug, Serialize)]
struct Against {
    play: String,
    #[serde(flatten)]
    change: Change,
}

/// A reply with its text. Figures are those of the player who made the play that is explained.
#[derive(Debug, Serialize)]
struct NamedReply {
    dice: Dice,
    ways: u8,
    play: String,
    equity: f32,
    probs: [f32; 5],
    hits: u8,
}

/// The reasons for plays, the best first; `before` is what the position was worth before the
/// roll.
pub fn find(
    judge: &mut dyn Evaluator<Backgammon>,
    before: &Judgement,
    plays: &[RatedPlay],
) -> Vec<PlayReasons> {
    let judged: Vec<JudgedPlay> = plays
        .iter()
        .map(|play| JudgedPlay { position: play.after, probs: play.probs, ply: play.ply })
        .collect();
    let reasons = explain::explain(judge, &before.probs, &judged);
    let name = |(play, reasons): (&RatedPlay, Reasons)| PlayReasons {
        since_roll: reasons.since_roll,
        against: reasons
            .against
            .map(|(rival, change)| Against { play: plays[rival].play.clone(), change }),
        shots: reasons.shots,
        replies: reasons.replies.iter().map(|reply| named(&play.after, reply)).collect(),
    };
    plays.iter().zip(reasons).map(name).collect()
}

fn named(after: &Position, reply: &Reply) -> NamedReply {
    let play = moves::play_to(after, reply.roll, &reply.position);
    NamedReply {
        dice: reply.roll,
        ways: reply.ways,
        play: play.expect("the reply is a result of its roll").to_string(),
        equity: reply.equity,
        probs: format::five(&reply.probs.cumulative()),
        hits: reply.hits,
    }
}

/// Writes the reasons as text.
pub fn write(
    before: &Judgement,
    plays: &[RatedPlay],
    reasons: &[PlayReasons],
    out: &mut dyn Write,
) -> Outcome {
    writeln!(
        out,
        "\nbefore the roll: equity {} ({}-ply); changes of chances are in percentage points,\n\
         equities after a reply are those of the player who makes the play (0-ply)",
        format::equity(before.equity),
        before.ply
    )?;
    for (rank, (play, reasons)) in plays.iter().zip(reasons).enumerate() {
        writeln!(out, "\n{}  {}\n", rank + 1, play.play)?;
        changes(reasons).write(out)?;
        writeln!(out, "   {}", shots(&reasons.shots))?;
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
        ("his worst", replies[replies.len() - shown..].iter().rev().collect()),
    ]
}

fn changes(reasons: &PlayReasons) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([Left, Left, Right, Right, Right, Right, Right, Right]);
    let mut headings = vec!["  ", "", "equity"];
    headings.extend(format::CHANCE_HEADINGS);
    table.row(headings);
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

/// A change of a chance, always with its sign.
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
    let all = format!("{} of 36 rolls hit ({} %)", shots.hits, percent_of_36(shots.hits));
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
    let mut table = Table::new([Align::Left, Align::Left, Align::Right, Align::Left]);
    for reply in replies {
        let play = reply.play.clone();
        table.row(["    ".to_owned(), reply.dice.to_string(), format::equity(reply.equity), play]);
    }
    table
}
