//! Players by their names, as duels, ladders, grades and evaluations of training know them.

use std::cell::OnceCell;
use std::fmt::{self, Display};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tavola_bearoff::{Progress, Store, Tables};
use tavola_engine::{BUILT_IN, Network};
use tavola_equity::EfficiencyModel;
use tavola_evaluator::remote::file_in;
use tavola_evaluator::search::{MAX_PLY, TreePruning, UnknownPreset};
use tavola_evaluator::{
    CubefulEvaluator, Evaluator, PlayableGame, Preset, Pruner, Pruning, RandomEvaluator, Search,
};
use tavola_net::{Weights, WeightsFile};
use tavola_play::{Contender, CubefulAgent, EvaluatorAgent, SearchAgent};
use tavola_rules::{Backgammon, Game};
use tempfile::TempDir;

use crate::external::{EngineError, ExternalAgent, GNUBG_MOST_PLIES, GnubgError, UbgiAgent, gnubg};
use tavola_protocols::EngineCommand;

/// The name of the random player.
const RANDOM: &str = "random";

/// The seed of the random player: it is the same one in every duel.
const RANDOM_PLAYER_SEED: u64 = 1;

/// What stands between the name of a network and the plies that it looks ahead.
const AT: char = '@';

/// What stands before the name of a network that plays without bear-off databases and, where it does
/// not look ahead, without a pruning network.
pub const RAW: &str = "raw:";

