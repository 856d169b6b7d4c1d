//! `best`: the plays of a roll, best first.

use serde::{Deserialize, Serialize};
use tavola_bearoff::RaceSide;
use tavola_equity::{OutcomeProbs, Probs};
use tavola_evaluator::{CloseRollout, Level, PlayableGame, Z_95, error_bar, lead_by_surpassing};
use tavola_games::many::ManyGame;

use super::eval::{CubefulFigures, Evaluation, as_five, evaluate};
use super::explain::{self, PlayReasons};
use super::race::race;
use super::rollout::{self, Certainty, Spread};
use super::{Operation, interval_of_best, play_to, searched};
use crate::effort::Effort;
use crate::error::Result;
use crate::many::{self, ManyPlays, ManyQuestion};
use crate::question::PositionQuestion;
use crate::session::Evaluators;
use crate::terms::ResolvedTerms;

/// Plays that are evaluated at the full depth where a question names no number of them, or a lesser
/// one: it must not change which play is best.
const COMPARED: usize = 5;

/// The most plays that are evaluated at the full depth because a question names them.
const MOST_COMPARED: usize = 10;

/// Asks for the plays of the roll, best first.
#[derive(Clone, Debug, Default, Deserialize, schemars::JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct Best {
    /// Whether plays are ranked by what they are worth with the cube [default: where there is one]
    #[cfg_attr(
        feature = "clap",
        arg(
            long = "cubeless",
            num_args = 0,
            default_missing_value = "false",
            help = "Rank by cubeless money equity"
        )
    )]
    pub cubeful: Option<bool>,
    /// Plays to show at most; five to ten of them are evaluated at the full depth
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            short = 'n',
            value_name = "N",
            value_parser = clap::value_parser!(u32).range(1..),
            help = "Plays to show at most; five to ten of them are evaluated at the full depth [default: 5]"
        )
    )]
    #[schemars(range(min = 1, max = u32::MAX))]
    pub top: Option<u32>,
    /// A play such as '13/10 6/5' whose error is wanted
    #[cfg_attr(feature = "clap", arg(long, value_name = "PLAY"))]
    pub played: Option<String>,
    /// Say in numbers what each play changes, what it risks, and which replies it allows
    #[cfg_attr(feature = "clap", arg(skip))]
    pub explain: bool,
}

/// A play with what it is worth to the player who makes it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct EvaluatedPlay {
    /// The play in words.
    pub play: String,
    /// The afterstate in the notation of the game, the opponent on roll.
    pub position: String,
    /// Cubeless money equity in points.
    pub equity: f32,
    /// Equity lost against the best play as evaluated at the same depth, never negative. For plays
    /// at the depth of the first one it is the difference of the equities.
    pub loss: f32,
    /// Half of the 95 % interval of the loss, in the same unit: of a rollout by its games, else as it
    /// was measured for searches of this depth with the cube; missing where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[serde(serialize_with = "as_five")]
    #[schemars(with = "[f32; 5]")]
    pub probs: Probs,
    /// With a cube, where plays are ranked so.
    #[serde(flatten)]
    pub cubeful: Option<CubefulFigures>,
    /// Plies of lookahead.
    pub ply: u8,
    /// Where a level rolled the play out: the figures are those of the rollout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Spread>,
    /// The player who has made it, in a race that the bear-off databases know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceSide>,
    /// What the play changes, risks and allows, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<PlayReasons>,
}

/// What [`Best`] answers.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct BestAnswer {
    /// What the position is worth before the roll, if plays are explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Evaluation>,
    /// Why the first play is ahead of the second, in sentences, if plays are explained: what each
    /// does, what both do, and after which rolls of the opponent they differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// The plays, those evaluated deepest first and best first among these; none if the player
    /// can't move or the game is over.
    pub plays: Vec<EvaluatedPlay>,
    /// The play whose error is wanted, evaluated at the full depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<EvaluatedPlay>,
    /// Whether the first play is certain to be the best one, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<Certainty>,
    /// How many plays there are.
    #[serde(skip)]
    pub legal: usize,
    /// The stakes in words, where plays are ranked with the cube.
    #[serde(skip)]
    pub terms: Option<String>,
}

/// A play on its way to an answer.
#[derive(Clone, Copy)]
pub(super) struct Ranked<S> {
    pub(super) after: S,
    pub(super) probs: Probs,
    equity: f32,
    pub(super) loss: f32,
    cubeful: Option<CubefulFigures>,
    pub(super) ply: u8,
    rollout: Option<Spread>,
}

impl<S> Ranked<S> {
    /// Whether it is ranked by the probability of winning a match.
    pub(super) fn is_match(&self) -> bool {
        self.cubeful.is_some_and(|it| it.mwc.is_some())
    }

    /// The number by which plays are ranked.
    pub(super) fn utility(&self) -> f32 {
        self.cubeful.map_or(self.equity, |figures| figures.cubeful_equity as f32)
    }
}

