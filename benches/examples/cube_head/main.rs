//! Compares the cube model with a network head that is taught by cubeful self-play: `cargo run
//! --release -p tavola-benches --example cube_head -- GAMES HELD_OUT PAIRS SEED [WEIGHTS [PRUNING]]`,
//! by default 2,000 games to learn from, 1,000 held out, 500 pairs of a duel, seed 1, and the built-in
//! networks; on one thread.
//!
//! Games are for money at 0-ply with the cube model in force; the luck is judged by the same network.
//! Heads of several kinds learn from nine tenths of the games; the last tenth says which of them is
//! kept. The held-out games, of the next seed, say how far each model is off and how live cubes are by
//! kind of position; the duel, of the seed after that, is for money, head against cube model, with the
//! same network, on the same dice with the seats swapped. `docs/log/README.md` has the results.

mod head;
mod kinds;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tavola_equity::{Efficiency, EfficiencyModel, Stage};
use tavola_evaluator::Pruning;
use tavola_evaluator::cubeful::stage;
use tavola_evaluator::{CubefulJudge, NetEvaluator};
use tavola_net::{EncoderKind, Weights};
use tavola_play::{
    CubeDuel, CubeSample, CubeTerms, CubefulAgent, DuelSettings, EfficiencyFit, Estimate,
    FittedEfficiency, LuckJudge, SampledGame, Workers, cube_samples, fit_share,
};
use tavola_rules::{Backgammon, CubeOwner, Options};

use self::head::{CubeHead, Lessons, output};
use self::kinds::KINDS;

const GAME: Backgammon = Backgammon::Standard;
const OWNERS: [CubeOwner; 3] = [CubeOwner::Center, CubeOwner::Player, CubeOwner::Opponent];

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u64| {
        args.next().map_or(default, |text| text.parse().expect("games, games, pairs, a seed"))
    };
    let (games, held_out, pairs, seed) = (number(2000), number(1000), number(500), number(1));
    let judge = network(&args.next().unwrap_or_else(|| model("default")));
    let prune = network(&args.next().unwrap_or_else(|| model("prune")));

    let begun = Instant::now();
    let cubeful = CubefulJudge::new(GAME, Box::new(judge.clone()), None);
    let pruning = Pruning { keep: 2, within: 0.08 };
    let luck = LuckJudge { judge: &judge, pruning: Some((&prune, pruning)) };
    let cancel = AtomicBool::new(false);
    let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
    let play = |games, seed| {
        let mut games =
            cube_samples(&cubeful, &luck, 0..games, seed, workers).expect("networks play");
        // A cube that is certainly dead is no question.
        for game in &mut games {
            game.samples.retain(|sample| stage(&sample.position) != Stage::LastRoll);
        }
        games
    };
    let taught = play(games, seed);
    let held_out = play(held_out, seed + 1);
    let said = |what: &str| println!("[{:.0} s] {what}", begun.elapsed().as_secs_f64());
    said(&format!(
        "{} games to learn from, {} held out, seed {seed}",
        taught.len(),
        held_out.len()
    ));

    let kept = taught.len() - taught.len() / 10;
    let (lessons, validation) = taught.split_at(kept);
    let in_force = EfficiencyModel::default();
    let fitted = refitted(lessons, in_force);
    println!("cube model in force {in_force}, fitted to the same games {fitted}");
    let head = Arc::new(best_head(lessons, validation, &fitted, said));

    println!(
        "\nheld out: squared error (points²), and what it is less than that of the fitted model"
    );
    let by_model = |model: EfficiencyModel| {
        move |sample: &CubeSample| model.at(stage(&sample.position)).of(sample.owner)
    };
    let reference = Off::of(lessons, &held_out, by_model(fitted));
    let by_head = by_head(&head);
    for (name, off) in [
        ("dead cubes", Off::of(lessons, &held_out, |_| 0.0)),
        ("live cubes", Off::of(lessons, &held_out, |_| 1.0)),
        ("cube model in force", Off::of(lessons, &held_out, by_model(in_force))),
        ("cube model fitted here", Off::of(lessons, &held_out, by_model(fitted))),
        ("head", Off::of(lessons, &held_out, by_head)),
    ] {
        let gain = off.gain_over(&reference);
        println!("{name:<24} {:.6} {}", off.mean(), shown(&gain, 6));
    }

    said("by kind of position");
    table(&held_out, &head, &fitted);

    let terms = CubeTerms::money(&Options { cube_limit: Some(64), ..Options::default() })
        .expect("64 is a cube");
    let with_head = CubefulAgent::new(cubeful.fork().with_efficiency_judge(head));
    let with_model = CubefulAgent::new(cubeful.fork());
    let duel = CubeDuel {
        terms: &terms,
        a: &with_head,
        b: &with_model,
        luck: Some(luck),
        starts: &[],
        known: &[],
        sprt: None,
    };
    said("duel");
    let settings = DuelSettings { pairs: pairs.max(2), seed: seed + 2, ..DuelSettings::default() };
    let result = duel.play(&settings, workers, &|_| {}).expect("networks play on");
    let luck_off = result.luck_adjusted.unwrap_or(result.points);
    println!(
        "\nhead against cube model, {}: {} ppg (luck off), {} (raw), {} games, seed {}",
        result.terms,
        shown(&luck_off, 5),
        shown(&result.points, 4),
        2 * result.pairs,
        result.seed
    );
    said("done");
}

