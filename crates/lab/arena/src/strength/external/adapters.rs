//! Programs that play by a script of this one: GNU Backgammon and Open Sage.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use tavola_evaluator::NEVER;
use tavola_files::Failure;
use tavola_protocols::EngineCommand;

/// Where Debian keeps games, which not every search path names.
const GAMES_DIRECTORY: &str = "/usr/games";

/// Most plies that GNU Backgammon looks ahead.
pub const GNUBG_MOST_PLIES: u8 = 7;

/// Deepest level of Open Sage, whose bare network is the first.
pub const SAGE_MOST_PLIES: u8 = 4;

/// A command, and the files that it needs while it plays.
type Adapted = (EngineCommand, TempDir);

/// The command that starts GNU Backgammon, looking this many plies ahead, and its files.
///
/// # Errors
///
/// [`Failure`] if it is not installed or its files can't be written.
pub fn gnubg(ply: u8, timeout: Duration) -> Result<Adapted, Failure> {
    let expected = "GNU Backgammon with Python in the search path; on Debian and Ubuntu: apt-get \
                    install gnubg";
    let script = include_str!("gnubg-engine.py");
    let (command, files) = adapted(&["gnubg"], expected, script, timeout)?;
    let env = vec![
        ("TAVOLA_GNUBG_PLY".to_owned(), ply.to_string()),
        // gnubg makes a directory for settings, and none of the user's should have a say.
        ("HOME".to_owned(), files.path().display().to_string()),
    ];
    // No window, no banner, no settings of the user.
    let args = ["-t", "-q", "-r", "-p"].map(str::to_owned).into_iter().chain(command.args);
    Ok((EngineCommand { args: args.collect(), env, ..command }, files))
}

/// The command that starts Open Sage at this level by its own name, and its files. Its script says
/// whether the Python package is there, in the version that is known to work.
///
/// # Errors
///
/// [`Failure`] if there is no Python or the files can't be written.
pub fn sage(ply: u8, timeout: Duration) -> Result<Adapted, Failure> {
    let expected = "Python 3 in the search path with Open Sage: pip install bgsage==2.0.20260907";
    let script = include_str!("sage-engine.py");
    let (mut command, files) = adapted(&["python3", "python"], expected, script, timeout)?;
    command.args.push(format!("{ply}ply"));
    Ok((command, files))
}

/// The command that starts the first of these programs that is there with a script, whose path is
/// its argument.
fn adapted(
    programs: &[&str],
    expected: &str,
    script: &str,
    timeout: Duration,
) -> Result<Adapted, Failure> {
    let name = programs[0];
    let program = programs
        .iter()
        .find_map(|name| find_program(name))
        .ok_or_else(|| Failure::input(format!("{name} is not installed, expected {expected}")))?;
    let failed = Failure::input_in(format!("cannot write the script for {name}"));
    let files = tempfile::tempdir().map_err(&failed)?;
    let path = files.path().join("engine.py");
    fs::write(&path, script).map_err(&failed)?;
    let (args, env) = (vec![path.display().to_string()], Vec::new());
    Ok((EngineCommand { program, args, env, timeout, called_off: &NEVER }, files))
}

fn find_program(name: &str) -> Option<String> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from(GAMES_DIRECTORY)])
        .map(|directory| directory.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
        .find(|program| program.is_file())
        .map(|program| program.display().to_string())
}
