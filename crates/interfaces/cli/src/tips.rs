//! What a mistyped command line probably meant, beyond what clap finds out by itself.

use std::error::Error as _;
use std::num::{IntErrorKind, ParseIntError};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// Options whose default is a variable of the environment.
pub const VARIABLES: [(&str, &str); 2] = [("model", "TAVOLA_MODEL"), ("threads", "TAVOLA_THREADS")];

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
    let told = match error.kind() {
        ErrorKind::ValueValidation | ErrorKind::InvalidValue
            if of_environment(&error, arguments).is_some() =>
        {
            of_environment(&error, arguments)
        }
        ErrorKind::ValueValidation if is_no_number(&error) => {
            let (value, option) =
                (text(&error, ContextKind::InvalidValue), text(&error, ContextKind::InvalidArg));
            let reason = format!(
                "invalid value '{value}' for '{option}': expected a whole number, 0 or more\n"
            );
            return Error::raw(ErrorKind::ValueValidation, reason).with_cmd(command);
        }
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
    (!is_typed).then(|| format!("the value is that of {variable} in the environment"))
}

/// Whether the reason is that of the standard library, which names nothing.
fn is_no_number(error: &Error) -> bool {
    let reason = error.source().and_then(|source| source.downcast_ref::<ParseIntError>());
    reason.is_some_and(|reason| *reason.kind() == IntErrorKind::InvalidDigit)
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
    let names = match first {
        [] => (*last).to_owned(),
        first => format!("{} and {last}", first.join(", ")),
    };
    Some(format!("{option} is an option of {names}"))
}

fn text(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    }
}
