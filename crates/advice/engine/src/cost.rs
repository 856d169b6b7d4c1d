//! What an answer costs, known before it is begun: by plies, plays and games, not by a clock.

use serde_json::{Map, Value};
use tavola_evaluator::SearchSettings;
use tavola_evaluator::search::MAX_PLY;
use tavola_games::{NamedGame, with_game};

use crate::effort::Effort;
use crate::live::Live;
use crate::operations::{Matrix, Operation, PlayMatrix, Rollout};
use crate::protocol::fields_of;
use crate::question::Question;
use crate::request;

/// How much work an answer is. A node is a position with all its rolls: some hundred evaluations,
/// about a tenth of a millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// Some milliseconds: the bare network, 1-ply, what needs no network.
    Small,
    /// Up to some tenths of a second: 2-ply in the normal preset.
    Medium,
    /// Up to some seconds: 3-ply in the normal preset, some hundred games of a rollout.
    Large,
    /// All else.
    Huge,
}

/// The most nodes of a small answer, of a medium one and of a large one.
const SMALL: f64 = 40.0;
const MEDIUM: f64 = 600.0;
const LARGE: f64 = 20_000.0;

/// Plays that reach the full depth where a question does not say, and different best replies.
const COMPARED: f64 = 7.0;
const REPLIES: f64 = 20.0;

/// Different rolls of two dice.
const ROLLS: f64 = 21.0;

/// Turns of a game to its end.
const TURNS: f64 = 55.0;

/// Decisions of a file of matches for each of its bytes: a row of a hundred bytes has two plays and
/// two decisions about the cube. Each looks at all rolls for their luck.
const DECISIONS_OF_A_BYTE: f64 = 0.04;

impl Cost {
    const fn of_nodes(nodes: f64) -> Self {
        match nodes {
            _ if nodes <= SMALL => Self::Small,
            _ if nodes <= MEDIUM => Self::Medium,
            _ if nodes <= LARGE => Self::Large,
            _ => Self::Huge,
        }
    }

    /// What the answer to a request in JSON costs, as `answer_request` reads it. A request that it
    /// refuses is small.
    pub fn of_request(operation: Option<&str>, line: &[u8], default: &Question) -> Self {
        let Ok(fields) = fields_of(operation, line) else { return Self::Small };
        nodes(&fields, default).map_or(Self::Small, Self::of_nodes)
    }

    /// What the analysis of a file of matches of this many bytes costs.
    pub fn of_analysis(bytes: usize, effort: &Effort) -> Self {
        let decisions = bytes as f64 * DECISIONS_OF_A_BYTE;
        Self::of_nodes(decisions * (1.0 + search(&effort.settings(), COMPARED, ROLLS)))
    }

    /// What the next turns of a running game cost.
    pub fn of_game(live: &Live) -> Self {
        let effort = live.setup().strength.effort();
        let rolls = live.setup().game.parse().map_or(ROLLS, |game| rolls(&game));
        Self::of_nodes(of_lookahead(&effort, COMPARED, rolls))
    }
}

/// Nodes of a request; `None` if it is refused.
fn nodes(fields: &Map<String, Value>, default: &Question) -> Option<f64> {
    let operation = request::operation(fields).ok()?;
    let Question { game, effort, .. } = Question::read(fields, default).ok()?;
    let rolls = rolls(&game);
    let of = |plays| of_lookahead(&effort, plays, rolls);
    match operation {
        "legal" | "show" | "convert" => Some(1.0),
        _ if game.many().is_some() => {
            let ply = effort.ply.unwrap_or(Effort::DEFAULT_PLY);
            Some([1.0, 100.0, MEDIUM][usize::from(ply.min(2))])
        }
        Rollout::NAME => {
            let rollout: Rollout = request::read(fields).ok()?;
            let settings = rollout.settings();
            let plies = [settings.play.ply, settings.doubling.ply, settings.leaf.ply];
            let deepest = plies.into_iter().chain(settings.later.map(|later| later.play.ply)).max();
            let play = search(&rollout.preset.at(deepest.unwrap_or(MAX_PLY)), COMPARED, rolls);
            let turns = settings.truncate.map_or(TURNS, |turns| f64::from(turns.get()).min(TURNS));
            let plays = rollout.plays.len().max(rollout.top.map_or(1, usize::from));
            Some(settings.trials as f64 * turns * (1.0 + play) * plays as f64)
        }
        Matrix::NAME | PlayMatrix::NAME => {
            // Both have the same field.
            let Matrix { away } = request::read(fields).ok()?;
            let plays = if operation == Matrix::NAME { 1.0 } else { COMPARED };
            // The scores that share a search are many; at 0-ply one is a tenth of a node.
            Some(f64::from(away) * f64::from(away) * (of(plays) + 0.1))
        }
        "best" | "eval" | "cube" => {
            let top = fields.get("top").and_then(Value::as_f64).unwrap_or(0.0);
            Some(of(top.clamp(COMPARED, 15.0)))
        }
        _ => None,
    }
}

