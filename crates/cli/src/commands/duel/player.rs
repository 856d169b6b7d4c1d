//! Who plays: what can be typed for A and B.

use std::cell::OnceCell;
use std::path::Path;
use std::time::Duration;

use tavola_arena::{EngineCommand, ExternalAgent, GNUBG_MOST_PLIES, gnubg};
use tavola_bearoff::Tables;
use tavola_engine::{BUILT_IN, Network};
use tavola_equity::EfficiencyModel;
use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{
    CubefulEvaluator, Evaluator, PlayableGame, Preset, Pruner, Pruning, RandomEvaluator, Search,
};
use tavola_play::{Contender, CubefulAgent, EvaluatorAgent, SearchAgent};
use tavola_rules::{Backgammon, Game};
use tempfile::TempDir;

use crate::args::TableArgs;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;

/// The name of the player who plays at random.
const RANDOM: &str = "random";

/// The seed of the player who plays at random: it is the same one in every duel.
const RANDOM_PLAYER_SEED: u64 = 1;

/// What stands between the name of a network and the plies that it looks ahead.
const AT: char = '@';

/// What stands before the name of a network that plays without endgame tables and, where it does
/// not look ahead, without a pruning network.
const RAW: &str = "raw:";

/// What stands between the plies and the preset of the search.
const SLASH: char = '/';

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
}

impl<G: PlayableGame> Player<G> {
    /// The player without a cube that `text` names; engines count as hung after `timeout`.
    pub fn new(text: &str, game: &G, timeout: Duration) -> Outcome<Self> {
        match Named::new(text, game, timeout)? {
            Named::Baseline { evaluator, version, identity } => {
                let agent = Box::new(EvaluatorAgent::new(evaluator));
                Ok(Self { agent, version, identity, is_baseline: true })
            }
            Named::Network(network) => Ok(Self::network(game, network)),
            Named::Engine { command, files } => {
                Ok(Self::engine(ExternalAgent::new(command, game.clone()).or_input()?, files))
            }
        }
    }

    /// A network alone, or with a search.
    fn network(game: &G, network: NetworkPlayer<G>) -> Self {
        let NetworkPlayer { evaluator, pruning, ahead: (ply, preset), version: checksum, .. } =
            network;
        let settings = preset.at(ply);
        let how = pruning.as_ref().and(settings.pruning);
        let (agent, version, how): (Box<dyn Contender<G>>, _, _) = if ply > 0 {
            let search = Search::new(game.clone(), evaluator, pruning, settings);
            (
                Box::new(SearchAgent::new(search)),
                format!("{checksum}, {ply}-ply, preset {preset}"),
                how,
            )
        } else {
            let agent = EvaluatorAgent::new(evaluator);
            // Without looking ahead a preset says no more than whether something is left out.
            match pruning.filter(|_| how.is_some()) {
                Some(network) => {
                    let how = Pruning::AT_ONCE;
                    let agent = agent.with_pruner(Pruner::new(network, how));
                    (Box::new(agent), checksum + ", pruned", Some(how))
                }
                None => (Box::new(agent), checksum, None),
            }
        };
        let identity = networks::pruned(version.clone(), how);
        Self { agent, version, identity, is_baseline: false }
    }

    fn engine(agent: ExternalAgent<G>, files: Option<TempDir>) -> Self {
        let version = agent.name().to_owned();
        let agent = Box::new(agent.with_files(files));
        Self { agent, identity: version.clone(), version, is_baseline: false }
    }
}

impl Player<Backgammon> {
    /// The same with a cube.
    pub fn with_cube(text: &str, game: &Backgammon, timeout: Duration) -> Outcome<Self> {
        match Named::new(text, game, timeout)? {
            Named::Baseline { evaluator, .. } => {
                let evaluator = CubefulEvaluator::new(*game, evaluator, None);
                Ok(Self::cubeful(evaluator, text.to_owned(), None, true))
            }
            Named::Network(NetworkPlayer { evaluator, pruning, tables, ahead, version }) => {
                let (ply, preset) = ahead;
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
                Ok(Self::cubeful(evaluator, version, how, false))
            }
            Named::Engine { command, files } => {
                Ok(Self::engine(ExternalAgent::with_cube(command, *game).or_input()?, files))
            }
        }
    }

    fn cubeful(
        evaluator: CubefulEvaluator,
        version: String,
        how: Option<Pruning>,
        is_baseline: bool,
    ) -> Self {
        // Another cube model is another player.
        let identity = format!("{version}, cube model {}", EfficiencyModel::default());
        let identity = networks::pruned(identity, how);
        Self { agent: Box::new(CubefulAgent::new(evaluator)), version, identity, is_baseline }
    }
}

/// A network behind endgame tables, or behind none, and how far it looks ahead.
struct NetworkPlayer<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    tables: Tables,
    ahead: (u8, Preset),
    version: String,
}