impl Operation for Best {
    const NAME: &'static str = "best";
    const SEARCHES: bool = true;
    type Answer = BestAnswer;
    type Many = ManyPlays;

    fn answer<G: PlayableGame>(&self, asked: &PositionQuestion<'_, G>) -> Result<BestAnswer> {
        asked.effort().check()?;
        let with_cube = self.cubeful.unwrap_or(G::HAS_CUBE);
        let terms = with_cube.then(|| asked.terms()).transpose()?;
        let plays = asked.game.plays(asked.state(), asked.dice()?);
        let played = self.played.as_ref().map(|text| asked.parse_play(text)).transpose()?;
        let played = played.map(|(_, after)| after);
        asked.with_session(|session| {
            let afterstates: Vec<G::State> = plays.iter().map(|(_, after)| *after).collect();
            let mut rank = |afterstates: &[G::State], compared| match &terms {
                _ if afterstates.is_empty() => Ok(Vec::new()),
                Some(terms) => {
                    let effort = asked.effort();
                    Self::rank_with_cube(asked, session, afterstates, compared, terms, effort)
                }
                None => Self::rank(asked, session, afterstates, compared),
            };
            let close = asked.effort().rollout();
            let compared = match (asked.effort().level, &close) {
                // At its price: what is not close is shown as the bare network has it.
                (Some(Level::Quick), None) => 1,
                _ => self.top.map_or(COMPARED, |top| (top as usize).clamp(COMPARED, MOST_COMPARED)),
            };
            let compared = compared.max(close.map_or(0, |close| close.most));
            let mut ranking = rank(&afterstates, compared)?;
            if let Some(after) = played {
                let place = ranking.iter().position(|ranked| ranked.after == after);
                if let Some(place) = place
                    && ranking[place].ply < ranking[0].ply
                {
                    ranking[place] = rank(&[after], 1)?[0];
                    order_again(asked.game, &mut ranking);
                }
            }
            let mut certainty = Certainty::APART;
            if let Some(close) = close {
                let rivals = close.rivals(ranking.iter().map(|play| (play.loss, play.ply)));
                if rivals > 0 {
                    let rivals = &mut ranking[..rivals];
                    certainty = roll_out(asked, session, terms.as_ref(), &close, rivals)?;
                }
            }
            let played = ranking.iter().find(|ranked| Some(ranked.after) == played).copied();
            ranking.truncate(self.top.map_or(usize::MAX, |top| top as usize));
            let name = |after: &G::State| play_to(&plays, after).to_string();
            let (mut before, mut reasons, mut why) = (None, Vec::new(), Vec::new());
            if self.explain && !ranking.is_empty() {
                let evaluation = evaluate(asked, session, asked.effort())?;
                (reasons, why) = explain::reasons(asked, session, &evaluation, &ranking, &name);
                before = Some(evaluation);
            }
            let first = ranking.first().map(|first| (first.ply, first.after));
            let rivals = ranking.iter().skip(1);
            let doubt = interval_of_best(
                rivals.filter_map(|play| Some((play.loss.into(), Z_95 * play.rollout?.loss_se))),
            );
            let phase = terms.as_ref().and_then(|_| asked.game.phase(asked.state()));
            let interval = |ranked: &Ranked<G::State>| match (ranked.rollout, phase) {
                (Some(_), _) if first == Some((ranked.ply, ranked.after)) => Some(doubt),
                (Some(spread), _) => Some(Z_95 * spread.loss_se),
                (None, Some(phase)) if first.is_some_and(|(ply, _)| ply == ranked.ply) => {
                    Some(error_bar(ranked.ply, Some(phase), ranked.loss.into()))
                }
                _ => None,
            };
            let evaluated = |ranked: Ranked<G::State>, reasons| EvaluatedPlay {
                play: name(&ranked.after),
                position: asked.game.write_state(&ranked.after),
                equity: ranked.equity,
                loss: ranked.loss,
                interval: interval(&ranked),
                probs: ranked.probs,
                cubeful: ranked.cubeful,
                ply: ranked.ply,
                rollout: ranked.rollout,
                race: race(asked, &ranked.after).and_then(|race| race.opponent),
                reasons,
            };
            let mut reasons = reasons.into_iter();
            Ok(BestAnswer {
                before,
                why,
                played: played.map(|ranked| evaluated(ranked, None)),
                plays: ranking
                    .into_iter()
                    .map(|ranked| evaluated(ranked, reasons.next()))
                    .collect(),
                sure: asked.effort().sure.map(|_| certainty),
                legal: plays.len(),
                terms: terms.map(|terms| terms.to_string()),
            })
        })?
    }

    fn answer_many<G: ManyGame>(&self, asked: &ManyQuestion<'_, G>) -> Result<ManyPlays> {
        many::refuse([
            ("cubeful", self.cubeful.is_some()),
            ("played", self.played.is_some()),
            ("explain", self.explain),
        ])?;
        let mut answer = asked.best()?;
        answer.plays.truncate(self.top.map_or(usize::MAX, |top| top as usize));
        Ok(answer)
    }
}