/// With its 95 % interval.
fn shown(estimate: &Estimate, digits: usize) -> String {
    format!("{:+.digits$} ± {:.digits$}", estimate.mean, 1.96 * estimate.standard_error)
}

/// The cube model with efficiencies fitted to these games, where there are enough of them.
fn refitted(games: &[SampledGame], model: EfficiencyModel) -> EfficiencyModel {
    let fit = EfficiencyFit::of_games(games, [model.short_pips, model.long_pips]);
    let efficiency = |[owned, centred]: [Option<FittedEfficiency>; 2], before: Efficiency| {
        let x = |fitted: Option<FittedEfficiency>, before| {
            let x = fitted.map_or(before, |fitted| fitted.x.mean.clamp(0.0, 1.0));
            (x * 1000.0).round() / 1000.0
        };
        let owned = x(owned, before.of(CubeOwner::Player));
        let centred = x(centred, before.of(CubeOwner::Center));
        Efficiency::new(centred, owned, owned, before.automatic()).expect("between 0 and 1")
    };
    EfficiencyModel {
        contact: efficiency(fit.contact, model.contact),
        short_race: efficiency(fit.short_race, model.short_race),
        long_race: efficiency(fit.long_race, model.long_race),
        ..model
    }
}

/// Teaches heads of several kinds and keeps the one that is least off in `validation`.
fn best_head(
    lessons: &[SampledGame],
    validation: &[SampledGame],
    fitted: &EfficiencyModel,
    said: impl Fn(&str),
) -> CubeHead {
    let samples: Vec<&CubeSample> = lessons.iter().flat_map(|game| &game.samples).collect();
    let model = |sample: &CubeSample| fitted.at(stage(&sample.position)).of(sample.owner);
    let errors = judge_errors(lessons, model);
    let reference = Off::of(lessons, validation, model);
    let start = OWNERS.map(|owner| fitted.contact.of(owner).clamp(0.01, 0.99));
    println!("\nheads: gain in the validation games, points² a sample");
    let heads = [
        (None, 1, 2e-3),
        (None, 4, 2e-3),
        (None, 4, 1e-2),
        (Some(EncoderKind::Tesauro), 2, 2e-3),
        (Some(EncoderKind::OneHot), 1, 2e-3),
    ];
    let taught = heads.map(|(features, epochs, rate)| {
        let mut head = CubeHead::new(features, start, 1);
        let schedule = Lessons { epochs, batch: 1024, rate, seed: 1 };
        head.learn(&samples, |sample| errors[group(sample)], schedule);
        let gain = Off::of(lessons, validation, by_head(&head)).gain_over(&reference);
        let features = features.map_or("chances alone", EncoderKind::name);
        said(&format!("{features}, {epochs} epoch(s) at {rate}: {}", shown(&gain, 6)));
        (gain.mean, head)
    });
    let best = taught.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    best.expect("several heads").1
}

