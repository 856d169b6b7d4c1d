//! Groups of options that commands share, so that the same thing has the same name everywhere.
//!
//! A command's own arguments stand in its file.

use std::error::Error;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};
use serde::Serialize;
use tavola_bearoff::Store;
use tavola_engine::Engine;
use tavola_evaluator::remote::OnFleet;
use tavola_files::limits::THREADS;
#[cfg(feature = "fleet")]
pub use tavola_fleet::Fleet;
#[cfg(feature = "fleet")]
use tavola_fleet::{Address, FleetSettings};
use tavola_games::{AnyGame, NamedGame};
use tavola_rules::Beavers;
use tavola_rules::board::Orientation;

#[cfg(not(feature = "fleet"))]
pub use crate::absent::Fleet;
use crate::ask;
#[cfg(feature = "fleet")]
use crate::failure::Failure;
use crate::failure::Outcome;
use crate::outputs::{Content, OutputFile, writes};
use crate::report::table::Out;
use crate::report::warning;
#[cfg(feature = "fleet")]
use crate::version;

/// The accepted notations, told once and shown by every command that takes a position.
pub const POSITION_HELP: &str = "\
Positions:
  A position is always seen from the player on roll, who moves from 24 to 1:
    GNU Position ID    4HPwATDgc/ABMA
    ... with Match ID  4HPwATDgc/ABMA:cIkFAAAAAAAE
    XGID               XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10
                       nine fields will do, without the largest cube
    OGID               11ccccchhhjjjjj:66666888dddddoo:N0N:13:B::0:0:0:0
    FIBS board         board:You:Opponent:1:0:0:... as the server sends it
    26 integers        0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0
                       opponent's bar, points 1 to 24, own bar; own positive
    start              the start position of the game, also if none is given
  What no answer depends on, such as a largest cube, is ignored with a warning.
  The historical games have a notation of their own, the player on roll first
  and either side in its own numbering:
    tabula             '3:2 5:1 hand:12 first / 12:14 bar:1'
  docs/games/ has it in full.";

/// The names of players, told once.
pub const PLAYERS_HELP: &str = "\
A player is one of
  default       the built-in network
  FILE          the network of a weights file
  NAME@PLY      either of these, with PLY rolls of lookahead (0 to 3, with more
                than two players 0 to 2), or with another preset than normal:
                NAME@PLY/PRESET
  NAME@0/full   the same without the pruning network, which otherwise leaves few
                candidates at 0-ply without a cube
  raw:NAME      any of these without bear-off databases, and at 0-ply without
                the pruning network
  random        plays at random
  pip-count     plays to lead the race (backgammon and its variants)
  rule-based    follows a few rules of thumb (the other games)
  gnubg[:PLY]   GNU Backgammon, if it is installed, 0-ply unless told otherwise
  sage[:LEVEL]  Open Sage, if it is installed, 1ply (bare network) to 4ply
  exec:COMMAND  another engine, see docs/engines.md
  ubgi:COMMAND  another engine that speaks UBGI, options as NAME=VALUE before";

/// A position and the game that it belongs to.
#[derive(Debug, Args)]
pub struct PositionArgs {
    /// The position, in a notation of `tavola help positions` [default: the start position]
    #[arg(value_name = "POSITION")]
    pub position: Option<String>,
    /// The game, with options as in puff:cap=none
    #[arg(long, default_value = "backgammon", value_parser = any_game())]
    pub game: NamedGame,
}

/// A roll.
#[derive(Debug, Args)]
pub struct RollArgs {
    /// The roll, as 31, 3-1 or 3,1, or 655 where there are three dice [default: the dice that an
    /// XGID carries]
    #[arg(long, short, value_name = "DICE")]
    pub roll: Option<String>,
}

/// The network that evaluates.
#[derive(Debug, Args)]
pub struct ModelArg {
    /// Weights file of the network that evaluates [default: TAVOLA_MODEL, else the built-in network]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
}

