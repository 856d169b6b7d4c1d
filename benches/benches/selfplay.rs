//! Turns of self-play on one thread. The weights are random, and games of random weights are
//! much longer than sensible ones, so turns are what can be compared.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tavola_benches::{CLASSES, games, random_evaluator};

fn selfplay(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("selfplay");
    group.sample_size(10);
    for hidden in CLASSES {
        let evaluator = random_evaluator(hidden);
        let turns = || games(&evaluator, 0, 8).iter().map(Vec::len).sum::<usize>();
        let expected = turns();
        group.throughput(Throughput::Elements(expected as u64));
        group.bench_function(format!("{hidden:?}"), |bencher| {
            bencher.iter(|| assert_eq!(black_box(turns()), expected, "the same seed, other games"));
        });
    }
    group.finish();
}

criterion_group!(benches, selfplay);
criterion_main!(benches);
