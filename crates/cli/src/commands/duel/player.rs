//! Who plays: what can be typed for A and B.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tavola_arena::{EngineCommand, ExternalAgent};
use tavola_equity::EfficiencyModel;
use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{
    CubefulJudge, Evaluator, NetEvaluator, Preset, Pruner, Pruning, RandomEvaluator, Search,
    TableEvaluator,
};
use tavola_games::{PlayableGame, Tables};
use tavola_play::{Contender, CubeAgent, CubefulAgent, EvaluatorAgent, SearchAgent};
use tavola_rules::{Backgammon, Game};
use tempfile::TempDir;

use crate::args::TableArgs;
use crate::failure::{Blame, Failure, Outcome};
use crate::judge::{self, Judge};

/// The name of the player who plays at random.
const RANDOM: &str = "random";

/// The seed of the player who plays at random: he is the same one in every duel.
const RANDOM_PLAYER_SEED: u64 = 1;

/// The script that makes GNU Backgammon speak the protocol of engines.
const GNUBG_SCRIPT: &str = include_str!("../../../../../scripts/gnubg-engine.py");

/// Where Debian keeps games, which not every search path names.
const GAMES_DIRECTORY: &str = "/usr/games";

/// What stands between the name of a network and the plies that it looks ahead.
const AT: char = '@';

/// What stands before the name of a network that plays without endgame tables and, where it does
/// not look ahead, without a pruning network.
const RAW: &str = "raw:";

/// What stands between the plies and the preset of the search.
const SLASH: char = '/';

/// Most plies that GNU Backgammon looks ahead.
const GNUBG_MOST_PLIES: u8 = 7;

/// A player, and which one exactly.
pub struct Player<G: Game = Backgammon> {
    /// Whether it knows so little that duels with it are decided by skill, not by luck.
    pub is_baseline: bool,
    /// Chooses the plays.
    pub agent: Box<dyn Contender<G>>,
    /// What identifies it beyond the name that was typed: a checksum, a version; may be empty.
    pub version: String,
    /// The same without a name that may mean another player tomorrow; never empty.
    pub identity: String,
    /// Files that the player needs while it plays.
    _files: Option<TempDir>,
}

impl<G: PlayableGame> Player<G> {
    /// A network, which `checksum` tells from others, alone or with a search.
    fn network(
        game: &G,
        judge: Box<dyn Evaluator<G>>,
        pruning: Option<Box<dyn Evaluator<G>>>,
        (ply, preset): (u8, Preset),
        checksum: String,
    ) -> Self {
        let settings = preset.at(ply);
        let how = pruning.as_ref().and(settings.pruning);
        let (agent, version, how): (Box<dyn Contender<G>>, _, _) = if ply > 0 {
            let search = Search::new(game.clone(), judge, pruning, settings);
            (
                Box::new(SearchAgent::new(search)),
                format!("{checksum}, {ply}-ply, preset {preset}"),
                how,
            )
        } else {
            let agent = EvaluatorAgent::new(judge);
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
        let identity = judge::pruned(version.clone(), how);
        Self { agent, version, identity, is_baseline: false, _files: None }
    }

    /// The player of that name who knows next to nothing.
    fn baseline(text: &str, game: &G) -> Option<Self> {
        let (judge, version): (Box<dyn Evaluator<G>>, _) = match text {
            RANDOM => (
                Box::new(RandomEvaluator::new(game.clone(), RANDOM_PLAYER_SEED)),
                format!("seed {RANDOM_PLAYER_SEED}"),
            ),
            text if text == G::BASELINE => (game.baseline(), String::new()),
            _ => return None,
        };
        let identity = match version.as_str() {
            "" => text.to_owned(),
            version => format!("{text}, {version}"),
        };
        let agent = Box::new(EvaluatorAgent::new(judge));
        Some(Self { agent, version, identity, is_baseline: true, _files: None })
    }
}

impl Player<Tables> {
    /// The player of a historical game that `text` names.
    pub fn of_family(text: &str, game: &Tables) -> Outcome<Self> {
        if let Some(player) = Self::baseline(text, game) {
            return Ok(player);
        }
        let (name, ahead) = name_and_lookahead(text)?;
        let path = Path::new(name);
        if !path.exists() {
            return Err(Failure::input(format_args!(
                "unknown player {text:?}, expected random, {} or a weights file for {}, or FILE{AT}1 \
                 to look 1 ply ahead",
                Tables::BASELINE,
                game.id()
            )));
        }
        let weights = judge::load_weights(Some(path))?;
        let judge = NetEvaluator::new(&weights, game.clone())
            .or_input_in(format_args!("cannot use {name}"))?;
        Ok(Self::network(game, Box::new(judge), None, ahead, judge::version(&weights)))
    }
}

impl Player<Backgammon> {
    /// The player that `text` names; engines count as hung after `timeout`.
    pub fn new(text: &str, game: Backgammon, timeout: Duration) -> Outcome<Self> {
        if let Some(player) = Self::baseline(text, &game) {
            return Ok(player);
        }
        match Named::new(text, game, timeout)? {
            Named::Network { judge, pruning, ahead, version } => {
                Ok(Self::network(&game, Box::new(judge), pruning, ahead, version))
            }
            Named::Engine { command, files } => {
                let agent = ExternalAgent::new(command, game).or_input()?;
                let version = agent.name().to_owned();
                let identity = version.clone();
                let agent = Box::new(agent);
                Ok(Self { agent, version, identity, is_baseline: false, _files: files })
            }
        }
    }
}

/// A player of backgammon with a cube, and which one exactly.
pub struct CubePlayer {
    /// Whether it knows so little that duels with it are decided by skill, not by luck.
    pub is_baseline: bool,
    /// Decides.
    pub agent: Box<dyn CubeAgent>,
    /// What identifies it beyond the name that was typed.
    pub version: String,
    /// The same without a name that may mean another player tomorrow.
    pub identity: String,
    _files: Option<TempDir>,
}

impl CubePlayer {
    /// The player that `text` names; engines count as hung after `timeout`.
    pub fn new(text: &str, game: Backgammon, timeout: Duration) -> Outcome<Self> {
        let baseline: Option<Box<dyn Evaluator<Backgammon>>> = match text {
            RANDOM => Some(Box::new(RandomEvaluator::new(game, RANDOM_PLAYER_SEED))),
            text if text == Backgammon::BASELINE => Some(game.baseline()),
            _ => None,
        };
        if let Some(judge) = baseline {
            let judge = CubefulJudge::new(game, judge, None);
            return Ok(Self::judging(judge, text.to_owned(), true));
        }
        match Named::new(text, game, timeout)? {
            Named::Network { judge, pruning, ahead: (ply, preset), version } => {
                let tables = judge.tables().clone();
                let settings = preset.at(ply);
                // Nothing is pruned at 0-ply.
                let how = pruning.as_ref().and(settings.pruning).filter(|_| ply > 0);
                let judge = CubefulJudge::new(game, Box::new(judge), pruning)
                    .with_tables(tables)
                    .with_settings(settings);
                let version = match ply {
                    0 => format!("{version}, 0-ply, cubeful"),
                    _ => format!("{version}, {ply}-ply, preset {preset}, cubeful"),
                };
                let player = Self::judging(judge, version, false);
                Ok(Self { identity: judge::pruned(player.identity, how), ..player })
            }
            Named::Engine { command, files } => {
                let agent = ExternalAgent::with_cube(command, game).or_input()?;
                let version = agent.name().to_owned();
                let identity = version.clone();
                let agent = Box::new(agent);
                Ok(Self { agent, version, identity, is_baseline: false, _files: files })
            }
        }
    }

