//! Players by their names, as duels, ladders, grades and evaluations of training know them.

use std::cell::OnceCell;
use std::fmt::{self, Display};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tavola_bearoff::{GenerationProgress, Tables};
pub use tavola_engine::version;
use tavola_engine::{Effort, LoadedNetwork};
use tavola_equity::EfficiencyModel;
use tavola_evaluator::search::TreePruning;
use tavola_evaluator::{
    CubefulEvaluator, Evaluator, Level, PlayableGame, Pruner, Pruning, RandomEvaluator, Search,
    SearchSettings,
};
use tavola_files::Failure;
use tavola_play::{Contender, CubefulAgent, EvaluatorAgent, Pace, SearchAgent, TimedPace};
use tavola_rules::{Backgammon, Game};
use tempfile::TempDir;

pub(crate) use self::name::{AT, RANDOM};
use self::name::{NamedNetwork, PlayerKind};
pub use self::name::{PlayerName, RAW};
use crate::strength::external::{CubeQuestions, ExternalAgent, UbgiAgent, gnubg, sage};
use crate::strength::timed::thread_time;
use tavola_protocols::EngineCommand;

pub(crate) mod name;

/// The seed of the random player: it is the same one in every duel.
pub(crate) const RANDOM_PLAYER_SEED: u64 = 1;

/// Why a text is not the name of a player, or the player can't play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// There is no such player.
    #[error("unknown player {text:?}, expected {expected}")]
    Unknown {
        /// What was given.
        text: String,
        /// What would do.
        expected: String,
    },
    /// The network is one for another game.
    #[error("{text:?} is a network for {found}, expected a player of {game}")]
    OtherGame {
        /// What was given.
        text: String,
        /// The game of the network.
        found: String,
        /// The game that is played.
        game: String,
    },
    /// The player can't play.
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl From<tavola_engine::EngineError> for PlayerError {
    fn from(error: tavola_engine::EngineError) -> Self {
        Self::Failed(error.into())
    }
}

/// What players are made with.
#[derive(Clone, Copy)]
pub struct PlayerContext<'a> {
    /// How long another engine may take to start, and for a play, before it counts as hung.
    pub timeout: Duration,
    /// Is told how far bear-off databases are that have to be generated.
    pub progress: &'a (dyn Fn(GenerationProgress) + Sync),
    /// Is told what a user should know before trusting the player.
    pub warn: &'a dyn Fn(&dyn fmt::Display),
    /// Once it is true, players end what they think of without a choice.
    pub called_off: &'static AtomicBool,
}

impl fmt::Debug for PlayerContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayerContext").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// A player, and which one exactly.
pub struct Player<G: Game> {
    /// Whether it knows so little that duels with it are decided by skill, not by luck.
    pub is_baseline: bool,
    /// Plays.
    pub agent: Box<dyn Contender<G>>,
    /// What identifies it beyond the name that was typed: a checksum, a version; may be empty.
    pub version: String,
    /// What decides its plays, without a name that may mean another player tomorrow; never empty.
    pub identity: String,
    /// The checksum of its network, if it has one.
    pub network: Option<String>,
    /// Whether bear-off databases answer for it in the race.
    pub(crate) asks_tables: bool,
}

impl<G: Game> fmt::Debug for Player<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl<G: PlayableGame> Player<G> {
    /// The player without a cube that `text` names.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if there is none, or it can't be loaded or started.
    pub fn new(text: &str, game: &G, context: &PlayerContext<'_>) -> Result<Self, PlayerError> {
        match Made::new(&PlayerName::parse(text, game)?, game, context)? {
            Made::Baseline { evaluator, version, identity } => {
                let player = Self::of(EvaluatorAgent::new(evaluator), version);
                Ok(Self { identity, is_baseline: true, ..player })
            }
            Made::Network(network) => Ok(Self::network(game, network, context.called_off)),
            Made::Program(program) => Self::program(program, game, CubeQuestions::Unasked),
        }
    }

