//! Backgammon and its variants while they are played: cube, resignations, the score of a match.

use rand::rngs::ChaCha8Rng;
use tavola_matches::{Act, Details, Game, Match, MatchRecorder, PlaybackError};
use tavola_rules::board::{Board, BoardView, Side};
use tavola_rules::notation::{Form, MoneyOrMatch, Situation, encode_position_id};
use tavola_rules::{
    Backgammon, Beavers, Cube, CubeUse, Dice, GameEnding, GameResult, GameStage, MatchScore, Offer,
    Options, PartialPlay, Play, PlayGraph, Player, Position, Session, WinKind, moves,
};

use super::table::{TableQuestion, Turn};
use super::{
    Awaited, GameBoard, GameEnd, Hint, LiveError, Mistake, PositionValue, SeatAction, Setup,
};
use crate::effort::Effort;
use crate::error::Result;
use crate::operations::{Best, Eval, Operation};
use crate::question::{Question, Terms};

/// Advice looks this far ahead.
const PLY: u8 = 2;

/// Below this probability of winning the engine resigns, and this much equity it gives away by it.
pub(super) const HOPELESS: f64 = 0.0005;

/// What is lost by rounding alone.
const ROUNDING: f64 = 1e-6;

/// The player in a seat; the first one is the user.
pub(super) fn player(seat: usize) -> Player {
    if seat == 0 { Player::One } else { Player::Two }
}

/// The roll of these numbers.
pub(super) fn two_dice(numbers: &[u8]) -> Result<Dice, LiveError> {
    let &[one, two] = numbers else {
        return Err(LiveError::Dice(format!("{numbers:?} is not a roll, expected two dice")));
    };
    Dice::new(one, two).map_err(|error| LiveError::Dice(error.to_string()))
}

/// A match, or a session for money: its games that are over, and the one that is played.
#[derive(Clone, Debug)]
pub struct MatchTable {
    pub(super) length: u16,
    pub(super) options: Options,
    session: Session,
    finished: Vec<Game>,
    pub(super) recorder: MatchRecorder,
    /// A player has decided to roll, and the roll is to be typed.
    rolling: bool,
    /// Whether plays against the rules may be made.
    condone: bool,
    /// The game before the play just made, where that was against the rules.
    before_wrong_play: Option<Box<MatchRecorder>>,
}

impl MatchTable {
    /// A match before its opening roll, or in the position that it begins with.
    pub(super) fn new(start: Backgammon, setup: &Setup) -> Result<Self, LiveError> {
        let options = Options { start, ..setup.options.clone().unwrap_or_default() };
        let length = setup.length;
        let begun = setup
            .position
            .as_ref()
            .map(|begun| Ok::<_, LiveError>((player(begun.on_roll), begun.situation()?)));
        let begun = begun.transpose()?;
        let score = begun.as_ref().and_then(|(on_roll, situation)| match situation.stakes? {
            MoneyOrMatch::Match(score) if *on_roll == Player::One => Some(score),
            MoneyOrMatch::Match(score) => Some(score.flip()),
            MoneyOrMatch::Money { .. } => None,
        });
        let session = match (length, score) {
            (0, _) => Session::money(&options)?,
            (_, Some(score)) => Session::resume_match(score, &options)?,
            (length, None) => Session::match_to(length, &options)?,
        };
        let points =
            score.map_or([0; 2], |score| [score.player(), score.opponent()].map(u32::from));
        let crawford = score.is_some_and(|score| score.is_crawford());
        let mut recorder = MatchRecorder::begin(length, points, crawford, &options)?;
        if let Some((on_roll, Situation { position, cube, dice, .. })) = begun {
            recorder.act(on_roll, Act::SetUp(position, cube.unwrap_or(Cube::START)))?;
            if let Some(dice) = dice {
                recorder.act(on_roll, Act::Roll(dice, None))?;
            }
        }
        Ok(Self {
            length,
            options,
            session,
            finished: Vec::new(),
            recorder,
            rolling: false,
            condone: setup.condone,
            before_wrong_play: None,
        })
    }

    /// The score of the match before this game, seen by the user; `None` for money.
    pub(super) fn score(&self) -> Option<MatchScore> {
        self.recorder.playback().score()
    }

    /// The rules.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Whether the game is the Crawford game.
    pub fn is_crawford(&self) -> bool {
        self.session.match_score(Player::One).is_some_and(|score| score.is_crawford())
    }

    /// Whether the cube is in play; `None` before the opening roll.
    pub fn cube_use(&self) -> Option<CubeUse> {
        self.recorder.playback().state().map(|state| state.cube_use())
    }

    /// The checkers, seen by the player on roll.
    pub fn position(&self) -> &Position {
        self.recorder.playback().position()
    }

