//! The engine of the old games: the tables games after their [`Rules`], and what others share with
//! them.

use std::fmt;

use rand::Rng;
use tavola_rules::{Cell, Game, Outcome, WinKind};

use crate::dice::TablesDice;
use crate::distinct::{DedupSet, Turn};
use crate::ludus;
use crate::options::{Inheritance, OldOptions, Switch};
use crate::rules::{DiceOrder, FirstTurnRule, Goal, LockRule, Rules, Stake, Start, StuckRule};
use crate::state::{
    BAR, BARATAS, CHECKERS, FIRST_TURN, INHERITED, LOST, MARKED, MARKED_OFF, OFF, OPPONENT_OFF,
    OPPONENT_TALLY, OldState, WAIT,
};
use crate::steps::{Dice, MoveTrace};
use crate::trictrac;

/// Baratas that lose the game.
const LAST_BARATA: i8 = 4;

/// A historical game for two with its options: Tabula, Puff, Fallas, El Emperador, Buffa de Baldrac,
/// Todas Tablas, Ludus duodecim scriptorum or Le Grand Trictrac.
///
/// A turn of the [`Game`] trait is a roll and its play. Playing inherited dice before the roll
/// (Buffa) or rolling again (three equal dice in Ludus, a new set in Trictrac, an option of Puff) is
/// a turn of its own. The other player has one in between in which nothing can happen, whatever the
/// roll. So the players always alternate, and the number of turns counts these too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OldGame {
    options: OldOptions,
    rules: Rules,
}

impl OldGame {
    /// The game with these options.
    pub fn new(options: OldOptions) -> Self {
        Self { options, rules: options.rules() }
    }

    /// The game and its options.
    pub const fn options(&self) -> &OldOptions {
        &self.options
    }

    pub(crate) const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The opponent's number of the point `point` of the player on roll.
    ///
    /// # Panics
    ///
    /// If there is no such point.
    pub fn opposite(&self, point: usize) -> usize {
        assert!((1..=24).contains(&point), "point {point}, expected 1 to 24");
        self.rules.opposite.point(point)
    }

    /// Pips that the player on roll still has to travel, each checker to the place after the last
    /// point; where marked checkers alone win, theirs.
    pub fn pips(&self, state: &OldState) -> u32 {
        let (cells, places) = (state.cells(), &self.rules.places);
        let count = |point: usize| {
            let marked = if self.rules.marked > 0 { state.marked(point).max(0) } else { 0 };
            match self.rules.goal {
                Goal::Marked => marked,
                Goal::All => cells[point].max(0) + marked,
            }
        };
        let way = places.last + 1;
        let board: u32 = (1..way).map(|point| count(point) as u32 * (way - point) as u32).sum();
        board + way as u32 * (cells[places.bar[0]] as u32 + cells[places.hand[0]] as u32)
    }

    /// Whether the player on roll is locked out, so that the turn is a Barata (E-08).
    pub(crate) fn is_barata(&self, state: &OldState) -> bool {
        let LockRule::Barata { zone } = self.rules.lock else { return false };
        state.cells[BAR] > 0
            && (1..=usize::from(zone)).all(|point| !self.rules.may_land(state, point))
    }

    /// Whether neither side can move with any die, now or ever (E-11).
    fn is_dead(&self, state: &OldState) -> bool {
        if !self.rules.can_be_dead() || self.can_move(state) {
            return false;
        }
        let other = self.flip(state);
        !self.is_barata(state) && !self.is_barata(&other) && !self.can_move(&other)
    }

    /// Whether the player on roll could play some die.
    fn can_move(&self, state: &OldState) -> bool {
        let turn: Turn<()> = Turn::new(*state);
        (1..=6).any(|die| self.rules.can_step(&turn, Dice::Free, die))
    }

    /// Everything that `dice` allow: the turns that play the most of them, and what is left.
    pub(crate) fn rolled<T: MoveTrace>(
        &self,
        state: &OldState,
        dice: TablesDice,
    ) -> PlayedTurns<T> {
        let kind = match (self.rules.first_turn, state.cells[FIRST_TURN]) {
            (FirstTurnRule::EnterEach, 1) => Dice::First,
            _ => Dice::Free,
        };
        let turn = Turn::new(*state);
        match self.rules.order {
            DiceOrder::Free => self.rules.most_dice(turn, kind, dice.numbers()),
            DiceOrder::LowFirst => self.rules.in_order(turn, dice),
        }
    }

