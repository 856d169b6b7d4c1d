//! How long tables take to generate and to open, how large they are, and lookups a second.
//!
//!     cargo run --release -p tavola-bearoff --example measure -- [POINTS:CHECKERS | CHECKERS ...]
//!
//! `8:15` is a one-sided table, `7` a two-sided one; without arguments the default tables. Times
//! of generation are by the clock, on one thread and on all; the rest is processor-bound and
//! single.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use tavola_bearoff::{BearoffTable, Store, TableSpec, Tables};
use tavola_rules::Position;

fn main() -> Result<(), Box<dyn Error>> {
    let mut specs = Vec::new();
    for arg in std::env::args().skip(1) {
        specs.push(match arg.split_once(':') {
            Some((points, checkers)) => TableSpec::one_sided(points.parse()?, checkers.parse()?)?,
            None => TableSpec::two_sided(arg.parse()?)?,
        });
    }
    if specs.is_empty() {
        specs = vec![TableSpec::ONE_SIDED_DEFAULT, TableSpec::TWO_SIDED_DEFAULT];
    }
    let all_threads = rayon::current_num_threads();
    for spec in specs {
        println!("{spec}");
        for threads in [1, all_threads] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let (time, table) = timed(|| pool.install(|| BearoffTable::generate(spec, &|_| {})));
            println!("  generated on {threads} threads in {time:.2?}, {} bytes", table.size());
        }
        let directory = tempfile::tempdir()?;
        let store = Store::in_directory(directory.path());
        store.generate(spec, &|_| {});
        let path = store.path(spec).ok_or("a directory is set")?;
        let open = median(|| timed(|| black_box(store.open(spec))).0);
        let read = median(|| timed(|| black_box(fs::read(&path))).0);
        println!("  read and verified in {open:.2?}; only read into memory in {read:.2?}");
        let table = store.open(spec)?.ok_or("the table was just generated")?;
        let positions = positions(spec);
        let tables: Tables = [table].into_iter().collect();
        rate("lookups", &positions, |position| black_box(tables.evaluate(position)).is_some());
        let contact = vec![Position::STANDARD; positions.len()];
        rate("refusals of the start position", &contact, |position| {
            black_box(tables.evaluate(position)).is_none()
        });
    }
    Ok(())
}

/// Positions that the table covers, scattered over it: both sides by a multiplicative generator.
fn positions(spec: TableSpec) -> Vec<Position> {
    let mut state = 1u64;
    let mut next = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let points = u64::from(spec.points().min(12));
    (0..100_000)
        .map(|_| {
            let mut counts = [0i8; 26];
            for _ in 0..1 + next(spec.checkers().into()) {
                counts[1 + next(points) as usize] += 1;
            }
            for _ in 0..1 + next(spec.checkers().into()) {
                counts[24 - next(points) as usize] -= 1;
            }
            Position::from_counts(&counts, 15).expect("at most 15 checkers a side are placed")
        })
        .collect()
}

fn rate(what: &str, positions: &[Position], evaluate: impl Fn(&Position) -> bool) {
    assert!(positions.iter().all(&evaluate), "a position is not what it should be");
    let time = median(|| timed(|| positions.iter().filter(|p| evaluate(p)).count()).0);
    println!("  {:.2} M {what} a second", positions.len() as f64 / time.as_secs_f64() / 1e6);
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn median(measure: impl Fn() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..15).map(|_| measure()).collect();
    times.sort();
    times[times.len() / 2]
}
