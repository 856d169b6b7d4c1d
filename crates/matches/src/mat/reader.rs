//! Match text as a record.

use tavola_rules::{Beavers, Cube, Dice, Offer, Play, Player, WinKind, moves};

use crate::format::{Note, ReadError, beginning};
use crate::playback::{PlaybackError, Recorder};
use crate::record::{Act, Match};
use crate::unsaid;

/// A single cell at this column or further right is the second player's.
const RIGHT: usize = 22;

/// Reads all matches of a text.
pub(crate) fn read(text: &str) -> Result<(Vec<Match>, Vec<Note>), ReadError> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line = index + 1;
        reader.read_line(line);
    }
    reader.end_match();
    if reader.matches.is_empty() {
        return Err(ReadError::Unknown { begins: beginning(text) });
    }
    Ok((reader.matches, reader.notes))
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
enum Cell<'a> {
    Roll(Dice, &'a str),
    /// A roll that no two dice show, such as `00:`.
    NoRoll(&'a str),
    Double,
    Take,
    Drop,
    Beaver,
    Raccoon,
    Resign(Option<WinKind>),
    Refuse,
    Wins(u32),
    Loses(u32),
    SetUp(&'a str),
}

#[derive(Default)]
struct Reader {
    line: usize,
    matches: Vec<Match>,
    notes: Vec<Note>,
    /// The match that is being read: from its first tag, length or game on.
    record: Option<Match>,
    /// The game that is being read, with its rows.
    recorder: Option<Recorder>,
    /// Whether `Game 1` was read and its score line was not.
    awaits_score: bool,
    /// Names of tags, for files without a score line.
    tagged: [Option<String>; 2],
}

impl Reader {
    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(Note { line: self.line, text: text.into() });
    }

    fn record(&mut self) -> &mut Match {
        self.record.get_or_insert_with(Match::default)
    }

    fn read_line(&mut self, line: &str) {
        let line = &expand_tabs(line);
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return;
        }
        if let Some((name, value)) = tag(trimmed) {
            self.tag(name, value);
        } else if trimmed.starts_with(';') {
            let comment = trimmed.trim_start_matches(';').trim();
            if !comment.is_empty() {
                self.comment(comment);
            }
        } else if let Some(length) = length(trimmed) {
            self.begin_match(length);
        } else if is_game(trimmed) {
            self.end_game();
            self.record();
            self.awaits_score = true;
        } else if self.awaits_score {
            self.score(line);
        } else if self.recorder.is_some() {
            self.row(line);
        } else if self.record.is_some() {
            self.note(format!("{trimmed:?} was not understood and left out"));
        }
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
            "jacoby" => record.options.jacoby = on,
            "beaver" | "beavers" if on => record.options.beavers = Beavers::Raccoons,
            "beaver" | "beavers" => record.options.beavers = Beavers::Off,
            "player 1" | "player1" => self.tagged[0] = Some(value.to_owned()),
            "player 2" | "player2" => self.tagged[1] = Some(value.to_owned()),
            _ => record.details.other.push((name.to_owned(), value.to_owned())),
        }
    }

    fn comment(&mut self, comment: &str) {
        let last = self.recorder.as_mut().map(Recorder::game_mut);
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
    }

    fn end_match(&mut self) {
        self.end_game();
        self.awaits_score = false;
        let tagged = std::mem::take(&mut self.tagged);
        let Some(mut record) = self.record.take() else { return };
        if record.games.is_empty() {
            // Tags alone are no match.
            return;
        }
        for (name, tagged) in record.players.iter_mut().zip(tagged) {
            if name.is_empty() {
                *name = tagged.unwrap_or_default();
            }
        }
        self.matches.push(record);
    }

    fn end_game(&mut self) {
        if let Some(recorder) = self.recorder.take() {
            self.record().games.push(recorder.into_game());
        }
    }

    /// ` Ann : 0     Bob : 3`.
    fn score(&mut self, line: &str) {
        self.awaits_score = false;
        let score = if let Some([(one, left), (two, right)]) = score_line(line) {
            let names = [one, two].map(|name| without_rating(name).to_owned());
            let record = self.record();
            if record.games.is_empty() {
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
            self.record().score()
        };
        self.begin_game(score);
        if score_line(line).is_none() {
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
        let record = self.record();
        let (length, options) = (record.length, record.options.clone());
        let one_away = |score: [u32; 2]| {
            let away = score.map(|points| u32::from(length).saturating_sub(points));
            (away[0] == 1) != (away[1] == 1)
        };
        let first = !record.games.iter().any(|game| one_away(game.score));
        let crawford = length > 1 && options.crawford && one_away(score) && first;
        match Recorder::begin(length, score, crawford, &options) {
            Ok(recorder) => self.recorder = Some(recorder),
            Err(error) => {
                self.note(format!("{error}; the game is read as one for money"));
                let recorder = Recorder::begin(0, score, false, &options);
                self.recorder = recorder.ok();
            }
        }
    }

    fn row(&mut self, line: &str) {
        let cells = cells(line);
        if cells.is_empty() {
            let text = line.trim();
            // An empty row, numbered or not, says nothing.
            if !text.trim_end_matches(')').chars().all(|c| c.is_ascii_digit()) {
                self.note(format!("{text:?} was not understood and left out"));
            }
            return;
        }
        let several = cells.len() > 1;
        for (index, (column, cell)) in cells.into_iter().enumerate() {
            let side = match (several, index) {
                (true, 0) if column < RIGHT => Player::One,
                (true, _) => Player::Two,
                (false, _) if column >= RIGHT => Player::Two,
                (false, _) => Player::One,
            };
            if self.recorder.as_ref().is_some_and(|recorder| recorder.game().broken.is_some())
                && !matches!(cell, Cell::Wins(_) | Cell::Loses(_) | Cell::SetUp(_))
            {
                continue;
            }
            self.cell(side, cell);
        }
    }

    /// Does what a cell says, and says so if that is not possible.
    fn cell(&mut self, side: Player, cell: Cell<'_>) {
        let Some(recorder) = &mut self.recorder else { return };
        let over = recorder.playback().result();
        let to_act = recorder.playback().to_act();
        let ends = matches!(cell, Cell::Wins(_) | Cell::Loses(_));
        if !ends && over.is_some() {
            return self.note("what follows the end of the game is left out");
        }
        // An unplayed roll in the middle: the play is forced, or it can't be followed.
        if !ends && !matches!(cell, Cell::Resign(_) | Cell::Refuse) {
            match unsaid::play_forced(recorder) {
                Ok(Some(text)) => self.note(text),
                Ok(None) => {}
                Err(why) => return self.break_off(why),
            }
        }
        let Some(recorder) = &mut self.recorder else { return };
        // Cells come in the order of the game, so that the rules know whose they are. The column
        // says who starts.
        let to_act = recorder.playback().to_act().or(to_act);
        let mut player = to_act.unwrap_or(side);
        let done = match cell {
            Cell::Wins(points) => return self.wins(side, points),
            Cell::Loses(points) => return self.wins(side.flip(), points),
            Cell::Roll(dice, play) => {
                // A roll after a double without an answer: it was taken.
                let text = unsaid::take_before_roll(recorder);
                player = recorder.playback().to_act().unwrap_or(player);
                if let Some(text) = text {
                    self.note(text);
                }
                if to_act.is_some() && player != side {
                    return self.break_off(format!(
                        "player {} rolls, where it is the turn of player {}",
                        side.index() + 1,
                        player.index() + 1
                    ));
                }
                self.roll(player, dice, play)
            }
            Cell::NoRoll(text) => {
                let text = format!("{text:?} is no roll, expected two dice from 1 to 6");
                return self.break_off(text);
            }
            Cell::Double if recorder.playback().offer() == Some(Offer::Double) => {
                recorder.act(player, Act::Beaver)
            }
            Cell::Double if to_act.is_some_and(|player| player != side) => {
                return self.break_off(format!(
                    "player {} doubles, where it is the turn of player {}",
                    side.index() + 1,
                    player.index() + 1
                ));
            }
            Cell::Double => recorder.act(player, Act::Double),
            Cell::Take => recorder.act(player, Act::Take),
            Cell::Drop => recorder.act(player, Act::Drop),
            // GNU Backgammon calls every further turn of the cube so.
            Cell::Beaver if recorder.playback().offer() == Some(Offer::Beaver) => {
                recorder.act(player, Act::Raccoon)
            }
            Cell::Beaver => recorder.act(player, Act::Beaver),
            Cell::Raccoon => recorder.act(player, Act::Raccoon),
            Cell::Refuse => recorder.act(player, Act::Refuse),
            Cell::Resign(Some(win)) => recorder.act(side, Act::Resign(win)),
            // How much is lost is known when the file says who wins.
            Cell::Resign(None) => Ok(()),
            Cell::SetUp(text) => return self.set_up(text),
        };
        if let Err(error) = done {
            self.break_off(error.to_string());
        }
    }

    fn roll(&mut self, player: Player, dice: Dice, text: &str) -> Result<(), PlaybackError> {
        let line = self.line;
        let recorder = self.recorder.as_mut().expect("cells are read within a game");
        recorder.act(player, Act::Roll(dice, None))?;
        let plays = moves::plays(recorder.playback().position(), dice);
        let text = text.trim();
        if text.is_empty() || text.starts_with('?') {
            if plays.is_empty() && text.is_empty() {
                recorder.play(Play::PASS)?;
            }
            return Ok(());
        }
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("illegal play") {
            self.break_off(format!("{text:?}"));
            return Ok(());
        }
        let spoken = lower.starts_with("cannot") || lower.starts_with("can't") || lower == "dance";
        let read = if spoken { "" } else { text };
        let (play, _) = recorder.playback().parse_play(&without_unused(read))?;
        if plays.is_empty() && !spoken && !text.is_empty() {
            self.notes.push(Note { line, text: format!("{text:?} is read as no play") });
        }
        recorder.play(play)
    }

    fn set_up(&mut self, text: &str) {
        let Some(recorder) = &mut self.recorder else { return };
        match tavola_rules::notation::parse_situation(text) {
            Ok(situation) => {
                let player = recorder.playback().to_act().unwrap_or(Player::One);
                let cube = situation.cube.unwrap_or(Cube::START);
                recorder.game_mut().broken = None;
                if let Err(error) = recorder.act(player, Act::SetUp(situation.position, cube)) {
                    self.break_off(error.to_string());
                }
            }
            Err(error) => self.break_off(error.to_string()),
        }
    }

    fn break_off(&mut self, why: String) {
        self.note(format!("{why}; the game is kept up to here"));
        let note = self.notes.last().expect("one was just added").to_string();
        if let Some(recorder) = &mut self.recorder {
            recorder.break_off(note);
        }
    }

    /// The line at the end of a game.
    fn wins(&mut self, side: Player, points: u32) {
        let length = self.record().length;
        let Some(recorder) = &mut self.recorder else { return };
        if let Some(text) = unsaid::conclude(recorder, length, side, points) {
            self.note(text);
        }
    }
}

/// Tabs as the spaces that they stand for.
fn expand_tabs(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        if c == '\t' {
            let width = 8 - column % 8;
            text.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            text.push(c);
            column += 1;
        }
    }
    text
}

