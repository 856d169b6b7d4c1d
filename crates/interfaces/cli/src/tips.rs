//! What a mistyped command line probably meant, beyond what clap finds out by itself.

use std::error::Error as _;
use std::num::{IntErrorKind, ParseIntError};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use tavola_arena::words::count;

/// Names the network of commands that name none.
pub const MODEL_VARIABLE: &str = "TAVOLA_MODEL";

/// Options whose default is a variable of the environment.
pub const VARIABLES: [(&str, &str); 2] = [("model", MODEL_VARIABLE), ("threads", "TAVOLA_THREADS")];

/// Verbs that people type and that no command has, with what does the work.
const VERBS: [(&str, &str); 5] = [
    ("analysis", "`tavola analyze game.mat` analyzes a match"),
    (
        "match",
        "`tavola play --match 7` is a match against the engine, `tavola duel` one of two players",
    ),
    ("server", "`tavola serve` is the board in the browser, and the engine over HTTP"),
    ("download", "the networks are built in; `tavola bearoff generate` makes endgame databases"),
    ("selfplay", "`tavola train` trains by self-play; `tavola stats` counts what happens in games"),
];

/// Options that a command lacks for a reason.
const OPTIONS: [(&str, &str, &str); 4] = [
    ("eval", "--roll", "eval evaluates before the roll; did you mean `tavola best`?"),
    ("cube", "--roll", "the cube is turned before the roll; did you mean `tavola best`?"),
    ("eval", "--top", "eval evaluates the position alone; did you mean `tavola best`?"),
    ("rollout", "--score", "a score needs the length of its match: --match-length 7 --score 3-5"),
];

/// The error with tips that help.
pub fn advise(mut error: Error, command: &Command, arguments: &[String]) -> Error {
    if error.kind() == ErrorKind::ValueValidation
        && let Some(expected) = plain_reason(&error)
    {
        let (value, option) =
            (text(&error, ContextKind::InvalidValue), text(&error, ContextKind::InvalidArg));
        let tip = of_environment(&error, arguments);
        let tip = tip.map_or_else(String::new, |tip| format!("\n\n  tip: {tip}"));
        let reason = format!("invalid value '{value}' for '{option}': expected {expected}{tip}\n");
        return Error::raw(ErrorKind::ValueValidation, reason).with_cmd(command);
    }
    let told = match error.kind() {
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => of_environment(&error, arguments),
        ErrorKind::InvalidSubcommand => {
            let typed = text(&error, ContextKind::InvalidSubcommand);
            let verb = VERBS.iter().find(|(verb, _)| *verb == typed);
            verb.map(|(_, advice)| (*advice).to_owned())
        }
        ErrorKind::UnknownArgument => {
            let typed = text(&error, ContextKind::InvalidArg);
            // A position may begin with a hyphen, but nobody means an option to be one.
            error.remove(ContextKind::Suggested);
            let is_similar = error.get(ContextKind::SuggestedArg).is_some();
            let option = typed.split('=').next().unwrap_or_default();
            let asked = arguments.iter().find_map(|word| command.find_subcommand(word));
            let name = asked.map_or("", Command::get_name);
            let known = OPTIONS.iter().find(|known| (known.0, known.1) == (name, option));
            match known {
                Some((_, _, advice)) => Some((*advice).to_owned()),
                None if asked.is_some_and(takes_roll) && is_roll(&typed) => {
                    Some(format!("did you mean `--roll {typed}`?"))
                }
                None if is_similar => None,
                None => other_command(command, option),
            }
        }
        _ => None,
    };
    if let Some(told) = told {
        error.remove(ContextKind::SuggestedSubcommand);
        error.remove(ContextKind::SuggestedArg);
        let tips = ContextValue::StyledStrs(vec![StyledStr::from(told)]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// Where a wrong value comes from, if it is not typed.
fn of_environment(error: &Error, arguments: &[String]) -> Option<String> {
    let option = text(error, ContextKind::InvalidArg);
    let option = option.split(' ').next()?;
    let (_, variable) =
        VARIABLES.iter().find(|(long, _)| option.strip_prefix("--") == Some(long))?;
    let is_typed = arguments.iter().any(|typed| typed.starts_with(option));
    let value = text(error, ContextKind::InvalidValue);
    let is_said = std::env::var(variable).is_ok_and(|said| said == value);
    (is_said && !is_typed).then(|| format!("the value is that of {variable} in the environment"))
}

/// What is expected in the words of people, where the reason is that of the standard library or a
/// range of clap: `0 is not in 1..=1024`.
fn plain_reason(error: &Error) -> Option<String> {
    let reason = error.source()?;
    if let Some(reason) = reason.downcast_ref::<ParseIntError>() {
        return Some(match reason.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                "a number that is not so far from 0".to_owned()
            }
            IntErrorKind::Zero => "a whole number, 1 or more".to_owned(),
            _ => "a whole number, 0 or more".to_owned(),
        });
    }
    in_range(&reason.to_string())
}

/// The range of `0 is not in 1..=1024` in words. The largest number of a type is no limit that
/// anybody means.
fn in_range(reason: &str) -> Option<String> {
    let (value, range) = reason.split_once(" is not in ")?;
    let value: i128 = value.parse().ok()?;
    let (low, high) = range.split_once("..")?;
    let high = match high.strip_prefix('=') {
        Some(high) => high.parse::<i128>().ok(),
        None => high.parse::<i128>().ok().map(|high| high - 1),
    };
    let number = |number: i128| match u64::try_from(number) {
        Ok(number) => count(number),
        Err(_) => number.to_string(),
    };
    let low: i128 = low.parse().ok()?;
    Some(match high.filter(|high| *high < i128::from(u32::MAX) || value > *high) {
        Some(high) => format!("a whole number from {} to {}", number(low), number(high)),
        None => format!("a whole number, {} or more", number(low)),
    })
}

fn takes_roll(command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some("roll"))
}

/// Whether a word looks like the numbers of two dice.
fn is_roll(word: &str) -> bool {
    let dice = word.replace(['-', ','], "");
    dice.len() == 2 && dice.chars().all(|die| ('1'..='6').contains(&die))
}

/// The commands that have this option.
fn other_command(command: &Command, option: &str) -> Option<String> {
    let long = option.strip_prefix("--")?;
    let has = |command: &&Command| command.get_arguments().any(|arg| arg.get_long() == Some(long));
    let names: Vec<&str> = command.get_subcommands().filter(has).map(Command::get_name).collect();
    let (last, first) = names.split_last()?;
    let first = if first.is_empty() { String::new() } else { first.join(", ") + " and " };
    Some(format!("{option} is an option of {first}{last}"))
}

fn text(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_range;

    #[test]
    fn ranges_are_told_in_the_words_of_people() {
        let said = |reason| in_range(reason).unwrap();
        assert_eq!(said("0 is not in 1..=1024"), "a whole number from 1 to 1,024");
        assert_eq!(said("0 is not in 1..=4294967295"), "a whole number, 1 or more");
        assert_eq!(said("-1 is not in 0..9223372036854775807"), "a whole number, 0 or more");
        assert_eq!(
            said("4294967296 is not in 0..=4294967295"),
            "a whole number from 0 to 4,294,967,295"
        );
        assert_eq!(said("-9 is not in -3..=3"), "a whole number from -3 to 3");
        assert_eq!(in_range("expected equity such as 0.02"), None);
    }
}
