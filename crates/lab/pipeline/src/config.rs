//! The configuration of a training run: one TOML file, composed of each crate's settings.
//!
//! [`Config`] is what the file says, with every default filled in. [`Plan`] is a configuration
//! that was checked once, so that a run doesn't stop at noon over a value from the morning.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_files::sha256;
use tavola_games::{NamedGame, PlayableGame, with_game};
pub use tavola_net::WeightsFile;
use tavola_net::{EncoderKind, Hidden, PRODUCT_WIDTH_STEP};
use tavola_play::SelfPlaySettings;
use tavola_rules::Game;
use tavola_train::{LearnerDevice, LearnerSettings, Schedule};

use self::check::Check;
pub use self::dataset::DatasetSettings;
pub use self::evaluation::EvaluationSettings;
pub use self::overrides::Override;
pub(crate) use self::read::of_text;
use self::read::{Mistakes, of_table, parse};
pub use self::starts::StartPosition;
pub use self::states::StatesSettings;
pub use self::targets::{
    DistillSettings, ExpectedBackupSettings, PruningSettings, SiblingTargets, TargetSettings,
    TdSettings, VarianceReductionSettings,
};
pub use self::template::template;

/// A whole training run. Every budget is a number of rounds or games, never a time, so that the
/// same configuration gives the same network on every machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The game: a name such as `backgammon` or `tabula`, and options where it has some, as in
    /// `tabula:gammons=on`.
    pub game: String,
    /// Seed of everything random in the training: weights at the start, dice, exploration, order
    /// of samples. 0 to 2^63 - 1, the largest number in TOML.
    pub seed: u64,
    /// Rounds of self-play and learning. 1 to 999,999.
    pub rounds: u32,
    /// Rounds over which [`learning_rate`](Self::learning_rate) and lambda change, 1 to 999,999;
    /// later rounds keep the last values. Left out: all rounds. A run that was
    /// extended has the number of rounds that it had before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_rounds: Option<u32>,
    /// Self-play games a round. 1 to 1,000,000. The games of a round are played by the network of
    /// two rounds before, so small rounds use new weights sooner; large ones keep many threads
    /// busier.
    pub games_per_round: u32,
    /// Games of the first round, at least 1; the second has twice as many, the third three times,
    /// until [`games_per_round`](Self::games_per_round) is reached. A network with random weights
    /// plays games of a thousand turns that teach little, so it should play few.
    pub first_round_games: u32,
    /// Rounds, from the first on, in which the simple player of the game chooses in all seats and
    /// the network learns from its games, in games for more than two players alone: then it begins
    /// with games that are worth learning from. Left out: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_based_rounds: Option<u32>,
    /// Update interval of the self-play network in rounds, 1 to 999,999: for this long it plays and
    /// gives the targets until the learned network takes its place, as a target network does. The
    /// first interval is a round longer, as play runs one round ahead of learning. Where all
    /// targets are evaluations and none are outcomes, an interval of 1 lets them drift.
    #[serde(skip_serializing_if = "is_one")]
    pub target_network_update_rounds: u32,
    /// The first self-play network: so a small network learns from a large one. Left out: the one
    /// that the run begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_network: Option<WeightsFile>,
    /// The weights to begin with, for a later stage of a chain of runs. Left out: random weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<WeightsFile>,
    /// The network. With [`start`](Self::start) it may be left out; if given, the network in the
    /// file is [grown](tavola_net::grown) to it, with equal outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkSettings>,
    /// How the learner steps.
    pub learner: LearnerSettings,
    /// The learning rate, a step's length, over the run, 1e-12 to 1. Rates of 5e-3 were
    /// worse than 1.5e-3 in prototypes of this recipe, and the end needs a small one.
    pub learning_rate: Schedule,
    /// What the network should have answered.
    pub targets: TargetSettings,
    /// How self-play games are varied.
    pub selfplay: SelfPlaySettings,
    /// The start book: positions in which `selfplay.start_book_share` of the games begin.
    pub start_book: Vec<StartPosition>,
    /// A text file with more of them, a path from the working directory: one to a line, in the
    /// notation of the game; what follows a `#` is a comment. A plan holds what is in the file,
    /// and no longer the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_book_file: Option<PathBuf>,
    /// Which games are learned from.
    pub replay: ReplaySettings,
    /// A dataset that is learned from in place of games of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<DatasetSettings>,
    /// How strength is measured on the way.
    pub evaluation: EvaluationSettings,
    /// How often the run is saved.
    pub checkpoint: CheckpointSettings,
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

