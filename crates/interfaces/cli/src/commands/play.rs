//! `tavola play`: a game against the engine in the terminal.
//!
//! The game is a [`Live`] of the engine crate, whichever it is. `plain` shows it as lines, `screen`
//! shows backgammon as a full screen; `command` reads what users type.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use tavola_engine::live::{Awaited, DiceSource, Live, NewGame, Opponents, Setup, Strength};
use tavola_engine::{Analysis, Engine, NoFindings, Watch, named};
use tavola_games::NamedGame;
use tavola_rules::Opening;
use tavola_rules::chouette::FEWEST;

use super::analyze;
use super::duel::chouette::ChouetteTerms;
#[cfg(not(feature = "screen"))]
use crate::absent::screen;
use crate::args::{EngineArgs, any_game, beavers, example};
use crate::ask::watched;
use crate::failure::{Blame, Failure, Outcome};
use crate::outputs::{Content, OutputFile, writes};
use crate::report::table::Out;
use crate::report::warning::warn;

pub(super) mod command;
mod plain;
#[cfg(feature = "screen")]
mod screen;

/// The longest match, as far as match equities go.
const LONGEST_MATCH: i64 = 64;

/// Play a match against the engine.
///
/// On a terminal the game fills the screen and takes keys, typed plays such as 8/5 6/5, and the
/// mouse: a click on a checker plays the left die, a right click the other one, a click on the dice
/// swaps them. With --plain, or where input or output is no terminal, it reads and writes lines;
/// help lists the commands. Games other than backgammon and its variants are played by lines alone.
///
/// The dice follow from the seed, so a play that is taken back meets the same rolls again. Weak
/// levels misread the equity of positions; they never move at random. docs/play.md has more.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola play\n  \
         tavola play --match-length 7 --strength advanced --tutor\n  \
         tavola play --match-length 0 --jacoby --beavers\n  \
         tavola play --dice typed --export club.mat\n  \
         tavola play --save match.json\n  \
         tavola play --resume match.json\n  \
         tavola play --game tabula\n  \
         tavola play --game four-seasons --seat 2\n  \
         tavola play --people 2=Ben --condone\n  \
         tavola play --chouette 5 --people 3=Cleo --cubes each --export sheet.csv\n  \
         printf 'roll\\nquit\\n' | tavola play --seed 1 --game nackgammon"
    )
)]
pub struct PlayArgs {
    /// Points that win the match; 0 plays for money [default: 5; 1 in games without a cube]
    #[arg(long, short = 'l', value_name = "POINTS", visible_alias = "match",
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
    pub game: NamedGame,
    /// The seat of the user in games for more than two players, from 1
    #[arg(long, value_name = "SEAT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub seat: u8,
    /// Further people at the board, by seat
    #[arg(long, value_name = "SEAT=NAME", value_delimiter = ',', value_parser = person)]
    pub people: Vec<(u8, String)>,
    /// Backgammon for money between this many players: one, the box, against the others
    #[arg(long, value_name = "PLAYERS", conflicts_with = "match_length",
          value_parser = clap::value_parser!(u8).range(FEWEST as i64..=20))]
    pub chouette: Option<u8>,
    /// What a chouette is played by.
    #[command(flatten)]
    pub table: ChouetteTerms,
    /// First roll of backgammon: a die each, or a pair each, which the higher total plays
    #[arg(long, value_name = "ROLL", default_value_t, value_parser = named::<Opening>())]
    pub opening: Opening,
    /// Between two people: allow plays against the rules, which the next roll lets stand unless the
    /// opponent has claimed them
    #[arg(long, requires = "people")]
    pub condone: bool,
    /// How well the engine plays [default: world-class]
    #[arg(long, visible_alias = "level", value_name = "LEVEL", value_parser = named::<Strength>())]
    pub strength: Option<Strength>,
    /// Who rolls: the computer, or the users of a real board, who type the rolls of both sides
    #[arg(long, value_name = "SOURCE", default_value_t, value_parser = named::<DiceSource>())]
    pub dice: DiceSource,
    /// The seed of dice and of weak play [default: another one each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Warn before a play or cube action that loses 0.03 or more
    #[arg(long)]
    pub tutor: bool,
    /// Keep the match in this file, from which --resume takes it up
    #[arg(long, value_name = "FILE", value_parser = writes(Content::SavedGame))]
    pub save: Option<OutputFile>,
    /// Resume the match of this file, and keep it there unless --save names another one
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "match_length", "jacoby", "beavers", "raccoons", "game", "dice", "seed", "names", "people",
        "chouette", "opening"
    ])]
    pub resume: Option<PathBuf>,
    /// Write the games to this file at the end, which ends in .mat, .sgf or .json; in .txt without a
    /// cube; the score sheet of a chouette in .txt, .csv or .json
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Games))]
    pub export: Option<OutputFile>,
    /// What the user and the engine are called
    #[arg(long, value_name = "USER,ENGINE", value_parser = names, default_value = "You,tavola")]
    pub names: [String; 2],
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

