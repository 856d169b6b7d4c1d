//! Match text as a record: lines, tags, scores. What rows do is in [`actions`](super::actions).

use std::borrow::Cow;
use std::rc::Rc;

use tavola_rules::{Backgammon, Cube, Player, Position, WinKind};

use super::cells::Row;
use super::fibs;
use super::lines::{game_number, length, score_line, tag, without_rating};
use super::result::StatedResult;
use super::source::{LEARNED, LONGEST_ROW, Line, columns};
use super::words::plain;
use super::wrapped::unwrap;
use crate::playback::MatchRecorder;
use crate::reading::{Notes, ReadError, ReadWatch, beginning, check_numbers};
use crate::record::Match;

/// What a comment begins with that says why the record of a game stops there.
pub(super) const CUT: &str = "The record stops here: ";

/// The width of the first name in the head of a `.gam`.
const GAM_NAME: usize = 31;

/// What a comment begins with that tavola has written.
pub(super) const COMMENT: &str = "Comment: ";

/// What may stand before that.
pub(super) const NOTE: &str = "Note: ";

/// Reads all matches of a text that does not say its variation as this one. Without one, a file
/// whose first plays the usual game does not have is of the variation that has them.
pub(crate) fn read(
    text: &str,
    game: Option<Backgammon>,
    watch: ReadWatch<'_>,
) -> Result<(Vec<Match>, Notes), ReadError> {
    let ends = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let text = text.replace("\r\n", "\n").replace(ends, "\n");
    let mut text = unwrap(&text).into_owned();
    if !text.is_ascii() {
        // Tags and comments stay as they are.
        let line = |line| match is_aside(line) {
            true => Cow::Borrowed(line),
            false => plain(line),
        };
        text = text.split_inclusive('\n').map(line).collect();
    }
    let mut bytes = 0;
    let first = text.lines().enumerate().take_while(|(_, line)| {
        bytes += line.len();
        bytes < LEARNED
    });
    let filled = |(index, line): (usize, &str)| {
        (!line.trim().is_empty()).then(|| Rc::new(Line::new(index + 1, line)))
    };
    let learned: Vec<Rc<Line>> = first.filter_map(filled).collect();
    let (left, right) = columns(&learned);
    let behind = text.lines().enumerate().skip(learned.last().map_or(0, |line| line.number));
    let all = learned.iter().cloned().chain(behind.filter_map(filled));
    let usual = Reader { start: game, left, right, watch, ..Reader::default() };
    let mut usual = read_as(&text, all.clone(), usual)?;
    if game.is_none() && usual.1.illegal > 0 && !usual.1.says_variation {
        for start in [Backgammon::Nackgammon, Backgammon::Longgammon, Backgammon::Hypergammon] {
            let reader = Reader {
                start: Some(start),
                left,
                right,
                watch,
                legal_alone: true,
                ..Reader::default()
            };
            let other = read_as(&text, all.clone(), reader)?;
            if other.1.illegal == 0 {
                usual = other;
                usual.1.notes.put_first(format!(
                    "it is read as {}: the plays are those of that variation",
                    start.name()
                ));
                break;
            }
        }
    }
    Ok((usual.0, usual.1.notes))
}

/// Whether a line is a tag or comment by its first character.
fn is_aside(line: &str) -> bool {
    line.trim_start().starts_with([';', '['])
}

/// Reads all matches of the lines of a text.
fn read_as<'a>(
    text: &str,
    lines: impl Iterator<Item = Rc<Line>>,
    mut reader: Reader<'a>,
) -> Result<(Vec<Match>, Reader<'a>), ReadError> {
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        reader.watch.check()?;
        reader.line = line.number;
        let next = lines.peek();
        let starts = reader.recorder.as_ref().is_some_and(|it| it.game().actions.is_empty());
        let rows = next.filter(|_| starts).and_then(|next| next.rows());
        reader.tight = rows.is_some_and(|rows| rows[0].cells.iter().any(|it| it.close));
        reader.before_two = matches!(
            rows,
            Some([Row { number: Some(_), cells, .. }]) if cells.len() > 1
        );
        // Nothing asks for these in a row.
        let first = line.text.split_whitespace().next();
        let is_row = first.is_some_and(|it| it.ends_with([')', '.']));
        reader.before_row = !is_row && next.is_some_and(|next| next.rolls().is_some());
        let before_score = !is_row && next.is_some_and(|next| next.is_score());
        reader.read_line(&line, before_score);
        if reader.legal_alone && reader.illegal > 0 {
            break;
        }
        if let Some(text) = reader.strange.take() {
            return Err(ReadError::Malformed { line: line.number, text });
        }
        let open = usize::from(reader.recorder.is_some());
        check_numbers(reader.matches.len() + open, reader.games, line.number)?;
    }
    reader.end_match();
    if reader.matches.is_empty() {
        return Err(ReadError::Unknown { begins: beginning(text) });
    }
    Ok((std::mem::take(&mut reader.matches), reader))
}

