//! GNU Backgammon as an engine.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use tavola_protocols::EngineCommand;

/// The script that makes GNU Backgammon speak the protocol of engines.
const SCRIPT: &str = include_str!("gnubg-engine.py");

/// Where Debian keeps games, which not every search path names.
const GAMES_DIRECTORY: &str = "/usr/games";

/// Most plies that GNU Backgammon looks ahead.
pub const GNUBG_MOST_PLIES: u8 = 7;

/// Why GNU Backgammon can't play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GnubgError {
    /// It is not there.
    #[error(
        "gnubg is not installed, expected GNU Backgammon with Python in the search path; on Debian \
         and Ubuntu: apt-get install gnubg"
    )]
    NotInstalled,
    /// The script can't be put where it reads it.
    #[error("cannot write the script for gnubg")]
    Script(#[from] io::Error),
}

/// The command that starts GNU Backgammon, looking this many plies ahead, and the files that it
/// needs while it plays.
///
/// # Errors
///
/// [`GnubgError`] if it is not installed or its files can't be written.
pub fn gnubg(ply: u8, timeout: Duration) -> Result<(EngineCommand, TempDir), GnubgError> {
    let program = find_program("gnubg").ok_or(GnubgError::NotInstalled)?;
    let files = tempfile::tempdir()?;
    let script = files.path().join("gnubg-engine.py");
    fs::write(&script, SCRIPT)?;
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
    Ok((command, files))
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from(GAMES_DIRECTORY)])
        .map(|directory| directory.join(name))
        .find(|program| program.is_file())
}
