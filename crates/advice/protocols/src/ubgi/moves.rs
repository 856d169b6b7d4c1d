//! Plays as the protocol writes them: every hop of every checker, nothing about hits.

use std::fmt::Write;

use tavola_rules::moves::{FROM_BAR, Play, TO_OFF};

/// The words of a play: `24/18 18/13`, `bar/20`, `6/off`; empty for a pass.
///
/// ```
/// use tavola_protocols::ubgi::write_hops;
/// use tavola_rules::{Position, notation::parse_play};
///
/// let (play, _) = parse_play("24/13", &Position::STANDARD, "65".parse()?)?;
/// assert_eq!(write_hops(&play), "24/18 18/13");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_hops(play: &Play) -> String {
    let mut text = String::new();
    for step in play.steps() {
        let gap = if text.is_empty() { "" } else { " " };
        let from = if step.from == FROM_BAR { "bar".to_owned() } else { step.from.to_string() };
        let to = if step.to == TO_OFF { "off".to_owned() } else { step.to.to_string() };
        write!(text, "{gap}{from}/{to}").expect("a string takes whatever is written");
    }
    text
}
