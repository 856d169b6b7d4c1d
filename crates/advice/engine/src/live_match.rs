//! A match against the engine while it is played.
//!
//! A [`LiveMatch`] holds the match: score, games, the running game, the dice. It says what is
//! [`Awaited`] and of which player, takes a [`Choice`], and asks an [`Engine`](crate::Engine) for
//! the engine's own choices, for hints and for the cost of mistakes. Doors only show it.
//!
//! The user has the first seat, the engine the second. Everything follows from the [`Setup`], whose
//! seed gives the dice and the noise of weak play, and from the choices. A saved match is these two.
//!
//! ```
//! use tavola_engine::live_match::{Awaited, Choice, LiveMatch, Setup, USER};
//! use tavola_engine::{Engine, Watch};
//!
//! let setup = Setup { seed: 4, ..Setup::default() };
//! let (engine, watch) = (Engine::without_tables(), Watch::default());
//! let mut live = LiveMatch::new(setup)?;
//! while let Some(choice) = live.decide(&engine, &watch)? {
//!     live.choose_for_engine(choice)?;
//! }
//! assert_eq!(live.to_act(), Some(USER));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod choice;
mod error;
mod exchange;
mod saved;
mod setup;
mod strength;
#[cfg(test)]
mod tests;
mod words;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_games::AnyGame;
use tavola_matches::{Act, Details, Game, Match, PlaybackError, Recorder};
use tavola_rules::notation::{Form, Situation, encode_position_id};
use tavola_rules::{
    Backgammon, Beavers, CubeUse, Dice, Ending, GameResult, Offer, Opening, PartialPlay, Phase,
    Play, Player, Position, Session, WinKind,
};

pub use advice::{Hint, Mistake};
pub use error::LiveMatchError;
pub(crate) use exchange::check_name;
pub use exchange::{Action, Happened, MatchView, NewMatch, TurnError, Waiting};
pub use saved::{SavedMatchError, check_export, read_matches};
pub use setup::{DiceSource, Setup};
pub(crate) use strength::noise;
pub use strength::{Strength, UnknownStrength};
pub use words::words_of_win;

use crate::subject::{Stakes, Subject};

/// The seat of the user.
pub const USER: Player = Player::One;
/// The seat of the engine.
pub const ENGINE: Player = Player::Two;

/// What must happen next, and by which player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The opening roll, where it is typed.
    Opening,
    /// The player on roll rolls, or doubles where that is allowed.
    Roll(Player),
    /// The player on roll has decided to roll, and the roll is to be typed.
    Dice(Player),
    /// The player on roll plays the roll.
    Play(Player, Dice),
    /// This player answers the offer of a cube.
    Answer(Player, Offer),
    /// This player answers a resignation.
    Resignation(Player, WinKind),
    /// The game is over, and another one follows.
    GameOver(GameResult),
    /// The match is over.
    MatchOver(GameResult),
}

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Rolls; where dice are typed, what was rolled.
    Roll(Option<Dice>),
    /// The typed opening roll: the die of the user and that of the engine.
    Opening(u8, u8),
    /// Offers a double.
    Double,
    /// Plays the roll.
    Play(Play),
    /// Takes an offered cube.
    Take,
    /// Drops an offered cube.
    Drop,
    /// Answers a double by turning the cube once more.
    Beaver,
    /// Answers a beaver by turning the cube once more.
    Raccoon,
    /// Offers to lose the game by so much.
    Resign(WinKind),
    /// Accepts a resignation.
    Accept,
    /// Refuses a resignation.
    Refuse,
}

/// A step of a game: a roll and its play are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Act(Act),
    Play(Play),
}

/// Something that was done, by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Done {
    player: Player,
    step: Step,
}