    /// A network alone, or with a search.
    fn network(game: &G, network: MadeNetwork<G>, called_off: &'static AtomicBool) -> Self {
        let MadeNetwork { evaluator, pruning, effort, version, checksum, asks_tables, .. } =
            network;
        let settings = search(effort);
        let how = pruning.as_ref().and(settings.pruning);
        let (agent, version, identity): (Box<dyn Contender<G>>, _, _) = if settings.ply > 0 {
            let search = Search::new(game.clone(), evaluator, pruning, settings);
            let agent = SearchAgent::new(search).with_pace(pace(effort)).called_off_by(called_off);
            let version = format!("{version}, {}", effort.in_words());
            (Box::new(agent), version.clone(), pruned(version, how))
        } else {
            let agent = EvaluatorAgent::new(evaluator);
            // Without looking ahead a preset says no more than whether something is left out.
            match pruning.filter(|_| how.is_some()) {
                Some(network) => {
                    let how = Pruning::AT_0_PLY;
                    let agent = agent.with_pruner(Pruner::new(network, how));
                    let version = version + ", pruned";
                    (Box::new(agent), version.clone(), pruned(version, Some(how)))
                }
                None => (Box::new(agent), version.clone(), version),
            }
        };
        Self { agent, version, identity, is_baseline: false, network: Some(checksum), asks_tables }
    }

    /// Another program, by the name that it gives itself.
    fn program(made: MadeProgram, game: &G, cube: CubeQuestions) -> Result<Self, PlayerError> {
        Ok(match made {
            MadeProgram::Engine { command, files } => {
                let agent = ExternalAgent::new(command, game.clone(), cube)?.with_files(files);
                let version = agent.name().to_owned();
                Self::of(agent, version)
            }
            MadeProgram::Ubgi { command, options } => {
                let agent = UbgiAgent::new(command, options, game.clone(), cube)?;
                let version = agent.name().to_owned();
                Self::of(agent, version)
            }
        })
    }

    /// A player without a network, whose version is its identity.
    fn of(agent: impl Contender<G> + 'static, version: String) -> Self {
        let (agent, identity) = (Box::new(agent), version.clone());
        Self { agent, identity, version, is_baseline: false, network: None, asks_tables: false }
    }
}

impl Player<Backgammon> {
    /// The player with a cube that `text` names.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_cube(
        text: &str,
        game: &Backgammon,
        context: &PlayerContext<'_>,
    ) -> Result<Self, PlayerError> {
        match Made::new(&PlayerName::parse(text, game)?, game, context)? {
            Made::Baseline { evaluator, .. } => {
                let evaluator = CubefulEvaluator::new(*game, evaluator, None);
                let agent = CubefulAgent::new(evaluator);
                let player = Self::cubeful(agent, text.to_owned(), None, None);
                Ok(Self { is_baseline: true, ..player })
            }
            Made::Network(network) => {
                let MadeNetwork { evaluator, pruning, tables, effort, version, .. } = network;
                let settings = search(effort);
                // Nothing is pruned at 0-ply.
                let how = pruning.as_ref().and(settings.pruning).filter(|_| settings.ply > 0);
                let evaluator = CubefulEvaluator::new(*game, evaluator, pruning)
                    .with_tables(tables)
                    .with_settings(settings);
                let version = format!("{version}, {}, cubeful", effort.in_words());
                let agent = CubefulAgent::new(evaluator).with_pace(pace(effort));
                let agent = agent.called_off_by(context.called_off);
                let player = Self::cubeful(agent, version, how, Some(network.checksum));
                Ok(Self { asks_tables: network.asks_tables, ..player })
            }
            Made::Program(program) => Self::program(program, game, CubeQuestions::Asked),
        }
    }

    fn cubeful(
        agent: CubefulAgent,
        version: String,
        how: Option<TreePruning>,
        network: Option<String>,
    ) -> Self {
        // Another cube model is another player.
        let identity = format!("{version}, cube model {}", EfficiencyModel::default());
        Self { identity: pruned(identity, how), network, ..Self::of(agent, version) }
    }
}

/// A network behind bear-off databases, or behind none, and how far it looks ahead.
pub(crate) struct MadeNetwork<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    tables: Tables,
    effort: Effort,
    version: String,
    checksum: String,
    asks_tables: bool,
}

/// What a name stands for: with a cube or without it becomes another player.
pub(crate) enum Made<G: Game> {
    /// An evaluator that knows next to nothing.
    Baseline { evaluator: Box<dyn Evaluator<G>>, version: String, identity: String },
    /// A network.
    Network(MadeNetwork<G>),
    /// Another program.
    Program(MadeProgram),
}

/// How another program is started, by what it speaks.
pub(crate) enum MadeProgram {
    /// The project's own protocol, and the files that it needs.
    Engine { command: EngineCommand, files: Option<TempDir> },
    /// UBGI, and its options.
    Ubgi { command: EngineCommand, options: Vec<(String, String)> },
}

