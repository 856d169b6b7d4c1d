//! What a network does at the table, and where another one would do something else.
//!
//! [`profile`] lets one or two evaluators play against themselves, 0-ply, and gathers the
//! [`GameStatistics`] of each: how long games are, how they are won, what happens in them. With
//! two, both look at every decision of all those games, and what they think of it is counted by
//! [`Phase`]; the decisions in which they are furthest apart are kept as [`Disagreement`]s, to be
//! shown.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::sync::atomic::AtomicBool;
//!
//! use tavola_evaluator::{PipCountEvaluator, RandomEvaluator};
//! use tavola_play::Workers;
//! use tavola_arena::profile::{ProfileSettings, profile};
//! use tavola_rules::Backgammon;
//!
//! let game = Backgammon::Hypergammon;
//! let (racer, random) = (PipCountEvaluator::new(game), RandomEvaluator::new(game, 1));
//! let cancel = AtomicBool::new(false);
//! let workers = Workers { threads: NonZeroUsize::MIN, cancel: &cancel };
//! let settings = ProfileSettings { games: 20, seed: 3, per_phase: 2 };
//! let found = profile(&game, &racer, Some(&random), &settings, workers, &())?;
//! assert_eq!(found.players.len(), 2);
//! assert_eq!(found.plays.len(), 2, "hypergammon has one phase here");
//! # Ok::<(), tavola_files::Failure>(())
//! ```

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;

use tavola_equity::OutcomeProbs;
use tavola_evaluator::expectation::least;
use tavola_evaluator::{Evaluator, Phase, PlayableGame};
use tavola_files::Failure;
use tavola_play::random::{RandomFor, game_rng};
use tavola_play::{
    AgentChoice, ChoosingPlayer, DEFAULT_MAX_TURNS, EvaluatorAgent, FirstRoll, GameEnd, GameLoop,
    GameObserver, RandomRolls, Seat, Seats, Workers, canceled,
};
use tavola_rules::Game;

use crate::progress::Progress;
use crate::quality::statistics::{GameCounter, GameStatistics};

mod chart;
mod openings;
mod page;
mod report;

pub(crate) use self::report::meet;
pub use self::report::{
    Decided, DuelSummary, LETTERS, PhaseRow, ProfileReport, Profiled, ProfiledNetwork, SelfPlay,
    Shown,
};

/// How much is played, and how much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileSettings {
    /// Games of each evaluator against itself; both have the same dice in games of the same
    /// number.
    pub games: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Disagreements to keep of each phase and kind, at most.
    pub per_phase: usize,
}

/// What two evaluators, a and b, make of one roll. All equities are cubeless and of the player who
/// makes the play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinions<S> {
    /// Distinct afterstates that there are to choose from.
    pub choices: usize,
    /// The afterstates that a and b choose, each seen by the opponent, who is then on roll.
    pub plays: [S; 2],
    /// `equities[i][j]` is what evaluator j thinks of the play of evaluator i.
    pub equities: [[f32; 2]; 2],
}

impl<S: PartialEq> Opinions<S> {
    /// Whether they choose different plays.
    pub fn differ(&self) -> bool {
        self.plays[0] != self.plays[1]
    }

    /// What the play of b loses as a sees it, and that of a as b sees it; never negative.
    pub fn losses(&self) -> [f32; 2] {
        let [of_a, of_b] = self.equities;
        [of_a[0] - of_b[0], of_b[1] - of_a[1]]
    }

    /// How far apart they are about the play: the mean of the two [losses](Self::losses).
    pub fn play_gap(&self) -> f32 {
        let [a, b] = self.losses();
        (a + b) / 2.0
    }

    /// How much more a thinks of the position than b: the difference of their equities of the same
    /// play, as a mean over the two plays.
    pub fn equity_gap(&self) -> f32 {
        let [of_a, of_b] = self.equities;
        (of_a[0] - of_a[1] + of_b[0] - of_b[1]) / 2.0
    }
}

