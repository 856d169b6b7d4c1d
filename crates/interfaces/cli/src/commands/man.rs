//! `tavola man`: the manual pages, for packages.

use std::path::PathBuf;

use clap::Args;

use crate::args::{PLAYERS_HELP, POSITION_HELP};
use crate::cli;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::table::Out;

/// Write the manual pages of all commands to a folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tavola man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// The folder, which is created if it does not exist
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Replace pages that exist
    #[arg(long)]
    pub force: bool,
}

/// Writes the pages and prints their number.
pub fn run(args: &ManArgs, out: &mut dyn Out) -> Outcome {
    let folder = args.folder.display();
    std::fs::create_dir_all(&args.folder).or_input_in(format_args!("cannot create {folder}"))?;
    let page = args.folder.join("tavola.1");
    if page.exists() && !args.force {
        return Err(Failure::input(format_args!(
            "{} exists already, expected another folder, or --force to replace the pages",
            page.display()
        )));
    }
    let command = cli::whole().disable_help_subcommand(true);
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = command.after_long_help(format!("{after}\n\n{POSITION_HELP}\n\n{PLAYERS_HELP}"));
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set()).count();
    clap_mangen::generate_to(command, &args.folder)
        .or_work_in(format_args!("cannot write to {folder}"))?;
    writeln!(out, "{folder}: tavola.1 and the pages of {commands} commands")?;
    Ok(())
}
