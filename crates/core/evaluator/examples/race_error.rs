//! How far a network and the tables are from the truth in races, and what the tables cost
//! elsewhere.
//!
//!     cargo run --release -p tavola-evaluator --example race_error -- [POINTS] [POSITIONS] [WEIGHTS]
//!
//! Races come from games of the network against itself: every position without contact, by the
//! rearmost checker of either side. A one-sided table of 15 checkers on POINTS points [default 8]
//! covers them up to there. The truth is estimated by playing on with the tables' best play, and
//! adding up, turn by turn, how far the mean over all rolls is from what was said before the
//! roll: that sum has the mean of the table's error and hardly any luck in it.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_bearoff::{Store, TableSpec};
use tavola_evaluator::{Evaluator, NetEvaluator, TableEvaluator, rank_afterstates};
use tavola_net::Weights;
use tavola_rules::notation::encode_position_id;
use tavola_rules::{Backgammon, Dice, Game, Position};

const GAME: Backgammon = Backgammon::Standard;
/// Games that the truth of one position is the mean of.
const GAMES: usize = 20;

/// A sum with its squares.
#[derive(Default)]
struct Sum {
    count: f64,
    sum: f64,
    squares: f64,
    worst: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
        self.worst = self.worst.max(value);
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    fn standard_error(&self) -> f64 {
        ((self.squares / self.count - self.mean().powi(2)).max(0.0) / self.count).sqrt()
    }
}

#[derive(Default)]
struct Class {
    net: Sum,
    table: Sum,
    /// Standard errors of the truths.
    blur: Sum,
    /// Equity that the network's choice loses a roll, as the tables see it.
    loss: Sum,
    /// Where the network errs most.
    hardest: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let points = args.next().map_or(Ok(8), |arg| arg.parse())?;
    let positions = args.next().map_or(Ok(60), |arg| arg.parse::<usize>())?;
    let weights = args.next().unwrap_or_else(|| "models/default.safetensors".to_owned());
    let mut net = NetEvaluator::new(&Weights::load(Path::new(&weights))?, GAME)?;
    let specs = [
        TableSpec::ONE_SIDED_DEFAULT,
        TableSpec::one_sided(points, 15)?,
        TableSpec::TWO_SIDED_DEFAULT,
    ];
    let (tables, _) = Store::in_memory().load(&specs, &|_| {});
    let mut evaluator = TableEvaluator::new(tables, net.fork());
    let mut rng = ChaCha8Rng::seed_from_u64(1);

    let (races, contact) = play_games(&mut net, 40 * positions, &mut rng);
    let mut classes: BTreeMap<u8, Class> = BTreeMap::new();
    for (reach, mut group) in races {
        if reach > points {
            continue;
        }
        let class = classes.entry(reach).or_default();
        for _ in 0..positions.min(group.len()) {
            let state = group.swap_remove(rng.random_range(0..group.len()));
            examine(&state, &mut net, &mut evaluator, &mut rng, class);
        }
    }
    println!("equity errors in millipoints; blur is the mean standard error of a truth");
    println!(
        "rearmost  positions  net mean   worst  table mean   worst   blur  net's loss a roll  hardest"
    );
    for (reach, class) in classes {
        println!(
            "{reach:>8}{:>11}{:>10.1}{:>8.1}{:>12.2}{:>8.2}{:>7.2}{:>19.2}  {}",
            class.net.count,
            class.net.mean() * 1e3,
            class.net.worst * 1e3,
            class.table.mean() * 1e3,
            class.table.worst * 1e3,
            class.blur.mean() * 1e3,
            class.loss.mean() * 1e3,
            class.hardest,
        );
    }

    let mut times = [(); 2].map(|()| Vec::new());
    for _ in 0..15 {
        times[0].push(decide(&mut net, &contact));
        times[1].push(decide(&mut evaluator, &contact));
    }
    let [net, tables] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    });
    println!(
        "{} decisions with contact: {net:.2?} by the network, {tables:.2?} with tables before it",
        contact.len()
    );
    Ok(())
}

/// What games of the evaluator against itself leave: races by the rearmost checker, and positions
/// with contact.
fn play_games(
    evaluator: &mut dyn Evaluator<Backgammon>,
    games: usize,
    rng: &mut ChaCha8Rng,
) -> (BTreeMap<u8, Vec<Position>>, Vec<Position>) {
    let (mut races, mut contact) = (BTreeMap::<u8, Vec<Position>>::new(), Vec::new());
    for _ in 0..games {
        let mut state = GAME.start();
        let mut roll = GAME.opening_roll(rng);
        while GAME.outcome(&state).is_none() {
            if !state.has_contact() {
                let reach = |p: &Position| (1..=24).rev().find(|&i| p.point(i) > 0).unwrap_or(0);
                let reach = reach(&state).max(reach(&state.flip())) as u8;
                races.entry(reach.max(6)).or_default().push(state);
            } else if contact.len() < 2_000 {
                contact.push(state);
            }
            state = rank_afterstates(&GAME, evaluator, &state, roll)[0].state;
            roll = GAME.roll(rng);
        }
    }
    (races, contact)
}

/// Adds the errors of both evaluators in one position.
fn examine(
    state: &Position,
    net: &mut dyn Evaluator<Backgammon>,
    evaluator: &mut dyn Evaluator<Backgammon>,
    rng: &mut ChaCha8Rng,
    class: &mut Class,
) {
    let equity = |evaluator: &mut dyn Evaluator<Backgammon>, state: &Position| {
        let mut out = Vec::new();
        evaluator.evaluate(&[*state], &mut out);
        f64::from(out[0].equity())
    };
    let (by_net, by_table) = (equity(net, state), equity(evaluator, state));
    let mut correction = Sum::default();
    for _ in 0..GAMES {
        let (mut at, mut sign, mut sum) = (*state, 1.0, 0.0);
        while GAME.outcome(&at).is_none() {
            let before = equity(evaluator, &at);
            let mut mean = 0.0;
            let mut next = at;
            let chosen = GAME.roll(rng);
            for (roll, weight) in Dice::ALL {
                let best = rank_afterstates(&GAME, evaluator, &at, roll)[0];
                mean += f64::from(weight) / 36.0 * f64::from(best.equity);
                if roll == chosen {
                    next = best.state;
                }
            }
            sum += sign * (mean - before);
            (at, sign) = (next, -sign);
            // Perfect play from here on: nothing is left to correct.
            if at.off().min(at.opponent_off()) >= 9 {
                break;
            }
        }
        correction.add(sum);
    }
    let truth = by_table + correction.mean();
    let error = (by_net - truth).abs();
    if error > class.net.worst {
        let id = encode_position_id(state);
        class.hardest = format!("{id} is {truth:+.3}, the network says {by_net:+.3}");
    }
    class.net.add(error);
    class.table.add((by_table - truth).abs());
    class.blur.add(correction.standard_error());
    let mut loss = 0.0;
    for (roll, weight) in Dice::ALL {
        let choice = rank_afterstates(&GAME, net, state, roll)[0].state;
        let best = f64::from(rank_afterstates(&GAME, evaluator, state, roll)[0].equity);
        loss += f64::from(weight) / 36.0 * (best + equity(evaluator, &choice));
    }
    class.loss.add(loss);
}

/// The time for one decision in each position.
fn decide(evaluator: &mut dyn Evaluator<Backgammon>, positions: &[Position]) -> Duration {
    let start = Instant::now();
    for (state, (roll, _)) in positions.iter().zip(Dice::ALL.iter().cycle()) {
        std::hint::black_box(rank_afterstates(&GAME, evaluator, state, *roll));
    }
    start.elapsed()
}
