//! The tables at hand, and the best answer among them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tavola_equity::OutcomeProbs;
use tavola_rules::{CubeOwner, Position};

use crate::counts::rearmost;
use crate::file::{TableBytes, TableFileError};
use crate::generate::GenerationProgress;
use crate::one_sided::OneSided;
use crate::spec::TableSpec;
use crate::two_sided::{TwoSided, TwoSidedValues};

/// A table of either kind; clones share it.
#[derive(Clone, Debug)]
pub enum BearoffTable {
    /// Each side alone.
    OneSided(Arc<OneSided>),
    /// Both sides together.
    TwoSided(Arc<TwoSided>),
}

impl BearoffTable {
    /// Generates a table on the threads of the current rayon pool. The result is the same on any
    /// number of them. `progress` is called now and then, by this thread.
    pub fn generate(spec: TableSpec, progress: &(dyn Fn(GenerationProgress) + Sync)) -> Self {
        if spec.is_two_sided() {
            Self::TwoSided(Arc::new(TwoSided::generate(spec, progress)))
        } else {
            Self::OneSided(Arc::new(OneSided::generate(spec, progress)))
        }
    }

    /// The table in a file.
    pub(crate) fn open(spec: TableSpec, path: PathBuf) -> Result<Self, TableFileError> {
        Ok(if spec.is_two_sided() {
            Self::TwoSided(Arc::new(TwoSided::open(spec, path)?))
        } else {
            Self::OneSided(Arc::new(OneSided::open(spec, &path)?))
        })
    }

    /// What the table covers.
    pub fn spec(&self) -> TableSpec {
        match self {
            Self::OneSided(table) => table.spec(),
            Self::TwoSided(table) => table.spec(),
        }
    }

    /// Bytes of the table, in its file or in memory.
    pub fn size(&self) -> u64 {
        match self {
            Self::OneSided(table) => table.bytes().len() as u64,
            Self::TwoSided(table) => table.size(),
        }
    }

    /// Whether the table is kept in a file.
    pub fn is_kept(&self) -> bool {
        match self {
            Self::OneSided(table) => table.bytes().is_kept(),
            Self::TwoSided(table) => table.is_kept(),
        }
    }

    /// `None` if its file has changed since it was checked.
    pub(crate) fn bytes(&self) -> Option<&TableBytes> {
        match self {
            Self::OneSided(table) => Some(table.bytes()),
            Self::TwoSided(table) => table.bytes(),
        }
    }
}

/// The tables at hand; clones share them, so that every thread may have its own.
#[derive(Clone, Default)]
pub struct Tables {
    /// Those that cover fewer points first: they are the smaller ones.
    one_sided: Vec<Arc<OneSided>>,
    /// The one that covers most.
    two_sided: Option<Arc<TwoSided>>,
    /// No table covers a position with a checker behind this point.
    reach: u8,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.one_sided).entries(&self.two_sided).finish()
    }
}

impl FromIterator<BearoffTable> for Tables {
    /// Of two-sided tables only the largest is kept: it covers what the others do.
    fn from_iter<I: IntoIterator<Item = BearoffTable>>(tables: I) -> Self {
        let mut all = Self::default();
        for table in tables {
            all.reach = all.reach.max(table.spec().points());
            match table {
                BearoffTable::OneSided(table) => all.one_sided.push(table),
                BearoffTable::TwoSided(table) => match &all.two_sided {
                    Some(other) if other.spec() >= table.spec() => {}
                    _ => all.two_sided = Some(table),
                },
            }
        }
        all.one_sided.sort_by_key(|table| table.spec());
        all
    }
}

impl Tables {
    /// The tables, one-sided ones first.
    pub fn iter(&self) -> impl Iterator<Item = BearoffTable> + '_ {
        let one_sided = self.one_sided.iter().cloned().map(BearoffTable::OneSided);
        one_sided.chain(self.two_sided.iter().cloned().map(BearoffTable::TwoSided))
    }

    /// What each covers, as users name it.
    pub fn names(&self) -> Vec<String> {
        self.iter().map(|table| table.spec().to_string()).collect()
    }

    /// The probabilities of the player on roll, before the roll, without a cube: from the two-sided
    /// table if it covers the position, from a one-sided one if that does, else `None`. A finished
    /// game is not answered either.
    ///
    /// What no table covers is found out within a few nanoseconds.
    #[inline]
    pub fn evaluate(&self, position: &Position) -> Option<OutcomeProbs> {
        let (player, opponent) = rearmost(position);
        if player.max(opponent) > self.reach {
            return None;
        }
        self.covered(position, player, opponent)
    }

    fn covered(&self, position: &Position, player: u8, opponent: u8) -> Option<OutcomeProbs> {
        let exact = |table: &Arc<TwoSided>| table.values_from(position, player, opponent);
        match self.two_sided.as_ref().and_then(exact) {
            Some(values) => Some(values.probs()),
            None => {
                self.one_sided.iter().find_map(|table| table.race_from(position, player, opponent))
            }
        }
    }

    /// The exact equities of the player on roll with and without a cube, if the two-sided table
    /// covers the position: see [`TwoSided::values`].
    pub fn two_sided(&self, position: &Position) -> Option<TwoSidedValues> {
        self.two_sided.as_ref()?.values(position)
    }

    /// The exact money equity of the player on roll with the cube at this place, before a double or
    /// the roll, per unit of the current cube and without the Jacoby rule; `None` where the
    /// two-sided table does not reach.
    pub fn cubeful(&self, position: &Position, owner: CubeOwner) -> Option<f32> {
        self.two_sided(position).map(|values| values.cubeful(owner))
    }

    /// The one-sided table that covers the player on roll, whatever the opponent has; the smallest
    /// if several do.
    pub fn one_sided(&self, position: &Position) -> Option<&OneSided> {
        self.one_sided
            .iter()
            .map(AsRef::as_ref)
            .find(|table| table.rolls_to_finish(position).is_some())
    }
}