/// What stands between the plies and the preset of the search.
const SLASH: char = '/';

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
    /// There is no such preset.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
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
    /// The file has another network than its name says.
    #[error("{text:?} has the network {found}, expected {expected}")]
    OtherNetwork {
        /// What was given.
        text: String,
        /// The checksum of its network.
        found: String,
        /// The first digits of the expected one.
        expected: String,
    },
    /// The network can't be used.
    #[error(transparent)]
    Network(#[from] tavola_engine::EngineError),
    /// GNU Backgammon can't play.
    #[error(transparent)]
    Gnubg(#[from] GnubgError),
    /// Another engine can't play.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What players are made with.
#[derive(Clone, Copy)]
pub struct PlayerContext<'a> {
    /// How long another engine may take to start, and for a play, before it counts as hung.
    pub timeout: Duration,
    /// Is told how far bear-off databases are that have to be generated.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Is told what a user should know before trusting the player.
    pub warn: &'a dyn Fn(&dyn fmt::Display),
}

impl fmt::Debug for PlayerContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayerContext").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// Which player a text names. Nothing is loaded or started yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerName {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Random,
    Baseline,
    Network(NamedNetwork),
    Gnubg { ply: u8 },
    Command { program: String, args: Vec<String> },
    Ubgi { options: Vec<(String, String)>, program: String, args: Vec<String> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedNetwork {
    /// A weights file, or the name of the built-in network.
    file: WeightsFile,
    is_raw: bool,
    ply: u8,
    preset: Preset,
}

impl PlayerName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if `text` names no player of this game; a weights file must be there.
    pub fn parse<G: PlayableGame>(text: &str, game: &G) -> Result<Self, PlayerError> {
        let kind = if text == RANDOM {
            Kind::Random
        } else if text == G::BASELINE {
            Kind::Baseline
        } else if let Some(command) = text.strip_prefix("exec:") {
            command_of(text, command)?
        } else if let Some(command) = text.strip_prefix("ubgi:") {
            ubgi_of(text, command)?
        } else if text == "gnubg" {
            Kind::Gnubg { ply: 0 }
        } else if let Some(ply) = text.strip_prefix("gnubg:") {
            let ply = ply.parse().ok().filter(|&ply| ply <= GNUBG_MOST_PLIES);
            let expected = || format!("gnubg: and a number of plies from 0 to {GNUBG_MOST_PLIES}");
            Kind::Gnubg { ply: ply.ok_or_else(|| unknown(text, expected()))? }
        } else {
            Kind::Network(network_of(text, game)?)
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// The weights file that it names.
    pub fn file(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Network(network) if network.file.path != Path::new(BUILT_IN) => {
                Some(&network.file.path)
            }
            _ => None,
        }
    }
}

/// A player of this program, for other processes: nothing that only one machine has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum PlayerRecipe {
    /// The random player, or the baseline of the game.
    Baseline(String),
    /// A network.
    Network {
        /// The name of its file; `None` is the built-in one.
        file: Option<String>,
        /// Whether it plays without bear-off databases and pruning.
        raw: bool,
        /// Plies.
        ply: u8,
        /// The preset of the search.
        preset: String,
    },
}

impl PlayerName {
    /// The same for other processes, to which its weights file goes under this name; `None` for
    /// other programs.
    pub fn recipe(&self, file: Option<String>) -> Option<PlayerRecipe> {
        match &self.kind {
            Kind::Random | Kind::Baseline => Some(PlayerRecipe::Baseline(self.text.clone())),
            Kind::Network(NamedNetwork { is_raw, ply, preset, .. }) => {
                let preset = preset.name().to_owned();
                Some(PlayerRecipe::Network { file, raw: *is_raw, ply: *ply, preset })
            }
            Kind::Gnubg { .. } | Kind::Command { .. } | Kind::Ubgi { .. } => None,
        }
    }
}

impl PlayerRecipe {
    /// The name of the player, whose files are in a folder. No recipe makes it another program.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if there is no such player, or it is no recipe for one.
    pub fn name<G: PlayableGame>(&self, folder: &Path, game: &G) -> Result<String, PlayerError> {
        match self {
            Self::Baseline(name) if name == RANDOM || name == G::BASELINE => Ok(name.clone()),
            Self::Baseline(name) => Err(unknown(name, format!("{RANDOM} or {}", G::BASELINE))),
            Self::Network { file, raw, ply, preset } => {
                let file = match file {
                    None => BUILT_IN.to_owned(),
                    Some(name) => file_in(folder, name)
                        .map_err(|error| unknown(name, error.to_string()))?
                        .display()
                        .to_string(),
                };
                let raw = if *raw { RAW } else { "" };
                let name = format!("{raw}{file}{AT}{ply}{SLASH}{preset}");
                match PlayerName::parse(&name, game)?.kind {
                    Kind::Network(_) => Ok(name),
                    _ => Err(unknown(&name, "a network")),
                }
            }
        }
    }
}

fn unknown(text: &str, expected: impl Into<String>) -> PlayerError {
    PlayerError::Unknown { text: text.to_owned(), expected: expected.into() }
}

/// The program and arguments behind `exec:`.
fn command_of(text: &str, command: &str) -> Result<Kind, PlayerError> {
    let expected = "exec: and a program with its arguments, quoted as for a shell";
    let refuse = |problem| unknown(text, format!("{expected} ({problem})"));
    let words = shlex::split(command).ok_or_else(|| refuse("a quote is not closed"))?;
    let mut words = words.into_iter();
    let program = words.next().ok_or_else(|| refuse("there is no program"))?;
    Ok(Kind::Command { program, args: words.collect() })
}

/// Options as `NAME=VALUE`, then the program and arguments, behind `ubgi:`.
fn ubgi_of(text: &str, command: &str) -> Result<Kind, PlayerError> {
    let expected = "ubgi:, options as NAME=VALUE, and a program with its arguments, quoted as for \
                    a shell";
    let refuse = |problem| unknown(text, format!("{expected} ({problem})"));
    let words = shlex::split(command).ok_or_else(|| refuse("a quote is not closed"))?;
    let mut words = words.into_iter().peekable();
    let mut options = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('='))
        && !name.contains('/')
    {
        options.push((name.to_owned(), value.to_owned()));
        words.next();
    }
    let program = words.next().ok_or_else(|| refuse("there is no program"))?;
    Ok(Kind::Ubgi { options, program, args: words.collect() })
}

