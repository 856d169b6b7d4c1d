//! Records as matches.

use std::fmt::Display;
use std::time::Duration;

use tavola_rules::{Backgammon, Beavers, Cube, CubeOwner, Dice, GameEnding, GameResult, Player};
use tavola_rules::{Options, Play, Position, WinKind, moves};

use super::archive::unpack;
use super::comments::comments;
use super::layout::{self, Board, Bytes, Kind, RECORD, UNLIMITED};
use super::positions::{OF_POSITION, analysis_of_play, analysis_of_roll, seen, with_open_plays};
use crate::analysis::{CUBE, property};
use crate::playback::MatchRecorder;
use crate::reading::{Notes, ReadError, ReadWatch, check_numbers};
use crate::record::{Act, Game, Match, Property};
use crate::{date, unsaid};

/// More records than this are no match.
const MOST_RECORDS: usize = 1 << 15;

/// Reads all matches of a file.
pub(crate) fn read(bytes: &[u8], watch: ReadWatch<'_>) -> Result<(Vec<Match>, Notes), ReadError> {
    let files = unpack(bytes)?;
    let mut reader = Reader { comments: comments(&files.comments), ..Reader::default() };
    for text in files.notes {
        reader.notes.push(0, text);
    }
    let records = files.records.chunks_exact(RECORD);
    if records.len() > MOST_RECORDS {
        let text = format!("{} records, expected at most {MOST_RECORDS}", records.len());
        return Err(ReadError::Malformed { line: 0, text });
    }
    for (number, record) in (1..).zip(records) {
        watch.check()?;
        reader.number = number;
        reader.record(&Bytes(record));
        let (matches, open) = (reader.matches.len(), reader.record.as_ref());
        let games = open.map_or(0, |record| record.games.len());
        check_numbers(matches + usize::from(open.is_some()), games, 0)?;
    }
    reader.end_match();
    if reader.matches.is_empty() {
        let text = "the file of eXtreme Gammon has no match header".to_owned();
        return Err(ReadError::Malformed { line: 0, text });
    }
    Ok((reader.matches, reader.notes))
}

/// What is known so far.
#[derive(Default)]
pub(super) struct Reader {
    /// The record, from 1.
    number: usize,
    comments: Vec<String>,
    notes: Notes,
    matches: Vec<Match>,
    pub(super) record: Option<Match>,
    /// The version of the file, which says what fields there are.
    version: i32,
    pub(super) recorder: Option<MatchRecorder>,
    /// A comment that waits for an action.
    waiting: String,
    /// The analysis of a double that was not made, which waits for the roll.
    pub(super) analyzed: Option<Property>,
    /// How often the cube was turned before the first roll of the game.
    pub(super) automatic: u8,
    /// The last decision about a double, if nothing follows it: who decides, board and cube.
    pub(super) undecided: Option<(Player, Board, i32)>,
}

impl Reader {
    pub(super) fn note(&mut self, text: impl Display) {
        self.notes.push(0, format!("record {}: {text}", self.number));
    }

    fn comment(&self, index: i32) -> String {
        let index = usize::try_from(index).ok();
        index.and_then(|index| self.comments.get(index)).cloned().unwrap_or_default()
    }

    fn record(&mut self, record: &Bytes<'_>) {
        match record.kind() {
            Kind::MatchHeader => self.begin_match(record),
            Kind::GameHeader => self.begin_game(record),
            Kind::Cube => self.cube(record),
            Kind::Play => self.play(record),
            Kind::GameEnd => self.end_of_game(record),
            Kind::MatchEnd => {}
            Kind::Missing => self.missing(record),
            Kind::Unknown => self.note("it is of an unknown kind and left out"),
        }
    }

