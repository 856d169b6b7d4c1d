//! The command line: subcommands, options and their help.
//!
//! The same thing has the same option name in every command; groups of options that belong
//! together are structs that the commands flatten.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use tavola_rules::{Backgammon, Dice};

/// Help in two restrained colours.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Green.on_default());

/// The accepted notations, told once and shown by every command that takes a position.
pub const POSITION_HELP: &str = "\
Positions:
  A position is always seen from the player on roll, who moves from 24 to 1. Accepted are
    GNU Position ID    4HPwATDgc/ABMA
    ... with Match ID  4HPwATDgc/ABMA:cIkFAAAAAAAE
    XGID               XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10
    26 integers        0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0
                       opponent's bar, points 1 to 24, own bar; own checkers positive
  Without one, it is the start position.";

/// The command line of tavola.
#[derive(Debug, Parser)]
#[command(
    name = "tavola",
    version,
    about = "A backgammon engine that teaches itself",
    long_about = "A backgammon engine that teaches itself.\n\n\
        Ask it for the best play in a position, let it train a neural network from random \
        weights by playing against itself, or find out which of two networks is stronger.",
    after_help = "Examples:\n  \
        tavola best --roll 31                      the best opening play with 3-1\n  \
        tavola eval 4HPwATDgc/ABMA                 who is ahead, and by how much\n  \
        tavola train configs/smoke.toml            train a network in about a minute\n  \
        tavola duel default random --games 2000    which of two players is stronger\n\n\
        `tavola help COMMAND` explains a command with an example.\n\
        Exit codes: 0 done, 1 failed while working, 2 unusable arguments or input.",
    styles = STYLES,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = false
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses the arguments of the program, its name first.
    ///
    /// # Errors
    ///
    /// What clap says: help, version, or what is wrong.
    pub fn parse_from_program(
        args: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, clap::Error> {
        Self::try_parse_from(args.into_iter().map(|arg| match arg.to_str() {
            // The parsers of positions skip blanks, and clap sees no option in such a word.
            Some(text) if is_hyphenated_position(text) => format!(" {text}").into(),
            _ => arg,
        }))
    }
}

/// Whether a word that begins with a hyphen is no option, but an XGID without its prefix or a
/// list of integers: these are long and have separators.
fn is_hyphenated_position(word: &str) -> bool {
    const SHORTEST: usize = 40;
    word.starts_with('-')
        && word.len() >= SHORTEST
        && word.contains([':', ',', ' '])
        && !word.contains('=')
}

/// The subcommands. Their help stands with their arguments: a comment here would replace it.
#[derive(Debug, Subcommand)]
pub enum Command {
    Best(BestArgs),
    Eval(EvalArgs),
    Legal(LegalArgs),
    Show(ShowArgs),
    Convert(ConvertArgs),
    Batch(BatchArgs),
    Train(TrainArgs),
    Duel(DuelArgs),
    Model(ModelArgs),
    Bench(BenchArgs),
}

/// A position and the game that it belongs to.
#[derive(Debug, Args)]
pub struct PositionArgs {
    /// The position, in any of the notations below [default: the start position]
    #[arg(value_name = "POSITION")]
    pub position: Option<String>,
    /// The variant, which sets the start position and the checkers a side
    #[arg(long, value_enum, default_value_t = GameArg::Backgammon)]
    pub game: GameArg,
}

/// A roll.
#[derive(Debug, Args)]
pub struct RollArgs {
    /// The roll, as 31, 3-1 or 3,1 [default: the dice that an XGID carries]
    #[arg(long, short, value_name = "DICE")]
    pub roll: Option<Dice>,
}

/// The network that judges.
#[derive(Debug, Args)]
pub struct ModelArg {
    /// Weights file of the network that judges [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
}

/// How a result is written.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// How a board is drawn on a terminal.
#[derive(Debug, Args)]
pub struct BoardArgs {
    /// Draw the board with plain ASCII characters
    #[arg(long)]
    pub ascii: bool,
    /// When to use colour; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto)]
    pub color: ColorWhen,
}

