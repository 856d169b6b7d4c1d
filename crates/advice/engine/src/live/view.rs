//! A running game as JSON, for interfaces that are not written in Rust: a
//! [`NewGame`](super::NewGame) begins one, a [`SeatAction`] is a turn of the user, and a
//! [`GameView`] is all that a page needs to draw any game. What was done is listed as
//! [`LoggedTurn`], to be shown one by one.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use tavola_rules::board::{Board, Charset, Color};
use tavola_rules::{Cube, CubeUse, Offer, PlayGraph, WinKind};

use super::{
    Awaited, ChouetteTable, ChouetteView, DiceSource, Done, GameEnd, Live, Opponents, SeatAction,
    Strength, in_words,
};

/// What was done in a game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TurnEvent")]
pub struct LoggedTurn {
    /// The seat, from 1.
    pub seat: usize,
    /// What, as an action is named: `roll`, `play`, `double`, ...
    pub act: &'static str,
    /// What was rolled, or the roll that was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dice: Option<Vec<u8>>,
    /// The play in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<String>,
    /// What was done in words, as a log has it, after the name of the seat.
    pub words: String,
    /// What special rules had to say, such as `+4: hit by 6 on 9`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The board after it, where it was just done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<GameBoard>,
}

/// What stands on a board, as the user sees it, whose checkers are positive.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GameBoard {
    /// Backgammon: 26 integers, the opponent's bar, the points from 1 to 24, the user's bar.
    Backgammon {
        /// The checkers.
        #[schemars(length(equal = 26))]
        points: Vec<i8>,
        /// Checkers borne off by the user and by the engine.
        off: [u8; 2],
    },
    /// Twenty-four points in the numbering of the user.
    Points {
        /// Of each point: the checkers, and how many of them are marked.
        points: Vec<[i8; 2]>,
        /// Checkers on the bar, of the user and of the engine.
        bar: [u8; 2],
        /// Checkers that have not entered yet.
        hand: [u8; 2],
        /// Checkers borne off.
        off: [u8; 2],
    },
    /// Three rows of twelve cells: the track is the upper and the lower one, from left to right
    /// above and back below.
    Scripta {
        /// The checkers on the cells 7 to 30.
        track: Vec<i8>,
        /// Checkers on the entry cells 1 to 6, of the user and of the engine.
        entry: [[u8; 6]; 2],
        /// Checkers on the bar.
        bar: [u8; 2],
        /// Checkers that have not entered yet.
        hand: [u8; 2],
        /// Checkers borne off.
        off: [u8; 2],
    },
    /// A ring of cells for more than two players.
    Round {
        /// The players in the order of their seats.
        players: Vec<PlayerView>,
        /// Of each cell the seat whose checkers stand there, from 1, and how many.
        cells: Vec<(usize, u8)>,
        /// What the user calls each cell; null where the user's checkers never stand.
        numbers: Vec<Option<usize>>,
        /// The dice of another that the seat may use.
        offered: Option<Vec<u8>>,
    },
}

/// A player at a round board.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlayerView {
    /// The season or planet.
    pub name: String,
    /// The color of the checkers, as CSS writes it.
    pub color: String,
    /// What is counted beside the board, by its name: `hand`, `bar` and `off`, or `left`,
    /// `captured` and `closed` (1 while the start cell does not count for others).
    pub beside: Vec<(String, u8)>,
}

/// What a game waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Waiting {
    /// The opening roll of real dice.
    Opening {
        /// How many.
        dice: usize,
        /// How many faces each has.
        faces: u8,
    },
    /// The user rolls, or doubles where that is allowed.
    Roll,
    /// The user decides on a cube of a chouette.
    Cube {
        /// `turn`: `double` or `leave`, and the box may `roll` at once; `give_extra`: `extra` or
        /// `leave`; `take_extra`: `take` or `leave`.
        about: &'static str,
        /// The member whose cube may be turned, who has taken, or who gives: the seat, from 1.
        with: usize,
    },
    /// A roll of real dice is to be entered.
    Dice {
        /// Whose: the seat, from 1.
        seat: usize,
        /// How many dice.
        dice: usize,
        /// How many faces each has.
        faces: u8,
    },
    /// The user plays the roll, or decides on offered dice.
    Play {
        /// The numbers, the highest first.
        dice: Vec<u8>,
        /// Whether another offers them.
        offered: bool,
        /// Every distinct play in words, its moves with spaces between.
        plays: Vec<String>,
        /// In backgammon all ways of making the plays: nodes with the steps that lead to others, the
        /// first one before the play. A node with a `play` is whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Vec<serde_json::Value>>")]
        graph: Option<PlayGraph>,
    },
    /// The user answers an offered cube.
    Answer {
        /// What is offered: `double`, `beaver` or `raccoon`.
        offer: Offer,
    },
    /// The user answers a resignation of the engine.
    Resignation {
        /// For how much.
        size: WinKind,
    },
    /// The engine has to act: only where it was interrupted.
    Engine,
    /// The next game.
    GameOver(GameEnd),
    /// Nothing: the points that were agreed are won.
    MatchOver(GameEnd),
}