/// Two evaluators, and memory for what they look at.
pub struct Onlookers<G: Game> {
    evaluators: [Box<dyn Evaluator<G>>; 2],
    afterstates: Vec<G::State>,
    evaluated: [Vec<OutcomeProbs>; 2],
}

impl<G: Game> Onlookers<G> {
    /// Forks of these evaluators, a and b.
    pub fn new(a: &dyn Evaluator<G>, b: &dyn Evaluator<G>) -> Self {
        Self {
            evaluators: [a.fork(), b.fork()],
            afterstates: Vec::new(),
            evaluated: [Vec::new(), Vec::new()],
        }
    }

    /// What they make of `roll` in `state`, which must not be finished. Each chooses as an
    /// [`EvaluatorAgent`] with its evaluation does.
    pub fn look(&mut self, game: &G, state: &G::State, roll: G::Roll) -> Opinions<G::State> {
        let Self { evaluators, afterstates, evaluated } = self;
        afterstates.clear();
        game.afterstates(state, roll, afterstates);
        let parent = game.flip(state);
        for (evaluator, evaluated) in evaluators.iter_mut().zip(evaluated.iter_mut()) {
            evaluator.evaluate_siblings(&parent, afterstates, evaluated);
        }
        // What is good for the opponent is bad for the player who chooses.
        let equity = |evaluator: usize, play: usize| evaluated[evaluator][play].flip().equity();
        let chosen = [0, 1].map(|evaluator: usize| {
            let for_opponent = |play: usize| evaluated[evaluator][play].equity();
            least(0..afterstates.len(), for_opponent).expect("there is an afterstate")
        });
        Opinions {
            choices: afterstates.len(),
            plays: chosen.map(|play| afterstates[play]),
            equities: chosen.map(|play| [equity(0, play), equity(1, play)]),
        }
    }
}

/// A decision in which two evaluators are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disagreement<S, R> {
    /// The position, from the player who is to choose.
    pub state: S,
    /// That player's roll.
    pub roll: R,
    /// The phase of the position.
    pub phase: Option<Phase>,
    /// What the evaluators think.
    pub opinions: Opinions<S>,
    /// In whose game it came up, 0 for a and 1 for b.
    pub player: usize,
    /// The number of that game, and the turn in it, both counted from 0.
    pub game: u64,
    /// See [`game`](Self::game).
    pub turn: u32,
}

/// What both think of the decisions of one phase. Forced plays are left out. Divide sums by
/// [`decisions`](Self::decisions) for means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseOpinions {
    /// Decisions with a choice.
    pub decisions: u64,
    /// Those in which they choose different plays.
    pub differing: u64,
    /// Sums of [`Opinions::losses`], in points.
    pub losses: [f64; 2],
    /// Sum of [`Opinions::equity_gap`], in points.
    pub gap: f64,
    /// Sum of its magnitude.
    pub absolute_gap: f64,
}

impl PhaseOpinions {
    /// Those of one decision.
    fn of<S: PartialEq>(opinions: &Opinions<S>) -> Self {
        let gap = f64::from(opinions.equity_gap());
        Self {
            decisions: 1,
            differing: u64::from(opinions.differ()),
            losses: opinions.losses().map(f64::from),
            gap,
            absolute_gap: gap.abs(),
        }
    }

    /// Counts what others have counted.
    pub fn merge(&mut self, other: &Self) {
        self.decisions += other.decisions;
        self.differing += other.differing;
        for (sum, more) in self.losses.iter_mut().zip(other.losses) {
            *sum += more;
        }
        self.gap += other.gap;
        self.absolute_gap += other.absolute_gap;
    }
}

/// What was gathered.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile<S, R> {
    /// The statistics of the games of a and, if there is a second, of b.
    pub players: Vec<GameStatistics>,
    /// What both think, by phase; empty with one evaluator.
    pub phases: BTreeMap<Option<Phase>, PhaseOpinions>,
    /// The largest disagreements about the play, by phase and then the largest first. Each
    /// position is there once, with the roll that they are furthest apart with.
    pub plays: Vec<Disagreement<S, R>>,
    /// The largest disagreements about equity, in that order too.
    pub equities: Vec<Disagreement<S, R>>,
}

