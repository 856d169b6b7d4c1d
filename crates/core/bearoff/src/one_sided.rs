//! One-sided tables: a side alone against the dice.
//!
//! The body of the file is one entry of eight bytes for each position in the order of ranks, then
//! the probabilities as 32-bit floats. An entry: where its probabilities begin, counted in floats
//! (32 bits); the number of rolls that the first probability of bearing off all belongs to, and how
//! many probabilities follow (8 bits each); the same two for bearing off the first checker, whose
//! probabilities come next.

use std::fmt;
use std::path::Path;

use rayon::prelude::*;
use tavola_equity::OutcomeProbs;
use tavola_rules::{Outcome, Position};

use crate::counts::{Side, rearmost};
use crate::file::{self, TableBytes, TableFileError, number};
use crate::generate::{GenerationProgress, ranks_by_pips, rolls};
use crate::index::{Destination, Moves, positions, rank};
use crate::spec::{TableKind, TableSpec};

/// Bytes of an entry.
const ENTRY: usize = 8;

/// Probabilities below this at the late end of a distribution are added to the last one that is
/// kept: they are lost in the rounding of the others, and would double the size.
const NEGLIGIBLE: f64 = 1e-9;

/// For each position of a side alone, the distributions of the number of rolls until all its
/// checkers are off, and until the first one is.
///
/// They hold for the play with the least mean of that number, which is the same as the best play
/// only on average: a side far behind would rather gamble, one far ahead avoid the worst. Each of
/// the two has its own play: bearing off all, and saving the gammon. Plays with equal means are
/// settled for the lowest rank in the table's order, so roughly for fewer checkers on the board.
///
/// Probabilities are exact but for rounding to 32-bit floats (each distribution sums to one within
/// 1e-6) and for late ends of less than 1e-9.
#[derive(Debug)]
pub struct OneSided {
    spec: TableSpec,
    bytes: TableBytes,
}

/// The probabilities that something takes a given number of rolls.
#[derive(Clone, Copy)]
pub struct RollDistribution<'a> {
    first: u8,
    probabilities: &'a [[u8; 4]],
}

impl<'a> RollDistribution<'a> {
    /// The numbers of rolls that are possible, rising, with their probabilities.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + use<'a> {
        let first = u32::from(self.first);
        self.probabilities
            .iter()
            .zip(first..)
            .map(|(bytes, rolls)| (rolls, f32::from_le_bytes(*bytes)))
    }

    /// The mean number of rolls.
    pub fn mean(&self) -> f64 {
        self.iter().map(|(rolls, probability)| f64::from(rolls) * f64::from(probability)).sum()
    }

    /// The standard deviation of the number of rolls.
    pub fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        let squares = self
            .iter()
            .map(|(rolls, probability)| (f64::from(rolls) - mean).powi(2) * f64::from(probability))
            .sum::<f64>();
        squares.sqrt()
    }

    /// The probability that these rolls are at most as many as the `other` ones, the two being
    /// independent.
    fn probability_not_after(&self, other: &Self) -> f32 {
        // Those of the other that take at least as many rolls: all, less what has passed.
        let (mut later, mut passed) = (1.0, 0);
        let start = usize::from(other.first);
        let mut total = 0.0;
        for (rolls, probability) in self.iter() {
            let reached = (rolls as usize).saturating_sub(start).min(other.probabilities.len());
            while passed < reached {
                later -= f32::from_le_bytes(other.probabilities[passed]);
                passed += 1;
            }
            if passed == other.probabilities.len() {
                break;
            }
            total += probability * later;
        }
        total.clamp(0.0, 1.0)
    }
}

impl fmt::Debug for RollDistribution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// What distributions are asked of an entry.
#[derive(Clone, Copy)]
enum Aim {
    /// Rolls until the last checker is off.
    All,
    /// Rolls until the first checker is off.
    First,
}

impl OneSided {
    /// Generates the table of a one-sided `spec` on the threads of the current rayon pool.
    pub(crate) fn generate(
        spec: TableSpec,
        progress: &(dyn Fn(GenerationProgress) + Sync),
    ) -> Self {
        Self { spec, bytes: file::finish(Generator::new(spec).run(progress), spec) }
    }

