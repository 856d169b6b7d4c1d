//! What is measured: rates of decisions, rollouts and games.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tavola_bearoff::Tables;
use tavola_engine::LoadedNetwork;
use tavola_evaluator::rollout::{Luck, Rollout, RolloutSettings, RolloutWatch};
use tavola_evaluator::{Evaluator, NetEvaluator, PlayableGame, Preset, Pruner, Pruning, Search};
use tavola_files::Failure;
use tavola_net::{Encoder, Weights};
use tavola_play::{Agent, ChoosingPlayer, EvaluatorAgent, SearchAgent, SelfPlaySettings};
use tavola_rules::Game;

use super::corpus::{self, PairOf};
use super::rate;

/// Positions that are evaluated at once, about as many as a roll has afterstates.
const BATCH: usize = 32;

/// Games that take turns on one and on two threads tell what a second thread brings.
const TWO: NonZeroUsize = NonZeroUsize::new(2).expect("two is not zero");

/// One figure: its key in JSON, its name in the table, and units a second.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its key in JSON.
    pub key: &'static str,
    /// Its name for people.
    pub name: String,
    /// Units a second.
    pub per_s: f64,
}

fn figure(key: &'static str, name: &str, per_s: f64) -> Figure {
    Figure { key, name: name.to_owned(), per_s }
}

/// Moves, encoding, evaluations and 0-ply decisions.
pub(super) fn of_decisions<G: PlayableGame>(
    budget: Duration,
    game: &G,
    weights: &Weights,
    evaluator: &mut NetEvaluator<G>,
    pairs: &[PairOf<G>],
) -> Result<Vec<Figure>, Failure> {
    let (random_pairs, _) = corpus::pairs(game, None)?;
    let mut afterstates = Vec::new();
    let mut movegen = |pairs: &[PairOf<G>]| {
        rate::median(budget, pairs, |pairs| {
            for (state, roll) in pairs {
                afterstates.clear();
                game.afterstates(black_box(state), *roll, &mut afterstates);
                black_box(&afterstates);
            }
        })
    };
    let mut figures = vec![
        figure("movegen_pairs_per_s", "rolls with all afterstates", movegen(pairs)),
        figure("movegen_random_pairs_per_s", "the same, random play", movegen(&random_pairs)),
    ];
    let states: Vec<G::State> = pairs.iter().map(|(state, _)| *state).collect();
    let encoder = Encoder::new(weights.encoder, game.layout());
    let mut features = vec![0.0; encoder.inputs()];
    let encode = rate::median(budget, &states, |states| {
        for state in states {
            encoder.encode(G::cells(black_box(state)), &mut features);
            black_box(&features);
        }
    });
    figures.push(figure("encode_per_s", "positions encoded", encode));
    let mut evaluated = Vec::new();
    let mut evaluations = |batch: usize| {
        rate::median(budget, &states, |states| {
            for batch in states.chunks(batch) {
                evaluator.evaluate(black_box(batch), &mut evaluated);
                black_box(&evaluated);
            }
        })
    };
    figures.push(figure("evals_per_s", "evaluations, batched", evaluations(BATCH)));
    figures.push(figure("evals_single_per_s", "evaluations, one at a time", evaluations(1)));
    let agent = EvaluatorAgent::new(evaluator.fork());
    let decide = rate::median(budget, pairs, choices(game, agent));
    figures.push(figure("decisions_0ply_per_s", "0-ply decisions", decide));
    if let Some(network) = LoadedNetwork::pruning_evaluator(game)? {
        let agent = EvaluatorAgent::new(evaluator.fork());
        let agent = agent.with_pruner(Pruner::new(network, Pruning::AT_0_PLY));
        let decide = rate::median(budget, pairs, choices(game, agent));
        figures.push(figure("decisions_0ply_pruned_per_s", "the same, pruned first", decide));
    }
    Ok(figures)
}

/// The mean time of a choice at 2-ply.
pub(super) fn decision_2ply_ms<G: PlayableGame>(
    budget: Duration,
    game: &G,
    evaluator: &NetEvaluator<G>,
    pairs: &[PairOf<G>],
) -> Result<f64, Failure> {
    let (pruning, settings) = (LoadedNetwork::pruning_evaluator(game)?, Preset::Normal.at(2));
    let agent = SearchAgent::new(Search::new(game.clone(), evaluator.fork(), pruning, settings));
    Ok(1000.0 / rate::mean(budget, &rate::spread(pairs), choices(game, agent)))
}

