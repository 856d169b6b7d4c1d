//! Iterative deepening at the root: which plays are evaluated how deep.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use web_time::Instant;

use tavola_rules::Game;

use super::node::{Replies, Reply, Worker};
use super::settings::{MAX_PLY, MOST_AFTERSTATES, MoveFilter, SearchSettings, SinglePlay};
use super::{Ranking, SearchProgress, SearchWatch, SearchedPlay};
use crate::analysis::lead_by_surpassing;
use crate::expectation::RollSample;
use crate::utility::{Preference, Utility};
use crate::workers::Pool;

/// Different rolls of two dice.
const ROLLS_OF_TWO_DICE: usize = 21;

/// The last rolls of a search with a limit: all, or each of these ways to throw three dice.
const SAMPLES: [u32; 7] = [1, 8, 12, 18, 36, 54, 108];

/// How many of these there are at 1-ply, where plays are compared by few rolls.
const SAMPLES_AT_1_PLY: usize = 3;

/// Who does the work: one worker, or all of them.
pub(super) trait Runner<G: Game, U: Utility<G>> {
    /// Does `job` for the numbers below `jobs` and returns the answers in order.
    fn run<T: Send>(
        &mut self,
        jobs: usize,
        job: impl Fn(&mut Worker<G, U>, usize) -> T + Sync,
    ) -> Vec<T>;

    /// A worker for what can't be shared out.
    fn worker(&mut self) -> &mut Worker<G, U>;
}

impl<G: Game, U: Utility<G>> Runner<G, U> for Worker<G, U> {
    fn run<T: Send>(
        &mut self,
        jobs: usize,
        job: impl Fn(&mut Worker<G, U>, usize) -> T + Sync,
    ) -> Vec<T> {
        (0..jobs).map(|index| job(self, index)).collect()
    }

    fn worker(&mut self) -> &mut Worker<G, U> {
        self
    }
}

impl<G: Game, U: Utility<G>> Runner<G, U> for Pool<Worker<G, U>> {
    fn run<T: Send>(
        &mut self,
        jobs: usize,
        job: impl Fn(&mut Worker<G, U>, usize) -> T + Sync,
    ) -> Vec<T> {
        self.run(jobs, job)
    }

    fn worker(&mut self) -> &mut Worker<G, U> {
        self.first()
    }
}

/// A [`SearchWatch`] whose time runs.
pub(super) struct Watch<'a> {
    deadline: Option<Instant>,
    cancel: Option<&'a AtomicBool>,
    progress: &'a (dyn Fn(SearchProgress) + Sync),
}

impl<'a> Watch<'a> {
    pub(super) fn new(watch: SearchWatch<'a>) -> Self {
        // A limit beyond what the clock can show is none.
        let deadline = watch.limit.and_then(|limit| Instant::now().checked_add(limit));
        Self { deadline, cancel: watch.cancel, progress: watch.progress }
    }

    /// Whether the caller wants no more.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

/// How one decision or evaluation goes deeper.
pub(super) struct Deepening<G, U> {
    pub(super) game: G,
    pub(super) utility: U,
    pub(super) settings: SearchSettings,
}

/// A state on its way to greater depth.
struct Candidate<S, V> {
    state: S,
    /// From its player on roll.
    value: V,
    /// Rolls looked ahead.
    ply: u8,
    /// What the player who led there compares it by, at each depth that it reached.
    preference: [Preference; MAX_PLY as usize + 1],
    /// The best replies of its player on roll, known from 1-ply on.
    replies: Replies<S>,
}

impl<S, V> Candidate<S, V> {
    const fn new(state: S, value: V) -> Self {
        let unknown = Preference { expectation: 0.0, cubeless: 0.0 };
        let preference = [unknown; MAX_PLY as usize + 1];
        Self { state, value, ply: 0, preference, replies: Vec::new() }
    }

    /// What the player who led there compares it by.
    const fn preference_now(&self) -> &Preference {
        &self.preference[self.ply as usize]
    }
}

impl<G: Game, U: Utility<G>> Deepening<G, U> {
    /// What the state is worth to its player on roll, and at which depth.
    pub(super) fn evaluate(
        &self,
        runner: &mut impl Runner<G, U>,
        state: &G::State,
        watch: &Watch<'_>,
    ) -> (U::Value, u8) {
        let ply = self.settings.ply.min(MAX_PLY);
        let worker = runner.worker();
        if let Some(value) = worker.certain(state) {
            return (value, ply);
        }
        let mut root = [Candidate::new(*state, worker.evaluate(state))];
        for ply in 1..=ply {
            let (count, sample) = self.affordable(&root, ply);
            if count == 0 || self.deepen(runner, &mut root, (ply, sample), watch) == 0 {
                break;
            }
        }
        (root[0].value, root[0].ply)
    }