    /// Every distinct result of `dice`, seen by the opponent, with one way to reach it.
    pub(crate) fn turns<T: MoveTrace>(
        &self,
        state: &OldState,
        dice: TablesDice,
        mut found: impl FnMut(&T, OldState),
    ) {
        let wait = self.rules.places.wait;
        if state.cells[wait] > 0 {
            let mut after = *state;
            after.cells[wait] = 0;
            return found(&T::default(), self.flip(&after));
        }
        match self.options {
            OldOptions::Ludus(options) => {
                options.turns::<T>(state, dice, |way, after| found(way, self.flip(&after)));
            }
            OldOptions::Trictrac(options) => {
                options.turns(state, dice, |play, after| found(&T::of(&play), after));
            }
            _ if self.rules.order == DiceOrder::LowFirst => {
                // Where each checker moves but once, equal states may remember other moves.
                let mut seen = DedupSet::<Turn<()>>::new();
                self.tables_turns::<T>(state, dice, |way, after| {
                    if seen.insert(Turn::new(after)) {
                        found(way, after);
                    }
                });
            }
            _ => self.tables_turns::<T>(state, dice, found),
        }
    }

    /// Every way to play `dice` in a tables game, where the player does not wait.
    fn tables_turns<T: MoveTrace>(
        &self,
        state: &OldState,
        dice: TablesDice,
        mut found: impl FnMut(&T, OldState),
    ) {
        let nothing = T::default();
        let mut after = *state;
        if self.is_heir(state) {
            self.inherited(state, found);
        } else if self.is_barata(state) {
            after.cells[BARATAS] += 1;
            found(&nothing, self.flip(&after));
        } else {
            let PlayedTurns { turns, played, unused } = self.rolled::<T>(state, dice);
            for Turn { mut state, trail, .. } in turns {
                if self.rules.first_turn == FirstTurnRule::EnterEach {
                    state.cells[FIRST_TURN] = 0;
                }
                if played == 0 && self.rules.stuck == StuckRule::Loses {
                    state.cells[LOST] = 1;
                }
                if self.rules.extra_roll == Switch::On && dice.is_double() {
                    state.cells[WAIT] = -1;
                }
                self.leave(&mut state, played, &unused);
                found(&trail, self.flip(&state));
            }
        }
    }

    /// Leaves unused dice to the opponent, if the opponent can play one of them.
    fn leave(&self, state: &mut OldState, played: usize, unused: &[u8]) {
        let left = match self.rules.inherit {
            None => false,
            Some(Inheritance::Dice) => !unused.is_empty(),
            Some(Inheritance::WholeRoll) => played == 0,
        };
        if !left || self.rules.is_won(state) {
            return;
        }
        let other = Turn::<()>::new(self.flip(state));
        if unused.iter().any(|&die| self.rules.can_step(&other, Dice::Free, usize::from(die))) {
            for &die in unused {
                state.cells[INHERITED - 1 + usize::from(die)] -= 1;
            }
        }
    }

    /// Any of the inherited dice, in any order, or none (B-06); then the same player rolls.
    fn inherited<T: MoveTrace>(&self, state: &OldState, mut found: impl FnMut(&T, OldState)) {
        let mut dice = Vec::new();
        let mut before = *state;
        for number in (0..6).rev() {
            let cell = &mut before.cells[INHERITED + number];
            dice.extend((0..*cell).map(|_| number as u8 + 1));
            *cell = 0;
        }
        // The opponent has a turn in between, in which they wait.
        before.cells[WAIT] = -1;
        let mut all = DedupSet::new();
        for (_, turns) in self.rules.every_subset::<T>(Turn::new(before), Dice::Free, &dice) {
            for turn in turns {
                all.insert(turn);
            }
        }
        for turn in all.into_vec() {
            found(&turn.trail, self.flip(&turn.state));
        }
    }

    fn outcome_of(&self, stake: Stake) -> [Outcome; 2] {
        match stake {
            Stake::Single => [Outcome::WinSingle, Outcome::LoseSingle],
            Stake::Double => [Outcome::WinGammon, Outcome::LoseGammon],
        }
    }

    /// The most that a side can still lose that has this number of checkers off.
    pub(crate) fn most_to_lose_with(&self, off: i8) -> WinKind {
        match (self.stake(off), self.rules.lock_win) {
            (Stake::Single, Stake::Single) => WinKind::Single,
            _ => WinKind::Gammon,
        }
    }

    /// The stake of bearing off first while the loser has this number of checkers off.
    fn stake(&self, loser_off: i8) -> Stake {
        if loser_off == 0 { self.rules.shut_out } else { Stake::Single }
    }
}

