//! The rounds of a game for two players.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::index::sample;
use tavola_arena::{Duel, DuelSettings, PairResult, Player, PlayerContext, PlayerName};
use tavola_data::{FileHeader, LabeledGame, LabeledGameOf, Samples, read_records, write_records};
use tavola_evaluator::{Evaluator, NEVER, NetEvaluator};
use tavola_files::Failure;
use tavola_files::locked;
use tavola_games::PlayableGame;
use tavola_net::Weights;
use tavola_play::{Contender, EvaluatorAgent, LuckEvaluator, TdTargets, ThreadsBeside, in_pool};
use tavola_rules::Game;

use crate::config::Config;
use crate::context::{RunContext, Teacher, derived_seed, load_named};
use crate::cycle::{DuelScore, Lesson, Rounds};
use crate::dataset::DatasetSource;
use crate::error;
use crate::events::RunEvent;
use crate::metrics::StatesAtPly;
use crate::run::Run;
use crate::selfplay_pool::{self, Played, PlayedRound, PruningNetwork, given};
use crate::states::States;

/// How long another engine may take for a play in an evaluation before it counts as hung.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(60);

/// An opponent in evaluations, which is forked from one thread at a time.
type Opponent<G> = Mutex<Box<dyn Contender<G>>>;

/// What the rounds of a game for two work with.
pub(crate) struct TwoRounds<'a, G: Game> {
    pub(crate) game: G,
    /// Whom the network plays in evaluations, in the order of the configuration.
    opponents: Vec<Opponent<G>>,
    /// For variance reduction in these games.
    variance_reduction: Option<NetEvaluator<G>>,
    /// What the network evaluates beside these games.
    states: Option<States<'a, G>>,
    /// For variance reduction and the other targets that look ahead.
    pub(crate) pruning: Option<PruningNetwork<G>>,
    /// The solved game that is learned; `None`: the self-play network gives the targets.
    pub(crate) teacher: Option<Teacher>,
    /// The dataset that is learned; `None`: games that the run plays.
    dataset: Option<DatasetSource>,
    /// The start book of self-play.
    pub(crate) starts: Vec<G::State>,
    /// The games of the earlier rounds in the window of the next, oldest first.
    earlier: VecDeque<Vec<LabeledGameOf<G>>>,
}

impl<'a, G: PlayableGame> TwoRounds<'a, G> {
    /// Reads everything that the configuration names. Names and checksums of the files go into
    /// `inputs`.
    pub(crate) fn load(
        game: &G,
        run: &Run<'a>,
        inputs: &mut BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let plan = run.plan;
        let config = plan.config();
        let opponents = opponents(game, run, inputs)?;
        let states = config.evaluation.states.as_ref();
        let states = states.map(|settings| States::load(game, settings, inputs)).transpose()?;
        let teacher = Teacher::of(game, config, run.remote.is_some())?;
        if let (Some(path), Some(teacher)) = (config.targets.table(), &teacher) {
            inputs.insert(path.display().to_string(), teacher.checksum());
        }
        let pruning = PruningNetwork::of(game, &config.targets, inputs)?;
        let variance_reduction = config.evaluation.variance_reduction.as_ref().map(|file| {
            let key = "evaluation.variance_reduction";
            let weights = load_named(key, file, &game.id(), inputs)?;
            let input = error::input("the weights file", key, &file.path);
            NetEvaluator::new(&weights, game.clone()).map_err(input)
        });
        let variance_reduction = variance_reduction.transpose()?;
        let open = |settings| {
            DatasetSource::open(game, settings, config.seed, inputs).map_err(error::dataset)
        };
        Ok(Self {
            game: game.clone(),
            opponents,
            variance_reduction,
            states,
            pruning,
            teacher,
            dataset: config.dataset.as_ref().map(open).transpose()?,
            starts: plan.starts(game),
            earlier: VecDeque::new(),
        })
    }
}

/// The opponents in evaluations. Checksums of their networks go into `inputs`.
fn opponents<G: PlayableGame>(
    game: &G,
    run: &Run<'_>,
    inputs: &mut BTreeMap<String, String>,
) -> Result<Vec<Opponent<G>>, Failure> {
    let warn =
        |warning: &dyn Display| run.observer.observe(&RunEvent::Warning(warning.to_string()));
    let context = PlayerContext {
        timeout: ENGINE_TIMEOUT,
        progress: &|_| {},
        warn: &warn,
        called_off: &NEVER,
    };
    let names = run.plan.config().evaluation.opponents.iter().flatten();
    let opponents = names.map(|name| {
        let failed = Failure::input_in(format!(
            "cannot play against {name:?} that evaluation.opponents names"
        ));
        let file = PlayerName::parse(name, game).map_err(&failed)?;
        let player = Player::new(name, game, &context).map_err(&failed)?;
        if let Some(checksum) = player.network {
            let file = file.file().map_or(name.clone(), |path| path.display().to_string());
            inputs.insert(file, checksum);
        }
        Ok(Mutex::new(player.agent))
    });
    opponents.collect()
}

