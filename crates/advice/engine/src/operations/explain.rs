//! What `best` says of a play when it is asked to explain, and an analysis of an error.

use serde::Serialize;
use tavola_equity::Equity;
use tavola_evaluator::PlayableGame;
use tavola_evaluator::explain::{self, BestReply, Change, ExplainedPlay, Features, Shots};

use super::best::Ranked;
use super::eval::Evaluation;
use crate::question::PositionQuestion;
use crate::session::Evaluators;

/// The least difference of equity that is mentioned.
const NOTABLE: f32 = 0.01;

/// Rolls that are named for either side of a difference; one where hits are named as well.
const ROLLS: usize = 2;

/// The reasons for a play, with the texts of plays.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PlayReasons {
    /// What roll and play have changed together.
    pub since_roll: Change,
    /// The change against another play.
    pub against: Option<Against>,
    /// What the opponent may hit, in games in which shots are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shots: Option<Shots>,
    /// What the play makes, and what both sides have after it, in games that have words for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Features>,
    /// The opponent's best reply to each roll, their best roll first; none if the play ends the
    /// game.
    pub replies: Vec<NamedReply>,
}

/// The play that another one is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Against {
    /// The play in words.
    pub play: String,
    /// The change against it.
    #[serde(flatten)]
    pub change: Change,
}

/// A reply with its text. Figures are those of the player who made the play that is explained.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NamedReply {
    /// The roll.
    pub dice: Vec<u8>,
    /// The weight of the roll.
    pub weight: u8,
    /// The reply in words.
    pub play: String,
    /// Cubeless money equity after the reply, in points.
    pub equity: f32,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    pub probs: [f32; 5],
    /// Checkers that the reply hits, in games in which shots are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<u8>,
}

/// A play that is compared with another one.
pub(crate) struct ComparedPlay<'a, G: PlayableGame> {
    /// The play in words.
    pub(crate) name: &'a str,
    /// What it does.
    pub(crate) words: Vec<String>,
    /// The best replies.
    pub(crate) replies: &'a [BestReply<G>],
}

impl<'a, G: PlayableGame> ComparedPlay<'a, G> {
    /// A play from the one state, seen by the player, to the other, seen by the opponent.
    pub(crate) fn new(
        game: &G,
        name: &'a str,
        [before, after]: [&G::State; 2],
        replies: &'a [BestReply<G>],
    ) -> Self {
        let hits = replies.iter().filter(|it| it.hits > Some(0));
        let hitting = hits.map(|it| it.weight).sum();
        let shots = game.shots(after);
        let features = game.features(before, after);
        let words = features.map_or_else(Vec::new, |it| it.words(shots.as_ref(), hitting));
        Self { name, words, replies }
    }
}

/// Why one play is ahead of another, in sentences: what each does, what both do, and after which
/// rolls of the opponent they differ. `change` is what the first, which is ranked ahead, has more
/// than the other.
pub(crate) fn why<G: PlayableGame>(
    one: &ComparedPlay<'_, G>,
    other: &ComparedPlay<'_, G>,
    change: Option<&Change>,
    is_match: bool,
) -> Vec<String> {
    let both: Vec<&String> = one.words.iter().filter(|it| other.words.contains(it)).collect();
    let mut sentences = Vec::new();
    for compared in [one, other] {
        let own = compared.words.iter().filter(|it| !both.contains(it));
        let own: Vec<&str> = own.map(String::as_str).collect();
        if !own.is_empty() {
            sentences.push(format!("{}: {}.", compared.name, own.join("; ")));
        }
    }
    if !both.is_empty() {
        let both: Vec<&str> = both.into_iter().map(String::as_str).collect();
        sentences.push(format!("Both: {}.", both.join("; ")));
    }
    sentences.extend(change.map(|it| changed([one.name, other.name], it, is_match)));
    sentences.extend(by_roll(one, other, change));
    sentences
}

/// The difference of the evaluations that rank the plays.
fn changed([one, other]: [&str; 2], change: &Change, is_match: bool) -> String {
    let [win, gammon, _, lost_gammon, _] = change.probs;
    let games =
        [("wins", "", win), ("wins", " gammons", gammon), ("loses", " gammons", lost_gammon)];
    let games: Vec<String> = games
        .into_iter()
        .filter_map(|(verb, what, change)| {
            let percent = (change * 1000.0).round() / 10.0;
            let more = if percent > 0.0 { "more" } else { "fewer" };
            (percent != 0.0).then(|| format!("{verb} {:.1} {more}{what}", percent.abs()))
        })
        .collect();
    let points = format!("{:.3} points", change.equity.abs());
    let worth = match signed_equity(change.equity) {
        same if same == "+0.000" => "without the cube both are worth the same".to_owned(),
        less if less.starts_with('-') => {
            let why = if is_match { "at this score" } else { "with the cube" };
            format!("without the cube it is worth {points} less, but {why} it is ahead")
        }
        _ => format!("without the cube that is worth {points} a game"),
    };
    match games.is_empty() {
        true => format!("{one} against {other}: {worth}."),
        false => format!("Of 100 games {one} {} than {other}; {worth}.", games.join(", ")),
    }
}

