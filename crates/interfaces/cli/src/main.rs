//! The tavola command line, and the only crate that prints.
//!
//! `cli` has the subcommands, `args` the options that they share, `commands` a file for each; `ask`
//! takes their questions to the engine, `report` formats. Results go to stdout; progress, warnings
//! and errors to stderr.

// What is left out leaves helpers behind that nothing uses.
#![cfg_attr(
    not(all(feature = "board", feature = "fleet", feature = "pictures", feature = "screen")),
    allow(dead_code)
)]

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind;
use tavola_net::Kernel;

use crate::cli::Cli;
use crate::failure::{Failure, Outcome};
use crate::report::table::Printer;

mod about;
#[cfg(not(all(feature = "board", feature = "fleet", feature = "pictures", feature = "screen")))]
mod absent;
mod args;
mod ask;
mod beside;
mod cancel;
mod cli;
mod commands;
mod failure;
mod help;
mod many;
mod match_files;
mod networks;
mod outputs;
mod report;
mod terms;
mod tips;
mod version;

/// The columns of the screen: those of `COLUMNS`, or of the terminal that stdout is.
fn screen() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    said.or_else(|| terminal().map(|(width, _)| usize::from(width.0)))
}

/// Runs the command, prints its answer, and writes its tables to the file of `--csv=FILE`.
fn answer(cli: Cli, out: &mut dyn Write) -> Outcome {
    cli.outputs.check()?;
    let mut printer = Printer::new(out, cli.form, screen());
    printer.color = report::board::has_color(cli.color);
    printer.file = cli.csv.as_ref().map(|_| Vec::new());
    let run = cli::run(cli.command, &mut printer);
    let is_empty = printer.is_empty();
    match (&run, &cli.csv) {
        (Ok(()), _) if is_empty => {
            return Err(Failure::input("the answer has no table, expected --json, or no --csv"));
        }
        // What was found before the end counts.
        (_, Some(file)) if !is_empty => file.write(&printer.file.unwrap_or_default())?,
        _ => {}
    }
    run
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Known before the arguments are understood: an error about them is an answer too.
    let json = arguments.iter().any(|argument| argument == "--json");
    let began = Instant::now();
    let wants_all =
        arguments.iter().any(|argument| argument == "--version" || argument == "version");
    let mut out = BufWriter::new(io::stdout().lock());
    let result = match Cli::parse_from_program(arguments) {
        Ok(cli) => {
            report::warning::set_volume(cli.volume());
            Kernel::in_use()
                .map_err(Failure::input)
                .and_then(|_| answer(cli, &mut out))
                .and_then(|()| out.flush().map_err(Failure::from))
                .inspect(|()| report::warning::detail(&format!("took {:.2?}", began.elapsed())))
        }
        Err(told) if told.kind() == ErrorKind::DisplayVersion && wants_all => version::long()
            .and_then(|text| {
                out.write_all(text.as_bytes())?;
                Ok(out.flush()?)
            }),
        // Help and version come as errors too.
        Err(error) if error.use_stderr() => Err(Failure::arguments(error)),
        Err(told) => told.print().and_then(|()| io::stdout().flush()).map_err(Failure::from),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            report::warning::error(&failure);
            // An answer that was given before the failure stays alone.
            if json && out.buffer().is_empty() && !failure.is_answered() {
                // If this fails too, stderr has said it already.
                let _ = writeln!(out, "{}", failure.to_json());
            }
            // What was answered before the failure still counts.
            let _ = out.flush();
            failure.exit_code()
        }
    }
}
