//! `tavola bench`: speed figures and the behaviour signature.

use crate::args::{ModelArg, OutputArgs, TableArgs, ThreadArgs, example_short, seconds};
use clap::Args;
use std::hint::black_box;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::{Map, Value, json};
use tavola_engine::Network;
use tavola_evaluator::rollout::{Luck, Rollout, RolloutSettings, RolloutWatch};
use tavola_evaluator::{Evaluator, NetEvaluator, Preset, Pruner, Pruning, Search, TableEvaluator};
use tavola_games::AnyGame;
use tavola_net::{Encoder, Weights};
use tavola_play::{Agent, EvaluatorAgent, SearchAgent, Seat, SelfPlaySettings, Situation};
use tavola_rules::notation::decode_position_id;
use tavola_rules::{Backgammon, Game, Position, movegen};

use self::corpus::{Pair, PairOf, Players};
use self::naive::Naive;
use self::rate::Rate;
use self::signature::signature;
use self::sizes::SizeFigures;
use crate::failure::{Blame, Outcome};
use crate::networks::{load_tables, load_weights, name};
use crate::report::format;
use crate::report::table::{Align, Table};
use crate::report::warning;

mod corpus;
mod family;
mod naive;
mod rate;
mod signature;
mod sizes;

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(
    about = "Measure speed and print the behaviour signature",
    long_about = "Measure speed and print the behaviour signature, in about a minute.\n\n\
        Rates are per second of processor time on one thread, for all threads per second on the \
        wall, each the median of several repetitions. Beside them stands how many times faster that \
        is than the same done naively: plays found by trial and error, dense layers of plain floats. Positions are those \
        of games that the network plays, and some of random games. Networks of the historical games \
        are measured on their games; there is no naive way beside them, and no rollout.\n\n\
        The signature is a hash of the plays chosen and the evaluations counted on fixed \
        positions: it changes when the engine plays otherwise, and only then.",
    after_help = example_short(
        "  tavola bench\n  tavola bench --json --seconds 1\n  \
         tavola bench --sizes                     also other sizes of network\n  \
         tavola bench --write-positions p.txt     for comparison with another program"
    )
)]
pub struct BenchArgs {
    /// The network that is measured.
    #[command(flatten)]
    pub model: ModelArg,
    /// Seconds to spend on each figure
    #[arg(long, value_name = "S", default_value_t = 3.0, value_parser = seconds)]
    pub seconds: f64,
    /// Also measure networks of several sizes, with random weights
    #[arg(long)]
    pub sizes: bool,
    /// Write the positions measured to this file, a GNU Position ID and two dice a line
    #[arg(long, value_name = "FILE")]
    pub write_positions: Option<PathBuf>,
    /// Threads of the figure for all threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Positions that are evaluated at once, about as many as a roll has afterstates.
const BATCH: usize = 32;

/// Games that take turns on one and on two threads tell what a second thread brings.
const TWO: NonZeroUsize = NonZeroUsize::new(2).expect("two is not zero");

/// One figure: its key in JSON, its name in the table, and what was measured.
struct Figure {
    key: &'static str,
    name: String,
    rate: Rate,
}

/// What was measured; rates are per second of processor time on one thread, for all threads per
/// second on the wall.
struct Report {
    figures: Vec<Figure>,
    /// Processor time of a choice at 2-ply, normal preset, in milliseconds; the mean.
    decision_2ply_ms: f64,
    /// Threads of the figure for all threads.
    threads: NonZeroUsize,
    /// Games on two threads for each game on one, in the same time.
    scaling_2_threads: f64,
    /// The same if both threads had a core to themselves: twice the games on two threads for each
    /// on one, in the same processor time. What is missing to two is what they cost each other.
    scaling_2_threads_by_cpu: f64,
    /// See [`signature()`].
    signature: String,
    sizes: Vec<SizeFigures>,
}

/// Measures and reports.
pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Outcome {
    let model = args.model.model.as_deref();
    let weights = load_weights(model)?;
    let game: AnyGame = weights.game.parse().or_input_in(format_args!(
        "{} evaluates a game that this command does not know",
        name(model)
    ))?;
    let report = match &game {
        AnyGame::Backgammon(game) => backgammon(args, *game, &weights)?,
        AnyGame::Tables(game) => family::report(args, game, &weights)?,
    };
    if args.output.json {
        serde_json::to_writer(&mut *out, &report.to_json(&weights)?)?;
        writeln!(out)?;
    } else {
        report.write_text(&weights, out)?;
    }
    Ok(())
}

/// The figures of a network for backgammon or a variant of it.
fn backgammon(args: &BenchArgs, game: Backgammon, weights: &Weights) -> Outcome<Report> {
    let model = args.model.model.as_deref();
    let mut evaluator =
        NetEvaluator::new(weights, game).or_input_in(format_args!("cannot use {}", name(model)))?;
    if cfg!(debug_assertions) {
        warning::warn(&warning::UNOPTIMISED);
    }
    let budget = Duration::from_secs_f64(args.seconds);
    let (pairs, turns_a_game) = corpus::pairs(&game, &Players::Evaluate(&evaluator))?;
    if let Some(path) = &args.write_positions {
        corpus::write(path, game, &pairs)?;
    }
    let mut figures = measure(budget, game, weights, &mut evaluator, &pairs)?;
    figures.extend(rollouts(budget, game, &evaluator)?);
    let decision_2ply_ms =
        decision_2ply_ms(budget, &game, &evaluator, Network::pruning_evaluator(&game)?, &pairs);
    let threads = args.threads.count();
    let games = games(budget, &game, &evaluator, threads)?;
    let [scaling_2_threads, scaling_2_threads_by_cpu] = games.scaling();
    let naive_games = naive_games_per_s(budget, game, weights);
    figures.extend(games.figures(Some(naive_games), threads));
    let sizes = match args.sizes {
        // Seven networks, three figures each: less time for each keeps the whole near a minute.
        true => sizes::measure(budget / 3, &game, &pairs, turns_a_game)?,
        false => Vec::new(),
    };
    let signature = signature(&mut evaluator);
    Ok(Report {
        figures,
        decision_2ply_ms,
        threads,
        scaling_2_threads,
        scaling_2_threads_by_cpu,
        signature,
        sizes,
    })
}

impl Report {
    /// The figures by their keys; those of the naive way, where there is one, in an object of
    /// their own.
    fn to_json(&self, weights: &Weights) -> Outcome<Value> {
        let mut report = Map::new();
        let mut naive = Map::new();
        for Figure { key, rate, .. } in &self.figures {
            report.insert((*key).to_owned(), json!(rate.per_s));
            if let Some(per_s) = rate.naive_per_s {
                naive.insert((*key).to_owned(), json!(per_s));
            }
        }
        report.insert("decision_2ply_ms".to_owned(), json!(self.decision_2ply_ms));
        report.insert("threads".to_owned(), json!(self.threads));
        report.insert("scaling_2_threads".to_owned(), json!(self.scaling_2_threads));
        report.insert("scaling_2_threads_by_cpu".to_owned(), json!(self.scaling_2_threads_by_cpu));
        report.insert("naive".to_owned(), Value::Object(naive));
        report.insert("hidden".to_owned(), json!(weights.arch.hidden));
        report.insert("parameters".to_owned(), json!(weights.arch.parameters()));
        report.insert("signature".to_owned(), json!(self.signature));
        if !self.sizes.is_empty() {
            report.insert("sizes".to_owned(), serde_json::to_value(&self.sizes)?);
        }
        Ok(Value::Object(report))
    }