    /// The plays that lead to these afterstates, as far as the filters and the clock allow; at
    /// least `compared` of them, the best ones, at the full depth.
    pub(super) fn rank(
        &self,
        runner: &mut impl Runner<G, U>,
        state: &G::State,
        afterstates: &[G::State],
        compared: usize,
        watch: &Watch<'_>,
    ) -> Ranking<G::State, U::Value> {
        let values = runner.worker().siblings(&self.game.flip(state), afterstates);
        let plays = afterstates.iter().zip(values);
        let mut plays: Vec<_> = plays
            .map(|(&state, value)| {
                let mut play = Candidate::new(state, value);
                play.preference[0] = self.utility.preference(&self.utility.flip(&value));
                play
            })
            .collect();
        sort(&mut plays);
        let mut going_on = plays.len();
        let target = self.settings.ply.min(MAX_PLY);
        for ply in 1..=target {
            let expectation: Vec<f32> =
                plays[..going_on].iter().map(|play| play.preference_now().expectation).collect();
            let filter = &self.settings.filters[usize::from(ply) - 1];
            // Some more on the way: a play that looks worse at first may be among the best ones.
            let least = if ply < target { compared + compared / 2 } else { compared };
            going_on = filter.survivors(&expectation).max(least.min(going_on));
            if going_on == 1 && self.settings.single_play == SinglePlay::Accept {
                break;
            }
            let (count, sample) = self.affordable(&plays[..going_on], ply);
            going_on = self.deepen(runner, &mut plays[..count], (ply, sample), watch);
            if going_on == 0 {
                break;
            }
            sort(&mut plays[..going_on]);
        }
        let best = plays[0].preference;
        let mut ranking: Ranking<G::State, U::Value> = plays
            .into_iter()
            .map(|play| {
                let expectation = play.preference_now().expectation;
                SearchedPlay {
                    state: play.state,
                    value: self.utility.flip(&play.value),
                    expectation,
                    loss: best[usize::from(play.ply)].expectation - expectation,
                    ply: play.ply,
                }
            })
            .collect();
        lead_by_surpassing(
            &self.game,
            &mut ranking,
            |play| &play.state,
            |play, first| *play = SearchedPlay { state: play.state, ..*first },
        );
        ranking
    }

    /// How many of the plays can be followed to `ply` with [`MOST_AFTERSTATES`], and by which of
    /// the last rolls; one play among several is none. Only games with more rolls than those of two
    /// dice have a limit.
    fn affordable(&self, plays: &[Candidate<G::State, U::Value>], ply: u8) -> (usize, RollSample) {
        let rolls = self.game.rolls();
        if self.settings.filters[1] == MoveFilter::ALL || rolls.len() <= ROLLS_OF_TWO_DICE {
            return (plays.len(), RollSample::ALL);
        }
        let of_leaf = self.afterstates_of_a_leaf(plays, ply);
        let samples = if ply == 1 { &SAMPLES[..SAMPLES_AT_1_PLY] } else { &SAMPLES };
        let mut fitting = (0, RollSample::ALL);
        for &step in samples {
            let sample = RollSample::every(step);
            let of_leaf = of_leaf * sample.most::<G>(rolls) / rolls.len();
            fitting = (self.count_fitting(plays, ply, of_leaf), sample);
            if fitting.0 == plays.len() {
                return fitting;
            }
        }
        let (count, sample) = fitting;
        if count == 1 { (0, sample) } else { fitting }
    }

    /// How many of the first plays have no more than [`MOST_AFTERSTATES`] at `ply` together, if every
    /// leaf has `of_leaf`.
    fn count_fitting(
        &self,
        plays: &[Candidate<G::State, U::Value>],
        ply: u8,
        of_leaf: usize,
    ) -> usize {
        let rolls = self.game.rolls().len();
        let mut afterstates = 0;
        let fits = |play: &&Candidate<_, _>| {
            let leaves = match ply {
                1 => 1,
                _ => play.replies.len() * rolls.pow(u32::from(ply) - 2),
            };
            afterstates += leaves * of_leaf;
            afterstates <= MOST_AFTERSTATES
        };
        plays.iter().take_while(fits).count()
    }

