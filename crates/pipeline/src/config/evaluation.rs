//! How strength is measured on the way.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tavola_games::{GameVisitor, PlayableGame};

use super::{Check, ConfigError, WeightsFile, WeightsFileError};

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
    /// Whom to play: `random`, the simple player of the game (`pip-count` in backgammon,
    /// `rule-based` in the other games), or a weights file, as a path from the working directory.
    /// May be empty; left out: random and the simple player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponents: Option<Vec<Opponent>>,
    /// Variance reduction of the results: the weights file of the network that evaluates the luck
    /// of the rolls. Intervals against networks of about the same strength become four times as
    /// narrow, and the games take some ten times as long. Left out: raw results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_reduction: Option<WeightsFile>,
    /// Whether the weights of each evaluation are kept in the run directory, as
    /// `evaluated/round-NNNNNN.safetensors`, so that they can play others later.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_weights: bool,
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
        }
    }
}

/// Whom the network plays in an evaluation, as it is written in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Opponent {
    /// Plays at random.
    Random,
    /// The simple player of the game if the path is its name, or else the network in the file.
    Named(WeightsFile),
}

impl TryFrom<String> for Opponent {
    type Error = WeightsFileError;

    fn try_from(text: String) -> Result<Self, WeightsFileError> {
        match text.as_str() {
            "random" => Ok(Self::Random),
            _ => text.try_into().map(Self::Named),
        }
    }
}

impl Opponent {
    /// The name in metrics: that of the player, or the path of the file.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Random => "random".to_owned(),
            Self::Named(file) => file.path.display().to_string(),
        }
    }
}

impl From<Opponent> for String {
    fn from(opponent: Opponent) -> Self {
        opponent.to_string()
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Named(file) => file.fmt(f),
        }
    }
}

/// Checks how strength is measured, and fills in whom to play.
pub(super) struct Evaluation<'a> {
    pub(super) check: &'a Check<'a>,
    pub(super) settings: &'a mut EvaluationSettings,
}

impl GameVisitor for Evaluation<'_> {
    type Output = Result<(), ConfigError>;

    fn visit<G: PlayableGame>(self, game: &G) -> Result<(), ConfigError> {
        let Self { check, settings } = self;
        let EvaluationSettings {
            every_rounds,
            games,
            seed,
            opponents,
            variance_reduction,
            keep_weights: _,
        } = settings;
        check.range("evaluation.every_rounds", *every_rounds, 1..=999_999)?;
        if !(4..=10_000_000).contains(games) || *games % 2 != 0 {
            let expected = "an even number from 4 to 10000000";
            return Err(check.error("evaluation.games", games, expected));
        }
        check.range("evaluation.seed", *seed, 0..=i64::MAX as u64)?;
        if let Some(file) = variance_reduction
            && !file.path.is_file()
        {
            let expected = format!("the path of a weights file for {}", game.id());
            return Err(check.error(
                "evaluation.variance_reduction",
                format!("{:?}", file.path),
                expected,
            ));
        }
        let baseline = Opponent::Named(PathBuf::from(G::BASELINE).into());
        let opponents = opponents.get_or_insert_with(|| vec![Opponent::Random, baseline.clone()]);
        for (index, opponent) in opponents.iter().enumerate() {
            let name = opponent.to_string();
            if opponents[..index].contains(opponent) {
                let value = format!("{name:?} twice");
                return Err(check.error("evaluation.opponents", value, "each opponent once"));
            }
            // A mistyped name would otherwise be looked for as a file.
            if let Opponent::Named(file) = opponent
                && *opponent != baseline
                && !file.path.is_file()
            {
                let expected = format!(
                    "\"random\", \"{}\" or the path of a weights file for {}",
                    G::BASELINE,
                    game.id()
                );
                return Err(check.error("evaluation.opponents", format!("{name:?}"), expected));
            }
        }
        Ok(())
    }
}
