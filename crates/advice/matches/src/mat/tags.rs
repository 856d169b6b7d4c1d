//! What the tags and comments of match text say: `; [Event "Club evening"]`.

use tavola_rules::{Beavers, Cube};

use super::lines::{date, variation};
use super::reader::{COMMENT, CUT, NOTE, Reader};
use crate::playback::MatchRecorder;

impl Reader<'_> {
    /// Takes what a tag says into the match that is read or, behind games, into the next one.
    pub(super) fn tag(&mut self, name: &str, value: &str) {
        if self.has_begun() {
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
            "variation" if value.is_empty() => {}
            "variation" => match variation(value) {
                Some(start) => {
                    record.options.start = start;
                    self.says_variation = true;
                }
                None => {
                    let why = format!("the variation {value:?} is unknown");
                    match self.start {
                        Some(start) => self.note(format!("{why}, it is read as {}", start.name())),
                        None => {
                            let known = "Backgammon, NackGammon, HyperGammon (3) or LongGammon";
                            self.strange = Some(format!("{why}, expected {known}, or --game"));
                        }
                    }
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
            "player 1" | "player1" | "player 1 name" => self.tagged[0] = Some(value.to_owned()),
            "player 2" | "player2" | "player 2 name" => self.tagged[1] = Some(value.to_owned()),
            _ => record.details.other.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Adds a comment to the last action, or to the game or match before its first.
    pub(super) fn comment(&mut self, comment: &str) {
        if let (Some(text), true) = (comment.strip_prefix("Set Pos="), self.recorder.is_some()) {
            return self.set_up_next(text.trim());
        }
        let noted = comment.strip_prefix(NOTE).unwrap_or(comment);
        let comment = match noted.strip_prefix(COMMENT.trim_end()) {
            Some(said) if noted.len() < comment.len() => said.strip_prefix(' ').unwrap_or(said),
            _ => comment,
        };
        let cut = noted.strip_prefix(CUT);
        if let (Some(why), Some(recorder)) = (cut, &mut self.recorder) {
            return recorder.break_off(why.to_owned());
        }
        let last =
            self.recorder.as_mut().filter(|_| !self.awaits_score).map(MatchRecorder::game_mut);
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
}
