//! Two-sided tables: perfect play of both sides, with and without the cube.
//!
//! The body of the file is a square of entries, row by row: the row is the rank of the player on
//! roll, the column that of the opponent. An entry is four 32-bit floats, all equities of the
//! player on roll. They are without a cube, with the cube in the center, with the player's own
//! cube, and with the cube on the opponent's side, each if the player does not double now. The
//! value of doubling follows from the last.

use std::path::PathBuf;
use std::sync::OnceLock;

use rayon::prelude::*;
use tavola_equity::OutcomeProbs;
use tavola_rules::{CubeOwner, Position};

use crate::counts::{Side, rearmost};
use crate::file::{self, HEADER, TableBytes, TableFileError};
use crate::generate::{GenerationProgress, pairs_by_opponent, ranks_by_pips, rolls};
use crate::index::{Moves, positions, rank};
use crate::spec::{TableKind, TableSpec};

/// The points of the home.
const HOME: u8 = 6;

/// Bytes of an entry: four floats.
const ENTRY: usize = 16;

/// Cubeless, cube in the center, with the player on roll, with the opponent; not doubling now.
type Values = [f32; 4];

/// The exact equities of a position from the player on roll, before the roll; money play without
/// the Jacoby rule, in points per unit of the current cube. Gammons can't happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoSidedValues {
    /// Without a cube: 2 x winning probability - 1.
    pub cubeless: f32,
    /// With the cube in the center, if the player does not double before this roll.
    pub centered_no_double: f32,
    /// With the player's own cube, if they do not redouble before this roll.
    pub player_no_double: f32,
    /// With the opponent's cube, which the player can't turn.
    pub opponent: f32,
}

/// The value of a position to a player who may double, from the value without a double and the
/// value with the opponent's cube: a double is taken at twice the latter, or passed.
fn with_double(no_double: f32, opponent: f32) -> f32 {
    no_double.max((2.0 * opponent).min(1.0))
}

impl TwoSidedValues {
    /// The probabilities without a cube, from the player on roll.
    pub fn probs(&self) -> OutcomeProbs {
        OutcomeProbs::single(((1.0 + self.cubeless) / 2.0).clamp(0.0, 1.0))
    }

    /// The money equity with the cube at this place if the player on roll does not double before
    /// this roll. Later on both sides use the cube as it is best.
    pub const fn no_double(&self, owner: CubeOwner) -> f32 {
        match owner {
            CubeOwner::Center => self.centered_no_double,
            CubeOwner::Player => self.player_no_double,
            CubeOwner::Opponent => self.opponent,
        }
    }

    /// The money equity if the player on roll doubles and the opponent takes, per unit of the cube
    /// before the double. If the opponent passes it is 1.
    pub const fn double_take(&self) -> f32 {
        2.0 * self.opponent
    }

    /// The money equity with the cube at this place, before the player on roll decides whether
    /// to double, both sides deciding as it is best.
    pub fn cubeful(&self, owner: CubeOwner) -> f32 {
        match owner {
            CubeOwner::Opponent => self.opponent,
            _ => with_double(self.no_double(owner), self.opponent),
        }
    }
}

/// For each pair of positions of the two sides, the exact equities under perfect play of both.
///
/// Values follow from the rules by recursion alone; sums are taken in 64 bits and stored in 32, so
/// that they are within 1e-6 of the truth. Cubeful play without a cube's limit: who may double does
/// so when it pays, and the other takes when that loses less.
#[derive(Debug)]
pub struct TwoSided {
    spec: TableSpec,
    /// Positions of a side.
    side: usize,
    /// The file that keeps the table, if any.
    path: Option<PathBuf>,
    /// Its bytes, which are read when a position is first looked up: most questions reach none.
    /// `None` if the file has changed since it was checked.
    bytes: OnceLock<Option<TableBytes>>,
}

impl TwoSided {
    /// Generates the table of a two-sided `spec` on the threads of the current rayon pool.
    pub(crate) fn generate(
        spec: TableSpec,
        progress: &(dyn Fn(GenerationProgress) + Sync),
    ) -> Self {
        let bytes = file::finish(Generator::new(spec).run(progress), spec);
        Self { spec, side: side(spec), path: None, bytes: OnceLock::from(Some(bytes)) }
    }

    /// The table in a file, which is checked now and read when it is needed.
    pub(crate) fn open(spec: TableSpec, path: PathBuf) -> Result<Self, TableFileError> {
        assert_eq!(spec.kind(), TableKind::TwoSided, "expected a two-sided table");
        let length = TableBytes::verify(&path, spec)?;
        let table = Self { spec, side: side(spec), path: Some(path), bytes: OnceLock::new() };
        if length == table.size() { Ok(table) } else { Err(TableFileError::nonsense()) }
    }

