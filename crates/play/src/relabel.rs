//! What to learn at the states of recorded games: which of them, and whether from a judgement
//! over all rolls instead of the one that fell.
//!
//! The target that a game itself gives, the judgement after the roll that happened to fall, is
//! cheap and noisy. The exact one looks at every roll: it costs some four hundred evaluations a
//! state and has no noise of dice, so a network can go on learning from it at a small rate when
//! the noise of the other drowns what is left to learn.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use tavola_data::{GameLabels, Label, LabelsOf, RecordOf, Rival};
use tavola_equity::OutcomeProbs;
use tavola_evaluator::search::Cubeless;
use tavola_evaluator::{Evaluator, Expectation, Workers};
use tavola_rules::Game;

use crate::explore::Chance;
use crate::imitate::{ImitateSettings, Imitator};
use crate::luck::{LuckJudge, LuckMeter};
use crate::random::{Purpose, game_rng};
use crate::rivals::{RivalFinder, RivalSettings, RollsAhead};

/// Which of the states that are learnt from get exact targets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExactSettings {
    /// Their share, from 0 to 1, drawn for each state.
    pub share: Chance,
    /// Whether the others are not learnt from at all. Then games can be many and the states of
    /// a game few, which repeat each other less.
    pub only: bool,
    /// How far exact targets look ahead. Two rolls cost some twenty times as much as one, so only
    /// states with a rival get them, and the rival with them: the network learns both and by how much
    /// they differ, without noise. Who judges luck judges them too: without him there are none.
    #[serde(skip_serializing_if = "RollsAhead::is_one")]
    pub ahead: RollsAhead,
    /// Where they look two rolls ahead, so many of the first rolls, drawn by their chances, are looked
    /// beyond and stand for the others; 0: all are. Few make targets cheap, and a little noisy.
    #[serde(skip_serializing_if = "is_zero")]
    pub followed: u8,
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl Default for ExactSettings {
    fn default() -> Self {
        Self { share: Chance::NEVER, only: false, ahead: RollsAhead::One, followed: 0 }
    }
}

/// What to learn at the states of games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelabelSettings {
    /// Share of all states, from 0 to 1, that are learnt from, drawn for each state.
    pub sample: Chance,
    /// Which of these get exact targets.
    pub exact: ExactSettings,
    /// Which results are compared with the chosen ones. They are judged by who judges luck: without
    /// him none are.
    pub rivals: RivalSettings,
    /// If given, nothing is learnt at the states themselves, but from pairs of results as the
    /// evaluator judges them at once.
    pub imitate: Option<ImitateSettings>,
}

/// The games were not labelled, because the caller called it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled after labelling {finished} of {asked} games")]
pub struct RelabelCancelled {
    /// Games that were labelled; their labels are dropped.
    pub finished: u64,
    /// Games that were to be labelled.
    pub asked: u64,
}

/// Labels every state of each game but the finished one, in order, exact targets judged by
/// `evaluator`. What is drawn follows from `run_seed` and the number of the game alone, so the
/// labels are the same on any number of threads, and a larger share takes all that a smaller one
/// would and more.
///
/// With `luck` the labels also say how lucky the rolls were in this judge's eyes. The first roll of
/// a game, which may follow rules of its own, never is. And of the states that learn from the game
/// they name the rivals: what else `evaluator` would have liked nearly as well, and what looking
/// ahead says of the difference.
///
/// Where [`RelabelSettings::imitate`] is given, all states are skipped, and the labels are pairs of
/// results instead.
///
/// # Errors
///
/// [`RelabelCancelled`]; nothing is returned of what was done until then.
pub fn relabel<G: Game>(
    game: &G,
    evaluator: &dyn Evaluator<G>,
    records: &[RecordOf<G>],
    settings: &RelabelSettings,
    luck: Option<&LuckJudge<'_, G>>,
    run_seed: u64,
    workers: Workers<'_>,
) -> Result<Vec<LabelsOf<G>>, RelabelCancelled> {
    let asked = records.len() as u64;
    let labels = workers.run(
        0..asked,
        || {
            let exact = ExactJudge::new(game.clone(), evaluator.fork());
            let rivals = RivalFinder::new(game.clone(), evaluator.fork(), settings.rivals);
            let imitator = settings
                .imitate
                .map(|imitate| (Imitator::new(game.clone(), evaluator.fork(), &imitate), imitate));
            (exact, luck.map(|luck| LuckMeter::new(game.clone(), luck)), rivals, imitator)
        },
        |(judge, meter, rivals, imitator), index| {
            let record = &records[index as usize];
            let mut rng = game_rng(run_seed, record.index, Purpose::Labels);
            if let Some((imitator, imitate)) = imitator {
                let mut labels = GameLabels::new(vec![Label::Skip; record.turns.len()]);
                // All turns draw first, so that a larger share takes all that a smaller one would.
                let draws: Vec<f64> = record.turns.iter().map(|_| rng.random()).collect();
                for ((state, turn), draw) in record.states().zip(&record.turns).zip(draws) {
                    if draw < imitate.share.get() {
                        labels.pairs.extend(imitator.pairs(&state, turn, &mut rng));
                    }
                }
                return labels;
            }
            let plans: Vec<Plan> = record.turns.iter().map(|_| settings.plan(&mut rng)).collect();
            let mut labels = GameLabels::new(plans.iter().map(|plan| plan.label()).collect());
            for (label, (state, plan)) in labels.labels.iter_mut().zip(record.states().zip(&plans))
            {
                if *plan == Plan::Exact {
                    *label = Label::Given(judge.judge(&state));
                }
            }
            if let Some(meter) = meter {
                let weights = || {
                    let first = rng.random_range(0..G::ROLL_WAYS);
                    roll_weights(game, settings.exact.followed, first)
                };
                add_luck_and_rivals(&mut labels, record, &plans, (meter, rivals), weights);
            }
            labels
        },
    );
    let finished = labels.len() as u64;
    if finished < asked { Err(RelabelCancelled { finished, asked }) } else { Ok(labels) }
}

