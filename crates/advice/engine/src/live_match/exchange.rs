//! A running match as JSON, for doors that are not written in Rust: what such a door is shown, and
//! what it may ask for.
//!
//! A [`NewMatch`] begins one, an [`Action`] is a turn of the user, and a [`MatchView`] is all that a
//! board needs to be drawn. [`LiveMatch::turn`] does an action and lets the engine act until the
//! user is asked again; what was done meanwhile is told as [`Happened`], to be shown one by one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_files::limits::NAME_LETTERS;
use tavola_games::AnyGame;
use tavola_rules::dice::DiceError;
use tavola_rules::{
    Beavers, Cube, CubeUse, Dice, Ending, GameResult, Offer, Options, Play, PlayGraph, Player,
    WinKind,
};

use super::{
    Awaited, Choice, DiceSource, Done, ENGINE, LiveMatch, LiveMatchError, Setup, Step, Strength,
    USER,
};
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use crate::watch::Watch;

/// The longest match, as far as match equities go.
const LONGEST_MATCH: u16 = 64;

/// What a match is to be; a field that is missing has the usual value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewMatch {
    /// The points that win the match, 0 for money, at most 64.
    #[schemars(range(max = 64))]
    pub length: u16,
    /// For money: gammons count single until the cube is turned.
    pub jacoby: bool,
    /// For money: whether a double may be beavered.
    #[schemars(with = "String", extend("enum" = ["off", "beavers", "raccoons"]))]
    pub beavers: Beavers,
    /// Backgammon or a variant of it: `nackgammon`, `hypergammon`, `longgammon`.
    pub game: String,
    /// How well the engine plays.
    pub strength: Strength,
    /// Who rolls.
    pub dice: DiceSource,
    /// Gives the dice and the noise of weak play; missing: another one each time.
    pub seed: Option<u32>,
    /// What the user is called, up to 24 characters.
    #[schemars(length(min = 1, max = 24))]
    pub name: String,
}

impl Default for NewMatch {
    fn default() -> Self {
        Self {
            length: 5,
            jacoby: false,
            beavers: Beavers::Off,
            game: "backgammon".to_owned(),
            strength: Strength::default(),
            dice: DiceSource::Computer,
            seed: None,
            name: "You".to_owned(),
        }
    }
}

impl NewMatch {
    /// The setup that this asks for; `seed` counts where none is named.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `request` or `game`.
    pub fn setup(self, seed: u32) -> Result<Setup, EngineError> {
        let game: AnyGame =
            self.game.parse().map_err(|error| EngineError::new(ErrorKind::Game, error))?;
        let AnyGame::Backgammon(start) = game else {
            return Err(EngineError::unsupported(format_args!(
                "{game} has no matches, expected backgammon, nackgammon, hypergammon or longgammon"
            )));
        };
        if self.length > LONGEST_MATCH {
            return Err(EngineError::request(format_args!(
                "\"length\" is {}, expected a number from 0 to {LONGEST_MATCH}",
                self.length
            )));
        }
        let names = check_name(&self.name)?;
        let money = self.length == 0;
        if !money && (self.jacoby || self.beavers != Beavers::Off) {
            return Err(EngineError::request(
                "\"jacoby\" or \"beavers\" is set in a match, expected them in money play only",
            ));
        }
        Ok(Setup {
            length: self.length,
            options: Options {
                start,
                jacoby: self.jacoby,
                beavers: self.beavers,
                ..Options::default()
            },
            names,
            strength: self.strength,
            dice: self.dice,
            seed: self.seed.unwrap_or(seed).into(),
            model: None,
        })
    }
}

/// The names of the user and of the engine, given that of the user.
///
/// # Errors
///
/// [`EngineError`] of kind `request` if it can't stand in a record of a match.
pub(crate) fn check_name(name: &str) -> Result<[String; 2], EngineError> {
    let is_name = (1..=NAME_LETTERS.default as usize).contains(&name.trim().chars().count())
        && !name.chars().any(|c| c.is_control() || c == ':');
    if !is_name {
        return Err(EngineError::request(format_args!(
            "\"name\" is {name:?}, expected 1 to 24 characters without a colon"
        )));
    }
    let name = name.trim().to_owned();
    let engine = if name == "tavola" { "tavola (engine)" } else { "tavola" };
    Ok([name, engine.to_owned()])
}