    /// What the table covers.
    pub const fn spec(&self) -> TableSpec {
        self.spec
    }

    /// Bytes of the table, in its file or in memory.
    pub(crate) fn size(&self) -> u64 {
        (HEADER + self.side * self.side * ENTRY) as u64
    }

    /// Whether the table is kept in a file.
    pub(crate) const fn is_kept(&self) -> bool {
        self.path.is_some()
    }

    pub(crate) fn bytes(&self) -> Option<&TableBytes> {
        let read = || TableBytes::open(self.path.as_ref()?, self.spec).ok();
        self.bytes.get_or_init(read).as_ref()
    }

    /// The exact equities of a position; `None` if a side has more checkers on the board than the
    /// table covers, or one outside its home, or has borne off none yet (then gammons count, which
    /// the table does not know), or if the game is over.
    pub fn values(&self, position: &Position) -> Option<TwoSidedValues> {
        let (player, opponent) = rearmost(position);
        self.values_from(position, player, opponent)
    }

    /// The [`values`](Self::values) for who knows the rearmost points already.
    #[inline]
    pub(crate) fn values_from(
        &self,
        position: &Position,
        player: u8,
        opponent: u8,
    ) -> Option<TwoSidedValues> {
        let [mine, theirs] = ranks(position, self.spec.checkers(), (player, opponent))?;
        let at = mine * self.side + theirs;
        let [cubeless, centered_no_double, player_no_double, opponent] =
            values(self.bytes()?.body(), at);
        Some(TwoSidedValues { cubeless, centered_no_double, player_no_double, opponent })
    }
}

fn side(spec: TableSpec) -> usize {
    positions(spec.points(), spec.checkers()) as usize
}

/// The entry with this number.
#[inline]
fn values(body: &[u8], at: usize) -> Values {
    let entry: &[u8; ENTRY] =
        body[at * ENTRY..][..ENTRY].try_into().expect("the slice is as long as an entry");
    let (floats, _) = entry.as_chunks::<4>();
    std::array::from_fn(|i| f32::from_le_bytes(floats[i]))
}

/// The ranks of the player on roll and of the opponent, whose rearmost points are known; `None` where
/// no table of this number of checkers a side reaches.
#[inline]
fn ranks(position: &Position, checkers: u8, (player, opponent): (u8, u8)) -> Option<[usize; 2]> {
    if player.max(opponent) > HOME || player.min(opponent) == 0 {
        return None;
    }
    if position.off() == 0 || position.opponent_off() == 0 {
        return None;
    }
    let (mine, my_checkers) = rank(HOME, |point| Side::Player.on(position, point));
    let (theirs, their_checkers) = rank(HOME, |point| Side::Opponent.on(position, point));
    let few = my_checkers.max(their_checkers) <= checkers;
    few.then_some([mine as usize, theirs as usize])
}

/// The positions of one side alone with few checkers in its home, by rank, and where rolls lead.
///
/// Rank 0 is the side without checkers. Every play lowers the rank.
#[derive(Debug)]
pub struct HomeSides {
    checkers: u8,
    side: usize,
    /// Every distinct result of every roll: those of position and roll i are `afterstates[ends[i -
    /// 1] ..ends[i]]`, 21 rolls a position.
    afterstates: Vec<u16>,
    ends: Vec<u32>,
}

impl HomeSides {
    /// Those of up to this number of checkers on six points.
    pub fn new(checkers: u8) -> Self {
        let side = positions(HOME, checkers) as usize;
        let (afterstates, ends) = afterstates(side);
        Self { checkers, side, afterstates, ends }
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "rank 0 is always there")]
    pub const fn len(&self) -> usize {
        self.side
    }

    /// The ranks of the player on roll and of the opponent; `None` if a side has more checkers, one
    /// outside its home, none left, or has borne off none yet, which counts for gammons.
    #[inline]
    pub fn ranks(&self, position: &Position) -> Option<[usize; 2]> {
        ranks(position, self.checkers, rearmost(position))
    }

    /// The ranks that roll number `roll` of [`Dice::ALL`](tavola_rules::Dice::ALL) can lead to.
    #[inline]
    pub fn after(&self, rank: usize, roll: usize) -> &[u16] {
        let i = rank * 21 + roll;
        &self.afterstates[self.ends[i] as usize..self.ends[i + 1] as usize]
    }
}

/// The generation of a two-sided table.
struct Generator {
    spec: TableSpec,
    sides: HomeSides,
    by_pips: Vec<Vec<u32>>,
    bytes: Vec<u8>,
}

