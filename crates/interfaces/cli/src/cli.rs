//! The command line: the subcommands, and how arguments become one of them.

use std::env;
use std::ffi::OsString;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use tavola_rules::did_you_mean;

use crate::args::ColorWhen;
use crate::commands::{
    analyze, batch, bearoff, bench, best, completions, convert, cube, dataset, duel, eval,
    external, fleet, grade, ladder, legal, man, met, model, perft, play, profile, quiz, rollout,
    serve, show, solve, stats, train, ubgi, verify, worker,
};
use crate::failure::Outcome;
use crate::help::with_help;
use crate::outputs::{OutputFile, Outputs, with_force};
use crate::report::table::{Out, OutputForm};
use crate::report::warning::Volume;
use crate::screen;
use crate::tips::{VARIABLES, advise};

/// Help in two restrained colors.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Green.on_default());

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
        `tavola help COMMAND` explains a command with examples, `tavola help TOPIC` what\n\
        many share: positions, score, levels, engine, output, players, duels, stakes,\n\
        chouette, rollouts, seats, remote.\n\n\
        Environment: TAVOLA_MODEL and TAVOLA_THREADS are the defaults of --model and --threads,\n\
        TAVOLA_CACHE_DIR is the folder of bear-off databases, TAVOLA_FONT the font of PNG pictures,\n\
        TAVOLA_TOKEN the default of --token, TAVOLA_KERNEL the instructions that networks are\n\
        evaluated with (portable, avx2, avx-vnni, avx512, neon); NO_COLOR turns colors off.\n\
        Exit codes: 0 done, 1 failed while working, 2 unusable arguments or input.",
    styles = STYLES,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = false
)]
pub struct Cli {
    /// Print nothing on stderr but errors: no warnings, no bars
    #[arg(long, short, global = true, conflicts_with = "verbose", display_order = 900)]
    pub quiet: bool,
    /// Say on stderr which network and tables are used, and how long it took
    #[arg(long, short, global = true, display_order = 900)]
    pub verbose: bool,
    /// In which form the answer is printed.
    #[arg(skip)]
    pub form: OutputForm,
    /// When text has color.
    #[arg(skip)]
    pub color: ColorWhen,
    /// Where tables go beside stdout.
    #[arg(skip)]
    pub csv: Option<OutputFile>,
    /// The files that the command line names.
    #[arg(skip)]
    pub outputs: Outputs,
    /// What to do.
    #[command(subcommand)]
    pub command: Verb,
}

impl Cli {
    /// What stderr tells.
    pub const fn volume(&self) -> Volume {
        match (self.quiet, self.verbose) {
            (true, _) => Volume::Quiet,
            (_, true) => Volume::Verbose,
            _ => Volume::Normal,
        }
    }

    /// Parses the arguments of the program, its name first.
    ///
    /// # Errors
    ///
    /// What clap says: help, version, or what is wrong.
    pub fn parse_from_program(
        args: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, clap::Error> {
        let mut args: Vec<OsString> = args
            .into_iter()
            .map(|arg| match arg.to_str() {
                // The parsers of positions skip blanks, and clap sees no option in such a word.
                Some(text) if is_hyphenated_position(text) => format!(" {text}").into(),
                _ => arg,
            })
            .collect();
        // The depth of an explanation may be a word of its own, a position is none: `ful` is refused.
        let is_depth = |word: &OsString| {
            let word = word.to_string_lossy();
            // The start position is no mistyped depth.
            word == "full" || word != "start" && !did_you_mean(&word, ["short", "full"]).is_empty()
        };
        if let Some(at) = args.windows(2).position(|it| it[0] == "--explain" && is_depth(&it[1])) {
            let depth = format!("--explain={}", args[at + 1].to_string_lossy());
            args.splice(at..at + 2, [depth.into()]);
        }
        // As `help` is a word, so is `version`.
        if args.len() == 2 && args[1] == "version" {
            args[1] = "--version".into();
        }
        // `help` takes names alone.
        if args.get(1).is_some_and(|word| word == "help") {
            args.retain(|word| !word.to_string_lossy().starts_with('-'));
        }
        let mut command = grouped(completed(whole()));
        let words: Vec<String> =
            args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
        let is_long = words.iter().any(|word| word == "--help")
            || words.first().is_some_and(|word| word == "help");
        if is_long || words.len() < 2 || words.iter().any(|word| word == "-h") {
            let width = screen().unwrap_or(80).clamp(60, 100);
            command = with_help(command, is_long, &STYLES, width);
        }
        command
            .try_get_matches_from_mut(args)
            .and_then(|matches| {
                let inner = innermost(&matches);
                let (form, csv) = form(inner);
                let color = inner.try_get_one("color").ok().flatten().copied().unwrap_or_default();
                let outputs = Outputs::of(&command, &matches);
                Ok(Self { form, color, csv, outputs, ..Self::from_arg_matches(&matches)? })
            })
            .map_err(|error| advise(error.format(&mut command), &command, &words))
    }
}

/// All commands with all their options.
pub fn whole() -> Command {
    with_force(Cli::command())
}

/// The arguments of the innermost command.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, inner)| innermost(inner))
}

