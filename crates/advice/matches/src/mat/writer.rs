//! A record as match text.

use std::fmt::Write as _;

use tavola_rules::{Beavers, Cube, CubeOwner, Offer, Play, Player, Position, WinKind};

use super::actions::seen_by_first;
use super::lines::variation_name;
use super::reader::{COMMENT, CUT, NOTE};
use crate::ogxm;
use crate::playback::Playback;
use crate::record::{Act, Game, Match};
use crate::unsaid;

/// Columns of the first player's cells, the space before them apart.
const LEFT: usize = 27;

/// The match as text, spelled as GNU Backgammon spells it. Comments stand behind a semicolon, as does
/// what the format has no words for. A position that was set up, and why the record of a game stops, stand in
/// comments, the former as GNU Backgammon and eXtreme Gammon read it.
pub fn write(record: &Match) -> String {
    let mut text = String::new();
    let details = &record.details;
    let mut tag = |name: &str, value: &str| {
        if !value.is_empty() {
            let value = value.replace(['"', '\n', '\r'], " ");
            let _ = writeln!(text, "; [{name} \"{value}\"]");
        }
    };
    tag("Event", &details.event);
    tag("Round", &details.round);
    tag("Site", &details.place);
    tag("EventDate", &details.date.replace('-', "."));
    tag("Transcriber", &details.annotator);
    for (seat, name) in (1..).zip(&record.players) {
        // Other programs want the names of the score lines.
        let plain = in_score(name);
        if !plain.contains('"') {
            tag(&format!("Player {seat}"), &plain);
        }
        if plain != *name {
            tag(&format!("Player {seat} Name"), name);
        }
    }
    if record.is_money() {
        tag("Jacoby", if record.options.jacoby { "On" } else { "Off" });
        tag("Beaver", if record.options.beavers == Beavers::Off { "Off" } else { "On" });
        tag("Raccoon", if record.options.beavers == Beavers::Raccoons { "On" } else { "" });
    } else if !record.options.crawford {
        tag("Crawford", "Off");
    }
    tag("Variation", variation_name(record.options.start));
    if let Some(limit) = record.options.cube_limit {
        tag("CubeLimit", &limit.to_string());
    }
    if record.options.automatic_doubles > 0 {
        tag("AutomaticDoubles", &record.options.automatic_doubles.to_string());
    }
    let kept = |name: &str| [ogxm::BLOCKS, ogxm::KEPT].iter().any(|it| name.starts_with(it));
    for (name, value) in details.other.iter().filter(|(name, _)| !kept(name)) {
        tag(name, value);
    }
    put_comment(&details.comment, &mut text);
    match record.length {
        0 => text.push_str("\n 0 point match\n"),
        length => {
            let _ = writeln!(text, "\n {length} point match");
        }
    }
    for (index, game) in record.games.iter().enumerate() {
        write_game(record, index, game, &mut text);
    }
    text
}

/// Adds a game of the match to its text; the number counts from 0.
pub fn write_game(record: &Match, index: usize, game: &Game, text: &mut String) {
    let [one, two] = [0, 1].map(|seat| {
        let name = &record.players[seat];
        let name =
            if name.trim().is_empty() { format!("Player {}", seat + 1) } else { in_score(name) };
        format!("{name} : {}", game.score[seat])
    });
    let _ = writeln!(text, "\n Game {}\n {one:<width$}  {two}", index + 1, width = LEFT + 2);
    put_comment(&game.comment, text);
    let mut rows = Rows { text, number: 0, open: false };
    let Ok(mut playback) = Playback::of_game(record, game) else { return };
    let mut actions = &game.actions[..];
    if unsaid::is_resigned(record, game) {
        // GNU Backgammon reads no word for it.
        actions = &actions[..actions.len() - 2];
    }
    for (index, action) in actions.iter().enumerate() {
        let cube = playback.cube();
        let cell = match action.act {
            Act::Roll(dice, play) => {
                // A roll that was not played has nothing behind it, as one that can't be played.
                let steps = play.map_or(String::new(), |play| hops(&play));
                format!("{}{}: {}", dice.high(), dice.low(), steps.trim_end())
            }
            Act::Double => format!(" Doubles => {}", 2 * cube.value()),
            Act::Beaver => format!(" Beavers => {}", 4 * cube.value()),
            // GNU Backgammon has one word for both, and reads a take behind them as one more.
            Act::Raccoon => format!(" Beavers => {}", 8 * cube.value()),
            Act::Take if playback.offer() != Some(Offer::Double) => String::new(),
            Act::Take => " Takes".to_owned(),
            Act::Drop => " Drops".to_owned(),
            Act::Resign(kind) => match kind {
                WinKind::Single => " Resigns".to_owned(),
                kind => format!(" Resigns {kind}"),
            },
            Act::Refuse => " Refuses".to_owned(),
            Act::Accept => String::new(),
            Act::SetUp(position, cube) => {
                let next = actions.get(index + 1);
                let stays = next.is_some_and(|next| next.player == action.player);
                rows.end();
                rows.text.push_str(&set_up(action.player, &position, cube, stays));
                String::new()
            }
        };
        if !cell.is_empty() {
            rows.cell(action.player, &cell);
        }
        rows.comment(&action.comment);
        if playback.act(action.player, &action.act).is_err() {
            break;
        }
    }
    for left_out in &game.actions[actions.len()..] {
        rows.comment(&left_out.comment);
    }
    if let Some(result) = &game.result {
        let points = if result.points == 1 { "point" } else { "points" };
        let score = game.score[result.winner.index()] + result.points;
        let won = !record.is_money() && score >= u32::from(record.length);
        let end = if won { " and the match" } else { "" };
        let wins = format!("Wins {} {points}{end}", result.points);
        if result.winner == Player::Two && rows.open {
            rows.cell(Player::Two, &format!(" {wins}"));
        } else {
            rows.end();
            let before = if result.winner == Player::One { 5 } else { LEFT + 8 };
            let _ = writeln!(rows.text, "{:before$} {wins}", "");
        }
    }
    rows.end();
    if let Some(why) = &game.broken {
        // With two colons before it GNU Backgammon takes none of it for a roll.
        let _ = writeln!(rows.text, "; {NOTE}{CUT}{}", why.replace(['\n', '\r'], " "));
    }
}

