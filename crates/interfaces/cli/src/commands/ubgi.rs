//! `tavola ubgi`: the engine's side of the Universal Backgammon Interface, and a check of other
//! engines.

use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use clap::Args;
use tavola_engine::{Effort, Engine, Question, named};
use tavola_evaluator::NEVER;
use tavola_protocols::EngineCommand;
use tavola_protocols::ubgi::check::{CheckOutcome, CheckReport, Checked, Requirement, check};
use tavola_protocols::ubgi::{Dialect, UbgiServer};

use crate::args::{EngineArgs, OutputArgs, example, seconds};
use crate::ask::write_json;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::table::Out;

/// Speak UBGI, the Universal Backgammon Interface.
///
/// It goes over stdin and stdout, so that any program that knows it can use tavola. The dialects
/// 0.1 and 0.2 are understood together, and the bare positions of draft 0.01 too; --dialect greets
/// as one of them alone.
///
/// Engines are asked about plays, doubles and takes; `go` takes depth, movetime and trials, and
/// `stop` ends it with the best answer so far. docs/engines.md has the details.
///
/// With --check another engine is asked instead, and every answer is compared with the protocol.
/// `tavola duel default "ubgi:./engine"` plays against it.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  printf 'ubgi\\nposition gnubgid 4HPwATDgc/ABMA\\ndice 3 1\\ngo chequer\\n' | tavola ubgi\n  \
         tavola ubgi --check \"./other-engine --fast\"\n  \
         tavola duel default \"ubgi:Ply=1 ./other-engine\" --games 100"
    )
)]
pub struct UbgiArgs {
    /// Greet and answer as this dialect alone has it: 0.01, 0.1 or 0.2
    #[arg(long, value_name = "VERSION", value_parser = named::<Dialect>())]
    pub dialect: Option<Dialect>,
    /// How far to look ahead where a request names no depth.
    #[command(flatten)]
    pub effort: Effort,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Check another engine: a program with its arguments, quoted as for a shell
    #[arg(long, value_name = "COMMAND")]
    pub check: Option<String>,
    /// Seconds for each answer of the engine that is checked
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, requires = "check")]
    pub engine_timeout: Duration,
    /// The result of the check as JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Answers until the input ends, or checks another engine.
pub fn run(args: &UbgiArgs, out: &mut dyn Out) -> Outcome {
    if let Some(command) = &args.check {
        return run_check(args, command, out);
    }
    let question = Question { effort: args.effort, ..Question::backgammon(args.engine.model()) };
    // An unusable network is known before the first request.
    Engine::without_tables().network(question.model.as_deref(), &question.game.id())?;
    let store = args.engine.store();
    let make = move |threads| Engine::new(threads, store.clone());
    let mut server = UbgiServer::new(question, args.engine.threads.count(), make);
    if let Some(dialect) = args.dialect {
        server = server.with_dialect(dialect);
    }
    // Stdout belongs to this thread; the session reads and searches in its own.
    let (sender, texts) = channel();
    let session = thread::spawn(move || server.serve(io::stdin().lock(), Pipe(sender)));
    for text in texts {
        out.write_all(&text)?;
        out.flush()?;
    }
    session
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        .or_work_in("cannot read the requests")
}

/// Takes what a session writes to the thread that owns stdout.
struct Pipe(Sender<Vec<u8>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn run_check(args: &UbgiArgs, command: &str, out: &mut dyn Out) -> Outcome {
    let words = shlex::split(command).ok_or_else(|| {
        Failure::input(format_args!("--check {command:?}: a quote is not closed"))
    })?;
    let mut words = words.into_iter();
    let program = words.next().ok_or_else(|| {
        Failure::input("--check names no program, expected one with its arguments")
    })?;
    let command = EngineCommand {
        program,
        args: words.collect(),
        env: Vec::new(),
        timeout: args.engine_timeout,
        called_off: &NEVER,
    };
    let mut failure = None;
    let report = check(&command, &mut |checked| {
        if !args.output.json && failure.is_none() {
            failure = write_checked(checked, out).and_then(|()| out.flush()).err();
        }
    })
    .or_input_in(format_args!("cannot start {:?}", command.program))?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    match args.output.json {
        true => drop(write_json(&report, out)?),
        false => write_summary(&report, out)?,
    }
    if report.is_conformant() {
        return Ok(());
    }
    let (failed, of) = (report.failed(Requirement::Required), report.count(Requirement::Required));
    Err(Failure::answered(format_args!("{failed} of {of} required checks failed")))
}

fn write_checked(checked: &Checked, out: &mut dyn Out) -> io::Result<()> {
    let (word, detail) = match &checked.verdict {
        CheckOutcome::Passed => ("ok", String::new()),
        CheckOutcome::Failed(reason) => ("FAILED", format!(": {reason}")),
        CheckOutcome::Missing(reason) => ("not there", format!(": {reason}")),
    };
    let level = match checked.level {
        Requirement::Required => "required",
        Requirement::Optional => "optional",
    };
    writeln!(out, "{word:9}  {level}  {}{detail}", checked.name)
}

fn write_summary(report: &CheckReport, out: &mut dyn Out) -> io::Result<()> {
    let count = |level| format!("{} of {}", report.passed(level), report.count(level));
    let [required, optional] = [Requirement::Required, Requirement::Optional].map(count);
    write!(out, "\n{}, UBGI {}: ", report.engine, report.dialects.join(" and "))?;
    writeln!(out, "{required} required and {optional} optional checks passed")
}
