//! What `best --explain` says of each play.

use tavola_engine::operations::{Against, BestAnswer, NamedReply, PlayReasons};
use tavola_evaluator::explain::{Change, Features, Shots, listed};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Replies that are shown from either end.
const SHOWN: usize = 3;

/// The most lines of a short explanation.
const LINES: usize = 15;

/// The most plays of its table.
const ROWS: usize = 6;

/// The longest line of words.
const WIDTH: usize = 80;

/// Writes a row of reasons for each of the first plays, and why the first is ahead of the second.
pub fn write_short(answer: &BestAnswer, out: &mut dyn Out) -> Outcome {
    let Some(before) = &answer.before else { return Ok(()) };
    writeln!(
        out,
        "\nbefore the roll {} ({}-ply, cubeless); changes since, in percentage points:",
        format::equity(before.equity),
        before.ply
    )?;
    let headings = [">", "play", ">W", ">WG", ">LG", ">hit", ">best reply", ">worst reply"];
    let mut table = Table::new(headings);
    let why: Vec<String> = answer.why.iter().flat_map(|sentence| lines(sentence)).collect();
    // A blank line, two headings and a footer are the others.
    let rows = LINES.saturating_sub(why.len() + 4).min(ROWS);
    for (rank, play) in answer.plays.iter().take(rows).enumerate() {
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
    if rows > 0 {
        table.write(out)?;
    }
    writeln!(out, "replies: cubeless equity of the player on roll (0-ply); more: --explain full")?;
    why.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}

/// A sentence in lines that fit, broken between its clauses.
fn lines(sentence: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (at, clause) in sentence.split_inclusive([';', ',']).enumerate() {
        let line = lines.last_mut().expect("there is a line");
        if at > 0 && line.chars().count() + clause.chars().count() > WIDTH {
            lines.push(format!("  {clause}"));
        } else {
            *line += clause;
        }
    }
    lines
}

/// The figures that words are about.
fn write_figures(features: &Features, out: &mut dyn Out) -> Outcome {
    let Features { made, given_up, hit, player, opponent, .. } = features;
    let some = |points: &[u8]| match points {
        [] => "none".to_owned(),
        _ => listed(points),
    };
    writeln!(
        out,
        "   points made: {}; broken: {}; checkers hit: {hit}",
        some(made),
        some(given_up)
    )?;
    for (whose, side) in [("own", player), ("their", opponent)] {
        let prime = side.prime.map_or_else(|| "none".to_owned(), |[a, b]| format!("{a} to {b}"));
        writeln!(
            out,
            "   {whose} points: {}; prime: {prime}; last checker: {}\n   \
             {whose} pips: {}, timing {}; bar: {}, off: {}\n   \
             {whose} checkers outside home: {}; gaps at home: {}",
            some(&side.points),
            side.last,
            side.pips,
            side.free,
            side.bar,
            side.off,
            side.outside,
            some(&side.gaps)
        )?;
    }
    Ok(())
}

/// Writes the reasons as text.
pub fn write(answer: &BestAnswer, out: &mut dyn Out) -> Outcome {
    let Some(before) = &answer.before else { return Ok(()) };
    writeln!(
        out,
        "\nbefore the roll: equity {} ({}-ply); equities from here on are cubeless, for\n\
         money, and after a reply those of the player who makes the play (0-ply); changes\n\
         of probabilities are in percentage points",
        format::equity(before.equity),
        before.ply
    )?;
    for (rank, play) in answer.plays.iter().enumerate() {
        let Some(reasons) = &play.reasons else { continue };
        writeln!(out, "\n{}  {}\n", rank + 1, play.play)?;
        changes(reasons).write(out)?;
        if let Some(counted) = &reasons.shots {
            let hitting = reasons.replies.iter().filter(|it| it.hits > Some(0));
            let hitting = hitting.map(|it| it.weight).sum();
            out.prose(&format!("   {}", shots(counted, hitting)))?;
        }
        if let Some(features) = &reasons.features {
            write_figures(features, out)?;
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
    if !answer.why.is_empty() {
        writeln!(out)?;
    }
    answer.why.iter().flat_map(|it| lines(it)).try_for_each(|line| writeln!(out, "{line}"))?;
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

fn shots(shots: &Shots, hitting: u8) -> String {
    if shots.blots.is_empty() {
        return "no blots".to_owned();
    }
    let blots: Vec<String> =
        shots.blots.iter().map(|blot| format!("{} ({} of 36)", blot.point, blot.hits)).collect();
    let all = format!("{} of 36 rolls hit ({} %)", shots.hits, percent_of_36(shots.hits));
    let twice = match shots.double_hits {
        0 => String::new(),
        rolls => format!(", {rolls} two checkers"),
    };
    format!("blots on {}: {all}, {hitting} as the best play{twice}", blots.join(", "))
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