/// The form that an option of a command asks for, and the file that tables go to, too.
fn form(matches: &ArgMatches) -> (OutputForm, Option<OutputFile>) {
    let csv = matches.try_get_one::<OutputFile>("csv").ok().flatten().cloned();
    let form = match csv {
        _ if matches!(matches.try_get_one::<bool>("markdown"), Ok(Some(true))) => {
            OutputForm::Markdown
        }
        None if matches!(matches.try_contains_id("csv"), Ok(true)) => OutputForm::Csv,
        _ => OutputForm::Text,
    };
    (form, csv)
}

/// The commands of the overview by their use.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Positions", &["best", "eval", "cube", "rollout", "legal", "show", "convert"]),
    ("Matches", &["analyze", "verify", "play", "quiz", "serve"]),
    ("Other programs", &["batch", "ubgi", "external", "completions", "man"]),
    ("Networks", &["train", "dataset", "worker", "fleet", "model", "solve"]),
    ("Strength", &["duel", "ladder", "grade", "profile", "stats", "bench"]),
    ("Tables", &["met", "bearoff", "perft"]),
];

/// The overview with the commands in groups.
fn grouped(command: Command) -> Command {
    use std::fmt::Write as _;
    let header = STYLES.get_header();
    let literal = STYLES.get_literal();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in GROUPS {
        let _ = write!(text, "\n{header}{group}:{header:#}\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map_or_else(String::new, ToString::to_string);
            let _ = writeln!(text, "  {literal}{name:<11}{literal:#}  {about}");
        }
    }
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    command.help_template(text)
}

/// The same command whose options take negative numbers, which their ranges refuse by name, and
/// have the defaults of the environment.
fn completed(command: Command) -> Command {
    let complete = |arg: Arg| {
        let is_flag = arg.get_num_args().is_some_and(|number| number.max_values() == 0);
        if is_flag || !arg.get_action().takes_values() {
            return arg;
        }
        let variable = VARIABLES.iter().find(|(long, _)| arg.get_long() == Some(long));
        let value = variable.and_then(|(_, variable)| env::var(variable).ok());
        let arg = arg.allow_negative_numbers(true);
        match value.filter(|value| !value.is_empty()) {
            // Arguments keep defaults for as long as the program runs.
            Some(value) => arg.default_value(&*value.leak()).hide_default_value(true),
            None => arg,
        }
    };
    command.mut_args(complete).mut_subcommands(completed)
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

/// Declares the commands and runs them. Their help stands with their arguments: a comment here would
/// replace it.
macro_rules! verbs {
    ($($(#[$attribute:meta])* $verb:ident($module:ident::$args:ident),)*) => {
        /// The subcommands.
        #[derive(Debug, Subcommand)]
        pub enum Verb {
            $($(#[$attribute])* $verb($module::$args),)*
        }

        /// Runs the command and writes its result to `out`.
        pub fn run(verb: Verb, out: &mut dyn Out) -> Outcome {
            match verb {
                $(Verb::$verb(args) => $module::run(&args, out),)*
            }
        }
    };
}

verbs! {
    #[command(alias = "hint")]
    Best(best::BestArgs),
    Eval(eval::EvalArgs),
    Cube(cube::CubeArgs),
    Rollout(rollout::RolloutArgs),
    Legal(legal::LegalArgs),
    Show(show::ShowArgs),
    Convert(convert::ConvertArgs),
    #[command(visible_alias = "analyse")]
    Analyze(analyze::AnalyzeArgs),
    Verify(verify::VerifyArgs),
    Play(play::PlayArgs),
    Quiz(quiz::QuizArgs),
    Serve(serve::ServeArgs),
    Batch(batch::BatchArgs),
    Ubgi(ubgi::UbgiArgs),
    External(external::ExternalArgs),
    Train(train::TrainArgs),
    Dataset(dataset::DatasetArgs),
    Worker(worker::WorkerArgs),
    Fleet(fleet::FleetCommand),
    Duel(duel::DuelArgs),
    #[command(alias = "facts", alias = "openings")]
    Stats(stats::StatsArgs),
    Grade(grade::GradeArgs),
    Ladder(ladder::LadderArgs),
    Profile(profile::ProfileArgs),
    Met(met::MetArgs),
    Bearoff(bearoff::BearoffArgs),
    Perft(perft::PerftArgs),
    Solve(solve::SolveArgs),
    Model(model::ModelArgs),
    Bench(bench::BenchArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_well_formed() {
        Cli::command().debug_assert();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|it| !it.is_hide_set());
        let mut names: Vec<&str> = visible.map(Command::get_name).collect();
        grouped.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, grouped, "every command is in one group of the overview");
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
            let Verb::Best(args) = cli.command else { panic!("{cli:?}") };
            assert_eq!(args.about.position.position.unwrap().trim(), position);
            assert!(args.about.output.json);
        }
    }

    #[test]
    fn a_mistyped_option_is_no_position() {
        let error = parse(&["tavola", "best", "--rol", "31"]).unwrap_err();
        assert!(error.to_string().contains("'--rol'"), "{error}");
    }
}