#[derive(Default)]
pub(super) struct Reader<'a> {
    pub(super) watch: ReadWatch<'a>,
    pub(super) line: usize,
    pub(super) matches: Vec<Match>,
    /// The games that have begun.
    pub(super) games: usize,
    pub(super) notes: Notes,
    /// The match that is being read: from its first tag, length or game on.
    pub(super) record: Option<Match>,
    /// The game that is being read, with its rows.
    pub(super) recorder: Option<MatchRecorder>,
    /// What the file says of the end of that game.
    pub(super) stated: Vec<StatedResult>,
    /// Who gives up without saying how much.
    pub(super) resigned: Option<(Player, Option<WinKind>)>,
    /// The number of the last game, as the file counts.
    pub(super) number: u32,
    /// Whether the game that follows has the next number, so that its score tells of the end.
    pub(super) in_turn: bool,
    /// Whether `Game 1` was read and its score line was not.
    pub(super) awaits_score: bool,
    /// Whether the first row of a game is read, and the next has cells of both players: if it has a
    /// single one, the second player began.
    pub(super) before_two: bool,
    /// Whether cells of that row stand a single space apart.
    pub(super) tight: bool,
    /// Whether the game that is read has the number that follows, and no heading.
    pub(super) number_guessed: bool,
    /// Whether the heading of the game that is read stood there once more.
    pub(super) repeated: bool,
    /// Whether the next line is a row.
    pub(super) before_row: bool,
    /// The lines that are no part of a match.
    pub(super) sentences: usize,
    /// The notes before the game that is read, where neither a score nor a roll shows so far that
    /// it is one: a numbered list may look like it.
    pub(super) unproven: Option<usize>,
    /// Whether the one who gave up does so in a row with other cells: alone it may stand in the
    /// column of the winner.
    pub(super) beside: bool,
    /// The number of the last row, 0 before the first of a game; `None` where numbers were noted.
    pub(super) last_row: Option<u32>,
    /// Whether the columns of the players change places.
    pub(super) mirrored: bool,
    /// Whether the rows of a game are passed over, which can't be followed from the beginning.
    pub(super) skips: bool,
    /// The variation of a text that does not say it.
    pub(super) start: Option<Backgammon>,
    /// Whether a play that the rules of the variation forbid ends the reading.
    pub(super) legal_alone: bool,
    pub(super) says_variation: bool,
    /// Plays that the rules of the variation forbid.
    pub(super) illegal: usize,
    /// The column of most first cells of rows with two.
    pub(super) left: Option<usize>,
    /// The first column of the second player; `None` where rows have none.
    pub(super) right: Option<usize>,
    /// Players X and O of a list of FIBS, where one is read.
    pub(super) fibs: Option<fibs::Names>,
    /// Why nothing can be read further.
    pub(super) strange: Option<String>,
    /// Names of tags, for files without a score line.
    pub(super) tagged: [Option<String>; 2],
    /// Whether the file tells the length of the match.
    pub(super) says_length: bool,
    /// Whether a tag says something of the Jacoby rule.
    pub(super) says_jacoby: bool,
    /// Games that by their result were played with the Jacoby rule, and such without it.
    pub(super) with_jacoby: [bool; 2],
    /// Whether a score tells that the Jacoby rule was played, whatever the results say: GNU
    /// Backgammon writes those of match text without it.
    pub(super) jacoby_by_score: bool,
    /// Whether a player stood one point from winning in an earlier game of the match.
    pub(super) was_one_away: bool,
    /// Who is on roll in that position, if the file says it.
    pub(super) to_roll: Option<Player>,
    /// Position and cube as the first player sees them, to be set up with the next action.
    pub(super) set_up: Option<(Position, Cube)>,
}