/// What is to become of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Skip,
    FromGame,
    /// An exact target one roll ahead.
    Exact,
    /// An exact target two rolls ahead, if it has a rival.
    ExactWithRival,
    /// The same, and otherwise it learns from the game.
    ExactWithRivalOrFromGame,
}

impl Plan {
    /// What it learns as long as nothing is judged.
    const fn label(self) -> Label {
        match self {
            Self::FromGame | Self::ExactWithRivalOrFromGame => Label::FromGame,
            Self::Skip | Self::Exact | Self::ExactWithRival => Label::Skip,
        }
    }

    const fn is_exact_with_rival(self) -> bool {
        matches!(self, Self::ExactWithRival | Self::ExactWithRivalOrFromGame)
    }
}

impl RelabelSettings {
    /// Draws what is to become of a state.
    fn plan(&self, rng: &mut impl Rng) -> Plan {
        // Drawn for every state, so that one draw does not change what others say.
        let (sampled, exact): (f64, f64) = (rng.random(), rng.random());
        if sampled >= self.sample.get() {
            Plan::Skip
        } else if exact < self.exact.share.get() {
            match self.exact.ahead {
                RollsAhead::One => Plan::Exact,
                RollsAhead::Two if self.exact.only => Plan::ExactWithRival,
                RollsAhead::Two => Plan::ExactWithRivalOrFromGame,
            }
        } else if self.exact.only {
            Plan::Skip
        } else {
            Plan::FromGame
        }
    }
}

/// Adds the luck of each turn, if anything learns from the game; the rivals of the states that do; and
/// exact targets two rolls ahead, with the rivals that they belong to.
fn add_luck_and_rivals<G: Game>(
    labels: &mut LabelsOf<G>,
    record: &RecordOf<G>,
    plans: &[Plan],
    (meter, rivals): (&mut LuckMeter<G>, &mut RivalFinder<G>),
    mut followed: impl FnMut() -> Vec<f32>,
) {
    // Of all states but the start and the finished one.
    let mut looks = Vec::new();
    if labels.labels.contains(&Label::FromGame) {
        labels.luck.push([0.0; 6]);
        for turns in record.turns.windows(2) {
            let [before, turn] = turns else { unreachable!("windows of two") };
            let look = meter.look(&before.after, turn.roll);
            labels.luck.push(look.luck);
            looks.push(look);
        }
    }
    for (of, (parent, turn)) in (1..plans.len()).zip(record.states().zip(&record.turns)) {
        let plan = plans[of];
        if !plan.is_exact_with_rival() && plan != Plan::FromGame {
            continue;
        }
        let Some(state) = rivals.find(&parent, turn) else {
            continue;
        };
        let [rival, chosen] = if plan.is_exact_with_rival() {
            // The same rolls for both, so that much of the noise is not in their difference.
            let followed = followed();
            let [rival, chosen] =
                [state, turn.after].map(|state| meter.two_ahead(&state, &followed));
            labels.labels[of] = Label::Given(chosen);
            [rival, chosen]
        } else {
            let (chosen, next) = (&looks[of - 1], &record.turns[of]);
            let rival = meter.look(&state, next.roll);
            match rivals.ahead() {
                RollsAhead::One => [rival.mean, chosen.mean],
                RollsAhead::Two => {
                    let known = looks.get(of).map(|look| (next.after, look.mean));
                    [meter.further(&rival, None), meter.further(chosen, known)]
                }
            }
        };
        let difference = std::array::from_fn(|k| rival.0[k] - chosen.0[k]);
        labels.rivals.push(Rival { of, state, difference });
    }
}

/// The weight of each roll where `followed` of them stand for all: at even distances among the ways to
/// roll, the first at `first`, below [`Game::ROLL_WAYS`]. The mean over all firsts is the rolls' chances,
/// and these are the weights with 0.
fn roll_weights<G: Game>(game: &G, followed: u8, first: u32) -> Vec<f32> {
    let rolls = game.rolls().iter();
    if followed == 0 {
        return rolls.map(|&(_, ways)| f32::from(ways) / G::ROLL_WAYS as f32).collect();
    }
    // A way is as wide as `followed`, so that the distance is a whole number.
    let (mut next, mut end) = (first, 0);
    let weight = |&(_, ways): &(G::Roll, u8)| {
        end += u32::from(ways) * u32::from(followed);
        let drawn = end.saturating_sub(next).div_ceil(G::ROLL_WAYS);
        next += drawn * G::ROLL_WAYS;
        drawn as f32 / f32::from(followed)
    };
    rolls.map(weight).collect()
}

/// Expected backups at 1-ply: the value of a state is the mean over all rolls of the value of the
/// best play, by cubeless equity.
pub struct ExactJudge<G: Game> {
    game: G,
    expectation: Expectation<G>,
}

impl<G: Game> ExactJudge<G> {
    /// Backups of what this evaluator says.
    pub fn new(game: G, evaluator: Box<dyn Evaluator<G>>) -> Self {
        Self { expectation: Expectation::new(game.clone(), evaluator, None), game }
    }

    /// The outcome probabilities of `state` from its player on roll, before the roll. A terminal
    /// state has its certain outcome.
    pub fn judge(&mut self, state: &G::State) -> OutcomeProbs {
        match self.game.outcome(state) {
            Some(outcome) => OutcomeProbs::certain(outcome),
            None => self.expectation.value(state, &Cubeless),
        }
    }
}

#[cfg(test)]
mod tests;
