//! The best play of a roll at 0-ply, per (position, dice) pair: list the afterstates, evaluate them
//! together, take the best.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tavola_benches::{CLASSES, network_play, random_evaluator};
use tavola_play::{Agent, ChoosingPlayer, EvaluatorAgent};
use tavola_rules::{Backgammon, Game};

fn decisions(criterion: &mut Criterion) {
    let game = &Backgammon::Standard;
    let pairs = network_play(1_000);
    let mut group = criterion.benchmark_group("decision");
    group.throughput(Throughput::Elements(pairs.len() as u64)).sample_size(20);
    let mut afterstates = Vec::new();
    for hidden in CLASSES {
        let mut agent = EvaluatorAgent::new(Box::new(random_evaluator(hidden)));
        group.bench_function(format!("{hidden:?}"), |bencher| {
            bencher.iter(|| {
                for (state, roll) in &pairs {
                    afterstates.clear();
                    game.afterstates(black_box(state), *roll, &mut afterstates);
                    let situation = ChoosingPlayer::first(game, state, *roll, &afterstates);
                    // What it chose does not matter here.
                    let _ = black_box(agent.choose(&situation));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decisions);
criterion_main!(benches);
