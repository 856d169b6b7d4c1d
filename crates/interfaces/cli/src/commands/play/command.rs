//! What users type in a game.

use std::path::PathBuf;

use tavola_engine::live_match::{Awaited, Choice, DiceSource, LiveMatch, USER};
use tavola_rules::{Dice, WinKind, did_you_mean, moves};

/// A line of a user.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Something that the rules know.
    Choose(Choice),
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
roll               roll the dice; with typed dice the roll itself, such as 31
8/5 6/5            play the roll; bar/20, 13/7*, 6/5(2) and 4/off are understood
double             offer the cube
take, drop         answer a double; beaver and raccoon where they are played
resign [gammon]    offer to lose a single game, a gammon or a backgammon
accept, refuse     answer a resignation
hint               the best plays, or what to do with the cube
eval               what the position is worth
undo               go back to your decision before this one
board              show the board
next               begin the next game
save [FILE]        keep the match in a file
quit               end; the match is kept where --save was given";

/// All words that begin a command.
const WORDS: [&str; 18] = [
    "roll", "double", "take", "drop", "beaver", "raccoon", "resign", "accept", "refuse", "hint",
    "eval", "undo", "board", "next", "save", "quit", "help", "pass",
];

/// Reads a line of a user.
///
/// # Errors
///
/// A message that quotes the line and says what was expected.
pub fn parse(line: &str, live: &LiveMatch) -> Result<Command, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (word, rest) = (word.to_ascii_lowercase(), rest.trim());
    let expected = || format!("expected {}", expected(live));
    let refuse_rest = |command: Command| match rest {
        "" => Ok(command),
        _ => Err(format!("{line:?} has words after {word:?}, {}", expected())),
    };
    let choose = |choice| refuse_rest(Command::Choose(choice));
    let awaited = live.awaited();
    if let Some(dice) = typed_dice(line, live)? {
        return Ok(Command::Choose(dice));
    }
    match &*word {
        "roll" | "r" => match (awaited, rest) {
            (Awaited::GameOver(_), "") => Ok(Command::Next),
            (_, "") => Ok(Command::Choose(Choice::Roll(None))),
            (_, text) => match text.parse::<Dice>() {
                Ok(dice) => Ok(Command::Choose(Choice::Roll(Some(dice)))),
                Err(error) => Err(error.to_string()),
            },
        },
        "double" | "redouble" | "d" => choose(Choice::Double),
        "take" | "t" => choose(Choice::Take),
        "drop" | "pass" | "p" => choose(Choice::Drop),
        "beaver" | "b" => choose(Choice::Beaver),
        "raccoon" => choose(Choice::Raccoon),
        "accept" | "yes" | "y" => choose(Choice::Accept),
        "refuse" | "reject" | "no" => choose(Choice::Refuse),
        "resign" | "x" => {
            win(rest).map(|win| Command::Choose(Choice::Resign(win))).ok_or_else(|| {
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
        _ if matches!(awaited, Awaited::Play(USER, _)) && looks_like_a_play(&word) => {
            let play = live.parse_play(line).map_err(|error| error.to_string())?;
            Ok(Command::Choose(Choice::Play(play)))
        }
        _ if looks_like_a_play(&word) => {
            Err(format!("{line:?} is a play, but none is awaited: {}", expected()))
        }
        _ => Err(format!(
            "{line:?} is not a command, {} or help{}",
            expected(),
            did_you_mean(&word, WORDS.iter().copied())
        )),
    }
}

fn looks_like_a_play(word: &str) -> bool {
    word.contains('/') || word.starts_with(|c: char| c.is_ascii_digit())
}

/// The typed dice of a line, where they are awaited. The opening roll is the die of the user, then
/// that of the engine.
fn typed_dice(line: &str, live: &LiveMatch) -> Result<Option<Choice>, String> {
    let text = line.strip_prefix("roll ").unwrap_or(line).trim();
    if live.setup().dice != DiceSource::Typed || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(None);
    }
    let error = || format!("{line:?} is not a roll, expected two dice from 1 to 6 such as 31");
    match live.awaited() {
        Awaited::Opening => {
            let digits: Vec<u8> =
                text.chars().filter_map(|c| c.to_digit(10)).map(|digit| digit as u8).collect();
            text.parse::<Dice>().map_err(|_| error())?;
            Ok(Some(Choice::Opening(digits[0], digits[1])))
        }
        Awaited::Roll(USER) | Awaited::Dice(_) => {
            text.parse().map(|dice| Some(Choice::Roll(Some(dice)))).map_err(|_| error())
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

/// What may be typed now, in words.
pub fn expected(live: &LiveMatch) -> String {
    let typed = live.setup().dice == DiceSource::Typed;
    match live.awaited() {
        Awaited::Opening => "the opening roll: your die, then that of the engine, as 31".to_owned(),
        Awaited::Dice(player) => format!("the roll of {}, such as 31", live.name(player)),
        Awaited::Roll(_) => {
            let (roll, comma) = if typed { ("your roll, such as 31", ",") } else { ("roll", "") };
            match live.user_may_double() {
                true => format!("{roll}{comma} or double"),
                false => roll.to_owned(),
            }
        }
        Awaited::Play(_, dice) => {
            let plays = moves::plays(live.position(), dice);
            plays.first().map_or_else(
                || format!("a play of {dice}"),
                |(play, _)| format!("a play of {dice}, such as {play}"),
            )
        }
        Awaited::Answer(..) if live.user_may_beaver() => "take, drop or beaver".to_owned(),
        Awaited::Answer(..) if live.user_may_raccoon() => "take, drop or raccoon".to_owned(),
        Awaited::Answer(..) => "take or drop".to_owned(),
        Awaited::Resignation(..) => "accept or refuse".to_owned(),
        Awaited::GameOver(_) => "next or quit".to_owned(),
        Awaited::MatchOver(_) => "quit".to_owned(),
    }
}
