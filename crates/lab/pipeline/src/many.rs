//! The rounds of a game for more than two players: a network in all seats, a target with a share for
//! each, and evaluations in every seat among copies of an opponent.

mod selfplay;

use tavola_arena::many::{SeatedPlayer, seats};
use tavola_data::Samples;
use tavola_files::Failure;
use tavola_games::many::{ManyEvaluator, ManyGame, NetworkPlayer};
use tavola_net::Weights;
use tavola_play::ThreadsBeside;

use self::selfplay::{Chooser, PlayedGame};
use crate::config::Config;
use crate::context::RunContext;
use crate::cycle::{DuelScore, Lesson, Rounds};
use crate::error;
use crate::selfplay_pool::{PlayedRound, play_all};

/// What the rounds of a game for more than two work with.
pub(crate) struct ManyRounds<G> {
    game: G,
    /// Whom the network plays in evaluations, in the order of the configuration.
    opponents: Vec<SeatedPlayer<G>>,
}

impl<G: ManyGame> ManyRounds<G> {
    /// Makes the opponents that the configuration names.
    pub(crate) fn load(game: &G, config: &Config) -> Result<Self, Failure> {
        let names = config.evaluation.opponents.iter().flatten();
        let opponents = names.map(|name| SeatedPlayer::new(name, game)).collect::<Result<_, _>>();
        let opponents = opponents.map_err(error::play)?;
        Ok(Self { game: game.clone(), opponents })
    }
}

impl<G: ManyGame> Rounds for ManyRounds<G> {
    type Game = PlayedGame;

    fn play_beside<T: Send>(
        &self,
        context: &RunContext<'_>,
        beside: &mut ThreadsBeside,
        round: u32,
        selfplay: &Weights,
        job: impl FnOnce() -> T + Send,
    ) -> (T, PlayedRound<Self::Game>) {
        let evaluator = match ManyEvaluator::new(selfplay, &self.game) {
            Ok(evaluator) => evaluator,
            Err(error) => return (job(), Err(error::weights(error))),
        };
        let config = context.plan.config();
        let chooser = match config.rule_based_rounds {
            Some(rounds) if round <= rounds => Chooser::RuleBased,
            _ => Chooser::Network,
        };
        let most = config.selfplay.max_turns.get();
        let play = |evaluator: &mut ManyEvaluator<G>, index| {
            selfplay::play(&self.game, evaluator, chooser, (config.seed, index), most)
        };
        let (job, played) = play_all(context, beside, round, || evaluator.clone(), play, job);
        (job, Ok(played))
    }

    fn append(
        &self,
        context: &RunContext<'_>,
        round: u32,
        played: &[Self::Game],
        samples: &mut Samples,
    ) -> Result<Lesson, Failure> {
        let config = context.plan.config();
        let (lambda, _) = config.targets.td(config.progress(round));
        if played.is_empty() {
            return Err(error::no_games(round, config.selfplay.max_turns.get()));
        }
        played.iter().for_each(|game| game.append::<G>(lambda as f32, samples));
        let positions = played.iter().map(PlayedGame::decisions).sum::<usize>() as u64;
        let new_from = Some(0);
        Ok(Lesson { games: played.len() as u64, positions, given: 0, pairs: 0, new_from, lambda })
    }

    fn evaluate(
        &self,
        context: &RunContext<'_>,
        _round: u32,
        (number, _): (usize, &str),
        weights: &Weights,
    ) -> Result<DuelScore, Failure> {
        let settings = &context.plan.config().evaluation;
        let network = ManyEvaluator::new(weights, &self.game).map_err(error::weights)?;
        let players = [
            SeatedPlayer::Network(NetworkPlayer { evaluator: network, ply: 0 }),
            self.opponents[number].clone(),
        ];
        let players_in_game = G::PLAYERS as u64;
        let rounds = (settings.games / players_in_game).max(2);
        let report = seats(&self.game, &players, rounds, settings.seed, context.workers(), &());
        let report = report.ok_or_else(error::canceled)?;
        Ok(DuelScore { games: report.rounds * players_in_game, ppg: report.all })
    }
}

/// How many decisions games of a network have.
pub(crate) fn lengths<G: ManyGame>(
    game: &G,
    mut network: ManyEvaluator<G>,
    config: &Config,
    games: u64,
) -> Vec<usize> {
    let most = config.selfplay.max_turns.get();
    let play =
        |index| selfplay::play(game, &mut network, Chooser::RuleBased, (config.seed, index), most);
    (0..games).filter_map(play).map(|game| game.decisions()).collect()
}
