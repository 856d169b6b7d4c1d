//! Positions as a run learns them next: with their targets, the worst known first.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use tavola_data::Samples;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_files::Failure;
use tavola_games::{NamedGame, PlayableGame, with_game};
use tavola_net::Weights;
use tavola_play::{Labeler, LuckEvaluator, SelfPlayer, TdTargets, check_starts};

use crate::config::Plan;
use crate::context::Teacher;
use crate::error;
use crate::metrics::{Metrics, read_metrics};
use crate::names::{FINAL, LATEST, METRICS};
use crate::run_dir::read_manifest;
use crate::selfplay_pool::PruningNetwork;

/// A position of a game from self-play, from the player on roll before the roll. Probabilities are
/// win, win gammon, win backgammon, lose gammon, lose backgammon.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampledPosition {
    /// The number of the game within the run, and of the turn in it.
    pub game: u64,
    /// The turn, counted from 0 for the start.
    pub turn: usize,
    /// The position in the notation of the game.
    pub position: String,
    /// What the network is to learn.
    pub target: [f32; 5],
    /// What it says.
    pub network: [f32; 5],
    /// The equity of the target, and of what it says.
    pub equity: [f32; 2],
    /// The loss above the least that this target allows, in nats.
    pub loss: f64,
}

/// What was sampled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sampled {
    /// The game.
    pub game: String,
    /// The round whose games these are: the one behind the newest weights.
    pub round: u32,
    /// Positions that were played.
    pub states: usize,
    /// Those of them with the highest loss, the highest first.
    pub worst: Vec<SampledPosition>,
}

/// Plays the first games of the round behind the newest weights of a run, and compares what they
/// say with the targets.
///
/// # Errors
///
/// [`Failure`] if there is no run with weights, or one that learns from a dataset or for more than
/// two players.
pub fn sample(directory: &Path, games: u64, most: usize) -> Result<Sampled, Failure> {
    let manifest = if directory.is_dir() { read_manifest(directory)? } else { None };
    let Some(manifest) = manifest else {
        return Err(error::no_run(directory, "sample"));
    };
    let plan = Plan::new(manifest.config, directory)?;
    let wrong = |what: &str| {
        Failure::input(format!(
            "{} {what}, expected a run that plays its games for two",
            directory.display()
        ))
    };
    if plan.config().dataset.is_some() {
        return Err(wrong("learns from a dataset"));
    }
    let NamedGame::Two(game) = plan.game() else {
        return Err(wrong("is of a game for more players"));
    };
    let newest =
        [FINAL, LATEST].map(|name| directory.join(name)).into_iter().find(|it| it.is_file());
    let Some(newest) = newest else {
        return Err(Failure::input(format!(
            "{} has no weights yet, expected {LATEST} or {FINAL}",
            directory.display()
        )));
    };
    let weights = Weights::load(&newest).map_err(error::weights)?;
    let lines = read_metrics(&directory.join(METRICS)).unwrap_or_default();
    let rounds = lines.iter().filter(|line| matches!(line, Metrics::Round(_)));
    let round = rounds.map(Metrics::round).max().unwrap_or(0) + 1;
    with_game!(game, |game| sample_of(game, &plan, &weights, (round, games), most))
}

fn sample_of<G: PlayableGame>(
    game: &G,
    plan: &Plan,
    weights: &Weights,
    (round, games): (u32, u64),
    most: usize,
) -> Result<Sampled, Failure> {
    let config = plan.config();
    let mut evaluator = NetEvaluator::new(weights, game.clone()).map_err(error::weights)?;
    let pruning = PruningNetwork::of(game, &config.targets, &mut BTreeMap::new())?;
    let exact = Teacher::of(game, config, false)?.map(|teacher| teacher.evaluator(game));
    let starts = plan.starts(game);
    check_starts(game, &config.selfplay, &starts).map_err(error::play)?;
    let luck = pruning.as_ref().map(|pruning| pruning.evaluators(&evaluator));
    let network = luck.as_ref().and_then(LuckEvaluator::pruning_network);
    let (settings, seed) = (&config.selfplay, config.seed);
    let mut player = SelfPlayer::new(game, &evaluator, network, settings, seed, &starts);
    let by = exact.as_deref().unwrap_or(&evaluator);
    let mut labeler = Labeler::new(game, by, config.targets.labels(), luck.as_ref(), seed);
    let (lambda, exploration) = config.targets.td(config.progress(round.min(config.rounds)));
    let targets = TdTargets::new(lambda, exploration).map_err(error::learn)?;
    let mut found = Vec::new();
    let mut states = 0;
    let mut samples = Samples::new(game.layout().len());
    let first = plan.games_of(round).start;
    for number in first..first + games {
        let Some(record) = player.play(number) else { continue };
        let labels = labeler.label(&record);
        samples.clear();
        targets.append::<G>(&record, &labels, &mut samples);
        let played: Vec<G::State> = record.states().collect();
        for sample in (0..samples.len()).filter(|sample| !samples.is_sibling(*sample)) {
            let cells = samples.cells(sample);
            let is_it = |state: &G::State| G::cells(state).starts_with(cells);
            // Candidates that were not played have no turn.
            let Some(turn) = played.iter().position(is_it) else { continue };
            let mut target = OutcomeProbs::default();
            target.0.copy_from_slice(samples.target(sample));
            let mut said = Vec::new();
            evaluator.evaluate(&played[turn..=turn], &mut said);
            let (network, state) = (said[0], &played[turn]);
            states += 1;
            found.push((above_the_least(&target, &network), number, turn, *state, target, network));
        }
    }
    found.sort_by(|one, two| two.0.total_cmp(&one.0));
    let worst = found.into_iter().take(most).map(|(loss, number, turn, state, target, network)| {
        SampledPosition {
            game: number,
            turn,
            position: game.write_state(&state),
            target: target.cumulative().to_array(),
            network: network.cumulative().to_array(),
            equity: [target.equity(), network.equity()],
            loss,
        }
    });
    Ok(Sampled { game: game.id(), round, states, worst: worst.collect() })
}

/// The cross-entropy less the entropy of the target: 0 where both are the same.
fn above_the_least(target: &OutcomeProbs, network: &OutcomeProbs) -> f64 {
    let pairs = target.0.iter().zip(network.0);
    let nats = pairs.map(|(&target, said)| {
        let (target, said) = (f64::from(target), f64::from(said).max(1e-30));
        if target > 0.0 { target * (target / said).ln() } else { 0.0 }
    });
    nats.sum::<f64>().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_has_no_loss_and_what_is_certain_and_wrong_the_most() {
        let even = OutcomeProbs([0.5, 0.0, 0.0, 0.5, 0.0, 0.0]);
        let sure = OutcomeProbs([0.9, 0.0, 0.0, 0.1, 0.0, 0.0]);
        assert_eq!(above_the_least(&even, &even), 0.0);
        let loss = above_the_least(&even, &sure);
        assert!((loss - 0.5 * (0.25_f64 / 0.09).ln()).abs() < 1e-6, "{loss}");
    }
}