/// The lines of a comment.
fn put_comment(comment: &str, text: &mut String) {
    for line in comment.lines() {
        // With two colons before it GNU Backgammon takes none of it for a roll.
        let _ = writeln!(text, "; {NOTE}{COMMENT}{line}");
    }
}

/// A name for a line of scores, which ends at a colon and has gaps between players.
pub(super) fn in_score(name: &str) -> String {
    name.replace(':', ".").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A position with the first player's checkers in capitals, and the exponent of the cube, with a
/// minus where it is the first player's.
fn set_up(player: Player, position: &Position, cube: Cube, stays: bool) -> String {
    let (position, cube) = seen_by_first(player, *position, cube);
    let letter = |count: i8| match count {
        0 => '-',
        1.. => char::from(b'A' + count.unsigned_abs() - 1),
        ..0 => char::from(b'a' + count.unsigned_abs() - 1),
    };
    let board: String = position.counts().map(letter).iter().collect();
    let exponent = i16::from(cube.exponent());
    let cube = match cube.owner() {
        CubeOwner::Center if exponent > 0 => format!("0 centered {}", cube.value()),
        CubeOwner::Center => "0".to_owned(),
        CubeOwner::Player => (-exponent).to_string(),
        CubeOwner::Opponent => exponent.to_string(),
    };
    let roll = if stays { String::new() } else { format!(" roll {}", player.index() + 1) };
    format!("; Set Pos={board}/{cube}{roll}\n")
}

/// Rows of two cells.
struct Rows<'a> {
    text: &'a mut String,
    number: usize,
    /// Whether the left cell of the last row is written and the right one not.
    open: bool,
}

impl Rows<'_> {
    fn cell(&mut self, player: Player, cell: &str) {
        if player == Player::One || !self.open {
            self.end();
            self.number += 1;
            let _ = write!(self.text, "{:3}) ", self.number);
        }
        if player == Player::One {
            let _ = write!(self.text, "{cell:<LEFT$}");
            self.open = true;
        } else {
            if !self.open {
                let _ = write!(self.text, "{:LEFT$}", "");
            }
            let _ = writeln!(self.text, " {cell}");
            self.open = false;
        }
    }

    /// Ends the row before a comment.
    fn comment(&mut self, comment: &str) {
        if !comment.is_empty() {
            self.end();
            put_comment(comment, self.text);
        }
    }

    /// Ends the row. A left cell keeps its width: without it GNU Backgammon reads a take as a redouble.
    fn end(&mut self) {
        if std::mem::take(&mut self.open) {
            self.text.push('\n');
        }
    }
}

/// A play with a hop a die, as every reader understands it: `25/22 6/1*`.
fn hops(play: &Play) -> String {
    let mut text = String::new();
    for step in play.steps() {
        let hit = if step.hit { "*" } else { "" };
        let _ = write!(text, "{}/{}{hit} ", step.from, step.to);
    }
    text
}