/// Gives close plays the figures of rollouts, the best first.
fn roll_out<G: PlayableGame>(
    asked: &PositionQuestion<'_, G>,
    session: &mut Evaluators<G>,
    terms: Option<&ResolvedTerms>,
    close: &CloseRollout,
    plays: &mut [Ranked<G::State>],
) -> Result<Certainty> {
    let after: Vec<G::State> = plays.iter().map(|play| play.after).collect();
    let mut rollout = rollout::prepare(asked, session, terms, Some(after), close.settings)?;
    let ended = rollout::run(asked.watch, &mut rollout)?;
    let best = rollout.best();
    let leads = (0..plays.len()).filter(|&other| other != best && rollout.dropped(other).is_none());
    let leads = leads.filter_map(|other| rollout.behind(best, other));
    let certainty = Certainty::of(&rollout, ended, leads);
    for (candidate, play) in plays.iter_mut().enumerate() {
        let figures = rollout.figures(candidate);
        let compared = figures.compared();
        let loss = match rollout.dropped(candidate) {
            Some(dropped) => dropped.by(),
            None => rollout.behind(best, candidate).unwrap_or_default(),
        };
        let chances = figures.cumulative().map(|chance| chance.mean.clamp(0.0, 1.0) as f32);
        play.probs = Probs::from_array(chances);
        play.equity = figures.equity().mean as f32;
        play.loss = loss.mean.max(0.0) as f32;
        play.cubeful = figures.cubeful().zip(rollout.cube()).map(|(equity, terms)| {
            let mwc = terms.mwc(equity).map(|mwc| mwc.mean);
            CubefulFigures { cubeful_equity: equity.mean, mwc }
        });
        let (equity_se, loss_se) = (compared.standard_error, loss.standard_error);
        play.rollout = Some(Spread { trials: figures.trials, equity_se, loss_se });
    }
    plays.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    Ok(certainty)
}

/// Puts the plays of the full depth in order again, after one has reached it late.
fn order_again<G: PlayableGame>(game: &G, ranking: &mut [Ranked<G::State>]) {
    let ply = ranking.iter().map(|ranked| ranked.ply).max();
    ranking.sort_by(|a, b| {
        let utility = || b.utility().total_cmp(&a.utility());
        b.ply.cmp(&a.ply).then_with(utility).then_with(|| b.equity.total_cmp(&a.equity))
    });
    lead_by_surpassing(
        game,
        ranking,
        |ranked| &ranked.after,
        |ranked, first| *ranked = Ranked { after: ranked.after, ..*first },
    );
    let best = ranking[0].utility();
    for ranked in ranking.iter_mut().filter(|ranked| Some(ranked.ply) == ply) {
        ranked.loss = best - ranked.utility();
    }
}

impl Best {
    /// By cubeless money equity.
    fn rank<G: PlayableGame>(
        asked: &PositionQuestion<'_, G>,
        session: &mut Evaluators<G>,
        afterstates: &[G::State],
        compared: usize,
    ) -> Result<Vec<Ranked<G::State>>> {
        let search = session.search(asked.effort().settings_for(compared, afterstates.len()));
        let ranking = searched(asked.watch, asked.effort(), |watch| {
            search.rank_among(asked.state(), afterstates, compared, watch)
        })?;
        let ranked = ranking.into_iter().map(|play| Ranked {
            after: play.state,
            probs: play.value.cumulative(),
            equity: play.expectation,
            loss: play.loss,
            cubeful: None,
            ply: play.ply,
            rollout: None,
        });
        Ok(ranked.collect())
    }

    /// By what plays are worth with the cube.
    pub(super) fn rank_with_cube<G: PlayableGame>(
        asked: &PositionQuestion<'_, G>,
        session: &mut Evaluators<G>,
        afterstates: &[G::State],
        compared: usize,
        ResolvedTerms { stakes, cube, .. }: &ResolvedTerms,
        effort: &Effort,
    ) -> Result<Vec<Ranked<G::State>>> {
        let settings = effort.settings_for(compared, afterstates.len());
        let evaluator = session.cube(settings);
        let ranking = searched(asked.watch, effort, |watch| {
            evaluator.rank_among(asked.state(), afterstates, stakes, *cube, compared, watch)
        })?;
        let ranking = ranking.expect("terms have a cube that fits their stakes");
        let ranked = ranking.into_iter().map(|play| {
            let probs = OutcomeProbs::cumulative(&play.probs);
            Ranked {
                after: play.position,
                probs,
                equity: probs.equity(),
                loss: play.loss,
                cubeful: Some(play.value.into()),
                ply: play.ply,
                rollout: None,
            }
        });
        Ok(ranked.collect())
    }
}