/// A turn of the user.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Rolls; with dice where the user throws real ones, also those of the engine.
    Roll {
        /// What was rolled.
        #[serde(default)]
        #[schemars(with = "Option<[u8; 2]>")]
        dice: Option<[u8; 2]>,
    },
    /// The opening roll, where the user throws: the user's die, then that of the engine.
    Opening {
        /// The two dice.
        dice: [u8; 2],
    },
    /// Plays the roll.
    Play {
        /// The play in words, such as `8/5 6/5`; `pass` where nothing can be played.
        play: String,
    },
    /// Doubles.
    Double,
    /// Takes an offered cube.
    Take,
    /// Drops an offered cube.
    Drop,
    /// Answers a double by turning the cube once more.
    Beaver,
    /// Answers a beaver by turning the cube once more.
    Raccoon,
    /// Offers to lose the game.
    Resign {
        /// By how much.
        #[schemars(with = "String", extend("enum" = ["single", "gammon", "backgammon"]))]
        size: WinKind,
    },
    /// Accepts a resignation of the engine.
    Accept,
    /// Refuses it.
    Refuse,
    /// Begins the next game of the match.
    NextGame,
    /// Goes back to the last decision of the user in this game.
    TakeBack,
}

/// What was done in a match.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Happened {
    /// Who: 1 is the user, 2 the engine.
    pub player: u8,
    /// What: `roll`, `play`, `double`, `take`, `drop`, `beaver`, `raccoon`, `resign`, `accept` or
    /// `refuse`.
    pub act: String,
    /// What was rolled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dice: Option<[u8; 2]>,
    /// The play in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<String>,
    /// Its steps in order, in the numbering of the player: from, to, and 1 for a hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<[u8; 3]>,
    /// The same in words, as a log has it.
    pub words: String,
}

/// What a match waits for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Waiting {
    /// The opening roll of real dice.
    Opening,
    /// The user rolls, or doubles where that is allowed.
    Roll,
    /// A roll of real dice is to be told.
    Dice {
        /// Whose: 1 is the user, 2 the engine.
        player: u8,
    },
    /// The user plays the roll.
    Play {
        /// The roll.
        dice: [u8; 2],
        /// All ways of making the plays: nodes with the steps that lead to others, the first one
        /// before the play. A node with a `play` is whole.
        #[schemars(with = "Vec<serde_json::Value>")]
        plays: PlayGraph,
    },
    /// The user answers an offered cube.
    Answer {
        /// What is offered: `double`, `beaver` or `raccoon`.
        #[schemars(with = "String")]
        offer: Offer,
    },
    /// The user answers a resignation of the engine.
    Resignation {
        /// For how much.
        #[schemars(with = "String")]
        size: WinKind,
    },
    /// The engine has to act: only where it was interrupted.
    Engine,
    /// The next game.
    GameOver {
        /// Who won: 1 is the user, 2 the engine.
        winner: u8,
        /// How many points.
        points: u32,
        /// How: `played`, `dropped` or `resigned`.
        ending: String,
        /// `single`, `gammon` or `backgammon`; `single` after a drop.
        #[schemars(with = "String")]
        size: WinKind,
    },
    /// Nothing: the match is over.
    MatchOver {
        /// Who won.
        winner: u8,
        /// How many points the last game gave.
        points: u32,
        /// How it ended.
        ending: String,
        /// By how much.
        #[schemars(with = "String")]
        size: WinKind,
    },
}

/// All of a match that a board shows. Checkers, cube and score are seen by the user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MatchView {
    /// What the user and the engine are called.
    pub names: [String; 2],
    /// The points that win the match, 0 for money.
    pub length: u16,
    /// The points of both, without the running game.
    pub score: [u64; 2],
    /// The number of the game, from 1.
    pub game_number: usize,
    /// Whether it is the Crawford game.
    pub crawford: bool,
    /// Whether gammons count single until the cube is turned.
    pub jacoby: bool,
    /// The game: `backgammon` or a variant.
    pub game: String,
    /// How well the engine plays.
    pub strength: Strength,
    /// Who rolls.
    pub dice: DiceSource,
    /// The seed of the dice.
    pub seed: u64,
    /// What is waited for.
    pub waiting: Waiting,
    /// Who is on roll: 1 is the user, 2 the engine; null before the opening roll.
    pub on_roll: Option<u8>,
    /// The checkers as 26 integers: the opponent's bar, the points from 1 to 24, the user's bar;
    /// those of the user positive.
    #[schemars(with = "Vec<i8>", length(equal = 26))]
    pub board: Vec<i8>,
    /// The situation of the player on roll; null before the opening roll.
    pub xgid: Option<String>,
    /// The cube: while it is offered, before it is turned.
    #[schemars(schema_with = "crate::schema::cube")]
    pub cube: Cube,
    /// Whether the cube can be turned in this game at all.
    pub cube_in_play: bool,
    /// Whether the user may double now.
    pub may_double: bool,
    /// Whether the user may beaver now.
    pub may_beaver: bool,
    /// Whether the user may raccoon now.
    pub may_raccoon: bool,
    /// Whether there is something to take back.
    pub may_take_back: bool,
    /// Pips of the user and of the engine.
    pub pips: [u32; 2],
    /// Checkers borne off by the user and by the engine.
    pub off: [u8; 2],
    /// The last play, if it is of this game.
    pub last: Option<Happened>,
    /// What was done in the game, in words.
    pub log: Vec<String>,
}