    fn begin_match(&mut self, fields: &Bytes<'_>) {
        use layout::match_header as at;
        self.end_match();
        self.version = fields.int(at::VERSION);
        let wide = self.version >= 24;
        let text = |short: usize, most: usize, long: usize| {
            let text = if wide { fields.wide_string(long) } else { String::new() };
            if text.is_empty() { fields.short_string(short, most) } else { text }
        };
        let mut found = Match::default();
        for seat in 0..2 {
            found.players[seat] = text(at::NAMES[seat], 40, at::WIDE_NAMES[seat]);
        }
        found.details.event = text(at::EVENT, 128, at::WIDE_EVENT);
        found.details.place = text(at::PLACE, 128, at::WIDE_PLACE);
        found.details.round = text(at::ROUND, 128, at::WIDE_ROUND);
        if self.version >= 30 {
            found.details.annotator = fields.wide_string(at::TRANSCRIBER);
        }
        found.details.date = date(fields.float(at::DATE));
        found.details.comment = self.comment(fields.int(at::COMMENT));
        for (seat, at) in (1..).zip(at::ELO) {
            let elo = fields.float(at);
            if elo.is_finite() && elo > 0.0 {
                found.details.other.push((format!("Elo {seat}"), format!("{elo:.2}")));
            }
        }
        let length = fields.int(at::LENGTH);
        found.length = match u16::try_from(length) {
            _ if length == UNLIMITED => 0,
            Ok(length) => length,
            Err(_) => {
                self.note(format!("a match to {length} points is read as money play"));
                0
            }
        };
        let flag = |at| fields.byte(at) != 0;
        let money = found.length == 0;
        found.options = Options {
            crawford: money || flag(at::CRAWFORD),
            jacoby: money && flag(at::JACOBY),
            beavers: if money && flag(at::BEAVER) { Beavers::Beavers } else { Beavers::Off },
            // As many as a file says, game by game.
            automatic_doubles: if money { Cube::MAX_EXPONENT } else { 0 },
            start: match fields.int(at::VARIATION) {
                1 => Backgammon::Nackgammon,
                2 => Backgammon::Hypergammon,
                3 => Backgammon::Longgammon,
                _ => Backgammon::Standard,
            },
            ..Options::default()
        };
        self.record = Some(found);
    }

    fn end_match(&mut self) {
        self.end_game();
        if let Some(mut record) = self.record.take() {
            let starts = record.games.iter().filter_map(|game| match game.actions.first()?.act {
                Act::SetUp(_, cube) if cube.owner() == CubeOwner::Center => Some(cube.exponent()),
                _ => None,
            });
            record.options.automatic_doubles = starts.max().unwrap_or(0);
            unsaid::settle_beavers(&mut record);
            self.matches.push(record);
        }
    }

    fn end_game(&mut self) {
        self.tell_open_decision();
        self.waiting.clear();
        self.analyzed = None;
        if let (Some(recorder), Some(record)) = (self.recorder.take(), &mut self.record) {
            record.games.push(with_open_plays(recorder.into_game()));
        }
    }

    fn begin_game(&mut self, fields: &Bytes<'_>) {
        use layout::game_header as at;
        self.end_game();
        let Some(found) = &self.record else {
            return self.note("a game without a match is left out");
        };
        let score = at::SCORES.map(|at| u32::try_from(fields.int(at)).unwrap_or(0));
        let unexpected = found.other_score(score).filter(|_| !found.games.is_empty());
        let (length, options) = (found.length, unsaid::any_beavers(&found.options));
        let crawford = fields.byte(at::CRAWFORD) != 0;
        if let Some(text) = unexpected {
            self.note(text);
        }
        let begun = MatchRecorder::begin(length, score, crawford, &options)
            .or_else(|_| MatchRecorder::begin(length, score, false, &options));
        let mut recorder = match begun {
            Ok(recorder) => recorder,
            Err(error) => {
                self.note(format!("{error}; the game is left out"));
                let broken = self.notes.last().map(ToString::to_string);
                let game = Game { score, broken, ..Game::default() };
                if let Some(record) = &mut self.record {
                    record.games.push(game);
                }
                return;
            }
        };
        recorder.game_mut().comment = self.comment(fields.int(at::COMMENT));
        self.recorder = Some(recorder);
        let doubles = if self.version >= 26 { fields.int(at::AUTOMATIC_DOUBLES) } else { 0 };
        self.automatic = match u8::try_from(doubles) {
            Ok(doubles) if length == 0 => doubles.min(Cube::MAX_EXPONENT),
            _ => 0,
        };
    }