/// The shape of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkSettings {
    /// The feature set: `tesauro`, `one-hot` or, on a backgammon board, `patterns` or `expert`.
    pub encoder: EncoderKind,
    /// Widths of the hidden layers, first to last: 1 to 8 layers of 1 to 4,096 units. Wider
    /// networks play better after long training, and learn and play more slowly.
    pub hidden: Vec<usize>,
    /// Whether the units of the first hidden layer, a multiple of 64, are multiplied two by two
    /// before the second layer, which then has half as much to compute.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub products: bool,
}

impl NetworkSettings {
    /// The hidden layers.
    pub(crate) fn hidden(&self) -> Hidden<'_> {
        Hidden { widths: &self.hidden, products: self.products }
    }
}

/// Which games a round learns from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplaySettings {
    /// Number of the latest rounds that are learned from, 1 to 1,000. Each game is learned from in
    /// this many rounds; the games of these rounds and their labels are kept in memory and on disk.
    pub window: u32,
    /// Number of the window's rounds before the latest one that are sampled anew in each round, 1
    /// to a window less 2. Left out: from all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<u32>,
}

/// How often the run is saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckpointSettings {
    /// Rounds from one checkpoint to the next, at least 1. What a killed run loses at most.
    pub every_rounds: u32,
    /// Seconds after which a checkpoint is due even if the rounds aren't, at the end of a round;
    /// above 0. Left out: the rounds alone decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_seconds: Option<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            game: "backgammon".to_owned(),
            seed: 1,
            rounds: 100,
            schedule_rounds: None,
            games_per_round: 1000,
            first_round_games: 100,
            rule_based_rounds: None,
            target_network_update_rounds: 1,
            target_network: None,
            start: None,
            network: None,
            learner: LearnerSettings::default(),
            learning_rate: Schedule::Cosine { from: 1.5e-3, to: 3e-5, warm_up: 0.0 },
            targets: TargetSettings::default(),
            selfplay: SelfPlaySettings::default(),
            start_book: Vec::new(),
            start_book_file: None,
            replay: ReplaySettings::default(),
            dataset: None,
            evaluation: EvaluationSettings::default(),
            checkpoint: CheckpointSettings::default(),
        }
    }
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self { encoder: EncoderKind::Tesauro, hidden: vec![256, 32], products: false }
    }
}

impl Default for ReplaySettings {
    fn default() -> Self {
        Self { window: 1, sample: None }
    }
}

impl Default for CheckpointSettings {
    fn default() -> Self {
        Self { every_rounds: 1, every_seconds: None }
    }
}

impl Config {
    /// The configuration as TOML, every default spelled out.
    pub fn to_toml(&self) -> String {
        // Tables and numbers that came from TOML, and defaults that are tested.
        toml::to_string_pretty(self).expect("a checked configuration is TOML")
    }

    /// How far the learning rate and lambda are at this round: 0 in the first round, 1 in the last
    /// one in which they change.
    pub(crate) fn progress(&self, round: u32) -> f64 {
        let rounds = self.schedule_rounds.unwrap_or(self.rounds);
        f64::from(round - 1) / f64::from((rounds - 1).max(1))
    }

    /// This run with more rounds, whose schedules end where they did. With fewer it stays.
    pub(crate) fn extended(&self, rounds: u32) -> Self {
        let mut config = self.clone();
        if rounds > self.rounds {
            if !(self.learning_rate.is_constant() && self.targets.is_constant()) {
                config.schedule_rounds.get_or_insert(self.rounds);
            }
            config.rounds = rounds;
        }
        config
    }

    /// This run, trained on the CPU: its identity. A resumed run may use another device
    /// than at its start, as on another machine.
    pub(crate) fn without_device(&self) -> Self {
        let mut config = self.clone();
        config.learner.device = LearnerDevice::Cpu;
        config
    }

    /// SHA-256, in hexadecimal, of [`to_toml`](Self::to_toml) without the device to learn on: the
    /// same for files that mean the same run.
    pub fn sha256(&self) -> String {
        sha256(self.without_device().to_toml().as_bytes())
    }

    /// The checksum of what belongs to a run however far it is extended.
    pub(crate) fn run_sha256(&self) -> String {
        let mut config = self.clone();
        (config.rounds, config.schedule_rounds) = (0, None);
        config.sha256()
    }

    /// The keys in which `other` differs, as `key: value here, value there`, in the order of
    /// the keys.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let table = |config: &Self| {
            let mut keys = Vec::new();
            flatten("", &toml::Value::try_from(config).expect("as in `to_toml`"), &mut keys);
            keys
        };
        let (ours, theirs) = (table(self), table(other));
        let value = |keys: &[(String, String)], key: &str| {
            let found = keys.iter().find(|(name, _)| name == key);
            found.map_or_else(|| "nothing".to_owned(), |(_, value)| value.clone())
        };
        let mut keys: Vec<&String> = ours.iter().chain(&theirs).map(|(key, _)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter()
            .map(|key| (key, value(&ours, key), value(&theirs, key)))
            .filter(|(_, ours, theirs)| ours != theirs)
            .map(|(key, ours, theirs)| format!("{key}: {ours}, {theirs}"))
            .collect()
    }
}