/// A person in a seat.
fn person(text: &str) -> Result<(u8, String), String> {
    let parts = text.split_once('=').map(|(seat, name)| (seat.trim().parse(), name.trim()));
    match parts {
        Some((Ok(seat), name)) if is_name(name) => Ok((seat, name.to_owned())),
        _ => Err("expected a seat and a name such as 2=Ben".to_owned()),
    }
}

/// What the user and the engine are called.
fn names(text: &str) -> Result<[String; 2], String> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    match <[String; 2]>::try_from(names) {
        Ok(names) if names.iter().all(|name| is_name(name)) && names[0] != names[1] => Ok(names),
        _ => Err("expected two different names such as Ann,tavola".to_owned()),
    }
}

/// Whether a name can stand in a record and on a line of the screen.
fn is_name(name: &str) -> bool {
    (1..=24).contains(&name.chars().count()) && !name.chars().any(|c| c.is_control() || c == ':')
}

/// A game with what both ways of showing it need.
pub struct PlaySession {
    live: Live,
    engine: Arc<Engine>,
    save: Option<PathBuf>,
    export: Option<PathBuf>,
    /// Files that were typed.
    saved: Vec<PathBuf>,
    ascii: bool,
    animation: bool,
}

impl PlaySession {
    fn new(args: &PlayArgs) -> Outcome<Self> {
        let mut live = match &args.resume {
            Some(path) => Live::resume(path).or_input()?,
            None => Live::new(setup(args)?)?,
        };
        if let Some(path) = &args.export {
            live.check_export(path).or_input()?;
        }
        if let (Some(_), Some(strength)) = (&args.resume, args.strength) {
            live.set_strength(strength)?;
        }
        if args.tutor {
            live.set_tutor();
        }
        Ok(Self {
            live,
            engine: Arc::new(args.engine.engine()),
            save: args.save.as_deref().or(args.resume.as_deref()).map(Path::to_owned),
            export: args.export.as_deref().map(Path::to_owned),
            saved: Vec::new(),
            ascii: args.ascii,
            animation: !args.no_animation,
        })
    }

    /// Keeps the game in its file, if there is one.
    fn save(&self) -> Outcome {
        self.save
            .as_ref()
            .map_or(Ok(()), |path| self.live.save(path).or_work_in("the game is not kept"))
    }

    /// Keeps the game in a file that is typed, which is new or has it already.
    fn save_as(&mut self, path: &Path) -> Outcome {
        if !self.saved.iter().chain(&self.save).any(|saved| saved == path) {
            OutputFile::typed(path, Content::SavedGame)?;
        }
        self.live.save(path).or_work_in("the game is not kept")?;
        self.saved.push(path.to_owned());
        Ok(())
    }

