//! What positions with a cube turned out to be worth: games to learn the cube from.
//!
//! Two players who follow one evaluator play for money with the cube. For every roll of their games
//! the cube model says what the position is worth with a dead cube and with a fully live one; what
//! it turned out to be worth is the result of the game, per unit of the cube at the roll, less the
//! luck of this roll and of all that followed ([`LuckMeter::of_seat_one`]), which has the same mean
//! and a fraction of the spread. A model of the cube is to say where between the two it lies.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use tavola_equity::{Efficiency, OutcomeProbs};
use tavola_evaluator::{CubefulEvaluator, Evaluator};
use tavola_rules::{Backgammon, CubeOwner, Options, Player, Position};

use tavola_play::{
    AgentError, Contender, CubeTerms, CubefulAgent, DEFAULT_MAX_TURNS, Format, GameLoop,
    LuckEvaluator, LuckMeter, Workers,
};

/// A position before a roll of a game for money, after the decision about the cube. All is seen by
/// the player on roll; worths are points per unit of the cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeSample {
    /// The checkers.
    pub position: Position,
    /// Who may turn the cube next.
    pub owner: CubeOwner,
    /// The worth by these probabilities if the cube were never turned again.
    pub dead: f64,
    /// The worth by these probabilities if the cube were always turned at the perfect moment.
    pub live: f64,
    /// What the game brought, less the luck of this roll and of all later ones.
    pub turned_out: f64,
}

/// What `digest` makes of the samples of each game of `evaluator` against itself for money, without
/// a limit of the cube: one sample for each roll, in order, without the opening roll, before which
/// nobody could double. A game that was given up as too long has none. `luck` reduces the variance.
/// The answer is the same on any number of threads.
pub fn sample_games<T: Send>(
    evaluator: &CubefulEvaluator,
    luck: &LuckEvaluator<'_, Backgammon>,
    games: Range<u64>,
    seed: u64,
    workers: Workers<'_>,
    digest: impl Fn(Vec<CubeSample>) -> T + Sync,
) -> Result<Vec<T>, AgentError> {
    let options = Options::default();
    let terms = CubeTerms::money(&options).expect("default options fit");
    let originals = Mutex::new((evaluator.fork(), LuckMeter::new(options.start, luck)));
    let games = workers.run(
        games,
        || {
            let originals = originals.lock().unwrap_or_else(PoisonError::into_inner);
            let (evaluator, meter) = &*originals;
            Desk {
                games: GameLoop::new(options.start, DEFAULT_MAX_TURNS),
                seats: [0, 1].map(|_| Box::new(CubefulAgent::new(evaluator.fork())) as _),
                evaluator: evaluator.evaluator().fork(),
                luck: meter.fork(),
            }
        },
        |desk, game| {
            let samples = desk.samples(&terms, seed, game)?;
            Ok(digest(samples))
        },
    );
    games.into_iter().collect()
}

/// What a thread needs.
struct Desk {
    games: GameLoop<Backgammon>,
    seats: [Box<dyn Contender<Backgammon>>; 2],
    evaluator: Box<dyn Evaluator<Backgammon>>,
    luck: LuckMeter<Backgammon>,
}

impl Desk {
    fn samples(
        &mut self,
        terms: &CubeTerms,
        seed: u64,
        game: u64,
    ) -> Result<Vec<CubeSample>, AgentError> {
        let [one, two] = &mut self.seats;
        let played = terms.play(&mut self.games, None, [one.as_mut(), two.as_mut()], seed, game)?;
        let Some(score) = played.score else { return Ok(Vec::new()) };
        let traced = &played.traces[0];
        let both = traced.stakes.as_ref().expect("a game with a cube has stakes");
        // From seat one, less the luck from the roll in question on.
        let mut turned_out = f64::from(score.points);
        let positions: Vec<_> = traced.rolls.iter().map(|rolled| rolled.state).collect();
        let mut evaluated: Vec<OutcomeProbs> = Vec::new();
        self.evaluator.evaluate(&positions, &mut evaluated);
        let mut samples = Vec::with_capacity(positions.len());
        for (rolled, probs) in traced.rolls.iter().zip(&evaluated).rev() {
            if rolled.opening {
                break;
            }
            turned_out -= self.luck.of_seat_one(terms, traced, rolled);
            let stakes = &both[rolled.by.index()];
            let points = f64::from(rolled.cube.value());
            let cumulative = probs.cumulative();
            let expectation =
                |efficiency| stakes.cubeful(&cumulative, rolled.cube, efficiency).0 / points;
            let mover = if rolled.by == Player::One { 1.0 } else { -1.0 };
            samples.push(CubeSample {
                position: rolled.state,
                owner: rolled.cube.owner(),
                dead: expectation(Efficiency::DEAD),
                live: expectation(Efficiency::LIVE),
                turned_out: mover * turned_out / points,
            });
        }
        samples.reverse();
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use tavola_evaluator::PipCountEvaluator;

    use super::*;

    fn games(range: Range<u64>, threads: usize) -> Vec<Vec<CubeSample>> {
        let pips = PipCountEvaluator::new(Backgammon::Standard);
        let evaluator = CubefulEvaluator::new(Backgammon::Standard, Box::new(pips.clone()), None);
        let luck = LuckEvaluator { evaluator: &pips, pruning: None };
        let (threads, cancel) = (NonZeroUsize::new(threads).unwrap(), AtomicBool::new(false));
        let workers = Workers { threads, cancel: &cancel };
        sample_games(&evaluator, &luck, range, 5, workers, |game| game).unwrap()
    }

    #[test]
    fn samples_are_the_same_in_any_order_on_any_number_of_threads() {
        let all = games(0..6, 1);
        assert_eq!(all.len(), 6);
        assert_eq!(all, games(0..6, 3));
        assert_eq!(all[4..], games(4..6, 1));
    }

    #[test]
    fn a_live_cube_is_worth_more_to_its_owner_and_less_to_the_other() {
        let games = games(0..20, 2);
        let samples: Vec<_> = games.iter().flatten().collect();
        let mut seen = [0; 3];
        for sample in samples {
            let CubeSample { owner, dead, live, .. } = *sample;
            match owner {
                CubeOwner::Center => seen[0] += 1,
                CubeOwner::Player => {
                    assert!(live >= dead - 1e-9, "{sample:?}");
                    seen[1] += 1;
                }
                CubeOwner::Opponent => {
                    assert!(live <= dead + 1e-9, "{sample:?}");
                    seen[2] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
    }
}