/// The profile of players of this game.
pub type ProfileOf<G> = Profile<<G as Game>::State, <G as Game>::Roll>;

/// A disagreement in a position of this game.
pub type DisagreementOf<G> = Disagreement<<G as Game>::State, <G as Game>::Roll>;

/// Games that are played before what they brought is sorted out.
const AT_ONCE: u64 = 2048;

/// Plays the games and compares. The same seed gives the same profile on any number of threads.
/// `progress` is told of every game, by the thread that played it.
///
/// # Errors
///
/// [`Failure`] if the caller called it off.
pub fn profile<G: PlayableGame>(
    game: &G,
    a: &dyn Evaluator<G>,
    b: Option<&dyn Evaluator<G>>,
    settings: &ProfileSettings,
    workers: Workers<'_>,
    progress: &dyn Progress,
) -> Result<ProfileOf<G>, Failure> {
    let players = 1 + u64::from(b.is_some());
    let asked = settings.games * players;
    progress.begin(asked, "games of networks with themselves");
    let mut profile = Profile {
        players: vec![GameStatistics::default(); players as usize],
        phases: BTreeMap::new(),
        plays: Vec::new(),
        equities: Vec::new(),
    };
    let mut begin = 0;
    while begin < asked {
        let end = asked.min(begin + AT_ONCE);
        let played = workers.run(
            begin..end,
            || Worker::new(game.clone(), a, b),
            |worker, index| {
                let played = worker.play(settings.seed, index % players, index / players);
                progress.one_done();
                played
            },
        );
        let finished = begin + played.len() as u64;
        for (index, played) in (begin..).zip(played) {
            profile.add(game, (index % players) as usize, played);
        }
        if finished < end {
            return Err(canceled(finished, asked, "games"));
        }
        keep_largest(&mut profile.plays, settings.per_phase, |found| found.opinions.play_gap());
        keep_largest(&mut profile.equities, settings.per_phase, |found| {
            found.opinions.equity_gap().abs()
        });
        begin = end;
    }
    Ok(profile)
}

/// What one game brought.
struct Played<S, R> {
    counter: GameCounter,
    last: S,
    points_of_first: i32,
    phases: BTreeMap<Option<Phase>, PhaseOpinions>,
    plays: Largest<S, R>,
    equities: Largest<S, R>,
}

/// The largest disagreement of each phase. Positions of one game resemble each other, so each
/// phase gets one of each game.
type Largest<S, R> = BTreeMap<Option<Phase>, (f32, Disagreement<S, R>)>;

impl<S: Copy + PartialEq, R: Copy> Played<S, R> {
    fn add(&mut self, look: &Disagreement<S, R>) {
        self.phases.entry(look.phase).or_default().merge(&PhaseOpinions::of(&look.opinions));
        keep_larger(&mut self.plays, look, look.opinions.play_gap());
        keep_larger(&mut self.equities, look, look.opinions.equity_gap().abs());
    }
}

fn keep_larger<S: Copy, R: Copy>(
    largest: &mut Largest<S, R>,
    look: &Disagreement<S, R>,
    size: f32,
) {
    if size > largest.get(&look.phase).map_or(0.0, |(size, _)| *size) {
        largest.insert(look.phase, (size, *look));
    }
}

impl<S, R> Profile<S, R> {
    /// Counts a game; `None` of one that was truncated.
    fn add<G: PlayableGame<State = S>>(
        &mut self,
        game: &G,
        player: usize,
        played: Option<Played<S, R>>,
    ) {
        let Some(Played { counter, last, points_of_first, phases, plays, equities }) = played
        else {
            self.players[player].truncated += 1;
            return;
        };
        self.players[player].add(game, &counter, &last, points_of_first);
        for (phase, opinions) in phases {
            self.phases.entry(phase).or_default().merge(&opinions);
        }
        self.plays.extend(plays.into_values().map(|(_, look)| look));
        self.equities.extend(equities.into_values().map(|(_, look)| look));
    }
}