/// `NAME`, `NAME@PLY` or `NAME@PLY/PRESET`, raw or not.
fn network_of<G: PlayableGame>(text: &str, game: &G) -> Result<NamedNetwork, PlayerError> {
    let (named, is_raw) = text.strip_prefix(RAW).map_or((text, false), |named| (named, true));
    let (mut name, mut ply, mut preset) = (named, 0, Preset::default());
    // A file may have the sign in its name.
    if let Some((before, ahead)) = named.rsplit_once(AT)
        && !Path::new(named).exists()
    {
        let (plies, named_preset) =
            ahead.split_once(SLASH).map_or((ahead, None), |(plies, name)| (plies, Some(name)));
        name = before;
        ply = plies.parse().ok().filter(|&ply| ply <= MAX_PLY).ok_or_else(|| {
            unknown(text, format!("a number of plies from 0 to {MAX_PLY} after the {AT}"))
        })?;
        preset = named_preset.map_or(Ok(preset), str::parse)?;
    }
    let file = match Path::new(name).exists() {
        true => WeightsFile { path: name.into(), checksum: None },
        false => WeightsFile::try_from(name.to_owned())
            .map_err(|error| unknown(text, error.to_string()))?,
    };
    if file.path != Path::new(BUILT_IN) && !file.path.exists() {
        return Err(unknown(
            text,
            format!(
                "default, random, {}, gnubg, gnubg:PLY, exec:COMMAND, ubgi:COMMAND or a weights file for {}; \
                 default{AT}2 or FILE{AT}2 to look 2 plies ahead, {RAW}default or {RAW}FILE to play \
                 without endgame tables and pruning",
                G::BASELINE,
                game.id()
            ),
        ));
    }
    Ok(NamedNetwork { file, is_raw, ply, preset })
}

/// A player, and which one exactly.
pub struct Player<G: Game> {
    /// Whether it knows so little that duels with it are decided by skill, not by luck.
    pub is_baseline: bool,
    /// Plays.
    pub agent: Box<dyn Contender<G>>,
    /// What identifies it beyond the name that was typed: a checksum, a version; may be empty.
    pub version: String,
    /// The same without a name that may mean another player tomorrow; never empty.
    pub identity: String,
    /// The checksum of its network, if it has one.
    pub network: Option<String>,
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
                let agent = Box::new(EvaluatorAgent::new(evaluator));
                Ok(Self { agent, version, identity, is_baseline: true, network: None })
            }
            Made::Network(network) => Ok(Self::network(game, network)),
            Made::Engine { command, files } => {
                Ok(Self::engine(ExternalAgent::new(command, game.clone())?, files))
            }
            Made::Ubgi { command, options } => {
                Ok(Self::ubgi(UbgiAgent::new(command, options, game.clone())?))
            }
        }
    }

    /// A network alone, or with a search.
    fn network(game: &G, network: MadeNetwork<G>) -> Self {
        let MadeNetwork { evaluator, pruning, ply, preset, version, checksum, .. } = network;
        let settings = preset.at(ply);
        let how = pruning.as_ref().and(settings.pruning);
        let (agent, version, identity): (Box<dyn Contender<G>>, _, _) = if ply > 0 {
            let search = Search::new(game.clone(), evaluator, pruning, settings);
            let version = format!("{version}, {ply}-ply, preset {preset}");
            (Box::new(SearchAgent::new(search)), version.clone(), pruned(version, how))
        } else {
            let agent = EvaluatorAgent::new(evaluator);
            // Without looking ahead a preset says no more than whether something is left out.
            match pruning.filter(|_| how.is_some()) {
                Some(network) => {
                    let how = Pruning::AT_ONCE;
                    let agent = agent.with_pruner(Pruner::new(network, how));
                    let version = version + ", pruned";
                    (Box::new(agent), version.clone(), pruned(version, Some(how)))
                }
                None => (Box::new(agent), version.clone(), version),
            }
        };
        Self { agent, version, identity, is_baseline: false, network: Some(checksum) }
    }

    fn ubgi(agent: UbgiAgent<G>) -> Self {
        let version = agent.name().to_owned();
        let (identity, agent) = (version.clone(), Box::new(agent));
        Self { agent, identity, version, is_baseline: false, network: None }
    }

    fn engine(agent: ExternalAgent<G>, files: Option<TempDir>) -> Self {
        let version = agent.name().to_owned();
        let agent = Box::new(agent.with_files(files));
        Self { agent, identity: version.clone(), version, is_baseline: false, network: None }
    }
}

