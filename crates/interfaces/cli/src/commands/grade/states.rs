//! `tavola grade states`: states of all kinds with their chances by rollout.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Instant;

use clap::Args;
use tavola_arena::grade::states::{
    Band, DrawnStates, StateHeader, StateRater, StateReference, StateSampleSettings, rate_states,
};
use tavola_arena::grade::{Ahead, GradingNetwork};
use tavola_engine::operations::MOST_TRIALS;
use tavola_engine::{Network, positive};
use tavola_evaluator::PlayableGame;
use tavola_evaluator::rollout::{RolloutSettings, StopRules};
use tavola_games::with_game;
use tavola_play::Workers;

use super::DrawArgs;
use super::rollout::{ahead, failed};
use crate::args::TableArgs;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::format;
use crate::report::progress::CountProgress;
use crate::report::table::{Out, Table};

/// Draw states of every band of equity from self-play and roll them out.
///
/// Decisions tell which play a player prefers. Cubes, search and rollouts need every state to be
/// evaluated rightly, decided ones too. A network plays itself, half of the games with random
/// plays. --per-band states of each band of half a point from -2.5 to +2.5 are drawn, one a game at
/// most. Each is rolled out before the roll, with variance reduction. The file has the five
/// probabilities and the equity with standard errors; `tavola grade plies` has players evaluate the
/// states.
///
/// What is done is kept in a file beside --out, whose name ends in .part. The same command resumes
/// there after a break of any kind. The number of threads has no influence.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola grade states --seed 1 --per-band 100 --purpose reporting --out reporting.states\n  \
        tavola grade states --seed 2 --exclude reporting.states --until-se 0.01 --out tuning.states")]
pub struct StatesArgs {
    /// Games to draw from
    #[arg(long, short = 'n', value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,
    /// States of each band, if there are as many
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    per_band: u32,
    /// What is drawn.
    #[command(flatten)]
    drawn: DrawArgs,
    /// How both sides play the trials
    #[arg(long, value_name = "PLY[/PRESET]", default_value = "0", value_parser = ahead)]
    pub play: Ahead,
    /// Cut trials short after N rolls, evaluated as at --leaf
    #[arg(long, value_name = "N")]
    pub truncate: Option<NonZeroU32>,
    /// How trials are evaluated where they are cut short
    #[arg(long, value_name = "PLY[/PRESET]", default_value = "1", value_parser = ahead)]
    pub leaf: Ahead,
    /// Trials for each state, at most
    #[arg(long, value_name = "N", default_value_t = 5184, value_parser = clap::value_parser!(u64).range(2..=MOST_TRIALS))]
    pub trials: u64,
    /// Enough once the equity has this standard error
    #[arg(long, value_name = "X", default_value_t = 0.006, value_parser = positive)]
    pub until_se: f64,
    /// Bear-off databases.
    #[command(flatten)]
    pub tables: TableArgs,
}

/// Draws states, rolls them out and says how sure the figures are.
pub fn run(args: &StatesArgs, out: &mut dyn Out) -> Outcome {
    let (network, game) = args.drawn.network_and_game()?;
    with_game!(&game, |game| make(game, args, &network, out))
}

fn make<G: PlayableGame>(
    game: &G,
    args: &StatesArgs,
    network: &Network,
    out: &mut dyn Out,
) -> Outcome {
    let DrawArgs { seed, purpose, exclude, out: path, threads, .. } = &args.drawn;
    if path.exists() {
        return Err(Failure::input(format_args!(
            "{} exists already, expected a new name",
            path.display()
        )));
    }
    let mut excluded: HashSet<G::State> = HashSet::new();
    for path in exclude {
        let known = StateReference::read(game, path).or_input()?;
        excluded.extend(known.states.iter().map(|rated| rated.state));
    }
    let evaluator = networks::evaluator(network, game)?;
    let load = || networks::load_tables(&args.tables);
    let GradingNetwork { evaluator, pruning, identity } =
        GradingNetwork::new(game, network, evaluator, &load)?;
    let threads = threads.count();
    let canceled = cancel::on_interrupt("stopping; the states that are done are kept")?;
    let settings =
        StateSampleSettings { games: args.games, seed: *seed, per_band: args.per_band as usize };
    let progress = CountProgress::new(args.games, "games");
    let workers = Workers { threads, cancel: canceled };
    let drawn = DrawnStates::draw(game, &*evaluator, &settings, &excluded, workers, &|| {
        progress.one_done()
    });
    drop(progress);
    let drawn = drawn.map_err(Failure::stopped)?;
    let rater = StateRater {
        evaluator: &*evaluator,
        pruning: pruning.as_deref(),
        settings: args.trials(),
        threads,
    };
    let header = StateHeader::new(
        game,
        &drawn,
        (*seed, args.games),
        *purpose,
        args.command(),
        (networks::version(network.weights()), identity, args.settings()),
    );
    let progress = CountProgress::new(drawn.states.len() as u64, "states");
    let started = Instant::now();
    let rated = rate_states(game, &header, &drawn, &rater, path, canceled, &|more| {
        (0..more).for_each(|_| progress.one_done());
    });
    drop(progress);
    rated.map_err(failed)?;
    write_summary(game, path, started.elapsed().as_secs_f64(), out)
}

fn write_summary<G: PlayableGame>(
    game: &G,
    path: &Path,
    seconds: f64,
    out: &mut dyn Out,
) -> Outcome {
    let reference = StateReference::read(game, path).map_err(Failure::work)?;
    let rows = Band::all().zip(&reference.header.bands).map(|(band, found)| {
        [band.to_string(), format!("{:.2} %", 100.0 * found.share), format::count(found.drawn)]
    });
    Table::of(["equity by the network", ">share in play", ">drawn"], rows).write(out)?;
    let states = format::plural(reference.states.len(), "state");
    write!(out, "\n{states} rolled out in {seconds:.0} s; ")?;
    super::write_errors(reference.states.iter().map(|rated| rated.equity_se).collect(), "", out)?;
    writeln!(out, "{}", path.display())?;
    Ok(())
}

impl StatesArgs {
    fn trials(&self) -> RolloutSettings {
        RolloutSettings {
            trials: self.trials,
            seed: self.drawn.seed,
            truncate: self.truncate,
            leaf: self.leaf.settings(),
            play: self.play.settings(),
            stop: StopRules { standard_error: Some(self.until_se), ..StopRules::default() },
            ..RolloutSettings::default()
        }
    }

    /// How the states are rolled out, in words.
    fn settings(&self) -> String {
        let end = match self.truncate {
            None => "to the end".to_owned(),
            Some(rolls) => format!("cut after {rolls} rolls and evaluated there at {}", self.leaf),
        };
        format!(
            "{} play, {end}, variance-reduced, first two rolls stratified, up to {} trials, until \
             the standard error is {}, seed {} and the state",
            self.play, self.trials, self.until_se, self.drawn.seed
        )
    }

    /// The command that makes the same.
    fn command(&self) -> String {
        let Self { games, per_band, trials, until_se, .. } = self;
        let look = |look: &Ahead| format!("{}/{}", look.ply, look.preset);
        let truncate = self.truncate.map_or_else(String::new, |rolls| {
            format!(" --truncate {rolls} --leaf {}", look(&self.leaf))
        });
        let play = look(&self.play);
        let how = format!(" --trials {trials} --until-se {until_se} --play {play}{truncate}");
        let mut command = self.drawn.command("states", *games, ("per-band", *per_band), &how);
        command.push_str(if self.tables.no_tables { " --no-tables" } else { "" });
        command
    }
}
