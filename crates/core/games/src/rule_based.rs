//! Players that follow a few rules of thumb: yardsticks for networks.

use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_rules::Game;

use crate::dice::DiceCount;
use crate::engine::OldGame;
use crate::ludus;
use crate::options::OldOptions;
use crate::rules::{Goal, LockRule};
use crate::state::{BAR, BARATAS, HAND, OldState};
use crate::trictrac;

/// Evaluates positions by rules of thumb of the game for who is ahead; only single wins count. A
/// player that follows it plays soundly, but looks no further than the next roll and has no plan.
#[derive(Clone, Debug)]
pub struct RuleBasedEvaluator {
    game: OldGame,
}

impl RuleBasedEvaluator {
    /// The player of this game.
    pub const fn new(game: OldGame) -> Self {
        Self { game }
    }
}

impl Evaluator<OldGame> for RuleBasedEvaluator {
    fn evaluate(&mut self, states: &[OldState], out: &mut Vec<OutcomeProbs>) {
        out.clear();
        out.extend(states.iter().map(|state| match self.game.outcome(state) {
            Some(outcome) => OutcomeProbs::certain(outcome),
            None => OutcomeProbs::single(self.game.win_probability(state)),
        }));
    }

    fn fork(&self) -> Box<dyn Evaluator<OldGame>> {
        Box::new(self.clone())
    }
}

/// What a point with two checkers or more is worth, in pips, for each opponent who has to pass.
const GUARD: f32 = 0.3;
/// What such a point is worth where no opponent has to pass.
const PAIR: f32 = 0.4;
/// What an unmarked checker on the board is worth in Fallas while marked enemies must pass it.
const BLOCKER: f32 = 1.5;
/// What it costs to wait in hand in Puff.
const WAITING: f32 = 3.0;
/// What a checker on the bar costs for each closed entry point.
const CLOSED_ENTRY: f32 = 2.0;
/// What the first Barata costs; the second twice as much and so on.
const BARATA: f32 = 8.0;
/// What it costs to be locked out before the Barata is counted.
const LOCKED: f32 = 25.0;

impl OldGame {
    /// How the player on roll of `mine` stands, in pips, seen alone: less is better. `theirs` is
    /// the same position seen by the opponent; `exposure` is the weight of what may be hit.
    fn burden(&self, mine: &OldState, theirs: &OldState, exposure: f32) -> f32 {
        let cells = mine.cells();
        let marked_only = self.rules().marked > 0;
        let mut burden = self.pips(mine) as f32;
        // Where the opponent's checkers may come from, in the numbering of the mover: their
        // distance to a point.
        let enemies_behind: Vec<usize> = self.enemies(theirs);
        for point in 1..=24 {
            let count = mine.plain(point).max(0);
            let marked = if marked_only { mine.marked(point).max(0) } else { 0 };
            let here = self.opposite(point);
            let passing = enemies_behind.iter().filter(|&&enemy| enemy < here).count() as f32;
            if marked_only {
                if marked == 1 && count == 0 {
                    burden += exposure * self.hit_probability(here, &enemies_behind) * point as f32;
                }
                if count > 0 && passing > 0.0 {
                    burden -= BLOCKER * f32::from(count.min(2)) * (passing / 2.0).min(1.0);
                }
            } else if count == 1 {
                burden += exposure * self.hit_probability(here, &enemies_behind) * point as f32;
            } else if count >= 2 {
                burden -= PAIR + GUARD * passing.min(6.0) / 3.0;
            }
        }
        let waiting = f32::from(cells[BAR]);
        if waiting > 0.0 {
            let closed = (1..=6).filter(|&point| !self.rules().may_land(mine, point)).count();
            burden += waiting * CLOSED_ENTRY * closed as f32;
        }
        match self.options() {
            OldOptions::Puff(_) => burden += WAITING * f32::from(cells[HAND]),
            OldOptions::Emperador(_) => {
                // Own checkers close their own entry points.
                let own: f32 = (1..=6).map(|point| f32::from(cells[point].clamp(0, 1))).sum();
                burden += own * (1.0 + waiting);
                if matches!(self.rules().lock, LockRule::Barata { .. }) {
                    let count = f32::from(cells[BARATAS].max(0));
                    burden += BARATA * count * (count + 1.0) / 2.0;
                    burden += if self.is_barata(mine) { LOCKED * (1.0 + count) } else { 0.0 };
                }
            }
            OldOptions::Buffa(_) => {
                let near: f32 = (18..=23)
                    .map(|point| f32::from(cells[point].max(0)) * (24 - point) as f32)
                    .sum();
                burden += near / 2.0;
            }
            OldOptions::Tabula(_)
            | OldOptions::Fallas(_)
            | OldOptions::TodasTablas(_)
            | OldOptions::Ludus(_)
            | OldOptions::Trictrac(_) => {}
        }
        burden
    }

