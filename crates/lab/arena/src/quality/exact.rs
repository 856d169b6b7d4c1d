//! How far a network of hypergammon is from the truth, which [`WholeGame`] knows.

use serde::Serialize;
use tavola_bearoff::{Errors, WholeGame, WholeGameComparison, Worst};
use tavola_evaluator::{Evaluator, NetEvaluator, PlayableGame};
use tavola_files::Failure;
use tavola_net::{Weights, WeightsError};
use tavola_play::{SelfPlayGames, SelfPlaySettings, Workers, selfplay};
use tavola_rules::{Backgammon, Dice, Game, Position};

use crate::strength::player::version;

/// The game that is solved.
pub const SOLVED: Backgammon = Backgammon::Hypergammon;

/// Passes go on until none of them changes an equity by more: what is left then is below a
/// millionth of a point.
pub const TOLERANCE: f64 = 1e-7;

/// A play and its exact worth.
#[derive(Clone, Debug, Serialize)]
pub struct ExactPlay {
    /// The play in words.
    pub play: String,
    /// The result, the opponent on roll.
    pub position: String,
    /// Cubeless money equity of the player who makes it.
    pub equity: f32,
    /// Equity lost against the best play.
    pub loss: f32,
}

/// Errors over some positions, in points.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorFigures {
    /// How many positions.
    pub positions: u64,
    /// Mean absolute error of the equity.
    pub mean_error: f64,
    /// Root of the mean square.
    pub root_mean_square: f64,
    /// The largest error.
    pub largest_error: f32,
    /// Where it is.
    pub largest_at: Option<String>,
    /// The truth there.
    pub largest_exact: Option<f32>,
    /// What the network says there.
    pub largest_evaluated: Option<f32>,
    /// What a 0-ply decision loses in the mean.
    pub lost_a_decision: f64,
}

/// What the network lost in games against itself, in points.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Lost {
    /// How many games.
    pub games: u64,
    /// Turns, also those that leave no choice.
    pub decisions: u64,
    /// Mean absolute error of the equity of the positions before the turns.
    pub mean_error: f64,
    /// What a decision loses in the mean.
    pub lost_a_decision: f64,
    /// What a game loses, by both sides together.
    pub lost_a_game: f64,
}

/// A network beside the truth.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkFigures {
    /// The version of the network.
    pub network: String,
    /// Over all positions.
    pub all: ErrorFigures,
    /// Over those that can arise.
    pub reachable: ErrorFigures,
    /// In games against itself.
    pub played: Lost,
    /// Seed of these games.
    pub seed: u64,
}

/// Whether a network can be compared with the truth.
///
/// # Errors
///
/// [`WeightsError`] if it can't evaluate the game.
pub fn check(weights: &Weights) -> Result<(), WeightsError> {
    NetEvaluator::new(weights, SOLVED).map(drop)
}

/// The exact equity of a position, also of one in which the game is over; `None` if it has other
/// checkers.
pub fn equity(exact: &WholeGame, position: &Position) -> Option<f32> {
    match SOLVED.outcome(position) {
        Some(outcome) => Some(outcome.points() as f32),
        None => exact.equity(position),
    }
}

/// The exact equity of a position that is known to be one of the game.
fn known_equity(exact: &WholeGame, position: &Position) -> f32 {
    equity(exact, position).expect("positions of hypergammon have three checkers a side")
}

/// All plays, best first.
pub fn plays(exact: &WholeGame, position: &Position, dice: Dice) -> Vec<ExactPlay> {
    let mut plays: Vec<ExactPlay> = SOLVED
        .named_afterstates(position, dice)
        .into_iter()
        .map(|(play, after)| ExactPlay {
            play,
            position: SOLVED.write_state(&after),
            equity: -known_equity(exact, &after),
            loss: 0.0,
        })
        .collect();
    plays.sort_by(|a, b| b.equity.total_cmp(&a.equity));
    let best = plays.first().map_or(0.0, |play| play.equity);
    plays.iter_mut().for_each(|play| play.loss = best - play.equity);
    plays
}

/// Compares a network with the truth, over all positions and in games against itself.
///
/// # Errors
///
/// The network can't evaluate the game, or did not play its games.
pub fn compare(
    exact: &WholeGame,
    weights: &Weights,
    games: u64,
    seed: u64,
    workers: Workers<'_>,
) -> Result<NetworkFigures, Failure> {
    let failed = "the network is not compared";
    let evaluator = NetEvaluator::new(weights, SOLVED).map_err(Failure::work_in(failed))?;
    let (mut own, mut evaluated) = (evaluator.clone(), Vec::new());
    let WholeGameComparison { all, reachable } =
        exact.compare(&SOLVED.start_position(), |positions, out| {
            own.evaluate(positions, &mut evaluated);
            out.extend(evaluated.iter().map(|probs| probs.equity()));
        });
    Ok(NetworkFigures {
        network: version(weights),
        all: figures(&all),
        reachable: figures(&reachable),
        played: play(exact, &evaluator, games, seed, workers).map_err(Failure::work_in(failed))?,
        seed,
    })
}

fn figures(errors: &Errors) -> ErrorFigures {
    let Errors { positions, mean_error, root_mean_square, largest, lost_a_decision } = *errors;
    let at = |worst: &Worst| SOLVED.write_state(&worst.position);
    ErrorFigures {
        positions,
        mean_error,
        root_mean_square,
        largest_error: largest.map_or(0.0, |worst| worst.error),
        largest_at: largest.as_ref().map(at),
        largest_exact: largest.map(|worst| worst.equity),
        largest_evaluated: largest.map(|worst| worst.evaluated),
        lost_a_decision,
    }
}

/// What the network loses in games against itself.
fn play(
    exact: &WholeGame,
    evaluator: &NetEvaluator<Backgammon>,
    games: u64,
    seed: u64,
    workers: Workers<'_>,
) -> Result<Lost, Failure> {
    let of = SelfPlayGames { run_seed: seed, indices: 0..games, starts: &[] };
    let settings = SelfPlaySettings::default();
    let records = selfplay(&SOLVED, evaluator, &settings, &of, workers, &|_| {})?;
    let worker = || (evaluator.clone(), Vec::new(), Vec::new());
    let sums = workers.run(0..records.len() as u64, worker, |worker, index| {
        let ((evaluator, afterstates, evaluated), record) = (worker, &records[index as usize]);
        let states: Vec<Position> = record.states().collect();
        let before = &states[..record.turns.len()];
        evaluator.evaluate(before, evaluated);
        let (mut error, mut lost) = (0.0, 0.0);
        for ((state, turn), probs) in before.iter().zip(&record.turns).zip(&*evaluated) {
            error += f64::from((probs.equity() - known_equity(exact, state)).abs());
            afterstates.clear();
            SOLVED.afterstates(state, turn.roll, afterstates);
            let equities = afterstates.iter().map(|after| known_equity(exact, after));
            let least = equities.fold(f32::INFINITY, f32::min);
            lost += f64::from(known_equity(exact, &turn.after) - least);
        }
        (record.turns.len() as u64, error, lost)
    });
    let decisions: u64 = sums.iter().map(|&(turns, ..)| turns).sum();
    let error: f64 = sums.iter().map(|&(_, error, _)| error).sum();
    let lost: f64 = sums.iter().map(|&(.., lost)| lost).sum();
    let games = records.len() as u64;
    Ok(Lost {
        games,
        decisions,
        mean_error: error / decisions.max(1) as f64,
        lost_a_decision: lost / decisions.max(1) as f64,
        lost_a_game: lost / games.max(1) as f64,
    })
}
