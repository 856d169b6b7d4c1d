//! Match text as a record: lines, tags, scores. What rows do is in [`actions`](super::actions).

use std::borrow::Cow;
use std::rc::Rc;

use tavola_rules::{Backgammon, Cube, GameEnding, GameResult, Player, Position, WinKind};

use super::cells::Row;
use super::fibs;
use super::lines::{game_number, length, score_line, tag, without_rating, written_score};
use super::result::{End, Evidence, StatedResult};
use super::source::{LEARNED, LONGEST_ROW, Line, columns};
use super::words::plain;
use super::wrapped::unwrap;
use super::writer::in_score;
use crate::playback::Recorder;
use crate::reading::{Note, Notes, ReadError, ReadWatch, beginning, check_numbers};
use crate::record::{Act, Action, Game, Match};
use crate::unsaid;

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
    watch: ReadWatch<'a>,
    pub(super) line: usize,
    matches: Vec<Match>,
    /// The games that have begun.
    games: usize,
    pub(super) notes: Notes,
    /// The match that is being read: from its first tag, length or game on.
    pub(super) record: Option<Match>,
    /// The game that is being read, with its rows.
    pub(super) recorder: Option<Recorder>,
    /// What the file says of the end of that game.
    pub(super) stated: Vec<StatedResult>,
    /// Who gives up without saying how much.
    pub(super) resigned: Option<(Player, Option<WinKind>)>,
    /// The number of the last game, as the file counts.
    number: u32,
    /// Whether the game that follows has the next number, so that its score tells of the end.
    in_turn: bool,
    /// Whether `Game 1` was read and its score line was not.
    pub(super) awaits_score: bool,
    /// Whether the first row of a game is read, and the next has cells of both players: if it has a
    /// single one, the second player began.
    pub(super) before_two: bool,
    /// Whether cells of that row stand a single space apart.
    pub(super) tight: bool,
    /// Whether the game that is read has the number that follows, and no heading.
    number_guessed: bool,
    /// Whether the heading of the game that is read stood there once more.
    pub(super) repeated: bool,
    /// Whether the next line is a row.
    before_row: bool,
    /// The lines that are no part of a match.
    pub(super) sentences: usize,
    /// The notes before the game that is read, where neither a score nor a roll shows so far that
    /// it is one: a numbered list may look like it.
    unproven: Option<usize>,
    /// Whether the one who gave up does so in a row with other cells: alone it may stand in the
    /// column of the winner.
    pub(super) beside: bool,
    /// The number of the last row, 0 before the first of a game; `None` where numbers were noted.
    pub(super) last_row: Option<u32>,
    /// Whether the columns of the players change places.
    pub(super) mirrored: bool,
    /// Whether the rows of a game are passed over, which can't be followed from the beginning.
    skips: bool,
    /// The variation of a text that does not say it.
    pub(super) start: Option<Backgammon>,
    /// Whether a play that the rules of the variation forbid ends the reading.
    legal_alone: bool,
    pub(super) says_variation: bool,
    /// Plays that the rules of the variation forbid.
    pub(super) illegal: usize,
    /// The column of most first cells of rows with two.
    pub(super) left: Option<usize>,
    /// The first column of the second player; `None` where rows have none.
    pub(super) right: Option<usize>,
    /// Players X and O of a list of FIBS, where one is read.
    fibs: Option<fibs::Names>,
    /// Why nothing can be read further.
    pub(super) strange: Option<String>,
    /// Names of tags, for files without a score line.
    pub(super) tagged: [Option<String>; 2],
    /// Whether the file tells the length of the match.
    pub(super) says_length: bool,
    /// Whether a tag says something of the Jacoby rule.
    pub(super) says_jacoby: bool,
    /// Games that by their result were played with the Jacoby rule, and such without it.
    with_jacoby: [bool; 2],
    /// Whether a score tells that the Jacoby rule was played, whatever the results say: GNU
    /// Backgammon writes those of match text without it.
    jacoby_by_score: bool,
    /// Whether a player stood one point from winning in an earlier game of the match.
    was_one_away: bool,
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

    /// The score of a game with this number follows, which tells how the game before ended.
    fn game(&mut self, number: u32) {
        self.record();
        self.in_turn = number == self.number + 1;
        self.number = number;
        (self.awaits_score, self.skips, self.number_guessed) = (true, false, false);
    }

    fn has_begun(&self) -> bool {
        self.recorder.is_some() || self.record.as_ref().is_some_and(|it| !it.games.is_empty())
    }

    /// Whether a line that names a length is none of a result, `2 points` in a game, and none of a
    /// page on which a game goes on.
    fn is_heading(&self, line: &str) -> bool {
        self.recorder.is_none() || (line.to_lowercase().contains("match") && !self.before_row)
    }

    /// Whether a game is open that the file has not ended; one without actions counts if `empty`.
    fn goes_on(&self, empty: bool) -> bool {
        let open = |it: &Recorder| {
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

    /// `Score is 0-0 in a 5 point match.` of FIBS.
    fn fibs_score(&mut self, (score, length): ([u32; 2], u16)) {
        if self.record.as_ref().is_some_and(|record| record.length != length) {
            self.end_match();
        }
        self.record().length = length;
        self.says_length = true;
        self.fibs = Some(fibs::Names { score, ..fibs::Names::default() });
    }

    /// `Ann is X - Bob is O`, after which a game begins.
    fn fibs_game(&mut self, [x, o]: [String; 2]) {
        let score = self.fibs.as_ref().map_or([0; 2], |names| names.score);
        let record = self.record();
        let begun = !record.games.is_empty() || self.recorder.is_some();
        let record = self.record();
        if !begun {
            record.players = [x.clone(), o.clone()];
        }
        let swapped = record.players[0] == o;
        let score = if swapped { [score[1], score[0]] } else { score };
        self.fibs = Some(fibs::Names { score, swapped });
        self.end_game(Some(score));
        self.begin_game(score);
    }

    fn begin_match(&mut self, length: Option<u16>) {
        if self.recorder.is_some() || self.record.as_ref().is_some_and(|it| !it.games.is_empty()) {
            self.end_match();
        }
        let Some(length) = length else {
            self.note("a length of the match beyond 65,535 points was read as money play");
            return self.begin_match(Some(0));
        };
        self.record().length = length;
        self.says_length = true;
    }

    pub(super) fn end_match(&mut self) {
        self.end_game(None);
        let says_length = std::mem::take(&mut self.says_length);
        self.number = 0;
        if std::mem::take(&mut self.awaits_score) {
            self.note("a game begins here that is not in the file");
        }
        self.skips = false;
        let tagged = std::mem::take(&mut self.tagged);
        let with_jacoby = std::mem::take(&mut self.with_jacoby);
        (self.says_jacoby, self.was_one_away) = (false, false);
        let Some(mut record) = self.record.take() else { return };
        match with_jacoby {
            _ if std::mem::take(&mut self.jacoby_by_score) => {
                record.options.jacoby = true;
                for game in &mut record.games {
                    if let Some(result) = game.result.as_mut().filter(|it| is_gammon(it)) {
                        result.points = 1;
                    }
                }
            }
            [true, false] => record.options.jacoby = true,
            [true, true] => {
                // Both can't be: what the games are worth counts.
                let text = "gammons without a cube win one point and two; the latter is kept";
                self.note(text);
                for game in &mut record.games {
                    if let Some(GameResult {
                        points: points @ 1,
                        ending: GameEnding::Played(kind),
                        ..
                    }) = &mut game.result
                    {
                        *points = kind.multiplier();
                    }
                }
            }
            _ => {}
        }
        if record.games.is_empty() {
            // Tags alone are no match.
            return;
        }
        if !says_length {
            self.note(
                "the match has no length and is read as a money session; expected a line such \
                 as `7 point match`",
            );
        }
        self.fibs = None;
        let swapped = tagged.iter().flatten().count() == 2
            && tagged[0].as_deref() == Some(&record.players[1])
            && tagged[1].as_deref() == Some(&record.players[0])
            && tagged[0] != tagged[1];
        if swapped {
            // Numbered tags move with their player.
            for (name, _) in &mut record.details.other {
                for (from, to) in [("Player 1 ", "Player 2 "), ("Player 2 ", "Player 1 ")] {
                    if let Some(rest) = name.strip_prefix(from) {
                        *name = format!("{to}{rest}");
                        break;
                    }
                }
            }
        }
        for (name, tagged) in record.players.iter_mut().zip(tagged) {
            // A line of scores has no colons in names.
            let tagged = tagged.filter(|it| name.is_empty() || in_score(it) == *name);
            *name = tagged.unwrap_or_else(|| std::mem::take(name));
        }
        unsaid::settle_beavers(&mut record);
        self.matches.push(record);
    }

    /// Ends the game that is being read. The next one, if it follows at once, begins at `next`.
    pub(super) fn end_game(&mut self, next: Option<[u32; 2]>) {
        self.set_up_last();
        let stated = std::mem::take(&mut self.stated);
        let resigned = self.resigned.take();
        if next.is_none()
            && stated.is_empty()
            && let Some((player, None)) = resigned
        {
            self.note(format!(
                "player {} resigns, and no points are told: it is read as a single game",
                player.index() + 1
            ));
        }
        let Some(mut recorder) = self.recorder.take() else { return };
        let record = self.record.get_or_insert_default();
        let money = record.length == 0 && !self.says_jacoby;
        let played = recorder.playback().result().filter(|it| money && is_gammon(it));
        let evidence = Evidence { stated: &stated, next, resigned };
        let end = evidence.end(&recorder, record.length);
        if let (Some(end), Some((player, _))) = (&end, resigned)
            && end.by_column
            && self.beside
            && end.winner == player
        {
            let text = format!("player {} wins by the file, and resigns in it", player.index() + 1);
            self.notes.push(end.line, text);
        }
        // Nor is a list of plays that no two players could make in turn.
        let rolled = |it: &&Action| matches!(it.act, Act::Roll(..) | Act::SetUp(..));
        let rolls = recorder.game().actions.iter().filter(rolled).count();
        let doubtful = self.sentences > 0 || recorder.game().broken.is_some();
        if let Some(before) = self.unproven.take()
            && (rolls == 0 || (rolls == 1 && doubtful))
        {
            self.notes.truncate(before);
            return self.note("a list without a score and a roll is no game and is left out");
        }
        if let Some(End { winner, points, line, .. }) = &end
            && let Some(said) = stated.iter().find(|it| it.and_the_match)
            && recorder.game().score[winner.index()] + points < u32::from(record.length)
        {
            let (number, line) = (winner.index() + 1, said.line.max(*line));
            let score = recorder.game().score[winner.index()] + points;
            let text = format!(
                "player {number} wins the match by the file, and has {score} of {} points",
                record.length
            );
            self.notes.push(line, text);
        }
        let untold = end.is_none() && next.is_none() && recorder.game().actions.is_empty();
        if untold && self.number_guessed && !record.games.is_empty() {
            // The last line tells the score of the end alone.
            return;
        }
        if let Some(end) = end {
            // A gammon with a cube that neither player turned tells whether the Jacoby rule was
            // played.
            let gammon = played.filter(|result| result.winner == end.winner);
            if let Some(result) = gammon.filter(|it| end.points == 1 || end.points == it.points) {
                let said = evidence.points(end.winner).unwrap_or(end.points);
                self.with_jacoby[usize::from(said == result.points)] = true;
                self.jacoby_by_score |= said != 1 && end.points == 1;
                recorder.game_mut().result = Some(GameResult { points: end.points, ..result });
                return record.games.push(recorder.into_game());
            }
            let actions = recorder.game().actions.len();
            if let Some(text) =
                unsaid::conclude(&mut recorder, record.length, end.winner, end.points)
            {
                let line = if end.line == 0 { self.line } else { end.line };
                let note = Note { line, text };
                if end.by_score && recorder.game().result.is_some_and(|it| end.contradicts(&it)) {
                    recorder.break_off(note.to_string());
                    let (winner, points) = (end.winner, end.points);
                    let result = &mut recorder.game_mut().result;
                    *result = result.map(|it| GameResult { winner, points, ..it });
                    // Nothing that was not done leads there.
                    recorder.game_mut().actions.truncate(actions);
                }
                self.notes.push(note.line, note.text);
            }
        }
        record.games.push(recorder.into_game());
    }

    /// ` Ann : 0     Bob : 3`.
    fn score(&mut self, line: &Line) {
        self.awaits_score = false;
        let read = score_line(&line.text).or_else(|| written_score(&line.text));
        let read = read.filter(|_| line.rolls().is_none());
        let score = if let Some([(one, mut left), (two, mut right)]) = read {
            let rated = [one, two].map(without_rating);
            // Quotes of a page stand on both sides of a name.
            let bare = |name: &str| {
                let name = name.trim_matches(['>', '|', ' ']);
                let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
                quoted.unwrap_or(name).trim().to_owned()
            };
            let names = rated.map(|(name, _)| bare(name));
            let begun = self.recorder.is_some();
            let record = self.record();
            let unnamed = record.players.iter().all(String::is_empty);
            let lower = |names: &[String; 2]| names.each_ref().map(|name| name.to_lowercase());
            let [one, two] = lower(&names);
            if unnamed || (record.games.is_empty() && !begun) {
                for (seat, rating) in (1..).zip(rated.map(|(_, rating)| rating)) {
                    let name = format!("Player {seat} Elo");
                    let there = record.details.other.iter().any(|(there, _)| *there == name);
                    if let Some(rating) = rating.filter(|_| !there) {
                        record.details.other.push((name, rating.to_owned()));
                    }
                }
                record.players = names;
                self.mirrored = false;
            } else if lower(&record.players) == [two.clone(), one.clone()] && one != two {
                if !self.mirrored {
                    self.note("the players change columns here");
                }
                (self.mirrored, left, right) = (true, right, left);
            } else if lower(&record.players) == [one, two] {
                self.mirrored = false;
            } else {
                let text =
                    format!("the players are called {names:?} here, not {:?}", record.players);
                self.note(text);
            }
            [left, right]
        } else {
            let text =
                format!("{:?} is no score line, expected `Ann : 0   Bob : 0`", line.text.trim());
            self.note(text);
            self.end_game(None);
            self.record().score()
        };
        let is_score = read.is_some();
        self.end_game(Some(score).filter(|_| self.in_turn));
        let first = self.number == 1 && !self.number_guessed;
        let before = self.record();
        if first && score == [0, 0] && before.score() != score {
            let again = Match { games: Vec::new(), ..before.clone() };
            self.note("a match begins here without a length: it is read as that of the one before");
            self.end_match();
            (self.record, self.says_length, self.number) = (Some(again), true, 1);
        }
        self.begin_game(score);
        if !is_score {
            self.unproven = Some(self.notes.len());
            self.row(line);
        }
    }

    pub(super) fn begin_game(&mut self, score: [u32; 2]) {
        self.repeated = false;
        let before = self.matches.len();
        let record = self.record();
        let expected = record.score();
        let later = before + record.games.len() > 0;
        if later && score != expected {
            let text = format!(
                "the score is {}-{}, where the games before make {}-{}",
                score[0], score[1], expected[0], expected[1]
            );
            self.note(text);
        }
        self.last_row = Some(0);
        let first = !self.was_one_away;
        let record = self.record();
        let (length, options) = (record.length, unsaid::any_beavers(&record.options));
        let one_away = |score: [u32; 2]| {
            let away = score.map(|points| u32::from(length).saturating_sub(points));
            (away[0] == 1) != (away[1] == 1)
        };
        let crawford = length > 1 && options.crawford && one_away(score) && first;
        self.was_one_away |= one_away(score);
        self.games += 1;
        match Recorder::begin(length, score, crawford, &options) {
            Ok(recorder) => self.recorder = Some(recorder),
            Err(error) => {
                self.note(format!("{error}; the game is left out"));
                let broken = self.notes.last().map(ToString::to_string);
                let game = Game { score, broken, ..Game::default() };
                self.record().games.push(game);
                self.skips = true;
            }
        }
    }
}

/// Whether a gammon or backgammon was played out with a cube that neither player turned.
fn is_gammon(result: &GameResult) -> bool {
    matches!(result.ending, GameEnding::Played(kind) if kind > WinKind::Single) && result.cube == 1
}