    fn write_text(&self, weights: &Weights, out: &mut dyn Write) -> Outcome {
        let mut table = Table::new([Align::Left, Align::Right, Align::Right]);
        let compares = self.figures.iter().any(|figure| figure.rate.naive_per_s.is_some());
        table.row(["", "", if compares { "x naive" } else { "" }]);
        for Figure { name, rate, .. } in &self.figures {
            let ratio = match rate.naive_per_s {
                Some(naive) => ratio(rate.per_s / naive),
                None => String::new(),
            };
            table.row([name.clone(), format::rate(rate.per_s), ratio]);
        }
        table.write(out)?;
        writeln!(out)?;
        writeln!(
            out,
            "network    {} hidden, {} parameters",
            layers(&weights.arch.hidden),
            format::count(weights.arch.parameters() as u64)
        )?;
        writeln!(
            out,
            "2-ply      {:.2} ms a decision, {:.0} a second",
            self.decision_2ply_ms,
            1000.0 / self.decision_2ply_ms
        )?;
        writeln!(
            out,
            "2 threads  {:.2} times the games of one, {:.2} by processor time",
            self.scaling_2_threads, self.scaling_2_threads_by_cpu
        )?;
        writeln!(out, "signature  {}", self.signature)?;
        if !self.sizes.is_empty() {
            writeln!(out, "\nnetworks of other sizes, random weights\n")?;
            sizes::table(&self.sizes).write(out)?;
        }
        Ok(())
    }
}

fn figure(key: &'static str, name: &str, rate: Rate) -> Figure {
    Figure { key, name: name.to_owned(), rate }
}

/// A ratio to two digits or more.
fn ratio(ratio: f64) -> String {
    let digits = if ratio < 9.95 { 1 } else { 0 };
    format!("{ratio:.digits$}")
}

/// Widths of layers: `512-32-32`.
fn layers(widths: &[usize]) -> String {
    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}

/// Everything but whole games.
fn measure(
    budget: Duration,
    game: Backgammon,
    weights: &Weights,
    evaluator: &mut NetEvaluator<Backgammon>,
    pairs: &[Pair],
) -> Outcome<Vec<Figure>> {
    let naive = Naive::new(game, weights);
    let (random_pairs, _) = corpus::pairs(&game, &Players::Random)?;
    let movegen = |pairs: &[Pair]| {
        let mut afterstates = Vec::new();
        rate::compare(
            budget,
            pairs,
            |pairs| {
                for (position, dice) in pairs {
                    afterstates.clear();
                    movegen::afterstates(black_box(position), *dice, &mut afterstates);
                    black_box(&afterstates);
                }
            },
            |(position, dice)| {
                black_box(naive.afterstates(black_box(position), *dice));
            },
        )
    };
    let mut figures = vec![
        figure("movegen_pairs_per_s", "rolls with all afterstates", movegen(pairs)),
        figure("movegen_random_pairs_per_s", "the same, random play", movegen(&random_pairs)),
    ];

    let positions: Vec<Position> = pairs.iter().map(|(position, _)| *position).collect();
    let encoder = Encoder::new(weights.encoder, game.layout());
    let mut features = vec![0.0; encoder.inputs()];
    let encode = rate::alone(budget, &positions, |positions| {
        for position in positions {
            encoder.encode(Backgammon::cells(black_box(position)), &mut features);
            black_box(&features);
        }
    });
    figures.push(figure("encode_per_s", "positions encoded", encode));

    let mut evaluated = Vec::new();
    let mut evaluations = |batch: usize| {
        rate::compare(
            budget,
            &positions,
            |positions| {
                for batch in positions.chunks(batch) {
                    evaluator.evaluate(black_box(batch), &mut evaluated);
                    black_box(&evaluated);
                }
            },
            |position| {
                black_box(naive.evaluate(black_box(position)));
            },
        )
    };
    figures.push(figure("evals_per_s", "evaluations, batched", evaluations(BATCH)));
    figures.push(figure("evals_single_per_s", "evaluations, one at a time", evaluations(1)));
    figures.push(figure(
        "decisions_0ply_per_s",
        "0-ply decisions",
        rate::compare(budget, pairs, decisions(&game, evaluator), |(position, dice)| {
            black_box(naive.choose(black_box(position), *dice));
        }),
    ));
    if let Some(network) = Network::pruning_evaluator(&game)? {
        let agent = EvaluatorAgent::new(evaluator.fork());
        let agent = agent.with_pruner(Pruner::new(network, Pruning::AT_ONCE));
        figures.push(figure(
            "decisions_0ply_pruned_per_s",
            "the same, pruned first",
            rate::alone(budget, pairs, choices(&game, agent)),
        ));
    }
    Ok(figures)
}

/// Chooses the best play for each pair, the list of plays included.
fn decisions<'a, G: Game>(
    game: &'a G,
    evaluator: &NetEvaluator<G>,
) -> impl FnMut(&[PairOf<G>]) + use<'a, G> {
    choices(game, EvaluatorAgent::new(evaluator.fork()))
}