    fn judging(judge: CubefulJudge, version: String, is_baseline: bool) -> Self {
        // Another cube model is another player.
        let identity = format!("{version}, cube model {}", EfficiencyModel::default());
        let agent = Box::new(CubefulAgent::new(judge));
        Self { agent, version, identity, is_baseline, _files: None }
    }
}

/// What a text names that is no baseline: with a cube or without it becomes another player.
enum Named {
    /// A network behind endgame tables, or behind none, and how far it looks ahead.
    Network {
        judge: TableEvaluator,
        pruning: Option<Box<dyn Evaluator<Backgammon>>>,
        ahead: (u8, Preset),
        version: String,
    },
    /// Another program, and the files that it needs.
    Engine { command: EngineCommand, files: Option<TempDir> },
}

impl Named {
    fn new(text: &str, game: Backgammon, timeout: Duration) -> Outcome<Self> {
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
        if name != tavola_engine::BUILT_IN && !path.exists() {
            return Err(Failure::input(format_args!(
                "unknown player {text:?}, expected default, random, pip-count, gnubg, gnubg:PLY, \
                 exec:COMMAND or a weights file; default{AT}2 or FILE{AT}2 to look 2 plies ahead, \
                 {RAW}default or {RAW}FILE to play without endgame tables and pruning"
            )));
        }
        let weights = judge::load_weights(Some(path))?;
        let judge = Judge::new(&weights, &judge::name(Some(path)))?
            .behind(judge::load_tables(&TableArgs { no_tables }));
        if let Some(warning) = judge.suits(game)? {
            crate::report::warning::warn(&warning);
        }
        // What is asked for raw, and without looking ahead, is the network alone.
        let pruning = if no_tables && ahead.0 == 0 { None } else { judge.pruning()? };
        let mut version = judge::version(&weights);
        if judge.evaluator.tables().iter().next().is_some() {
            version.push_str(", endgame tables");
        }
        Ok(Self::Network { judge: judge.evaluator, pruning, ahead, version })
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
        let Some(program) = find_program("gnubg") else {
            return Err(Failure::input(
                "gnubg is not installed, expected GNU Backgammon with Python in the search path; \
                 on Debian and Ubuntu: apt-get install gnubg",
            ));
        };
        let files = tempfile::tempdir().or_work_in("cannot make a directory for gnubg")?;
        let script = files.path().join("gnubg-engine.py");
        fs::write(&script, GNUBG_SCRIPT).or_work_in("cannot write the script for gnubg")?;
        let command = EngineCommand {
            program: program.display().to_string(),
            // No window, no banner, no settings of the user.
            args: ["-t", "-q", "-r", "-p"]
                .into_iter()
                .map(str::to_owned)
                .chain([script.display().to_string()])
                .collect(),
            env: vec![
                ("TAVOLA_GNUBG_PLY".to_owned(), ply.to_string()),
                // gnubg makes a directory for settings, and none of the user's should have a say.
                ("HOME".to_owned(), files.path().display().to_string()),
            ],
            timeout,
        };
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

fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from(GAMES_DIRECTORY)])
        .map(|directory| directory.join(name))
        .find(|program| program.is_file())
}