    /// The roll to be played.
    pub fn dice(&self) -> Option<Dice> {
        self.recorder.playback().dice()
    }

    /// Position, roll, offer, cube and score, seen by the player on roll.
    pub fn situation(&self) -> Situation {
        self.recorder.playback().situation()
    }

    /// The situation, seen by a seat.
    pub fn seen_by(&self, seat: usize) -> Situation {
        let playback = self.recorder.playback();
        let mut situation = playback.situation();
        // After the last checker is borne off the position is already that of the loser.
        if matches!(playback.result(), Some(GameResult { ending: GameEnding::Played(_), .. })) {
            situation.position = situation.position.flip();
        }
        if playback.on_roll().unwrap_or(Player::One) != player(seat) {
            situation.position = situation.position.flip();
            situation.cube = situation.cube.map(|cube| cube.flip());
            situation.stakes = situation.stakes.map(|stakes| stakes.flip());
        }
        situation
    }

    /// The play of the awaited roll that is made checker by checker.
    pub fn partial_play(&self) -> Option<PartialPlay> {
        self.dice().map(|dice| PartialPlay::new(self.position(), dice))
    }

    /// Whether the play just made was against the rules, so that it may be claimed.
    pub fn may_claim(&self) -> bool {
        self.before_wrong_play.is_some()
    }

    /// Makes a play that the rules forbid, where that is agreed.
    fn play_wrongly(&mut self, text: &str, error: PlaybackError) -> Result<SeatAction, LiveError> {
        let before = self.recorder.clone();
        if !self.condone || self.recorder.play_as_written(text).is_none() {
            return Err(error.into());
        }
        self.before_wrong_play = Some(Box::new(before));
        Ok(SeatAction::Play { play: text.to_owned() })
    }

    /// All ways of making the plays of the roll.
    pub(super) fn graph(&self) -> Option<PlayGraph> {
        self.dice().map(|dice| PlayGraph::new(self.position(), dice))
    }

    /// The play of the awaited roll that a text names; `pass` where nothing can be played.
    ///
    /// # Errors
    ///
    /// [`PlaybackError`].
    pub fn parse_play(&self, text: &str) -> Result<Play, PlaybackError> {
        Ok(self.recorder.playback().parse_play(text)?.0)
    }

    /// The last play of the game, and by which seat.
    pub fn last_play(&self) -> Option<(usize, Play)> {
        self.recorder.game().actions.iter().rev().find_map(|action| match action.act {
            Act::Roll(_, play) => play.map(|play| (action.player.index(), play)),
            _ => None,
        })
    }

    pub(super) fn record(&self, setup: &Setup) -> Match {
        let running = self.recorder.game().clone();
        let names = [0, 1].map(|seat| setup.names[seat].clone());
        Match {
            players: names,
            details: Details::default(),
            length: self.length,
            options: self.options.clone(),
            games: self.finished.iter().cloned().chain([running]).collect(),
        }
    }

    pub(super) fn mover(&self) -> Player {
        self.recorder.playback().on_roll().unwrap_or(Player::One)
    }

    /// The situation before the roll, seen by the player on roll.
    pub(super) fn before_roll(&self) -> Situation {
        Situation { dice: None, offer: None, ..self.situation() }
    }

    /// What the engine says of a situation of the match, as the player on roll sees it.
    pub(super) fn ask<O: Operation>(
        &self,
        situation: &Situation,
        effort: Effort,
        operation: &O,
        asking: &TableQuestion<'_>,
    ) -> Result<O::Answer> {
        let mut terms = Terms { cube: situation.cube, ..Terms::default() };
        match situation.stakes {
            Some(MoneyOrMatch::Match(score)) => terms.score = Some(score),
            Some(MoneyOrMatch::Money { .. }) | None => {
                terms.jacoby = Some(self.options.jacoby);
                terms.beavers = Some(self.options.beavers != Beavers::Off);
                terms.raccoons = self.options.beavers == Beavers::Raccoons;
            }
        }
        let question = Question {
            position: Some(encode_position_id(&situation.position)),
            dice: situation.dice.map(|dice| dice.to_string()),
            terms,
            effort,
            ..Question::start(self.options.start.into())
        };
        asking.ask(question, operation)
    }
}

