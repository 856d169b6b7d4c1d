//! A game followed action by action: position, cube, and who may do what.

use tavola_rules::notation::{MoneyOrMatch, Situation};
use tavola_rules::{
    ActionError, Cube, Dice, GameResult, GameStage, GameState, MatchScore, MatchScoreError, Offer,
    Options, Outcome, Play, Player, Position, Session, SessionError, moves,
};

use crate::record::{Act, Game, Match, RecordedAction};
use crate::unsaid;

/// A running game of a match with its checkers. Each [`act`](Self::act) is checked by the rules.
///
/// ```
/// use tavola_matches::{Act, Playback};
/// use tavola_rules::{Options, Player};
///
/// let mut playback = Playback::begin(7, [0, 0], false, &Options::default())?;
/// playback.act(Player::Two, &Act::Roll("31".parse()?, None))?;
/// let (play, _) = playback.parse_play("8/5 6/5")?;
/// playback.play(play)?;
/// playback.act(Player::One, &Act::Double)?;
/// assert!(playback.act(Player::One, &Act::Take).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Playback {
    session: Session,
    /// From player one.
    stakes: MoneyOrMatch,
    start: Position,
    /// `None` before the first action: who starts is not known.
    state: Option<GameState>,
    /// From the player on roll.
    position: Position,
    /// The roll that waits to be played.
    dice: Option<Dice>,
}

