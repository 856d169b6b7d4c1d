//! From lines to commands.

use std::time::Duration;

use tavola_rules::{Dice, Player};

use super::Dialect;
use super::refusal::{Fault, Refusal, refused};

/// The longest time that a search may be given.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// `ubgi`: who are you?
    Hello,
    /// `isready`.
    IsReady,
    /// `newgame`.
    NewGame,
    /// `newsession` with its words and their values.
    NewSession(Vec<(String, String)>),
    /// `setoption name X value Y`.
    SetOption(String, String),
    /// `set k v`.
    Set(String, String),
    /// `get k`.
    Get(String),
    /// `keys`.
    Keys,
    /// `setscore p0 p1`.
    SetScore([String; 2]),
    /// `setcube value N owner X`.
    SetCube(String, String),
    /// `setturn p0`.
    SetTurn(String),
    /// `position gnubgid` or `position xgid`.
    Position(Notation, String),
    /// `dice a b`.
    Dice(Dice),
    /// `go`.
    Go(Go),
    /// `stop`.
    Stop,
    /// `quit`.
    Quit,
    /// A bare position, as draft 0.01 has it.
    Bare(String),
}

/// How a position is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// A GNU Position ID, perhaps with a Match ID behind a colon.
    Gnubg,
    /// An XGID.
    Xgid,
}

/// What is searched for, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub(super) role: Role,
    /// The dialect that names the role so: 0.1 has `go role cube`, 0.2 `go cube`.
    pub(super) form: Option<Dialect>,
    pub(super) movetime: Option<Duration>,
    pub(super) depth: Option<u8>,
    pub(super) trials: Option<u64>,
}

/// Which decision is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Chequer,
    Cube,
    Turn,
}

tavola_rules::named!(Role, "role": Chequer => "chequer", Cube => "cube", Turn => "turn");

impl Role {
    fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == word)
    }
}

fn command(expected: &str) -> Refusal {
    Refusal::new(Fault::Command, format_args!("expected: {expected}"))
}

/// Reads a line that is not blank.
pub(super) fn read(line: &str) -> Result<Command, Refusal> {
    let line = line.trim();
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let alone = |command: Command| match rest {
        "" => Ok(command),
        _ => Err(Refusal::new(
            Fault::Command,
            format_args!("{word} takes no arguments, found {rest:?}"),
        )),
    };
    match word {
        "ubgi" => alone(Command::Hello),
        "isready" => alone(Command::IsReady),
        "newgame" => alone(Command::NewGame),
        "stop" => alone(Command::Stop),
        "quit" => alone(Command::Quit),
        "keys" => alone(Command::Keys),
        "newsession" => new_session(&words),
        "setoption" => {
            let pair = rest.strip_prefix("name ").and_then(|rest| rest.split_once(" value"));
            let (name, value) =
                pair.ok_or_else(|| command("setoption name <Name> value <Value>"))?;
            Ok(Command::SetOption(name.trim().to_owned(), value.trim().to_owned()))
        }
        "set" => {
            let (key, value) =
                rest.split_once([' ', '\t']).ok_or_else(|| command("set <key> <value>"))?;
            Ok(Command::Set(key.to_owned(), value.trim().to_owned()))
        }
        "get" => match words[..] {
            [key] => Ok(Command::Get(key.to_owned())),
            _ => Err(command("get <key>")),
        },
        "setscore" => match words[..] {
            [one, two] => Ok(Command::SetScore([one.to_owned(), two.to_owned()])),
            _ => Err(command("setscore <p0> <p1>")),
        },
        "setcube" => match words[..] {
            ["value", value, "owner", owner] => {
                Ok(Command::SetCube(value.to_owned(), owner.to_owned()))
            }
            _ => Err(command("setcube value <N> owner <center|p0|p1>")),
        },
        "setturn" => match words[..] {
            [turn] => Ok(Command::SetTurn(turn.to_owned())),
            _ => Err(command("setturn <p0|p1>")),
        },
        "position" => match rest.split_once([' ', '\t']) {
            Some(("gnubgid", id)) => Ok(Command::Position(Notation::Gnubg, id.trim().to_owned())),
            Some(("xgid", id)) => Ok(Command::Position(Notation::Xgid, id.trim().to_owned())),
            _ => Err(command("position gnubgid <ID> or position xgid <XGID>")),
        },
        "dice" => {
            let dice = match words[..] {
                [a, b] => {
                    a.parse().ok().zip(b.parse().ok()).and_then(|(a, b)| Dice::new(a, b).ok())
                }
                _ => None,
            };
            dice.map(Command::Dice).ok_or_else(|| {
                refused(format_args!("dice {rest:?}, expected two numbers from 1 to 6"))
            })
        }
        "go" => go(&words).map(Command::Go),
        _ if looks_like_position(line) => Ok(Command::Bare(line.to_owned())),
        _ => {
            let word: String = word.chars().take(40).collect();
            Err(Refusal::new(Fault::Command, format_args!("{word:?} is no command")))
        }
    }
}

