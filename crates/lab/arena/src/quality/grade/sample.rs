//! Drawing decisions from games.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rand::RngExt;
use tavola_data::RecordOf;
use tavola_engine::{LoadedNetwork, version};
use tavola_evaluator::{Evaluator, Phase, PlayableGame, rank_afterstates};
use tavola_files::Failure;
use tavola_files::NewFile;
use tavola_games::{AnyGame, with_game};
use tavola_play::random::{RandomFor, game_rng};
use tavola_play::{
    ExploreSettings, Probability, SelfPlayGames, SelfPlaySettings, Workers, selfplay,
};
use tavola_rules::Game;

use super::decision::QuestionOf;
use super::file::{Decisions, GradedLine, text};
use super::header::{Header, PhaseShare, Purpose, SampleLabels, of_phase, share};
use super::pools::Pools;
use super::report::read;
use crate::job::JobContext;

/// Games whose records are in memory at a time.
const GAMES_AT_ONCE: u64 = 1000;

/// Times that games are played from the positions of a phase of which there is too little.
const SEEDED_ROUNDS: u32 = 20;

/// Games in each of them.
const SEEDED_GAMES: u64 = 200;

/// Probability of a play in a seeded game to be drawn at random: the games from one position should
/// differ soon, and stay sensible.
const SEEDED_RANDOM_PLAY: f64 = 0.1;

/// How decisions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleSettings {
    /// Games from the start.
    pub games: u64,
    /// Seed of the games and of the draw.
    pub seed: u64,
    /// Decisions to draw of each phase.
    pub per_phase: usize,
}

/// Sampled decisions, without grades.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<G: Game> {
    /// Where the decisions come from, and how many there are of each phase.
    pub header: Header,
    /// The decisions, those of a phase together.
    pub questions: Vec<QuestionOf<G>>,
    /// As they are written: afterstates are best first, as the sampling network evaluates them.
    lines: Vec<GradedLine>,
}

impl<G: PlayableGame> Sample<G> {
    /// Plays games of `network` against itself, 0-ply, and draws decisions of every phase.
    ///
    /// A decision is a position and a roll with two afterstates at least; each is drawn once, and
    /// no game gives more than one of each phase. If the games from the start have too few of a
    /// phase, others go on from the positions of that phase that have been found, with some plays
    /// drawn at random. Decisions in `excluded` are not drawn. The same settings draw the same
    /// decisions on any number of threads.
    ///
    /// `labels` are for the header; `observer` is called after every game.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the games were called off or a phase is too rare.
    pub fn draw(
        game: &G,
        network: &dyn Evaluator<G>,
        settings: &SampleSettings,
        excluded: &HashSet<QuestionOf<G>>,
        labels: SampleLabels,
        workers: Workers<'_>,
        observer: &(dyn Fn() + Sync),
    ) -> Result<Self, Failure> {
        let SampleSettings { games, seed, per_phase } = *settings;
        let mut pools = Pools::new(per_phase, excluded);
        let mut counts: BTreeMap<Option<Phase>, u64> = BTreeMap::new();
        let play = |play: &SelfPlaySettings, indices, starts: &[G::State]| {
            let games = SelfPlayGames { run_seed: seed, indices, starts };
            selfplay(game, network, play, &games, workers, &|_| observer())
                .map_err(Failure::stopped)
        };
        let mut next = 0;
        while next < games {
            let indices = next..games.min(next + GAMES_AT_ONCE);
            next = indices.end;
            for record in play(&SelfPlaySettings::default(), indices, &[])? {
                let decisions = decisions(game, seed, &record);
                decisions.iter().for_each(|(phase, ..)| *counts.entry(*phase).or_default() += 1);
                pools.offer(decisions, false);
            }
        }
        let varied = SelfPlaySettings {
            explore: ExploreSettings {
                random_play: Probability::new(SEEDED_RANDOM_PLAY)
                    .expect("a tenth is a probability"),
                ..ExploreSettings::default()
            },
            start_book_share: Probability::ALWAYS,
            ..SelfPlaySettings::default()
        };
        let phases = phases(game);
        let mut seeded_games = 0;
        for &phase in &phases {
            let before = next;
            for _ in 0..SEEDED_ROUNDS {
                let found = pools.of(phase);
                if found.len() >= per_phase || found.is_empty() {
                    break;
                }
                let starts: Vec<G::State> = found.iter().map(|(question, _)| question.0).collect();
                let indices = next..next + SEEDED_GAMES;
                next = indices.end;
                for record in play(&varied, indices, &starts)? {
                    let decisions = decisions(game, seed, &record).into_iter();
                    pools.offer(decisions.filter(|(found, ..)| *found == phase), true);
                }
            }
            let (found, seeded) = (pools.of(phase).len(), next - before);
            if found < per_phase {
                return Err(Failure::work(format!(
                    "{found} decisions{} in {games} games and {seeded} seeded ones, expected \
                     {per_phase}; play more games",
                    of_phase(phase)
                )));
            }
            seeded_games += seeded;
        }
        let all = counts.values().sum();
        let found = |&phase: &Option<Phase>| {
            let (found, count) = (pools.of(phase), counts.get(&phase).copied().unwrap_or_default());
            let seeded = found.iter().filter(|(_, lot)| lot.seeded).count() as u64;
            PhaseShare { phase, share: share(count, all), drawn: found.len() as u64, seeded }
        };
        let mut header = Header::new(game.id(), labels, (seed, games));
        (header.seeded_games, header.phases) = (seeded_games, phases.iter().map(found).collect());
        let mut network = network.fork();
        let (mut questions, mut lines) = (Vec::new(), Vec::new());
        for phase in phases {
            for (question, _) in pools.of(phase) {
                let ranked = rank_afterstates(game, network.as_mut(), &question.0, question.1);
                let afterstates: Vec<_> = ranked.into_iter().map(|result| result.state).collect();
                lines.push(GradedLine::drawn(game, &question, phase, &afterstates));
                questions.push(question);
            }
        }
        Ok(Self { header, questions, lines })
    }

