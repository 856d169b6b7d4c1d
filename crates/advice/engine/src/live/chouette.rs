//! A chouette while it is played: backgammon for money, one box against a team.
//!
//! Between the box and each member it is a [`MatchTable`] of its own, on the same dice and plays.
//! [`ChouetteGame`] says who may do what; the tables know checkers, cubes and advice.

#[cfg(test)]
mod tests;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use schemars::JsonSchema;
use serde::Serialize;
use tavola_rules::board::Board;
use tavola_rules::chouette::{
    Chouette, ChouetteError, ChouetteGame, ChouetteRules, DiceOrder, Extra, SettledGame, TeamCubes,
};
use tavola_rules::{
    Backgammon, Cube, GameEnding, GameResult, GameStage, GameState, OpeningThrow, Player,
};

use super::matches::{player, two_dice};
use super::table::{TableQuestion, Turn};
use super::{
    Awaited, CubeChoice, GameBoard, GameEnd, Hint, LiveError, MatchTable, Mistake, PositionValue,
    SeatAction, Setup,
};
use crate::error::Result;

/// The generator of the dice has a stream for each roll; this one finds the order of the players.
const ORDER_STREAM: u64 = u64::MAX;

/// A chouette: its order and accounts, and the game that is played.
#[derive(Clone, Debug)]
pub struct ChouetteTable {
    start: Backgammon,
    setup: Setup,
    throws: DiceOrder,
    chouette: Chouette,
    /// `None` before the opening roll.
    game: Option<ChouetteGame>,
    /// The money game of each member against the box, who sits at its first seat.
    boards: Vec<(usize, MatchTable)>,
    /// Cubes that are left alone in this turn, by member, and who gives no extra.
    left: Vec<usize>,
    /// An extra that waits for its taker.
    offered: Option<(usize, usize)>,
}

/// A member of the team, as a page shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemberView {
    /// The seat, from 1.
    pub seat: usize,
    /// The cube between this member and the box, whose `player` is the box.
    pub cube: Cube,
    /// Whether the member plays on.
    pub playing: bool,
}

/// A chouette, as a page shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChouetteView {
    /// The seats from 1 in the order of this game: the box, the captain, and those in line.
    pub order: Vec<usize>,
    /// What each seat threw for the first order; those who tied threw again.
    pub throws: Vec<Vec<u8>>,
    /// Who moves the team's checkers: the seat, from 1.
    pub captain: usize,
    /// The team in its order; empty before the opening roll.
    pub members: Vec<MemberView>,
    /// The extras of the game; seats count from 0.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub extras: Vec<Extra>,
    /// The games that are over; seats count from 0.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub games: Vec<SettledGame>,
}

impl ChouetteTable {
    /// A chouette before its first opening roll; the dice of the seed find the order.
    pub(super) fn new(
        start: Backgammon,
        rules: &ChouetteRules,
        setup: &Setup,
    ) -> Result<Self, LiveError> {
        let mut rng = ChaCha8Rng::seed_from_u64(setup.seed);
        rng.set_stream(ORDER_STREAM);
        let throws = DiceOrder::throw(setup.names.len(), 6, &mut rng);
        let money = setup.options.clone().unwrap_or_default();
        let rules = ChouetteRules { money, ..rules.clone() };
        let chouette = Chouette::new(rules, setup.names.clone(), throws.seats.clone())?;
        Self::begin(start, setup.clone(), throws, chouette)
    }

    /// The next game.
    fn begin(
        start: Backgammon,
        setup: Setup,
        throws: DiceOrder,
        chouette: Chouette,
    ) -> Result<Self, LiveError> {
        let board = |&seat: &usize| Ok((seat, MatchTable::new(start, &setup)?));
        let boards = chouette.order()[1..].iter().map(board).collect::<Result<_, LiveError>>()?;
        let (game, left, offered) = (None, Vec::new(), None);
        Ok(Self { start, setup, throws, chouette, game, boards, left, offered })
    }

    /// The chouette with the game on the table, where that is over.
    pub fn settled(&self) -> Chouette {
        let mut chouette = self.chouette.clone();
        if let Some(game) = &self.game {
            // A game that runs is not settled yet.
            let _ = chouette.record(game);
        }
        chouette
    }

