//! Who plays: what can be typed for A and B.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tavola_evaluator::{PipCountEvaluator, RandomEvaluator};
use tavola_play::{Contender, EngineCommand, EvaluatorAgent, ExternalAgent};
use tavola_rules::Backgammon;
use tempfile::TempDir;

use crate::builtin;
use crate::failure::{Blame, Failure, Outcome};
use crate::judge::{self, Judge};

/// The name of the player who plays at random.
const RANDOM: &str = "random";

/// The name of the player who plays to lead the race.
const PIP_COUNT: &str = "pip-count";

/// The seed of the player who plays at random: he is the same one in every duel.
const RANDOM_PLAYER_SEED: u64 = 1;

/// The script that makes GNU Backgammon speak the protocol of engines.
const GNUBG_SCRIPT: &str = include_str!("../../../../../scripts/gnubg-engine.py");

/// Where Debian keeps games, which not every search path names.
const GAMES_DIRECTORY: &str = "/usr/games";

/// Most plies that GNU Backgammon looks ahead.
const GNUBG_MOST_PLIES: u8 = 7;

/// A player, and which one exactly.
pub struct Player {
    /// Whether it knows so little that duels with it are decided by skill, not by luck.
    pub is_baseline: bool,
    /// Chooses the plays.
    pub agent: Box<dyn Contender<Backgammon>>,
    /// What identifies it beyond the name that was typed: a checksum, a version; may be empty.
    pub version: String,
    /// Files that the player needs while it plays.
    _files: Option<TempDir>,
}

impl Player {
    /// The player that `text` names; engines count as hung after `timeout`.
    pub fn new(text: &str, game: Backgammon, timeout: Duration) -> Outcome<Self> {
        let plain = |agent: EvaluatorAgent<Backgammon>, version: String| Self {
            agent: Box::new(agent),
            version,
            is_baseline: matches!(text, RANDOM | PIP_COUNT),
            _files: None,
        };
        if let Some(command) = text.strip_prefix("exec:") {
            return Self::engine(command, game, timeout);
        }
        if text == "gnubg" || text.starts_with("gnubg:") {
            return Self::gnubg(text, game, timeout);
        }
        Ok(match text {
            RANDOM => {
                let random = RandomEvaluator::new(game, RANDOM_PLAYER_SEED);
                plain(EvaluatorAgent::new(Box::new(random)), format!("seed {RANDOM_PLAYER_SEED}"))
            }
            PIP_COUNT => {
                let racer = PipCountEvaluator::new(game);
                plain(EvaluatorAgent::new(Box::new(racer)), String::new())
            }
            text => {
                let path = Path::new(text);
                if text != builtin::NAME && !path.exists() {
                    return Err(Failure::input(format_args!(
                        "unknown player {text:?}, expected default, random, pip-count, gnubg, \
                         gnubg:PLY, exec:COMMAND or a weights file"
                    )));
                }
                let weights = judge::load_weights(Some(path))?;
                let judge = Judge::new(&weights, &judge::name(Some(path)))?;
                if let Some(warning) = judge.suits(game)? {
                    warning.print();
                }
                plain(EvaluatorAgent::new(Box::new(judge.evaluator)), judge::version(&weights))
            }
        })
    }

    fn engine(command: &str, game: Backgammon, timeout: Duration) -> Outcome<Self> {
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
        Self::external(command, game, None)
    }

    fn gnubg(text: &str, game: Backgammon, timeout: Duration) -> Outcome<Self> {
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
        Self::external(command, game, Some(files))
    }

    fn external(command: EngineCommand, game: Backgammon, files: Option<TempDir>) -> Outcome<Self> {
        let agent = ExternalAgent::new(command, game).or_input()?;
        let version = agent.name().to_owned();
        Ok(Self { agent: Box::new(agent), version, is_baseline: false, _files: files })
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from(GAMES_DIRECTORY)])
        .map(|directory| directory.join(name))
        .find(|program| program.is_file())
}