/// The mean time of a choice at 2-ply.
fn decision_2ply_ms<G: Game>(
    budget: Duration,
    game: &G,
    evaluator: &NetEvaluator<G>,
    pruning: Option<Box<dyn Evaluator<G>>>,
    pairs: &[PairOf<G>],
) -> f64 {
    let settings = Preset::Normal.at(2);
    let agent = SearchAgent::new(Search::new(game.clone(), evaluator.fork(), pruning, settings));
    1000.0 / rate::mean(budget, pairs, choices(game, agent))
}

/// The middle-game position of which rollouts are measured: 19 plays of 4-2, five near the best.
const MIDDLE_GAME: &str = "62aCAQPWnBsAAw";

/// Games a second of rollouts to the end, at 0-ply and with endgame tables, as the command plays
/// them; nothing for games without such a position.
fn rollouts(
    budget: Duration,
    game: Backgammon,
    evaluator: &NetEvaluator<Backgammon>,
) -> Outcome<Vec<Figure>> {
    if game.checkers() != Backgammon::Standard.checkers() {
        return Ok(Vec::new());
    }
    let position = decode_position_id(MIDDLE_GAME).or_work_in("the position of the rollouts")?;
    let tables = load_tables(&TableArgs { no_tables: false });
    let behind_tables = |network| TableEvaluator::new(tables.clone(), network);
    let pruning = Network::pruning_evaluator(&game)?.map(behind_tables);
    let pruning = pruning.as_ref().map(|pruning| pruning as &dyn Evaluator<_>);
    let evaluator = behind_tables(evaluator.fork());
    let measure = |luck| -> Outcome<Rate> {
        let settings = RolloutSettings { trials: u64::MAX, luck, ..RolloutSettings::default() };
        let mut rollout = Rollout::of_state(game, &evaluator, pruning, "", settings, position)
            .or_work_in("the rollout is impossible")?;
        let (started, cancel) = (Instant::now(), AtomicBool::new(false));
        let runs = rate::mean(Duration::ZERO, &[()], |_| {
            rollout.run(&mut RolloutWatch {
                cancel: &cancel,
                progress: &mut |_| {
                    cancel.store(started.elapsed() >= budget, Ordering::Relaxed);
                },
            });
        });
        Ok(Rate { per_s: runs * rollout.trials() as f64, naive_per_s: None })
    };
    Ok(vec![
        figure("rollout_games_per_s", "rollout games, middle game", measure(Luck::Left)?),
        figure("rollout_vr_games_per_s", "the same, luck taken off", measure(Luck::TakenOff)?),
    ])
}

