//! Where games and matches of a text begin and end, and by which score.

use tavola_rules::{GameEnding, GameResult, WinKind};

use super::fibs;
use super::lines::{score_line, without_rating, written_score};
use super::reader::Reader;
use super::result::{End, Evidence};
use super::source::Line;
use super::writer::in_score;
use crate::playback::MatchRecorder;
use crate::reading::Note;
use crate::record::{Act, Game, Match, RecordedAction};
use crate::unsaid;

impl Reader<'_> {
    /// The score of a game with this number follows, which tells how the game before ended.
    pub(super) fn game(&mut self, number: u32) {
        self.record();
        self.in_turn = number == self.number + 1;
        self.number = number;
        (self.awaits_score, self.skips, self.number_guessed) = (true, false, false);
    }

    /// `Score is 0-0 in a 5 point match.` of FIBS.
    pub(super) fn fibs_score(&mut self, (score, length): ([u32; 2], u16)) {
        if self.record.as_ref().is_some_and(|record| record.length != length) {
            self.end_match();
        }
        self.record().length = length;
        self.says_length = true;
        self.fibs = Some(fibs::Names { score, ..fibs::Names::default() });
    }

    /// `Ann is X - Bob is O`, after which a game begins.
    pub(super) fn fibs_game(&mut self, [x, o]: [String; 2]) {
        let score = self.fibs.as_ref().map_or([0; 2], |names| names.score);
        let begun = self.has_begun();
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

    pub(super) fn begin_match(&mut self, length: Option<u16>) {
        if self.has_begun() {
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
        let rolled = |it: &&RecordedAction| matches!(it.act, Act::Roll(..) | Act::SetUp(..));
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
            if let Some(text) = recorder.conclude(end.winner, end.points) {
                let line = if end.line == 0 { self.line } else { end.line };
                let note = Note { line, text };
                let (winner, points) = (end.winner, end.points);
                // Whether the actions of the game led to something else.
                let differs = |it: GameResult| (winner, points) != (it.winner, it.points);
                if end.by_score && recorder.game().result.is_some_and(differs) {
                    recorder.break_off(note.to_string());
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
    pub(super) fn score(&mut self, line: &Line) {
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
        let later = before + record.games.len() > 0;
        if let Some(text) = record.other_score(score).filter(|_| later) {
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
        match MatchRecorder::begin(length, score, crawford, &options) {
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