/// Lists the leaves of a table with dotted keys.
fn flatten(prefix: &str, value: &toml::Value, keys: &mut Vec<(String, String)>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&key, value, keys);
            }
        }
        value => keys.push((prefix.to_owned(), value.to_string())),
    }
}

/// A configuration that was checked: every value is within its stated range.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    config: Config,
    game: NamedGame,
}

impl Plan {
    /// Reads a configuration file, replaces values of it, and checks the result.
    ///
    /// # Errors
    ///
    /// [`Failure`] names the file, the key, the value and what was expected, of all mistakes, or an
    /// override that does not fit.
    pub fn load(path: &Path, overrides: &[Override]) -> Result<Self, Failure> {
        Self::of_file(&error::read(path)?, path, overrides)
    }

    /// Checks the configuration of a phase of the recipe in the file `path`, with values replaced.
    /// Earlier phases put their networks into the folder `made_before`.
    pub(crate) fn of_phase(
        table: toml::Table,
        overrides: &[Override],
        path: &Path,
        (made_before, name): (&Path, &str),
    ) -> Result<Self, Failure> {
        of_table(table.clone())
            .map_err(|reason| error::invalid(path, &format!("in phase {name}: {reason}")))?;
        let made_before = Some(made_before);
        let check = Check { made_before, phase: Some(name), ..Check::of(path) };
        Self::overridden(table, Mistakes::default(), overrides, &check)
    }

    fn of_file(text: &str, file: &Path, overrides: &[Override]) -> Result<Self, Failure> {
        let (table, mistakes) = parse(text, file)?;
        Self::overridden(table, mistakes, overrides, &Check::of(file))
    }

    /// Replaces values of a table that stands for a configuration, and checks what it then says:
    /// the failure has all mistakes.
    fn overridden(
        mut table: toml::Table,
        mut mistakes: Mistakes,
        overrides: &[Override],
        check: &Check<'_>,
    ) -> Result<Self, Failure> {
        for set in overrides {
            if let Err(reason) = set.apply(&mut table) {
                let file = check.file.display();
                mistakes.add(format!("cannot set {set} in {file}: {reason}"));
                return Err(mistakes.failure());
            }
        }
        loop {
            // Only a key that was taken out for a mistake in it can be what is missing now.
            let Ok(config) = of_table(table.clone()) else { return Err(mistakes.failure()) };
            match Self::checked(config, check) {
                Ok(plan) if mistakes.is_empty() => return Ok(plan),
                Ok(_) => return Err(mistakes.failure()),
                Err(failure) if check.key.borrow().is_empty() => return Err(mistakes.or(failure)),
                Err(failure) => {
                    let key = check.key.take();
                    if !read::remove(&mut table, &key) {
                        return Err(mistakes.or(failure));
                    }
                    mistakes.add(failure.to_string());
                }
            }
        }
    }

