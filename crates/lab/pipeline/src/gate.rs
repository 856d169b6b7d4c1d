//! Whether the network of a finished run replaces another one.
//!
//! The network that must be beaten is copied into the run directory when the gate begins, and the
//! gate is played against that copy; what it decides is in the manifest before anything is
//! replaced. So a gate that is killed at any moment ends as it would have ended.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tavola_arena::grade::{Grades, Reference, compare, grade};
use tavola_arena::{Duel, DuelSettings, Estimate, Sprt, SprtVerdict};
use tavola_evaluator::NetEvaluator;
use tavola_files::Failure;
use tavola_files::limits::LARGE_BYTES;
use tavola_games::PlayableGame;
use tavola_net::Weights;
use tavola_play::{EvaluatorAgent, LuckEvaluator, Workers};
use tavola_rules::Game;

use crate::config::{Config, GateSettings};
use crate::context::{RunContext, load_weights, read_reference};
use crate::error;
use crate::events::RunEvent;
use crate::gate_result::{GateDuel, GateGrade, GateResult, GateRmse, GateStates};
use crate::run_dir::{RunDir, io_error};
use crate::states::States;

/// A gate that is ready to be played.
pub(crate) struct Gate<'a, G: Game> {
    settings: &'a GateSettings,
    test: Sprt,
    reference: Option<Reference<G>>,
}

impl<'a, G: PlayableGame> Gate<'a, G> {
    /// The gate of this configuration, if it has one; everything that it names is read, so that a
    /// run does not end with a mistyped name. Names and checksums of files that must not change go
    /// into `inputs`.
    pub(crate) fn load(
        game: &G,
        config: &'a Config,
        inputs: &mut BTreeMap<String, String>,
    ) -> Result<Option<Self>, Failure> {
        let Some(settings) = &config.gate else { return Ok(None) };
        load_weights("gate.replaces", &settings.replaces, &game.id())?;
        let reference = settings.reference.as_deref();
        let reference = reference.map(|path| read_reference(game, path, inputs)).transpose()?;
        let test = settings.sprt.test().expect("a plan was checked");
        Ok(Some(Self { settings, test, reference }))
    }

    /// Plays the gate, with the states that the configuration names.
    pub(crate) fn decide(
        &self,
        game: &G,
        states: Option<&States<'_, G>>,
        context: &RunContext<'_>,
    ) -> Result<GateResult, Failure> {
        let old = self.incumbent(game, context.dir)?;
        let new = Weights::load(&context.dir.final_weights()).map_err(error::weights)?;
        let (networks, workers) = ([&new, &old], context.workers());
        let grade = self.reference.as_ref();
        let grade = grade.map(|reference| self.grade(game, reference, networks, workers));
        let grade = grade.transpose()?;
        let mut good = grade.as_ref().is_none_or(|grade| grade.passed);
        let states = states.zip(self.settings.states_rmse_ratio).filter(|_| good);
        let states = states.map(|(states, ratio)| evaluate(game, states, ratio, networks, workers));
        let states = states.transpose()?;
        good &= states.as_ref().is_none_or(|states| states.passed);
        let duel = good.then(|| self.duel(game, networks, context)).transpose()?;
        let result = GateResult {
            passed: duel.as_ref().is_some_and(|duel| duel.passed),
            replaced: false,
            replaces: self.settings.replaces.display().to_string(),
            old_sha256: old.checksum(),
            new_sha256: new.checksum(),
            grade,
            states,
            duel,
        };
        context.observer.observe(&RunEvent::GateFinished(Box::new(result.clone())));
        Ok(result)
    }

    /// The network that must be beaten: the one that is there when the gate begins for the first
    /// time.
    fn incumbent(&self, game: &G, dir: &RunDir) -> Result<Weights, Failure> {
        let (kept, source) = (dir.incumbent_weights(), &self.settings.replaces);
        if !kept.is_file() {
            // Looked at before it is kept.
            load_weights("gate.replaces", source, &game.id())?;
            let bytes =
                tavola_files::read(source, &LARGE_BYTES).map_err(io_error("read", source))?;
            tavola_files::write(&kept, &bytes).map_err(io_error("write", &kept))?;
        }
        load_weights("gate.replaces", &kept, &game.id())
    }

