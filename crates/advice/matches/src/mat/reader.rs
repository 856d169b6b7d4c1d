//! Match text as a record.

use tavola_rules::{
    Beavers, Cube, Dice, Ending, GameResult, Offer, Play, Player, Position, WinKind, moves,
};

use super::lines::{
    Cell, cells, date, expand_tabs, game_number, length, score_line, tag, without_rating,
    without_unused,
};
use super::result::{Evidence, Told};
use crate::format::{Note, ReadError, beginning};
use crate::playback::{PlaybackError, Recorder};
use crate::record::{Act, Game, Match};
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

#[derive(Default)]
struct Reader {
    line: usize,
    matches: Vec<Match>,
    notes: Vec<Note>,
    /// The match that is being read: from its first tag, length or game on.
    record: Option<Match>,
    /// The game that is being read, with its rows.
    recorder: Option<Recorder>,
    /// What the file says of the end of that game.
    told: Vec<Told>,
    /// Who gives up without saying how much.
    resigned: Option<Player>,
    /// The number of the last game, as the file counts.
    number: u32,
    /// Whether the game that follows has the next number, so that its score tells of the end.
    in_turn: bool,
    /// Whether `Game 1` was read and its score line was not.
    awaits_score: bool,
    /// Whether the rows of a game are passed over, which can't be followed from the beginning.
    skips: bool,
    /// Names of tags, for files without a score line.
    tagged: [Option<String>; 2],
    /// Whether a tag says something of the Jacoby rule.
    says_jacoby: bool,
    /// Games that by their result were played with the Jacoby rule, and such without it.
    with_jacoby: [bool; 2],
    /// Whether a score tells that the Jacoby rule was played, whatever the results say: GNU
    /// Backgammon writes those of match text without it.
    jacoby_by_score: bool,
    /// Whether a player stood one point from winning in an earlier game of the match.
    was_one_away: bool,
    /// Position and cube as the first player sees them, to be set up with the next action.
    set_up: Option<(Position, Cube)>,
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
        } else if let Some(number) = game_number(trimmed) {
            // The score tells how the game before ended.
            self.record();
            self.in_turn = number == self.number + 1;
            self.number = number;
            (self.awaits_score, self.skips) = (true, false);
        } else if self.awaits_score {
            self.score(line);
        } else if self.recorder.is_some() {
            self.row(line);
        } else if self.record.is_some() && !self.skips {
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
            "jacoby" => {
                record.options.jacoby = on;
                self.says_jacoby = true;
            }
            "beaver" | "beavers" if on => record.options.beavers = Beavers::Beavers,
            "beaver" | "beavers" => record.options.beavers = Beavers::Off,
            "raccoon" | "raccoons" if on => record.options.beavers = Beavers::Raccoons,
            "raccoon" | "raccoons" => {}
            "player 1" | "player1" => self.tagged[0] = Some(value.to_owned()),
            "player 2" | "player2" => self.tagged[1] = Some(value.to_owned()),
            _ => record.details.other.push((name.to_owned(), value.to_owned())),
        }
    }

    fn comment(&mut self, comment: &str) {
        if let (Some(text), true) = (comment.strip_prefix("Set Pos="), self.recorder.is_some()) {
            return self.set_up_next(text.trim());
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
    }

    fn end_match(&mut self) {
        self.end_game(None);
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
        self.set_up = None;
        let told = std::mem::take(&mut self.told);
        let resigned = self.resigned.take();
        let Some(mut recorder) = self.recorder.take() else { return };
        let record = self.record.get_or_insert_default();
        let money = record.length == 0 && !self.says_jacoby;
        let played = recorder.playback().result().filter(|it| money && is_gammon(it));
        let evidence = Evidence { told: &told, next, resigned };
        if let Some(end) = evidence.end(&recorder, record.length) {
            // A gammon with a cube that nobody turned tells whether the Jacoby rule was played.
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
                self.notes.push(note);
            }
        }
        record.games.push(recorder.into_game());
    }

    /// ` Ann : 0     Bob : 3`.
    fn score(&mut self, line: &str) {
        self.awaits_score = false;
        let score = if let Some([(one, left), (two, right)]) = score_line(line) {
            let names = [one, two].map(|name| without_rating(name).to_owned());
            let begun = self.recorder.is_some();
            let record = self.record();
            if record.games.is_empty() && !begun {
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
        let first = !self.was_one_away;
        let record = self.record();
        let (length, options) = (record.length, unsaid::any_beavers(&record.options));
        let one_away = |score: [u32; 2]| {
            let away = score.map(|points| u32::from(length).saturating_sub(points));
            (away[0] == 1) != (away[1] == 1)
        };
        let crawford = length > 1 && options.crawford && one_away(score) && first;
        self.was_one_away |= one_away(score);
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

    fn row(&mut self, line: &str) {
        let (numbered, cells) = cells(line);
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
            if self.set_up.is_none()
                && self.recorder.as_ref().is_some_and(|recorder| recorder.game().broken.is_some())
                && !matches!(cell, Cell::Wins(_) | Cell::Loses(_) | Cell::SetUp(_))
            {
                continue;
            }
            match cell {
                Cell::Wins(points) => self.tell(Some(side), true, points, line),
                Cell::Loses(points) => {
                    // Without a number and by itself it has no column.
                    let column = numbered || several || column >= RIGHT;
                    self.tell(column.then(|| side.flip()), false, points, line);
                }
                cell => self.cell(side, cell),
            }
        }
    }

    /// A line at the end of a game.
    fn tell(&mut self, winner: Option<Player>, wins: bool, points: u32, line: &str) {
        let and_the_match = line.to_ascii_lowercase().contains("match");
        self.told.push(Told { line: self.line, winner, wins, points, and_the_match });
    }

    /// Does what a cell says, and says so if that is not possible.
    fn cell(&mut self, side: Player, cell: Cell<'_>) {
        if let Some((position, cube)) = self.set_up.take() {
            match side {
                Player::One => self.set_up(side, position, cube),
                Player::Two => self.set_up(side, position.flip(), cube.flip()),
            }
        }
        let Some(recorder) = &mut self.recorder else { return };
        let over = recorder.playback().result();
        let to_act = recorder.playback().to_act();
        if over.is_some() || !self.told.is_empty() {
            return self.note("what follows the end of the game is left out");
        }
        // An unplayed roll in the middle: the play is forced, or it can't be followed.
        if !matches!(cell, Cell::Resign(_) | Cell::Refuse) {
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
            Cell::Wins(_) | Cell::Loses(_) => return,
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
            Cell::Resign(None) => {
                self.resigned = Some(side);
                return;
            }
            Cell::SetUp(text) => {
                return match tavola_rules::notation::parse_situation(text) {
                    Ok(situation) => {
                        let cube = situation.cube.unwrap_or(Cube::START);
                        self.set_up(side, situation.position, cube);
                    }
                    Err(error) => self.break_off(error.to_string()),
                };
            }
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

    /// A position that the player is on roll in.
    fn set_up(&mut self, player: Player, position: Position, cube: Cube) {
        let Some(recorder) = &mut self.recorder else { return };
        recorder.game_mut().broken = None;
        if let Err(error) = recorder.act(player, Act::SetUp(position, cube)) {
            self.break_off(error.to_string());
        }
    }

    /// `; Set Pos=-b----E-C---eE---c-e----B-/1` of eXtreme Gammon: the board of the first player
    /// and the value of the cube. Who is on roll is known when a player acts.
    fn set_up_next(&mut self, text: &str) {
        let Some(recorder) = &mut self.recorder else { return };
        let (board, value) = text.split_once('/').unwrap_or((text, "1"));
        let playback = recorder.playback();
        let now = playback.state().map_or(Cube::START, |state| state.cube());
        let now = if playback.on_roll() == Some(Player::Two) { now.flip() } else { now };
        let read =
            tavola_rules::notation::parse_situation(&format!("XGID={board}:0:0:1:00:0:0:0:0:10"));
        match read {
            Ok(situation) => {
                if value.trim().parse() != Ok(now.value()) {
                    self.note(format!(
                        "the position has the cube {value:?}, where it stands at {}",
                        now.value()
                    ));
                }
                self.set_up = Some((situation.position, now));
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
}

/// Whether a gammon or backgammon was played out with a cube that neither player turned.
fn is_gammon(result: &GameResult) -> bool {
    matches!(result.ending, Ending::Played(kind) if kind > WinKind::Single) && result.cube == 1
}