impl Turn for MatchTable {
    fn brief(&self) -> &'static str {
        tavola_evaluator::PlayableGame::brief(&self.options.start)
    }

    fn awaited(&self) -> Awaited {
        let playback = self.recorder.playback();
        let Some(state) = playback.state() else { return Awaited::Opening };
        if let Some(result) = state.result() {
            return Awaited::GameOver(end(result));
        }
        if let Some(resignation) = state.resignation() {
            return Awaited::Resignation(resignation.by.flip().index(), resignation.win);
        }
        let on_roll = state.on_roll();
        match (state.phase(), playback.dice()) {
            (GameStage::Offered(offer), _) => {
                Awaited::Answer(state.to_act().unwrap_or(on_roll).index(), offer)
            }
            (_, Some(_)) => Awaited::Play(on_roll.index()),
            _ if self.rolling => Awaited::Dice(on_roll.index()),
            _ => Awaited::Roll(on_roll.index()),
        }
    }

    fn on_roll(&self) -> Option<usize> {
        self.recorder.playback().on_roll().map(Player::index)
    }

    fn thrown(&self) -> (usize, u8) {
        (2, 6)
    }

    fn throw(&self, rng: &mut ChaCha8Rng) -> (usize, Vec<u8>) {
        let (starter, dice) = match self.recorder.playback().on_roll() {
            None => {
                let throw = self.options.opening.throw(rng);
                (throw.starter, throw.dice)
            }
            Some(on_roll) => (on_roll, Dice::roll(rng)),
        };
        (starter.index(), vec![dice.high(), dice.low()])
    }

    fn act(&mut self, seat: usize, action: &SeatAction) -> Result<SeatAction, LiveError> {
        let act = match action {
            SeatAction::Roll { dice } => {
                Act::Roll(two_dice(dice.as_deref().unwrap_or_default())?, None)
            }
            SeatAction::Play { play } => {
                let play = match play.trim() {
                    "pass" if self.plays() == ["pass"] => Play::PASS,
                    text => match self.parse_play(text) {
                        Ok(play) => play,
                        Err(error) => return self.play_wrongly(text, error),
                    },
                };
                self.recorder.play(play)?;
                let play = if play.is_pass() { "pass".to_owned() } else { play.to_string() };
                return Ok(SeatAction::Play { play });
            }
            SeatAction::Double => Act::Double,
            SeatAction::Take => Act::Take,
            SeatAction::Drop => Act::Drop,
            SeatAction::Beaver => Act::Beaver,
            SeatAction::Raccoon => Act::Raccoon,
            SeatAction::Resign { size } => Act::Resign(*size),
            SeatAction::Accept => Act::Accept,
            SeatAction::Refuse => Act::Refuse,
            SeatAction::Claim => {
                let before = self.before_wrong_play.take();
                self.recorder = *before.ok_or(LiveError::NothingToClaim)?;
                return Ok(SeatAction::Claim);
            }
            SeatAction::NextGame | SeatAction::TakeBack | SeatAction::Leave | SeatAction::Extra => {
                return Err(LiveError::Play(format!("{:?} is no act of a seat", action.name())));
            }
        };
        self.recorder.act(player(seat), act)?;
        self.rolling = false;
        self.before_wrong_play = None;
        Ok(match act {
            Act::Roll(dice, _) => SeatAction::Roll { dice: Some(vec![dice.high(), dice.low()]) },
            _ => action.clone(),
        })
    }

    fn next_game(&mut self) -> Result<(), LiveError> {
        let result = self.recorder.playback().result().ok_or(LiveError::GameRuns)?;
        self.session.record(&result)?;
        let points = |seat| u32::try_from(self.session.points(player(seat))).unwrap_or(u32::MAX);
        let score = [points(0), points(1)];
        let next = MatchRecorder::begin(self.length, score, self.is_crawford(), &self.options)?;
        self.finished.push(std::mem::replace(&mut self.recorder, next).into_game());
        Ok(())
    }

    fn roll(&self) -> Option<Vec<u8>> {
        self.dice().map(|dice| vec![dice.high(), dice.low()])
    }

    fn plays(&self) -> Vec<String> {
        let Some(dice) = self.dice() else { return Vec::new() };
        let plays = moves::plays(self.position(), dice);
        if plays.is_empty() {
            return vec!["pass".to_owned()];
        }
        plays.into_iter().map(|(play, _)| play.to_string()).collect()
    }

    fn cubed(&self) -> Option<&MatchTable> {
        Some(self)
    }

    fn may_double(&self) -> bool {
        self.recorder.playback().state().is_some_and(|state| state.may_double())
    }

    fn wait_for_dice(&mut self) -> bool {
        !std::mem::replace(&mut self.rolling, true)
    }

    fn evaluate(&self, asking: &TableQuestion<'_>) -> Result<PositionValue> {
        let situation = self.before_roll();
        let answer = self.ask(&situation, Effort::at(PLY), &Eval::default(), asking)?;
        Ok(PositionValue::Two(answer))
    }

    fn reasons(&self, _: usize, _: &SeatAction) -> Vec<String> {
        Vec::new()
    }

    fn drawing(&self, user: usize, names: &[String]) -> Board {
        let view = BoardView::from(&self.seen_by(user));
        let is_users = self.recorder.playback().on_roll() == Some(player(user));
        let mut view = BoardView {
            on_roll: if is_users { Side::Player } else { Side::Opponent },
            notes: [user, 1 - user].map(|seat| match names.get(seat) {
                Some(name) => format!("{name} {}", view.notes[usize::from(seat != user)]),
                None => view.notes[usize::from(seat != user)].clone(),
            }),
            ..view
        };
        if self.awaited() == Awaited::Opening {
            view.status = "opening roll".to_owned();
        }
        Board::from(view)
    }

    fn board(&self, user: usize) -> GameBoard {
        let position = self.seen_by(user).position;
        let off = [position.off(), position.opponent_off()];
        GameBoard::Backgammon { points: position.counts().to_vec(), off }
    }

    fn position(&self) -> String {
        Form::Xgid.write(&self.situation()).unwrap_or_default()
    }

    fn decide(&self, seat: usize, asking: &TableQuestion<'_>) -> Result<SeatAction> {
        match self.awaited() {
            Awaited::Play(_) => self.best_play(asking),
            Awaited::Answer(_, offer) => self.answer(offer, asking),
            Awaited::Resignation(_, size) => {
                let cost = self.cost_of_resigning(1 - seat, size, asking)?;
                Ok(if cost >= -ROUNDING { SeatAction::Accept } else { SeatAction::Refuse })
            }
            _ => self.double_or_roll(seat, asking),
        }
    }

    fn hint(&self, asking: &TableQuestion<'_>) -> Result<Hint> {
        match self.awaited() {
            Awaited::Play(_) => {
                let best = Best { top: Some(5), ..Best::default() };
                let answer = self.ask(&self.situation(), Effort::at(PLY), &best, asking)?;
                Ok(Hint::Plays(Box::new(answer)))
            }
            Awaited::Roll(_) if self.may_double() => self.cube_advice(asking),
            Awaited::Answer(_, Offer::Double) => self.cube_advice(asking),
            Awaited::Resignation(seat, size) => {
                let cost = self.cost_of_resigning(1 - seat, size, asking)?;
                Ok(Hint::Resignation { accept: cost >= -HOPELESS })
            }
            _ => Ok(Hint::Nothing),
        }
    }

    fn mistake(&self, action: &SeatAction, asking: &TableQuestion<'_>) -> Result<Option<Mistake>> {
        match (action, self.awaited()) {
            (SeatAction::Play { play }, Awaited::Play(_)) => {
                if self.plays() == ["pass"] {
                    return Ok(None);
                }
                let play = self.parse_play(play).map_err(LiveError::from)?;
                let played = Some(play.to_string());
                let best = Best { top: Some(1), played, ..Best::default() };
                let answer = self.ask(&self.situation(), Effort::at(PLY), &best, asking)?;
                Ok(Mistake::of(answer))
            }
            (SeatAction::Double | SeatAction::Roll { .. }, Awaited::Roll(_))
                if self.may_double() =>
            {
                self.cube_mistake(action, asking)
            }
            (
                SeatAction::Take | SeatAction::Drop | SeatAction::Beaver,
                Awaited::Answer(_, Offer::Double),
            ) => self.cube_mistake(action, asking),
            (SeatAction::Resign { size }, _) => {
                let loss = self.cost_of_resigning(asking.setup.seat, *size, asking)?;
                let (chosen, better) = (action.to_string(), "playing on".to_owned());
                Ok(Some(Mistake { chosen, better, loss }).filter(|it| it.loss > HOPELESS))
            }
            (SeatAction::Accept | SeatAction::Refuse, Awaited::Resignation(seat, size)) => {
                let cost = self.cost_of_resigning(1 - seat, size, asking)?;
                let (better, loss) = match action {
                    SeatAction::Accept => (SeatAction::Refuse, -cost),
                    _ => (SeatAction::Accept, cost),
                };
                let (chosen, better) = (action.to_string(), better.to_string());
                Ok(Some(Mistake { chosen, better, loss }).filter(|it| it.loss > HOPELESS))
            }
            _ => Ok(None),
        }
    }
}

/// How a game ended.
fn end(result: GameResult) -> GameEnd {
    let how = match result.ending {
        GameEnding::Played(WinKind::Single) => "",
        GameEnding::Played(WinKind::Gammon) => "with a gammon",
        GameEnding::Played(WinKind::Backgammon) => "with a backgammon",
        GameEnding::Dropped => "by a drop",
        GameEnding::Resigned(_) => "by a resignation",
    };
    let winner = result.winner.index();
    let mut gains = vec![0.0; 2];
    gains[winner] = f64::from(result.points);
    GameEnd { winner: Some(winner), gains, how: how.to_owned() }
}
