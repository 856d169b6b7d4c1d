//! The forward pass, per position, for networks of several sizes.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tavola_benches::{EncoderKind, families, random_play};
use tavola_net::{Network, random_weights};
use tavola_rules::{Backgammon, Game};

fn forward(criterion: &mut Criterion) {
    let families = families(&random_play(500));
    let positions: usize = families.iter().map(|(_, afterstates)| afterstates.len()).sum();
    let mut group = criterion.benchmark_group("forward");
    group.throughput(Throughput::Elements(positions as u64)).sample_size(20);
    let shapes: [&[usize]; 5] =
        [&[128], &[256, 32], &[512, 32, 32], &[512, 256, 64], &[1024, 64, 32]];
    for hidden in shapes {
        let weights = random_weights(EncoderKind::OneHot, hidden, 1);
        let network = Network::new(&weights, &Backgammon::Standard).expect("fresh weights fit");
        let (mut scratch, mut out) = (network.scratch(), Vec::new());
        let name = hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
        group.bench_function(format!("{name} siblings"), |bencher| {
            bencher.iter(|| {
                for (parent, afterstates) in &families {
                    let cells = afterstates.iter().map(Backgammon::cells);
                    let parent = Backgammon::cells(black_box(parent));
                    network.evaluate_siblings(parent, cells, &mut scratch, &mut out);
                    black_box(&out);
                }
            });
        });
        group.bench_function(format!("{name} alone"), |bencher| {
            bencher.iter(|| {
                for (_, afterstates) in &families {
                    let cells = afterstates.iter().map(Backgammon::cells);
                    network.evaluate(black_box(cells), &mut scratch, &mut out);
                    black_box(&out);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, forward);
criterion_main!(benches);