/// Games for more than two have small networks.
fn rolls(game: &NamedGame) -> f64 {
    let NamedGame::Two(game) = game else { return ROLLS };
    with_game!(game, |game| tavola_rules::Game::rolls(game).len()) as f64
}

/// Nodes of a question that looks so far ahead.
fn of_lookahead(effort: &Effort, plays: f64, rolls: f64) -> f64 {
    if effort.rollout().is_some() {
        return f64::INFINITY;
    }
    let nodes = search(&effort.settings(), plays, rolls);
    // With a limit no more than a slow machine has in it.
    effort.time.map_or(nodes, |time| nodes.min(time.as_secs_f64() * 5_000.0))
}

/// Nodes of a search. A roll of three dice has some ten times as many plays.
fn search(settings: &SearchSettings, plays: f64, rolls: f64) -> f64 {
    let wider = if rolls > ROLLS { 10.0 * rolls / ROLLS } else { 1.0 };
    let unpruned = if settings.pruning.is_none() { 4.0 } else { 1.0 };
    let count = |ply: usize| {
        let filter = settings.filters[ply - 1];
        (filter.keep.saturating_add(filter.extra) as f64).clamp(plays, REPLIES)
    };
    let of_depth = |ply: u8| {
        let (ply, behind) = (usize::from(ply), i32::from(ply) - 1);
        count(ply) * (REPLIES * rolls / ROLLS).powi(behind) * wider * unpruned
    };
    (1..=settings.ply.min(MAX_PLY)).map(of_depth).sum()
}

#[cfg(test)]
mod tests {

    use super::*;

    fn cost(line: &str) -> Cost {
        let default = Question::start("backgammon".parse().unwrap());
        let line = match line.contains("\"position\"") {
            true => line.to_owned(),
            false => line.replacen('{', "{\"position\":\"start\",", 1),
        };
        Cost::of_request(None, line.as_bytes(), &default)
    }

    #[test]
    fn what_an_answer_costs_is_known_by_its_question() {
        for (expected, lines) in [
            (
                Cost::Small,
                &[
                    r#"{"op":"legal","dice":"31"}"#,
                    r#"{"op":"best","dice":"31","ply":0}"#,
                    r#"{"op":"best","dice":"31","ply":1,"top":1000}"#,
                    r#"{"op":"best","dice":"31","level":"0+"}"#,
                    r#"{"op":"best","dice":"31","time":"1ms"}"#,
                    r#"{"op":"matrix","ply":0}"#,
                    r#"{"op":"eval","game":"ludus","ply":0}"#,
                    r#"{"op":"legal","game":"four-seasons","position":"start","dice":"531"}"#,
                    r#"{"op":"best","game":"four-seasons","dice":"531","ply":0}"#,
                    "no JSON",
                    r#"{"op":"unknown","ply":3}"#,
                    r#"{"op":"rollout","trials":"many"}"#,
                ][..],
            ),
            (
                Cost::Medium,
                &[
                    r#"{"op":"best","dice":"31"}"#,
                    r#"{"op":"best","dice":"31","ply":null}"#,
                    r#"{"op":"cube","ply":2}"#,
                    r#"{"op":"cube","ply":2,"preset":"wide"}"#,
                    r#"{"op":"eval","ply":2}"#,
                    r#"{"op":"best","dice":"31","time":"50ms"}"#,
                    r#"{"op":"best","game":"four-seasons","position":"start","dice":"531"}"#,
                ],
            ),
            (
                Cost::Large,
                &[
                    r#"{"op":"best","dice":"31","ply":3}"#,
                    r#"{"op":"best","dice":"31","ply":2,"preset":"full"}"#,
                    r#"{"op":"best","dice":"31","time":"5s"}"#,
                    r#"{"op":"matrix","ply":2}"#,
                    r#"{"op":"play_matrix","dice":[3,1],"ply":2}"#,
                    r#"{"op":"rollout","trials":36}"#,
                    r#"{"op":"best","game":"ludus","dice":"531","ply":2}"#,
                ],
            ),
            (
                Cost::Huge,
                &[
                    r#"{"op":"best","dice":"31","ply":3,"preset":"full"}"#,
                    r#"{"op":"best","dice":"31","level":"roller"}"#,
                    r#"{"op":"best","dice":"31","sure":"1s"}"#,
                    r#"{"op":"rollout"}"#,
                    r#"{"op":"rollout","trials":36,"ply":2}"#,
                ],
            ),
        ] {
            for line in lines {
                assert_eq!(cost(line), expected, "{line}");
            }
        }
    }

    #[test]
    fn files_cost_by_their_bytes_and_depth() {
        let at = |bytes, ply| Cost::of_analysis(bytes, &Effort::at(ply));
        assert_eq!([at(500, 0), at(500, 1)], [Cost::Small, Cost::Medium]);
        assert_eq!([at(10_000, 0), at(10_000, 1)], [Cost::Medium, Cost::Large]);
        assert_eq!([at(500, 3), at(8 << 20, 0)], [Cost::Huge; 2]);
    }
}
