//! Match text as a record: lines, tags, scores. What rows do is in [`actions`](super::actions).

use std::borrow::Cow;

use tavola_rules::{Backgammon, Beavers, Cube, Ending, GameResult, Player, Position, WinKind};

use super::cells::{Cell, rows};
use super::fibs;
use super::lines::{
    date, expand_tabs, game_number, length, score_line, tag, variation, without_rating,
    written_score,
};
use super::result::{Evidence, StatedResult};
use super::words::plain;
use crate::format::{Note, Notes, ReadError, beginning, check_numbers};
use crate::playback::Recorder;
use crate::record::{Game, Match};
use crate::unsaid;

/// What a comment begins with that says why the record of a game stops there.
pub(super) const CUT: &str = "The record stops here: ";

/// A single cell at this column or further right is the second player's, where no rows with two
/// cells say otherwise.
pub(super) const RIGHT: usize = 22;

/// A longer line is no row, but a comment: what some programs write behind a row has a few hundred
/// bytes.
const LONGEST_ROW: usize = 4096;

/// Reads all matches of a text that does not say its variation as this one. Without one, a file
/// whose first plays the usual game does not have is of the variation that has them.
pub(crate) fn read(text: &str, game: Option<Backgammon>) -> Result<(Vec<Match>, Notes), ReadError> {
    let ends = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let mut text = text.replace("\r\n", "\n").replace(ends, "\n");
    if !text.is_ascii() {
        // Tags and comments stay as they are.
        let line = |line| match is_aside(line) {
            true => Cow::Borrowed(line),
            false => plain(line),
        };
        text = text.split_inclusive('\n').map(line).collect();
    }
    let (left, right) = columns(&text);
    let mut usual = read_as(&text, Reader { start: game, left, right, ..Reader::default() })?;
    if game.is_none() && usual.1.illegal > 0 && !usual.1.says_variation {
        for start in [Backgammon::Nackgammon, Backgammon::Longgammon, Backgammon::Hypergammon] {
            let reader =
                Reader { start: Some(start), left, right, legal_alone: true, ..Reader::default() };
            let other = read_as(&text, reader)?;
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

/// Reads all matches of a text.
fn read_as(text: &str, mut reader: Reader) -> Result<(Vec<Match>, Reader), ReadError> {
    let is_score = |line: &str| {
        let line = &expand_tabs(line.get(..LONGEST_ROW).unwrap_or(line));
        score_line(line).is_some() || (written_score(line).is_some() && rows(line).is_none())
    };
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    while let Some((index, line)) = lines.next() {
        reader.line = index + 1;
        let before_score = lines.peek().is_some_and(|(_, next)| is_score(next));
        let starts = reader.recorder.as_ref().is_some_and(|it| it.game().actions.is_empty());
        let next = lines.peek().filter(|(_, next)| starts && next.len() <= LONGEST_ROW);
        let cells = next.and_then(|(_, next)| rows(&expand_tabs(next)));
        reader.tight = cells.as_ref().is_some_and(|rows| rows[0].cells.iter().any(|it| it.close));
        reader.before_two = cells
            .is_some_and(|rows| rows.len() == 1 && rows[0].numbered && rows[0].cells.len() > 1);
        reader.read_line(line, before_score);
        if reader.legal_alone && reader.illegal > 0 {
            break;
        }
        if let Some(text) = reader.strange.take() {
            return Err(ReadError::Malformed { line: index + 1, text });
        }
        let open = usize::from(reader.recorder.is_some());
        check_numbers(reader.matches.len() + open, reader.games, index + 1)?;
    }
    reader.end_match();
    if reader.matches.is_empty() {
        return Err(ReadError::Unknown { begins: beginning(text) });
    }
    Ok((std::mem::take(&mut reader.matches), reader))
}

/// Where the first cell of most rows begins, if there are several, and the second; `None` where rows
/// have no columns.
fn columns(text: &str) -> (Option<usize>, Option<usize>) {
    let (mut firsts, mut columns): (Vec<usize>, Vec<usize>) = Default::default();
    for line in text.lines().filter(|line| line.len() <= LONGEST_ROW) {
        let line = expand_tabs(line);
        if line.trim_start().starts_with(|c: char| c.is_ascii_digit())
            && line.contains(')')
            && let Some(rows) = rows(&line)
            && let [row] = rows.as_slice()
            && let [first, second] = row.cells.as_slice()
            && !matches!(second.cell, Cell::Wins(_) | Cell::Loses(_))
        {
            firsts.push(first.column);
            columns.push(second.column);
        }
    }
    firsts.sort_unstable();
    columns.sort_unstable();
    let left = firsts.get(firsts.len() / 2).copied().filter(|_| firsts.len() > 3);
    let Some(&first) = columns.get(columns.len() / 8) else { return (left, Some(RIGHT)) };
    let near = columns.iter().filter(|column| column.abs_diff(first) <= 3).count();
    let aligned = columns.len() < 4 || 2 * near > columns.len();
    (left, aligned.then_some(first.clamp(11, RIGHT + 3) - 3))
}

#[derive(Default)]
pub(super) struct Reader {
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
    awaits_score: bool,
    /// Whether the first row of a game is read, and the next has cells of both players: if it has a
    /// single one, the second player began.
    pub(super) before_two: bool,
    /// Whether cells of that row stand a single space apart.
    pub(super) tight: bool,
    /// Whether the rows of a game are passed over, which can't be followed from the beginning.
    skips: bool,
    /// The variation of a text that does not say it.
    start: Option<Backgammon>,
    /// Whether a play that the rules of the variation forbid ends the reading.
    legal_alone: bool,
    says_variation: bool,
    /// Plays that the rules of the variation forbid.
    pub(super) illegal: usize,
    /// The column of most first cells of rows with two.
    pub(super) left: Option<usize>,
    /// The first column of the second player; `None` where rows have none.
    pub(super) right: Option<usize>,
    /// Players X and O of a list of FIBS, where one is read.
    fibs: Option<fibs::Names>,
    /// Why nothing can be read further.
    strange: Option<String>,
    /// Names of tags, for files without a score line.
    tagged: [Option<String>; 2],
    /// Whether the file tells the length of the match.
    says_length: bool,
    /// Whether a line says that the match is won.
    pub(super) of_match: bool,
    /// Whether a tag says something of the Jacoby rule.
    says_jacoby: bool,
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

impl Reader {
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
    fn read_line(&mut self, line: &str, before_score: bool) {
        let line = &expand_tabs(line);
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return;
        }
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
            self.placed(side, act.1, trimmed);
        } else if let Some((name, value)) = tag(trimmed) {
            self.tag(name, value);
        } else if trimmed.starts_with(';') {
            let comment = trimmed.trim_start_matches(';').trim();
            match length(comment).filter(|_| !self.says_length && !self.has_begun()) {
                Some(length) => self.begin_match(length),
                None if !comment.is_empty() => self.comment(comment),
                None => {}
            }
        } else if let Some(length) = length(trimmed).filter(|_| self.is_heading(trimmed)) {
            self.begin_match(length);
        } else if let Some(number) = game_number(trimmed, before_score) {
            self.game(number);
        } else if self.awaits_score {
            self.score(line);
        } else if self.begins_by_score(line) {
            self.game(self.number + 1);
            self.score(line);
        } else if self.recorder.is_some() {
            self.row(line);
        } else if self.record.is_some() && !self.skips {
            self.comment(trimmed);
        }
    }

    /// The score of a game with this number follows, which tells how the game before ended.
    fn game(&mut self, number: u32) {
        self.record();
        self.in_turn = number == self.number + 1;
        self.number = number;
        (self.awaits_score, self.skips) = (true, false);
    }

    fn has_begun(&self) -> bool {
        self.recorder.is_some() || self.record.as_ref().is_some_and(|it| !it.games.is_empty())
    }

    /// Whether a line that names a length is none of a result: `2 points` in a game.
    fn is_heading(&self, line: &str) -> bool {
        self.recorder.is_none() || line.to_lowercase().contains("match")
    }

    /// Whether a game begins with the line of its score, without a number.
    fn begins_by_score(&self, line: &str) -> bool {
        let Some(record) = &self.record else { return false };
        score_line(line).is_some_and(|score| {
            let names = score.map(|(name, _)| without_rating(name).0);
            let known = record.players.each_ref().map(String::as_str) == names;
            if self.has_begun() { known } else { self.says_length }
        })
    }

    /// `Score is 0-0 in a 5 point match.` of FIBS.
    fn fibs_score(&mut self, (score, length): ([u32; 2], u16)) {
        if self.record.as_ref().is_some_and(|record| record.length != length) {
            self.end_match();
        }
        self.record().length = length;
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

    fn tag(&mut self, name: &str, value: &str) {
        if self.recorder.is_some() || self.record.as_ref().is_some_and(|it| !it.games.is_empty()) {
            // Tags after games begin the next match.
            self.end_match();
        }
        let value = value.trim();
        let on = !matches!(value.to_ascii_lowercase().as_str(), "off" | "no" | "0" | "false");
        let record = self.record();
        match name.to_ascii_lowercase().as_str() {
            "event" => record.details.event = value.to_owned(),
            "round" => record.details.round = value.to_owned(),
            "site" | "place" => record.details.place = value.to_owned(),
            "eventdate" | "date" => record.details.date = date(value),
            "transcriber" | "annotator" => record.details.annotator = value.to_owned(),
            "crawford" => record.options.crawford = on,
            "jacoby" => {
                record.options.jacoby = on;
                self.says_jacoby = true;
            }
            "beaver" | "beavers" if on => record.options.beavers = Beavers::Beavers,
            "beaver" | "beavers" => record.options.beavers = Beavers::Off,
            "raccoon" | "raccoons" if on => record.options.beavers = Beavers::Raccoons,
            "raccoon" | "raccoons" => {}
            "variation" => match variation(value) {
                Some(start) => {
                    record.options.start = start;
                    self.says_variation = true;
                }
                None => {
                    self.strange = Some(format!(
                        "the variation {value:?} is unknown, expected Backgammon, NackGammon, \
                         HyperGammon (3) or LongGammon"
                    ));
                }
            },
            // Nearly every file of eXtreme Gammon says 1024, which is its way to say none.
            "cubelimit" if value != "1024" && value.parse().is_ok_and(u32::is_power_of_two) => {
                record.options.cube_limit = value.parse().ok();
            }
            "automaticdoubles"
                if value.parse().is_ok_and(|most: u8| most <= Cube::MAX_EXPONENT) =>
            {
                record.options.automatic_doubles = value.parse().unwrap_or_default();
            }
            "matchlength" | "match length" | "length" if value.parse::<u16>().is_ok() => {
                record.length = value.parse().unwrap_or_default();
                self.says_length = true;
            }
            "player 1" | "player1" => self.tagged[0] = Some(value.to_owned()),
            "player 2" | "player2" => self.tagged[1] = Some(value.to_owned()),
            _ => record.details.other.push((name.to_owned(), value.to_owned())),
        }
    }

    pub(super) fn comment(&mut self, comment: &str) {
        if let (Some(text), true) = (comment.strip_prefix("Set Pos="), self.recorder.is_some()) {
            return self.set_up_next(text.trim());
        }
        if let (Some(why), Some(recorder)) = (comment.strip_prefix(CUT), &mut self.recorder) {
            return recorder.break_off(why.to_owned());
        }
        let last = self.recorder.as_mut().filter(|_| !self.awaits_score).map(Recorder::game_mut);
        let into = match last {
            Some(game) => match game.actions.last_mut() {
                Some(action) => &mut action.comment,
                None => &mut game.comment,
            },
            None => &mut self.record().details.comment,
        };
        if !into.is_empty() {
            into.push('\n');
        }
        into.push_str(comment);
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

    fn end_match(&mut self) {
        self.end_game(None);
        if !std::mem::take(&mut self.says_length) && std::mem::take(&mut self.of_match) {
            self.note(
                "a match is won, but no length is told: it is read as a money session; expected a \
                 line such as `7 point match`",
            );
        }
        self.number = 0;
        (self.awaits_score, self.skips) = (false, false);
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
                        ending: Ending::Played(kind),
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
            if name.is_empty() {
                *name = tagged.unwrap_or_default();
            }
        }
        unsaid::settle_beavers(&mut record);
        self.matches.push(record);
    }

    /// Ends the game that is being read. The next one, if it follows at once, begins at `next`.
    fn end_game(&mut self, next: Option<[u32; 2]>) {
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
        if let Some(end) = evidence.end(&recorder, record.length) {
            // A gammon with a cube that neither player turned tells whether the Jacoby rule was played.
            let gammon = played.filter(|result| result.winner == end.winner);
            if let Some(result) = gammon.filter(|it| end.points == 1 || end.points == it.points) {
                let said = evidence.points(end.winner).unwrap_or(end.points);
                self.with_jacoby[usize::from(said == result.points)] = true;
                self.jacoby_by_score |= said != 1 && end.points == 1;
                recorder.game_mut().result = Some(GameResult { points: end.points, ..result });
            } else if let Some(text) =
                unsaid::conclude(&mut recorder, record.length, end.winner, end.points)
            {
                let line = if end.line == 0 { self.line } else { end.line };
                let note = Note { line, text };
                if end.by_score && recorder.game().result.is_some_and(|it| end.contradicts(&it)) {
                    recorder.break_off(note.to_string());
                    let (winner, points) = (end.winner, end.points);
                    let result = &mut recorder.game_mut().result;
                    *result = result.map(|it| GameResult { winner, points, ..it });
                }
                self.notes.push(note.line, note.text);
            }
        }
        record.games.push(recorder.into_game());
    }

    /// ` Ann : 0     Bob : 3`.
    fn score(&mut self, line: &str) {
        self.awaits_score = false;
        let read = score_line(line).or_else(|| written_score(line));
        let score = if let Some([(one, left), (two, right)]) = read {
            let rated = [one, two].map(without_rating);
            let bare = |name: &str| name.trim_matches(['"', '>', '|', ' ']).to_owned();
            let names = rated.map(|(name, _)| bare(name));
            let begun = self.recorder.is_some();
            let record = self.record();
            if record.games.is_empty() && !begun {
                for (seat, rating) in (1..).zip(rated.map(|(_, rating)| rating)) {
                    let name = format!("Player {seat} Elo");
                    let there = record.details.other.iter().any(|(there, _)| *there == name);
                    if let Some(rating) = rating.filter(|_| !there) {
                        record.details.other.push((name, rating.to_owned()));
                    }
                }
                record.players = names;
            } else if record.players != names {
                let text =
                    format!("the players are called {names:?} here, not {:?}", record.players);
                self.note(text);
            }
            [left, right]
        } else {
            let text = format!("{:?} is no score line, expected `Ann : 0   Bob : 0`", line.trim());
            self.note(text);
            self.end_game(None);
            self.record().score()
        };
        self.end_game(Some(score).filter(|_| self.in_turn));
        self.begin_game(score);
        if read.is_none() {
            self.row(line);
        }
    }

    fn begin_game(&mut self, score: [u32; 2]) {
        let record = self.record();
        let expected = record.score();
        if !record.games.is_empty() && score != expected {
            let text = format!(
                "the score is {}-{}, where the games before make {}-{}",
                score[0], score[1], expected[0], expected[1]
            );
            self.note(text);
        }
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
    matches!(result.ending, Ending::Played(kind) if kind > WinKind::Single) && result.cube == 1
}
