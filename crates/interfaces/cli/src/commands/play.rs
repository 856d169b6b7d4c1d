//! `tavola play`: a match against the engine in the terminal.
//!
//! The match is an [`LiveMatch`] of the engine crate. `plain` shows it as lines, `screen` as a full
//! screen; `command` reads what users type. Games without a cube are a
//! [`LiveGame`](tavola_engine::live_game::LiveGame), which `lines` shows.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tavola_engine::Engine;
use tavola_engine::live_game::saved_game;
use tavola_engine::live_match::{
    Awaited, DiceSource, ENGINE, LiveMatch, Setup, Strength, USER, check_export,
};
use tavola_games::{with_game, with_many_game};
use tavola_rules::{Backgammon, Beavers, Options};

use crate::args::{EngineArgs, GameArg, any_game, example_short};
use crate::ask::Shown;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::warning::warn;

mod command;
mod lines;
mod plain;
mod screen;
mod several;

/// The longest match, as far as match equities go.
const LONGEST_MATCH: i64 = 64;

/// Arguments of `play`.
#[derive(Debug, Args)]
#[command(
    about = "Play a match against the engine",
    long_about = "Play a match against the engine in the terminal.\n\n\
        On a terminal the game fills the screen and takes keys, typed plays such as 8/5 6/5, and \
        the mouse: a click on a checker plays the left die, a right click the other one, a click on \
        the dice swaps them. With --plain, or where input or output is no terminal, it reads and \
        writes lines; help lists the commands. Games other than backgammon and its variants are \
        played by lines alone.\n\n\
        The dice follow from the seed, so a play that is taken back meets the same rolls again. \
        Weak levels misread the equity of positions; they never move at random. docs/play.md has \
        more.",
    after_help = example_short(
        "  tavola play\n  \
         tavola play --match-length 7 --strength advanced --tutor\n  \
         tavola play --match-length 0 --jacoby --beavers\n  \
         tavola play --dice typed --export club.mat\n  \
         tavola play --save match.json\n  \
         tavola play --resume match.json\n  \
         tavola play --game tabula\n  \
         tavola play --game four-seasons --seat 2\n  \
         printf 'roll\\nquit\\n' | tavola play --seed 1 --game nackgammon"
    )
)]
pub struct PlayArgs {
    /// Points that win the match; 0 plays for money [default: 5; 1 in games without a cube]
    #[arg(long, value_name = "POINTS", visible_alias = "match",
          value_parser = clap::value_parser!(u16).range(0..=LONGEST_MATCH))]
    pub match_length: Option<u16>,
    /// For money: gammons count single until the cube is turned
    #[arg(long)]
    pub jacoby: bool,
    /// For money: allow beavers (immediate redouble, keeping the cube)
    #[arg(long)]
    pub beavers: bool,
    /// As --beavers, and the doubler may turn the cube once more
    #[arg(long)]
    pub raccoons: bool,
    /// The game, with options as in puff:cap=none
    #[arg(long, default_value = "backgammon", value_parser = any_game())]
    pub game: GameArg,
    /// The seat of the user in games for more than two players, from 1, which begins
    #[arg(long, value_name = "SEAT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=7))]
    pub seat: u8,
    /// How well the engine plays [default: world-class]
    #[arg(long, value_name = "LEVEL", value_parser = strength())]
    pub strength: Option<Strength>,
    /// Who rolls: the computer, or the users of a real board, who type the rolls of both sides
    #[arg(long, value_enum, value_name = "SOURCE", default_value_t)]
    pub dice: DiceArg,
    /// The seed of dice and of weak play [default: another one each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Warn before a play or cube action that loses 0.03 or more
    #[arg(long)]
    pub tutor: bool,
    /// Keep the match in this file, from which --resume takes it up
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Resume the match of this file, and keep it there unless --save names another one
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "match_length", "jacoby", "beavers", "raccoons", "game", "dice", "seed", "names"
    ])]
    pub resume: Option<PathBuf>,
    /// Write the games to this file at the end, which ends in .mat, .sgf or .json
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// What the user and the engine are called
    #[arg(long, value_name = "USER,ENGINE", value_parser = names, default_value = "You,tavola")]
    pub names: Names,
    /// Draw the board with plain ASCII characters
    #[arg(long)]
    pub ascii: bool,
    /// Read and write lines in place of the full screen
    #[arg(long)]
    pub plain: bool,
    /// Show the plays of the engine as a whole, not checker by checker
    #[arg(long)]
    pub no_animation: bool,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Where dice come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DiceArg {
    /// The computer rolls
    #[default]
    Computer,
    /// The user types all rolls
    Typed,
}

/// What the user and the engine are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names([String; 2]);

fn names(text: &str) -> Result<Names, String> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    match <[String; 2]>::try_from(names) {
        Ok(names) if names.iter().all(|name| is_name(name)) && names[0] != names[1] => {
            Ok(Names(names))
        }
        _ => Err("expected two different names such as Ann,tavola".to_owned()),
    }
}

/// Whether a name can stand in a record and on a line of the screen.
fn is_name(name: &str) -> bool {
    (1..=24).contains(&name.chars().count()) && !name.chars().any(|c| c.is_control() || c == ':')
}

fn strength() -> impl TypedValueParser<Value = Strength> {
    PossibleValuesParser::new(Strength::ALL.map(Strength::name)).try_map(|name| name.parse())
}

/// A match with what both ways of showing it need.
struct Session {
    live: LiveMatch,
    engine: Arc<Engine>,
    save: Option<PathBuf>,
    export: Option<PathBuf>,
    tutor: bool,
    ascii: bool,
    animation: bool,
}

