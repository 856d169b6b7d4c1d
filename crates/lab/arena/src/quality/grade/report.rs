//! The grades of one player, or of two that are compared.

use std::path::Path;

use serde::Serialize;
use tavola_files::Failure;
use tavola_files::limits::LARGE_BYTES;
use tavola_games::{AnyGame, with_game};

use super::benchmark::BenchmarkReport;
use super::file::sage;
use super::{GradedPlayer, GraderInfo, Header, Purpose, Reference, Summary, compare};
use crate::job::JobContext;
use crate::strength::player::Player;

/// The grades of players. Losses are in points.
#[derive(Debug, Serialize)]
pub struct GradeReport<'a> {
    /// The file of graded decisions.
    pub reference: String,
    /// What it may be used for.
    pub purpose: Purpose,
    /// Who graded.
    pub grader: GraderInfo,
    /// How many decisions there are.
    pub decisions: usize,
    /// The players, as they were named.
    pub players: Vec<GradedPlayer<'a>>,
    /// What the first player loses more than the second, in points a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Summary>,
    /// Ratings beside published ones, of a public benchmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<BenchmarkReport>,
    /// The checksums of the players' networks, each with the player's name.
    #[serde(skip)]
    pub networks: Vec<(&'a str, String)>,
}

impl<'a> GradeReport<'a> {
    /// Has the named players decide, and grades them.
    ///
    /// # Errors
    ///
    /// The reference or a player can't be used, a player fails, or the work is called off.
    pub fn of(path: &Path, names: &[&'a str], job: &JobContext<'_>) -> Result<Self, Failure> {
        with_game!(&game_of(path)?, |game| {
            let reference = read(path, |file| Reference::of_file(game, file))?;
            // All of them first: a second one that is misspelled should not cost the time of the first.
            let players: Vec<_> = names
                .iter()
                .map(|name| Player::new(name, game, &job.players))
                .collect::<Result<_, _>>()?;
            let decisions = reference.decisions.len();
            job.progress.begin((names.len() * decisions) as u64, "decisions");
            let mut graded = Vec::with_capacity(names.len());
            let mut networks = Vec::new();
            for (&name, player) in names.iter().zip(players) {
                let decided =
                    GradedPlayer::of(game, &reference, name, &player, job.workers, job.progress);
                graded.push(decided.map_err(|error| error.while_trying(name))?);
                networks.extend(player.network.map(|checksum| (name, checksum)));
            }
            let benchmark =
                reference.benchmark.as_ref().and_then(|some| BenchmarkReport::of(some, &graded));
            let difference = match &graded[..] {
                [a, b] => Some(compare(&reference.header, &a.graded, &b.graded)),
                _ => None,
            };
            Ok(Self {
                reference: path.display().to_string(),
                purpose: reference.header.purpose,
                grader: reference.grader,
                decisions,
                players: graded,
                difference,
                benchmark,
                networks,
            })
        })
    }
}

/// Reads a file of decisions or states, or a part of it.
pub(super) fn read<T>(
    path: &Path,
    read: impl FnOnce(&[u8]) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let file = tavola_files::read(path, &LARGE_BYTES);
    let file = file.map_err(Failure::input_in(format_args!("cannot open {}", path.display())))?;
    let file = sage::unpacked(&file).map_err(Failure::input_in(path.display()))?;
    read(&file).map_err(Failure::input_in(path.display()))
}

/// The game of a file.
pub(super) fn game_of(path: &Path) -> Result<AnyGame, Failure> {
    let game = read(path, |file| match sage::game(file) {
        Some(game) => Ok(game),
        None => Header::read(file).map(|header| header.game),
    })?;
    game.parse().map_err(Failure::input_in(path.display()))
}