    fn grade(
        &self,
        game: &G,
        reference: &Reference<G>,
        networks: [&Weights; 2],
        workers: Workers<'_>,
    ) -> Result<GateGrade, Failure> {
        let mut graded = Vec::with_capacity(2);
        for weights in networks {
            let evaluator = NetEvaluator::new(weights, game.clone()).map_err(error::weights)?;
            let player = EvaluatorAgent::new(Box::new(evaluator));
            graded.push(grade(game, reference, &player, workers, &|| {})?);
        }
        let [new, old] = [0, 1].map(|i| Grades::of(&reference.header, &graded[i]).loss.in_play);
        let worse = compare(&reference.header, &graded[0], &graded[1]).in_play;
        let worse_by = self.settings.worse_by / 1000.0;
        let path = self.settings.reference.as_deref().unwrap_or(Path::new(""));
        Ok(GateGrade {
            passed: worse.mean <= worse_by,
            reference: path.display().to_string(),
            decisions: reference.decisions.len() as u64,
            new: rounded(new),
            old: rounded(old),
            worse: rounded(worse),
            worse_by,
        })
    }

    fn duel(
        &self,
        game: &G,
        [new, old]: [&Weights; 2],
        context: &RunContext<'_>,
    ) -> Result<GateDuel, Failure> {
        let network = |weights| NetEvaluator::new(weights, game.clone()).map_err(error::weights);
        let evaluator = network(old)?;
        let players = [
            EvaluatorAgent::new(Box::new(network(new)?)),
            EvaluatorAgent::new(Box::new(network(old)?)),
        ];
        let (most_games, seed) = (self.settings.sprt.games, self.settings.sprt.seed);
        let settings = DuelSettings { pairs: most_games / 2, seed, ..DuelSettings::default() };
        let done = AtomicU64::new(0);
        let observe = |_: &_| {
            let done = done.fetch_add(2, Ordering::Relaxed) + 2;
            context.observer.observe(&RunEvent::GateGamesPlayed { done, of: most_games });
        };
        let duel = Duel {
            luck: Some(LuckEvaluator { evaluator: &evaluator, pruning: None }),
            sprt: Some(self.test),
            ..Duel::new(game, &players[0], &players[1])
        };
        let result = duel.play_all(&settings, context.workers(), &observe)?;
        let mut sprt = result.sprt.expect("a duel with a test has what it says");
        // Without a spread it is as large as numbers are.
        sprt.log_likelihood_ratio = round(sprt.log_likelihood_ratio.clamp(-1e6, 1e6));
        Ok(GateDuel {
            passed: sprt.verdict == SprtVerdict::High,
            games: result.played(),
            most_games,
            seed,
            ppg: rounded(result.points),
            luck_adjusted: result.luck_adjusted.map(rounded),
            sprt,
        })
    }

    /// Puts the new network in the place of the old one. Doing it twice is doing it once.
    pub(crate) fn replace(
        &self,
        game: &G,
        dir: &RunDir,
        result: &GateResult,
    ) -> Result<(), Failure> {
        let path = &self.settings.replaces;
        let found = load_weights("gate.replaces", path, &game.id())?.checksum();
        if found == result.new_sha256 {
            return Ok(());
        }
        if found != result.old_sha256 {
            return Err(Failure::work(format!(
                "{} has changed since the gate began and stays as it is: its checksum is {found}, \
                 but it is {} that was beaten",
                path.display(),
                result.old_sha256
            )));
        }
        let weights = dir.final_weights();
        let bytes =
            tavola_files::read(&weights, &LARGE_BYTES).map_err(io_error("read", &weights))?;
        tavola_files::write(path, &bytes).map_err(io_error("write", path))?;
        Ok(())
    }
}

/// Has both networks evaluate the states.
fn evaluate<G: PlayableGame>(
    game: &G,
    states: &States<'_, G>,
    ratio: f64,
    networks: [&Weights; 2],
    workers: Workers<'_>,
) -> Result<GateStates, Failure> {
    let [new, old] = networks;
    let new = states.grade(game, new, workers)?;
    let old = states.grade(game, old, workers)?;
    let plies: Vec<GateRmse> = new
        .iter()
        .zip(&old)
        .map(|(new, old)| GateRmse {
            ply: new.ply,
            new: round(new.grades.all.rmse),
            old: round(old.grades.all.rmse),
        })
        .collect();
    let file = states.settings().file.display().to_string();
    let passed = plies.iter().all(|at| at.new <= ratio * at.old);
    Ok(GateStates { passed, file, ratio, plies })
}

/// So few digits that a number is the same after it was written to a manifest and read again.
fn rounded(estimate: Estimate) -> Estimate {
    let Estimate { mean, standard_error, low, high } = estimate;
    let [mean, standard_error, low, high] = [mean, standard_error, low, high].map(round);
    Estimate { mean, standard_error, low, high }
}

fn round(number: f64) -> f64 {
    // Adding zero makes no zero negative.
    (number * 1e8).round() / 1e8 + 0.0
}
