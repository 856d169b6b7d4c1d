//! The grades of networks at several plies, in states and in decisions.

use std::path::{Path, PathBuf};

use serde::Serialize;
use tavola_evaluator::Estimate;
use tavola_files::Failure;
use tavola_games::with_game;

use super::report::{game_of, read};
use super::states::{StateDifference, StateError, StateGrades, StateReference, grade_states};
use super::{
    Graded, Grades, Header, Purpose, Reference, SiblingGrades, compare, grade, grade_siblings,
};
use crate::job::JobContext;
use crate::strength::player::Player;

/// The grades of a player at a depth.
#[derive(Debug, Serialize)]
pub struct PlyGrades<'a> {
    /// As it was named, without plies.
    pub player: &'a str,
    /// See [`Player::version`].
    pub version: String,
    /// Plies.
    pub ply: u8,
    /// How far its evaluations of the states of each file are off.
    pub states: Vec<StateGrades>,
    /// Equity lost a decision as in play, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Estimate>,
    /// How far the errors within the siblings of a roll spread, in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<SiblingGrades>,
    /// What it is worse by than the first player at the same depth; `None` of that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worse_by: Option<PlyDifference>,
}

/// What a player is worse by than another one at the same depth, in points: below zero where it is
/// better.
#[derive(Debug, Serialize)]
pub struct PlyDifference {
    /// In the states of each file.
    pub states: Vec<StateDifference>,
    /// In equity lost a decision as in play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Estimate>,
}

/// What a player answers at a depth.
struct Answers {
    /// The errors in the states of each file.
    errors: Vec<Vec<StateError>>,
    /// Each decision.
    graded: Option<Vec<Graded>>,
}

impl Answers {
    /// What they are worse by than others; `header` is that of the decisions.
    fn worse_by(&self, other: &Self, header: Option<&Header>) -> PlyDifference {
        let states = self.errors.iter().zip(&other.errors);
        let loss = |header| {
            let (ours, theirs) = (self.graded.as_ref()?, other.graded.as_ref()?);
            Some(compare(header, ours, theirs).in_play)
        };
        PlyDifference {
            states: states.map(|(ours, theirs)| StateDifference::of(ours, theirs)).collect(),
            loss: header.and_then(loss),
        }
    }
}

/// A file of rolled-out states.
#[derive(Debug, Serialize)]
pub struct StatesFile {
    /// The file.
    pub file: String,
    /// What its states may be used for.
    pub purpose: Purpose,
    /// How they were rolled out, in words.
    pub settings: String,
    /// How many there are.
    pub states: usize,
}

/// The grades of players at several plies, in points.
#[derive(Debug, Serialize)]
pub struct PliesReport<'a> {
    /// The files of rolled-out states.
    pub states: Vec<StatesFile>,
    /// The file of graded decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Each player at each of the plies.
    pub players: Vec<PlyGrades<'a>>,
    /// The checksums of the players' networks, each with the player's name.
    #[serde(skip)]
    pub networks: Vec<(&'a str, String)>,
}

impl<'a> PliesReport<'a> {
    /// Has the named networks evaluate the states of all files, and decide where there is a
    /// `reference`, at each of the plies.
    ///
    /// # Errors
    ///
    /// A file or a player can't be used, a player fails, or the work is called off.
    pub fn of(
        paths: &[PathBuf],
        reference: Option<&Path>,
        names: &'a [String],
        plies: &[u8],
        job: &JobContext<'_>,
    ) -> Result<Self, Failure> {
        let first = paths.first().ok_or_else(|| Failure::input("no file of states"))?;
        let game = game_of(first)?;
        with_game!(&game, |game| {
            let states =
                paths.iter().map(|path| read(path, |file| StateReference::of_file(game, file)));
            let states: Vec<_> = states.collect::<Result<_, _>>()?;
            let decisions = reference.map(|path| read(path, |file| Reference::of_file(game, file)));
            let decisions = decisions.transpose()?;
            let mut asked = Vec::new();
            // All of them first: a second one that is misspelled should not cost the time of the first.
            for name in names {
                for &ply in plies {
                    let at = if ply == 0 { name.clone() } else { format!("{name}@{ply}") };
                    asked.push((name.as_str(), ply, Player::new(&at, game, &job.players)?));
                }
            }
            // Each decision is asked for a choice, and for its siblings.
            let each = states.iter().map(|file| file.states.len()).sum::<usize>()
                + decisions.as_ref().map_or(0, |some| 2 * some.decisions.len());
            job.progress.begin((each * asked.len()) as u64, "answers");
            let observer = || job.progress.one_done();
            let mut players = Vec::with_capacity(asked.len());
            let mut all_answers: Vec<Answers> = Vec::with_capacity(asked.len());
            let mut networks = Vec::new();
            for (name, ply, player) in asked {
                let (agent, workers, failed) =
                    (player.agent.as_ref(), job.workers, |error: Failure| error.while_trying(name));
                let of_file = |file| grade_states(game, file, agent, workers, &observer);
                let errors: Vec<_> =
                    states.iter().map(of_file).collect::<Result<_, _>>().map_err(&failed)?;
                let (mut graded, mut loss, mut siblings) = (None, None, None);
                if let Some(reference) = &decisions {
                    let all = grade(game, reference, agent, workers, &observer).map_err(&failed)?;
                    loss = Some(Grades::of(&reference.header, &all).loss.in_play);
                    graded = Some(all);
                    siblings = grade_siblings(game, reference, agent, workers, &observer)
                        .map_err(&failed)?;
                }
                let states = errors.iter().map(|errors| StateGrades::of(errors)).collect();
                let answers = Answers { errors, graded };
                let header = decisions.as_ref().map(|reference| &reference.header);
                // The first player answers first, at all depths.
                let is_first = all_answers.len() < plies.len();
                let worse_by = (!is_first).then(|| {
                    answers.worse_by(&all_answers[all_answers.len() % plies.len()], header)
                });
                all_answers.push(answers);
                networks.extend(player.network.map(|checksum| (name, checksum)));
                let version = player.version;
                players.push(PlyGrades {
                    player: name,
                    version,
                    ply,
                    states,
                    loss,
                    siblings,
                    worse_by,
                });
            }
            networks.dedup();
            let files = paths.iter().zip(states).map(|(path, file)| StatesFile {
                file: path.display().to_string(),
                purpose: file.header.purpose,
                settings: file.grader.settings,
                states: file.states.len(),
            });
            Ok(Self {
                states: files.collect(),
                reference: reference.map(|path| path.display().to_string()),
                players,
                networks,
            })
        })
    }
}