    /// Where the checkers of a side are, in its own numbering; 0 for those that wait.
    fn enemies(&self, side: &OldState) -> Vec<usize> {
        let cells = side.cells();
        let marked = self.rules().marked > 0;
        let mut places = vec![0; (cells[BAR] + cells[HAND]).max(0) as usize];
        for point in 1..=24 {
            if side.plain(point) > 0 || (marked && side.marked(point) > 0) {
                places.push(point);
            }
        }
        places
    }

    /// The probability that a die takes one of the `enemies` to `target`, in their numbering.
    fn hit_probability(&self, target: usize, enemies: &[usize]) -> f32 {
        let mut distances = [false; 6];
        for &enemy in enemies {
            if enemy < target && target - enemy <= 6 {
                distances[target - enemy - 1] = true;
            }
        }
        let numbers = distances.iter().filter(|&&is_one| is_one).count() as f32;
        1.0 - (1.0 - numbers / 6.0).powi(self.rules().dice.get() as i32)
    }

    /// The probability of the player on roll to win a game that is not over.
    ///
    /// In every tables game the lead in the race counts, and each single checker that the other side can hit
    /// with one die counts as lost by the probability of that: the pips that it has traveled, times
    /// the probability that one of the dice shows one of the distances (half of that for the checkers
    /// of the player on roll, who moves first). A point held with two checkers counts a little, more if
    /// opponents still have to pass it. Beyond that:
    ///
    /// - **Tabula**, **todas tablas**: nothing else; single checkers far ahead of the enemy are worth most to guard.
    /// - **Puff**: checkers that wait to enter cost extra, for they hold up all others.
    /// - **Fallas**: only marked checkers race and can be hit, so each unmarked one left on the board
    ///   counts as a guard while marked enemies have to pass; those borne off are worth nothing.
    /// - **El Emperador**: a checker on the bar costs the more the fewer of its entry points are open,
    ///   own checkers there included, and every Barata so far counts more than the one before; so
    ///   it spreads out of its first six points before it races.
    /// - **Buffa de Baldrac**: checkers from 18 on have to wait for their exact number, so their pips
    ///   count half as much again.
    fn win_probability(&self, state: &OldState) -> f32 {
        let other = self.flip(state);
        match self.options() {
            OldOptions::Ludus(_) => return ludus::win_probability(state, &other),
            OldOptions::Trictrac(_) => return trictrac::win_probability(state, &other),
            _ => {}
        }
        let (mine, theirs) = (self.burden(state, &other, 0.5), self.burden(&other, state, 1.0));
        let pips_a_roll = match self.rules().dice {
            DiceCount::Two => 8.2,
            DiceCount::Three => 10.5,
        };
        // A lead counts the more the shorter the race is.
        let left = match self.rules().goal {
            Goal::Marked => 20.0,
            Goal::All => 60.0,
        } + mine.max(0.0)
            + theirs.max(0.0);
        let lead = theirs - mine + pips_a_roll / 2.0;
        1.0 / (1.0 + (-2.0 * lead / (pips_a_roll * left).sqrt()).exp())
    }
}