    pub(super) fn view(&self) -> ChouetteView {
        let members = self.game.iter().flat_map(ChouetteGame::team).map(|member| MemberView {
            seat: member.seat + 1,
            cube: member.game.cube(),
            playing: member.game.result().is_none(),
        });
        ChouetteView {
            order: self.chouette.order().iter().map(|seat| seat + 1).collect(),
            throws: self.throws.throws.clone(),
            captain: self.captain() + 1,
            members: members.collect(),
            extras: self.game.as_ref().map_or_else(Vec::new, |game| game.extras().to_vec()),
            games: self.settled().sheet().games.to_vec(),
        }
    }

    fn box_seat(&self) -> usize {
        self.chouette.order()[0]
    }

    fn captain(&self) -> usize {
        self.game.as_ref().map_or(self.chouette.order()[1], ChouetteGame::captain)
    }

    fn game(&mut self) -> Result<&mut ChouetteGame, LiveError> {
        self.game.as_mut().ok_or(LiveError::NotOpened)
    }

    fn state(&self, member: usize) -> Option<&GameState> {
        self.game.as_ref()?.game_of(member)
    }

    fn running(&self) -> Vec<usize> {
        self.game.as_ref().map_or_else(Vec::new, ChouetteGame::running)
    }

    /// The cube of a member that the side on roll may turn next: those of the others come before
    /// that of the captain, who rolls. The one cube is the captain's.
    fn next_cube(&self) -> Option<usize> {
        let mut members = self.running();
        if self.chouette.rules().cubes == TeamCubes::One {
            members.truncate(1);
        }
        let captain = members.first().copied();
        let first = members.len().min(1);
        members.rotate_left(first);
        let is_open = |&seat: &usize| {
            !self.left.contains(&seat) && self.state(seat).is_some_and(GameState::may_double)
        };
        members.into_iter().find(|seat| is_open(seat)).or(captain.filter(is_open))
    }

    /// The member whose game against the box is decided on, or the captain.
    fn asked(&self) -> usize {
        match self.awaited() {
            Awaited::Cube(_, CubeChoice::Turn { member }) => member,
            Awaited::Cube(taker, CubeChoice::TakeExtra { .. })
            | Awaited::Cube(_, CubeChoice::GiveExtra { taker }) => taker,
            Awaited::Answer(..) => self.offered_by_cube().first().copied().unwrap_or_default(),
            _ => self.captain(),
        }
    }

    /// The members whose cube is offered now and answered together.
    fn offered_by_cube(&self) -> Vec<usize> {
        let mut offered = self.running();
        offered.retain(|&seat| {
            self.state(seat).is_some_and(|game| matches!(game.phase(), GameStage::Offered(_)))
        });
        let answers = |seat: &usize| self.state(*seat).and_then(GameState::to_act);
        if offered.first().and_then(answers) == Some(Player::Two) {
            offered.truncate(1);
        }
        offered
    }

    fn board_of(&self, member: usize) -> &MatchTable {
        let found = self.boards.iter().find(|(seat, _)| *seat == member);
        &found.unwrap_or(&self.boards[0]).1
    }

    /// The game between the two sides of the decision.
    fn asked_board(&self) -> &MatchTable {
        self.board_of(self.asked())
    }

    fn captains_board(&self) -> &MatchTable {
        self.board_of(self.captain())
    }

    /// Whose side a seat is on, as the tables count them: the box sits first.
    pub(super) fn side(&self, seat: usize) -> usize {
        usize::from(seat != self.box_seat())
    }

    /// The member of the team whose cube is decided on, where the box could mean another one.
    pub(super) fn whose_cube(&self) -> Option<usize> {
        let of_box = matches!(self.awaited(),
            Awaited::Cube(seat, _) | Awaited::Answer(seat, _) if seat == self.box_seat());
        let each = self.chouette.rules().cubes == TeamCubes::Each;
        match self.awaited() {
            Awaited::Cube(_, CubeChoice::TakeExtra { giver }) => Some(giver),
            Awaited::Cube(_, CubeChoice::GiveExtra { taker }) => Some(taker),
            _ => Some(self.asked()).filter(|_| of_box && each),
        }
    }

