//! Why the best play was better than the one that was made, in the sentences of `best --explain`.

use tavola_equity::Probs;
use tavola_evaluator::explain::{Change, replies};
use tavola_matches::Match;
use tavola_matches::analysis::{Choice, Decision, DecisionKind, DecisionPoint};
use tavola_rules::notation::parse_play;

use super::Analysis;
use crate::engine::Engine;
use crate::error::Result;
use crate::operations::{ComparedPlay, why};
use crate::watch::Watch;

impl Engine {
    /// Gives every error in a play its reasons. Errors are those that the analysis counts.
    pub(super) fn explain_errors(
        &self,
        record: &Match,
        analysis: &Analysis,
        questions: &[DecisionPoint],
        decisions: &mut [(usize, Decision)],
        watch: &Watch<'_>,
    ) -> Result<()> {
        let is_error = |decision: &Decision| {
            decision.kind == DecisionKind::Checker && decision.loss >= analysis.thresholds.error
        };
        let game = record.options.start;
        self.sessions.with(self, analysis.model.as_ref(), &game, watch, |session| {
            for (index, decision) in decisions.iter_mut().filter(|(_, it)| is_error(it)) {
                watch.check()?;
                let DecisionPoint { situation, choice: Choice::Play { dice, .. }, .. } =
                    questions[*index]
                else {
                    continue;
                };
                let before = &situation.position;
                let after = |play: &str| parse_play(play, before, dice).ok().map(|it| it.1);
                let (Some(best), Some(done)) = (after(&decision.best), after(&decision.done))
                else {
                    continue;
                };
                let [best_replies, done_replies] =
                    [best, done].map(|after| replies(&game, &mut *session.main, &after));
                let one = ComparedPlay::new(&game, &decision.best, [before, &best], &best_replies);
                let other =
                    ComparedPlay::new(&game, &decision.done, [before, &done], &done_replies);
                decision.why = why(&one, &other, change(decision).as_ref(), record.length > 0);
            }
            Ok(())
        })?
    }
}

/// What the best play has more than the one that was made, if both were evaluated as deep.
fn change(decision: &Decision) -> Option<Change> {
    let [best, done] = [&decision.best, &decision.done]
        .map(|name| decision.plays.iter().find(|play| play.play == *name));
    let (best, done) = (best?, done?);
    let [from, to] = [done, best].map(|play| Probs::from_array(play.probs));
    (best.ply == done.ply).then(|| Change::between(&from, &to))
}
