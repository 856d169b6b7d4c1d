//! What a profile says, as data.

use std::collections::BTreeMap;

use serde::Serialize;
use tavola_engine::LoadedNetwork;
use tavola_evaluator::{Estimate, Evaluator, Phase, PlayableGame, SituationOf};
use tavola_files::Failure;
use tavola_games::{AnyGame, with_game};
use tavola_play::{EvaluatorAgent, LuckEvaluator, Workers};
use tavola_rules::Game;
use tavola_rules::board::Theme;

use super::openings::openings;
use super::{DisagreementOf, Opinions, PhaseOpinions, ProfileSettings, profile};
use crate::job::JobContext;
use crate::progress::Progress;
use crate::quality::statistics::{GameStatistics, name_of};
use crate::stats::{Stronger, Wins};
use crate::strength::duel::{Duel, DuelResult, DuelSettings};

/// The colors of a board on a page, light or dark: its own paper lies under it.
const THEME: Theme = Theme { background: "#f6f0e4", ..Theme::WOOD };

/// The arrows of the plays of A and B, in colors that people with any kind of color vision tell
/// apart (Okabe and Ito 2008, "Color Universal Design").
const ARROWS: [&str; 2] = ["#0072b2", "#d55e00"];

/// What the networks are called where there is little room.
pub const LETTERS: [&str; 2] = ["A", "B"];

/// The whole profile. Equities are cubeless, in points, of the player who makes the play.
#[derive(Debug, Serialize)]
pub struct ProfileReport {
    /// The id of the game.
    pub game: String,
    /// The command that makes it again.
    pub command: String,
    /// The settings of the command.
    pub settings: Settings,
    /// A, and B if there is one.
    pub networks: Vec<Profiled>,
    /// Games of the two against each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duel: Option<DuelSummary>,
    /// The plays of the rolls with which a game can begin.
    pub openings: Vec<Decided>,
    /// The answers to A's opening plays; none in games that have too many.
    pub replies: Vec<Replies>,
    /// How far the two are apart, by phase.
    pub phases: Vec<PhaseRow>,
    /// Positions in which they are furthest apart about the play.
    pub plays: Vec<Shown>,
    /// Positions in which they are furthest apart about what the position is worth.
    pub equities: Vec<Shown>,
}

/// The settings of the command.
#[derive(Debug, Serialize)]
pub struct Settings {
    /// Games of each network against itself, and of both against each other.
    pub games: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Positions of each phase and kind, at most.
    pub positions: usize,
    /// Plies that the networks look ahead.
    pub ply: u8,
}

/// A network that is profiled.
pub struct ProfiledNetwork<'a> {
    /// As it was named.
    pub name: &'a str,
    /// The network.
    pub network: LoadedNetwork,
}

impl ProfileReport {
    /// The profile of a network, or of two that are compared; `command` makes it again.
    ///
    /// # Errors
    ///
    /// A network can't be used, or it was canceled.
    pub fn of(
        game: &AnyGame,
        (a, b): (&ProfiledNetwork<'_>, Option<&ProfiledNetwork<'_>>),
        command: String,
        settings: &ProfileSettings,
        job: &JobContext<'_>,
    ) -> Result<Self, Failure> {
        with_game!(game, |game| {
            let networks = [Some(a), b].into_iter().flatten();
            let a = &*job.evaluator(&a.network, game)?;
            let b = b.map(|b| job.evaluator(&b.network, game)).transpose()?;
            let b = b.as_deref();
            let JobContext { workers, progress, .. } = *job;
            let found = profile(game, a, b, settings, workers, progress)?;
            let ProfileSettings { games, seed, per_phase } = *settings;
            let duel = b.map(|b| meet(game, (a, b), true, (games, seed), workers, progress));
            let (openings, replies) = openings(game, a, b);
            let networks = networks.zip(&found.players).enumerate();
            let networks = networks
                .map(|(number, (network, played))| {
                    Profiled::new(number, network, played, &openings)
                })
                .collect();
            let shown = |list: &[_]| list.iter().map(|one| Shown::new(game, one)).collect();
            let phases = found.phases.iter().map(|(phase, counted)| PhaseRow::new(*phase, counted));
            Ok(Self {
                game: game.id(),
                command,
                settings: Settings { games, seed, positions: per_phase, ply: 0 },
                networks,
                openings,
                replies,
                duel: duel.transpose()?.map(DuelSummary::from),
                phases: phases.collect(),
                plays: shown(&found.plays),
                equities: shown(&found.equities),
            })
        })
    }
}

