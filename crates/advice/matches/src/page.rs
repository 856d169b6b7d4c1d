//! Analyses to look at and to hand on: a page with boards, a table of decisions, flash cards.

mod anki;
pub(crate) mod cards;
pub(crate) mod csv;
mod curve;
mod html;
pub mod report;

use tavola_files::report::escape;
use tavola_rules::board::{BoardView, Theme};
use tavola_rules::{Position, notation};

pub use anki::package;
pub use cards::{Card, cards, text as cards_text};
pub use csv::csv;
pub use html::html;

use crate::analysis::Decision;

/// What every page and file of cards says of its maker, so that no reader takes it for a match.
const GENERATOR: &str = "tavola analyze";

/// The color of the arrows of the play that was made, and of the best one.
const ARROWS: [&str; 2] = ["#c0392b", "#1e8449"];

/// The board of a decision as SVG; with arrows for the play that was made and the best one, the
/// answers, or without.
fn board(decision: &Decision, with_arrows: bool) -> String {
    let Ok(situation) = notation::parse_situation(&decision.position) else {
        return String::new();
    };
    let mut view = BoardView::from(&situation);
    if with_arrows && let Some(dice) = situation.dice {
        let position: &Position = &situation.position;
        for (text, color) in [(&decision.done, ARROWS[0]), (&decision.best, ARROWS[1])] {
            if let Ok((play, _)) = notation::parse_play(text, position, dice) {
                view = view.with_play(position, &play, color);
            }
        }
        view.plays.clear();
    }
    view.svg(&Theme::default())
}

/// What a file comments on a decision, as a paragraph.
fn commented(comment: &str) -> String {
    match comment.trim() {
        "" => String::new(),
        comment => format!("<p class=\"comment\">{}</p>", escape(comment).replace('\n', "<br>")),
    }
}