/// The turns that play as much of a roll as must be played.
pub(crate) struct PlayedTurns<T> {
    /// All that differ; a pass alone if nothing can be played.
    pub(crate) turns: Vec<Turn<T>>,
    /// How many dice each of them plays.
    pub(crate) played: usize,
    /// The dice that none of them plays.
    pub(crate) unused: Vec<u8>,
}

impl fmt::Debug for OldGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OldGame").field(&self.options).finish()
    }
}

impl Game for OldGame {
    type State = OldState;
    type Roll = TablesDice;

    /// That of three dice; the weights of two are made to fit.
    const TOTAL_WEIGHT: u32 = 216;

    fn id(&self) -> String {
        self.options.to_string()
    }

    fn start(&self) -> OldState {
        if let OldOptions::Trictrac(_) = self.options {
            return trictrac::start();
        }
        let mut state = OldState::EMPTY;
        let cells = &mut state.cells;
        match self.rules.start {
            Start::Hand => {
                let [hand, other] = self.rules.places.hand;
                (cells[hand], cells[other]) = (CHECKERS as i8, -(CHECKERS as i8));
            }
            Start::Points(plain, marked) => {
                for &(point, count) in plain {
                    cells[usize::from(point)] += count;
                    cells[self.opposite(point.into())] -= count;
                }
                for &(point, count) in marked {
                    cells[MARKED - 1 + usize::from(point)] += count;
                    cells[MARKED - 1 + self.opposite(point.into())] -= count;
                }
            }
        }
        if self.rules.first_turn == FirstTurnRule::EnterEach {
            (cells[FIRST_TURN], cells[OPPONENT_TALLY]) = (1, -1);
        }
        state
    }

    /// A roll like any other, as who begins was settled before (T-04, X-04); in Trictrac that was
    /// this roll, which is no double (G-04).
    fn opening_roll(&self, rng: &mut impl Rng) -> TablesDice {
        loop {
            let roll = self.roll(rng);
            if !(self.options.is_trictrac() && roll.is_double()) {
                return roll;
            }
        }
    }

    fn roll(&self, rng: &mut impl Rng) -> TablesDice {
        TablesDice::roll(self.rules.dice.get(), 6, rng)
    }

    fn rolls(&self) -> &'static [(TablesDice, u8)] {
        self.rules.dice.rolls()
    }

    fn afterstates(&self, state: &OldState, roll: TablesDice, afterstates: &mut Vec<OldState>) {
        self.turns::<()>(state, roll, |(), after| afterstates.push(after));
    }

    #[inline]
    fn flip(&self, state: &OldState) -> OldState {
        self.rules.opposite.flip(state)
    }

    fn outcome(&self, state: &OldState) -> Option<Outcome> {
        match self.options {
            OldOptions::Ludus(_) => return ludus::outcome(state),
            OldOptions::Trictrac(_) => return trictrac::outcome(state),
            _ => {}
        }
        let cells = &state.cells;
        let (off, other_off) = (cells[OFF], -cells[OPPONENT_OFF]);
        if cells[LOST] != 0 {
            let [win, lose] = self.outcome_of(Stake::Single);
            return Some(if cells[LOST] > 0 { lose } else { win });
        }
        if self.rules.is_off(off, cells[MARKED_OFF]) {
            return Some(self.outcome_of(self.stake(other_off))[0]);
        }
        if self.rules.is_off(other_off, -cells[OPPONENT_TALLY]) {
            return Some(self.outcome_of(self.stake(off))[1]);
        }
        match self.rules.lock {
            LockRule::Turn => {}
            LockRule::Barata { .. } => {
                if cells[BARATAS] + 1 >= LAST_BARATA && self.is_barata(state) {
                    return Some(self.outcome_of(self.rules.lock_win)[1]);
                }
            }
            LockRule::Prime => {
                if self.rules.is_prime(&self.flip(state)) {
                    return Some(self.outcome_of(self.rules.lock_win)[1]);
                }
                if self.rules.is_prime(state) {
                    return Some(self.outcome_of(self.rules.lock_win)[0]);
                }
            }
        }
        self.is_dead(state).then_some(Outcome::Draw)
    }

    fn largest_win(&self) -> WinKind {
        self.most_to_lose_with(0)
    }

    fn layout(&self) -> &'static [Cell] {
        self.rules.layout
    }

    fn cells(state: &OldState) -> &[i8] {
        &state.cells
    }

    fn identity_cells<'a>(&self, state: &'a OldState) -> &'a [i8] {
        &state.cells[..self.rules.identity_cells]
    }
}