fn by_head(head: &CubeHead) -> impl Fn(&CubeSample) -> f64 {
    |sample| head.shares(&sample.position, &sample.probs)[output(sample.owner)]
}

/// Samples whose judge is off by the same: contact or race, cube owned or centred.
fn group(sample: &CubeSample) -> usize {
    2 * usize::from(sample.position.has_contact()) + usize::from(sample.owner == CubeOwner::Center)
}

/// What the cubeless judge is off by in the mean of each group, if cubes are so live.
fn judge_errors(games: &[SampledGame], share: impl Fn(&CubeSample) -> f64) -> [f64; 4] {
    let mut sums = [(0.0, 0.0); 4];
    for sample in games.iter().flat_map(|game| &game.samples) {
        let (sum, count) = &mut sums[group(sample)];
        *sum += sample.turned_out - sample.dead - share(sample) * (sample.live - sample.dead);
        *count += 1.0;
    }
    sums.map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 })
}

/// Squared errors of a model of the cube, game by game.
struct Off {
    /// Sum and number of each game.
    games: Vec<(f64, f64)>,
}

impl Off {
    /// With the judge's own errors, known from the `lessons`, taken off.
    fn of(
        lessons: &[SampledGame],
        games: &[SampledGame],
        share: impl Fn(&CubeSample) -> f64,
    ) -> Self {
        let errors = judge_errors(lessons, &share);
        let square = |sample: &CubeSample| {
            let found =
                sample.dead + errors[group(sample)] + share(sample) * (sample.live - sample.dead);
            (found - sample.turned_out).powi(2)
        };
        let of_game =
            |game: &SampledGame| (game.samples.iter().map(square).sum(), game.samples.len() as f64);
        Self { games: games.iter().map(of_game).collect() }
    }

    fn samples(&self) -> f64 {
        self.games.iter().map(|game| game.1).sum()
    }

    fn mean(&self) -> f64 {
        self.games.iter().map(|game| game.0).sum::<f64>() / self.samples()
    }

    /// How much less it is off than another model in the same games; rolls of one game depend on
    /// each other, so the error is that between games.
    fn gain_over(&self, other: &Self) -> Estimate {
        let gain = other.mean() - self.mean();
        let beyond = self.games.iter().zip(&other.games);
        let squares: f64 =
            beyond.map(|(own, other)| (other.0 - own.0 - gain * own.1).powi(2)).sum();
        Estimate::new(gain, squares.sqrt() / self.samples())
    }
}

/// How live cubes are by kind of position: what fits the games, what the head says, and what the
/// fitted model says, the latter two weighted as the fit weighs samples.
fn table(games: &[SampledGame], head: &CubeHead, model: &EfficiencyModel) {
    println!("{:<28} {:>8}  centred: x, head, model    own    the opponent's", "", "rolls");
    for (name, is_of_kind) in KINDS {
        let mut rolls = 0;
        let columns = OWNERS.map(|owner| {
            let keep = |sample: &CubeSample| sample.owner == owner && is_of_kind(sample);
            let (mut weight, mut by_head, mut by_model) = (0.0, 0.0, 0.0);
            for sample in games.iter().flat_map(|game| &game.samples).filter(|s| keep(s)) {
                let square = (sample.live - sample.dead).powi(2);
                let shares = head.shares(&sample.position, &sample.probs);
                weight += square;
                by_head += square * shares[output(owner)];
                by_model += square * model.at(stage(&sample.position)).of(owner);
                rolls += 1;
            }
            match fit_share(games, keep) {
                Some(fit) => format!(
                    "{:5.2} ± {:4.2} {:5.2} {:5.2}",
                    fit.x.mean,
                    1.96 * fit.x.standard_error,
                    by_head / weight,
                    by_model / weight
                ),
                None => "too few".to_owned(),
            }
        });
        println!("{name:<28} {rolls:>8}  {}", columns.join("   "));
    }
}

fn network(path: &str) -> NetEvaluator<Backgammon> {
    let weights = Weights::load(Path::new(path)).expect("a weights file");
    NetEvaluator::new(&weights, GAME).expect("a network for backgammon")
}

fn model(name: &str) -> String {
    format!("{}/../models/{name}.safetensors", env!("CARGO_MANIFEST_DIR"))
}