/// The bear-off databases before the network.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Let the network evaluate endgames too, without the tables of `tavola bearoff`
    #[arg(long)]
    pub no_tables: bool,
}

/// What answers questions: network, endgame databases, threads.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// The network.
    #[command(flatten)]
    pub network: ModelArg,
    /// Endgame databases.
    #[command(flatten)]
    pub tables: TableArgs,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

impl EngineArgs {
    /// The engine that these ask for.
    pub fn engine(&self) -> Engine {
        Engine::new(self.threads.count(), self.store())
    }

    /// Where its bear-off databases are, unless it goes without.
    pub fn store(&self) -> Option<Store> {
        (!self.tables.no_tables).then(Store::of_user)
    }

    /// The weights file that is named.
    pub fn model(&self) -> Option<PathBuf> {
        self.network.model.clone()
    }
}

/// How a result is written.
#[derive(Clone, Copy, Debug, Args)]
pub struct OutputArgs {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// How a table of figures is written.
#[derive(Clone, Debug, Default, Args)]
pub struct FormArgs {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Print the tables alone, as comma-separated values; --csv=FILE writes them to a file, beside
    /// what is printed
    #[arg(long, value_name = "FILE", require_equals = true, value_parser = writes(Content::Values))]
    pub csv: Option<Option<OutputFile>>,
    /// Print tables as Markdown
    #[arg(long)]
    pub markdown: bool,
}

impl FormArgs {
    /// Writes an answer as JSON with `--json`; whether it is [complete](Out::whole) then.
    pub fn answered(&self, answer: &impl Serialize, out: &mut dyn Out) -> Outcome<bool> {
        Ok(self.json && ask::write_json(answer, out)?)
    }
}

/// How a board is drawn on a terminal.
#[derive(Debug, Args)]
pub struct BoardArgs {
    /// Draw the board with plain ASCII characters
    #[arg(long)]
    pub ascii: bool,
    /// When to use color; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto)]
    pub color: ColorWhen,
    /// Draw the home boards at the left, so that the player on roll moves clockwise
    #[arg(long)]
    pub clockwise: bool,
    /// Draw the player on roll at the top
    #[arg(long)]
    pub flip: bool,
    /// Leave the board out of the text
    #[arg(long, conflicts_with_all = ["ascii", "clockwise", "flip"])]
    pub no_board: bool,
}

impl BoardArgs {
    /// From where the board is seen.
    pub const fn orientation(&self) -> Orientation {
        Orientation { clockwise: self.clockwise, flipped: self.flip }
    }
}

/// Threads to work with.
#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadArgs {
    /// Threads to use; results do not depend on it [default: TAVOLA_THREADS, else all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=THREADS.default as i64))]
    pub threads: Option<u16>,
}

impl ThreadArgs {
    /// The threads of `--threads`, or one for each core.
    pub fn count(&self) -> NonZeroUsize {
        self.threads
            .and_then(|threads| NonZeroUsize::new(threads.into()))
            .or_else(|| std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN)
    }
}

/// How to connect to the NATS server of a fleet.
#[derive(Debug, Args)]
pub struct FleetConnection {
    /// NATS credentials file of this user
    #[arg(long, value_name = "FILE")]
    pub creds: Option<PathBuf>,
    /// Certificates (PEM) that the NATS server is checked by; connects by TLS only
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
}

#[cfg(feature = "fleet")]
impl FleetConnection {
    /// The server at `url`.
    pub fn address(&self, url: &str) -> Address {
        let (credentials, tls_ca) = (self.creds.clone(), self.tls_ca.clone());
        Address { url: url.to_owned(), credentials, tls_ca, commit: version::COMMIT }
    }
}

/// Over the options of a fleet. A heading of a whole struct would stand over what follows it too.
const FLEET: &str = "With a fleet of workers";

