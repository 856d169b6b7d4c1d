//! The last rolls of a game with the cube, solved for what is played for.
//!
//! The two-sided bear-off table knows the cube of money play without a limit. At a match score or
//! with a limit the cube is worth something else, and the model of the cube takes it for alive where
//! the opponent is off in a roll or two. With up to [`MOST`] checkers a side all positions and cubes
//! of one score are solved by recursion in some milliseconds, once, when the first comes up.

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use tavola_bearoff::{HomeSides, Tables, TwoSidedValues};
use tavola_equity::{OutcomeProbs, Stakes};
use tavola_rules::{Cube, CubeOwner, Dice, Outcome, Player};

use super::seated::Seated;
use super::trials::seen;
use super::utility::{both, flip, with_double};

/// Checkers of a side up to which scores are solved.
const MOST: u8 = 3;

/// Scores whose solutions are kept, 1 to 2 MB each.
const KEPT: usize = 32;

/// What the cube is worth in the last rolls, where that is known exactly.
#[derive(Clone, Debug)]
pub(super) enum Endgame {
    /// For money without a limit: by the two-sided table.
    Table(Tables),
    /// At a score or with a limit: solved at these stakes.
    AtStakes(Arc<Solution>),
}

impl Endgame {
    /// Whether the worth of a state is known, at every cube.
    pub(super) fn knows(&self, state: &Seated) -> bool {
        match self {
            Self::Table(tables) => tables.two_sided(&state.position).is_some(),
            Self::AtStakes(_) => SIDES.ranks(&state.position).is_some(),
        }
    }

    /// The worths of a state to the player on roll, if they are known.
    pub(super) fn worths(&self, state: &Seated) -> Option<Known<'_>> {
        match self {
            Self::Table(tables) => tables.two_sided(&state.position).map(Known::Table),
            Self::AtStakes(solution) => SIDES
                .ranks(&state.position)
                .map(|ranks| Known::AtStakes(solution, state.seat, ranks)),
        }
    }
}

/// The worths of a state.
pub(super) enum Known<'a> {
    Table(TwoSidedValues),
    AtStakes(&'a Solution, Player, [usize; 2]),
}

impl Known<'_> {
    /// To the player on roll at a cube that they see: without a double now, and with best use of
    /// the cube.
    pub(super) fn at(&self, cube: Cube) -> (f64, f64) {
        match self {
            Self::Table(values) => {
                let points = f64::from(cube.value());
                let worth = |equity: f32| points * f64::from(equity);
                (worth(values.no_double(cube.owner())), worth(values.cubeful(cube.owner())))
            }
            Self::AtStakes(solution, seat, ranks) => solution.worth(*seat, *ranks, cube),
        }
    }
}

/// The sides with few enough checkers.
static SIDES: LazyLock<HomeSides> = LazyLock::new(|| HomeSides::new(MOST));

/// The solution for stakes, which may be known already.
pub(super) fn at_stakes(stakes: &Stakes) -> Endgame {
    static KNOWN: Mutex<Vec<Arc<Solution>>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let solution = match known.iter().position(|solution| solution.stakes[0] == *stakes) {
        Some(at) => known.remove(at),
        None => Arc::new(Solution { stakes: both(stakes), worths: OnceLock::new() }),
    };
    known.truncate(KEPT - 1);
    known.insert(0, Arc::clone(&solution));
    Endgame::AtStakes(solution)
}

/// All endgames at some stakes.
#[derive(Debug)]
pub(super) struct Solution {
    /// Seen by each seat.
    stakes: [Stakes; 2],
    worths: OnceLock<Worths>,
}

/// To the player on roll: without a double now, and with best use of the cube.
type Worth = [f32; 2];

#[derive(Debug)]
struct Worths {
    /// By seat, ranks of the two sides and cube.
    of: Vec<Worth>,
    /// Cubes: three for each turn.
    cubes: usize,
}

/// Places of the cube.
const OWNERS: [CubeOwner; 3] = [CubeOwner::Center, CubeOwner::Player, CubeOwner::Opponent];

/// The number of a cube that seat one sees among `cubes` of them: those above the highest that
/// matters are worth what that is worth.
fn number(cube: Cube, cubes: usize) -> usize {
    let exponent = usize::from(cube.exponent()).min(cubes / OWNERS.len() - 1);
    OWNERS.len() * exponent + cube.owner() as usize
}