/// Sorts by phase and size, and leaves `per_phase` of each phase, each position once. What is left
/// does not depend on when others were dropped.
fn keep_largest<S: Copy + Eq + Hash, R>(
    found: &mut Vec<Disagreement<S, R>>,
    per_phase: usize,
    size: impl Fn(&Disagreement<S, R>) -> f32,
) {
    found.sort_by(|a, b| {
        (a.phase.cmp(&b.phase))
            .then_with(|| size(b).total_cmp(&size(a)))
            .then_with(|| (a.player, a.game, a.turn).cmp(&(b.player, b.game, b.turn)))
    });
    let mut seen = HashSet::new();
    let mut kept: BTreeMap<Option<Phase>, usize> = BTreeMap::new();
    found.retain(|one| {
        let of_phase = kept.entry(one.phase).or_default();
        let keep = *of_phase < per_phase && seen.insert(one.state);
        *of_phase += usize::from(keep);
        keep
    });
}

/// What a thread needs to play games and to look at them.
struct Worker<G: PlayableGame> {
    game: G,
    games: GameLoop<G>,
    agents: Vec<EvaluatorAgent<G>>,
    onlookers: Option<Onlookers<G>>,
    decisions: Decisions<G>,
}

impl<G: PlayableGame> Worker<G> {
    fn new(game: G, a: &dyn Evaluator<G>, b: Option<&dyn Evaluator<G>>) -> Self {
        let agents =
            std::iter::once(a).chain(b).map(|evaluator| EvaluatorAgent::new(evaluator.fork()));
        Self {
            agents: agents.collect(),
            onlookers: b.map(|b| Onlookers::new(a, b)),
            games: GameLoop::new(game.clone(), DEFAULT_MAX_TURNS),
            decisions: Decisions(Vec::new()),
            game,
        }
    }

    fn play(&mut self, seed: u64, player: u64, number: u64) -> Option<Played<G::State, G::Roll>> {
        let Self { game, games, agents, onlookers, decisions } = self;
        decisions.0.clear();
        let rng = game_rng(seed, number, RandomFor::SelfPlayRolls);
        let mut rolls = RandomRolls::new(rng, FirstRoll::Opening);
        let player = player as usize;
        let seats = Seats::Same(&mut agents[player]);
        // Evaluators don't fail and no game starts finished, so a game without an end is too long.
        let end: GameEnd = games.play(&game.start(), &mut rolls, seats, decisions).ok()?;
        let last = decisions.0.last()?.after;
        let mut counter = GameCounter::default();
        for Faced { state, roll, after, .. } in &decisions.0 {
            counter.turn(game, state, *roll, after);
        }
        let mut played = Played {
            counter,
            last,
            points_of_first: end.outcome_for(Seat::First).points(),
            phases: BTreeMap::new(),
            plays: BTreeMap::new(),
            equities: BTreeMap::new(),
        };
        if let Some(onlookers) = onlookers {
            for (turn, &Faced { state, roll, choices, .. }) in decisions.0.iter().enumerate() {
                if choices > 1 {
                    played.add(&Disagreement {
                        state,
                        roll,
                        phase: game.phase(&state),
                        opinions: onlookers.look(game, &state, roll),
                        player,
                        game: number,
                        turn: turn as u32,
                    });
                }
            }
        }
        Some(played)
    }
}

/// A decision that came up.
struct Faced<G: Game> {
    state: G::State,
    roll: G::Roll,
    after: G::State,
    choices: usize,
}

/// Writes down what comes up.
struct Decisions<G: Game>(Vec<Faced<G>>);

impl<G: Game> GameObserver<G> for Decisions<G> {
    fn turn(&mut self, situation: &ChoosingPlayer<'_, G>, decision: &AgentChoice) {
        let ChoosingPlayer { state, roll, afterstates, .. } = *situation;
        let after = afterstates[decision.index];
        self.0.push(Faced { state: *state, roll, after, choices: afterstates.len() });
    }
}
