//! Boards on the terminal.

use std::env;
use std::io::{self, IsTerminal};

use tavola_rules::board::{Charset, Color};

use crate::args::{BoardArgs, ColorWhen};

/// The characters and colors that the arguments ask for.
pub fn style(args: &BoardArgs) -> (Charset, Color) {
    let charset = if args.ascii { Charset::Ascii } else { Charset::Unicode };
    (charset, if has_color(args.color) { Color::Always } else { Color::Never })
}

/// Whether stdout has color.
pub fn has_color(when: ColorWhen) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => io::stdout().is_terminal() && terminal_has_color(),
    }
}

/// What the environment says, as <https://no-color.org> describes it.
fn terminal_has_color() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
}