/// The cube of a game, as the user sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "CubeView")]
pub struct ShownCube {
    /// Value and owner: while it is offered, before it is turned.
    #[serde(flatten)]
    pub cube: Cube,
    /// Whether it can be turned in this game at all.
    pub in_play: bool,
    /// Whether it is the Crawford game.
    pub crawford: bool,
    /// Whether gammons count single until it is turned.
    pub jacoby: bool,
    /// Whether the user may double now.
    pub may_double: bool,
    /// Whether the user may beaver now.
    pub may_beaver: bool,
    /// Whether the user may raccoon now.
    pub may_raccoon: bool,
}

/// All of a game that a page shows, seen by the user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GameView {
    /// The game with its options.
    pub game: String,
    /// Its rules in a few sentences.
    pub rules: String,
    /// What the seats are called, in turn order.
    pub names: Vec<String>,
    /// The seat of the user, from 1.
    pub seat: usize,
    /// The points that win, 0 for no end.
    pub length: u16,
    /// The points of each seat, those of a game that is over included.
    pub score: Vec<f64>,
    /// The number of the game, from 1.
    pub game_number: usize,
    /// How well the engine plays.
    pub strength: Strength,
    /// The players of the other seats in a game for more than two.
    pub opponents: Option<Opponents>,
    /// Who rolls.
    pub dice: DiceSource,
    /// The seed of the dice.
    pub seed: u64,
    /// What is waited for.
    pub waiting: Waiting,
    /// The seat on roll, from 1; null before the opening roll.
    #[serde(serialize_with = "from_one")]
    #[schemars(with = "Option<u8>")]
    pub on_roll: Option<usize>,
    /// The checkers.
    pub board: GameBoard,
    /// What is counted, in words, of the user and of the engine, in games for two.
    pub notes: Vec<String>,
    /// The cube, in games that have one.
    pub cube: Option<ShownCube>,
    /// The situation of the seat on roll: an XGID in backgammon, else the notation of the game; null
    /// before the opening roll.
    pub position: Option<String>,
    /// The board in letters.
    pub text: String,
    /// What was done in the game.
    pub log: Vec<LoggedTurn>,
    /// Whether there is something to take back.
    pub may_take_back: bool,
    /// Whether the user may offer to lose the game.
    pub may_resign: bool,
    /// Whether the user may claim the play before, which was against the rules.
    pub may_claim: bool,
    /// Whether plays against the rules may be made.
    pub condone: bool,
    /// The seats of all people at the board, from 1.
    pub people: Vec<usize>,
    /// The order, cubes and score sheet of a chouette.
    pub chouette: Option<ChouetteView>,
}

/// A seat as JSON counts it.
pub(super) fn from_one<S: Serializer>(
    seat: &Option<usize>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    seat.map(|seat| seat + 1).serialize(serializer)
}

impl Live {
    /// Whether something that was done has a line of its own: a roll that stands in the line of its
    /// play has none.
    pub(super) fn is_shown(&self, done: &Done) -> bool {
        match &done.action {
            SeatAction::Roll { .. } => self.cubed().is_some() || self.is_for_start(done),
            _ => true,
        }
    }

    /// Whether its dice are those that find who begins in a game without a cube, one for each
    /// player: the first real ones of a game, or as many as there are more than two players.
    fn is_for_start(&self, done: &Done) -> bool {
        let SeatAction::Roll { dice: Some(dice) } = &done.action else { return false };
        let is_first =
            || self.games().any(|game| game.first().is_some_and(|it| std::ptr::eq(it, done)));
        self.cubed().is_none()
            && dice.len() == self.setup.names.len()
            && (self.setup.is_many() || (self.setup.dice == DiceSource::Typed && is_first()))
    }

    pub(super) fn happened(&self, done: &Done) -> LoggedTurn {
        let (dice, play) = match &done.action {
            SeatAction::Roll { dice } => (dice.clone(), None),
            SeatAction::Play { play } => (done.roll.clone(), Some(play.clone())),
            _ => (None, None),
        };
        let words = match &done.action {
            SeatAction::Play { play } if self.cubed().is_none() => {
                let only = if done.forced && play.contains('-') { " (the only play)" } else { "" };
                let roll = done.roll.clone().map_or_else(String::new, |roll| in_words(roll) + ", ");
                format!("{roll}{play}{only}")
            }
            SeatAction::Roll { dice } if self.is_for_start(done) => {
                let dice = in_words(dice.clone().unwrap_or_default());
                format!("begins by the dice, {dice} in turn order")
            }
            action => match done.about.map(|seat| self.name(seat)) {
                Some(name) => format!("{} ({name})", action.description()),
                None => action.description(),
            },
        };
        let (seat, act) = (done.seat + 1, done.action.name());
        LoggedTurn { seat, act, dice, play, words, reasons: done.reasons.clone(), board: None }
    }