impl Player<Backgammon> {
    /// The same with a cube.
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
                let player = Self::cubeful(evaluator, text.to_owned(), None, None);
                Ok(Self { is_baseline: true, ..player })
            }
            Made::Network(network) => {
                let MadeNetwork { evaluator, pruning, tables, ply, preset, version, checksum } =
                    network;
                let settings = preset.at(ply);
                // Nothing is pruned at 0-ply.
                let how = pruning.as_ref().and(settings.pruning).filter(|_| ply > 0);
                let evaluator = CubefulEvaluator::new(*game, evaluator, pruning)
                    .with_tables(tables)
                    .with_settings(settings);
                let version = match ply {
                    0 => format!("{version}, 0-ply, cubeful"),
                    _ => format!("{version}, {ply}-ply, preset {preset}, cubeful"),
                };
                Ok(Self::cubeful(evaluator, version, how, Some(checksum)))
            }
            Made::Engine { command, files } => {
                Ok(Self::engine(ExternalAgent::with_cube(command, *game)?, files))
            }
            Made::Ubgi { command, options } => {
                Ok(Self::ubgi(UbgiAgent::with_cube(command, options, *game)?))
            }
        }
    }

    fn cubeful(
        evaluator: CubefulEvaluator,
        version: String,
        how: Option<TreePruning>,
        network: Option<String>,
    ) -> Self {
        // Another cube model is another player.
        let identity = format!("{version}, cube model {}", EfficiencyModel::default());
        let identity = pruned(identity, how);
        let agent = Box::new(CubefulAgent::new(evaluator));
        Self { agent, version, identity, is_baseline: false, network }
    }
}

/// A network behind bear-off databases, or behind none, and how far it looks ahead.
struct MadeNetwork<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    tables: Tables,
    ply: u8,
    preset: Preset,
    version: String,
    checksum: String,
}

/// What a name stands for: with a cube or without it becomes another player.
enum Made<G: Game> {
    /// An evaluator that knows next to nothing.
    Baseline { evaluator: Box<dyn Evaluator<G>>, version: String, identity: String },
    /// A network.
    Network(MadeNetwork<G>),
    /// Another program, and the files that it needs.
    Engine { command: EngineCommand, files: Option<TempDir> },
    /// A program that speaks UBGI, and its options.
    Ubgi { command: EngineCommand, options: Vec<(String, String)> },
}

impl<G: PlayableGame> Made<G> {
    fn new(name: &PlayerName, game: &G, context: &PlayerContext<'_>) -> Result<Self, PlayerError> {
        let timeout = context.timeout;
        Ok(match &name.kind {
            Kind::Random => {
                let version = format!("seed {RANDOM_PLAYER_SEED}");
                let identity = format!("{RANDOM}, {version}");
                let evaluator = Box::new(RandomEvaluator::new(game.clone(), RANDOM_PLAYER_SEED));
                Self::Baseline { evaluator, version, identity }
            }
            Kind::Baseline => {
                let (version, identity) = (String::new(), name.text.clone());
                Self::Baseline { evaluator: game.baseline(), version, identity }
            }
            Kind::Gnubg { ply } => {
                let (command, files) = gnubg(*ply, timeout)?;
                Self::Engine { command, files: Some(files) }
            }
            Kind::Command { program, args } => {
                let (program, args) = (program.clone(), args.clone());
                let command = EngineCommand { program, args, env: Vec::new(), timeout };
                Self::Engine { command, files: None }
            }
            Kind::Ubgi { options, program, args } => {
                let (program, args) = (program.clone(), args.clone());
                let command = EngineCommand { program, args, env: Vec::new(), timeout };
                Self::Ubgi { command, options: options.clone() }
            }
            Kind::Network(network) => Self::Network(made(network, &name.text, game, context)?),
        })
    }
}

