//! Distinct afterstates of a roll, per (position, dice) pair.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tavola_benches::{network_play, random_play};
use tavola_rules::{Dice, Position, movegen};

/// The afterstates of all pairs together.
fn total(pairs: &[(Position, Dice)]) -> usize {
    let mut out = Vec::new();
    for (position, dice) in pairs {
        movegen::afterstates(position, *dice, &mut out);
    }
    out.len()
}

fn afterstates(criterion: &mut Criterion) {
    let random = random_play(4_000);
    assert_eq!(
        total(&random),
        73334,
        "the generator lists other afterstates than when measured first"
    );
    let mut group = criterion.benchmark_group("results");
    group.throughput(Throughput::Elements(random.len() as u64)).sample_size(40);
    let mut out = Vec::new();
    // No total is known for games of the network: they change with it.
    for (name, pairs) in [("random play", random), ("network play", network_play(4_000))] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for (position, dice) in &pairs {
                    out.clear();
                    movegen::afterstates(black_box(position), *dice, &mut out);
                    black_box(&out);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, afterstates);
criterion_main!(benches);
