//! What `best --explain` says of each play.

use tavola_engine::operations::{Against, EvaluatedPlay, Evaluation, NamedReply, PlayReasons};
use tavola_evaluator::explain::{Change, Features, Shots, listed};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Replies that are shown from either end.
const SHOWN: usize = 3;

/// Plays that are explained in short, so that all of it takes at most fifteen lines.
const SHORT: usize = 6;

/// Plays that are put into words then: the best two.
const IN_WORDS: usize = 2;

/// The least difference of equity that is printed.
const NOTABLE: f32 = 0.01;

/// The longest line of words.
const WIDTH: usize = 80;

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
    for play in plays.iter().take(IN_WORDS) {
        let Some(reasons) = &play.reasons else { continue };
        if let Some(features) = &reasons.features {
            write_words(&play.play, &features.in_words(reasons.shots.as_ref()), out)?;
        }
    }
    if let [best, second, ..] = plays
        && let Some(words) = difference(best, second, 2)
    {
        write_words("1 less 2 after their roll (0-ply)", &words, out)?;
    }
    Ok(())
}

/// Writes clauses behind what they are about, in lines that fit.
fn write_words(about: &str, clauses: &[String], out: &mut dyn Out) -> Outcome {
    let mut line = format!("{about}:");
    for (at, clause) in clauses.iter().enumerate() {
        let end = if at + 1 < clauses.len() { ";" } else { "" };
        if line.chars().count() + clause.chars().count() + 1 + end.len() > WIDTH {
            writeln!(out, "{line}")?;
            line = "  ".to_owned();
        }
        line += &format!(" {clause}{end}");
    }
    writeln!(out, "{line}")?;
    Ok(())
}

/// The rolls of the opponent after which one play is most ahead of another, or behind it, at most
/// `most` of each; `None` where it is the same after all rolls, as where none can be played.
fn difference(one: &EvaluatedPlay, other: &EvaluatedPlay, most: usize) -> Option<Vec<String>> {
    let (one, other) = (one.reasons.as_ref()?, other.reasons.as_ref()?);
    let mut apart: Vec<(&NamedReply, f32)> = one
        .replies
        .iter()
        .filter_map(|reply| {
            let same = other.replies.iter().find(|it| it.dice == reply.dice)?;
            Some((reply, reply.equity - same.equity))
        })
        .collect();
    let (least, largest) = apart
        .iter()
        .fold((f32::MAX, f32::MIN), |(low, high), (_, it)| (low.min(*it), high.max(*it)));
    if largest - least < NOTABLE {
        return None;
    }
    // What a roll adds to the difference of the plays.
    apart.sort_by(|a, b| {
        let share = |(reply, apart): &(&NamedReply, f32)| f32::from(reply.weight) * apart;
        share(b).total_cmp(&share(a))
    });
    let said = |(reply, apart): &(&NamedReply, f32)| {
        let dice = format::dice(Some(&reply.dice));
        format!("{dice} ({} of 36) {}", reply.weight, format::equity(*apart))
    };
    let better = apart.iter().take(most).filter(|(_, apart)| *apart >= NOTABLE);
    let worse = apart.iter().rev().take(most).filter(|(_, apart)| *apart <= -NOTABLE);
    let words: Vec<String> = better.chain(worse).map(said).collect();
    (!words.is_empty()).then_some(words)
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
             {whose} pips: {}, free {}; bar: {}, off: {}",
            some(&side.points),
            side.last,
            side.pips,
            side.free,
            side.bar,
            side.off
        )?;
    }
    Ok(())
}