    /// Checks a configuration in TOML; `file` is how errors call it.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, Failure> {
        Self::of_file(text, file, &[])
    }

    /// Checks a configuration; `file` is how errors call it.
    ///
    /// # Errors
    ///
    /// [`Failure`] for the first value that is out of its range.
    pub fn new(config: Config, file: &Path) -> Result<Self, Failure> {
        Self::checked(config, &Check::of(file))
    }

    fn checked(mut config: Config, check: &Check<'_>) -> Result<Self, Failure> {
        let game = many::game(check, &config.game)?;
        config.game = game.id();
        check.range("seed", config.seed, 0..=i64::MAX as u64)?;
        check.range("rounds", config.rounds, 1..=999_999)?;
        if let Some(rounds) = config.schedule_rounds {
            check.range("schedule_rounds", rounds, 1..=999_999)?;
        }
        check.range("games_per_round", config.games_per_round, 1..=1_000_000)?;
        check.range("first_round_games", config.first_round_games, 1..=1_000_000)?;
        let interval = config.target_network_update_rounds;
        check.range("target_network_update_rounds", interval, 1..=999_999)?;
        if config.start.is_none() {
            config.network.get_or_insert_default();
        }
        if let Some(network) = &config.network {
            check.range("network.hidden (number of layers)", network.hidden.len(), 1..=8)?;
            for &width in &network.hidden {
                check.range("network.hidden", width, 1..=4096)?;
            }
            let first = network.hidden[0];
            if network.products && !first.is_multiple_of(PRODUCT_WIDTH_STEP) {
                let expected = "a multiple of 64 as the first width, since products is true";
                return Err(check.error("network.hidden", first, expected));
            }
            let (encoder, interface) = (network.encoder, many::interface(&game));
            if !encoder.fits(interface.layout) {
                let (name, game) = (format!("{:?}", encoder.name()), interface.game);
                let expected = format!("an encoder for the board of {game}, such as one-hot");
                return Err(check.error("network.encoder", name, expected));
            }
        }
        check.range("replay.window", config.replay.window, 1..=1000)?;
        if let Some(sample) = config.replay.sample {
            let window = config.replay.window;
            if window < 3 {
                let expected = format!("none as replay.window is {window}: there is no choice");
                return Err(check.error("replay.sample", sample, expected));
            }
            check.range("replay.sample", sample, 1..=window - 2)?;
        }
        dataset::check(check, &config)?;
        match &game {
            NamedGame::Two(game) => {
                with_game!(game, |game| evaluation::check(game, check, &mut config.evaluation))?;
            }
            NamedGame::Many(_) => many::check(check, &mut config)?,
        }
        check.range("checkpoint.every_rounds", config.checkpoint.every_rounds, 1..=999_999)?;
        if let Some(seconds) = config.checkpoint.every_seconds
            && !(seconds > 0.0 && seconds.is_finite())
        {
            return Err(check.error("checkpoint.every_seconds", seconds, "more than 0"));
        }
        check.learning(&config)?;
        config.targets.check(check)?;
        let taught = config.target_network.is_some()
            || config.start.is_some()
            || config.targets.table().is_some();
        if matches!(config.targets, TargetSettings::Distill(_)) && !taught {
            let expected = "target_network or start beside it, the weights file of a trained \
                            network, or targets.table: else random weights teach themselves";
            return Err(check.error("targets.kind", "\"distill\"", expected));
        }
        if let NamedGame::Two(game) = &game {
            if let Some(rounds) = config.rule_based_rounds {
                let expected = "nothing: it is for games for more than two players alone";
                return Err(check.error("rule_based_rounds", rounds, expected));
            }
            starts::read(check, &mut config)?;
            with_game!(game, |game| starts::check(game, check, &config))?;
        }
        Ok(Self { config, game })
    }

    /// The effective configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The plan of a run that goes on and was begun as `stored`: schedules that the plan gives no
    /// length keep theirs.
    pub(crate) fn resuming(&self, stored: &Config) -> Self {
        let mut plan = self.clone();
        let schedule_rounds = stored.extended(plan.config.rounds).schedule_rounds;
        plan.config.schedule_rounds = plan.config.schedule_rounds.or(schedule_rounds);
        plan
    }

    /// The game that is learned.
    pub const fn game(&self) -> &NamedGame {
        &self.game
    }

    /// A roll of the game, for an example.
    pub fn some_roll(&self) -> String {
        match &self.game {
            NamedGame::Two(game) => with_game!(game, |game| {
                let rolls = game.rolls();
                rolls[rolls.len() / 2].0.to_string()
            }),
            NamedGame::Many(_) => "5-3-2".to_owned(),
        }
    }

    /// The numbers within the run of the games of a round, counted from 1.
    pub fn games_of(&self, round: u32) -> Range<u64> {
        let full = u64::from(self.config.games_per_round);
        let first = u64::from(self.config.first_round_games);
        // Rounds before this one, and how many of them were smaller than a full one.
        let before = u64::from(round.saturating_sub(1));
        let small = before.min(full / first);
        let start = first * small * (small + 1) / 2 + full * (before - small);
        start..start + full.min(first * (before + 1))
    }

    /// The same run without evaluations.
    pub(crate) fn without_evaluations(&self) -> Self {
        let mut plan = self.clone();
        let opponents = Some(Vec::new());
        plan.config.evaluation = EvaluationSettings { opponents, ..EvaluationSettings::default() };
        plan
    }

    /// The start book, for the game of the plan.
    ///
    /// # Panics
    ///
    /// If `game` is another one, which has other positions.
    pub(crate) fn starts<G: PlayableGame>(&self, game: &G) -> Vec<G::State> {
        let starts = self.config.start_book.iter();
        starts.map(|text| game.parse_state(&text.to_string()).expect("was checked")).collect()
    }
}

mod check;
mod dataset;
pub(crate) mod error;
mod evaluation;
mod many;
mod overrides;
mod read;
mod starts;
mod states;
mod targets;
mod template;
#[cfg(test)]
mod tests;
