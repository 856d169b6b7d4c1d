//! What the cells of rows do in a game of match text.

use tavola_rules::notation::{Reading, read_situation};
use tavola_rules::{Cube, CubeOwner, Dice, Offer, Play, Player, Position, WinKind, moves};

use super::cells::{Cell, Placed, Row, begins_row, rows};
use super::plays::play;
use super::reader::Reader;
use super::result::StatedResult;
use super::source::{Line, RIGHT};
use super::words::is_dance;
use crate::playback::MatchRecorder;
use crate::reading::beginning;
use crate::record::Act;
use crate::unsaid;

/// The most bytes of `wins 2 points and the match` behind a name.
const LONGEST_RESULT: usize = 80;

impl Reader<'_> {
    pub(super) fn row(&mut self, line: &Line) {
        let text = line.text.trim();
        let of_match = text.to_ascii_lowercase().contains("match");
        if let Some((winner, wins, points)) = self.named_result(text) {
            return self.tell(Some(winner), wins, points, of_match);
        }
        let Some(rows) = line.rows() else {
            if begins_row(text) {
                self.note(format!("{:?} is no row and is kept as a comment", beginning(text)));
            }
            self.sentences += 1;
            return self.comment(text);
        };
        let first = rows.first().and_then(|row| row.number) == Some(1);
        if std::mem::take(&mut self.repeated)
            && first
            && let Some(score) = self.recorder.as_ref().map(|it| it.game().score)
        {
            // Its rows begin once more: it is another game.
            self.end_game(None);
            self.begin_game(score);
        }
        for mut row in rows.iter().cloned() {
            self.counts(&row);
            let offered = |it: &MatchRecorder| it.playback().offer().is_some();
            if let [answer, double] = row.cells.as_mut_slice()
                && matches!(answer.cell, Cell::Take | Cell::Accept)
                && matches!(double.cell, Cell::Double | Cell::Turn(_))
                && self.resigned.is_none()
                && !self.recorder.as_ref().is_some_and(offered)
            {
                std::mem::swap(&mut answer.cell, &mut double.cell);
                self.note("a take stands before its double: they change places");
            }
            let mut sides = self.sides(&row);
            if self.mirrored {
                sides.iter_mut().for_each(|side| *side = side.flip());
            }
            let several = row.cells.len() > 1;
            if row.cells.iter().any(|it| matches!(it.cell, Cell::Resign(_))) {
                self.beside = several;
            }
            for (Placed { column, cell, .. }, side) in row.cells.into_iter().zip(sides) {
                // Without a number and by itself a loss has no column.
                let placed =
                    row.number.is_some() || several || column >= self.right.unwrap_or(usize::MAX);
                // At the margin, or where rows have no columns, a win has none either.
                let margin =
                    row.number.is_none() && !several && column + 3 < self.left.unwrap_or(5);
                let margin = margin || (self.right.is_none() && !several && column < RIGHT);
                match cell {
                    Cell::Loses(points) if !placed => self.tell(None, false, points, of_match),
                    Cell::Wins(points) if margin => self.tell(None, true, points, of_match),
                    cell => self.placed(side, cell, of_match),
                }
            }
            if !row.comment.is_empty() {
                self.comment(&row.comment);
            }
        }
    }

    /// Says where numbers of rows show that some are missing, or stand in another order. A half may
    /// have a row of its own, with the number of the other. Once a game will do: some count
    /// otherwise.
    fn counts(&mut self, row: &Row) {
        let results = |it: &Placed| matches!(it.cell, Cell::Wins(_) | Cell::Loses(_));
        let plays = self.stated.is_empty() && !row.cells.iter().all(results);
        let Some(number) = row.number.filter(|_| plays) else { return };
        let Some(last) = self.last_row.replace(number) else { return self.last_row = None };
        let next = number == last.saturating_add(1) || (number == last && row.cells.len() < 2);
        if !next && (last != 0 || number != 0) {
            self.note(format!(
                "the number of the row is {number}, expected {}",
                last.saturating_add(1)
            ));
            self.last_row = None;
        }
    }

    /// `Ann wins 2 points`: who wins, and whether it is told as a win.
    fn named_result(&self, line: &str) -> Option<(Player, bool, u32)> {
        fn lower(name: &str) -> impl Iterator<Item = char> {
            name.chars().flat_map(char::to_lowercase)
        }
        let players = &self.record.as_ref()?.players;
        [Player::One, Player::Two].into_iter().find_map(|player| {
            let name = &players[player.index()];
            let (said, rest) = line.split_at_checked(name.len()).filter(|it| !it.0.is_empty())?;
            let named = rest.len() <= LONGEST_RESULT && lower(said).eq(lower(name));
            let rest = named.then_some(rest)?;
            let rows = rows(rest.strip_prefix(' ')?)?;
            match rows.as_slice() {
                [Row { cells, number: None, .. }] => match cells.as_slice() {
                    [Placed { cell: Cell::Wins(points), .. }] => Some((player, true, *points)),
                    [Placed { cell: Cell::Loses(points), .. }] => {
                        Some((player.flip(), false, *points))
                    }
                    _ => None,
                },
                _ => None,
            }
        })
    }

    /// Whose the cells of a row are.
    fn sides(&self, row: &Row) -> Vec<Player> {
        let to_act = self.recorder.as_ref().and_then(|recorder| recorder.playback().to_act());
        let several = row.cells.iter().filter(|placed| !placed.close).count() > 1
            || row.cells.iter().filter(|it| !matches!(it.cell, Cell::Resign(_))).count() > 1;
        let mut sides: Vec<Player> = Vec::new();
        for placed in &row.cells {
            let side = match (sides.last(), self.right) {
                (None, right)
                    if self.before_two
                        && row.cells.len() == 1
                        && matches!(placed.cell, Cell::Roll(..))
                        && (self.tight
                            || right.is_none()
                            || self.left.is_some_and(|it| placed.column > it)) =>
                {
                    Player::Two
                }
                // Who resigns behind a roll is the one who rolled.
                (Some(&before), _) if placed.close && matches!(placed.cell, Cell::Resign(_)) => {
                    before
                }
                // GNU Backgammon writes the first player's behind a roll that was not played.
                (Some(_), Some(right))
                    if matches!(placed.cell, Cell::Wins(_)) && placed.column < right =>
                {
                    Player::One
                }
                (Some(_), _) => Player::Two,
                (None, Some(right)) if placed.column >= right => Player::Two,
                // A roll far behind the number, in files with other widths of columns.
                (None, _)
                    if matches!(placed.cell, Cell::Roll(..))
                        && self.left.is_some_and(|left| placed.column > left + 4) =>
                {
                    Player::Two
                }
                (None, None) if placed.column >= RIGHT => Player::Two,
                (None, None) if !several => to_act.unwrap_or(Player::One),
                (None, _) => Player::One,
            };
            sides.push(side);
        }
        sides
    }

    /// Does what a cell of this player says, unless the game can't be followed any more.
    pub(super) fn placed(&mut self, side: Player, cell: Cell, of_match: bool) {
        match cell {
            Cell::Wins(points) => self.tell(Some(side), true, points, of_match),
            Cell::Loses(points) => self.tell(Some(side.flip()), false, points, of_match),
            cell => {
                let broken = |recorder: &MatchRecorder| recorder.game().broken.is_some();
                let goes_on = self.set_up.is_some() || matches!(cell, Cell::SetUp(_));
                if goes_on || !self.recorder.as_ref().is_some_and(broken) {
                    self.cell(side, cell);
                }
            }
        }
    }

    /// A line at the end of a game, or of the match.
    fn tell(&mut self, winner: Option<Player>, wins: bool, points: u32, and_the_match: bool) {
        self.stated.push(StatedResult { line: self.line, winner, wins, points, and_the_match });
    }

    /// Does what a cell says, and says so if that is not possible.
    fn cell(&mut self, side: Player, cell: Cell) {
        if let Some((position, cube)) = self.set_up.take() {
            self.set_up_for(side, position, cube);
        }
        let Some(recorder) = &mut self.recorder else { return };
        if recorder.playback().result().is_some() || !self.stated.is_empty() {
            if !matches!(cell, Cell::Resign(_) | Cell::Word(_) | Cell::Accept) {
                self.note("what follows the end of the game is left out");
            }
            return;
        }
        // A resignation that is refused or not answered: the game goes on.
        if let Some((player, kind)) = self.resigned
            && !matches!(cell, Cell::Resign(_) | Cell::Accept | Cell::Word(_))
        {
            self.resigned = None;
            if matches!(cell, Cell::Refuse) {
                let refused = recorder
                    .act(player, Act::Resign(kind.unwrap_or(WinKind::Single)))
                    .and_then(|()| recorder.act(player.flip(), Act::Refuse));
                return refused.unwrap_or_else(|error| self.break_off(error.into()));
            }
        }
        let answers =
            matches!(cell, Cell::Resign(_) | Cell::Accept | Cell::Word(_) | Cell::SetUp(_));
        let dance = matches!(cell, Cell::Drop) && recorder.playback().offer().is_none();
        if dance && (recorder.playback().dice().is_some() || !recorder.game().actions.is_empty()) {
            if recorder.playback().dice().is_none() {
                self.note("a double is refused here that is not in the file");
            }
            return;
        }
        // An answer to what the file does not have.
        let idle = recorder.playback().offer().is_none() && recorder.playback().dice().is_none();
        if idle
            && matches!(cell, Cell::Take | Cell::Accept | Cell::Refuse | Cell::Beaver)
            && self.resigned.is_none()
            && recorder.playback().to_act() == Some(side.flip())
            && recorder.double(side.flip()).is_ok()
        {
            self.note("the double that is answered here is not in the file: it is added");
        }
        let Some(recorder) = &mut self.recorder else { return };
        // An unplayed roll in the middle: the play is forced, or it can't be followed.
        if !answers {
            match unsaid::play_forced(recorder) {
                Ok(Some(text)) => self.note(text),
                Ok(None) => {}
                Err(why) => return self.break_off(why),
            }
        }
        if let Err(why) = self.act(side, cell) {
            self.break_off(why);
        }
    }

    /// Does what a cell says, or says why not.
    fn act(&mut self, side: Player, cell: Cell) -> Result<(), String> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        // Cells come in the order of the game, so that the rules know whose they are. The column
        // says who starts.
        let offer = recorder.playback().offer();
        let player = recorder.playback().to_act().unwrap_or(side);
        let doubling = matches!(cell, Cell::Double | Cell::Turn(_)) && offer.is_none();
        if doubling || matches!(cell, Cell::Roll(..)) {
            // A roll after a double without an answer: it was taken.
            if let Some(text) = unsaid::take_before_roll(recorder) {
                self.note(text);
            }
            self.on_roll(side)?;
        }
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        match cell {
            Cell::Roll(dice, text) => return self.roll(side, dice, &text),
            // No roll was made: who should have made it gave up.
            Cell::NoRoll(text) if text.trim_start_matches('0').starts_with(':') => {
                self.resigned = Some((side, None));
            }
            Cell::NoRoll(text) => {
                return Err(format!("{text:?} is no roll, expected two dice from 1 to 6"));
            }
            Cell::Turn(value) => return self.turn(side, player, value),
            Cell::Double if offer == Some(Offer::Double) => {
                recorder.act(player, Act::Beaver)?;
            }
            Cell::Double => return self.double(player, None),
            Cell::Take | Cell::Drop | Cell::Refuse if offer.is_none() => {
                self.note("nothing is offered that could be taken or refused: it is passed over");
            }
            Cell::Take => recorder.act(player, Act::Take)?,
            Cell::Accept if offer.is_some() => recorder.act(player, Act::Take)?,
            Cell::Refuse | Cell::Drop => recorder.act(player, Act::Drop)?,
            // GNU Backgammon calls every further turn of the cube so.
            Cell::Beaver if offer == Some(Offer::Beaver) => {
                recorder.act(player, Act::Raccoon)?;
            }
            Cell::Beaver => recorder.act(player, Act::Beaver)?,
            Cell::Raccoon => recorder.act(player, Act::Raccoon)?,
            // How much is lost, and by whom, is known when the file says who wins.
            Cell::Resign(kind) => {
                let before = self.resigned.and_then(|(_, kind)| kind);
                self.resigned = Some((side, kind.or(before)));
            }
            Cell::Accept => {}
            // What answers a double in another language follows from what comes next.
            Cell::Word(_) if offer.is_some() => {}
            Cell::Word(text) => {
                let text = format!("{text:?} was not understood and is kept as a comment");
                self.note(text.clone());
                self.comment(text.split('"').nth(1).unwrap_or_default());
            }
            Cell::SetUp(text) => {
                let start = self.record().options.start;
                let read = read_situation(&text, start).map_err(|error| error.to_string())?;
                let situation = read.situation;
                let cube = situation.cube.unwrap_or(Cube::START);
                let (position, cube) = seen_by_first(side, situation.position, cube);
                self.set_up_for(side, position, cube);
            }
            Cell::Wins(_) | Cell::Loses(_) => {}
        }
        Ok(())
    }

    /// Sees to it that this player is on roll. A turn that is missing is no fault where the other
    /// player waits on the bar before a closed board.
    fn on_roll(&mut self, side: Player) -> Result<(), String> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let playback = recorder.playback();
        let Some(to_act) = playback.to_act().filter(|&player| player != side) else {
            return Ok(());
        };
        let position = *playback.position();
        let closed = position.bar() > 0
            && playback.dice().is_none()
            && Dice::ALL.iter().all(|(dice, _)| !moves::can_move(&position, *dice));
        if !closed {
            return Err(format!(
                "player {} acts, where it is the turn of player {}",
                side.index() + 1,
                to_act.index() + 1
            ));
        }
        let cube = playback.cube().flip();
        let act = Act::SetUp(position.flip(), cube);
        recorder.act(side, act)?;
        self.note("a turn before a closed board is left out in the file");
        Ok(())
    }

    /// `=> 4`: whatever the word before it, a double, a beaver, or the taking of that cube.
    fn turn(&mut self, side: Player, player: Player, value: u32) -> Result<(), String> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let playback = recorder.playback();
        let now = playback.cube().value();
        let act = match playback.offer() {
            None => return self.double(side, Some(value)),
            Some(Offer::Double) if value == 2 * now => Act::Take,
            Some(Offer::Double) => Act::Beaver,
            Some(Offer::Beaver) if value == 4 * now => Act::Take,
            Some(Offer::Beaver) => Act::Raccoon,
            Some(_) => Act::Take,
        };
        Ok(recorder.act(player, act)?)
    }

    /// A double to a value, if that is said, which shows where the cube was.
    fn double(&mut self, player: Player, value: Option<u32>) -> Result<(), String> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let playback = recorder.playback();
        let now = playback.cube();
        let stood = value.map(|value| value / 2).filter(|stood| *stood != now.value());
        if stood.is_none() {
            match recorder.double(player) {
                Ok(()) => return Ok(()),
                Err(error) if value.is_none() || recorder.playback().state().is_none() => {
                    return Err(error.to_string());
                }
                Err(_) => {}
            }
        }
        let stood = stood.unwrap_or(now.value());
        let owner = if stood > 1 { CubeOwner::Player } else { CubeOwner::Center };
        let cube = Cube::from_value(stood, owner).map_err(|error| error.to_string())?;
        let position = *recorder.playback().position();
        recorder.act(player, Act::SetUp(position, cube))?;
        recorder.double(player)?;
        let text = format!(
            "the cube is turned to {}, where it stood at {}: it is set up so",
            2 * stood,
            now.value()
        );
        self.note(text);
        Ok(())
    }

    fn roll(&mut self, player: Player, dice: Dice, text: &str) -> Result<(), String> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        recorder.act(player, Act::Roll(dice, None))?;
        if text.to_ascii_lowercase().starts_with("illegal play") {
            return self.illegal_play(player, &text["illegal play".len()..]);
        }
        let can_move = moves::can_move(recorder.playback().position(), dice);
        let (steps, spoken) = play(text);
        if steps.is_empty() {
            // Behind a roll that can't be played one or two are an opinion of it.
            let unknown = spoken.starts_with('?') || text.starts_with('?');
            if unknown && (can_move || text.contains("???")) {
                return Ok(());
            }
            if can_move && spoken.contains(|c: char| c.is_ascii_digit()) {
                self.note(format!("{text:?} is no play, expected moves such as 8/5 6/5"));
            }
            let Some(recorder) = &mut self.recorder else { return Ok(()) };
            if !can_move {
                recorder.play(Play::PASS)?;
            }
            if !is_dance(&spoken) {
                self.comment(&spoken);
            } else if can_move && !text.is_empty() {
                return self.stands(player, dice, text, "");
            }
            return Ok(());
        }
        // A hit that is none is no reason to doubt the play.
        let playback = recorder.playback();
        let read =
            playback.parse_play(&steps).or_else(|_| playback.parse_play(&steps.replace('*', "")));
        match read {
            Ok((play, _)) => recorder.play(play)?,
            Err(_) => return self.stands(player, dice, text, &steps),
        }
        if !spoken.is_empty() {
            self.comment(&spoken);
        }
        Ok(())
    }

    /// A play against the rules that stood, as the opponent rolled: the checkers are moved as it is
    /// written, where that can be done.
    fn stands(
        &mut self,
        player: Player,
        dice: Dice,
        text: &str,
        steps: &str,
    ) -> Result<(), String> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let why = recorder
            .playback()
            .parse_play(steps)
            .err()
            .map_or(String::new(), |error| error.reason());
        self.illegal += 1;
        unsaid::play_as_written(recorder, player, dice, steps).ok_or(why)?;
        self.note(format!(
            "{text:?} is no legal play of {dice}: the checkers are moved as it says"
        ));
        Ok(())
    }

    /// `(15;0;1;0;0;Bob;Ann;...)`: the position after a play that the rules forbid.
    fn illegal_play(&mut self, player: Player, text: &str) -> Result<(), String> {
        self.illegal += 1;
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
        let fields: Vec<&str> =
            inner.trim().trim_end_matches(';').split(';').map(str::trim).collect();
        let (steps, _) = play(inner);
        if fields.len() < 38 {
            return match recorder.playback().dice() {
                Some(dice) if !steps.is_empty() => self.stands(player, dice, inner, &steps),
                _ => Err(format!(
                    "{:?}, expected the position behind it",
                    format!("Illegal play{text}")
                )),
            };
        }
        let counts: Option<Vec<i8>> = fields[12..38].iter().map(|it| it.parse().ok()).collect();
        let counts = counts.and_then(|counts| <[i8; 26]>::try_from(counts).ok());
        let counts = counts.ok_or_else(|| format!("{inner:?} holds no position"))?;
        let start = self.record().options.start;
        let position =
            Position::from_counts(&counts, start.checkers()).map_err(|error| error.to_string())?;
        // The first name is that of the player who sees the position so, on roll.
        let names = self.record().players.clone();
        let seen_by = match (fields[5] == names[0], fields[5] == names[1]) {
            (true, false) => Player::One,
            (false, true) => Player::Two,
            _ => player.flip(),
        };
        let value = fields[10].parse().unwrap_or(1);
        let Some(recorder) = &self.recorder else { return Ok(()) };
        let now = recorder.playback().cube_seen_by(seen_by);
        let owner = match fields[11] {
            "1" => CubeOwner::Player,
            "-1" => CubeOwner::Opponent,
            _ => CubeOwner::Center,
        };
        let cube = Cube::from_value(value, owner).ok().filter(|cube| cube.value() != now.value());
        let cube = cube.unwrap_or(now);
        self.note(format!(
            "the play of player {} is not in the file: the position behind it is set up",
            player.index() + 1
        ));
        self.set_up = Some(seen_by_first(seen_by, position, cube));
        Ok(())
    }

    /// A position that the player is on roll in, as the first player sees it.
    fn set_up_for(&mut self, player: Player, position: Position, cube: Cube) {
        let Some(recorder) = &mut self.recorder else { return };
        recorder.game_mut().broken = None;
        let (position, cube) = seen_by_first(player, position, cube);
        if let Err(error) = recorder.act(player, Act::SetUp(position, cube)) {
            self.break_off(error.to_string());
        }
    }

    /// Sets up a position that no action follows.
    pub(super) fn set_up_last(&mut self) {
        let Some((position, cube)) = self.set_up.take() else { return };
        let Some(recorder) = &self.recorder else { return };
        let last = recorder.game().actions.last().map_or(Player::Two, |action| action.player);
        let by_file = self.to_roll.take().unwrap_or(last.flip());
        self.set_up_for(by_file, position, cube);
    }

    /// `; Set Pos=-b----E-C---eE---c-e----B-/0` of eXtreme Gammon: the board of the first player,
    /// then the exponent of the cube, with a minus that of the first player. Who is on roll is known
    /// when a player acts.
    pub(super) fn set_up_next(&mut self, text: &str) {
        self.set_up_last();
        let Some(recorder) = &mut self.recorder else { return };
        let (board, rest) = text.split_once('/').unwrap_or((text, "0"));
        let mut words = rest.split_whitespace();
        let exponent = words.next().and_then(|word| word.parse::<i8>().ok());
        let rest: Vec<&str> = words.collect();
        let behind = |name: &str| {
            let at = rest.iter().position(|word| *word == name)?;
            rest.get(at + 1)?.parse::<u32>().ok()
        };
        let playback = recorder.playback();
        let begun = playback.state().is_some();
        let now = playback.cube_seen_by(Player::One);
        let stated = match (exponent, behind("centered")) {
            (_, Some(value)) => Cube::from_value(value, CubeOwner::Center).ok(),
            (Some(0), _) => Some(Cube::START),
            (Some(exponent), _) => {
                let owner = if exponent < 0 { CubeOwner::Player } else { CubeOwner::Opponent };
                Cube::new(exponent.unsigned_abs(), owner).ok()
            }
            (None, _) => None,
        };
        self.to_roll = match behind("roll") {
            Some(1) => Some(Player::One),
            Some(2) => Some(Player::Two),
            _ => None,
        };
        let start = self.record().options.start;
        match read_situation(&format!("XGID={board}:0:0:1:00:0:0:0:0:10"), start) {
            Ok(Reading { situation, .. }) => {
                // In a running game the rules know the cube, but for its owner.
                let same = stated.is_none_or(|stated| begun && stated.value() == now.value());
                let cube = if same { now } else { stated.unwrap_or(now) };
                if begun && cube != now {
                    self.note(format!(
                        "the position has the cube at {}, where it stood at {}",
                        cube.value(),
                        now.value()
                    ));
                }
                self.set_up = Some((situation.position, cube));
            }
            Err(error) => self.break_off(error.to_string()),
        }
    }

    pub(super) fn break_off(&mut self, why: String) {
        self.note(format!("{why}; the game is kept up to here"));
        let note = self.notes.last().expect("one was just added").to_string();
        if let Some(recorder) = &mut self.recorder {
            recorder.break_off(note);
        }
    }
}

/// A position and cube that this player sees as the first player sees them, and back again.
pub(super) fn seen_by_first(player: Player, position: Position, cube: Cube) -> (Position, Cube) {
    match player {
        Player::One => (position, cube),
        Player::Two => (position.flip(), cube.flip()),
    }
}