impl Session {
    /// Keeps the match in its file, if there is one.
    fn save(&self) -> Outcome {
        self.save
            .as_ref()
            .map_or(Ok(()), |path| self.live.save(path).or_work_in("the match is not kept"))
    }

    /// The end: everything is kept, and told in a line each.
    fn finish(&self, out: &mut dyn Write) -> Outcome {
        if let Some(path) = &self.save {
            self.save()?;
            writeln!(out, "saved to {}", path.display())?;
        }
        if let Some(path) = &self.export {
            self.live.export(path).or_work_in("the match is not exported")?;
            writeln!(out, "exported to {}", path.display())?;
        }
        Ok(())
    }

    /// What is played, in a line.
    fn headline(&self) -> String {
        let setup = self.live.setup();
        let Options { jacoby, beavers, .. } = setup.options;
        let what = match setup.length {
            0 => "money session".to_owned(),
            length => format!("match to {length}"),
        };
        let mut line = format!("{what} of {}", self.live.game().name());
        line.push_str(if jacoby { ", Jacoby" } else { "" });
        line.push_str(match beavers {
            Beavers::Off => "",
            Beavers::Beavers => ", beavers",
            Beavers::Raccoons => ", beavers and raccoons",
        });
        let [user, engine] = &setup.names;
        format!("{line}: {user} against {engine} ({}), seed {}", setup.strength, setup.seed)
    }

    /// The score in a line.
    fn score(&self) -> String {
        let [user, engine] = self.live.score();
        let crawford = if self.live.is_crawford() { ", Crawford game" } else { "" };
        let names = [USER, ENGINE].map(|player| self.live.name(player));
        let number = self.live.game_number();
        format!("game {number}, score {} {user}, {} {engine}{crawford}", names[0], names[1])
    }

    /// How the game ended, in a line.
    fn result(&self) -> Option<String> {
        let (result, over) = match self.live.awaited() {
            Awaited::GameOver(result) => (result, "game"),
            Awaited::MatchOver(result) => (result, "match"),
            _ => return None,
        };
        let points =
            if result.points == 1 { "1 point" } else { &format!("{} points", result.points) };
        let mut score = self.live.score();
        score[result.winner.index()] += u64::from(result.points);
        let winner = self.live.name(result.winner);
        Some(format!("{winner}: wins {points} and the {over}; score {}-{}", score[0], score[1]))
    }
}

impl Session {
    fn new(start: Backgammon, args: &PlayArgs) -> Outcome<Self> {
        if let Some(path) = &args.export {
            check_export(path).or_input()?;
        }
        let mut live = match &args.resume {
            Some(path) => LiveMatch::resume(path).or_input()?,
            None => LiveMatch::new(setup(start, args)?).or_input()?,
        };
        if let (Some(_), Some(strength)) = (&args.resume, args.strength) {
            live.set_strength(strength);
        }
        let save = args.save.clone().or_else(|| args.resume.clone());
        if args.resume.is_none()
            && let Some(path) = args.save.as_deref()
        {
            refuse_existing(path)?;
        }
        let engine = Arc::new(args.engine.engine());
        Ok(Self {
            live,
            engine,
            save,
            export: args.export.clone(),
            tutor: args.tutor,
            ascii: args.ascii,
            animation: !args.no_animation,
        })
    }
}

/// A new match never replaces a file.
fn refuse_existing(path: &Path) -> Outcome {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(Failure::input(format_args!(
            "{} is there already, expected a new name for --save, or --resume and this file",
            path.display()
        ))),
        Err(_) => Ok(()),
    }
}

/// Another seed each time: hashers are seeded by the system.
fn new_seed() -> u64 {
    RandomState::new().hash_one(0) >> 32
}

fn setup(start: Backgammon, args: &PlayArgs) -> Outcome<Setup> {
    let beavers = match (args.beavers, args.raccoons) {
        (_, true) => Beavers::Raccoons,
        (true, false) => Beavers::Beavers,
        _ => Beavers::Off,
    };
    Ok(Setup {
        length: args.match_length.unwrap_or(5),
        options: Options { start, jacoby: args.jacoby, beavers, ..Options::default() },
        names: args.names.0.clone(),
        strength: args.strength.unwrap_or_default(),
        dice: match args.dice {
            DiceArg::Computer => DiceSource::Computer,
            DiceArg::Typed => DiceSource::Typed,
        },
        seed: args.seed.unwrap_or_else(new_seed),
        model: args.engine.model(),
    })
}

/// Plays.
pub fn run(args: &PlayArgs, out: &mut dyn Write) -> Outcome {
    // A file knows its own game.
    let resumed = args.resume.as_deref().and_then(saved_game);
    let game = match (&resumed, args.game.for_more()) {
        (Some(game), _) => game,
        (None, Some(game)) => return with_many_game!(&game, |game| several::run(game, args, out)),
        (None, None) => args.game.for_two()?,
    };
    let Some(start) = game.backgammon() else {
        return with_game!(game, |game| lines::run(game, args, out));
    };
    let mut session = Session::new(start, args)?;
    // Databases are generated with bars, before anything is drawn.
    Shown::new().watch(None, |watch| {
        session.engine.tables(watch);
        session.live.check_network(&session.engine, watch)
    })?;
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if args.plain || !is_terminal {
        plain::run(&mut session, out)
    } else {
        match screen::run(&mut session, out) {
            Err(screen::ScreenError::NoTerminal(error)) => {
                warn(&format!("no full screen here ({error}), so lines are read and written"));
                plain::run(&mut session, out)
            }
            Err(screen::ScreenError::Failed(failure)) => Err(failure),
            Ok(()) => Ok(()),
        }
    }
}