/// `; [Event "Club evening"]`, also without the semicolon.
fn tag(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim_start_matches(';').trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once('"')?;
    Some((name.trim(), value.strip_suffix('"').unwrap_or(value)))
}

/// ` 7 point match`; `Some(None)` is a length too large.
fn length(line: &str) -> Option<Option<u16>> {
    let lower = line.to_ascii_lowercase();
    let lower = lower.trim_start_matches("match to ").trim();
    if matches!(lower, "money game" | "money session" | "unlimited match") {
        return Some(Some(0));
    }
    let (number, rest) = lower.split_once(|c: char| c.is_whitespace() || c == '-')?;
    let rest = rest.trim().trim_end_matches('.');
    if !matches!(rest, "point match" | "points match" | "point" | "points") {
        return None;
    }
    if !number.chars().all(|c| c.is_ascii_digit()) || number.is_empty() {
        return None;
    }
    Some(number.parse().ok())
}

/// ` Game 12`.
fn is_game(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.strip_prefix("game").is_some_and(|number| {
        let number = number.trim();
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
    })
}

/// ` Ann : 0     Bob : 3`: names and points.
fn score_line(line: &str) -> Option<[(&str, u32); 2]> {
    let line = line.trim();
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    let right_colon = colons.next_back()?;
    let right_points = line[right_colon + 1..].trim().parse().ok()?;
    // The left points end where the name on the right begins.
    for (left_colon, _) in line[..right_colon].match_indices(':') {
        let rest = line[left_colon + 1..right_colon].trim_start();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let name = &rest[digits..];
        if digits > 0 && name.starts_with(' ') {
            let left_points = rest[..digits].parse().ok()?;
            let left = (line[..left_colon].trim(), left_points);
            return Some([left, (name.trim(), right_points)]);
        }
    }
    None
}

