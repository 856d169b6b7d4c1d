//! Features of a position, per position. The playing network never computes them: see
//! `forward.rs`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tavola_benches::{EncoderKind, random_play};
use tavola_net::Encoder;
use tavola_rules::{Backgammon, Game};

fn encode(criterion: &mut Criterion) {
    let pairs = random_play(4_000);
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(pairs.len() as u64)).sample_size(20);
    for kind in [EncoderKind::Tesauro, EncoderKind::OneHot] {
        let encoder = Encoder::new(kind, Backgammon::Standard.layout());
        let mut features = vec![0.0; encoder.inputs()];
        group.bench_function(kind.name(), |bencher| {
            bencher.iter(|| {
                for (position, _) in &pairs {
                    encoder.encode(Backgammon::cells(black_box(position)), &mut features);
                    black_box(&features);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, encode);
criterion_main!(benches);