/// An XGID with its prefix or a board with 26 characters before a colon, or a FIBS board.
fn looks_like_position(line: &str) -> bool {
    let lower = line.get(..6).unwrap_or_default().to_ascii_lowercase();
    lower.starts_with("xgid")
        || lower.starts_with("board:")
        || line.split_once(':').is_some_and(|(board, _)| board.len() == 26)
}

fn new_session(words: &[&str]) -> Result<Command, Refusal> {
    let form = "newsession type <money|match> [length <N>] [jacoby <on|off>] [crawford <on|off>]";
    let (pairs, odd) = words.as_chunks::<2>();
    if !odd.is_empty() || pairs.is_empty() {
        return Err(command(form));
    }
    Ok(Command::NewSession(
        pairs.iter().map(|[key, value]| ((*key).to_owned(), (*value).to_owned())).collect(),
    ))
}

fn go(words: &[&str]) -> Result<Go, Refusal> {
    let mut go = Go::default();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        if let Some(role) = Role::read(word) {
            (go.role, go.form) = (role, Some(Dialect::V0_2));
            continue;
        }
        let value = words.next().ok_or_else(|| {
            command("go [role <chequer|cube|turn>] [movetime <ms>] [depth <n>] [trials <n>]")
        })?;
        let wrong = |expected: &str| refused(format_args!("{word} {value:?}, expected {expected}"));
        match word {
            "role" => {
                go.role = Role::read(value).ok_or_else(|| wrong("chequer, cube or turn"))?;
                go.form = Some(Dialect::V0_1);
            }
            "movetime" => {
                let time = value.parse().ok().map(Duration::from_millis);
                let time = time.filter(|time| !time.is_zero() && *time <= LONGEST);
                go.movetime = Some(time.ok_or_else(|| wrong("milliseconds from 1 to a day"))?);
            }
            "depth" => go.depth = Some(value.parse().map_err(|_| wrong("plies"))?),
            "trials" => {
                let trials = value.parse().ok().filter(|trials| *trials >= 2);
                go.trials = Some(trials.ok_or_else(|| wrong("a number from 2"))?);
            }
            "nodes" => {
                return Err(Refusal::new(
                    Fault::Unsupported,
                    "go nodes, expected depth, movetime or trials",
                ));
            }
            _ => return Err(Refusal::new(Fault::Command, format_args!("go {word:?}"))),
        }
    }
    Ok(go)
}

/// `p0` or `p1`.
pub(super) fn player(text: &str) -> Option<Player> {
    match text {
        "p0" => Some(Player::One),
        "p1" => Some(Player::Two),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_commands() {
        assert_eq!(read(" ubgi "), Ok(Command::Hello));
        assert_eq!(
            read("setoption name Eval Mode value a b"),
            Ok(Command::SetOption("Eval Mode".to_owned(), "a b".to_owned()))
        );
        let Ok(Command::Go(go)) = read("go role cube movetime 250 depth 1") else { panic!() };
        assert_eq!((go.role, go.form), (Role::Cube, Some(Dialect::V0_1)));
        assert_eq!((go.movetime, go.depth), (Some(Duration::from_millis(250)), Some(1)));
        let Ok(Command::Go(go)) = read("go turn") else { panic!() };
        assert_eq!((go.role, go.form), (Role::Turn, Some(Dialect::V0_2)));
        assert!(matches!(read("XGID=whatever"), Ok(Command::Bare(_))));
        assert!(matches!(
            read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"),
            Ok(Command::Bare(_))
        ));
        assert!(matches!(read("position gnubgid 4HPw"), Ok(Command::Position(Notation::Gnubg, _))));
    }

    #[test]
    fn what_is_no_command_is_told_in_the_words_of_the_dialect() {
        for (line, old, new) in [
            ("flush", "unknown_command", "bad_command"),
            ("ubgi now", "unknown_command", "bad_command"),
            ("dice 7 1", "bad_argument", "bad_value"),
            ("dice 3", "bad_argument", "bad_value"),
            ("go role queen", "bad_argument", "bad_value"),
            ("go movetime 0", "bad_argument", "bad_value"),
            ("go nodes 10", "unsupported_feature", "unsupported"),
            ("go depth", "unknown_command", "bad_command"),
            ("newsession type", "unknown_command", "bad_command"),
            ("position fen x", "unknown_command", "bad_command"),
        ] {
            let refusal = read(line).unwrap_err();
            assert_eq!(refusal.line(Dialect::V0_01), "sorry");
            let line = |dialect| refusal.line(dialect);
            assert!(line(Dialect::V0_1).starts_with(&format!("error {old} ")), "{refusal:?}");
            assert!(line(Dialect::V0_2).starts_with(&format!("error {new} ")), "{refusal:?}");
        }
    }
}