/// A match against the engine while it is played.
#[derive(Clone, Debug)]
pub struct LiveMatch {
    setup: Setup,
    session: Session,
    /// Games whose result is in the score, with what was done in them.
    finished: Vec<(Game, Vec<Done>)>,
    recorder: Recorder,
    done: Vec<Done>,
    /// A player has decided to roll, and the roll is to be typed.
    rolling: bool,
}

impl LiveMatch {
    /// A match before its first roll, or just after it where the computer rolls.
    ///
    /// # Errors
    ///
    /// [`LiveMatchError::Session`]: options that don't fit.
    pub fn new(setup: Setup) -> Result<Self, LiveMatchError> {
        let mut live = Self::before_opening(setup)?;
        live.throw_opening()?;
        Ok(live)
    }

    fn before_opening(setup: Setup) -> Result<Self, LiveMatchError> {
        let session = match setup.length {
            0 => Session::money(&setup.options)?,
            length => Session::match_to(length, &setup.options)?,
        };
        let recorder = Recorder::begin(setup.length, [0; 2], false, &setup.options)?;
        Ok(Self {
            setup,
            session,
            finished: Vec::new(),
            recorder,
            done: Vec::new(),
            rolling: false,
        })
    }

    /// What was agreed.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Changes how well the engine plays from now on.
    pub fn set_strength(&mut self, strength: Strength) {
        self.setup.strength = strength;
    }

    /// The name of a player.
    pub fn name(&self, player: Player) -> &str {
        &self.setup.names[player.index()]
    }

    /// The points of both seats, without the running game.
    pub fn score(&self) -> [u64; 2] {
        [USER, ENGINE].map(|player| self.session.points(player))
    }

    /// The number of the running game, from 1.
    pub fn game_number(&self) -> usize {
        self.finished.len() + 1
    }

    /// Whether the running game is the Crawford game.
    pub fn is_crawford(&self) -> bool {
        self.session.match_score(USER).is_some_and(|score| score.is_crawford())
    }

    /// How many rolls the match has had; the next one follows from this and the seed.
    fn rolls(&self) -> u64 {
        let is_roll = |done: &&Done| matches!(done.step, Step::Act(Act::Roll(..)));
        let count = |done: &[Done]| done.iter().filter(is_roll).count() as u64;
        count(&self.done) + self.finished.iter().map(|(_, done)| count(done)).sum::<u64>()
    }