/// Why a turn can't be done.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The match does not allow it.
    #[error(transparent)]
    Match(#[from] LiveMatchError),
    /// The numbers are no dice.
    #[error(transparent)]
    Dice(#[from] DiceError),
    /// The engine has no answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl TurnError {
    /// The same as the error that every door tells.
    pub fn told(&self) -> EngineError {
        match self {
            Self::Engine(error) => error.clone(),
            Self::Dice(error) => EngineError::new(ErrorKind::Dice, error),
            Self::Match(LiveMatchError::Playback(error)) => {
                EngineError::new(ErrorKind::Play, error)
            }
            Self::Match(error) => EngineError::request(error),
        }
    }
}

impl LiveMatch {
    /// Does what the user asks for, and lets the engine act until the user has to. Nothing is
    /// changed where there is an error.
    ///
    /// # Errors
    ///
    /// [`TurnError`].
    pub fn turn(
        &mut self,
        action: &Action,
        engine: &Engine,
        watch: &Watch<'_>,
    ) -> Result<Vec<Happened>, TurnError> {
        let mut after = self.clone();
        let mut from = after.done.len();
        // A match that was read from its text does not know that the engine has decided to roll.
        after.let_engine_act(engine, watch)?;
        match action {
            Action::NextGame => {
                after.next_game()?;
                from = 0;
            }
            Action::TakeBack => {
                after.take_back()?;
                from = after.done.len();
            }
            action => {
                let choice = after.choice(action)?;
                after.choose(choice)?;
            }
        }
        after.let_engine_act(engine, watch)?;
        let happened = (from..after.done.len()).map(|step| after.happened(step)).collect();
        *self = after;
        Ok(happened)
    }

    /// Lets the engine act until the user has to.
    ///
    /// # Errors
    ///
    /// [`TurnError`]; what the engine has done before stays done.
    pub fn let_engine_act(&mut self, engine: &Engine, watch: &Watch<'_>) -> Result<(), TurnError> {
        while let Some(choice) = self.decide(engine, watch)? {
            self.choose_for_engine(choice)?;
        }
        Ok(())
    }

    /// The choice that an action names.
    ///
    /// # Errors
    ///
    /// [`TurnError`] if its texts or numbers name none, or the action is no choice.
    pub fn choice(&self, action: &Action) -> Result<Choice, TurnError> {
        Ok(match action {
            Action::Roll { dice: None } => Choice::Roll(None),
            Action::Roll { dice: Some([one, two]) } => Choice::Roll(Some(Dice::new(*one, *two)?)),
            Action::Opening { dice: [user, engine] } => {
                Dice::new(*user, *engine)?;
                Choice::Opening(*user, *engine)
            }
            Action::Play { play } => {
                Choice::Play(self.parse_play(play).map_err(LiveMatchError::from)?)
            }
            Action::Double => Choice::Double,
            Action::Take => Choice::Take,
            Action::Drop => Choice::Drop,
            Action::Beaver => Choice::Beaver,
            Action::Raccoon => Choice::Raccoon,
            Action::Resign { size } => Choice::Resign(*size),
            Action::Accept => Choice::Accept,
            Action::Refuse => Choice::Refuse,
            Action::NextGame | Action::TakeBack => {
                return Err(EngineError::request(
                    "that is no choice, expected one such as roll, play or double",
                )
                .into());
            }
        })
    }

    /// All that was done in the game.
    pub fn history(&self) -> Vec<Happened> {
        (0..self.done.len()).map(|step| self.happened(step)).collect()
    }

    fn happened(&self, index: usize) -> Happened {
        let Done { player, step } = self.done[index];
        let words = self.step_in_words(index).unwrap_or_default();
        let blank = Happened {
            player: seat(player),
            act: String::new(),
            dice: None,
            play: None,
            steps: Vec::new(),
            words,
        };
        match step {
            Step::Play(play) => Happened {
                act: "play".to_owned(),
                play: Some(play.to_string()),
                steps: steps(&play),
                ..blank
            },
            Step::Act(tavola_matches::Act::Roll(dice, _)) => {
                Happened { act: "roll".to_owned(), dice: Some(numbers(dice)), ..blank }
            }
            Step::Act(act) => Happened { act: verb(&act).to_owned(), ..blank },
        }
    }

    /// All of the match that a board shows.
    pub fn view(&self) -> MatchView {
        let seen = self.seen_by(USER);
        let setup = self.setup();
        let position = &seen.position;
        let over = |result: GameResult| {
            let (ending, size) = match result.ending {
                Ending::Played(size) => ("played", size),
                Ending::Dropped => ("dropped", WinKind::Single),
                Ending::Resigned(size) => ("resigned", size),
            };
            (seat(result.winner), result.points, ending.to_owned(), size)
        };
        let waiting = match self.awaited() {
            Awaited::Opening => Waiting::Opening,
            Awaited::Roll(USER) => Waiting::Roll,
            Awaited::Dice(player) => Waiting::Dice { player: seat(player) },
            Awaited::Play(USER, dice) => {
                Waiting::Play { dice: numbers(dice), plays: PlayGraph::new(self.position(), dice) }
            }
            Awaited::Answer(USER, offer) => Waiting::Answer { offer },
            Awaited::Resignation(USER, size) => Waiting::Resignation { size },
            Awaited::Roll(ENGINE)
            | Awaited::Play(ENGINE, _)
            | Awaited::Answer(ENGINE, _)
            | Awaited::Resignation(ENGINE, _) => Waiting::Engine,
            Awaited::GameOver(result) => {
                let (winner, points, ending, size) = over(result);
                Waiting::GameOver { winner, points, ending, size }
            }
            Awaited::MatchOver(result) => {
                let (winner, points, ending, size) = over(result);
                Waiting::MatchOver { winner, points, ending, size }
            }
        };
        let is_play = |step: &usize| matches!(self.done[*step].step, Step::Play(_));
        let last = (0..self.done.len()).rev().find(is_play);
        MatchView {
            names: setup.names.clone(),
            length: setup.length,
            score: self.score(),
            game_number: self.game_number(),
            crawford: self.is_crawford(),
            jacoby: setup.options.jacoby,
            game: self.game().name().to_owned(),
            strength: setup.strength,
            dice: setup.dice,
            seed: setup.seed,
            waiting,
            on_roll: self.on_roll().map(seat),
            board: position.counts().to_vec(),
            xgid: self.on_roll().and_then(|_| self.xgid()),
            cube: seen.cube.unwrap_or(Cube::START),
            cube_in_play: self.cube_use().is_none_or(|used| used == CubeUse::InPlay),
            may_double: self.user_may_double(),
            may_beaver: self.user_may_beaver(),
            may_raccoon: self.user_may_raccoon(),
            may_take_back: self.clone().take_back().is_ok(),
            pips: [position.pip_count(), position.opponent_pip_count()],
            off: [position.off(), position.opponent_off()],
            last: last.map(|step| self.happened(step)),
            log: (0..self.steps()).filter_map(|step| self.step_in_words(step)).collect(),
        }
    }
}

fn seat(player: Player) -> u8 {
    player.index() as u8 + 1
}

fn numbers(dice: Dice) -> [u8; 2] {
    [dice.high(), dice.low()]
}

fn steps(play: &Play) -> Vec<[u8; 3]> {
    play.steps().iter().map(|step| [step.from, step.to, step.hit.into()]).collect()
}

fn verb(act: &tavola_matches::Act) -> &'static str {
    use tavola_matches::Act;
    match act {
        Act::Roll(..) => "roll",
        Act::Double => "double",
        Act::Take => "take",
        Act::Drop => "drop",
        Act::Beaver => "beaver",
        Act::Raccoon => "raccoon",
        Act::Resign(_) => "resign",
        Act::Accept => "accept",
        Act::Refuse => "refuse",
        Act::SetUp(..) => "set_up",
    }
}