    /// The table in a file.
    pub(crate) fn open(spec: TableSpec, path: &Path) -> Result<Self, TableFileError> {
        assert_eq!(spec.kind(), TableKind::OneSided, "expected a one-sided table");
        let table = Self { spec, bytes: TableBytes::open(path, spec)? };
        let (body, entries) = (table.bytes.body(), spec.positions() as usize * ENTRY);
        let Some(floats) = body.len().checked_sub(entries).map(|bytes| bytes / 4) else {
            return Err(TableFileError::nonsense());
        };
        // Once here, so that no lookup can fail.
        let sound = body[..entries].chunks_exact(ENTRY).all(|entry| {
            let end = number(entry, 0) as usize + usize::from(entry[5]) + usize::from(entry[7]);
            end <= floats
        });
        if sound { Ok(table) } else { Err(TableFileError::nonsense()) }
    }

    /// What the table covers.
    pub const fn spec(&self) -> TableSpec {
        self.spec
    }

    pub(crate) fn bytes(&self) -> &TableBytes {
        &self.bytes
    }

    /// The rolls until the player on roll has borne off all checkers; `None` if they have more, or
    /// further behind, than the table covers. The opponent's checkers are ignored.
    pub fn rolls_to_finish(&self, position: &Position) -> Option<RollDistribution<'_>> {
        self.lookup(position, Aim::All)
    }

    /// The rolls until the player on roll has borne off one checker more than now; `None` as for
    /// [`rolls_to_finish`](Self::rolls_to_finish).
    pub fn rolls_to_next_off(&self, position: &Position) -> Option<RollDistribution<'_>> {
        self.lookup(position, Aim::First)
    }

    /// The probabilities of the player on roll in a race: all checkers of both sides are covered by
    /// the table, and the sides have passed each other. `None` otherwise, and when the game is
    /// over.
    ///
    /// Gammons are counted where a side has borne off nothing yet; backgammons can't happen.
    ///
    /// # How exact
    ///
    /// The two sides' rolls are taken as independent, each side playing for its own least mean
    /// number. True play looks at the other side too, so the winning probability is off by a few
    /// hundredths of a per cent as a rule; a [`TwoSided`](crate::TwoSided) table has no such error.
    pub fn race(&self, position: &Position) -> Option<OutcomeProbs> {
        let (player, opponent) = rearmost(position);
        self.race_from(position, player, opponent)
    }

    /// The [`race`](Self::race) for who knows the rearmost points already.
    #[inline]
    pub(crate) fn race_from(
        &self,
        position: &Position,
        player: u8,
        opponent: u8,
    ) -> Option<OutcomeProbs> {
        let reach = player.max(opponent);
        if reach > self.spec.points() || player + opponent > 25 || player.min(opponent) == 0 {
            return None;
        }
        let mine = self.lookup_covered(position, Side::Player)?;
        let theirs = self.lookup_covered(position, Side::Opponent)?;
        let mine_all = self.distribution(mine, Aim::All);
        let theirs_all = self.distribution(theirs, Aim::All);
        let win = mine_all.probability_not_after(&theirs_all);
        // The winner's last roll comes before the loser's first checker is off. A player who
        // finishes with roll i leaves i - 1 rolls to the opponent; an opponent who finishes with
        // their own roll j leaves the player j.
        let win_gammon = match position.opponent_off() {
            0 => mine_all.probability_not_after(&self.distribution(theirs, Aim::First)).min(win),
            _ => 0.0,
        };
        let lose_gammon = match position.off() {
            0 => {
                let saved = self.distribution(mine, Aim::First).probability_not_after(&theirs_all);
                (1.0 - saved).min(1.0 - win)
            }
            _ => 0.0,
        };
        let mut probs = OutcomeProbs::default();
        probs.0[Outcome::WinSingle as usize] = win - win_gammon;
        probs.0[Outcome::WinGammon as usize] = win_gammon;
        probs.0[Outcome::LoseSingle as usize] = 1.0 - win - lose_gammon;
        probs.0[Outcome::LoseGammon as usize] = lose_gammon;
        Some(probs)
    }

    fn lookup(&self, position: &Position, aim: Aim) -> Option<RollDistribution<'_>> {
        if rearmost(position).0 > self.spec.points() {
            return None;
        }
        self.lookup_covered(position, Side::Player).map(|entry| self.distribution(entry, aim))
    }

    /// The entry of a side whose rearmost checker is covered; `None` if it has too many.
    #[inline]
    fn lookup_covered(&self, position: &Position, side: Side) -> Option<&[u8]> {
        let (rank, checkers) = rank(self.spec.points(), |point| side.on(position, point));
        if checkers > self.spec.checkers() {
            return None;
        }
        Some(&self.bytes.body()[rank as usize * ENTRY..][..ENTRY])
    }

    #[inline]
    fn distribution(&self, entry: &[u8], aim: Aim) -> RollDistribution<'_> {
        let floats = &self.bytes.body()[self.spec.positions() as usize * ENTRY..];
        let (floats, _) = floats.as_chunks::<4>();
        let (start, all) = (number(entry, 0) as usize, usize::from(entry[5]));
        match aim {
            Aim::All => {
                RollDistribution { first: entry[4], probabilities: &floats[start..][..all] }
            }
            Aim::First => RollDistribution {
                first: entry[6],
                probabilities: &floats[start + all..][..usize::from(entry[7])],
            },
        }
    }
}

