//! A game of SGF, node by node.

use tavola_rules::moves::can_move;
use tavola_rules::{Backgammon, Cube, CubeOwner, Dice, Offer, Player, WinKind};

use super::points::{self, Checkers};
use super::tree::Node;
use crate::playback::MatchRecorder;
use crate::reading::{Notes, beginning};
use crate::record::{Act, Property};
use crate::unsaid;

/// Something that sets up a position, collected until an action follows.
#[derive(Default)]
struct SetUp {
    checkers: Option<Checkers>,
    cube: Option<u32>,
    /// `Some(None)` is the middle.
    owner: Option<Option<Player>>,
    player: Option<Player>,
}

/// A game that is being read.
pub(super) struct Game<'a> {
    pub(super) recorder: MatchRecorder,
    notes: &'a mut Notes,
    start: Backgammon,
    set_up: SetUp,
    /// Comments and properties that wait for the set-up to become an action.
    waiting: (String, Vec<Property>),
    /// Whether it was told that something follows the end.
    overrun: bool,
    /// The points that the file gives the winner.
    pub(super) stated_points: Option<u32>,
}

/// Root properties that have a place of their own in a record, or that every writer adds.
const TOLD: [&str; 17] = [
    "FF", "GM", "CA", "AP", "MI", "PW", "PB", "EV", "RO", "PC", "DT", "AN", "GC", "RU", "RE", "XT",
    "XB",
];

/// Properties of a node that are actions, positions or comments.
const ACTS: [&str; 12] = ["W", "B", "C", "RS", "AE", "AW", "AB", "CV", "CP", "CO", "PL", "DI"];

/// Whether a property says what a record has a place for, so that none of a game (else of an action)
/// can be kept under this name.
pub(crate) fn is_reserved(name: &str, of_game: bool) -> bool {
    match of_game {
        // At the root CP is the copyright.
        true => name != "CP" && (TOLD.contains(&name) || ACTS.contains(&name)),
        false => ACTS.contains(&name),
    }
}

impl<'a> Game<'a> {
    /// A game before its first node.
    pub(super) fn new(recorder: MatchRecorder, start: Backgammon, notes: &'a mut Notes) -> Self {
        Self {
            recorder,
            notes,
            start,
            set_up: SetUp::default(),
            waiting: (String::new(), Vec::new()),
            overrun: false,
            stated_points: None,
        }
    }

    pub(super) fn note(&mut self, line: usize, text: impl Into<String>) {
        self.notes.push(line, text);
    }

    fn break_off(&mut self, line: usize, why: &str) {
        self.note(line, format!("{why}; the game is kept up to here"));
        let note = self.notes.last().expect("one was just added").to_string();
        self.recorder.break_off(note);
    }

    fn is_broken(&self) -> bool {
        self.recorder.game().broken.is_some()
    }

    /// Does what a node says.
    pub(super) fn node(&mut self, node: Node, is_root: bool) {
        let has_board = node.properties.iter().any(|property| property.name == "AE");
        if has_board && self.set_up.checkers.is_some() {
            // Another board follows at once.
            self.flush(node.line, None);
        }
        let before = self.recorder.game().actions.len();
        let mut rest = Vec::new();
        let mut comment = String::new();
        let mut acted = false;
        let mut sets = false;
        for property in node.properties {
            let value = property.values.first().map_or("", String::as_str);
            match property.name.as_str() {
                name if is_root && TOLD.contains(&name) => {}
                color @ ("W" | "B") => {
                    acted = true;
                    let player = if color == "W" { Player::One } else { Player::Two };
                    self.act(node.line, player, value);
                }
                "RS" => {
                    acted = true;
                    self.resignation(node.line, value);
                }
                "C" => property.values.iter().for_each(|text| add_line(&mut comment, text)),
                // At the root CP is the copyright, and CV the cube at the beginning.
                "CP" if is_root => rest.push(property),
                "AE" | "AW" | "AB" | "CV" | "CP" | "CO" | "PL" => {
                    sets = true;
                    self.collect(node.line, &property);
                }
                "DI" => {
                    acted = true;
                    self.dice(node.line, value);
                }
                _ => rest.push(property),
            }
        }
        let added = self.recorder.game().actions.len() > before;
        if !is_root && !added && (self.overrun && acted || self.is_broken() && !sets) {
            return;
        }
        let game = self.recorder.game_mut();
        match game.actions.last_mut() {
            _ if is_root => {
                add_line(&mut game.comment, &comment);
                game.properties.extend(rest);
            }
            _ if sets && !acted => {
                add_line(&mut self.waiting.0, &comment);
                self.waiting.1.extend(rest);
            }
            Some(action) => {
                add_line(&mut action.comment, &comment);
                action.properties.extend(rest);
            }
            None => {
                add_line(&mut game.comment, &comment);
                let (told, rest): (Vec<_>, Vec<_>) =
                    rest.into_iter().partition(|property| is_reserved(&property.name, true));
                game.properties.extend(rest);
                if let Some(first) = told.first() {
                    let text = format!("{} belongs to the root and is left out", first.name);
                    self.note(node.line, text);
                }
            }
        }
    }

