//! What users type in a game.

use std::path::PathBuf;

use tavola_engine::live::{Awaited, DiceSource, Live, SeatAction};
use tavola_rules::{Dice, WinKind, did_you_mean};

use super::PlaySession;

/// A line of a user.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Something that the rules know.
    Choose(SeatAction),
    /// The plays of the roll, those with these words alone.
    Plays(String),
    /// The next game.
    Next,
    /// Advice.
    Hint,
    /// What the position is worth.
    Evaluate,
    /// Back to the decision before.
    TakeBack,
    /// The board again.
    Board,
    /// Keep the match, in a file if one is named.
    Save(Option<PathBuf>),
    /// The commands.
    Help,
    /// The end.
    Quit,
}

/// The commands, for users.
pub const HELP: &str = "\
8/5 6/5            play the roll; bar/20, 13/7*, 6/5(2) and 4/off are read
plays [WORD..]     the plays of the roll, numbered; those with these words
roll               roll the dice; with typed dice the roll, such as 31
double             offer the cube
take, pass         answer a double; beaver and raccoon where they are played
resign [gammon]    offer to lose a single game, a gammon or a backgammon
accept, refuse     answer a resignation
hint               the best plays, or what to do with the cube
eval               what the position is worth
undo               go back to your decision before this one
board              show the board
next               begin the next game
save [FILE]        keep the match in a file
quit               end; the match is kept where --save was given";

/// What is added with several people, who have no full screen.
pub const HELP_OF_PEOPLE: &str = "\
3                  the play of this number
leave, extra       in a chouette: leave a cube alone; give an extra
claim              where wrong plays may be made: the play before is taken back";

/// What can be typed in games without a cube.
pub const HELP_WITHOUT_CUBE: &str = "\
1-7 5-8            play the roll; the order of the moves does not matter
plays [WORD..]     the plays of the roll, numbered; those with these words
3                  the play of this number
hint               the best plays
eval               what the position is worth
undo               go back to your decision before this one
board              show the board
next               begin the next game
save [FILE]        keep the game in a file
quit               end; the game is kept where --save was given";

/// All words that begin a command.
const WORDS: [&str; 22] = [
    "plays", "roll", "double", "take", "drop", "beaver", "raccoon", "leave", "extra", "claim",
    "resign", "accept", "refuse", "hint", "eval", "undo", "board", "next", "save", "quit", "help",
    "pass",
];

/// The plays in which all of these words stand, with their numbers in lines.
pub fn listed(plays: &[String], words: &str) -> Vec<String> {
    let has_all = |play: &str| {
        words.split_whitespace().all(|word| play.split(' ').any(|step| step.starts_with(word)))
    };
    let found = (1..).zip(plays).filter(|(_, play)| has_all(play));
    let lines: Vec<String> = found.map(|(number, play)| format!("{number:>5}  {play}")).collect();
    if lines.is_empty() { vec![format!("no play of the roll has {words:?}")] } else { lines }
}

/// Reads a line of a user.
///
/// # Errors
///
/// A message that quotes the line and says what was expected.
pub fn parse(line: &str, session: &PlaySession) -> Result<Command, String> {
    let (line, live) = (line.trim(), &session.live);
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (word, rest) = (word.to_ascii_lowercase(), rest.trim());
    let expected = || format!("expected {}", session.expected());
    let refuse_rest = |command: Command| match rest {
        "" => Ok(command),
        _ => Err(format!("{line:?} has words after {word:?}, {}", expected())),
    };
    let choose = |action| refuse_rest(Command::Choose(action));
    let cubed = live.cubed().is_some();
    if let Some(dice) = typed_dice(line, live)? {
        return Ok(Command::Choose(dice));
    }
    let is_number = line.parse::<usize>().is_ok() && matches!(live.awaited(), Awaited::Play(_));
    if (is_number || !cubed)
        && let Some(command) = listed_play(line, live)
    {
        return command;
    }
    match &*word {
        "plays" => Ok(Command::Plays(rest.to_owned())),
        "roll" | "r" => match (live.awaited(), rest) {
            (Awaited::GameOver(_), "") => Ok(Command::Next),
            (_, "") => Ok(Command::Choose(SeatAction::Roll { dice: None })),
            (_, text) => match text.parse::<Dice>() {
                Ok(dice) => Ok(Command::Choose(rolled(dice))),
                Err(error) => Err(error.to_string()),
            },
        },
        "p" if !cubed => Ok(Command::Plays(rest.to_owned())),
        "b" if !cubed => refuse_rest(Command::Board),
        "double" | "redouble" | "d" => choose(SeatAction::Double),
        "take" | "t" => choose(SeatAction::Take),
        "pass" if matches!(live.awaited(), Awaited::Play(_)) => named(line, live),
        "drop" | "pass" | "p" => choose(SeatAction::Drop),
        "beaver" | "b" => choose(SeatAction::Beaver),
        "raccoon" => choose(SeatAction::Raccoon),
        "leave" | "l" => choose(SeatAction::Leave),
        "extra" => choose(SeatAction::Extra),
        "claim" => choose(SeatAction::Claim),
        "accept" | "yes" | "y" => choose(SeatAction::Accept),
        "refuse" | "reject" | "no" => choose(SeatAction::Refuse),
        "resign" | "x" => {
            win(rest).map(|size| Command::Choose(SeatAction::Resign { size })).ok_or_else(|| {
                format!("{line:?}, expected resign, resign gammon or resign backgammon")
            })
        }
        "next" | "n" => refuse_rest(Command::Next),
        "hint" | "h" => refuse_rest(Command::Hint),
        "eval" | "evaluate" | "e" => refuse_rest(Command::Evaluate),
        "undo" | "back" | "u" => refuse_rest(Command::TakeBack),
        "board" => refuse_rest(Command::Board),
        "save" | "s" => Ok(Command::Save((!rest.is_empty()).then(|| rest.into()))),
        "help" | "?" => refuse_rest(Command::Help),
        "quit" | "exit" | "q" => refuse_rest(Command::Quit),
        _ if cubed && looks_like_a_play(&word) => match live.awaited() {
            Awaited::Play(_) => named(line, live),
            _ => Err(format!("{line:?} is a play, but none is awaited: {}", expected())),
        },
        _ => Err(format!(
            "{line:?} is not a command, {} or help{}",
            expected(),
            did_you_mean(&word, WORDS.iter().copied())
        )),
    }
}

