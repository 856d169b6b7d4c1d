//! The tree of legal plays, counted, as a report has it.

use std::time::Instant;

use serde::Serialize;
use tavola_evaluator::PlayableGame;
use tavola_files::Failure;
use tavola_games::{AnyGame, with_game};
use tavola_rules::Game;
use tavola_rules::perft::{Perft, perft_by_roll};

use crate::progress::Progress;

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub struct PerftSettings<'a> {
    /// Where the tree begins; `None` is the start of the game.
    pub position: Option<&'a str>,
    /// Rolls of its last positions.
    pub depth: u32,
    /// Whether the nodes below each first roll are counted separately.
    pub by_roll: bool,
}

/// The nodes of a tree.
#[derive(Debug, Serialize)]
pub struct PerftReport {
    /// The id of the game.
    pub game: String,
    /// Where the tree begins.
    pub position: String,
    /// Its depths.
    pub depths: Vec<PerftDepth>,
    /// The nodes of the last depth below each first roll, if they are counted separately.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rolls: Vec<BelowRoll>,
    /// How long it took.
    pub seconds: f64,
}

/// The nodes of one depth.
#[derive(Debug, Serialize)]
pub struct PerftDepth {
    /// Rolls before them.
    pub depth: u32,
    /// Positions, each as often as there are ways of different rolls and plays to it.
    pub nodes: u64,
    /// Those with each roll as often as it falls.
    pub weighted: u64,
}

/// The nodes of the last depth below a first roll.
#[derive(Debug, Serialize)]
pub struct BelowRoll {
    /// The roll.
    pub roll: String,
    /// See [`PerftDepth::nodes`].
    pub nodes: u64,
    /// See [`PerftDepth::weighted`].
    pub weighted: u64,
}

impl PerftReport {
    /// Counts.
    ///
    /// # Errors
    ///
    /// The position is none of the game.
    pub fn of(
        game: &AnyGame,
        settings: PerftSettings<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let PerftSettings { position, depth: last, by_roll } = settings;
        with_game!(game, |game| {
            let state = match position {
                Some(text) => game.parse_state(text).map_err(Failure::input)?,
                None => game.start(),
            };
            progress.begin(u64::from(last) * game.rolls().len() as u64, "rolls");
            let begin = Instant::now();
            let (mut depths, mut rolls) = (Vec::new(), Vec::new());
            for depth in 1..=last {
                let counted = perft_by_roll(game, &state, depth, u64::MAX, |roll, below| {
                    let Perft { nodes, weighted } = below;
                    progress.one_done();
                    if by_roll && depth == last {
                        rolls.push(BelowRoll { roll: roll.to_string(), nodes, weighted });
                    }
                });
                let Perft { nodes, weighted } =
                    counted.expect("no count reaches the largest number");
                depths.push(PerftDepth { depth, nodes, weighted });
            }
            let (position, seconds) = (game.write_state(&state), begin.elapsed().as_secs_f64());
            Ok(Self { game: game.id(), position, depths, rolls, seconds })
        })
    }
}