    /// What was done in the game; rolls that stand in the line of their play are not listed.
    pub fn log(&self) -> Vec<LoggedTurn> {
        self.done
            .iter()
            .filter(|done| self.is_shown(done))
            .map(|done| self.happened(done))
            .collect()
    }

    /// The log from an entry on, counted from 0, with the boards that the user has seen.
    pub fn log_since(&self, entry: usize) -> Vec<LoggedTurn> {
        let (user, mut table) = (self.user(), self.begun.clone());
        let mut log = Vec::new();
        for done in &self.done {
            if table.act(done.seat, &done.action).is_err() {
                break;
            }
            if self.is_shown(done) {
                log.push(LoggedTurn { board: Some(table.board(user)), ..self.happened(done) });
            }
        }
        log.split_off(entry.min(log.len()))
    }

    /// Something that was done, as a line with the name of the seat.
    pub fn in_words(&self, happened: &LoggedTurn) -> String {
        let said = [&happened.words].into_iter().chain(&happened.reasons);
        let said: Vec<&str> = said.map(String::as_str).collect();
        format!("{}: {}", self.name(happened.seat - 1), said.join("; "))
    }

    /// The board in letters.
    pub fn text(&self, charset: Charset, color: Color) -> String {
        let text = self.drawing().text(charset, color);
        match self.awaited() {
            // Neither side is on roll yet.
            Awaited::Opening => text.replace(", on roll", ""),
            _ => text,
        }
    }

    fn waiting(&self) -> Waiting {
        let user = self.user();
        match self.awaited() {
            Awaited::Opening => {
                Waiting::Opening { dice: self.setup.names.len(), faces: self.table.thrown().1 }
            }
            Awaited::Dice(seat) => {
                let (dice, faces) = self.table.thrown();
                Waiting::Dice { seat: seat + 1, dice, faces }
            }
            Awaited::GameOver(end) => Waiting::GameOver(end),
            Awaited::MatchOver(end) => Waiting::MatchOver(end),
            _ if self.to_act() != Some(user) => Waiting::Engine,
            Awaited::Roll(_) => Waiting::Roll,
            Awaited::Cube(_, choice) => {
                Waiting::Cube { about: choice.name(), with: choice.other() + 1 }
            }
            Awaited::Answer(_, offer) => Waiting::Answer { offer },
            Awaited::Resignation(_, size) => Waiting::Resignation { size },
            Awaited::Play(_) => {
                let offered = match self.table.board(user) {
                    GameBoard::Round { offered, .. } => offered,
                    _ => None,
                };
                Waiting::Play {
                    offered: offered.is_some(),
                    dice: self.roll().or(offered).unwrap_or_default(),
                    plays: self.plays(),
                    graph: self.cubed().and_then(|table| table.graph()),
                }
            }
        }
    }

    /// All of the game that a page shows.
    pub fn view(&self) -> GameView {
        let (setup, user) = (self.setup(), self.user());
        let drawing = self.drawing();
        let notes = match &drawing {
            Board::Points(view) => view.notes.to_vec(),
            Board::Scripta(view) => view.notes.to_vec(),
            Board::Round(_) => Vec::new(),
        };
        let side = self.chouette().map_or(user, |it| it.side(user));
        let cube = self.cubed().map(|table| ShownCube {
            cube: table.seen_by(side).cube.unwrap_or(Cube::START),
            in_play: table.cube_use().is_none_or(|used| used == CubeUse::InPlay),
            crawford: table.is_crawford(),
            jacoby: table.options().jacoby,
            may_double: self.may_double(),
            may_beaver: self.may_turn_back(Offer::Double),
            may_raccoon: self.may_turn_back(Offer::Beaver),
        });
        let position = self.on_roll().map(|_| self.table.position()).filter(|it| !it.is_empty());
        GameView {
            game: setup.game.clone(),
            rules: self.table.brief().to_owned(),
            names: setup.names.clone(),
            seat: user + 1,
            length: setup.length,
            score: self.score(),
            game_number: self.game_number(),
            strength: setup.strength,
            opponents: setup.opponents,
            dice: setup.dice,
            seed: setup.seed,
            waiting: self.waiting(),
            on_roll: self.on_roll(),
            board: self.table.board(user),
            notes,
            cube,
            position,
            text: self.text(Charset::Ascii, Color::Never),
            log: self.log(),
            may_take_back: self.may_take_back(),
            may_resign: self.may_resign(),
            may_claim: self.may_claim(),
            condone: setup.condone,
            people: (1..=setup.names.len()).filter(|seat| setup.is_person(seat - 1)).collect(),
            chouette: self.chouette().map(ChouetteTable::view),
        }
    }
}
