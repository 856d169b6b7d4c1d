//! The figures of a network for a historical game.

use std::hint::black_box;
use std::time::Duration;

use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_games::Tables;
use tavola_net::{Encoder, Weights};
use tavola_rules::Game;

use super::corpus::{self, PairOf, Players};
use super::signature::signature_of;
use super::{BATCH, BenchArgs, Figure, Report, decision_2ply_ms, decisions, figure, rate, sizes};
use crate::failure::{Blame, Failure, Outcome};
use crate::networks::name;
use crate::report::warning;

/// Measures the network on positions of its own games.
pub fn report(args: &BenchArgs, game: &Tables, weights: &Weights) -> Outcome<Report> {
    if args.write_positions.is_some() {
        return Err(Failure::input(format_args!(
            "--write-positions is for backgammon and its variants, not for {}",
            game.id()
        )));
    }
    let model = name(args.model.model.as_deref());
    let mut evaluator =
        NetEvaluator::new(weights, game.clone()).or_input_in(format_args!("cannot use {model}"))?;
    if cfg!(debug_assertions) {
        warning::warn(&warning::UNOPTIMISED);
    }
    let budget = Duration::from_secs_f64(args.seconds);
    let threads = args.threads.count();
    let (pairs, turns_a_game) = corpus::pairs(game, &Players::Evaluate(&evaluator))?;
    let mut figures = measure(budget, game, weights, &mut evaluator, &pairs);
    let games = super::games(budget, game, &evaluator, threads)?;
    let [scaling_2_threads, scaling_2_threads_by_cpu] = games.scaling();
    figures.extend(games.figures(None, threads));
    let sizes = match args.sizes {
        true => sizes::measure(budget / 3, game, &pairs, turns_a_game)?,
        false => Vec::new(),
    };
    Ok(Report {
        figures,
        // What thins out searches was trained for backgammon.
        decision_2ply_ms: decision_2ply_ms(budget, game, &evaluator, None, &pairs),
        threads,
        scaling_2_threads,
        scaling_2_threads_by_cpu,
        signature: signature_of(game, &mut evaluator),
        sizes,
    })
}

/// Everything but whole games.
fn measure(
    budget: Duration,
    game: &Tables,
    weights: &Weights,
    evaluator: &mut NetEvaluator<Tables>,
    pairs: &[PairOf<Tables>],
) -> Vec<Figure> {
    let mut afterstates = Vec::new();
    let movegen = rate::alone(budget, pairs, |pairs| {
        for (state, roll) in pairs {
            afterstates.clear();
            game.afterstates(black_box(state), *roll, &mut afterstates);
            black_box(&afterstates);
        }
    });
    let states: Vec<_> = pairs.iter().map(|(state, _)| *state).collect();
    let encoder = Encoder::new(weights.encoder, game.layout());
    let mut features = vec![0.0; encoder.inputs()];
    let encode = rate::alone(budget, &states, |states| {
        for state in states {
            encoder.encode(Tables::cells(black_box(state)), &mut features);
            black_box(&features);
        }
    });
    let mut evaluated = Vec::new();
    let mut evaluations = |batch: usize| {
        rate::alone(budget, &states, |states| {
            for batch in states.chunks(batch) {
                evaluator.evaluate(black_box(batch), &mut evaluated);
                black_box(&evaluated);
            }
        })
    };
    let (batched, single) = (evaluations(BATCH), evaluations(1));
    let decide = rate::alone(budget, pairs, decisions(game, evaluator));
    vec![
        figure("movegen_pairs_per_s", "rolls with all afterstates", movegen),
        figure("encode_per_s", "positions encoded", encode),
        figure("evals_per_s", "evaluations, batched", batched),
        figure("evals_single_per_s", "evaluations, one at a time", single),
        figure("decisions_0ply_per_s", "0-ply decisions", decide),
    ]
}