    /// What stands in `W[..]` or `B[..]`.
    fn act(&mut self, line: usize, player: Player, value: &str) {
        self.flush(line, Some(player));
        if self.is_broken() {
            return;
        }
        let value = value.trim();
        if self.recorder.playback().result().is_some() {
            if !self.overrun {
                self.note(line, "what follows the end of the game is left out");
                self.overrun = true;
            }
            return;
        }
        let done = if value.starts_with(|c: char| c.is_ascii_digit()) {
            self.roll(line, player, value)
        } else {
            self.word(line, player, &value.to_ascii_lowercase())
        };
        if let Err(why) = done {
            self.break_off(line, &why);
        }
    }

    fn word(&mut self, line: usize, player: Player, word: &str) -> Result<(), String> {
        // A roll that was not played stays so before a resignation.
        if !word.starts_with("resign")
            && let Some(text) = unsaid::play_forced(&mut self.recorder)?
        {
            self.note(line, text);
        }
        let offer = self.recorder.playback().offer();
        let act = match word {
            // Who doubles after a double beavers.
            "double" | "redouble" | "beaver" | "raccoon" => match offer {
                None => Act::Double,
                Some(Offer::Double) => Act::Beaver,
                Some(_) => Act::Raccoon,
            },
            "accept" | "reject" | "refuse" | "decline" if self.resignation_waits() => {
                if word == "accept" { Act::Accept } else { Act::Refuse }
            }
            "take" | "accept" => Act::Take,
            "drop" | "pass" | "reject" | "refuse" | "decline" => Act::Drop,
            // A resignation of Gibbon.
            _ if word.starts_with("resign") => {
                Act::Resign(self.resigned(word.split_once(':').map_or("", |it| it.1.trim())))
            }
            _ => {
                let word = beginning(word);
                return Err(format!(
                    "{word:?} is no action, expected such as 31hefe, double, take or drop"
                ));
            }
        };
        match act {
            Act::Double => self.recorder.double(player)?,
            act => self.recorder.act(player, act)?,
        }
        Ok(())
    }

    fn resignation_waits(&self) -> bool {
        let state = self.recorder.playback().state();
        state.is_some_and(|state| state.resignation().is_some())
    }

    /// What is resigned by this many points or by this name. Points may be those of the game, cube
    /// included, or count the cube as one: the result of the file tells.
    fn resigned(&self, said: &str) -> WinKind {
        let cube = self.recorder.playback().cube().value();
        let kind = |points: u32| WinKind::ALL.into_iter().find(|kind| kind.multiplier() == points);
        let of_cube = |points: u32| points.is_multiple_of(cube).then(|| kind(points / cube))?;
        let points = match said {
            "gammon" => return WinKind::Gammon,
            "backgammon" => return WinKind::Backgammon,
            points => points.parse().unwrap_or(1),
        };
        let told = self.stated_points.filter(|told| *told == points || *told == points * cube);
        told.and_then(of_cube).or(of_cube(points)).or(kind(points)).unwrap_or(WinKind::Single)
    }