/// The best play for one of the aims, as far as it is known.
struct Plan {
    aim: Aim,
    /// The mean number of rolls of each position.
    mean: Vec<f64>,
    /// The best that `k + 1` moves of a die lead to, at `[k][rank][die - 1]`.
    best: [Vec<[u32; 6]>; 3],
    /// Where the distribution of each position lies among the probabilities, and its first number.
    placed: Vec<Placed>,
}

#[derive(Clone, Copy, Default)]
struct Placed {
    start: u32,
    first: u8,
    len: u8,
}

/// What a plan says of one position.
struct Planned {
    mean: f64,
    best: [[u32; 6]; 3],
    first: u8,
    probabilities: Vec<f32>,
}

impl Plan {
    fn new(aim: Aim, positions: usize) -> Self {
        Self {
            aim,
            mean: vec![0.0; positions],
            best: std::array::from_fn(|_| vec![[0; 6]; positions]),
            placed: vec![Placed::default(); positions],
        }
    }

    /// The better of two positions to leave behind: that with the smaller mean, then rank.
    #[inline]
    fn better(&self, a: u32, b: u32) -> u32 {
        let (mean_a, mean_b) = (self.mean[a as usize], self.mean[b as usize]);
        if mean_b < mean_a || (mean_b == mean_a && b < a) { b } else { a }
    }

    /// Plans a position, everything of fewer pips being planned.
    fn position(&self, moves: &Moves, probabilities: &[f32]) -> Planned {
        // Leaving the game is position 0 with mean 0, and for the first checker any checker off
        // leaves the game. So both plans differ here alone.
        let mut after: [Vec<u32>; 6] = Default::default();
        for (i, after) in after.iter_mut().enumerate() {
            moves.visit(i + 1, |rank, destination| match (self.aim, destination) {
                (Aim::First, Destination::Off) => after.push(0),
                _ => after.push(rank),
            });
        }
        // The best that comes of a first move with `die`, if `then` follows.
        let best = |die: usize, then: &dyn Fn(u32) -> u32| {
            after[die - 1]
                .iter()
                .map(|&rank| then(rank))
                .reduce(|a, b| self.better(a, b))
                .expect("a side that has checkers can move")
        };
        let chain = |k: usize, die: usize| move |rank: u32| self.best[k][rank as usize][die - 1];
        let mut planned =
            Planned { mean: 1.0, best: [[0; 6]; 3], first: 0, probabilities: Vec::new() };
        for die in 1..=6 {
            planned.best[0][die - 1] = best(die, &|rank| rank);
            planned.best[1][die - 1] = best(die, &chain(0, die));
            planned.best[2][die - 1] = best(die, &chain(1, die));
        }
        let mut leads_to = [(0, 0.0); 21];
        for (entry, ([high, low], probability)) in leads_to.iter_mut().zip(rolls()) {
            let left = match high == low {
                true => best(high, &chain(2, high)),
                false => self.better(best(high, &chain(0, low)), best(low, &chain(0, high))),
            };
            planned.mean += probability * self.mean[left as usize];
            *entry = (left, probability);
        }
        self.distribute(&leads_to, probabilities, &mut planned);
        planned
    }

