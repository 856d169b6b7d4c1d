//! Boards on the terminal.

use std::env;
use std::io::{self, IsTerminal, Write};

use tavola_rules::Outcome;
use tavola_rules::board::{BoardView, Charset, Color};
use tavola_rules::notation::Situation;

use crate::args::{BoardArgs, ColorWhen};

/// Draws a situation in the style that the arguments ask for.
pub fn write(situation: &Situation, args: &BoardArgs, out: &mut dyn Write) -> io::Result<()> {
    let (charset, color) = style(args);
    writeln!(out, "{}", BoardView::from(situation).text(charset, color))
}

/// How a finished game ended, in words.
pub fn outcome(outcome: Outcome) -> String {
    if outcome == Outcome::Draw {
        return "the game is over: a draw".to_owned();
    }
    let verb = if outcome.is_win() { "won" } else { "lost" };
    let kind = match outcome.points().abs() {
        1 => "a single game",
        2 => "a gammon",
        _ => "a backgammon",
    };
    format!("the game is over: the player on roll has {verb} {kind}")
}

/// The characters and colours that the arguments ask for.
pub fn style(args: &BoardArgs) -> (Charset, Color) {
    let charset = if args.ascii { Charset::Ascii } else { Charset::Unicode };
    (charset, color(args.color))
}

fn color(when: ColorWhen) -> Color {
    let wanted = match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => io::stdout().is_terminal() && terminal_has_color(),
    };
    if wanted { Color::Always } else { Color::Never }
}

/// What the environment says, as <https://no-color.org> describes it.
fn terminal_has_color() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
}