/// How the plays differ by the roll that follows, at 0-ply: where only one of them is hit, and the
/// rolls that add most to either side. Nothing where no roll makes a difference.
fn by_roll<G: PlayableGame>(
    one: &ComparedPlay<'_, G>,
    other: &ComparedPlay<'_, G>,
    change: Option<&Change>,
) -> Vec<String> {
    let mut apart: Vec<(&BestReply<G>, [bool; 2], f32)> = one
        .replies
        .iter()
        .filter_map(|reply| {
            let same = other.replies.iter().find(|it| it.roll == reply.roll)?;
            let hits = [reply.hits > Some(0), same.hits > Some(0)];
            Some((reply, hits, reply.equity - same.equity))
        })
        .collect();
    let low = apart.iter().map(|it| it.2).fold(f32::MAX, f32::min);
    let high = apart.iter().map(|it| it.2).fold(f32::MIN, f32::max);
    if high - low < NOTABLE {
        return Vec::new();
    }
    let share =
        |(reply, _, apart): &(&BestReply<G>, [bool; 2], f32)| f32::from(reply.weight) * apart;
    let mean = |some: &[&(&BestReply<G>, [bool; 2], f32)]| {
        let weight: u32 = some.iter().map(|it| u32::from(it.0.weight)).sum();
        let sum: f32 = some.iter().map(|it| share(it)).sum();
        (weight, sum / weight.max(1) as f32)
    };
    let total = G::TOTAL_WEIGHT;
    let average = mean(&apart.iter().collect::<Vec<_>>()).1;
    let gains = |points: f32| {
        let verb = if points < 0.0 { "costs" } else { "gains" };
        format!("{verb} {:.3}", points.abs())
    };
    let mut sentences = Vec::new();
    if average <= -NOTABLE && change.is_some_and(|it| it.equity > 0.0) {
        let name = one.name;
        sentences.push(format!(
            "At 1-ply {name} looks {:.3} worse; a deeper search turns that round.",
            average.abs()
        ));
    }
    for (hit, names) in [([false, true], [other, one]), ([true, false], [one, other])] {
        let only: Vec<_> = apart.iter().filter(|it| it.1 == hit).collect();
        let (weight, mean) = mean(&only);
        if weight > 0 && mean.abs() >= NOTABLE {
            let [is_hit, is_safe] = names.map(|play| play.name);
            sentences.push(format!(
                "On {weight} of {total} rolls the opponent hits after {is_hit} but not after \
                 {is_safe}: there {} {} on average.",
                one.name,
                gains(mean)
            ));
        }
    }
    apart.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let rolls = if sentences.is_empty() { ROLLS } else { 1 };
    let ahead = apart.iter().take(rolls).filter(|it| it.2 >= NOTABLE);
    let behind = apart.iter().rev().take(rolls).filter(|it| it.2 <= -NOTABLE);
    let named = |of: Vec<&(&BestReply<G>, [bool; 2], f32)>| {
        let named =
            of.iter().map(|(reply, _, apart)| format!("{} ({:.3})", reply.roll, apart.abs()));
        named.collect::<Vec<_>>().join(" and ")
    };
    let [ahead, behind] = [named(ahead.collect()), named(behind.collect())];
    let most = match (ahead.is_empty(), behind.is_empty()) {
        (true, true) => return sentences,
        (false, true) => format!("gains most when the opponent rolls {ahead}"),
        (true, false) => format!("loses most when the opponent rolls {behind}"),
        (false, false) => {
            format!("gains most when the opponent rolls {ahead}, and loses most on {behind}")
        }
    };
    sentences.push(format!("{} {most}.", one.name));
    sentences
}

/// An equity or a difference of equities in points, always with its sign: `+0.152`.
pub fn signed_equity(points: f32) -> String {
    Equity(points.into()).to_string()
}

