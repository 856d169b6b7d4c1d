//! What `best --explain` says of each play.

use tavola_engine::operations::{Against, BestAnswer, NamedReply, PlayReasons};
use tavola_evaluator::explain::{Change, Features, Shots, listed};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Replies that are shown from either end.
const SHOWN: usize = 3;

/// The figures that words are about, each by itself.
fn figures(features: &Features) -> Vec<String> {
    let Features { made, given_up, hit, player, opponent, .. } = features;
    let some = |points: &[u8]| match points {
        [] => "none".to_owned(),
        _ => listed(points),
    };
    let mut facts = vec![
        format!("points made: {}", some(made)),
        format!("points broken: {}", some(given_up)),
        format!("checkers hit: {hit}"),
    ];
    for (whose, side) in [("own", player), ("their", opponent)] {
        let prime = side.prime.map_or_else(|| "none".to_owned(), |[a, b]| format!("{a} to {b}"));
        facts.extend([
            format!("{whose} points: {}", some(&side.points)),
            format!("{whose} prime: {prime}"),
            format!("{whose} last checker: {}", side.last),
            format!("{whose} pips: {}", side.pips),
            format!("{whose} timing: {}", side.free),
            format!("{whose} checkers on the bar: {}", side.bar),
            format!("{whose} checkers off: {}", side.off),
            format!("{whose} checkers outside home: {}", side.outside),
            format!("{whose} gaps at home: {}", some(&side.gaps)),
        ]);
    }
    facts
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
    let facts: Vec<Vec<String>> = answer
        .plays
        .iter()
        .filter_map(|play| Some(figures(play.reasons.as_ref()?.features.as_ref()?)))
        .collect();
    // What is so after every play is said once.
    let is_common = |fact: &&String| facts.len() > 1 && facts.iter().all(|it| it.contains(*fact));
    let common: Vec<&str> =
        facts.iter().take(1).flatten().filter(is_common).map(String::as_str).collect();
    if !common.is_empty() {
        writeln!(out)?;
        out.prose(&format!("after each of these plays: {}", common.join("; ")))?;
    }
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
            let own = figures(features);
            let own: Vec<&str> =
                own.iter().filter(|fact| !is_common(fact)).map(String::as_str).collect();
            if !own.is_empty() {
                out.prose(&format!("   {}", own.join("; ")))?;
            }
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
    answer.why.iter().try_for_each(|sentence| {
        writeln!(out)?;
        Ok(out.prose(sentence)?)
    })
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
    let all = match shots.hits {
        36 => "all 36 rolls can hit".to_owned(),
        hits => format!("{hits} of 36 rolls can hit"),
    };
    let twice = match shots.double_hits {
        0 => String::new(),
        rolls => format!("; {rolls} can hit two blots"),
    };
    format!("blots on {}: {all}, {hitting} should{twice}", blots.join(", "))
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