/// The play that a line names, in the words of the game.
fn named(line: &str, live: &Live) -> Result<Command, String> {
    let play = live.name_play(line).map_err(|error| error.to_string())?;
    Ok(Command::Choose(SeatAction::Play { play }))
}

/// The play that a line names by its number; `None` if the line is no number.
pub fn numbered(line: &str, plays: impl FnOnce() -> Vec<String>) -> Option<Result<String, String>> {
    let number: usize = line.parse().ok()?;
    let plays = plays();
    let count = plays.len();
    let found = number.checked_sub(1).and_then(|at| plays.into_iter().nth(at));
    Some(found.ok_or_else(|| match count {
        0 => format!("{line:?} is the number of a play, but none is awaited"),
        _ => format!("{line:?} is no play's number, expected one from 1 to {count}"),
    }))
}

/// A play of the roll by its number, or by moves as games without a cube have them; `None` if the
/// line is neither.
fn listed_play(line: &str, live: &Live) -> Option<Result<Command, String>> {
    if let Some(play) = numbered(line, || live.plays()) {
        return Some(play.map(|play| Command::Choose(SeatAction::Play { play })));
    }
    let play = named(line, live);
    (play.is_ok() || line.contains('-'))
        .then(|| play.map_err(|error| format!("{error}; plays lists them")))
}

fn looks_like_a_play(word: &str) -> bool {
    word.contains('/') || word.starts_with(|c: char| c.is_ascii_digit())
}

fn rolled(dice: Dice) -> SeatAction {
    SeatAction::Roll { dice: Some(vec![dice.high(), dice.low()]) }
}

/// The typed dice of a line, where they are awaited. The opening roll is the die of the user, then
/// that of the engine.
fn typed_dice(line: &str, live: &Live) -> Result<Option<SeatAction>, String> {
    let text = line.strip_prefix("roll ").unwrap_or(line).trim();
    if live.setup().dice != DiceSource::Typed || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(None);
    }
    let error = || format!("{line:?} is not a roll, expected two dice from 1 to 6 such as 31");
    match live.awaited() {
        Awaited::Opening | Awaited::Dice(_) if live.cubed().is_none() => {
            let dice: Option<Vec<u8>> = text
                .chars()
                .filter(|c| !matches!(c, '-' | ' '))
                .map(|c| c.to_digit(10).map(|digit| digit as u8))
                .collect();
            let error = || format!("{line:?} is not a roll, expected {}", live.expected());
            dice.map(|dice| Some(SeatAction::Roll { dice: Some(dice) })).ok_or_else(error)
        }
        Awaited::Opening => {
            let digits = text.chars().filter_map(|c| c.to_digit(10)).map(|digit| digit as u8);
            text.parse::<Dice>().map_err(|_| error())?;
            Ok(Some(SeatAction::Roll { dice: Some(digits.collect()) }))
        }
        Awaited::Roll(seat) if seat != live.user() => Ok(None),
        Awaited::Roll(_) | Awaited::Dice(_) => {
            text.parse().map(|dice| Some(rolled(dice))).map_err(|_| error())
        }
        _ => Ok(None),
    }
}

/// The size of a loss.
fn win(text: &str) -> Option<WinKind> {
    match &*text.to_ascii_lowercase() {
        "" | "1" | "single" => Some(WinKind::Single),
        "2" | "gammon" => Some(WinKind::Gammon),
        "3" | "backgammon" => Some(WinKind::Backgammon),
        _ => None,
    }
}
