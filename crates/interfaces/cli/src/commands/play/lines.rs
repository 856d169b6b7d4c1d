//! A game without a cube as lines: any game of the registry.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use tavola_engine::Engine;
use tavola_engine::live_game::{GameAwaited, GameSetup, LiveGame, Turn};
use tavola_engine::live_match::USER;
use tavola_evaluator::PlayableGame;
use tavola_games::AnyGame;
use tavola_rules::board::{Charset, Color};
use tavola_rules::did_you_mean;

use super::{DiceArg, PlayArgs, new_seed, refuse_existing};
use crate::ask::Shown;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::advice;

/// The commands, for users.
const HELP: &str = "\
1-7 5-8          play the roll; the order of the moves does not matter
plays [WORD..]   the plays of the roll with their numbers, those with these words alone
3                the play of this number
hint             the best plays
eval             what the position is worth
undo             go back to your decision before this one
board            show the board
next             begin the next game
save [FILE]      keep the game in a file
quit             end; the game is kept where --save was given";

/// All words that begin a command.
const WORDS: [&str; 9] = ["plays", "hint", "eval", "undo", "board", "next", "save", "quit", "help"];

/// The most plays that are listed at once.
const LISTED: usize = 40;

/// Plays a game that has no cube, from the arguments of `play`.
pub fn run<G: PlayableGame>(game: &G, args: &PlayArgs, out: &mut dyn Write) -> Outcome
where
    AnyGame: From<G>,
{
    refuse_cube(game, args)?;
    let setup = GameSetup {
        length: args.match_length.unwrap_or(1),
        names: args.names.0.clone(),
        strength: args.strength.unwrap_or_default(),
        seed: args.seed.unwrap_or_else(new_seed),
        model: args.engine.model(),
    };
    let mut live = match &args.resume {
        Some(path) => LiveGame::resume(game.clone(), path).or_input()?,
        None => LiveGame::new(game.clone(), setup),
    };
    if let (Some(_), Some(strength)) = (&args.resume, args.strength) {
        live.set_strength(strength);
    }
    if let (None, Some(path)) = (&args.resume, &args.save) {
        refuse_existing(path)?;
    }
    let save = args.save.clone().or_else(|| args.resume.clone());
    let engine = Arc::new(args.engine.engine());
    Shown::new().watch(None, |watch| live.check_network(&engine, watch))?;
    let charset = if args.ascii { Charset::Ascii } else { Charset::Unicode };
    let (told, warned) = (live.turns(), None);
    let mut lines = Lines { live, engine, save, tutor: args.tutor, charset, told, warned };
    lines.play(out)
}

/// Refuses what belongs to backgammon alone.
fn refuse_cube<G: PlayableGame>(game: &G, args: &PlayArgs) -> Outcome {
    let named = [
        ("--jacoby", args.jacoby),
        ("--beavers", args.beavers),
        ("--raccoons", args.raccoons),
        ("--export", args.export.is_some()),
        ("--dice typed", args.dice == DiceArg::Typed),
    ];
    match named.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => Err(Failure::input(format_args!(
            "{name} is for backgammon and its variants, expected none in a game of {}",
            game.id()
        ))),
    }
}

/// A game with what its lines need.
struct Lines<G: PlayableGame> {
    live: LiveGame<G>,
    engine: Arc<Engine>,
    save: Option<PathBuf>,
    tutor: bool,
    charset: Charset,
    /// How many turns of the game have been told.
    told: usize,
    /// The play that the tutor has warned of.
    warned: Option<String>,
}