impl Generator {
    fn new(spec: TableSpec) -> Self {
        let sides = HomeSides::new(spec.checkers());
        let side = sides.side;
        let mut bytes = file::begin(side * side * ENTRY);
        bytes.resize(HEADER + side * side * ENTRY, 0);
        let by_pips = ranks_by_pips(spec.points(), side as u32);
        Self { spec, sides, by_pips, bytes }
    }

    /// The values of the player on roll with rank `mine` against `theirs`.
    fn position(&self, mine: usize, theirs: usize) -> Values {
        let body = &self.bytes[HEADER..];
        let mut rolled = [0.0; 4];
        for (roll, (_, probability)) in rolls().enumerate() {
            // The opponent's equity, on roll, after the play that leaves them least, for each place
            // of the cube; they see the cube from the other side.
            let mut least = [f32::INFINITY; 4];
            for &left in self.sides.after(mine, roll) {
                let [cubeless, centered, own, other] =
                    values(body, theirs * self.sides.side + usize::from(left));
                let (centered, own) = (with_double(centered, other), with_double(own, other));
                for (least, value) in least.iter_mut().zip([cubeless, centered, other, own]) {
                    *least = f32::min(*least, value);
                }
            }
            for (sum, least) in rolled.iter_mut().zip(least) {
                *sum -= probability * f64::from(least);
            }
        }
        rolled.map(|value| value as f32)
    }

    fn set(&mut self, mine: usize, theirs: usize, values: Values) {
        let at = HEADER + (mine * self.sides.side + theirs) * ENTRY;
        let (entry, _) = self.bytes[at..at + ENTRY].as_chunks_mut::<4>();
        for (bytes, value) in entry.iter_mut().zip(values) {
            *bytes = value.to_le_bytes();
        }
    }

    fn run(mut self, progress: &(dyn Fn(GenerationProgress) + Sync)) -> Vec<u8> {
        let (spec, of) = (self.spec, self.spec.positions());
        // A side without checkers has won. No lookup asks for a game that both have won.
        for rank in 1..self.sides.side {
            self.set(0, rank, [1.0; 4]);
            self.set(rank, 0, [-1.0; 4]);
        }
        let mut done = 2 * self.sides.side as u64 - 1;
        let by_pips = std::mem::take(&mut self.by_pips);
        for pips in 2..=2 * (by_pips.len() - 1) {
            let columns = pairs_by_opponent(&by_pips, pips);
            let evaluated: Vec<Vec<Values>> = columns
                .par_iter()
                .map(|&(theirs, mine)| {
                    mine.iter().map(|&mine| self.position(mine as usize, theirs as usize)).collect()
                })
                .collect();
            for ((theirs, mine), evaluated) in columns.into_iter().zip(evaluated) {
                done += evaluated.len() as u64;
                for (&mine, values) in mine.iter().zip(evaluated) {
                    self.set(mine as usize, theirs as usize, values);
                }
            }
            progress(GenerationProgress { spec, done, of });
        }
        self.bytes
    }
}

/// Every distinct result of every roll of the ranks below `side`, and where each list ends, the
/// first end being 0.
fn afterstates(side: usize) -> (Vec<u16>, Vec<u32>) {
    let after: Vec<[Vec<u16>; 6]> = (0..side)
        .map(|rank| {
            let moves = Moves::new(HOME, rank as u32);
            std::array::from_fn(|i| {
                let mut after = Vec::new();
                moves.visit(i + 1, |rank, _| {
                    after.push(u16::try_from(rank).expect("a side has at most 8,008 positions"));
                });
                // With the last checker the game is over, and the rest of the roll with it.
                if after.is_empty() {
                    after.push(0);
                }
                after
            })
        })
        .collect();
    let distinct = |mut reached: Vec<u16>| {
        reached.sort_unstable();
        reached.dedup();
        reached
    };
    let play = |from: &[u16], die: usize| {
        let reached = from.iter().flat_map(|&rank| &after[usize::from(rank)][die - 1]);
        distinct(reached.copied().collect())
    };
    let (mut afterstates, mut ends) = (Vec::new(), vec![0]);
    for rank in 0..side {
        for ([high, low], _) in rolls() {
            let start = [u16::try_from(rank).expect("a side has at most 8,008 positions")];
            let mut reached = play(&play(&start, high), low);
            if high == low {
                reached = play(&play(&reached, high), high);
            } else {
                reached.extend(play(&play(&start, low), high));
                reached = distinct(reached);
            }
            afterstates.append(&mut reached);
            ends.push(u32::try_from(afterstates.len()).expect("a roll has few afterstates"));
        }
    }
    (afterstates, ends)
}