/// The middle-game position of which rollouts are measured: 19 plays of 4-2, five near the best.
/// Games that can't have it are rolled out from their start.
const MIDDLE_GAME: &str = "62aCAQPWnBsAAw";

/// Games a second of rollouts to the end, at 0-ply and with bear-off databases, as the command plays
/// them.
pub(super) fn of_rollouts<G: PlayableGame>(
    budget: Duration,
    game: &G,
    evaluator: &NetEvaluator<G>,
    tables: &dyn Fn() -> Tables,
) -> Result<Vec<Figure>, Failure> {
    let state = game.parse_state(MIDDLE_GAME).unwrap_or_else(|_| game.start());
    let pruning = LoadedNetwork::pruning_evaluator(game)?;
    let pruning = pruning.map(|pruning| game.behind_tables(pruning, tables));
    let evaluator = game.behind_tables(evaluator.fork(), tables);
    let measure = |luck| -> Result<f64, Failure> {
        let settings = RolloutSettings { trials: u64::MAX, luck, ..RolloutSettings::default() };
        let (game, pruning) = (game.clone(), pruning.as_deref());
        let mut rollout = Rollout::of_state(game, &*evaluator, pruning, "", settings, state)
            .map_err(Failure::work_in("nothing was measured: the rollout is impossible"))?;
        let (started, cancel) = (Instant::now(), AtomicBool::new(false));
        let runs = rate::mean(Duration::ZERO, &[()], |_| {
            rollout.run(&mut RolloutWatch {
                cancel: &cancel,
                progress: &mut |_| {
                    cancel.store(started.elapsed() >= budget, Ordering::Relaxed);
                },
            });
        });
        Ok(runs * rollout.trials() as f64)
    };
    Ok(vec![
        figure("rollout_games_per_s", "rollout games", measure(Luck::Left)?),
        figure("rollout_vr_games_per_s", "the same, variance-reduced", measure(Luck::TakenOff)?),
    ])
}

/// Lets an agent choose for each pair, the list of plays included.
pub(super) fn choices<'a, G: Game, A: Agent<G> + 'a>(
    game: &'a G,
    mut agent: A,
) -> impl FnMut(&[PairOf<G>]) + use<'a, G, A> {
    let mut afterstates = Vec::new();
    move |pairs| {
        for (state, roll) in pairs {
            afterstates.clear();
            game.afterstates(black_box(state), *roll, &mut afterstates);
            let situation = ChoosingPlayer::first(game, state, *roll, &afterstates);
            // What it chose does not matter here.
            let _ = black_box(agent.choose(&situation));
        }
    }
}

/// What a second thread brings.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    /// Games on two threads for each game on one, in the same time.
    pub by_wall: f64,
    /// Twice the games on two threads for each game on one, in the same processor time: what two
    /// threads bring that have a core to themselves.
    pub by_cpu: f64,
}

/// Measures self-play: the figures of games on one thread and on `all`, and what a second thread
/// brings, unless there is to be one alone.
pub(super) fn games<G: Game>(
    budget: Duration,
    game: &G,
    evaluator: &NetEvaluator<G>,
    all: NonZeroUsize,
) -> Result<([Figure; 2], Option<Scaling>), Failure> {
    let settings = SelfPlaySettings::default();
    let threads = [NonZeroUsize::MIN, TWO, all];
    let numbers = if all == NonZeroUsize::MIN { &threads[..1] } else { &threads };
    let measured = rate::games(budget, numbers, |first, games, threads| {
        Ok(corpus::play(game, evaluator, &settings, first..first + games, threads)?.len())
    })?;
    let name = match all.get() {
        1 => "the same, wall clock, 1 thread".to_owned(),
        threads => format!("the same, wall clock, {threads} threads"),
    };
    let (one, last) = (measured[0], measured[measured.len() - 1]);
    let figures = [
        figure("selfplay_games_per_s", "self-play games", one.per_s),
        figure("selfplay_games_per_s_all_threads", &name, last.per_wall_s),
    ];
    let scaling = measured.get(1).map(|two| Scaling {
        by_wall: two.per_wall_s / one.per_wall_s,
        by_cpu: 2.0 * two.per_s / one.per_s,
    });
    Ok((figures, scaling))
}