    /// Begins a game from the score so far, for a decision that stands behind no game header.
    fn begin_without_header(&mut self) {
        let Some(found) = &self.record else { return };
        if self.recorder.is_some() || !found.games.is_empty() {
            return;
        }
        let options = unsaid::any_beavers(&found.options);
        self.recorder = MatchRecorder::begin(found.length, found.score(), false, &options).ok();
        self.note("a game without a header is read as one from 0-0");
    }

    pub(super) fn break_off(&mut self, why: impl Display) {
        self.note(format!("{why}; the game is kept up to here"));
        let note = self.notes.last().map(ToString::to_string).unwrap_or_default();
        if let Some(recorder) = &mut self.recorder {
            recorder.break_off(note);
        }
    }

    /// Whether a game is being read that something can follow in.
    fn goes_on(&mut self) -> bool {
        let Some(recorder) = &self.recorder else { return false };
        if recorder.playback().result().is_some() {
            self.note("what follows the end of the game is left out");
            return false;
        }
        recorder.game().broken.is_none()
    }

    /// Does and writes down an action; tells whether it was possible.
    pub(super) fn act(&mut self, player: Player, act: Act) -> bool {
        let Some(recorder) = &mut self.recorder else { return false };
        let done = match act {
            Act::Double => recorder.double(player),
            act => recorder.act(player, act),
        };
        match done {
            Ok(()) => true,
            Err(error) => {
                self.break_off(error);
                false
            }
        }
    }

    /// Adds a comment to the last action.
    pub(super) fn add_comment(&mut self, comment: &str) {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(recorder) = &mut self.recorder else { return };
        let Some(action) = recorder.game_mut().actions.last_mut() else { return };
        for comment in [waiting.as_str(), comment] {
            if !comment.is_empty() && !action.comment.is_empty() {
                action.comment.push('\n');
            }
            action.comment.push_str(comment);
        }
    }

    pub(super) fn add_properties(&mut self, properties: impl IntoIterator<Item = Property>) {
        let last = self.recorder.as_mut().and_then(|it| it.game_mut().actions.last_mut());
        if let Some(action) = last {
            action.properties.extend(properties);
        }
    }

    fn cube(&mut self, fields: &Bytes<'_>) {
        use layout::cube as at;
        let comment = self.comment(fields.int(at::COMMENT));
        let equities = [fields.single(at::NO_DOUBLE), fields.single(at::TAKEN_DOUBLE)];
        let analyzed = match equities {
            [Some(no_double), Some(taken)]
                if equities != [Some(0.0); 2] && fields.int(at::FLAG) as i16 != -100 =>
            {
                Some(property(CUBE, [no_double, taken]))
            }
            _ => None,
        };
        self.analyzed = analyzed;
        self.begin_without_header();
        let player = player(fields.int(at::PLAYER));
        if fields.int(at::DOUBLED) != 1 {
            self.waiting = comment;
            self.undecided =
                player.map(|player| (player, fields.board(at::BOARD), fields.int(at::CUBE)));
            return;
        }
        self.undecided = None;
        let Some(player) = player else {
            return self.note("a double without a player is left out");
        };
        if !self.goes_on()
            || !self.follow(player, &fields.board(at::BOARD), fields.int(at::CUBE))
            || !self.act(player, Act::Double)
        {
            return;
        }
        self.add_comment(&comment);
        let analyzed = self.analyzed.take();
        self.add_properties(analyzed);
        let other = player.flip();
        for (player, field, turns_again) in [
            (other, at::TAKEN, Some(Act::Beaver)),
            (player, at::BEAVER_TAKEN, Some(Act::Raccoon)),
            (other, at::RACCOON_TAKEN, None),
        ] {
            let answer = fields.int(field);
            let act = match answer {
                0 => Some(Act::Drop),
                1 => Some(Act::Take),
                2 => turns_again,
                _ => None,
            };
            if !act.is_some_and(|act| self.act(player, act)) || answer != 2 {
                return;
            }
        }
    }

