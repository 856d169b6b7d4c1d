//! Lines of the protocol: the answers of an engine, and what it is told of the cube.
//!
//! Each reader says what it expects where an answer is something else.

use std::fmt::Write as _;

use tavola_evaluator::PlayableGame;
use tavola_play::{BeforeRoll, CubeReply, CubeView};
use tavola_rules::{Beavers, Cube, CubeOwner, MatchScore};

use super::CUBE;

/// What the game is played for, seen by the player on roll: the words after a question.
pub(super) fn terms(view: &CubeView<'_>) -> String {
    terms_of(view.cube, view.score, view.options.jacoby, view.options.beavers)
}

/// The same from its parts.
pub(super) fn terms_of(
    cube: Cube,
    score: Option<MatchScore>,
    jacoby: bool,
    beavers: Beavers,
) -> String {
    let owner = match cube.owner() {
        CubeOwner::Center => "center",
        CubeOwner::Player => "player",
        CubeOwner::Opponent => "opponent",
    };
    let mut words = format!(" {CUBE} {} {owner}", cube.value());
    let written = match score {
        Some(score) => {
            let crawford = if score.is_crawford() { " crawford" } else { "" };
            let (player, opponent) = (score.player(), score.opponent());
            write!(words, " match {} {player} {opponent}{crawford}", score.length())
        }
        None => {
            let jacoby = if jacoby { " jacoby" } else { "" };
            let beavers = match beavers {
                Beavers::Off => "",
                Beavers::Beavers => " beavers",
                Beavers::Raccoons => " raccoons",
            };
            write!(words, " money{jacoby}{beavers}")
        }
    };
    written.expect("a string takes whatever is written");
    words
}

/// The answer to `best`: the index of the afterstate that it names.
pub fn best<G: PlayableGame>(
    game: &G,
    afterstates: &[G::State],
    answer: &str,
) -> Result<usize, &'static str> {
    let after = answer
        .strip_prefix("best ")
        .and_then(|text| game.parse_state(text).ok())
        .ok_or("\"best\" and a position")?;
    afterstates
        .iter()
        .position(|afterstate| *afterstate == after)
        .ok_or("a position that a legal play leads to, opponent on roll")
}

/// The answer of the player on roll before the roll.
pub fn before_roll(answer: &str) -> Result<BeforeRoll, &'static str> {
    match answer {
        "double yes" => Ok(BeforeRoll::Double),
        "double no" => Ok(BeforeRoll::Roll),
        _ => Err("\"double yes\" or \"double no\""),
    }
}

/// The answer to an offered cube.
pub fn reply(answer: &str) -> Result<CubeReply, &'static str> {
    match answer {
        "answer take" => Ok(CubeReply::Take),
        "answer drop" => Ok(CubeReply::Drop),
        "answer turn" => Ok(CubeReply::Turn),
        _ => Err("\"answer take\", \"answer drop\" or \"answer turn\""),
    }
}

/// The answer to `equities`: this many numbers for each play, or for the cube.
pub(super) fn equities(answer: &str, each: &[usize]) -> Result<Vec<f64>, &'static str> {
    let numbers = answer.strip_prefix("equities ").map(str::split_whitespace);
    let numbers =
        numbers.and_then(|words| words.map(|it| it.parse().ok()).collect::<Option<Vec<f64>>>());
    let fits = |found: &Vec<f64>| {
        found.len() == each.iter().sum::<usize>() && found.iter().all(|it| it.is_finite())
    };
    numbers.filter(fits).ok_or(
        "\"equities\" and numbers: an equity and five chances for each play, or three equities and \
         five chances",
    )
}