    /// The end: everything is kept, and told in a line each.
    fn finish(&self, out: &mut dyn Out) -> Outcome {
        // Files first: the terminal may be gone.
        self.save()?;
        if let Some(path) = &self.export {
            self.live.export(path).or_work_in("the game is not exported")?;
        }
        for (done, path) in [("saved", &self.save), ("exported", &self.export)] {
            if let Some(path) = path {
                writeln!(out, "{done} to {}", path.display())?;
            }
        }
        let card = card(&self.live, &self.engine, &Watch::default())?;
        if !card.is_empty() {
            write!(out, "\n{card}")?;
        }
        Ok(())
    }

    /// What may be typed now, in words.
    fn expected(&self) -> String {
        match self.live.awaited() {
            Awaited::GameOver(_) => "next or quit".to_owned(),
            Awaited::MatchOver(_) => "quit".to_owned(),
            _ => self.live.expected(),
        }
    }
}

/// Another seed each time: hashers are seeded by the system.
fn new_seed() -> u64 {
    RandomState::new().hash_one(0) >> 32
}

fn setup(args: &PlayArgs) -> Outcome<Setup> {
    let model = args.engine.model();
    let asked = NewGame {
        game: args.game.id(),
        length: args.match_length,
        jacoby: args.jacoby,
        beavers: beavers(args.beavers, args.raccoons),
        strength: args.strength.unwrap_or_default(),
        seat: args.seat,
        // A network that is named plays.
        opponents: (args.game.many().is_some() && model.is_some()).then_some(Opponents::Network),
        dice: args.dice,
        people: args.people.iter().cloned().collect(),
        chouette: args.chouette,
        cubes: args.table.cubes,
        box_passes: args.table.box_passes,
        extras: args.table.extras,
        opening: args.opening,
        condone: args.condone,
        ..NewGame::default()
    };
    let mut setup = asked.setup(0)?;
    let [user, engine] = args.names.clone();
    if let ([_, other], true) = (&mut setup.names[..], setup.people.is_empty()) {
        *other = engine;
    }
    if setup.people.iter().any(|&seat| setup.names[seat] == user) {
        return Err(Failure::input(format_args!(
            "--people has {user:?}, expected other names than the user's"
        )));
    }
    setup.names[setup.seat] = user;
    Ok(Setup { seed: args.seed.unwrap_or_else(new_seed), model, ..setup })
}

/// Plays.
pub fn run(args: &PlayArgs, out: &mut dyn Out) -> Outcome {
    let mut session = PlaySession::new(args)?;
    let cubed = session.live.cubed().is_some();
    // Databases are generated with bars, before anything is drawn.
    watched(|watch| {
        if cubed {
            session.engine.tables(watch);
        }
        session.live.check_network(&session.engine, watch)
    })?;
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let alone = session.live.setup().people.is_empty() && session.live.chouette().is_none();
    if args.plain || !is_terminal || !cubed || !alone {
        return plain::run(&mut session, out);
    }
    match screen::run(&mut session, out) {
        Err(screen::ScreenError::NoTerminal(error)) => {
            warn(&format!("no full screen here ({error}), so lines are read and written"));
            plain::run(&mut session, out)
        }
        Err(screen::ScreenError::Failed(failure)) => Err(failure),
        Ok(()) => Ok(()),
    }
}

/// The figures of both players after a whole match, and the worst decisions; empty where no match
/// was played to its end.
fn card(live: &Live, engine: &Engine, watch: &Watch<'_>) -> Outcome<String> {
    let over = matches!(live.awaited(), Awaited::MatchOver(_));
    let Some(record) = live.record_of_match().filter(|_| over) else { return Ok(String::new()) };
    let model = live.setup().model.clone();
    let analysis = Analysis { model, ..Analysis::at_ply(1)? };
    let found = engine.analyze("this match", &record, &analysis, &NoFindings, watch, &|_, _| {})?;
    let mut text = Vec::new();
    if !found.decisions.is_empty() {
        analyze::report::report(&record, &found, &analysis.thresholds, 3).write(&mut text)?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