/// The reasons for plays, the best first, and why the first is ahead of the second. `before` is what
/// the position was worth before the roll.
pub(super) fn reasons<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    session: &mut Evaluators<G>,
    before: &Evaluation,
    plays: &[Ranked<G::State>],
    name: &dyn Fn(&G::State) -> String,
) -> (Vec<PlayReasons>, Vec<String>) {
    let game = asked.game;
    let evaluated: Vec<ExplainedPlay<G::State>> = plays
        .iter()
        .map(|play| ExplainedPlay { position: play.after, probs: play.probs, ply: play.ply })
        .collect();
    let reasons = explain::explain(game, &mut *session.main, &before.probs, &evaluated);
    let named = |after: &G::State, reply: &BestReply<G>| NamedReply {
        dice: game.numbers(reply.roll),
        weight: reply.weight,
        play: game
            .play_to(after, reply.roll, &reply.position)
            .map_or_else(|| "pass".to_owned(), |play| play.to_string()),
        equity: reply.equity,
        probs: reply.probs.cumulative().to_array(),
        hits: reply.hits,
    };
    let sentences = match (plays, &reasons[..]) {
        ([one, other, ..], [first, second, ..]) => {
            let names = [one, other].map(|play| name(&play.after));
            let compared = |at: usize, after: &G::State, replies| {
                ComparedPlay::new(game, &names[at], [asked.state(), after], replies)
            };
            let one = compared(0, &one.after, &first.replies);
            let other = compared(1, &other.after, &second.replies);
            let change = first.against.as_ref().map(|(_, change)| change);
            why(&one, &other, change, plays[0].is_match())
        }
        ([only], [reasons, ..]) => {
            let name = name(&only.after);
            let compared =
                ComparedPlay::new(game, &name, [asked.state(), &only.after], &reasons.replies);
            let words = compared.words.join("; ");
            if words.is_empty() { Vec::new() } else { vec![format!("{name}: {words}.")] }
        }
        _ => Vec::new(),
    };
    let reasons = plays
        .iter()
        .zip(reasons)
        .map(|(play, reasons)| PlayReasons {
            since_roll: reasons.since_roll,
            against: reasons
                .against
                .map(|(other, change)| Against { play: name(&plays[other].after), change }),
            shots: reasons.shots,
            features: game.features(asked.state(), &play.after),
            replies: reasons.replies.iter().map(|reply| named(&play.after, reply)).collect(),
        })
        .collect();
    (reasons, sentences)
}

#[cfg(test)]
mod tests {
    use tavola_equity::OutcomeProbs;
    use tavola_rules::{Backgammon, Dice, Position};

    use super::*;

    /// Replies of made-up equities: after these rolls so much, else nothing; the others do not hit.
    fn replies(after: &[(&str, f32, u8)]) -> Vec<BestReply<Backgammon>> {
        let reply = |&(roll, weight): &(Dice, u8)| {
            let found = after.iter().find(|it| it.0 == roll.to_string());
            let (equity, hits) = found.map_or((0.0, 0), |&(_, equity, hits)| (equity, hits));
            let (position, probs) = (Position::STANDARD, OutcomeProbs::default());
            BestReply { roll, weight, position, probs, equity, hits: Some(hits) }
        };
        Dice::ALL.iter().map(reply).collect()
    }

    fn compared<'a>(
        name: &'a str,
        words: &[&str],
        replies: &'a [BestReply<Backgammon>],
    ) -> ComparedPlay<'a, Backgammon> {
        ComparedPlay { name, words: words.iter().map(|&it| it.to_owned()).collect(), replies }
    }

    #[test]
    fn what_both_plays_do_is_told_once_and_the_rolls_between_them_by_their_weight() {
        let (safe, hit) = (replies(&[]), replies(&[("6-4", -0.36, 1), ("3-3", -0.36, 1)]));
        let safe = compared("12/6", &["no blots", "89 pips to 121"], &safe);
        let hit = compared("12/7 5/4", &["a blot, hit by 3 of 36", "89 pips to 121"], &hit);
        let change = Change { probs: [0.016, -0.028, 0.0, 0.0, 0.0], equity: 0.004 };
        assert_eq!(
            why(&safe, &hit, Some(&change), false),
            [
                "12/6: no blots.",
                "12/7 5/4: a blot, hit by 3 of 36.",
                "Both: 89 pips to 121.",
                "Of 100 games 12/6 wins 1.6 more, wins 2.8 fewer gammons than 12/7 5/4; without the \
                 cube that is worth 0.004 points a game.",
                "On 3 of 36 rolls the opponent hits after 12/7 5/4 but not after 12/6: there 12/6 \
                 gains 0.360 on average.",
                "12/6 gains most when the opponent rolls 6-4 (0.360).",
            ]
        );
    }

    #[test]
    fn what_contradicts_the_order_is_told() {
        let (one, other) = (replies(&[]), replies(&[("2-1", 0.36, 0), ("5-1", 0.36, 0)]));
        let (one, other) = (compared("a", &[], &one), compared("b", &[], &other));
        let said = |equity, is_match| {
            let change = Change { probs: [0.0; 5], equity };
            why(&one, &other, Some(&change), is_match).join("|")
        };
        let other_way = "At 1-ply a looks 0.040 worse; a deeper search turns that round.";
        let money = said(0.01, false);
        let worth = "a against b: without the cube that is worth 0.010 points a game.|";
        assert!(money.starts_with(worth) && money.contains(other_way), "{money}");
        assert!(
            money.ends_with("-1 (0.360).") && money.contains("a loses most when the "),
            "{money}"
        );
        let cube = said(-0.01, false);
        let less =
            "without the cube it is worth 0.010 points less, but with the cube it is ahead.|";
        assert!(cube.contains(less) && !cube.contains(other_way), "{cube}");
        assert!(cube.contains(" 2-1 (0.360)") && cube.contains(" 5-1 (0.360)"), "{cube}");
        assert!(said(-0.01, true).contains("less, but at this score it is ahead.|"));
        // No roll tells two equal plays apart.
        assert!(why(&one, &one, None, false).is_empty());
    }
}
