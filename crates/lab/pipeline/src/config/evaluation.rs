//! How strength is measured on the way.

use serde::{Deserialize, Serialize};
use tavola_arena::{PlayerError, PlayerName};
use tavola_files::Failure;
use tavola_games::PlayableGame;

use super::{Check, StatesSettings, WeightsFile, states};
use crate::metrics::Metrics;

/// How strength is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationSettings {
    /// Rounds from one evaluation to the next, at least 1. The network at the start and the one
    /// at the end are always evaluated.
    pub every_rounds: u32,
    /// Games against each opponent, an even number from 4 to 10,000,000: each pair of games has
    /// the same dice with the seats swapped. The 95 % interval against a player of another
    /// style is about ±4 points per game divided by the root of the games.
    pub games: u64,
    /// Seed of their dice, the same in all evaluations, so that a difference between two of them
    /// is not one of dice. Apart from the training seed. 0 to 2^63 - 1.
    pub seed: u64,
    /// The opponents, by the [names](tavola_arena::PlayerName) that duels know. May be empty; left
    /// out: `random` and the simple player of the game, `pip-count` in backgammon and `rule-based`
    /// in the other games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponents: Option<Vec<String>>,
    /// Variance reduction of the results: the weights file of the network that evaluates the luck
    /// of the rolls. Intervals against networks of about the same strength become four times as
    /// narrow, and the games take some ten times as long. Left out: raw results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_reduction: Option<WeightsFile>,
    /// Whether the weights of each evaluation are kept in the run directory, as
    /// `evaluated/round-NNNNNN.safetensors`, so that they can play others later.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_weights: bool,
    /// The yardstick by which the best weights so far are kept as `best.safetensors`: one of the
    /// opponents, against which they score most; `states`, of which they have the least RMSE
    /// without lookahead; or `held-out-loss`, the least of the rounds with an evaluation. Left out:
    /// none are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// Early stopping: the number of evaluations in a row, at least 1, that are not better by the
    /// yardstick and end the run with the best weights. Left out: none do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// Rolled-out states that the network evaluates each time. Left out: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<StatesSettings>,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        Self {
            every_rounds: 25,
            games: 2000,
            seed: 20_250_101,
            opponents: None,
            variance_reduction: None,
            keep_weights: false,
            best: None,
            patience: None,
            states: None,
        }
    }
}

/// The yardstick of [`EvaluationSettings::best`] that is the RMSE of states.
const STATES: &str = "states";
/// The yardstick that is the held-out loss.
const HELD_OUT_LOSS: &str = "held-out-loss";

/// The best evaluation so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BestCheckpoint {
    /// The round after which it was.
    pub(crate) round: u32,
    /// Evaluations by the same yardstick since then.
    pub(crate) evaluations_since: u32,
}

impl EvaluationSettings {
    /// The best evaluation in these lines; of equals the first. `None` without a yardstick, and
    /// before the first evaluation.
    pub(crate) fn best_of(&self, lines: &[Metrics]) -> Option<BestCheckpoint> {
        let yardstick = self.best.as_deref()?;
        // Less is better.
        let figure = |line: &Metrics| match line {
            Metrics::Evaluation(found) if found.opponent == yardstick => Some(-found.ppg),
            Metrics::States(found) if yardstick == STATES => {
                Some(found.plies.first()?.grades.all.rmse)
            }
            Metrics::Round(round)
                if yardstick == HELD_OUT_LOSS && round.round.is_multiple_of(self.every_rounds) =>
            {
                round.held_out_loss
            }
            Metrics::Round(_) | Metrics::Evaluation(_) | Metrics::States(_) => None,
        };
        let mut best: Option<(f64, BestCheckpoint)> = None;
        for (line, figure) in lines.iter().filter_map(|line| Some((line, figure(line)?))) {
            match &mut best {
                Some((least, best)) if figure >= *least => best.evaluations_since += 1,
                _ => {
                    best =
                        Some((figure, BestCheckpoint { round: line.round(), evaluations_since: 0 }))
                }
            }
        }
        best.map(|(_, best)| best)
    }
}

/// Checks the yardstick and the patience.
fn check_best(check: &Check<'_>, settings: &EvaluationSettings) -> Result<(), Failure> {
    if let Some(best) = &settings.best {
        let opponents = settings.opponents.iter().flatten().map(String::as_str);
        let states = settings.states.iter().map(|_| STATES);
        let known: Vec<&str> = opponents.chain(states).chain([HELD_OUT_LOSS]).collect();
        if !known.contains(&best.as_str()) {
            let expected = format!("what is measured: {}", known.join(", "));
            return Err(check.error("evaluation.best", format!("{best:?}"), expected));
        }
    }
    match settings.patience {
        Some(patience) if settings.best.is_none() => {
            let expected = "evaluation.best beside it, the yardstick of what is better";
            Err(check.error("evaluation.patience", patience, expected))
        }
        Some(patience) => check.range("evaluation.patience", patience, 1..=999_999),
        None => Ok(()),
    }
}

/// Checks how strength is measured, and fills in whom to play.
pub(super) fn check<G: PlayableGame>(
    game: &G,
    check: &Check<'_>,
    settings: &mut EvaluationSettings,
) -> Result<(), Failure> {
    if let Some(settings) = &settings.states {
        states::check(check, settings)?;
    }
    check.range("evaluation.every_rounds", settings.every_rounds, 1..=999_999)?;
    let games = settings.games;
    if !(4..=10_000_000).contains(&games) || !games.is_multiple_of(2) {
        let expected = "an even number from 4 to 10000000";
        return Err(check.error("evaluation.games", games, expected));
    }
    check.range("evaluation.seed", settings.seed, 0..=i64::MAX as u64)?;
    if let Some(file) = &settings.variance_reduction
        && !file.path.is_file()
        && !check.is_made_before(&file.path.to_string_lossy())
    {
        let expected = format!("the path of a weights file for {}", game.id());
        return Err(check.error(
            "evaluation.variance_reduction",
            format!("{:?}", file.path),
            expected,
        ));
    }
    let usual = || ["random", G::BASELINE].map(str::to_owned).to_vec();
    let opponents = settings.opponents.get_or_insert_with(usual);
    for (index, opponent) in opponents.iter().enumerate() {
        let refuse =
            |value, expected: String| Err(check.error("evaluation.opponents", value, expected));
        if opponents[..index].contains(opponent) {
            return refuse(format!("{opponent:?} twice"), "each opponent once".to_owned());
        }
        match PlayerName::parse(opponent, game) {
            Ok(_) => {}
            Err(PlayerError::Unknown { .. }) if check.is_made_before(opponent) => {}
            Err(PlayerError::Unknown { expected, .. }) => {
                return refuse(format!("{opponent:?}"), expected);
            }
            Err(error) => return refuse(format!("{opponent:?}"), format!("a player: {error}")),
        }
    }
    check_best(check, settings)
}