impl<G: PlayableGame> Lines<G>
where
    AnyGame: From<G>,
{
    /// Reads lines and writes what happens, until the end of the input.
    fn play(&mut self, out: &mut dyn Write) -> Outcome {
        let setup = self.live.setup();
        let what = match setup.length {
            0 => "games".to_owned(),
            1 => "a game".to_owned(),
            length => format!("games to {length} points"),
        };
        let [user, engine] = &setup.names;
        let (strength, seed) = (setup.strength, setup.seed);
        let id = self.live.game().id();
        writeln!(out, "{what} of {id}: {user} against {engine} ({strength}), seed {seed}")?;
        writeln!(out, "{}", self.score())?;
        self.go_on(out)?;
        self.say_awaited(true, out)?;
        let prompt = io::stdin().is_terminal();
        let mut lines = io::stdin().lock().lines();
        loop {
            if prompt {
                write!(out, "> ")?;
            }
            out.flush()?;
            let Some(line) = lines.next() else { break };
            let line = line.or_work_in("cannot read the next line")?;
            if !line.trim().is_empty() && !self.answer(line.trim(), out)? {
                break;
            }
        }
        if let Some(path) = &self.save {
            self.live.save(path).or_work_in("the game is not kept")?;
            writeln!(out, "saved to {}", path.display())?;
        }
        Ok(())
    }

    fn score(&self) -> String {
        let [user, engine] = self.live.score();
        let [first, second] = &self.live.setup().names;
        format!("game {}, score {first} {user}, {second} {engine}", self.live.game_number())
    }

    /// Does what a line says; whether there may be another one.
    fn answer(&mut self, line: &str, out: &mut dyn Write) -> Outcome<bool> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (word, rest) = (word.to_ascii_lowercase(), rest.trim());
        if !rest.is_empty() && WORDS.contains(&&*word) && !matches!(&*word, "plays" | "save") {
            writeln!(out, "error: {line:?} has words after {word:?}, expected {word} alone")?;
            return Ok(true);
        }
        match &*word {
            "quit" | "exit" | "q" => return Ok(false),
            "help" | "?" => writeln!(out, "{HELP}")?,
            "board" | "b" => self.say_awaited(true, out)?,
            "plays" | "p" => self.list(rest, out)?,
            "hint" | "h" => match self.is_to_play() {
                false => writeln!(out, "there is nothing to decide")?,
                true => {
                    let (live, engine) = (&self.live, &self.engine);
                    let answer = Shown::new().watch(None, |watch| live.hint(engine, watch))?;
                    tell(&advice::ranked(&answer), out)?;
                }
            },
            "eval" | "e" => match self.live.awaited() {
                GameAwaited::Play(player, _) => {
                    let (live, engine) = (&self.live, &self.engine);
                    let answer = Shown::new().watch(None, |watch| live.evaluate(engine, watch))?;
                    tell(&advice::evaluation(&answer, live.name(player)), out)?;
                }
                _ => writeln!(out, "the game is over")?,
            },
            "undo" | "u" => match self.live.take_back() {
                Ok(()) => {
                    (self.told, self.warned) = (self.live.turns(), None);
                    writeln!(out, "taken back")?;
                    self.say_awaited(true, out)?;
                }
                Err(error) => writeln!(out, "error: {error}")?,
            },
            "next" | "n" => match self.live.next_game() {
                Ok(()) => {
                    self.told = 0;
                    writeln!(out, "\n{}", self.score())?;
                    self.go_on(out)?;
                    self.say_awaited(true, out)?;
                }
                Err(error) => writeln!(out, "error: {error}")?,
            },
            "save" | "s" => {
                let named = (!rest.is_empty()).then(|| PathBuf::from(rest));
                match named.or_else(|| self.save.clone()) {
                    None => writeln!(out, "error: {line:?} names no file, expected save FILE")?,
                    Some(path) => match self.live.save(&path) {
                        Ok(()) => writeln!(out, "saved to {}", path.display())?,
                        Err(error) => writeln!(out, "error: {}", tavola_files::chain(&error))?,
                    },
                }
            }
            _ if word.starts_with(char::is_alphabetic) && !self.names_a_play(line) => {
                let hint = did_you_mean(&word, WORDS.iter().copied());
                let expected = self.expected();
                writeln!(
                    out,
                    "error: {line:?} is not a command, expected {expected} or help{hint}"
                )?;
            }
            _ => self.choose(line, out)?,
        }
        Ok(true)
    }

    fn names_a_play(&self, line: &str) -> bool {
        line.contains('-') || self.live.parse_play(line).is_ok()
    }

    fn is_to_play(&self) -> bool {
        matches!(self.live.awaited(), GameAwaited::Play(USER, _))
    }

    /// Plays what a line says.
    fn choose(&mut self, line: &str, out: &mut dyn Write) -> Outcome {
        let numbered = line.parse::<usize>().ok().filter(|_| self.is_to_play());
        let turn = match numbered {
            None => self.live.parse_play(line).map_err(|error| error.to_string()),
            Some(number) => {
                let plays = self.live.plays();
                let count = plays.len();
                let found = number.checked_sub(1).and_then(|i| plays.into_iter().nth(i));
                found.ok_or_else(|| {
                    format!("{line:?} is the number of no play, expected one from 1 to {count}")
                })
            }
        };
        let turn = match turn {
            Ok(turn) => turn,
            Err(error) => {
                writeln!(out, "error: {error}; plays lists them")?;
                return Ok(());
            }
        };
        let is_warned = self.warned.as_ref() == Some(&turn.play);
        if self.tutor && !is_warned && self.warns(&turn, out)? {
            return Ok(());
        }
        self.warned = None;
        match self.live.play(turn) {
            Ok(()) => {
                self.go_on(out)?;
                self.say_awaited(true, out)
            }
            Err(error) => Ok(writeln!(out, "error: {error}")?),
        }
    }

    /// Whether the tutor has something against a play.
    fn warns(&mut self, turn: &Turn<G::State>, out: &mut dyn Write) -> Outcome<bool> {
        let (live, engine) = (&self.live, &self.engine);
        let mistake = Shown::new().watch(None, |watch| live.mistake(turn, engine, watch))?;
        let Some(mistake) = mistake.filter(|mistake| mistake.is_doubtful()) else {
            return Ok(false);
        };
        writeln!(out, "{}; repeat it to play it nevertheless", advice::mistake(&mistake))?;
        self.warned = Some(turn.play.clone());
        Ok(true)
    }

    /// The numbered plays in which all of these words stand.
    fn list(&self, words: &str, out: &mut dyn Write) -> Outcome {
        let plays = self.live.plays();
        let has_all = |play: &str| {
            words.split_whitespace().all(|word| play.split(' ').any(|step| step.starts_with(word)))
        };
        let found: Vec<_> = (1..).zip(&plays).filter(|(_, turn)| has_all(&turn.play)).collect();
        for (number, turn) in found.iter().take(LISTED) {
            writeln!(out, "{number:>5}  {}", turn.play)?;
        }
        if found.len() > LISTED {
            let (more, of) = (found.len() - LISTED, found.len());
            writeln!(out, "and {more} more of {of}; plays WORD lists those with a move as 1-7")?;
        } else if found.is_empty() {
            writeln!(out, "no play of the roll has {words:?}")?;
        }
        Ok(())
    }

    /// Lets the engine play, and what leaves no choice, until the user has to decide.
    fn go_on(&mut self, out: &mut dyn Write) -> Outcome {
        loop {
            while let Some(turn) = self.live.turn_in_words(self.told) {
                writeln!(out, "{turn}")?;
                self.told += 1;
            }
            out.flush()?;
            let turn = match self.live.forced() {
                Some(turn) => Some(turn),
                None => {
                    let (live, engine) = (&self.live, &self.engine);
                    Shown::new().watch(None, |watch| live.decide(engine, watch))?
                }
            };
            let Some(turn) = turn else { break };
            self.live.play(turn).or_work_in("a legal play")?;
        }
        match &self.save {
            Some(path) => self.live.save(path).or_work_in("the game is not kept"),
            None => Ok(()),
        }
    }

    /// Writes the board, if wanted, and what the user is to do.
    fn say_awaited(&self, with_board: bool, out: &mut dyn Write) -> Outcome {
        if let GameAwaited::GameOver(end) | GameAwaited::MatchOver(end) = self.live.awaited() {
            let points =
                if end.points == 1 { "1 point" } else { &format!("{} points", end.points) };
            let how = end.ending.meaning();
            match end.winner {
                Some(winner) => {
                    writeln!(out, "{}: wins {points} {how}", self.live.name(winner))?;
                }
                None => writeln!(out, "{how}")?,
            }
        } else if with_board {
            let situation = self.live.seen_by(USER);
            let board = self.live.game().board_view(&situation, &[]);
            writeln!(out, "{}", board.text(self.charset, Color::Never))?;
        }
        writeln!(out, "your turn: {}", self.expected())?;
        Ok(())
    }

    /// What may be typed now, in words.
    fn expected(&self) -> String {
        match self.live.awaited() {
            GameAwaited::Play(_, roll) => {
                let plays = self.live.plays();
                let example = plays.first().map_or("pass", |turn| &turn.play);
                format!("a play of {roll}, such as {example}")
            }
            GameAwaited::GameOver(_) => "next or quit".to_owned(),
            GameAwaited::MatchOver(_) => "quit".to_owned(),
        }
    }
}

fn tell(lines: &[String], out: &mut dyn Write) -> Outcome {
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