    /// How many afterstates all rolls together have in a state that is looked at last at `ply`: an
    /// estimate from eight rolls of each of eight such states.
    fn afterstates_of_a_leaf(&self, plays: &[Candidate<G::State, U::Value>], ply: u8) -> usize {
        let rolls = self.game.rolls();
        let states = plays.iter().map(|play| &play.state);
        let replies = plays.iter().flat_map(|play| &play.replies).map(|reply| &reply.state);
        let mut leaves: Vec<&G::State> =
            if ply == 1 { states.collect() } else { replies.collect() };
        leaves.retain(|state| self.game.outcome(state).is_none());
        let looked_at = leaves.iter().step_by(leaves.len().div_ceil(8).max(1));
        let (mut sampled, mut afterstates) = (Vec::new(), Vec::new());
        let (mut found, mut counted) = (0, 0);
        for (number, leaf) in (0..).zip(looked_at) {
            RollSample::every(27).after(number).of(rolls, &mut sampled);
            for &(roll, _) in &sampled {
                afterstates.clear();
                self.game.afterstates(leaf, roll, &mut afterstates);
                found += afterstates.len();
            }
            counted += sampled.len();
        }
        found * rolls.len() / counted.max(1)
    }

    /// Evaluates states at `ply`, one more than before. Returns the number evaluated before time
    /// was over; these are always the first ones.
    fn deepen(
        &self,
        runner: &mut impl Runner<G, U>,
        plays: &mut [Candidate<G::State, U::Value>],
        (ply, sample): (u8, RollSample),
        watch: &Watch<'_>,
    ) -> usize {
        if ply == 1 {
            self.open(runner, plays, sample, watch)
        } else {
            self.follow(runner, plays, (ply, sample), watch)
        }
    }

    /// From 0-ply to 1-ply, where replies are found.
    fn open(
        &self,
        runner: &mut impl Runner<G, U>,
        plays: &mut [Candidate<G::State, U::Value>],
        sample: RollSample,
        watch: &Watch<'_>,
    ) -> usize {
        let progress = Parts::new(watch, 1, plays.len());
        let before = &*plays;
        let opened = runner.run(before.len(), |worker, index| {
            let Candidate { state, value, .. } = &before[index];
            progress.part(|| {
                Some(match worker.certain(state) {
                    Some(value) => (value, Vec::new()),
                    None => worker.open_root(state, value, sample),
                })
            })
        });
        let mut evaluated = 0;
        for (play, opened) in plays.iter_mut().zip(opened) {
            let Some((value, replies)) = opened else { break };
            play.replies = replies;
            self.settle(play, value, 1);
            evaluated += 1;
        }
        evaluated
    }

    /// From 1-ply or deeper to `ply`.
    fn follow(
        &self,
        runner: &mut impl Runner<G, U>,
        plays: &mut [Candidate<G::State, U::Value>],
        (ply, sample): (u8, RollSample),
        watch: &Watch<'_>,
    ) -> usize {
        let parts: Vec<Reply<G::State>> =
            plays.iter().flat_map(|play| &play.replies).copied().collect();
        let progress = Parts::new(watch, ply, parts.len());
        let values = runner.run(parts.len(), |worker, index| {
            let Reply { state, roll, .. } = &parts[index];
            progress.part(|| worker.value(state, ply - 1, sample.after(*roll), watch))
        });
        let mut values = values.into_iter();
        let mut evaluated = 0;
        for play in plays {
            let replies = play.replies.iter().zip(values.by_ref());
            let after: Option<Vec<_>> = replies
                .map(|(reply, value)| value.map(|value| (self.utility.flip(&value), reply.weight)))
                .collect();
            let Some(after) = after else { break };
            let value = match after.is_empty() {
                true => play.value,
                false => self.utility.before_roll(&play.state, &after),
            };
            self.settle(play, value, ply);
            evaluated += 1;
        }
        evaluated
    }

    fn settle(&self, play: &mut Candidate<G::State, U::Value>, value: U::Value, ply: u8) {
        play.value = value;
        play.ply = ply;
        play.preference[usize::from(ply)] = self.utility.preference(&self.utility.flip(&value));
    }
}

/// Best first; equals keep their order.
fn sort<S, V>(plays: &mut [Candidate<S, V>]) {
    plays.sort_by(|a, b| b.preference_now().total_cmp(a.preference_now()));
}

/// Counts the parts of a depth, and stops when time is over.
struct Parts<'a> {
    watch: &'a Watch<'a>,
    ply: u8,
    done: AtomicUsize,
    of: usize,
}

impl<'a> Parts<'a> {
    const fn new(watch: &'a Watch<'a>, ply: u8, of: usize) -> Self {
        Self { watch, ply, done: AtomicUsize::new(0), of }
    }

    /// Does a part, unless time is over before its end.
    fn part<T>(&self, part: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.watch.is_over() {
            return None;
        }
        let answer = part()?;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.watch.progress)(SearchProgress { ply: self.ply, done, of: self.of });
        Some(answer)
    }
}