/// A name without the rating that some programs put after it: `Ann,1666`.
fn without_rating(name: &str) -> &str {
    match name.rsplit_once(',') {
        Some((before, rating)) if rating.trim().parse::<f64>().is_ok() => before.trim(),
        _ => name,
    }
}

/// A play without dice that were not used, `0/0`.
fn without_unused(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !matches!(*word, "0/0" | "25/25" | "-"));
    words.collect::<Vec<_>>().join(" ")
}

/// A date as `2026-11-23` if it is one of year, month and day; otherwise as it is.
fn date(text: &str) -> String {
    let parts: Vec<&str> = text.split(['.', '-', '/']).map(str::trim).collect();
    match parts.as_slice() {
        [year, month, day]
            if year.len() == 4 && parts.iter().all(|part| part.parse::<u16>().is_ok()) =>
        {
            format!("{year}-{month:0>2}-{day:0>2}")
        }
        _ => text.to_owned(),
    }
}

/// The cells of a row with the columns at which they begin.
fn cells(line: &str) -> Vec<(usize, Cell<'_>)> {
    // The number of the row.
    let trimmed = line.trim_start();
    let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let from = match trimmed[digits..].strip_prefix(')') {
        Some(rest) => line.len() - rest.len(),
        None => 0,
    };
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, c) in line[from..].char_indices() {
        if (before.is_whitespace() || before == ')') && !c.is_whitespace() {
            let at = from + at;
            if begins_cell(&line[at..]) {
                starts.push(at);
            }
        }
        before = c;
    }
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(&start, end)| {
            let column = line[..start].chars().count();
            Some((column, cell(line[start..end].trim())?))
        })
        .collect()
}