/// What a text names: with a cube or without it becomes another player.
enum Named<G: Game> {
    /// An evaluator that knows next to nothing.
    Baseline { evaluator: Box<dyn Evaluator<G>>, version: String, identity: String },
    /// A network.
    Network(NetworkPlayer<G>),
    /// Another program, and the files that it needs.
    Engine { command: EngineCommand, files: Option<TempDir> },
}

impl<G: PlayableGame> Named<G> {
    fn new(text: &str, game: &G, timeout: Duration) -> Outcome<Self> {
        if text == RANDOM {
            let version = format!("seed {RANDOM_PLAYER_SEED}");
            let identity = format!("{text}, {version}");
            let evaluator = Box::new(RandomEvaluator::new(game.clone(), RANDOM_PLAYER_SEED));
            return Ok(Self::Baseline { evaluator, version, identity });
        }
        if text == G::BASELINE {
            let (version, identity) = (String::new(), text.to_owned());
            return Ok(Self::Baseline { evaluator: game.baseline(), version, identity });
        }
        if let Some(command) = text.strip_prefix("exec:") {
            return Self::engine(command, timeout);
        }
        if text == "gnubg" || text.starts_with("gnubg:") {
            return Self::gnubg(text, timeout);
        }
        let (named, no_tables) = match text.strip_prefix(RAW) {
            Some(named) => (named, true),
            None => (text, false),
        };
        let (name, ahead) = name_and_lookahead(named)?;
        let path = Path::new(name);
        if name != BUILT_IN && !path.exists() {
            return Err(Failure::input(format_args!(
                "unknown player {text:?}, expected default, random, {}, gnubg, gnubg:PLY, \
                 exec:COMMAND or a weights file for {}; default{AT}2 or FILE{AT}2 to look 2 plies \
                 ahead, {RAW}default or {RAW}FILE to play without endgame tables and pruning",
                G::BASELINE,
                game.id()
            )));
        }
        let network = Network::load(Some(path))?;
        let evaluator = networks::evaluator(&network, game)?;
        let loaded = OnceCell::new();
        let tables =
            || loaded.get_or_init(|| networks::load_tables(&TableArgs { no_tables })).clone();
        let behind = |evaluator| game.behind_tables(evaluator, &tables);
        let evaluator = behind(evaluator);
        // What is asked for raw, and without looking ahead, is the network alone.
        let pruning = match no_tables && ahead.0 == 0 {
            true => None,
            false => Network::pruning_evaluator(game)?.map(behind),
        };
        // Games without databases have not asked for them.
        let tables = loaded.into_inner().unwrap_or_default();
        let mut version = networks::version(network.weights());
        if tables.iter().next().is_some() {
            version.push_str(", endgame tables");
        }
        Ok(Self::Network(NetworkPlayer { evaluator, pruning, tables, ahead, version }))
    }

    fn engine(command: &str, timeout: Duration) -> Outcome<Self> {
        let expected = "expected exec: and a program with its arguments, quoted as for a shell";
        let mut words = shlex::split(command)
            .ok_or_else(|| {
                Failure::input(format_args!("unpaired quote in {command:?}, {expected}"))
            })?
            .into_iter();
        let program = words.next().ok_or_else(|| {
            Failure::input(format_args!("no program in \"exec:{command}\", {expected}"))
        })?;
        let command = EngineCommand { program, args: words.collect(), env: Vec::new(), timeout };
        Ok(Self::Engine { command, files: None })
    }

    fn gnubg(text: &str, timeout: Duration) -> Outcome<Self> {
        let ply = match text.strip_prefix("gnubg:") {
            None => 0,
            Some(ply) => {
                ply.parse().ok().filter(|&ply| ply <= GNUBG_MOST_PLIES).ok_or_else(|| {
                    Failure::input(format_args!(
                        "unknown player {text:?}, expected gnubg: and a number of plies from 0 to \
                         {GNUBG_MOST_PLIES}"
                    ))
                })?
            }
        };
        let (command, files) = gnubg(ply, timeout).or_input()?;
        Ok(Self::Engine { command, files: Some(files) })
    }
}

/// What a network is called and how it looks ahead: `NAME`, `NAME@PLY` or `NAME@PLY/PRESET`.
fn name_and_lookahead(text: &str) -> Outcome<(&str, (u8, Preset))> {
    let plain = (text, (0, Preset::default()));
    let Some((name, ahead)) = text.rsplit_once(AT) else { return Ok(plain) };
    // A file may have the sign in its name.
    if Path::new(text).exists() {
        return Ok(plain);
    }
    let (plies, preset) = match ahead.split_once(SLASH) {
        Some((plies, preset)) => (plies, preset.parse().or_input()?),
        None => (ahead, Preset::default()),
    };
    let ply = plies.parse().ok().filter(|&ply| ply <= MAX_PLY).ok_or_else(|| {
        Failure::input(format_args!(
            "unknown player {text:?}, expected a number of plies from 0 to {MAX_PLY} after the {AT}"
        ))
    })?;
    Ok((name, (ply, preset)))
}
