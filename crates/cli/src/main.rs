//! The tavola command line, and the only crate that prints.
//!
//! `args` has what commands share on the command line, `commands` one file per subcommand; `ask`
//! takes their questions to the engine, `report` formats. Results go to stdout; progress, warnings
//! and errors to stderr.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use crate::args::Cli;

mod args;
mod ask;
mod cancel;
mod commands;
mod failure;
mod lookahead;
mod networks;
mod report;
mod terms;

fn main() -> ExitCode {
    let cli = match Cli::parse_from_program(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come here too. A reader that has gone away needs no answer.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let result = commands::run(cli.command, &mut out)
        .and_then(|()| out.flush().map_err(failure::Failure::from));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            // What was answered before the failure still counts.
            let _ = out.flush();
            report::warning::error(&failure);
            failure.exit_code()
        }
    }
}