/// Games of `a` against `b`, 0-ply, in pairs; with the luck subtracted as `a` sees it, or not.
pub(crate) fn meet<G: PlayableGame>(
    game: &G,
    (a, b): (&dyn Evaluator<G>, &dyn Evaluator<G>),
    with_luck: bool,
    (games, seed): (u64, u64),
    workers: Workers<'_>,
    progress: &dyn Progress,
) -> Result<DuelResult, Failure> {
    let agents = [EvaluatorAgent::new(a.fork()), EvaluatorAgent::new(b.fork())];
    let luck = with_luck.then_some(LuckEvaluator { evaluator: a, pruning: None });
    let duel = Duel { luck, ..Duel::new(game, &agents[0], &agents[1]) };
    let settings = DuelSettings { pairs: games / 2, seed, ..DuelSettings::default() };
    progress.begin(settings.pairs, "pairs of games with each other");
    duel.play_all(&settings, workers, &|_| progress.one_done())
}

/// A network and how it plays.
#[derive(Debug, Serialize)]
pub struct Profiled {
    /// As on the command line.
    pub name: String,
    /// Checksum of the weights.
    pub sha256: String,
    /// The game it was trained for.
    pub trained_for: String,
    /// Its feature set.
    pub encoder: &'static str,
    /// Widths of its hidden layers.
    pub hidden: Vec<usize>,
    /// Weights and biases.
    pub parameters: usize,
    /// Its games against itself.
    pub self_play: SelfPlay,
    /// The equity of the player who begins, before the first roll, by this network.
    pub first_move_equity: f64,
}

/// Games of a network against itself. Rates are shares of all games that were finished.
#[derive(Debug, Serialize)]
pub struct SelfPlay {
    /// Games that were played to their end.
    pub games: u64,
    /// Games that were truncated at the turn limit.
    pub unfinished: u64,
    /// Turns of a game, of both players together.
    pub length: Option<Estimate>,
    /// Number of games by their turns.
    pub lengths: BTreeMap<u32, u64>,
    /// Games won by one point.
    pub single_rate: f64,
    /// Games won by a gammon and not by a backgammon.
    pub gammon_rate: f64,
    /// Games won by a backgammon.
    pub backgammon_rate: f64,
    /// Games that ended in a draw.
    pub draw_rate: f64,
    /// Games that the player won who began.
    pub first_win_rate: f64,
    /// Points per game of the player who begins.
    pub first_mover: Option<Estimate>,
}

impl Profiled {
    /// Network number `number`, from 0, which evaluates as in `openings`.
    fn new(
        number: usize,
        network: &ProfiledNetwork<'_>,
        statistics: &GameStatistics,
        openings: &[Decided],
    ) -> Self {
        let weights = network.network.weights();
        let games = statistics.games();
        let rate = |count: u64| count as f64 / games.max(1) as f64;
        let own = |opening: &Decided| f64::from(opening.equities[number][number]);
        Self {
            name: network.name.to_owned(),
            sha256: weights.checksum(),
            trained_for: weights.game.clone(),
            encoder: weights.encoder.name(),
            hidden: weights.arch.hidden.clone(),
            parameters: weights.arch.parameters(),
            self_play: SelfPlay {
                games,
                unfinished: statistics.truncated,
                length: statistics.turns(),
                lengths: statistics.lengths.clone(),
                single_rate: rate(statistics.won_by(1)),
                gammon_rate: rate(statistics.won_by(2)),
                backgammon_rate: rate(statistics.won_by(3)),
                draw_rate: rate(statistics.won_by(0)),
                first_win_rate: rate(statistics.first_wins()),
                first_mover: statistics.first_mover(),
            },
            first_move_equity: openings.iter().map(|one| one.probability * own(one)).sum(),
        }
    }
}

/// Games of the two against each other; points are A's.
#[derive(Debug, Serialize)]
pub struct DuelSummary {
    /// Games, two a pair.
    pub games: u64,
    /// Games that were truncated at the turn limit.
    pub unfinished: u64,
    /// Games that ended in a draw.
    pub draws: u64,
    /// Points per game.
    pub ppg: Estimate,
    /// Points per game without the luck, as A evaluates it.
    pub luck_adjusted: Option<Estimate>,
    /// Games that A and B won; gammons count backgammons too.
    pub wins: [Wins; 2],
    /// What that says.
    pub verdict: Stronger,
}

impl From<DuelResult> for DuelSummary {
    fn from(result: DuelResult) -> Self {
        let (games, verdict) = (result.played(), result.stronger());
        let DuelResult { unfinished, draws, points, luck_adjusted, a, b, .. } = result;
        Self { games, unfinished, draws, ppg: points, luck_adjusted, wins: [a, b], verdict }
    }
}

/// What the networks make of a roll.
#[derive(Debug, Serialize)]
pub struct Decided {
    /// The roll.
    pub roll: String,
    /// Its probability.
    pub probability: f64,
    /// Distinct results that there are.
    pub choices: usize,
    /// The plays of A and B.
    pub plays: Vec<String>,
    /// `equities[i][j]` is what network j thinks of the play of network i.
    pub equities: Vec<Vec<f32>>,
    /// Whether these are different plays.
    pub differ: bool,
    /// What B's play loses as A sees it, and A's as B sees it; none of one network.
    pub losses: Vec<f32>,
}

