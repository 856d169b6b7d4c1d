//! `tavola external`: the sockets of GNU Backgammon, either way.

use std::io::{self, BufReader};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use tavola_engine::{Effort, Question, Watch};
use tavola_protocols::gnubg::{Connection, GnubgEvaluation, Opponent};
use tavola_rules::Backgammon;
use tavola_rules::notation::read_situation;

use crate::args::{EngineArgs, OutputArgs, example, seconds};
use crate::ask::write_json;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::table::Out;
use crate::report::warning;

/// Play against GNU Backgammon over its socket, or ask it.
///
/// With --port this waits for connections as an external player, and `set player 0 external
/// localhost:PORT` in GNU Backgammon makes tavola one of its players. Plays, doubles, takes, drops
/// and beavers are answered, and evaluations as GNU Backgammon's own server answers them.
///
/// With --ask it is the other way: a GNU Backgammon that was told `external localhost:PORT`
/// evaluates positions. docs/engines.md has more.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola external --port 1234                    then: set player 0 external localhost:1234\n  \
         tavola external --ask localhost:1234 4HPwATDgc/ABMA --cubeful"
    )
)]
pub struct ExternalArgs {
    /// Wait for GNU Backgammon on this port; 0 is any that is free
    #[arg(long, value_name = "PORT", required_unless_present = "ask", conflicts_with = "ask")]
    pub port: Option<u16>,
    /// The address to wait on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: String,
    /// End after the first connection
    #[arg(long, conflicts_with = "ask")]
    pub once: bool,
    /// Money games are played with the Jacoby rule, as GNU Backgammon plays them; its boards do not
    /// tell
    #[arg(long, conflicts_with = "ask")]
    pub jacoby: bool,
    /// Money games are played with beavers, as GNU Backgammon plays them
    #[arg(long, conflicts_with = "ask")]
    pub beavers: bool,
    /// Ask a GNU Backgammon that waits there for its evaluation of positions
    #[arg(long, value_name = "HOST:PORT")]
    pub ask: Option<String>,
    /// The positions to ask about
    #[arg(value_name = "POSITION", requires = "ask")]
    pub positions: Vec<String>,
    /// Ask for equities with the cube
    #[arg(long, requires = "ask")]
    pub cubeful: bool,
    /// Seconds for each answer of GNU Backgammon
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, requires = "ask")]
    pub engine_timeout: Duration,
    /// How far to look ahead.
    #[command(flatten)]
    pub effort: Effort,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// How answers are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Serves, or asks.
pub fn run(args: &ExternalArgs, out: &mut dyn Out) -> Outcome {
    match &args.ask {
        Some(address) => ask(args, address, out),
        None => serve(args, out),
    }
}

fn serve(args: &ExternalArgs, out: &mut dyn Out) -> Outcome {
    let engine = args.engine.engine();
    let question = Question { effort: args.effort, ..Question::backgammon(args.engine.model()) };
    // An unusable network is known before the first board, and the tables are there.
    engine.network(question.model.as_deref(), &question.game.id())?;
    engine.tables(&Watch::default());
    let address = (args.host.as_str(), args.port.unwrap_or_default());
    let listener = TcpListener::bind(address)
        .or_input_in(format_args!("cannot wait on {}:{}", address.0, address.1))?;
    let port = listener.local_addr().or_work_in("cannot tell the port")?.port();
    writeln!(out, "waiting on {}:{port}", args.host)?;
    out.flush()?;
    let opponent = Opponent {
        engine: &engine,
        question: &question,
        jacoby: args.jacoby,
        beavers: args.beavers,
    };
    thread::scope(|scope| {
        for stream in listener.incoming() {
            let stream = stream.or_work_in("cannot take a connection")?;
            if args.once {
                return answer(&opponent, &stream);
            }
            let opponent = &opponent;
            scope.spawn(move || {
                if let Err(failure) = answer(opponent, &stream) {
                    warning::warn(&failure.message());
                }
            });
        }
        Ok(())
    })
}

/// Answers one connection, and says on stderr what came of it.
fn answer(opponent: &Opponent<'_>, stream: &TcpStream) -> Outcome {
    let peer = stream.peer_addr().map_or_else(|_| "a program".to_owned(), |peer| peer.to_string());
    let tell = |line: &str, answer: &str| warning::detail(&format!("{line}\n  {answer}"));
    let output = io::BufWriter::new(stream);
    let served = opponent.serve(BufReader::new(stream), output, &tell);
    let served = served.or_work_in(format_args!("the connection with {peer} broke"))?;
    warning::note(&format!("{peer}: {served}"));
    Ok(())
}

/// An answer of GNU Backgammon.
#[derive(Serialize)]
struct GnubgAnswer<'a> {
    position: &'a str,
    #[serde(flatten)]
    evaluation: GnubgEvaluation,
    ply: u8,
    cubeful: bool,
}

fn ask(args: &ExternalArgs, address: &str, out: &mut dyn Out) -> Outcome {
    let start = ["start".to_owned()];
    let positions = if args.positions.is_empty() { &start[..] } else { &args.positions };
    let situations = positions.iter().map(|text| {
        read_situation(text, Backgammon::Standard).map(|reading| reading.situation).or_input()
    });
    let situations = situations.collect::<Outcome<Vec<_>>>()?;
    if let Some(level) = args.effort.level.filter(|level| level.plies().is_none()) {
        let message = "does not go with --ask, expected plies: 0, 1, 2 or 3";
        return Err(Failure::input(format_args!("--level {level} {message}")));
    }
    let settings = args.effort.settings();
    let mut connection = Connection::open(address, args.engine_timeout).or_input()?;
    for (position, situation) in positions.iter().zip(&situations) {
        let evaluation = connection
            .evaluate(situation, settings.ply, args.cubeful)
            .or_work_in("GNU Backgammon")?;
        let (ply, cubeful) = (settings.ply, args.cubeful);
        if args.output.json {
            write_json(&GnubgAnswer { position, evaluation, ply, cubeful }, out)?;
            continue;
        }
        let percent = evaluation.probs.map(|probability| format!("{:.1}", 100.0 * probability));
        writeln!(out, "{position}  {:+.3}  {}", evaluation.value, percent.join(" "))?;
    }
    Ok(())
}
