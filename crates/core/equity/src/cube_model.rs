//! The cube model of one position at many cubes, as a search asks for it.

use tavola_rules::Cube;

use crate::janowski::{Efficiency, Knots};
use crate::probs::Probs;
use crate::stakes::{Expectation, GammonRates, Stakes};

/// Cubes, from the first one on, whose turning points a [`CubeModel`] keeps.
const KEPT: usize = 5;

/// The cube model of one position: what its values at several cubes have in common is computed
/// once.
///
/// ```
/// use tavola_equity::{CubeModel, EfficiencyModel, Probs, Stage, Stakes};
/// use tavola_rules::{Cube, CubeOwner, Options};
///
/// let probs = Probs { win: 0.7, win_gammon: 0.2, ..Probs::default() };
/// let money = Stakes::money(&Options::default())?;
/// let efficiency = EfficiencyModel::default().at(Stage::Contact);
/// let model = CubeModel::new(&money, &probs, 0);
/// let doubled = Cube::new(1, CubeOwner::Opponent)?;
/// assert_eq!(model.value(doubled, efficiency), money.cubeful(&probs, doubled, efficiency));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CubeModel<'a> {
    stakes: &'a Stakes,
    rates: GammonRates,
    win: f64,
    first: u8,
    knots: [Option<Knots>; KEPT],
}

impl<'a> CubeModel<'a> {
    /// For cubes of 2^`first` and the next ones above; other cubes take longer.
    pub fn new(stakes: &'a Stakes, probs: &Probs, first: u8) -> Self {
        let rates = GammonRates::of(probs);
        let mut knots = [None; KEPT];
        if let Some(last) = stakes.last_turn() {
            let mut next = None;
            for exponent in (first..last).rev() {
                next = stakes.knots_before(&rates, exponent, next);
                if let Some(slot) = knots.get_mut(usize::from(exponent - first)) {
                    *slot = next;
                }
            }
        } else {
            knots = [Some(stakes.endless_knots(&rates)); KEPT];
        }
        Self { stakes, rates, win: f64::from(probs.win), first, knots }
    }

    /// As [`Stakes::cubeful`].
    pub fn value(&self, cube: Cube, efficiency: Efficiency) -> Expectation {
        let (exponent, owner) = (cube.exponent(), cube.owner());
        let automatic = self.stakes.turn_costs_nothing(&self.rates, exponent, owner);
        let place = exponent.checked_sub(self.first).map(usize::from);
        let knots = if efficiency.of(owner) <= 0.0 && !automatic {
            None
        } else {
            let kept = place.and_then(|place| self.knots.get(place));
            kept.map_or_else(|| self.stakes.knots(&self.rates, exponent), |kept| *kept)
        };
        let (rates, x) = (&self.rates, efficiency.of(owner));
        Expectation(if automatic {
            self.stakes.line_over(rates, exponent, owner, efficiency, automatic, knots).at(self.win)
        } else {
            self.stakes.value_over(rates, exponent, owner, x, knots, self.win)
        })
    }
}

#[cfg(test)]
mod tests {
    use tavola_rules::{CubeOwner, MatchScore, Options};

    use super::*;
    use crate::MatchEquityTable;

    /// The value at one place of the whole line by winning probability, to the last bit.
    #[track_caller]
    fn check(stakes: &Stakes, probs: &Probs, efficiency: Efficiency) {
        let rates = GammonRates::of(probs);
        for first in 0..3 {
            let model = CubeModel::new(stakes, probs, first);
            for exponent in 0..8 {
                for owner in [CubeOwner::Center, CubeOwner::Player, CubeOwner::Opponent] {
                    let Ok(cube) = Cube::new(exponent, owner) else { continue };
                    let line = stakes.line(&rates, exponent, owner, efficiency);
                    let expected = line.at(f64::from(probs.win));
                    let found = model.value(cube, efficiency).0;
                    assert!(expected.to_bits() == found.to_bits(), "{probs:?} {cube:?}: {found}");
                    assert_eq!(found, stakes.cubeful(probs, cube, efficiency).0);
                }
            }
        }
    }

    #[test]
    fn every_cube_has_the_value_of_its_line() {
        let options = Options::default();
        let table = MatchEquityTable::kazaross_xg2();
        let mut all = vec![Stakes::money(&options).unwrap()];
        let limited = Options { cube_limit: Some(8), ..options };
        all.push(Stakes::money(&limited).unwrap());
        all.push(Stakes::money(&Options { jacoby: true, ..options }).unwrap());
        for (length, player, opponent) in [
            (1, 0, 0),
            (3, 0, 1),
            (3, 1, 1),
            (5, 0, 0),
            (5, 3, 0),
            (7, 2, 5),
            (9, 8, 4),
            (25, 0, 7),
        ] {
            let score = MatchScore::new(length, player, opponent).unwrap();
            all.push(Stakes::for_match(score, table, &options).unwrap());
        }
        let efficiencies = [
            Efficiency::DEAD,
            Efficiency::LIVE,
            Efficiency::new(0.83, 0.68, 0.57, 0.95).unwrap(),
            Efficiency::new(0.0, 0.68, 0.0, 0.0).unwrap(),
        ];
        // Every winning probability with a few rates of gammons.
        for (step, rate) in (0..=40).flat_map(|step| (0..4).map(move |rate| (step, rate))) {
            let win = step as f32 / 40.0;
            let (g, b) = [(0.0, 0.0), (0.2, 0.01), (0.6, 0.1), (1.0, 0.5)][rate];
            let probs = Probs {
                win,
                win_gammon: win * g,
                win_backgammon: win * b,
                lose_gammon: (1.0 - win) * g / 2.0,
                lose_backgammon: (1.0 - win) * b / 2.0,
            };
            for stakes in &all {
                for &efficiency in &efficiencies {
                    check(stakes, &probs, efficiency);
                }
            }
        }
    }
}