/// Lets an agent choose for each pair, the list of plays included.
fn choices<'a, G: Game, A: Agent<G> + 'a>(
    game: &'a G,
    mut agent: A,
) -> impl FnMut(&[PairOf<G>]) + use<'a, G, A> {
    let mut afterstates = Vec::new();
    move |pairs| {
        for (state, roll) in pairs {
            afterstates.clear();
            game.afterstates(black_box(state), *roll, &mut afterstates);
            let (turn, seat) = (0, Seat::First);
            let situation = Situation {
                game,
                state,
                roll: *roll,
                afterstates: &afterstates,
                turn,
                seat,
                cube: None,
            };
            // What it chose does not matter here.
            let _ = black_box(agent.choose(&situation));
        }
    }
}

/// Self-play on one, two and all threads.
struct Games {
    one: rate::Games,
    two: rate::Games,
    all: rate::Games,
}

fn games<G: Game>(
    budget: Duration,
    game: &G,
    evaluator: &NetEvaluator<G>,
    all: NonZeroUsize,
) -> Outcome<Games> {
    let settings = SelfPlaySettings::default();
    let threads = [NonZeroUsize::MIN, TWO, all];
    let measured = rate::games(budget, &threads, |first, games, threads| {
        Ok(corpus::play(game, evaluator, &settings, first..first + games, threads)?.len())
    })?;
    let [one, two, all] = measured[..] else {
        unreachable!("there is a figure for each number of threads")
    };
    Ok(Games { one, two, all })
}

/// The same games by the naive player, on one thread.
fn naive_games_per_s(budget: Duration, game: Backgammon, weights: &Weights) -> f64 {
    let (naive, mut rng) = (Naive::new(game, weights), ChaCha8Rng::seed_from_u64(1));
    let naive = rate::alone(budget / 4, &[()], |_| {
        black_box(naive.play(&mut rng));
    });
    naive.per_s
}

impl Games {
    /// The figures of games on one thread and on all.
    fn figures(&self, naive_per_s: Option<f64>, threads: NonZeroUsize) -> [Figure; 2] {
        let all = format!("self-play games, {}", format::plural(threads.get(), "thread"));
        let one = Rate { per_s: self.one.per_s, naive_per_s };
        let of_all = Rate { per_s: self.all.per_wall_s, naive_per_s: None };
        [
            figure("selfplay_games_per_s", "self-play games", one),
            figure("selfplay_games_per_s_all_threads", &all, of_all),
        ]
    }

    /// Games on two threads for each on one: in the same time, and in the same processor time.
    fn scaling(&self) -> [f64; 2] {
        [self.two.per_wall_s / self.one.per_wall_s, 2.0 * self.two.per_s / self.one.per_s]
    }
}