    /// Does the same in the games of these members.
    fn act_in(
        &mut self,
        members: &[usize],
        side: usize,
        action: &SeatAction,
    ) -> Result<SeatAction, LiveError> {
        let mut done = action.clone();
        for (_, board) in self.boards.iter_mut().filter(|(seat, _)| members.contains(seat)) {
            done = board.act(side, action)?;
        }
        Ok(done)
    }

    fn open(&mut self, seat: usize, dice: &[u8]) -> Result<(), LiveError> {
        let dice = two_dice(dice)?;
        let starter = player(self.side(seat));
        self.game = Some(self.chouette.begin_game(&OpeningThrow { starter, dice, ties: 0 })?);
        Ok(())
    }

    fn play(&mut self, side: usize, action: &SeatAction) -> Result<SeatAction, LiveError> {
        let running = self.running();
        let done = self.act_in(&running, side, action)?;
        match self.board_of(running[0]).recorder.playback().result() {
            Some(GameResult { ending: GameEnding::Played(win), .. }) => self.game()?.win(win)?,
            _ => self.game()?.end_turn()?,
        }
        Ok(done)
    }

    /// An answer to a cube, by a member or by the box.
    fn answer(&mut self, side: usize, action: &SeatAction) -> Result<SeatAction, LiveError> {
        let members = self.offered_by_cube();
        let game = self.game()?;
        match action {
            SeatAction::Take => game.take(&members),
            SeatAction::Drop => game.drop_offer(&members),
            _ => game.beaver(&members),
        }?;
        self.act_in(&members, side, action)
    }

    fn try_act(&mut self, seat: usize, action: &SeatAction) -> Result<SeatAction, LiveError> {
        use CubeChoice::{GiveExtra, TakeExtra, Turn};
        let (side, awaited) = (self.side(seat), self.awaited());
        match (&awaited, action) {
            (Awaited::Opening, SeatAction::Roll { dice: Some(dice) }) => {
                self.open(seat, dice)?;
                return self.act_in(&self.running(), side, action);
            }
            (Awaited::Roll(_) | Awaited::Cube(_, Turn { .. }), SeatAction::Roll { .. }) => {
                // Who rolls leaves all cubes alone; only the box and the captain roll.
                if side == 1 && matches!(awaited, Awaited::Cube(..)) {
                    let expected = "double, or leave the cube".to_owned();
                    return Err(LiveError::NotAwaited { action: "roll".to_owned(), expected });
                }
                self.game()?.roll()?;
                self.left.clear();
                return self.act_in(&self.running(), side, action);
            }
            (Awaited::Play(_), SeatAction::Play { .. }) => return self.play(side, action),
            (Awaited::Answer(..), SeatAction::Take | SeatAction::Drop | SeatAction::Beaver) => {
                return self.answer(side, action);
            }
            (Awaited::Roll(_) | Awaited::Cube(_, Turn { .. }), SeatAction::Double) => {
                let members = match self.chouette.rules().cubes {
                    TeamCubes::One => self.running(),
                    TeamCubes::Each => vec![self.asked()],
                };
                self.game()?.double(&members)?;
                return self.act_in(&members, side, action);
            }
            (Awaited::Cube(_, Turn { member }), SeatAction::Leave) => self.left.push(*member),
            (Awaited::Cube(giver, GiveExtra { taker }), SeatAction::Extra) => {
                match self.game()?.extras_are_mandatory() {
                    true => self.game()?.extra(*giver, *taker)?,
                    false => self.offered = Some((*giver, *taker)),
                }
            }
            (Awaited::Cube(giver, GiveExtra { .. }), SeatAction::Leave) => self.left.push(*giver),
            (Awaited::Cube(taker, TakeExtra { giver }), SeatAction::Take | SeatAction::Leave) => {
                self.offered = None;
                match action {
                    SeatAction::Take => self.game()?.extra(*giver, *taker)?,
                    _ => self.left.push(*giver),
                }
            }
            _ => {
                let action = action.name();
                return Err(LiveError::Play(format!("{action:?} is no act of a chouette")));
            }
        }
        Ok(action.clone())
    }
}

