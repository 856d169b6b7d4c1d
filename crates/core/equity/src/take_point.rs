//! The winning probabilities at which cube decisions turn: take, cash, doubling and too-good
//! points.

use tavola_rules::{Cube, CubeOwner};

use crate::janowski::Efficiency;
use crate::polyline::{Polyline, between};
use crate::stakes::{GammonRates, NoCube, Stakes};

/// Winning probabilities of the player on roll at which decisions turn, for one value of the cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubePoints {
    /// If the opponent doubles, the player takes from here on.
    pub take: f64,
    /// If the player may double, they double from here on; `None` if they never should.
    pub double: Option<f64>,
    /// If the player doubles, the opponent passes from here on.
    pub cash: f64,
    /// From here on the player plays on for a gammon rather than cash; `None` if cashing is always
    /// as good, so without gammons. Where it lies below [`cash`](Self::cash), a double never
    /// cashes.
    pub too_good: Option<f64>,
}

impl Stakes {
    /// The winning probabilities at which decisions about a cube like `cube` turn, while wins and
    /// losses are gammons as often as `rates` says. Its owner matters to the doubling and too-good
    /// points alone, which are those of a player who may double: an opponent's cube is treated as
    /// the player's.
    ///
    /// The efficiency chooses between dead points ([`Efficiency::DEAD`]), live ones
    /// ([`Efficiency::LIVE`]) and those in between.
    ///
    /// # Errors
    ///
    /// [`NoCube`] if no player can turn such a cube.
    pub fn points(
        &self,
        rates: &GammonRates,
        cube: Cube,
        efficiency: Efficiency,
    ) -> Result<CubePoints, NoCube> {
        let exponent = cube.exponent();
        let cube = if cube.is_available() { cube } else { cube.flip() };
        self.may_double(cube)?;
        let owner = cube.owner();
        let line = |exponent, owner| self.line(rates, exponent, owner, efficiency);
        let payoffs = self.payoffs(exponent, owner);
        let (won, lost) = (payoffs.win[0], payoffs.lose[0]);
        let holding = line(exponent, owner);
        let doubled = line(exponent + 1, CubeOwner::Opponent);
        let cash = doubled.first_at(won);
        // Rounding is in proportion to the stake.
        let tie = 1e-9 * (won - lost);
        let too_good = (holding.at(1.0) > won + tie).then(|| holding.first_at(won));
        Ok(CubePoints {
            take: line(exponent + 1, CubeOwner::Player).first_at(lost),
            double: double_point(&holding, &doubled, (cash, won), tie),
            cash,
            too_good,
        })
    }
}

/// The first place where doubling is not worse than holding: `turned` up to the cash point, the
/// cash from there on.
fn double_point(holding: &Polyline, doubled: &Polyline, cash: (f64, f64), tie: f64) -> Option<f64> {
    let gain = |place: f64| {
        let doubled = if place < cash.0 { doubled.at(place) } else { cash.1 };
        doubled - holding.at(place)
    };
    let mut places: Vec<f64> =
        holding.points().iter().chain(doubled.points()).map(|point| point.0).collect();
    places.push(cash.0);
    places.sort_by(f64::total_cmp);
    let mut left: Option<(f64, f64)> = None;
    for place in places {
        let here = (place, gain(place));
        if here.1 >= -tie {
            return Some(match left {
                // Between two points both values are straight.
                Some(left) => {
                    let share = (-left.1 / (here.1 - left.1)).min(1.0);
                    between((0.0, left.0), (1.0, place), share)
                }
                None => place,
            });
        }
        left = Some(here);
    }
    None
}