/// Threads to work with.
#[derive(Debug, Args)]
pub struct ThreadArgs {
    /// Threads to use; results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

impl ThreadArgs {
    /// The threads asked for, or one for each core.
    pub fn count(&self) -> NonZeroUsize {
        self.threads
            .and_then(|threads| NonZeroUsize::new(threads.into()))
            .or_else(|| std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN)
    }
}

/// Arguments of `best`.
#[derive(Debug, Args)]
#[command(
    about = "Rank the plays of a roll, best first",
    long_about = "Rank the plays of a roll, best first.\n\n\
        Prints the board, then every play with its equity (expected points per game with the cube \
        at 1, seen by the player who makes the play), what it loses to the best play, and the \
        five chances in percent: win, win a gammon or better, win a backgammon, lose a gammon or \
        worse, lose a backgammon.",
    after_help = example(
        "  tavola best --roll 31\n  \
         tavola best XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10 --top 3\n  \
         tavola best 4HPwATDgc/ABMA --roll 6-4 --json"
    )
)]
pub struct BestArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// How many plays to print
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub top: u16,
    /// The judge.
    #[command(flatten)]
    pub model: ModelArg,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `eval`.
#[derive(Debug, Args)]
#[command(
    about = "Judge a position before the roll",
    long_about = "Judge a position before the roll.\n\n\
        Prints the board, the five chances of the player on roll and his equity: expected points \
        per game with the cube at 1. Dice that the position carries are ignored.",
    after_help = example("  tavola eval 4HPwATDgc/ABMA\n  tavola eval 4HPwATDgc/ABMA --json")
)]
pub struct EvalArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The judge.
    #[command(flatten)]
    pub model: ModelArg,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `legal`.
#[derive(Debug, Args)]
#[command(
    about = "List every legal play of a roll",
    long_about = "List every legal play of a roll.\n\n\
        Each distinct resulting position is listed once, with one way to play it and its GNU \
        Position ID, the opponent on roll.",
    after_help = example("  tavola legal --roll 31\n  tavola legal --game nackgammon --roll 66 --json")
)]
pub struct LegalArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
#[command(
    about = "Draw the board",
    long_about = "Draw the board, seen from the player on roll.\n\n\
        With --svg the board is written as a picture instead; a file named - is stdout. With \
        --play the picture shows the play as arrows, and the board on the terminal is the one \
        after the play, which the opponent sees.",
    after_help = example(
        "  tavola show --roll 31\n  \
         tavola show 4HPwATDgc/ABMA --ascii\n  \
         tavola show --roll 31 --play '8/5 6/5' --svg board.svg"
    )
)]
pub struct ShowArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// A play of the roll to show, such as '8/5 6/5'
    #[arg(long, value_name = "PLAY")]
    pub play: Option<String>,
    /// Write the board as an SVG picture to this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `convert`.
#[derive(Debug, Args)]
#[command(
    about = "Write a position in another notation",
    long_about = "Write a position in another notation.\n\n\
        Without --to, all notations are listed. Cube, score and dice are kept where the \
        notation has room for them; where the position carries none, a money game with the \
        cube in the middle is written.",
    after_help = example(
        "  tavola convert 4HPwATDgc/ABMA --to xgid\n  \
         tavola convert XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    )
)]
pub struct ConvertArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// The roll.
    #[command(flatten)]
    pub roll: RollArgs,
    /// The notation to write
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: Option<Form>,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `batch`.
#[derive(Debug, Args)]
#[command(
    about = "Answer JSON requests, one a line, for other programs",
    long_about = "Answer JSON requests for other programs: one object a line on stdin, one a line \
        on stdout, in the same order, each written as soon as it is known.\n\n\
        Operations:\n  \
        legal    position, dice: every distinct result once, with one way to play it\n  \
        best     position, dice: plays, best first, with equity and the five chances\n  \
        eval     position: the five chances and equity of the player on roll\n  \
        convert  position, to: the same in the form position-id, match-id, gnubg-id, xgid, \
        ints, board or svg\n\n\
        best takes top, the most plays to answer; best and eval take ply, cube, match, jacoby, \
        beavers and cubeful. \
        Every request may have \"id\" (anything; it is repeated in the answer), \"v\": 1 and \
        \"game\". A position is a text in any accepted notation or an array of 26 integers, dice \
        are [3,1], a cube is {\"value\": 2, \"owner\": \"center\"|\"player\"|\"opponent\"}, a match \
        {\"length\": 7, \"player\": 3, \"opponent\": 5, \"crawford\": false}. The figures are \
        cubeless money figures at 0-ply, the bare network. A request that can't be answered gets \
        {\"id\": ..., \"error\": {\"kind\": \"...\", \"message\": \"...\"}}, and the stream goes on.",
    after_help = "Example:\n  \
        echo '{\"id\":1,\"op\":\"best\",\"position\":\"4HPwATDgc/ABMA\",\"dice\":[3,1],\"top\":1}' | tavola batch"
)]
pub struct BatchArgs {
    /// The judge.
    #[command(flatten)]
    pub model: ModelArg,
}