    /// `31hefe`: a roll, and two letters for each step.
    fn roll(&mut self, line: usize, player: Player, value: &str) -> Result<(), String> {
        let unreadable =
            || format!("{:?} is no play, expected two dice and letters: 31hefe", beginning(value));
        let split = value.char_indices().nth(2).map_or(value.len(), |(at, _)| at);
        let (dice, letters) = value.split_at(split);
        let dice: Dice = dice.parse().map_err(|_| unreadable())?;
        let text = points::text(player, letters).ok_or_else(unreadable)?;
        self.begin_roll(line, player, dice)?;
        let playback = self.recorder.playback();
        if text.is_empty() && can_move(playback.position(), dice) {
            // The roll was not played.
            return Ok(());
        }
        match playback.parse_play(&text) {
            Ok((play, _)) => Ok(self.recorder.play(play)?),
            Err(error) => {
                let why = error.reason();
                unsaid::play_as_written(&mut self.recorder, player, dice, text.trim())
                    .ok_or_else(|| why.clone())?;
                self.note(line, format!("{why}: the checkers are moved as it says"));
                Ok(())
            }
        }
    }

    /// Puts dice on the table that are not there yet.
    fn begin_roll(&mut self, line: usize, player: Player, dice: Dice) -> Result<(), String> {
        let playback = self.recorder.playback();
        match playback.dice() {
            Some(there) if there == dice && playback.on_roll() == Some(player) => return Ok(()),
            Some(there) if playback.on_roll() == Some(player) => {
                // The dice were changed by hand.
                let situation = playback.situation();
                self.note(line, format!("{there} is replaced by {dice}"));
                let cube = situation.cube.unwrap_or(Cube::START);
                let act = Act::SetUp(situation.position, cube);
                self.recorder.act(player, act)?;
            }
            Some(_) => {
                if let Some(text) = unsaid::play_forced(&mut self.recorder)? {
                    self.note(line, text);
                }
            }
            None => {}
        }
        if let Some(text) = unsaid::take_before_roll(&mut self.recorder) {
            self.note(line, text);
        }
        Ok(self.recorder.act(player, Act::Roll(dice, None))?)
    }

    /// `DI[31]`: dice that are on the table.
    fn dice(&mut self, line: usize, value: &str) {
        // A player on roll who is named beside the dice is no position of its own.
        let player = self.set_up.player.or(self.recorder.playback().on_roll());
        self.flush(line, player);
        if self.is_broken() {
            return;
        }
        let player = player.unwrap_or(Player::One);
        let done = match value.trim().parse() {
            Ok(dice) => self.begin_roll(line, player, dice),
            // `DI[00]`: not rolled.
            Err(_) if value.trim().chars().all(|c| c == '0') => Ok(()),
            Err(_) => Err(format!("DI[{}] is no roll, expected such as 31", beginning(value))),
        };
        if let Err(why) = done {
            self.break_off(line, &why);
        }
    }

    /// `RS[W:gammon]`, our own: resignations that are refused, or that say more than the result.
    fn resignation(&mut self, line: usize, value: &str) {
        self.flush(line, None);
        if self.is_broken() {
            return;
        }
        let read = value.split_once(':').and_then(|(player, what)| {
            let act = match what {
                "accept" => Act::Accept,
                "refuse" => Act::Refuse,
                name => Act::Resign(WinKind::ALL.into_iter().find(|kind| kind.name() == name)?),
            };
            Some((points::player(player)?, act))
        });
        let done = match read {
            Some((player, act)) => self.recorder.act(player, act).map_err(String::from),
            None => Err(format!("RS[{}] is no resignation such as W:gammon", beginning(value))),
        };
        if let Err(why) = done {
            self.break_off(line, &why);
        }
    }