/// Loads a network with what it plays with.
fn made<G: PlayableGame>(
    named: &NamedNetwork,
    text: &str,
    game: &G,
    context: &PlayerContext<'_>,
) -> Result<MadeNetwork<G>, PlayerError> {
    let &NamedNetwork { ref file, is_raw, ply, preset } = named;
    let network = Network::load_for(Some(&file.path), &game.id())?;
    let weights = network.weights();
    let checksum = weights.checksum();
    if let Some(expected) = file.checksum.as_ref().filter(|digits| !checksum.starts_with(*digits)) {
        let (text, expected) = (text.to_owned(), expected.clone());
        return Err(PlayerError::OtherNetwork { text, found: checksum, expected });
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
    let load = || {
        let (tables, warnings) = Store::of_user().load_all(context.progress);
        for warning in &warnings {
            (context.warn)(&tavola_files::chain(warning));
        }
        tables
    };
    let tables = || match is_raw {
        true => Tables::default(),
        false => loaded.get_or_init(load).clone(),
    };
    let behind = |evaluator| game.behind_tables(evaluator, &tables);
    let evaluator = behind(evaluator);
    // What is asked for raw, and without looking ahead, is the network alone.
    let pruning = match is_raw && ply == 0 {
        true => None,
        false => Network::pruning_evaluator(game)?.map(behind),
    };
    // Games without databases have not asked for them.
    let tables = loaded.into_inner().unwrap_or_default();
    // Where no network knows the game, the simple player evaluates.
    let (mut version, checksum) = match is_known {
        true => (version(weights), checksum),
        false => (G::BASELINE.to_owned(), G::BASELINE.to_owned()),
    };
    if tables.iter().next().is_some() {
        version.push_str(", endgame tables");
    }
    Ok(MadeNetwork { evaluator, pruning, tables, ply, preset, version, checksum })
}

/// The first digits of the weights' checksum: enough to tell networks apart.
pub fn version(weights: &Weights) -> String {
    const DIGITS: usize = 12;
    format!("sha256 {:.DIGITS$}", weights.checksum())
}

/// `identity` with what tells one way to prune from others, if there is one: the built-in network
/// that does it, and what it leaves.
pub fn pruned(identity: String, how: Option<impl Display>) -> String {
    let Some(how) = how else { return identity };
    let network = Network::pruning().map(|network| version(network.weights())).unwrap_or_default();
    format!("{identity}, pruned to {how} by {network}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PlayerName, PlayerError> {
        PlayerName::parse(text, &Backgammon::Standard)
    }

    #[test]
    fn names_say_what_is_loaded_and_how_far_it_looks() {
        let network = |text: &str| match parse(text).unwrap().kind {
            Kind::Network(network) => network,
            kind => panic!("{kind:?}"),
        };
        let found = network("raw:default@2/wide");
        assert_eq!((found.is_raw, found.ply, found.preset), (true, 2, Preset::Wide));
        let found = network("default");
        assert_eq!((found.is_raw, found.ply, found.preset), (false, 0, Preset::Normal));
        assert_eq!(network("default#0123456789ab").file.checksum.as_deref(), Some("0123456789ab"));
        assert_eq!(parse("gnubg:2").unwrap().kind, Kind::Gnubg { ply: 2 });
        assert_eq!(parse("pip-count").unwrap().kind, Kind::Baseline);
        assert_eq!(
            parse("exec:python3 'my engine.py'").unwrap().kind,
            Kind::Command { program: "python3".to_owned(), args: vec!["my engine.py".to_owned()] }
        );
        let Kind::Ubgi { options, program, args } =
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
            ("rule-based", "random, pip-count, gnubg"),
            ("default@4", "0 to 3 after the @"),
            ("default@1/huge", "fast, normal, wide or full"),
            ("gnubg:8", "0 to 7"),
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
        };
        let new = |text: &str| Player::new(text, &Backgammon::Standard, &context);
        let found = new("raw:default").unwrap().network.unwrap();
        assert_eq!(new(&format!("raw:default#{:.12}", found)).unwrap().network, Some(found));
        let error = new("raw:default#000000000000").unwrap_err();
        assert!(matches!(error, PlayerError::OtherNetwork { .. }), "{error}");
    }
}