impl<G: PlayableGame> Made<G> {
    pub(crate) fn new(
        name: &PlayerName,
        game: &G,
        context: &PlayerContext<'_>,
    ) -> Result<Self, PlayerError> {
        let &PlayerContext { timeout, called_off, .. } = context;
        let adapted = |(command, files)| MadeProgram::Engine {
            command: EngineCommand { called_off, ..command },
            files: Some(files),
        };
        let command = |program: &String, args: &[String]| {
            let (program, args, env) = (program.clone(), args.to_vec(), Vec::new());
            EngineCommand { program, args, env, timeout, called_off }
        };
        Ok(match &name.kind {
            PlayerKind::Random => {
                let version = format!("seed {RANDOM_PLAYER_SEED}");
                let identity = format!("{RANDOM}, {version}");
                let evaluator = Box::new(RandomEvaluator::new(game.clone(), RANDOM_PLAYER_SEED));
                Self::Baseline { evaluator, version, identity }
            }
            PlayerKind::Baseline => {
                let (version, identity) = (String::new(), name.text.clone());
                Self::Baseline { evaluator: game.baseline(), version, identity }
            }
            PlayerKind::Gnubg { ply } => Self::Program(adapted(gnubg(*ply, timeout)?)),
            PlayerKind::Sage { ply } => Self::Program(adapted(sage(*ply, timeout)?)),
            PlayerKind::Command { program, args } => {
                let command = command(program, args);
                Self::Program(MadeProgram::Engine { command, files: None })
            }
            PlayerKind::Ubgi { options, program, args } => {
                let (command, options) = (command(program, args), options.clone());
                Self::Program(MadeProgram::Ubgi { command, options })
            }
            PlayerKind::Network(network) => {
                Self::Network(made(network, &name.text, game, context)?)
            }
        })
    }
}

/// How a player of this effort searches; one with a time for a decision at first.
fn search(effort: Effort) -> SearchSettings {
    if effort.time.is_some() { Level::TwoPly.search() } else { effort.settings() }
}

/// How a player of this effort spends its time.
fn pace(effort: Effort) -> Pace {
    match effort.time {
        Some(time) => Pace::Timed(Box::new(TimedPace::new(time, thread_time))),
        None => Pace::Even(effort.level.and_then(Level::rollout).map(Box::new)),
    }
}

/// Loads a network with what it plays with.
fn made<G: PlayableGame>(
    named: &NamedNetwork,
    text: &str,
    game: &G,
    context: &PlayerContext<'_>,
) -> Result<MadeNetwork<G>, PlayerError> {
    let &NamedNetwork { ref file, is_raw, effort } = named;
    let network = LoadedNetwork::load_for(Some(&file.path), &game.id())?;
    let weights = network.weights();
    let checksum = weights.checksum();
    if let Some(expected) = file.checksum.as_ref().filter(|digits| !checksum.starts_with(*digits)) {
        let reason = format!("{text:?} has the network {checksum}, expected {expected}");
        return Err(Failure::input(reason).into());
    }
    let is_known = game.trained_as(&weights.game).is_some();
    if !is_known && !network.is_built_in() {
        let (text, found) = (text.to_owned(), weights.game.clone());
        return Err(PlayerError::OtherGame { text, found, game: game.id() });
    }
    let (evaluator, warning) = network.evaluator(game)?;
    if let Some(warning) = warning {
        (context.warn)(&warning);
    }
    let loaded = OnceCell::new();
    let tables = || match is_raw {
        true => Tables::default(),
        false => loaded.get_or_init(|| context.tables()).clone(),
    };
    let behind = |evaluator| game.behind_tables(evaluator, &tables);
    let evaluator = behind(evaluator);
    // What is asked for raw, and without looking ahead, is the network alone.
    let pruning = match is_raw && search(effort).ply == 0 {
        true => None,
        false => LoadedNetwork::pruning_evaluator(game)?.map(behind),
    };
    // Games without databases have not asked for them.
    let tables = loaded.into_inner().unwrap_or_default();
    // Where no network knows the game, the simple player evaluates.
    let (mut version, checksum) = match is_known {
        true => (version(weights), checksum),
        false => (G::BASELINE.to_owned(), G::BASELINE.to_owned()),
    };
    let asks_tables = tables.iter().next().is_some();
    if asks_tables {
        version.push_str(", bear-off databases");
    }
    Ok(MadeNetwork { evaluator, pruning, tables, effort, version, checksum, asks_tables })
}