    /// Takes note of checkers, cube and player on roll.
    fn collect(&mut self, line: usize, property: &Property) {
        let on_board = self.set_up.checkers.unwrap_or_else(|| {
            let playback = self.recorder.playback();
            points::checkers(playback.position(), playback.on_roll().unwrap_or(Player::One))
        });
        let value = property.values.first().map_or("", |value| value.trim());
        match property.name.as_str() {
            "PL" => self.set_up.player = points::player(value),
            "CV" => match value.parse() {
                Ok(value) => self.set_up.cube = Some(value),
                Err(_) => self.note(line, format!("CV[{}] is no cube", beginning(value))),
            },
            "CP" | "CO" => self.set_up.owner = Some(points::player(value)),
            name => {
                let players = match name {
                    "AE" => &[Player::One, Player::Two][..],
                    "AW" => &[Player::One],
                    _ => &[Player::Two],
                };
                let mut checkers = on_board;
                for letter in span(&property.values) {
                    for &player in players {
                        if let Some(at) = points::point(player, letter) {
                            let count = &mut checkers[player.index()][usize::from(at)];
                            *count = if name == "AE" { 0 } else { count.saturating_add(1) };
                        }
                    }
                }
                self.set_up.checkers = Some(checkers);
            }
        }
    }

    /// Makes an action of what was set up. `player` acts next, if that is known.
    pub(super) fn flush(&mut self, line: usize, player: Option<Player>) {
        let set_up = std::mem::take(&mut self.set_up);
        let playback = self.recorder.playback();
        let situation = playback.situation();
        let seen_by = playback.on_roll().unwrap_or(Player::One);
        // An answer to a double comes from the other player, who is not on roll.
        let acts = player.filter(|_| playback.offer().is_none());
        // GNU Backgammon names the player on roll of a position that match text sets up at random.
        let player = acts.or(set_up.player).unwrap_or(seen_by);
        let begun = playback.state().is_some();
        let other_turn = set_up.player.is_some() && begun && player != seen_by;
        if set_up.checkers.is_none()
            && set_up.cube.is_none()
            && set_up.owner.is_none()
            && !other_turn
        {
            self.take_waiting();
            return;
        }
        let before = playback.cube_seen_by(player);
        let owner = match set_up.owner {
            Some(owner) => CubeOwner::of_seat(owner, player),
            None => before.owner(),
        };
        let value = set_up.cube.unwrap_or(before.value());
        let owner = if value <= 1 { CubeOwner::Center } else { owner };
        let on_board = points::checkers(&situation.position, seen_by);
        let checkers = set_up.checkers.unwrap_or(on_board);
        let position = points::position(&checkers, player, self.start.checkers());
        let position = position.map_err(|error| error.to_string());
        let cube = Cube::from_value(value, owner).map_err(|error| error.to_string());
        let act = position.and_then(|position| Ok(Act::SetUp(position, cube?)));
        match act.and_then(|act| Ok(self.recorder.act(player, act)?)) {
            Ok(()) => {
                self.recorder.game_mut().broken = None;
                self.take_waiting();
            }
            Err(why) => self.break_off(line, &why),
        }
    }

    fn take_waiting(&mut self) {
        let (comment, mut properties) = std::mem::take(&mut self.waiting);
        let game = self.recorder.game_mut();
        let in_game = game.actions.is_empty();
        let (into, list) = match game.actions.last_mut() {
            Some(action) => (&mut action.comment, &mut action.properties),
            None => (&mut game.comment, &mut game.properties),
        };
        if in_game {
            // What belongs to the root has no place here.
            properties.retain(|property| !is_reserved(&property.name, true));
        }
        add_line(into, &comment);
        list.extend(properties);
    }
}

/// The letters of values such as `f` and `a:y`, the latter a range.
fn span(values: &[String]) -> Vec<char> {
    let mut letters = Vec::new();
    for value in values.iter().take(1000) {
        let mut ends = value.split(':').filter_map(|end| end.trim().chars().next());
        match (ends.next(), ends.next()) {
            (Some(from), Some(to)) => letters.extend((from..=to).take(26)),
            (Some(letter), None) => letters.push(letter),
            _ => {}
        }
    }
    letters
}

/// Adds a line to a text.
fn add_line(text: &mut String, line: &str) {
    if !line.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
}