impl Reader<'_> {
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(self.line, text);
    }

    pub(super) fn record(&mut self) -> &mut Match {
        let start = self.start.unwrap_or_default();
        self.record.get_or_insert_with(|| {
            let mut record = Match::default();
            record.options.start = start;
            record
        })
    }

    /// Reads a line, before that of a score or not.
    fn read_line(&mut self, line: &Line, before_score: bool) {
        let trimmed = line.text.trim();
        // Of a row nothing else is asked.
        let rolls = || line.rolls().is_some();
        if trimmed.len() > LONGEST_ROW && !trimmed.starts_with(';') {
            if self.record.is_some() {
                self.comment(trimmed);
            }
        } else if let Some(score) = fibs::score(trimmed) {
            self.fibs_score(score);
        } else if let Some(names) = fibs::names(trimmed) {
            self.fibs_game(names);
        } else if let Some((names, act)) = self.fibs.as_ref().zip(fibs::act(trimmed)) {
            let side = names.side(act.0);
            self.placed(side, act.1, trimmed.to_ascii_lowercase().contains("match"));
        } else if let Some((name, value)) = tag(trimmed) {
            self.tag(name, value);
        } else if trimmed.starts_with(';') {
            let comment = trimmed.trim_start_matches(';').trim();
            match length(comment).filter(|_| !self.says_length && !self.has_begun()) {
                Some(length) => self.begin_match(length),
                None if !comment.is_empty() => self.comment(comment),
                None => {}
            }
        } else if self.recorder.is_some() && !self.awaits_score && rolls() {
            self.row(line);
        } else if let Some(length) = length(trimmed).filter(|_| self.is_heading(trimmed)) {
            self.begin_match(length);
        } else if let Some(number) = game_number(trimmed, before_score || self.announces(trimmed)) {
            // A page of a game that goes on may begin with its heading.
            self.repeated = self.goes_on(false) && number == self.number;
            if !self.repeated {
                self.game(number);
            }
        } else if self.awaits_score {
            self.score(line);
        } else if self.begins_by_score(&line.text) {
            self.game(self.number + 1);
            self.number_guessed = true;
            self.score(line);
        } else if let Some(names) = self.names_alone(trimmed) {
            self.end_game(None);
            let record = self.record();
            if record.games.is_empty() {
                record.players = names.map(str::to_owned);
            }
            let score = record.score();
            self.number += 1;
            self.begin_game(score);
        } else if self.recorder.is_some() {
            self.row(line);
        } else if !self.skips && rolls() {
            let before = self.notes.len();
            self.note("rows without a game before them are read as one from 0-0");
            self.game(self.number + 1);
            self.awaits_score = false;
            self.begin_game([0, 0]);
            self.unproven = Some(before);
            self.row(line);
        } else {
            self.sentences += 1;
            if self.record.is_some() && !self.skips {
                self.comment(trimmed);
            }
        }
    }

    /// Whether a game of the match is read or was.
    pub(super) fn has_begun(&self) -> bool {
        self.recorder.is_some() || self.record.as_ref().is_some_and(|it| !it.games.is_empty())
    }

    /// Whether a line that names a length is none of a result, `2 points` in a game, and none of a
    /// page on which a game goes on.
    fn is_heading(&self, line: &str) -> bool {
        self.recorder.is_none() || (line.to_lowercase().contains("match") && !self.before_row)
    }

    /// Whether a game is open that the file has not ended; one without actions counts if `empty`.
    fn goes_on(&self, empty: bool) -> bool {
        let open = |it: &MatchRecorder| {
            it.playback().result().is_none() && (empty || !it.game().actions.is_empty())
        };
        self.stated.is_empty() && self.recorder.as_ref().is_some_and(open)
    }

    /// Whether a line behind a game is a word and the number of the next one.
    fn announces(&self, line: &str) -> bool {
        let number = line.split_once(' ').and_then(|(_, number)| number.parse::<u32>().ok());
        !self.stated.is_empty() && number == Some(self.number + 1)
    }

    /// Whether a game begins with the line of its score, without a number.
    fn begins_by_score(&self, line: &str) -> bool {
        let Some(record) = &self.record else {
            return self.before_row && score_line(line).is_some();
        };
        score_line(line).is_some_and(|score| {
            let names = score.map(|(name, _)| without_rating(name).0.to_lowercase());
            let players = record.players.each_ref().map(|name| name.to_lowercase());
            let known = players == names || (players[0] == names[1] && players[1] == names[0]);
            // The head of a page repeats the score of the game that goes on.
            let running = self.recorder.as_ref().map(|recorder| recorder.game().score);
            let again = self.goes_on(true) && running == Some(score.map(|(_, points)| points));
            if self.has_begun() { known && !again } else { self.says_length || self.before_row }
        })
    }

    /// The names before the rows of a game without a score, as a `.gam` has them.
    fn names_alone<'b>(&self, line: &'b str) -> Option<[&'b str; 2]> {
        let mut halves = line.split("  ").map(str::trim).filter(|half| !half.is_empty());
        let first = halves.next().filter(|_| self.before_row)?;
        // GNU Backgammon leaves no gap behind a long name.
        let long = || Some(first.split_at(first.char_indices().nth(GAM_NAME)?.0));
        let names = match halves.next() {
            Some(second) => [first, second],
            None => long().map(|(one, two)| [one.trim(), two.trim()])?,
        };
        let is_name = |name: &&str| name.contains(char::is_alphabetic) && !name.contains(':');
        let fits = halves.next().is_none() && names.iter().all(is_name);
        let players = self.record.as_ref().map(|record| &record.players);
        let known = players.is_some_and(|players| players == &names);
        (fits && (known || !self.has_begun())).then_some(names)
    }
}