impl Solution {
    fn worth(&self, seat: Player, ranks: [usize; 2], cube: Cube) -> (f64, f64) {
        let worths = self.worths.get_or_init(|| self.solve());
        let number = number(seen(cube, seat), worths.cubes);
        let [without, best] = worths.of[worths.start(seat, ranks) + number];
        (f64::from(without), f64::from(best))
    }

    /// The cubes that can come up and matter, as seat one sees them, by number. An owned cube of 1
    /// is none: a centered one stands in its place.
    fn cubes(&self) -> Vec<Cube> {
        let mut cubes = Vec::new();
        for exponent in 0..=Cube::MAX_EXPONENT {
            let of = |owner| Cube::new(exponent, owner).unwrap_or(Cube::START);
            cubes.extend(OWNERS.map(of));
            let turns = |stakes: &Stakes| {
                let own = of(CubeOwner::Player);
                stakes.may_double(own).is_ok() && !stakes.wins_match(own)
            };
            if !self.stakes.iter().any(turns) {
                break;
            }
        }
        cubes
    }

    fn solve(&self) -> Worths {
        let cubes = self.cubes();
        let side = SIDES.len();
        let mut worths =
            Worths { of: vec![[0.0; 2]; 2 * side * side * cubes.len()], cubes: cubes.len() };
        // A side without checkers has won. No lookup asks for a game that both have won.
        for seat in [Player::One, Player::Two] {
            let stakes = &self.stakes[seat.index()];
            for rank in 1..side {
                for (ranks, outcome) in
                    [([0, rank], Outcome::WinSingle), ([rank, 0], Outcome::LoseSingle)]
                {
                    let probs = OutcomeProbs::certain(outcome).cumulative();
                    let start = worths.start(seat, ranks);
                    for (number, cube) in cubes.iter().enumerate() {
                        let worth = stakes.cubeless(&probs, seen(*cube, seat)).0;
                        worths.of[start + number] = [worth as f32; 2];
                    }
                }
            }
        }
        // Every play lowers the rank of a side, so it leads to pairs that were solved before.
        for sum in 2..2 * side - 1 {
            for mine in sum.saturating_sub(side - 1).max(1)..=(sum - 1).min(side - 1) {
                for seat in [Player::One, Player::Two] {
                    self.position(&mut worths, &cubes, seat, [mine, sum - mine]);
                }
            }
        }
        worths
    }

    /// Solves a pair of ranks for the seat on roll, from those that its rolls lead to.
    fn position(&self, worths: &mut Worths, cubes: &[Cube], seat: Player, ranks: [usize; 2]) {
        let [mine, theirs] = ranks;
        let stakes = &self.stakes[seat.index()];
        let (mut rolled, mut least) = (vec![0.0; cubes.len()], vec![0.0; cubes.len()]);
        for (roll, (_, weight)) in Dice::ALL.into_iter().enumerate() {
            // What leaves the opponent least, for each cube.
            least.fill(f32::INFINITY);
            for &left in SIDES.after(mine, roll) {
                let start = worths.start(seat.flip(), [theirs, left.into()]);
                for (least, [_, best]) in least.iter_mut().zip(&worths.of[start..]) {
                    *least = least.min(*best);
                }
            }
            for (sum, &least) in rolled.iter_mut().zip(&least) {
                *sum += f64::from(weight) / 36.0 * flip(stakes, least.into());
            }
        }
        let start = worths.start(seat, ranks);
        for (at, cube) in cubes.iter().enumerate() {
            let here = seen(*cube, seat);
            let doubled = here.doubled().filter(|_| stakes.may_double(here).is_ok());
            let best = doubled.map_or(rolled[at], |doubled| {
                let doubled = rolled[number(seen(doubled, seat), cubes.len())];
                with_double(stakes, here, rolled[at], doubled)
            });
            worths.of[start + at] = [rolled[at] as f32, best as f32];
        }
    }
}

