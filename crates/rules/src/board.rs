//! Boards to look at: [`text`] for a terminal, [`svg`] for a page.
//!
//! Both show a [`Situation`] from the player on roll: his home is at the lower right, points are
//! numbered as he counts them, his bar checkers wait in the upper half, where they will enter.
//! What the situation doesn't say about cube, dice and score is left out.
//!
//! ```
//! use tavola_rules::board::{self, Charset, Color};
//! use tavola_rules::notation::parse_situation;
//!
//! let situation = parse_situation("4HPwATDgc/ABMA")?;
//! let board = board::text(&situation, Charset::Ascii, Color::Never);
//! assert!(board.starts_with("+13-14-15-16-17-18-+---+19-20-21-22-23-24-+"));
//! # Ok::<(), tavola_rules::notation::NotationError>(())
//! ```

mod svg;
mod text;

use crate::cube::{Cube, Offer};
use crate::notation::{Situation, Stakes};

pub use svg::{Theme, svg, svg_of_plays, svg_with_theme};
pub use text::{Charset, Color, text};

/// One of the two sides, seen from the player on roll.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Player,
    Opponent,
}

/// What a board says in words about one side: score and pip count.
fn side_line(situation: &Situation, side: Side) -> String {
    let position = &situation.position;
    let pips = match side {
        Side::Player => position.pip_count(),
        Side::Opponent => position.opponent_pip_count(),
    };
    match situation.stakes {
        Some(Stakes::Match(score)) => {
            let points = if side == Side::Player { score.player() } else { score.opponent() };
            format!("pips {pips}, score {points} of {}", score.length())
        }
        _ => format!("pips {pips}"),
    }
}

/// What a board says in words about the moment: the roll or the offer, and the kind of game.
fn status_lines(situation: &Situation) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(situation.dice.map(|dice| format!("roll {dice}")));
    lines.extend(situation.offer.map(|offer| match offer {
        Offer::Double => "doubled".to_owned(),
        Offer::Beaver => "beavered".to_owned(),
        Offer::Raccoon => "raccooned".to_owned(),
    }));
    match situation.stakes {
        Some(Stakes::Match(score)) if score.is_crawford() => {
            lines.push("Crawford game".to_owned());
        }
        Some(Stakes::Money { jacoby, beavers }) => {
            let mut rules = String::from("money");
            rules.push_str(if jacoby { ", Jacoby" } else { "" });
            rules.push_str(if beavers == Some(true) { ", beavers" } else { "" });
            lines.push(rules);
        }
        _ => {}
    }
    lines
}

/// The cube, where there is one: none in a Crawford game. Centred at 1, a real cube shows 64; here
/// it shows 1.
fn cube(situation: &Situation) -> Option<Cube> {
    match situation.stakes {
        Some(Stakes::Match(score)) if score.is_crawford() => None,
        _ => situation.cube,
    }
}