impl<G: PlayableGame> Rounds for TwoRounds<'_, G> {
    type Game = LabeledGameOf<G>;

    fn dataset_games(&self) -> Option<u64> {
        self.dataset.as_ref().map(|dataset| dataset.games(1))
    }

    fn recall(&mut self, context: &RunContext<'_>, round: u32) -> Result<(), Failure> {
        let plan = context.plan;
        let window = plan.config().replay.window;
        let rounds = (round + 2).saturating_sub(window).max(1)..=round;
        let read = |earlier| {
            let path = context.dir.records(earlier)?;
            let games: Vec<LabeledGameOf<G>> = read_records(&path, &self.game.id())
                .map_err(Failure::input_in("cannot read the games of the replay window"))?;
            let expected = plan.games_of(earlier);
            let found = games.iter().map(|game| game.record.index).find(|n| !expected.contains(n));
            match found {
                Some(found) => Err(Failure::input(format!(
                    "{} holds game number {found}, expected {} to {}",
                    path.display(),
                    expected.start,
                    expected.end - 1
                ))),
                None => Ok(games),
            }
        };
        self.earlier = rounds.map(read).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn play_beside<T: Send>(
        &self,
        context: &RunContext<'_>,
        beside: &mut ThreadsBeside,
        round: u32,
        selfplay: &Weights,
        job: impl FnOnce() -> T + Send,
    ) -> (T, PlayedRound<Self::Game>) {
        if self.dataset.is_some() {
            let none = Played { games: Vec::new(), seconds: 0.0 };
            return (in_pool(context.threads, job), Ok(Some(none)));
        }
        match context.remote {
            Some(remote) => {
                selfplay_pool::played_on_fleet(self, context, remote, round, selfplay, job)
            }
            None => selfplay_pool::played_here(self, context, beside, round, selfplay, job),
        }
    }

    fn append(
        &self,
        context: &RunContext<'_>,
        round: u32,
        played: &[Self::Game],
        samples: &mut Samples,
    ) -> Result<Lesson, Failure> {
        let config = context.plan.config();
        let progress = config.progress(round);
        if let Some(dataset) = &self.dataset {
            dataset.read(round, progress, samples).map_err(error::dataset)?;
            let pairs = samples.siblings();
            return Ok(Lesson {
                games: dataset.games(round),
                positions: (samples.len() - pairs) as u64,
                given: 0,
                pairs: pairs as u64,
                new_from: None,
                lambda: dataset.lambda(round, progress),
            });
        }
        let (lambda, exploration) = config.targets.td(progress);
        let targets = TdTargets::new(lambda, exploration).map_err(error::learn)?;
        let again = learned_again(config, round, self.earlier.len()).into_iter();
        let rounds: Vec<_> = again.map(|i| self.earlier[i].as_slice()).chain([played]).collect();
        if rounds.iter().all(|games| games.is_empty()) {
            return Err(error::no_games(round, config.selfplay.max_turns.get()));
        }
        let mut new_from = 0;
        for games in rounds {
            new_from = samples.len();
            for LabeledGame { record, labels } in games {
                targets.append::<G>(record, labels, samples);
            }
        }
        Ok(Lesson {
            games: played.len() as u64,
            positions: played.iter().map(|game| game.record.turns.len() as u64).sum(),
            given: given::<G>(played),
            // Siblings and candidates.
            pairs: played.iter().map(|game| game.labels.comparisons.len() as u64).sum(),
            new_from: Some(new_from),
            lambda,
        })
    }

    fn keep(
        &mut self,
        context: &RunContext<'_>,
        round: u32,
        games: Vec<Self::Game>,
    ) -> Result<(), Failure> {
        let config = context.plan.config();
        let window = config.replay.window as usize;
        if window > 1 {
            let header = FileHeader { game: self.game.id(), run_seed: config.seed };
            write_records(&context.dir.records(round)?, &header, &games)
                .map_err(Failure::work_in("cannot keep the records of the replay window"))?;
            self.earlier.push_back(games);
            while self.earlier.len() >= window {
                self.earlier.pop_front();
            }
        }
        Ok(())
    }

    fn evaluate(
        &self,
        context: &RunContext<'_>,
        round: u32,
        (number, name): (usize, &str),
        weights: &Weights,
    ) -> Result<DuelScore, Failure> {
        let settings = &context.plan.config().evaluation;
        let network = NetEvaluator::new(weights, self.game.clone()).map_err(error::weights)?;
        let player = EvaluatorAgent::new(network.fork());
        let of = settings.games;
        let done = AtomicU64::new(0);
        let observe = |_: &PairResult| {
            let done = done.fetch_add(2, Ordering::Relaxed) + 2;
            let opponent = name.to_owned();
            let event = RunEvent::EvaluationGamesPlayed { round, opponent, done, of };
            context.observer.observe(&event);
        };
        let duel_settings =
            DuelSettings { pairs: of / 2, seed: settings.seed, ..DuelSettings::default() };
        let opponent = locked(&self.opponents[number]);
        let mut duel = Duel::new(&self.game, &player, opponent.as_ref());
        let evaluator = self.variance_reduction.as_ref();
        duel.luck = evaluator.map(|evaluator| LuckEvaluator { evaluator, pruning: None });
        match duel.play_all(&duel_settings, context.workers(), &observe) {
            Ok(result) => {
                let ppg = result.luck_adjusted.unwrap_or(result.points);
                Ok(DuelScore { games: result.played(), ppg })
            }
            Err(failure) => Err(failure.while_trying(format!(
                "cannot evaluate the network after round {round}: {name:?} failed"
            ))),
        }
    }

    fn grade_states(
        &self,
        context: &RunContext<'_>,
        weights: &Weights,
    ) -> Result<Vec<StatesAtPly>, Failure> {
        let grade = |states: &States<'_, G>| states.grade(&self.game, weights, context.workers());
        self.states.as_ref().map_or(Ok(Vec::new()), grade)
    }
}

/// Which of the `earlier` rounds in the window are learned from again in this round, oldest first.
fn learned_again(config: &Config, round: u32, earlier: usize) -> Vec<usize> {
    match config.replay.sample {
        Some(count) if (count as usize) < earlier => {
            let seed = derived_seed(config.seed, "rounds that are learned again", round);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut sampled = sample(&mut rng, earlier, count as usize).into_vec();
            sampled.sort_unstable();
            sampled
        }
        _ => (0..earlier).collect(),
    }
}