impl Turn for ChouetteTable {
    fn brief(&self) -> &'static str {
        self.boards[0].1.brief()
    }

    fn awaited(&self) -> Awaited {
        let Some(game) = &self.game else { return Awaited::Opening };
        let running = game.running();
        let Some(state) = running.first().and_then(|&seat| game.game_of(seat)) else {
            let gains = (0..self.setup.names.len()).map(|seat| game.payment(seat) as f64);
            return Awaited::GameOver(GameEnd {
                winner: None,
                gains: gains.collect(),
                how: String::new(),
            });
        };
        if let Some(&member) = self.offered_by_cube().first()
            && let Some(state) = game.game_of(member)
            && let GameStage::Offered(offer) = state.phase()
        {
            let by_box = state.to_act() == Some(Player::One);
            return Awaited::Answer(if by_box { self.box_seat() } else { member }, offer);
        }
        let is_box = state.on_roll() == Player::One;
        let mover = if is_box { self.box_seat() } else { game.captain() };
        if state.phase() == GameStage::AfterRoll {
            return Awaited::Play(mover);
        }
        if let Some((giver, taker)) = self.offered {
            return Awaited::Cube(taker, CubeChoice::TakeExtra { giver });
        }
        let gives = |(giver, _): &(usize, usize)| !self.left.contains(giver);
        if let Some((giver, taker)) = game.open_extras().into_iter().find(gives) {
            return Awaited::Cube(giver, CubeChoice::GiveExtra { taker });
        }
        match self.next_cube().filter(|_| game.cubes() == TeamCubes::Each) {
            Some(member) if is_box => Awaited::Cube(mover, CubeChoice::Turn { member }),
            Some(member) if member != mover => Awaited::Cube(member, CubeChoice::Turn { member }),
            _ => Awaited::Roll(mover),
        }
    }

    fn on_roll(&self) -> Option<usize> {
        let on_roll = self.game.as_ref()?.on_roll();
        let is_box = on_roll.map_or(self.boards[0].1.on_roll() == Some(0), |it| it == Player::One);
        Some(if is_box { self.box_seat() } else { self.captain() })
    }

    fn thrown(&self) -> (usize, u8) {
        self.captains_board().thrown()
    }

    fn throw(&self, rng: &mut ChaCha8Rng) -> (usize, Vec<u8>) {
        let (side, dice) = self.captains_board().throw(rng);
        (if side == 0 { self.box_seat() } else { self.captain() }, dice)
    }

    fn act(&mut self, seat: usize, action: &SeatAction) -> Result<SeatAction, LiveError> {
        let mut next = self.clone();
        let done = next.try_act(seat, action)?;
        *self = next;
        Ok(done)
    }

    fn next_game(&mut self) -> Result<(), LiveError> {
        self.chouette.record(self.game.as_ref().ok_or(LiveError::GameRuns)?)?;
        let (setup, throws) = (self.setup.clone(), self.throws.clone());
        *self = Self::begin(self.start, setup, throws, self.chouette.clone())?;
        Ok(())
    }

    fn roll(&self) -> Option<Vec<u8>> {
        self.captains_board().roll()
    }

    fn plays(&self) -> Vec<String> {
        self.captains_board().plays()
    }

    fn cubed(&self) -> Option<&MatchTable> {
        Some(self.asked_board())
    }

    fn chouette(&self) -> Option<&ChouetteTable> {
        Some(self)
    }

    /// Whether the side on roll may turn a cube before it rolls.
    fn may_double(&self) -> bool {
        matches!(self.awaited(), Awaited::Roll(_)) && self.next_cube().is_some()
    }

    fn evaluate(&self, asking: &TableQuestion<'_>) -> Result<PositionValue> {
        self.captains_board().evaluate(asking)
    }

    /// What is paid, who is captain from now on, and who is the next box.
    fn reasons(&self, seat: usize, action: &SeatAction) -> Vec<String> {
        let mut after = self.clone();
        let done = after.try_act(seat, action).is_ok();
        let (true, Some(before), Some(game)) = (done, &self.game, &after.game) else {
            return Vec::new();
        };
        let names = &self.setup.names;
        let gains = names.iter().enumerate().filter_map(|(seat, name)| {
            let gain = game.payment(seat) - before.payment(seat);
            (gain != 0).then(|| format!("{name} {gain:+}"))
        });
        let gains: Vec<String> = gains.collect();
        let mut reasons = Vec::new();
        if !gains.is_empty() {
            reasons.push(format!("points: {}", gains.join(", ")));
        }
        if game.running().is_empty() {
            let next = after.settled().order()[0];
            let stays = next == self.box_seat();
            let what = if stays { "stays the box" } else { "is the next box" };
            reasons.push(format!("{} {what}", names[next]));
        } else if game.captain() != before.captain() {
            reasons.push(format!("{} is captain now", names[game.captain()]));
        }
        reasons
    }

    fn drawing(&self, user: usize, names: &[String]) -> Board {
        let asked = self.asked();
        let names =
            [self.box_seat(), asked].map(|seat| names.get(seat).cloned().unwrap_or_default());
        self.board_of(asked).drawing(self.side(user), &names)
    }

    fn board(&self, user: usize) -> GameBoard {
        self.captains_board().board(self.side(user))
    }

    fn position(&self) -> String {
        Turn::position(self.asked_board())
    }

    /// Who has dropped a double has thought it too strong, and who has taken it has not: so the
    /// one gives an extra and the other takes it.
    fn decide(&self, seat: usize, asking: &TableQuestion<'_>) -> Result<SeatAction> {
        let board = self.asked_board();
        let act = || board.decide(self.side(seat), asking);
        match self.awaited() {
            Awaited::Cube(_, CubeChoice::GiveExtra { .. }) => Ok(SeatAction::Extra),
            Awaited::Cube(_, CubeChoice::TakeExtra { .. }) => Ok(SeatAction::Take),
            Awaited::Cube(_, CubeChoice::Turn { .. }) => Ok(match act()? {
                SeatAction::Double => SeatAction::Double,
                _ => SeatAction::Leave,
            }),
            Awaited::Roll(_) if !self.may_double() => Ok(SeatAction::Roll { dice: None }),
            _ => act(),
        }
    }

    fn hint(&self, asking: &TableQuestion<'_>) -> Result<Hint> {
        match self.awaited() {
            Awaited::Cube(_, CubeChoice::GiveExtra { .. } | CubeChoice::TakeExtra { .. }) => {
                Ok(Hint::Extra { worth: self.asked_board().extra(asking)? })
            }
            Awaited::Roll(_) if !self.may_double() => Ok(Hint::Nothing),
            _ => self.asked_board().hint(asking),
        }
    }

    fn mistake(&self, action: &SeatAction, asking: &TableQuestion<'_>) -> Result<Option<Mistake>> {
        let action = match (self.awaited(), action) {
            (
                Awaited::Cube(_, choice),
                SeatAction::Extra | SeatAction::Take | SeatAction::Leave,
            ) if !matches!(choice, CubeChoice::Turn { .. }) => {
                let worth = self.asked_board().extra(asking)?;
                let (does, gain) = match choice {
                    CubeChoice::GiveExtra { .. } => (SeatAction::Extra, worth),
                    _ => (SeatAction::Take, -worth),
                };
                let better = if gain > 0.0 { does } else { SeatAction::Leave };
                let loss = if *action == better { 0.0 } else { gain.abs() };
                let [chosen, better] = [action, &better].map(|action| action.name().to_owned());
                return Ok(Some(Mistake { chosen, better, loss }));
            }
            (Awaited::Roll(_), SeatAction::Roll { .. }) if !self.may_double() => return Ok(None),
            (_, SeatAction::Leave) => &SeatAction::Roll { dice: None },
            _ => action,
        };
        self.asked_board().mistake(action, asking)
    }
}

impl From<ChouetteError> for LiveError {
    fn from(error: ChouetteError) -> Self {
        Self::Chouette(error.to_string())
    }
}
