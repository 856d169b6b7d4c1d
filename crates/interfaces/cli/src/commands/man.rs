//! `tavola man`: the manual pages, for packages.

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::cli::Cli;
use crate::failure::{Blame, Outcome};
use crate::report::table::Out;

/// Write the manual pages of all commands to a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tavola man ~/.local/share/man/man1", hide = true)]
pub struct ManArgs {
    /// The folder, which is created if it does not exist
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// Writes the pages and prints their number.
pub fn run(args: &ManArgs, out: &mut dyn Out) -> Outcome {
    let folder = args.folder.display();
    std::fs::create_dir_all(&args.folder).or_input_in(format_args!("cannot create {folder}"))?;
    let command = Cli::command().disable_help_subcommand(true);
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set()).count();
    clap_mangen::generate_to(command, &args.folder)
        .or_input_in(format_args!("cannot write to {folder}"))?;
    writeln!(out, "{folder}: tavola.1 and the pages of {commands} commands")?;
    Ok(())
}