/// Writes the reasons as text.
pub fn write(before: &Evaluation, plays: &[EvaluatedPlay], out: &mut dyn Out) -> Outcome {
    writeln!(
        out,
        "\nbefore the roll: equity {} ({}-ply); equities from here on are cubeless, for\n\
         money, and after a reply those of the player who makes the play (0-ply); changes\n\
         of probabilities are in percentage points",
        format::equity(before.equity),
        before.ply
    )?;
    for (rank, play) in plays.iter().enumerate() {
        let Some(reasons) = &play.reasons else { continue };
        writeln!(out, "\n{}  {}\n", rank + 1, play.play)?;
        changes(reasons).write(out)?;
        if let Some(counted) = &reasons.shots {
            out.prose(&format!("   {}", shots(counted)))?;
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
        let other = if rank == 0 { plays.get(1) } else { plays.first() };
        if let Some(words) = other.and_then(|other| difference(play, other, SHOWN)) {
            let against = if rank == 0 { 2 } else { 1 };
            write_words(&format!("   less {against} after their roll"), &words, out)?;
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
    let all = format!("{} of 36 rolls hit ({} %)", shots.hits, percent_of_36(shots.hits));
    let twice = match shots.double_hits {
        0 => String::new(),
        rolls => format!(", {rolls} two checkers"),
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

#[cfg(test)]
mod tests {
    use tavola_evaluator::explain::{Side, shots};
    use tavola_rules::Position;

    use super::*;

    type Checkers<'a> = &'a [(usize, u8)];

    /// What is said of a play from one set of own checkers to another; the opponent numbers their
    /// own points.
    fn said(before: Checkers<'_>, after: Checkers<'_>, theirs: Checkers<'_>) -> String {
        said_of(before, after, theirs, theirs)
    }

    fn said_of(
        before: Checkers<'_>,
        after: Checkers<'_>,
        theirs: Checkers<'_>,
        now: Checkers<'_>,
    ) -> String {
        let before = Position::from_points(before, theirs, 15).unwrap();
        let after = Position::from_points(after, now, 15).unwrap().flip();
        let (features, shots) = (Features::of(&before, &after), shots(&after));
        let said = features.in_words(Some(&shots));
        let mut figures = Vec::new();
        write_figures(&features, &mut figures).unwrap();
        let figures = String::from_utf8(figures).unwrap() + &super::shots(&shots);
        follows(&said, &features, &figures);
        said.join("; ")
    }

    /// Every number of a clause is one of the figures, or a count of them.
    fn follows(said: &[String], features: &Features, figures: &str) {
        let numbers = |text: &str| -> Vec<u32> {
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
        };
        let length = |side: &Side| side.prime.map_or(0, |[low, high]| u32::from(high - low) + 1);
        let (player, opponent) = (&features.player, &features.opponent);
        let mut known = numbers(figures);
        known.extend([length(player), length(opponent), 6, 6 - player.home() as u32, 36]);
        known.push(figures.matches(" of 36)").count() as u32);
        for clause in said {
            assert!(numbers(clause).iter().all(|it| known.contains(it)), "{clause}: {figures}");
        }
    }

    const ANCHOR: Checkers<'_> = &[(24, 2), (6, 5), (8, 3), (13, 5)];

    #[test]
    fn the_sentences_of_known_kinds_of_positions_are_true() {
        // The point everybody knows: 8/5 6/5.
        let made = said(ANCHOR, &[(24, 2), (13, 5), (8, 2), (6, 4), (5, 2)], ANCHOR);
        assert_eq!(
            made,
            "makes the 5 point; no blots; an anchor on 24; 163 pips to 167; free pips 84 to 96"
        );
        // A blot seven away from their only checker: six of 36.
        let shot = said(&[(13, 2), (6, 2)], &[(13, 1), (10, 1), (6, 2)], &[(22, 1), (1, 2)]);
        assert!(shot.starts_with("gives up the 13 point; 2 blots, hit by "), "{shot}");
        // 3 away, from 3 to 6 by their count: the table of shots says 14 with nothing else about.
        let shot = said(&[(7, 1), (1, 2)], &[(6, 1), (1, 2)], &[(22, 1), (1, 2)]);
        assert!(shot.contains("a blot, hit by 14 of 36"), "{shot}");
        // A prime of five, and theirs of four.
        let mut prime: Vec<(usize, u8)> = (4..9).map(|point| (point, 2)).collect();
        prime.push((24, 2));
        let theirs = [(24, 2), (7, 2), (6, 2), (5, 2), (4, 2)];
        let primes = said(&[(24, 2), (9, 2), (4, 8)], &prime, &theirs);
        assert!(primes.contains("a prime of 5 points; their prime has 4 points"), "{primes}");
        // Nobody is behind theirs.
        let primes = said(&[(9, 2), (4, 8)], &prime[..5], &theirs);
        assert!(primes.contains("a prime of 5 points; 6"), "{primes}");
        // A race.
        let race = said(&[(6, 3), (8, 2)], &[(6, 3), (5, 1), (4, 1)], &[(6, 4)]);
        assert_eq!(race, "a race, 27 pips to 24; 10 checkers off to 11");
        // Bearing off against nobody: points that come off do not break.
        let off = said(&[(3, 2), (1, 2)], &[(3, 2)], &[(1, 2)]);
        assert_eq!(off, "a race, 6 pips to 2; 13 checkers off to 13");
    }

    #[test]
    fn closed_boards_anchors_and_timing_are_told() {
        let closed: Vec<(usize, u8)> = (1..7).map(|point| (point, 2)).collect();
        let shut = said_of(
            &[(7, 1), (6, 1), (5, 2), (4, 2), (3, 2), (2, 2), (1, 2)],
            &closed,
            &[(25, 1), (3, 2)],
            &[(25, 1), (3, 2)],
        );
        assert!(
            shut.starts_with("makes the 6 point; no blots; a closed board; 42 pips to 31"),
            "{shut}"
        );
        // One point is open, and it is hit from there.
        let hit = said_of(
            &[(8, 1), (6, 2), (5, 2), (4, 2), (3, 2), (2, 2)],
            &[(6, 2), (5, 2), (4, 2), (3, 2), (2, 2), (1, 1)],
            &[(24, 1), (3, 2)],
            &[(25, 1), (3, 2)],
        );
        assert!(hit.starts_with("hits; a blot, hit by 11 of 36; a prime of 5 points"), "{hit}");
        assert!(hit.contains("they enter on 1 of 6 points"), "{hit}");
        // Ace-point game, back game: anchors by their number.
        let ace = said(&[(24, 2), (9, 1), (6, 2)], &[(24, 2), (8, 1), (6, 2)], &[(6, 2), (4, 2)]);
        assert!(ace.contains("an anchor on 24"), "{ace}");
        let back = said(
            &[(24, 2), (22, 2), (8, 2), (7, 1), (6, 4)],
            &[(24, 2), (22, 2), (8, 2), (6, 5)],
            &[(8, 3), (6, 4), (5, 2)],
        );
        assert!(back.contains("anchors on 24, 22"), "{back}");
        // Timing: two on 8 and three more on 6 may be played, all of theirs but two on 6 and two on 5.
        assert!(
            back.ends_with(&format!("free pips {} to {}", 2 * 7 + 3 * 5, 3 * 7 + 2 * 5)),
            "{back}"
        );
        // A blitz hits twice; containment: the bar is against a broken board.
        let blitz = said_of(
            &[(8, 2), (6, 4), (13, 1)],
            &[(5, 1), (3, 1), (6, 4), (13, 1)],
            &[(20, 1), (22, 1), (6, 2)],
            &[(25, 2), (6, 2)],
        );
        assert!(blitz.starts_with("hits 2 checkers; gives up the 8 point; 3 blots"), "{blitz}");
        assert!(blitz.contains("they enter on 5 of 6 points"), "{blitz}");
        // Bearing off against contact.
        let off = said(&[(6, 2), (5, 2), (4, 2)], &[(6, 2), (5, 1), (4, 2)], &[(24, 2), (2, 2)]);
        assert!(off.starts_with("gives up the 5 point; a blot, hit by "), "{off}");
    }
}