/// `identity` with what tells one way to prune from others, if there is one: the built-in network
/// that does it, and what it leaves.
pub fn pruned(identity: String, how: Option<impl Display>) -> String {
    let Some(how) = how else { return identity };
    let network =
        LoadedNetwork::pruning().map(|network| version(network.weights())).unwrap_or_default();
    format!("{identity}, pruned to {how} by {network}")
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::{Level, NEVER, Preset};

    use super::*;

    fn parse(text: &str) -> Result<PlayerName, PlayerError> {
        PlayerName::parse(text, &Backgammon::Standard)
    }

    #[test]
    fn names_say_what_is_loaded_and_how_far_it_looks() {
        let network = |text: &str| match parse(text).unwrap().kind {
            PlayerKind::Network(network) => network,
            kind => panic!("{kind:?}"),
        };
        let found = network("raw:default@2/wide");
        assert_eq!((found.is_raw, found.effort), (true, Effort::new(2, Preset::Wide)));
        let found = network("default");
        assert_eq!((found.is_raw, found.effort), (false, Effort::at(0)));
        assert_eq!(network("default@3").effort, Effort::at(3));
        for level in [Level::Quick, Level::Roller, Level::RollerPlus] {
            let effort = network(&format!("default@{level}")).effort;
            assert_eq!((effort.level, effort.to_string()), (Some(level), level.to_string()));
        }
        let paced = |text: &str| {
            PlayerName::paced(text, Duration::from_micros(2500), &Backgammon::Standard)
        };
        assert_eq!(paced("gnubg:2").unwrap(), "gnubg:2");
        assert_eq!(paced("default").unwrap(), "default@2500us");
        let effort = network("default@2500us").effort;
        assert_eq!(effort.time, Some(Duration::from_micros(2500)));
        assert_eq!(network("default@3ms").effort.to_string(), "3000us");
        assert_eq!(parse("default@2500us").unwrap().recipe(None), None);
        assert!(paced("default@2").is_err());
        assert_eq!(network("default#0123456789ab").file.checksum.as_deref(), Some("0123456789ab"));
        assert_eq!(parse("gnubg:2").unwrap().kind, PlayerKind::Gnubg { ply: 2 });
        assert_eq!(parse("sage").unwrap().kind, PlayerKind::Sage { ply: 1 });
        assert_eq!(parse("sage:3ply").unwrap().kind, PlayerKind::Sage { ply: 3 });
        assert_eq!(parse("pip-count").unwrap().kind, PlayerKind::Baseline);
        assert_eq!(
            parse("exec:python3 'my engine.py'").unwrap().kind,
            PlayerKind::Command {
                program: "python3".to_owned(),
                args: vec!["my engine.py".to_owned()]
            }
        );
        let PlayerKind::Ubgi { options, program, args } =
            parse("ubgi:Ply=0 Preset=wide ./engine --level=3").unwrap().kind
        else {
            panic!()
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(options, [pair("Ply", "0"), pair("Preset", "wide")]);
        assert_eq!((program.as_str(), &args[..]), ("./engine", &["--level=3".to_owned()][..]));
    }

    #[test]
    fn names_of_no_player_are_quoted_with_what_was_expected() {
        for (text, expected) in [
            ("defualt", "a weights file for backgammon"),
            ("defualt", "pruning (did you mean default?)"),
            ("rule-based", "random, pip-count, gnubg"),
            ("default@4", "one of 0, 0+, 1, 2, 3, roller, roller+ after the @"),
            ("default@roller/wide", "a number with a preset"),
            ("default@1/huge", "fast, normal, wide or full after the /"),
            ("gnubg:8", "0 to 7"),
            ("sage:0ply", "sage: and a level from 1ply to 4ply"),
            ("sage:2", "1ply to 4ply"),
            ("sagr", "did you mean sage?"),
            ("exec:", "there is no program"),
            ("exec:'a", "a quote is not closed"),
            ("ubgi:", "there is no program"),
            ("ubgi:Ply=1", "there is no program"),
            ("default#12", "12 to 64 hexadecimal digits"),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{expected:?} is not in {message:?}");
        }
    }

    #[test]
    fn a_network_with_another_checksum_is_refused() {
        let context = PlayerContext {
            timeout: Duration::from_secs(1),
            progress: &|_| {},
            warn: &|warning| panic!("{warning}"),
            called_off: &NEVER,
        };
        let new = |text: &str| Player::new(text, &Backgammon::Standard, &context);
        let found = new("raw:default").unwrap().network.unwrap();
        assert_eq!(new(&format!("raw:default#{:.12}", found)).unwrap().network, Some(found));
        let error = new("raw:default#000000000000").unwrap_err();
        assert!(error.to_string().contains("has the network"), "{error}");
    }
}