/// Whether the text begins with a roll or a word that begins a cell.
fn begins_cell(text: &str) -> bool {
    let bytes = text.as_bytes();
    let roll = bytes.len() > 2
        && bytes[..2].iter().all(u8::is_ascii_digit)
        && text[2..].trim_start().starts_with(':');
    let word: String =
        text.chars().take_while(|c| c.is_alphabetic()).collect::<String>().to_ascii_lowercase();
    roll || matches!(
        word.as_str(),
        "doubles"
            | "double"
            | "redoubles"
            | "takes"
            | "take"
            | "accepts"
            | "drops"
            | "drop"
            | "passes"
            | "beavers"
            | "beaver"
            | "raccoons"
            | "raccoon"
            | "wins"
            | "losses"
            | "loses"
            | "resigns"
            | "resign"
            | "resigned"
            | "refuses"
            | "rejects"
            | "set"
    ) || (text.starts_with("???") && text.trim_matches('?').trim().is_empty())
}

fn cell(text: &str) -> Option<Cell<'_>> {
    if text.as_bytes().first()?.is_ascii_digit() {
        let (dice, play) = text.split_once(':')?;
        return Some(match dice.trim().parse() {
            Ok(dice) => Cell::Roll(dice, play),
            Err(_) => Cell::NoRoll(text),
        });
    }
    let lower = text.to_ascii_lowercase();
    let word: String = lower.chars().take_while(|c| c.is_alphabetic()).collect();
    let number = || {
        let digits: String = lower
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    };
    Some(match word.as_str() {
        "doubles" | "double" | "redoubles" => Cell::Double,
        "takes" | "take" | "accepts" => Cell::Take,
        "drops" | "drop" | "passes" => Cell::Drop,
        "beavers" | "beaver" => Cell::Beaver,
        "raccoons" | "raccoon" => Cell::Raccoon,
        "refuses" | "rejects" => Cell::Refuse,
        "wins" => Cell::Wins(number()?),
        "losses" | "loses" => Cell::Loses(number()?),
        "set" => Cell::SetUp(text.split_once('=')?.1.trim()),
        "resigns" | "resign" | "resigned" => Cell::Resign(if lower.contains("backgammon") {
            Some(WinKind::Backgammon)
        } else if lower.contains("gammon") {
            Some(WinKind::Gammon)
        } else {
            None
        }),
        _ => Cell::Resign(None),
    })
}