impl Decided {
    /// The opinions of the first `networks` of the two, in words.
    pub(super) fn new<G: PlayableGame>(
        game: &G,
        state: &G::State,
        roll: G::Roll,
        opinions: &Opinions<G::State>,
        networks: usize,
        probability: f64,
    ) -> Self {
        let words = game.named_afterstates(state, roll);
        let name = |after: &G::State| name_of(&words, after);
        Self {
            roll: roll.to_string(),
            probability,
            choices: opinions.choices,
            plays: opinions.plays[..networks].iter().map(name).collect(),
            equities: opinions.equities[..networks]
                .iter()
                .map(|of_play| of_play[..networks].to_vec())
                .collect(),
            differ: opinions.differ(),
            losses: if networks == 2 { opinions.losses().to_vec() } else { Vec::new() },
        }
    }
}

/// The answers to an opening play of A.
#[derive(Debug, Serialize)]
pub struct Replies {
    /// The opening roll.
    pub roll: String,
    /// A's play of it.
    pub play: String,
    /// The position that they answer in, from the player who answers.
    pub position: String,
    /// For each roll.
    pub replies: Vec<Decided>,
}

/// How far the two are apart in one phase, over all decisions with a choice.
#[derive(Debug, Serialize)]
pub struct PhaseRow {
    /// The phase, if the game has phases.
    pub phase: Option<Phase>,
    /// Decisions in the games of both.
    pub decisions: u64,
    /// Share of them in which they choose different plays.
    pub differing: f64,
    /// What B's plays lose a decision as A sees it, and A's as B sees it.
    pub losses: [f64; 2],
    /// Mean of A's evaluation less B's.
    pub gap: f64,
    /// Mean absolute difference of the two evaluations.
    pub absolute_gap: f64,
}

impl PhaseRow {
    /// The means of what was counted.
    fn new(phase: Option<Phase>, counted: &PhaseOpinions) -> Self {
        let mean = |sum: f64| sum / counted.decisions.max(1) as f64;
        Self {
            phase,
            decisions: counted.decisions,
            differing: mean(counted.differing as f64),
            losses: counted.losses.map(mean),
            gap: mean(counted.gap),
            absolute_gap: mean(counted.absolute_gap),
        }
    }

    /// All phases together.
    pub fn total(rows: &[Self]) -> Self {
        let decisions = rows.iter().map(|row| row.decisions).sum();
        let mean = |number: &dyn Fn(&Self) -> f64| {
            let sum: f64 = rows.iter().map(|row| number(row) * row.decisions as f64).sum();
            sum / (decisions as f64).max(1.0)
        };
        Self {
            phase: None,
            decisions,
            differing: mean(&|row| row.differing),
            losses: [mean(&|row| row.losses[0]), mean(&|row| row.losses[1])],
            gap: mean(&|row| row.gap),
            absolute_gap: mean(&|row| row.absolute_gap),
        }
    }
}

/// A position in which they are apart.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Its phase, if the game has phases.
    pub phase: Option<Phase>,
    /// Position and roll as commands read them: an XGID in backgammon and its variants.
    pub id: String,
    /// In whose game it came up, which one and in which turn, counted from 0.
    pub player: &'static str,
    /// See [`player`](Self::player).
    pub game: u64,
    /// See [`player`](Self::player).
    pub turn: u32,
    /// The roll and what they make of it.
    #[serde(flatten)]
    pub decided: Decided,
    /// How far they are apart about the play: the mean of both losses.
    pub play_gap: f32,
    /// How much more A thinks of the position than B.
    pub equity_gap: f32,
    /// The board.
    #[serde(skip)]
    pub picture: String,
}

impl Shown {
    /// The disagreement in words and as a picture.
    fn new<G: PlayableGame>(game: &G, found: &DisagreementOf<G>) -> Self {
        let opinions = &found.opinions;
        let situation =
            SituationOf::<G> { dice: Some(found.roll), ..SituationOf::<G>::of(found.state) };
        let afterstates =
            if opinions.differ() { &opinions.plays[..] } else { &opinions.plays[..1] };
        let plays =
            afterstates.iter().filter_map(|after| game.play_to(&found.state, found.roll, after));
        let plays: Vec<_> = plays.zip(ARROWS).collect();
        let total: u32 = game.rolls().iter().map(|&(_, weight)| u32::from(weight)).sum();
        let of_roll = game.rolls().iter().find(|(roll, _)| *roll == found.roll);
        let probability = of_roll.map_or(0.0, |&(_, weight)| f64::from(weight) / f64::from(total));
        Self {
            phase: found.phase,
            id: game.write(&situation),
            player: LETTERS[found.player],
            game: found.game,
            turn: found.turn,
            decided: Decided::new(game, &found.state, found.roll, opinions, 2, probability),
            play_gap: opinions.play_gap(),
            equity_gap: opinions.equity_gap(),
            picture: game.board_view(&situation, &plays).svg(&THEME),
        }
    }
}
