//! `tavola grade states`: states of all kinds with their chances by rollout.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;
use tavola_arena::grade::in_words;
use tavola_arena::grade::states::{StateKind, StateRating, StateSampleSettings};
use tavola_engine::operations::MOST_TRIALS;
use tavola_engine::{Effort, named, positive};
use tavola_evaluator::rollout::{RolloutSettings, StopRules};

use super::DrawArgs;
use super::rollout::ahead;
use crate::args::TableArgs;
use crate::failure::Outcome;
use crate::networks;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Draw states of every kind from self-play and roll them out.
///
/// Decisions tell which play a player prefers. Cubes, search and rollouts need every state to be
/// evaluated rightly, decided ones too. A network plays itself, and --per-group states of each group
/// are drawn, one of each a game at most. Each is rolled out before the roll, with variance
/// reduction. The file has the five probabilities and the equity with standard errors; `tavola grade
/// plies` has players evaluate the states.
///
/// The groups are, by --of: bands of half a point of equity from -2.5 to +2.5, from games half of
/// which have random plays; back games by the two points held, 2-1 to 5-4, with that side or the
/// other on roll; or one group of what a 2-ply search evaluates, two rolls after a play that its
/// filter lets pass.
///
/// What is done is kept in a file beside --out, whose name ends in .part. The same command resumes
/// there after a break of any kind. The number of threads has no influence.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola grade states --seed 1 --purpose reporting --out reporting.states\n  \
        tavola grade states --seed 2 --exclude reporting.states --out tuning.states\n  \
        tavola grade states --of back-games --games 20000 --out back-games.states")]
pub struct StatesArgs {
    /// Games to draw from
    #[arg(long, short = 'n', value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,
    /// Which states: bands, back-games or search
    #[arg(long, value_name = "KIND", default_value_t = StateKind::Bands, value_parser = named::<StateKind>())]
    of: StateKind,
    /// States of each group, if there are as many
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    per_group: u32,
    /// What is drawn.
    #[command(flatten)]
    drawn: DrawArgs,
    /// How both sides play the trials
    #[arg(long, value_name = "PLY[/PRESET]", default_value = "0", value_parser = ahead)]
    pub play: Effort,
    /// Cut trials short after N rolls, evaluated as at --leaf
    #[arg(long, value_name = "N")]
    pub truncate: Option<NonZeroU32>,
    /// How trials are evaluated where they are cut short
    #[arg(long, value_name = "PLY[/PRESET]", default_value = "1", value_parser = ahead)]
    pub leaf: Effort,
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
    let StatesArgs { of: kind, games, per_group, ref drawn, .. } = *args;
    let (network, game) = drawn.network_and_game()?;
    let draw = drawn.draw(&network, args.command());
    let per_group = per_group as usize;
    let settings = StateSampleSettings { kind, games, seed: drawn.seed, per_group };
    let tables = !args.tables.no_tables;
    let rating = StateRating { trials: args.trials(), in_words: args.settings(), tables };
    let promise = "stopping; the states that are done are kept";
    let threads = drawn.threads.count();
    let (header, rated) = networks::run_job(promise, threads, Duration::ZERO, |job, _| {
        draw.states(&game, &settings, &rating, job)
    })?;
    let rows = header.groups.iter().map(|found| {
        [found.group.clone(), format!("{:.2} %", 100.0 * found.share), format::count(found.drawn)]
    });
    Table::of([kind.in_words(), ">share in play", ">drawn"], rows).write(out)?;
    let (states, seconds) = (format::plural(rated.number, "state"), rated.time.as_secs_f64());
    write!(out, "\n{states} rolled out in {seconds:.0} s; ")?;
    super::write_errors(rated, "", out)?;
    writeln!(out, "{}", drawn.out.display())?;
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
        let Self { trials, until_se, drawn: DrawArgs { seed, .. }, .. } = self;
        let [play, leaf] = [self.play, self.leaf].map(in_words);
        let end = self.truncate.map_or_else(
            || "to the end".to_owned(),
            |rolls| format!("cut after {rolls} rolls and evaluated there at {leaf}"),
        );
        format!(
            "{play} play, {end}, variance-reduced, first two rolls stratified, up to {trials} \
             trials, until the standard error is {until_se}, seed {seed} and the state"
        )
    }

    /// The command that makes the same.
    fn command(&self) -> String {
        let Self { of, games, per_group, trials, until_se, .. } = self;
        let truncate = self
            .truncate
            .map_or_else(String::new, |rolls| format!(" --truncate {rolls} --leaf {}", self.leaf));
        let play = self.play;
        let how = format!(" --trials {trials} --until-se {until_se} --play {play}{truncate}");
        let kind = match of {
            StateKind::Bands => "states".to_owned(),
            of => format!("states --of {of}"),
        };
        let command = self.drawn.command(&kind, *games, ("per-group", *per_group), &how);
        command + if self.tables.no_tables { " --no-tables" } else { "" }
    }
}
