//! How well a network evaluates rolled-out states on the way.
//!
//! Games against opponents say how well a network ranks plays. What search, cubes and rollouts
//! need beside that is a right evaluation of every state, which a stage of training may lose
//! unseen. So states are graded too, at several depths.

use std::collections::BTreeMap;

use tavola_arena::grade::states::{StateGrades, StateReference, grade_states};
use tavola_arena::grade::{Reference, grade_siblings};
use tavola_evaluator::{NetEvaluator, Preset, Search};
use tavola_files::Failure;
use tavola_games::PlayableGame;
use tavola_net::Weights;
use tavola_play::{Contender, EvaluatorAgent, SearchAgent, Workers};
use tavola_rules::Game;

use crate::config::StatesSettings;
use crate::context::read_input;
use crate::error;
use crate::metrics::StatesAtPly;

/// Rolled-out states, read.
pub(crate) struct States<'a, G: Game> {
    settings: &'a StatesSettings,
    reference: StateReference<G>,
    decisions: Option<Reference<G>>,
}

impl<'a, G: PlayableGame> States<'a, G> {
    /// Reads the file, whose checksum goes into `inputs`.
    pub(crate) fn load(
        game: &G,
        settings: &'a StatesSettings,
        inputs: &mut BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let path = &settings.file;
        let content = read_input(path, inputs)?;
        let failed = error::input("the states in", "evaluation.states", path);
        let reference = StateReference::read(game, &content).map_err(failed)?;
        let decisions = settings.decisions.as_deref().map(|path| {
            let failed = error::input("the decisions in", "evaluation.states.decisions", path);
            Reference::read(game, &read_input(path, inputs)?).map_err(failed)
        });
        let decisions = decisions.transpose()?;
        Ok(Self { settings, reference, decisions })
    }

    /// Has the network alone, without pruning and tables, evaluate all states at each of the
    /// depths.
    pub(crate) fn grade(
        &self,
        game: &G,
        weights: &Weights,
        workers: Workers<'_>,
    ) -> Result<Vec<StatesAtPly>, Failure> {
        let mut graded = Vec::with_capacity(self.settings.plies.len());
        for &ply in &self.settings.plies {
            let network = NetEvaluator::new(weights, game.clone()).map_err(error::weights)?;
            let network = Box::new(network);
            let player: Box<dyn Contender<G>> = match ply {
                0 => Box::new(EvaluatorAgent::new(network)),
                _ => Box::new(SearchAgent::new(Search::new(
                    game.clone(),
                    network,
                    None,
                    Preset::Normal.at(ply),
                ))),
            };
            let player = player.as_ref();
            let errors = grade_states(game, &self.reference, player, workers, &|| {})?;
            let grades = StateGrades::of(&errors);
            let siblings = match &self.decisions {
                Some(decisions) => grade_siblings(game, decisions, player, workers, &|| {})?,
                None => None,
            };
            graded.push(StatesAtPly { ply, grades, siblings });
        }
        Ok(graded)
    }
}
