//! Distinct results of a roll, per (position, dice) pair.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tavola_benches::random_play;
use tavola_rules::movegen;

fn results(criterion: &mut Criterion) {
    let pairs = random_play(4_000);
    let mut out = Vec::new();
    let mut total = 0;
    for (position, dice) in &pairs {
        out.clear();
        movegen::results(position, *dice, &mut out);
        total += out.len();
    }
    assert_eq!(total, 73334, "the generator lists other results than when this was measured");
    let mut group = criterion.benchmark_group("results");
    group.throughput(Throughput::Elements(pairs.len() as u64));
    group.bench_function("random play", |bencher| {
        bencher.iter(|| {
            for (position, dice) in &pairs {
                out.clear();
                movegen::results(black_box(position), *dice, &mut out);
                black_box(&out);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, results);
criterion_main!(benches);