    fn play(&mut self, fields: &Bytes<'_>) {
        use layout::play as at;
        let comment = self.comment(fields.int(at::COMMENT));
        self.begin_without_header();
        let [one, two] = at::DICE.map(|at| u8::try_from(fields.int(at)).unwrap_or(0));
        let Ok(dice) = Dice::new(one, two) else {
            // A player who gave up before rolling.
            self.waiting = comment;
            return;
        };
        self.undecided = None;
        let Some(player) = player(fields.int(at::PLAYER)) else {
            return self.note("a play without a player is left out");
        };
        if !self.goes_on() || !self.follow(player, &fields.board(at::BEFORE), fields.int(at::CUBE))
        {
            return;
        }
        if !self.act(player, Act::Roll(dice, None)) {
            return;
        }
        self.add_comment(&comment);
        let said = [self.analyzed.take(), analysis_of_play(fields)];
        self.add_properties(said.into_iter().flatten());
        let Some(recorder) = &mut self.recorder else { return };
        // A position that is saved by itself keeps all of its analysis.
        if recorder.game().actions.len() <= OF_POSITION {
            let said = analysis_of_roll(fields, recorder.playback().position(), dice);
            let last = recorder.game_mut().actions.last_mut();
            last.into_iter().for_each(|action| action.properties.extend(said.clone()));
        }
        let position = recorder.playback().position();
        let board = fields.board(at::AFTER);
        let checkers = position.checkers();
        let after = [seen(&board, player), board].into_iter().find_map(|counts| {
            let after = Position::from_counts(&counts, checkers).ok()?.flip();
            moves::play_to(position, dice, &after)
        });
        let play = match after {
            Some(play) => play,
            None if !moves::can_move(position, dice) => Play::PASS,
            // A resignation follows, or it was against the rules, and the next board is set up.
            None => return,
        };
        if let Err(error) = recorder.play(play) {
            self.break_off(error);
        }
    }

    fn end_of_game(&mut self, fields: &Bytes<'_>) {
        use layout::game_end as at;
        let stated = self.stated_result(fields.int(at::WINNER), fields.int(at::POINTS));
        let Some((winner, points)) = stated else { return self.end_game() };
        self.undecided = None;
        if fields.int(at::HOW) >= 1000 {
            self.note("the players settled the game");
            if let Some(recorder) = &mut self.recorder {
                recorder.break_off("the players settled the game".to_owned());
            }
        }
        if let Some(recorder) = &mut self.recorder
            && let Some(text) = recorder.conclude(winner, points)
        {
            self.note(text);
        }
        self.end_game();
    }

    fn missing(&mut self, fields: &Bytes<'_>) {
        use layout::game_end as at;
        self.end_game();
        let stated = self.stated_result(fields.int(at::WINNER), fields.int(at::POINTS));
        let Some(found) = &mut self.record else { return };
        let mut game = Game { score: found.score(), ..Game::default() };
        game.result = stated.map(|(winner, points)| GameResult {
            winner,
            points,
            cube: 1,
            ending: GameEnding::Resigned(WinKind::Single),
        });
        game.broken = Some("the file has no actions of this game".to_owned());
        found.games.push(game);
        self.note("a game without actions, only its result is known");
    }

    /// Who won how much.
    fn stated_result(&self, winner: i32, points: i32) -> Option<(Player, u32)> {
        let points =
            u32::try_from(points).ok().filter(|&points| (1..=1 << 26).contains(&points))?;
        Some((player(winner)?, points))
    }
}

fn player(number: i32) -> Option<Player> {
    match number {
        1 => Some(Player::One),
        -1 | 2 => Some(Player::Two),
        _ => None,
    }
}

/// Days since 30 December 1899, as Delphi counts, as a date; nothing if they end before 1970.
fn date(days: f64) -> String {
    let seconds = 86_400.0 * (days - 25_569.0);
    Duration::try_from_secs_f64(seconds).map_or_else(|_| String::new(), date::of_unix_time)
}

#[cfg(test)]
mod tests {
    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (25_569.0, "1970-01-01"),
            (36_585.5, "2000-02-29"),
            (46_350.0, "2026-11-24"),
            (0.0, ""),
            (1e12, ""),
            (f64::NAN, ""),
        ] {
            assert_eq!(super::date(days), date);
        }
    }
}