/// Arguments of `train`.
#[derive(Debug, Args)]
#[command(
    about = "Train a network by self-play",
    long_about = "Train a network by self-play.\n\n\
        The network plays against itself, learns from the games and starts again, round after \
        round, as the TOML file says. The run directory gets the effective configuration, a \
        manifest, metrics.jsonl (one JSON object a line), a learning curve as SVG, checkpoints \
        and the weights. Ctrl-C stops cleanly and leaves a checkpoint; --resume goes on to the \
        same result as a run without a break. The same seed gives the same games on any number of \
        threads.",
    after_help = "Examples:\n  \
        tavola train configs/smoke.toml                     about a minute\n  \
        tavola train configs/small.toml --out runs/small    about ten minutes on two cores\n  \
        tavola train configs/small.toml --out runs/small --resume\n  \
        tavola duel runs/small/final.safetensors default    is it stronger than the built-in one?"
)]
pub struct TrainArgs {
    /// The configuration of the run, a TOML file
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// The run directory [default: runs/NAME for NAME.toml]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with the run that the run directory holds
    #[arg(long)]
    pub resume: bool,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `duel`.
#[derive(Debug, Args)]
#[command(
    about = "Play two players against each other",
    long_about = "Play two players against each other, without a cube, and say which is stronger.\n\n\
        A and B are each one of\n  \
        default       the built-in network\n  \
        FILE          the network of a weights file\n  \
        random        plays at random\n  \
        pip-count     plays to lead the race\n  \
        gnubg[:PLY]   GNU Backgammon, if it is installed, 0-ply unless told otherwise\n  \
        exec:COMMAND  another engine, which docs/external-engines.md tells how to write\n\n\
        Games come in pairs on the same dice with the seats swapped, and a judge takes off the luck \
        that is left: the value of each roll less the mean over all rolls. That moves no result on \
        average, whoever judges, and makes the interval narrower between players that are near each \
        other; against random and pip-count nobody judges unless --luck-judge names somebody. The \
        answer is A's gain in points per game (ppg) with its 95 % interval.",
    after_help = "Examples:\n  \
        tavola duel default pip-count\n  \
        tavola duel default gnubg:0 --games 400 --threads 8\n  \
        tavola duel runs/a/final.safetensors runs/b/final.safetensors --games 20000 --seed 7 --json"
)]
pub struct DuelArgs {
    /// The first player
    #[arg(value_name = "A")]
    pub a: String,
    /// The second player
    #[arg(value_name = "B")]
    pub b: String,
    /// Games to play; an even number, because games come in pairs
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(2..))]
    pub games: u64,
    /// Seed of the dice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Weights file of the network that judges the luck [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    pub luck_judge: Option<PathBuf>,
    /// Leave the luck in: several times the games for the same certainty, but between two
    /// networks many more games a second
    #[arg(long, conflicts_with = "luck_judge")]
    pub no_luck: bool,
    /// Seconds that another engine may take to start, and for a play, before it counts as hung
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    pub engine_timeout: f64,
    /// The variant to play
    #[arg(long, value_enum, default_value_t = GameArg::Backgammon)]
    pub game: GameArg,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `model`.