    /// Writes the sample for a grader; [`Reference`](super::Reference) says how it looks.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(text(&self.header, &self.lines)?.as_bytes())
    }
}

/// The phases that a game has: all of them, or none to tell apart.
fn phases<G: PlayableGame>(game: &G) -> Vec<Option<Phase>> {
    match game.phase(&game.start()) {
        Some(_) => Phase::ALL.map(Some).to_vec(),
        None => vec![None],
    }
}

/// What is drawn from self-play, and where it goes.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The network that plays.
    pub network: &'a LoadedNetwork,
    /// Files of what is not to be drawn again.
    pub exclude: &'a [PathBuf],
    /// What the file may be used for.
    pub purpose: Purpose,
    /// The command that draws the same, for the header.
    pub command: String,
    /// The file to be written.
    pub out: &'a Path,
}

impl Draw<'_> {
    /// What the header says beside the draw.
    pub(super) fn labels(&self) -> SampleLabels {
        let (purpose, command) = (self.purpose, self.command.clone());
        SampleLabels { purpose, command, network: version(self.network.weights()) }
    }

    /// Draws decisions of every phase of the game and writes the file; the header says what was
    /// drawn.
    ///
    /// # Errors
    ///
    /// A file or the network can't be used, a phase is too rare, or the games are called off.
    pub fn decisions(
        &self,
        game: &AnyGame,
        settings: &SampleSettings,
        job: &JobContext<'_>,
    ) -> Result<Header, Failure> {
        with_game!(game, |game| {
            let evaluator = job.evaluator(self.network, game)?;
            let mut excluded = HashSet::new();
            for path in self.exclude {
                let known = read(path, |file| Decisions::read(game, file))?;
                excluded.extend(known.questions.into_iter().map(|(question, _)| question));
            }
            let context = format!("cannot write {}", self.out.display());
            // Before the games: a file that can't be written should not cost their time.
            let mut file = NewFile::create(self.out).map_err(Failure::input_in(&context))?;
            job.progress.begin(settings.games, "games");
            let (labels, observer) = (self.labels(), || job.progress.one_done());
            let workers = job.workers;
            let sample =
                Sample::draw(game, &*evaluator, settings, &excluded, labels, workers, &observer)?;
            let written = sample.write(&mut file);
            written.and_then(|()| file.finish()).map_err(Failure::work_in(&context))?;
            Ok(sample.header)
        })
    }
}

/// The decisions of a game with their phases, each with a random number.
fn decisions<G: PlayableGame>(
    game: &G,
    seed: u64,
    record: &RecordOf<G>,
) -> Vec<(Option<Phase>, u64, QuestionOf<G>)> {
    let mut rng = game_rng(seed, record.index, RandomFor::Sampling);
    let (mut decisions, mut afterstates) = (Vec::new(), Vec::new());
    for (position, turn) in record.states().zip(&record.turns) {
        let key: u64 = rng.random();
        afterstates.clear();
        game.afterstates(&position, turn.roll, &mut afterstates);
        if afterstates.len() > 1 {
            decisions.push((game.phase(&position), key, (position, turn.roll)));
        }
    }
    decisions
}