/// Why an action can't be done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaybackError {
    /// The rules of turns and cube forbid it.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// The other player has to act.
    #[error("it is the turn of player {}", .expected.index() + 1)]
    OtherPlayer {
        /// Who has to act.
        expected: Player,
    },
    /// The play is not one of the roll.
    #[error("{play} is not a legal play of {dice}")]
    IllegalPlay {
        /// The play in words.
        play: String,
        /// The roll.
        dice: Dice,
    },
    /// The text of a play can't be read, or it is not legal.
    #[error(transparent)]
    Play(#[from] tavola_rules::notation::PlayTextError),
    /// There is no roll to be played.
    #[error("there is no roll to be played")]
    NoRoll,
    /// A match can't be at this score.
    #[error(transparent)]
    Score(#[from] MatchScoreError),
    /// Options, score and cube don't fit together.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// The readers of files write down why a game stops.
impl From<PlaybackError> for String {
    fn from(error: PlaybackError) -> Self {
        error.to_string()
    }
}

impl PlaybackError {
    /// What is wrong, without the legal plays, which take some time to find.
    pub fn reason(&self) -> String {
        match self {
            Self::Play(error) => error.reason(),
            error => error.to_string(),
        }
    }
}

impl Playback {
    /// A game before its first roll. `length` is 0 for money, `score` the points of both seats.
    ///
    /// # Errors
    ///
    /// [`PlaybackError::Score`], [`PlaybackError::Session`].
    pub fn begin(
        length: u16,
        score: [u32; 2],
        crawford: bool,
        options: &Options,
    ) -> Result<Self, PlaybackError> {
        let start = options.start.start_position();
        let begun = |session, stakes| {
            Ok(Self { session, stakes, start, state: None, position: start, dice: None })
        };
        if length == 0 {
            let beavers = Some(options.beavers != tavola_rules::Beavers::Off);
            let stakes = MoneyOrMatch::Money { jacoby: options.jacoby, beavers };
            return begun(Session::money(options)?, stakes);
        }
        let [one, two] = score.map(|points| u16::try_from(points).unwrap_or(u16::MAX));
        let score = if crawford && (length - one.min(length), length - two.min(length)) != (1, 1) {
            MatchScore::crawford(length, one, two)?
        } else {
            MatchScore::new(length, one, two)?
        };
        // Money options that a file names beside a match have no meaning there.
        let options = Options {
            jacoby: false,
            beavers: tavola_rules::Beavers::Off,
            automatic_doubles: 0,
            crawford: options.crawford || score.is_crawford(),
            ..options.clone()
        };
        begun(Session::resume_match(score, &options)?, MoneyOrMatch::Match(score))
    }

    /// The game `index` of a match before its first action.
    ///
    /// # Errors
    ///
    /// As [`begin`](Self::begin).
    pub fn of_game(record: &Match, game: &Game) -> Result<Self, PlaybackError> {
        Self::begin(record.length, game.score, game.crawford, &record.options)
    }

    /// Turns and cube; `None` before the first action, when it is not known who is on roll.
    pub fn state(&self) -> Option<&GameState> {
        self.state.as_ref()
    }

    /// The checkers, seen from the player on roll.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The roll that waits to be played.
    pub fn dice(&self) -> Option<Dice> {
        self.dice
    }

    /// Whose turn it is, also while the opponent answers an offer; `None` before the first action.
    pub fn on_roll(&self) -> Option<Player> {
        self.state.map(|state| state.on_roll())
    }

    /// The cube, seen from the player on roll.
    pub(crate) fn cube(&self) -> Cube {
        self.state.map_or(Cube::START, |state| state.cube())
    }

    /// The cube, seen from a player.
    pub(crate) fn cube_seen_by(&self, player: Player) -> Cube {
        match self.on_roll() {
            Some(on_roll) if on_roll != player => self.cube().flip(),
            _ => self.cube(),
        }
    }

    /// Who has to act; `None` before the first action and after the game.
    pub fn to_act(&self) -> Option<Player> {
        self.state.and_then(|state| state.to_act())
    }

    /// The offer that waits for an answer.
    pub fn offer(&self) -> Option<Offer> {
        match self.state?.phase() {
            GameStage::Offered(offer) => Some(offer),
            _ => None,
        }
    }

    /// How the game ended; `None` while it runs.
    pub fn result(&self) -> Option<GameResult> {
        self.state.and_then(|state| state.result())
    }

    /// Position, roll, offer, cube and score as they are now, seen from the player on roll, as
    /// whom before the first action player one counts.
    pub fn situation(&self) -> Situation {
        let on_roll = self.on_roll().unwrap_or(Player::One);
        let seen = |stakes: MoneyOrMatch| match on_roll {
            Player::One => stakes,
            Player::Two => stakes.flip(),
        };
        Situation {
            position: self.position,
            dice: self.dice,
            offer: self.offer(),
            cube: Some(self.cube()),
            stakes: Some(seen(self.stakes)),
        }
    }

    /// The score from player one; `None` for money.
    pub fn score(&self) -> Option<MatchScore> {
        match self.stakes {
            MoneyOrMatch::Match(score) => Some(score),
            MoneyOrMatch::Money { .. } => None,
        }
    }

    /// The points that win the match; 0 for money.
    pub(crate) fn length(&self) -> u16 {
        self.score().map_or(0, MatchScore::length)
    }

    /// The play that a text names, of the roll that waits.
    ///
    /// # Errors
    ///
    /// [`PlaybackError::NoRoll`], [`PlaybackError::Play`].
    pub fn parse_play(&self, text: &str) -> Result<(Play, Position), PlaybackError> {
        let dice = self.dice.ok_or(PlaybackError::NoRoll)?;
        Ok(tavola_rules::notation::parse_play(text, &self.position, dice)?)
    }

    /// Does what a record says.
    ///
    /// # Errors
    ///
    /// [`PlaybackError`]; nothing is changed then.
    pub fn act(&mut self, player: Player, act: &Act) -> Result<(), PlaybackError> {
        let mut next = self.clone();
        next.try_act(player, act)?;
        *self = next;
        Ok(())
    }

    fn try_act(&mut self, player: Player, act: &Act) -> Result<(), PlaybackError> {
        if let Act::SetUp(position, cube) = act {
            self.state = Some(self.session.resume_game(player, *cube)?);
            (self.position, self.dice) = (*position, None);
            return Ok(());
        }
        if self.state.is_none() {
            // The first to act is the starter.
            self.state = Some(self.session.resume_game(player, Cube::START)?);
            self.position = self.start;
        }
        let state = self.state.as_mut().expect("there is a state now");
        let resigns = matches!(act, Act::Resign(_));
        if let Some(expected) = state.to_act()
            && expected != player
            && !resigns
        {
            return Err(PlaybackError::OtherPlayer { expected });
        }
        match *act {
            Act::Roll(dice, play) => {
                state.roll()?;
                self.dice = Some(dice);
                if let Some(play) = play {
                    self.play(play)?;
                }
            }
            Act::Double => state.double()?,
            Act::Take => state.take()?,
            Act::Drop => state.drop_offer()?,
            Act::Beaver => state.beaver()?,
            Act::Raccoon => state.raccoon()?,
            Act::Resign(win) => state.resign(player, win)?,
            Act::Accept => {
                state.accept_resignation()?;
            }
            Act::Refuse => state.refuse_resignation()?,
            Act::SetUp(..) => unreachable!("done above"),
        }
        Ok(())
    }

    /// Plays the roll that waits, and ends the turn or the game.
    ///
    /// # Errors
    ///
    /// [`PlaybackError::NoRoll`], [`PlaybackError::IllegalPlay`].
    pub fn play(&mut self, play: Play) -> Result<(), PlaybackError> {
        let dice = self.dice.ok_or(PlaybackError::NoRoll)?;
        let state = self.state.as_mut().ok_or(PlaybackError::NoRoll)?;
        let illegal = || PlaybackError::IllegalPlay { play: play.to_string(), dice };
        let after = play.apply(&self.position).map_err(|_| illegal())?;
        if moves::play_to(&self.position, dice, &after).is_none() {
            return Err(illegal());
        }
        match Outcome::of(&after) {
            // Seen by the opponent of the player who has borne off.
            Some(outcome) => {
                state.win(outcome.into())?;
            }
            None => state.end_turn()?,
        }
        (self.position, self.dice) = (after, None);
        Ok(())
    }
}

/// A game being written down: a [`Playback`] that keeps what was done.
#[derive(Clone, Debug)]
pub struct MatchRecorder {
    playback: Playback,
    game: Game,
}

impl MatchRecorder {
    /// A game before its first roll, see [`Playback::begin`].
    ///
    /// # Errors
    ///
    /// As [`Playback::begin`].
    pub fn begin(
        length: u16,
        score: [u32; 2],
        crawford: bool,
        options: &Options,
    ) -> Result<Self, PlaybackError> {
        let playback = Playback::begin(length, score, crawford, options)?;
        Ok(Self { playback, game: Game { score, crawford, ..Game::default() } })
    }

    /// The game as it stands.
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// What has been written down.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The record of the game, to add comments and properties to.
    pub fn game_mut(&mut self) -> &mut Game {
        &mut self.game
    }

    /// Does and writes down an action. A roll without a play waits for [`play`](Self::play).
    ///
    /// # Errors
    ///
    /// As [`Playback::act`]; nothing is changed then.
    pub fn act(&mut self, player: Player, act: Act) -> Result<(), PlaybackError> {
        self.playback.act(player, &act)?;
        self.game.actions.push(RecordedAction::new(player, act));
        self.game.result = self.playback.result();
        Ok(())
    }

    /// Plays the roll that waits.
    ///
    /// # Errors
    ///
    /// As [`Playback::play`]; nothing is changed then.
    pub fn play(&mut self, play: Play) -> Result<(), PlaybackError> {
        self.playback.play(play)?;
        let rolls = self.game.actions.iter_mut().rev();
        let roll = rolls.map(|action| &mut action.act).find(|act| matches!(act, Act::Roll(..)));
        if let Some(Act::Roll(_, unplayed)) = roll {
            *unplayed = Some(play);
        }
        self.game.result = self.playback.result();
        Ok(())
    }

    /// Moves the checkers of the roll that waits as a play against the rules is written, `13/8 24/21`
    /// or `pass`, and sets up the position for the opponent. `None` where there is no such checker,
    /// the point is made, or the play would win; nothing is changed then.
    pub fn play_as_written(&mut self, play: &str) -> Option<()> {
        let (player, dice) = (self.playback.on_roll()?, self.playback.dice()?);
        let mut next = self.clone();
        let play = if play == "pass" { "" } else { play };
        unsaid::play_as_written(&mut next, player, dice, play)?;
        if Outcome::of(next.playback.position()).is_some() {
            return None;
        }
        *self = next;
        Some(())
    }

    /// Doubles, as a file says. That shows that the Crawford game is over: a game that was taken
    /// for it is one without that rule.
    ///
    /// # Errors
    ///
    /// As [`act`](Self::act).
    pub(crate) fn double(&mut self, player: Player) -> Result<(), PlaybackError> {
        let options = self.playback.session.options();
        let length = self.playback.length();
        let without = self.game.crawford.then(|| {
            let mut playback = Playback::begin(length, self.game.score, false, options).ok()?;
            let mut actions = self.game.actions.iter();
            let all = actions.all(|it| playback.act(it.player, &it.act).is_ok());
            all.then_some(playback)
        });
        if let Some(Some(playback)) = without {
            self.playback = playback;
            self.game.crawford = false;
        }
        self.act(player, Act::Double)
    }

    /// Ends a game with a result that is known from elsewhere: by a drop, or by a resignation of
    /// that much, where the actions have not ended it. Returns what did not fit.
    pub fn conclude(&mut self, winner: Player, points: u32) -> Option<String> {
        unsaid::conclude(self, winner, points)
    }

    /// Ends the record of a game that can't be followed further, and says why.
    pub fn break_off(&mut self, why: String) {
        self.game.broken.get_or_insert(why);
    }

    /// The record of the game.
    pub fn into_game(self) -> Game {
        self.game
    }
}
