//! `tavola completions`: what shells need to complete command lines.

use clap::Args;
use clap_complete::Shell;

use crate::args::example;
use crate::cli;
use crate::failure::Outcome;
use crate::report::table::Out;

/// Print what a shell needs to complete command lines.
///
/// Commands, options, games and presets are completed.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola completions bash > ~/.local/share/bash-completion/completions/tavola\n  \
         tavola completions zsh > ~/.zfunc/_tavola\n  \
         tavola completions fish > ~/.config/fish/completions/tavola.fish"
    )
)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Prints the completions.
pub fn run(args: &CompletionsArgs, out: &mut dyn Out) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::whole(), "tavola", &mut script);
    out.write_all(&script)?;
    Ok(())
}