impl Worths {
    fn start(&self, seat: Player, [mine, theirs]: [usize; 2]) -> usize {
        ((seat.index() * SIDES.len() + mine) * SIDES.len() + theirs) * self.cubes
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashMap;

    use tavola_rules::{Backgammon, Game, MatchScore, Options, Position};

    use super::*;
    use tavola_equity::MatchEquityTable;

    const GAME: Backgammon = Backgammon::Standard;

    /// Plain recursion over plays and cubes.
    pub(in super::super) struct Slow {
        known: HashMap<(Position, Player, Cube), f64>,
        stakes: [Stakes; 2],
    }

    impl Slow {
        pub(in super::super) fn new(stakes: &Stakes) -> Self {
            Self { known: HashMap::new(), stakes: both(stakes) }
        }

        /// What the player on roll, of this seat, gets without a double now.
        pub(in super::super) fn rolling(
            &mut self,
            position: &Position,
            seat: Player,
            cube: Cube,
        ) -> f64 {
            if let Some(known) = self.known.get(&(*position, seat, cube)) {
                return *known;
            }
            let mut sum = 0.0;
            for (roll, weight) in Dice::ALL {
                let mut after = Vec::new();
                GAME.afterstates(position, roll, &mut after);
                let mut worth = f64::NEG_INFINITY;
                for after in &after {
                    let theirs = self.best(after, seat.flip(), cube.flip());
                    worth = worth.max(flip(&self.stakes[0], theirs));
                }
                sum += f64::from(weight) / 36.0 * worth;
            }
            self.known.insert((*position, seat, cube), sum);
            sum
        }

        fn best(&mut self, position: &Position, seat: Player, cube: Cube) -> f64 {
            let stakes = self.stakes[seat.index()].clone();
            if let Some(outcome) = GAME.outcome(position) {
                return stakes.cubeless(&OutcomeProbs::certain(outcome).cumulative(), cube).0;
            }
            let rolling = self.rolling(position, seat, cube);
            if cube.value() > 16 || stakes.may_double(cube).is_err() {
                return rolling;
            }
            let doubled = self.rolling(position, seat, cube.doubled().unwrap());
            rolling.max(doubled.min(stakes.cash(cube).0))
        }
    }

    fn positions() -> Vec<Position> {
        let sides: [&[(usize, u8)]; 6] =
            [&[(6, 2)], &[(4, 1), (3, 1)], &[(6, 1), (1, 2)], &[(2, 3)], &[(5, 1)], &[(6, 3)]];
        let mut all = Vec::new();
        for (i, mine) in sides.iter().enumerate() {
            for theirs in &sides[i % 2..] {
                all.push(Position::from_points(mine, theirs, 15).unwrap());
            }
        }
        all
    }

    #[test]
    fn every_cube_at_a_score_is_worth_what_plain_recursion_says() {
        let met = MatchEquityTable::kazaross_xg2();
        let options = Options::default();
        let limited = Options { cube_limit: Some(4), ..options };
        let mut all = vec![Stakes::money(&limited).unwrap()];
        for (player, opponent) in [(0, 1), (1, 2), (3, 1), (3, 4), (0, 0)] {
            let score = MatchScore::new(5, player, opponent).unwrap();
            all.push(Stakes::for_match(score, met, &options).unwrap());
        }
        for stakes in all {
            let mut slow = Slow::new(&stakes);
            let solved = at_stakes(&stakes);
            for position in positions() {
                let state = Seated { position, seat: Player::One };
                assert!(solved.knows(&state));
                let worth = solved.worths(&state).unwrap();
                // Automatic doubles leave a cube of 2 in the center.
                let turned = OWNERS.map(|owner| [2, 4].map(|value| Cube::from_value(value, owner)));
                let cubes = turned.into_iter().flatten().map(|cube| cube.unwrap());
                for cube in cubes.chain([Cube::START]) {
                    if stakes.check_cube(cube).is_err() {
                        continue;
                    }
                    let (without, best) = worth.at(cube);
                    let exact = slow.rolling(&position, Player::One, cube);
                    assert!(
                        (without - exact).abs() < 2e-6,
                        "{position:?} {cube:?}: {without} {exact}"
                    );
                    let exact = slow.best(&position, Player::One, cube);
                    assert!((best - exact).abs() < 2e-6, "{position:?} {cube:?}: {best} {exact}");
                }
            }
        }
    }

    #[test]
    fn more_checkers_contact_and_gammons_are_not_solved() {
        let stakes = Stakes::money(&Options { cube_limit: Some(4), ..Options::default() }).unwrap();
        let solved = at_stakes(&stakes);
        for (mine, theirs, checkers) in [
            (&[(6, 4)][..], &[(1, 1)][..], 15),
            (&[(7, 1)], &[(1, 1)], 15),
            (&[(24, 1)], &[(2, 1)], 15),
            (&[(3, 3)], &[(1, 1)], 3),
        ] {
            let position = Position::from_points(mine, theirs, checkers).unwrap();
            let state = Seated { position, seat: Player::Two };
            assert!(!solved.knows(&state) && solved.worths(&state).is_none(), "{position:?}");
        }
    }
}