    fn dice_generator(&self) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.setup.seed);
        rng.set_stream(self.rolls());
        rng
    }

    fn throw_opening(&mut self) -> Result<(), LiveMatchError> {
        if self.setup.dice == DiceSource::Computer {
            let throw = Opening::OneDieEach.throw(&mut self.dice_generator());
            self.act(throw.starter, Act::Roll(throw.dice, None))?;
        }
        Ok(())
    }

    /// What must happen next.
    pub fn awaited(&self) -> Awaited {
        let playback = self.recorder.playback();
        let Some(state) = playback.state() else { return Awaited::Opening };
        if let Some(result) = state.result() {
            let length = u64::from(self.setup.length);
            let points = self.session.points(result.winner) + u64::from(result.points);
            return match length > 0 && points >= length {
                true => Awaited::MatchOver(result),
                false => Awaited::GameOver(result),
            };
        }
        if let Some(resignation) = state.resignation() {
            return Awaited::Resignation(resignation.by.flip(), resignation.win);
        }
        let on_roll = state.on_roll();
        match (state.phase(), playback.dice()) {
            (Phase::Offered(offer), _) => {
                Awaited::Answer(state.to_act().expect("the game runs"), offer)
            }
            (_, Some(dice)) => Awaited::Play(on_roll, dice),
            _ if self.rolling => Awaited::Dice(on_roll),
            _ => Awaited::Roll(on_roll),
        }
    }

    /// Which player must act; `None` before a typed opening roll and after a game. Typed dice are
    /// awaited of the user, for both sides.
    pub fn to_act(&self) -> Option<Player> {
        match self.awaited() {
            Awaited::Roll(player)
            | Awaited::Play(player, _)
            | Awaited::Answer(player, _)
            | Awaited::Resignation(player, _) => Some(player),
            Awaited::Dice(_) => Some(USER),
            Awaited::Opening | Awaited::GameOver(_) | Awaited::MatchOver(_) => None,
        }
    }

    /// Which player is on roll; `None` before a typed opening roll.
    pub fn on_roll(&self) -> Option<Player> {
        self.recorder.playback().on_roll()
    }

    /// Whether the cube is in play; `None` before a typed opening roll.
    pub fn cube_use(&self) -> Option<CubeUse> {
        self.recorder.playback().state().map(|state| state.cube_use())
    }

    /// Whether the user has a roll of which nothing can be played.
    pub fn user_dances(&self) -> bool {
        matches!(self.awaited(), Awaited::Play(USER, _)) && !self.is_decision_of_user()
    }

    /// Whether the user may double now.
    pub fn user_may_double(&self) -> bool {
        self.awaited() == Awaited::Roll(USER) && self.may_double()
    }

    /// Whether the player on roll may double.
    fn may_double(&self) -> bool {
        self.recorder.playback().state().is_some_and(|state| state.may_double())
    }

    /// Whether the user may answer a double by a beaver.
    pub fn user_may_beaver(&self) -> bool {
        self.awaited() == Awaited::Answer(USER, Offer::Double)
            && self.setup.options.beavers != Beavers::Off
    }

    /// Whether the user may answer a beaver by a raccoon.
    pub fn user_may_raccoon(&self) -> bool {
        self.awaited() == Awaited::Answer(USER, Offer::Beaver)
            && self.setup.options.beavers == Beavers::Raccoons
    }

    /// Position, roll, offer, cube and score, seen by a player.
    pub fn seen_by(&self, player: Player) -> Situation {
        let playback = self.recorder.playback();
        let mut situation = playback.situation();
        let on_roll = playback.on_roll().unwrap_or(Player::One);
        // After the last checker is borne off the position is already that of the loser.
        let played_out =
            matches!(playback.result(), Some(GameResult { ending: Ending::Played(_), .. }));
        if played_out {
            situation.position = situation.position.flip();
        }
        if on_roll != player {
            situation.position = situation.position.flip();
            situation.cube = situation.cube.map(|cube| cube.flip());
            situation.stakes = situation.stakes.map(|stakes| stakes.flip());
        }
        situation
    }

    /// The checkers, seen by the player on roll.
    pub fn position(&self) -> &Position {
        self.recorder.playback().position()
    }

    /// The situation of the player on roll as an XGID.
    pub fn xgid(&self) -> Option<String> {
        Form::Xgid.write(&self.recorder.playback().situation()).ok()
    }

    /// A play of the user that is made checker by checker; `None` where none is awaited.
    pub fn partial_play(&self) -> Option<PartialPlay> {
        match self.awaited() {
            Awaited::Play(USER, dice) => Some(PartialPlay::new(self.position(), dice)),
            _ => None,
        }
    }

    /// The play of the awaited roll that a text names.
    ///
    /// # Errors
    ///
    /// [`PlaybackError`].
    pub fn parse_play(&self, text: &str) -> Result<Play, PlaybackError> {
        Ok(self.recorder.playback().parse_play(text)?.0)
    }

    /// Does what the user has chosen, which for typed dice may be a roll of the engine.
    ///
    /// # Errors
    ///
    /// [`LiveMatchError`]; nothing is changed then.
    pub fn choose(&mut self, choice: Choice) -> Result<(), LiveMatchError> {
        let player = match (self.awaited(), choice) {
            (Awaited::Dice(player), Choice::Roll(_)) => player,
            _ => USER,
        };
        self.choose_as(player, choice)
    }

    /// Does what the engine has decided.
    ///
    /// # Errors
    ///
    /// [`LiveMatchError`]; nothing is changed then.
    pub fn choose_for_engine(&mut self, choice: Choice) -> Result<(), LiveMatchError> {
        self.choose_as(ENGINE, choice)
    }

    fn choose_as(&mut self, player: Player, choice: Choice) -> Result<(), LiveMatchError> {
        let awaited = self.awaited();
        if let Choice::Opening(user, engine) = choice {
            return self.open(user, engine);
        }
        if awaited == Awaited::Opening {
            return Err(LiveMatchError::NotOpened);
        }
        let resigns = matches!(choice, Choice::Resign(_));
        let acts = match awaited {
            Awaited::Dice(on_roll) => Some(on_roll),
            _ => self.to_act(),
        };
        if acts.is_some_and(|acts| acts != player) && !resigns {
            return Err(LiveMatchError::OtherPlayer { name: self.name(player.flip()).to_owned() });
        }
        let act = match choice {
            Choice::Roll(typed) => return self.roll(player, typed),
            Choice::Play(play) => return self.play(player, play),
            Choice::Opening(..) => unreachable!("done above"),
            Choice::Double => Act::Double,
            Choice::Take => Act::Take,
            Choice::Drop => Act::Drop,
            Choice::Beaver => Act::Beaver,
            Choice::Raccoon => Act::Raccoon,
            Choice::Resign(win) => Act::Resign(win),
            Choice::Accept => Act::Accept,
            Choice::Refuse => Act::Refuse,
        };
        self.act(player, act)
    }

    fn act(&mut self, player: Player, act: Act) -> Result<(), LiveMatchError> {
        self.recorder.act(player, act)?;
        self.done.push(Done { player, step: Step::Act(act) });
        self.rolling = false;
        Ok(())
    }

    fn play(&mut self, player: Player, play: Play) -> Result<(), LiveMatchError> {
        self.recorder.play(play)?;
        self.done.push(Done { player, step: Step::Play(play) });
        Ok(())
    }

    fn roll(&mut self, player: Player, typed: Option<Dice>) -> Result<(), LiveMatchError> {
        let dice = match (self.setup.dice, typed) {
            (DiceSource::Computer, Some(_)) => return Err(LiveMatchError::ComputerRolls),
            (DiceSource::Computer, None) => Dice::roll(&mut self.dice_generator()),
            (DiceSource::Typed, Some(dice)) => dice,
            (DiceSource::Typed, None) => {
                // Whether rolling is legal now.
                let mut state = self.recorder.playback().state().copied();
                if let Some(state) = &mut state {
                    state.roll().map_err(PlaybackError::from)?;
                }
                if self.rolling || player == USER {
                    return Err(LiveMatchError::NoDice);
                }
                self.rolling = true;
                return Ok(());
            }
        };
        self.act(player, Act::Roll(dice, None))
    }

    fn open(&mut self, user: u8, engine: u8) -> Result<(), LiveMatchError> {
        if self.awaited() != Awaited::Opening {
            return Err(LiveMatchError::Opened);
        }
        let dice = Dice::new(user, engine).map_err(|_| LiveMatchError::NotOpened)?;
        if dice.is_double() {
            return Err(LiveMatchError::EqualDice);
        }
        let starter = if user > engine { USER } else { ENGINE };
        self.act(starter, Act::Roll(dice, None))
    }

    /// Puts the result of the game into the score and begins the next one.
    ///
    /// # Errors
    ///
    /// [`LiveMatchError::GameRuns`], [`LiveMatchError::MatchOver`].
    pub fn next_game(&mut self) -> Result<(), LiveMatchError> {
        self.record_game()?;
        self.throw_opening()
    }

    /// The next game before its opening roll.
    fn record_game(&mut self) -> Result<(), LiveMatchError> {
        let result = match self.awaited() {
            Awaited::GameOver(result) => result,
            Awaited::MatchOver(_) => return Err(LiveMatchError::MatchOver),
            _ => return Err(LiveMatchError::GameRuns),
        };
        let mut session = self.session.clone();
        session.record(&result)?;
        let next = Self::game_of(&self.setup, &session)?;
        let recorder = std::mem::replace(&mut self.recorder, next);
        self.finished.push((recorder.into_game(), std::mem::take(&mut self.done)));
        self.session = session;
        Ok(())
    }

    /// A game at the score of the session.
    fn game_of(setup: &Setup, session: &Session) -> Result<Recorder, PlaybackError> {
        let crawford = session.match_score(USER).is_some_and(|score| score.is_crawford());
        let score =
            [USER, ENGINE].map(|player| u32::try_from(session.points(player)).unwrap_or(u32::MAX));
        Recorder::begin(setup.length, score, crawford, &setup.options)
    }

    /// Goes back to the last decision of the user before this one, within the game. Rolls that
    /// follow are the same ones again.
    ///
    /// # Errors
    ///
    /// [`LiveMatchError::NothingToTakeBack`].
    pub fn take_back(&mut self) -> Result<(), LiveMatchError> {
        let mut replayed = Self {
            recorder: Self::game_of(&self.setup, &self.session)?,
            done: Vec::new(),
            rolling: false,
            ..self.clone()
        };
        let mut earlier = None;
        for done in &self.done {
            if replayed.is_decision_of_user() {
                earlier = Some(replayed.clone());
            }
            replayed.redo(*done)?;
        }
        *self = earlier.ok_or(LiveMatchError::NothingToTakeBack)?;
        Ok(())
    }

    fn redo(&mut self, done: Done) -> Result<(), LiveMatchError> {
        match done.step {
            Step::Act(act) => self.act(done.player, act),
            Step::Play(play) => self.play(done.player, play),
        }
    }

    fn is_decision_of_user(&self) -> bool {
        match self.awaited() {
            Awaited::Roll(USER) => self.may_double(),
            Awaited::Play(USER, dice) => {
                !tavola_rules::moves::plays(self.position(), dice).is_empty()
            }
            Awaited::Answer(USER, _) | Awaited::Resignation(USER, _) => true,
            _ => false,
        }
    }

    /// How many steps the game has had.
    pub fn steps(&self) -> usize {
        self.done.len()
    }

    /// The last play of the game, and by which player.
    pub fn last_play(&self) -> Option<(Player, Play)> {
        self.done.iter().rev().find_map(|done| match done.step {
            Step::Play(play) => Some((done.player, play)),
            Step::Act(_) => None,
        })
    }

    /// The match as a record, the running game included.
    pub fn record(&self) -> Match {
        let finished = self.finished.iter().map(|(game, _)| game.clone());
        Match {
            players: self.setup.names.clone(),
            details: Details::default(),
            length: self.setup.length,
            options: self.setup.options.clone(),
            games: finished.chain([self.recorder.game().clone()]).collect(),
        }
    }

    /// A question about a situation of the match, as the player on roll sees it.
    fn subject(&self, situation: &Situation) -> Subject {
        use tavola_rules::notation::Stakes::{Match, Money};
        let options = &self.setup.options;
        let mut stakes = Stakes { cube: situation.cube, ..Stakes::default() };
        match situation.stakes {
            Some(Match(score)) => stakes.score = Some(score),
            Some(Money { .. }) | None => {
                stakes.jacoby = Some(options.jacoby);
                stakes.beavers = Some(options.beavers != Beavers::Off);
                stakes.raccoons = options.beavers == Beavers::Raccoons;
            }
        }
        Subject {
            position: Some(encode_position_id(&situation.position)),
            dice: situation.dice.map(|dice| dice.to_string()),
            stakes,
            model: self.setup.model.clone(),
            ..Subject::start(AnyGame::Backgammon(self.game()))
        }
    }

    /// The variant that is played.
    pub fn game(&self) -> Backgammon {
        self.setup.options.start
    }
}