#[derive(Debug, Args)]
#[command(
    about = "Describe a weights file",
    long_about = "Describe a weights file: the game it judges, inputs, layers, and how it was trained.",
    after_help = example_short("  tavola model\n  tavola model runs/smoke/final.safetensors --json")
)]
pub struct ModelArgs {
    /// The weights file [default: the built-in network]
    #[arg(value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(
    about = "Measure speed and print the behaviour signature",
    long_about = "Measure speed and print the behaviour signature, in about a minute.\n\n\
        Rates are per second of processor time on one thread, for all threads per second on the \
        wall, each the median of several repetitions. Beside them stands how many times faster that \
        is than the same done naively: plays found by trial and error, dense layers of plain floats. Positions are those \
        of games that the network plays, and some of random games.\n\n\
        The signature is a hash of the plays chosen and the evaluations counted on fixed \
        positions: it changes when the engine plays otherwise, and only then.",
    after_help = example_short(
        "  tavola bench\n  tavola bench --json --seconds 1\n  \
         tavola bench --sizes                     also other sizes of network\n  \
         tavola bench --write-positions p.txt     for comparison with another program"
    )
)]
pub struct BenchArgs {
    /// The network that is measured.
    #[command(flatten)]
    pub model: ModelArg,
    /// Seconds to spend on each figure
    #[arg(long, value_name = "S", default_value_t = 3.0, value_parser = seconds)]
    pub seconds: f64,
    /// Also measure networks of several sizes, with random weights
    #[arg(long)]
    pub sizes: bool,
    /// Write the positions measured to this file, a GNU Position ID and two dice a line
    #[arg(long, value_name = "FILE")]
    pub write_positions: Option<PathBuf>,
    /// Threads of the figure for all threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The variants of backgammon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GameArg {
    /// The usual start
    Backgammon,
    /// Four checkers in the back
    Nackgammon,
    /// Three checkers a side
    Hypergammon,
    /// All fifteen checkers on the 24 point
    Longgammon,
}

impl From<GameArg> for Backgammon {
    fn from(game: GameArg) -> Self {
        match game {
            GameArg::Backgammon => Self::Standard,
            GameArg::Nackgammon => Self::Nackgammon,
            GameArg::Hypergammon => Self::Hypergammon,
            GameArg::Longgammon => Self::Longgammon,
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The forms in which a position can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// GNU Position ID: the checkers alone
    #[value(alias = "position_id", alias = "positionid", alias = "posid", alias = "gnuid")]
    PositionId,
    /// GNU Match ID: cube, score and dice alone
    #[value(alias = "match_id", alias = "matchid")]
    MatchId,
    /// GNU Position ID and Match ID, with a colon between
    #[value(alias = "gnubg_id", alias = "gnu")]
    GnubgId,
    /// XGID
    Xgid,
    /// 26 integers: opponent's bar, points 1 to 24, own bar
    #[value(alias = "counts")]
    Ints,
    /// A drawing for the terminal
    Board,
    /// A drawing as SVG
    Svg,
}

impl Form {
    /// The name as typed.
    pub fn name(self) -> String {
        self.to_possible_value().expect("no form is skipped").get_name().to_owned()
    }
}

/// The examples of a command that takes a position, with the notations.
fn example(lines: &str) -> String {
    format!("Examples:\n{lines}\n\n{POSITION_HELP}")
}

/// The examples of a command that takes no position.
fn example_short(lines: &str) -> String {
    format!("Examples:\n{lines}")
}

/// A positive, finite time.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.001..=600.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds from 0.001 to 600".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    fn parse(args: &[&str]) -> Result<Cli, clap::Error> {
        Cli::parse_from_program(args.iter().map(OsString::from))
    }

    #[test]
    fn a_position_may_begin_with_a_hyphen() {
        let xgid = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";
        let ints = "-1,-2,0,0,0,0,5,0,3,0,0,0,-4,5,0,0,0,-3,0,-5,0,0,0,0,2,0";
        for position in [xgid, ints] {
            let cli = parse(&["tavola", "best", position, "--json"]).unwrap();
            let Command::Best(args) = cli.command else { panic!("{cli:?}") };
            assert_eq!(args.position.position.unwrap().trim(), position);
            assert!(args.output.json);
        }
    }

    #[test]
    fn a_mistyped_option_is_no_position() {
        let error = parse(&["tavola", "best", "--rol", "31"]).unwrap_err();
        assert!(error.to_string().contains("'--rol'"), "{error}");
    }
}