/// The fleet that does the work of a command, if one is named.
#[derive(Debug, Args)]
pub struct FleetArgs {
    /// Have the work done by the workers (`tavola worker`) of this NATS server, as
    /// nats://HOST:4222; the result is the same
    #[arg(long, value_name = "URL", help_heading = FLEET)]
    pub fleet: Option<String>,
    /// Share of the packets of work that a second worker does too, to find wrong results, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, requires = "fleet",
          value_parser = number(0.0..=1.0, "a number from 0 to 1"), help_heading = FLEET)]
    pub fleet_check: f64,
    /// Seconds without a sign of life after which a worker's packet goes to another one
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, requires = "fleet",
          help_heading = FLEET)]
    pub fleet_patience: Duration,
    /// How to connect to the fleet.
    #[command(flatten)]
    pub connection: FleetConnection,
}

impl FleetArgs {
    /// The fleet. A resumed run finds what it has left there by its directory.
    pub fn connect(&self, run: Option<&Path>) -> Outcome<Option<Fleet>> {
        self.fleet.as_ref().map(|url| self.connect_to(url, run)).transpose()
    }

    #[cfg(not(feature = "fleet"))]
    fn connect_to(&self, _: &str, _: Option<&Path>) -> Outcome<Fleet> {
        Err(Fleet::missing())
    }

    #[cfg(feature = "fleet")]
    fn connect_to(&self, url: &str, run: Option<&Path>) -> Outcome<Fleet> {
        let settings = FleetSettings {
            address: self.connection.address(url),
            check: self.fleet_check,
            ack_wait: self.fleet_patience,
        };
        Fleet::connect(settings, run).map_err(Failure::of_fleet("cannot use the fleet"))
    }
}

/// What --beavers and --raccoons allow, of which the latter include the former.
pub const fn beavers(beavers: bool, raccoons: bool) -> Beavers {
    match (beavers, raccoons) {
        (_, true) => Beavers::Raccoons,
        (true, false) => Beavers::Beavers,
        (false, false) => Beavers::Off,
    }
}

/// A fleet as work is given to it; its warnings go to stderr.
pub fn on_fleet(fleet: &Option<Fleet>) -> Option<OnFleet<'_>> {
    fleet.as_ref().map(|remote| OnFleet { remote, warn: &|text| warning::note(&text) })
}

/// The parser of numbers of a range, of which `expected` tells.
pub fn number<T: FromStr + PartialOrd + Clone>(
    range: RangeInclusive<T>,
    expected: &str,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("expected {expected}")),
    }
}

/// When to use color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// All games by their names, those for more than two players too.
pub fn any_game() -> impl TypedValueParser<Value = NamedGame> {
    Listed { read: |text| Ok(text.parse()?), names: NamedGame::names }
}

/// The games for two by their names, which may have options behind them.
pub fn game() -> impl TypedValueParser<Value = AnyGame> {
    Listed { read: |text| Ok(text.parse()?), names: AnyGame::names }
}

/// Reads a value that has a name, perhaps with more behind it. Help and completions show the names.
#[derive(Clone)]
struct Listed<T> {
    read: fn(&str) -> Result<T, Box<dyn Error + Send + Sync>>,
    names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Listed<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// The examples of a command.
pub fn example(lines: &str) -> String {
    format!("Examples:\n{lines}")
}

/// How long other engines may take.
#[derive(Clone, Copy, Debug, Args)]
pub struct EngineTimeout {
    /// Seconds that another engine may take to start, and for a play, before it counts as hung
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    engine_timeout: Duration,
}

impl EngineTimeout {
    /// As it is.
    pub const fn get(self) -> Duration {
        self.engine_timeout
    }
}

/// A positive, finite time.
pub fn seconds(text: &str) -> Result<Duration, String> {
    number(0.001..=600.0, "seconds from 0.001 to 600")(text).map(Duration::from_secs_f64)
}