    /// The distribution of a position is the mean of those that follow, one roll later.
    fn distribute(
        &self,
        leads_to: &[(u32, f64); 21],
        probabilities: &[f32],
        planned: &mut Planned,
    ) {
        let end = |placed: &Placed| usize::from(placed.first) + usize::from(placed.len);
        let placed = leads_to.map(|(left, _)| self.placed[left as usize]);
        let first = placed.iter().map(|p| usize::from(p.first)).min().expect("there are rolls");
        let last = placed.iter().map(end).max().expect("there are rolls");
        let mut sums = vec![0.0; last - first];
        for (placed, (_, probability)) in placed.iter().zip(leads_to) {
            let from = &probabilities[placed.start as usize..][..usize::from(placed.len)];
            let into = &mut sums[usize::from(placed.first) - first..];
            for (sum, &part) in into.iter_mut().zip(from) {
                *sum += probability * f64::from(part);
            }
        }
        let mut late = 0.0;
        while let [_, .., last] = sums[..]
            && late + last < NEGLIGIBLE
        {
            late += last;
            sums.pop();
        }
        *sums.last_mut().expect("one is always left") += late;
        planned.first = u8::try_from(first + 1).expect("no side needs 255 rolls");
        planned.probabilities = sums.into_iter().map(|sum| sum as f32).collect();
    }

    /// Notes the plan of a position and appends its probabilities.
    fn keep(&mut self, rank: u32, planned: &Planned, probabilities: &mut Vec<f32>) {
        let rank = rank as usize;
        self.mean[rank] = planned.mean;
        for (all, &best) in self.best.iter_mut().zip(&planned.best) {
            all[rank] = best;
        }
        self.placed[rank] = Placed {
            start: u32::try_from(probabilities.len())
                .expect("the largest table has fewer probabilities"),
            first: planned.first,
            len: u8::try_from(planned.probabilities.len()).expect("no side needs 255 rolls"),
        };
        probabilities.extend_from_slice(&planned.probabilities);
    }
}

/// The generation of a one-sided table.
struct Generator {
    spec: TableSpec,
    all: Plan,
    first: Plan,
    probabilities: Vec<f32>,
}

impl Generator {
    fn new(spec: TableSpec) -> Self {
        let positions = positions(spec.points(), spec.checkers()) as usize;
        let mut generator = Self {
            spec,
            all: Plan::new(Aim::All, positions),
            first: Plan::new(Aim::First, positions),
            probabilities: Vec::new(),
        };
        // Without checkers no roll is needed.
        for plan in [&mut generator.all, &mut generator.first] {
            let done = Planned { mean: 0.0, best: [[0; 6]; 3], first: 0, probabilities: vec![1.0] };
            plan.keep(0, &done, &mut generator.probabilities);
        }
        generator
    }

    fn run(mut self, progress: &(dyn Fn(GenerationProgress) + Sync)) -> Vec<u8> {
        let (spec, of) = (self.spec, self.spec.positions());
        let mut done = 1;
        for level in ranks_by_pips(spec.points(), of as u32).into_iter().skip(1) {
            let planned: Vec<[Planned; 2]> = level
                .par_iter()
                .with_min_len(64)
                .map(|&rank| {
                    let moves = Moves::new(spec.points(), rank);
                    [&self.all, &self.first].map(|plan| plan.position(&moves, &self.probabilities))
                })
                .collect();
            for (&rank, [all, first]) in level.iter().zip(&planned) {
                self.all.keep(rank, all, &mut self.probabilities);
                self.first.keep(rank, first, &mut self.probabilities);
            }
            done += level.len() as u64;
            progress(GenerationProgress { spec, done, of });
        }
        let entries = self.all.placed.len() * ENTRY;
        let mut bytes = file::begin(entries + 4 * self.probabilities.len());
        for (all, first) in self.all.placed.iter().zip(&self.first.placed) {
            bytes.extend(all.start.to_le_bytes());
            bytes.extend([all.first, all.len, first.first, first.len]);
        }
        for probability in self.probabilities {
            bytes.extend(probability.to_le_bytes());
        }
        bytes
    }
}
