//! The grades of networks at several plies, in states and in decisions.

use std::path::Path;

use serde::Serialize;
use tavola_evaluator::{Estimate, PlayableGame};
use tavola_games::{AnyGame, with_game};

use super::report::{failed, read};
use super::states::{StateGrades, StateGradingError, StateHeader, StateReference, grade_states};
use super::{Grades, Purpose, Reference, SiblingGrades, grade, grade_siblings};
use crate::job::{Job, JobError, input_in};
use crate::player::Player;

/// The grades of a player at a depth.
#[derive(Debug, Serialize)]
pub struct PlyGrades<'a> {
    /// As it was named, without plies.
    pub player: &'a str,
    /// See [`Player::version`].
    pub version: String,
    /// Plies.
    pub ply: u8,
    /// How far its evaluations of states are off.
    pub states: StateGrades,
    /// Equity lost a decision as in play, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Estimate>,
    /// How far the errors within the siblings of a roll spread, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<SiblingGrades>,
}

/// The grades of players at several plies, in points.
#[derive(Debug, Serialize)]
pub struct PliesReport<'a> {
    /// The file of rolled-out states.
    pub states: String,
    /// How the states were rolled out, in words.
    pub settings: String,
    /// The file of graded decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Each player at each of the plies.
    pub players: Vec<PlyGrades<'a>>,
    /// How many states there are.
    #[serde(skip)]
    pub number_of_states: usize,
    /// What the states may be used for.
    #[serde(skip)]
    pub purpose: Purpose,
    /// The checksums of the players' networks, each with the player's name.
    #[serde(skip)]
    pub networks: Vec<(&'a str, String)>,
}

impl<'a> PliesReport<'a> {
    /// Has the named networks evaluate the states, and decide where there is a `reference`, at each
    /// of the plies.
    ///
    /// # Errors
    ///
    /// A file or a player can't be used, a player fails, or the work is called off.
    pub fn of(
        states: &Path,
        reference: Option<&Path>,
        names: &'a [String],
        plies: &[u8],
        job: &Job<'_>,
    ) -> Result<Self, JobError> {
        let header = StateHeader::read(states).map_err(JobError::input)?;
        let game: AnyGame = header.game.parse().map_err(input_in(states.display()))?;
        with_game!(&game, |game| Self::of_game(game, (states, reference), names, plies, job))
    }

    fn of_game<G: PlayableGame>(
        game: &G,
        (path, reference): (&Path, Option<&Path>),
        names: &'a [String],
        plies: &[u8],
        job: &Job<'_>,
    ) -> Result<Self, JobError> {
        let states = StateReference::read(game, path).map_err(JobError::input)?;
        let decisions: Option<Reference<G>> = match reference {
            None => None,
            Some(path) => Some(read(path, |file| Reference::read(game, file))?),
        };
        let mut asked = Vec::new();
        // All of them first: a second one that is misspelled should not cost the time of the first.
        for name in names {
            for &ply in plies {
                let at = if ply == 0 { name.clone() } else { format!("{name}@{ply}") };
                asked.push((name.as_str(), ply, Player::new(&at, game, &job.players)?));
            }
        }
        // Each decision is asked for a choice, and for its siblings.
        let each =
            states.states.len() + decisions.as_ref().map_or(0, |some| 2 * some.decisions.len());
        job.progress.begin((each * asked.len()) as u64, "answers");
        let mut players = Vec::with_capacity(asked.len());
        let mut networks = Vec::new();
        for (name, ply, player) in asked {
            let (grades, decided) =
                of_player(game, &states, decisions.as_ref(), name, &player, job)?;
            let (loss, siblings) = decided.unzip();
            networks.extend(player.network.map(|checksum| (name, checksum)));
            let (version, siblings) = (player.version, siblings.flatten());
            players.push(PlyGrades { player: name, version, ply, states: grades, loss, siblings });
        }
        networks.dedup();
        Ok(Self {
            states: path.display().to_string(),
            reference: reference.map(|path| path.display().to_string()),
            players,
            number_of_states: states.states.len(),
            purpose: states.header.purpose,
            settings: states.header.settings,
            networks,
        })
    }
}

/// What plays lose, and the spread within siblings.
type Decided = (Estimate, Option<SiblingGrades>);

fn of_player<G: PlayableGame>(
    game: &G,
    states: &StateReference<G>,
    decisions: Option<&Reference<G>>,
    name: &str,
    player: &Player<G>,
    job: &Job<'_>,
) -> Result<(StateGrades, Option<Decided>), JobError> {
    let (agent, workers) = (player.agent.as_ref(), job.workers);
    let observer = || job.progress.one_done();
    let states = grade_states(game, states, agent, workers, &observer).map_err(|error| {
        let message = format!("{name}: {error}");
        match error {
            StateGradingError::Canceled { .. } => JobError::stopped(message),
            StateGradingError::NoEquity => JobError::input(message),
            _ => JobError::work(message),
        }
    })?;
    let Some(reference) = decisions else { return Ok((states, None)) };
    let failed = |error| failed(name, error);
    let graded = grade(game, reference, agent, workers, &observer).map_err(failed)?;
    let siblings = grade_siblings(game, reference, agent, workers, &observer).map_err(failed)?;
    let loss = Grades::of(&reference.header, &graded).loss.in_play;
    Ok((states, Some((loss, siblings))))
}
