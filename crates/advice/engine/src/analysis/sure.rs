//! Rollouts of the decisions of a match whose verdicts are not certain, until they are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tavola_evaluator::CloseRollout;
use tavola_evaluator::rollout::SavedRollout;
use tavola_matches::analysis::{Decision, Thresholds};
use web_time::Instant;

use super::{Analysis, for_each, rollouts};
use crate::engine::Engine;
use crate::error::Result;
use crate::operations::Rollout;
use crate::question::Question;
use crate::watch::{EngineEvent, Watch};

/// Games of each choice after each round: what is cheap to settle is settled first.
pub(super) const ROUNDS: [u64; 5] = [144, 576, 2304, 9216, 46_656];

/// A decision with verdicts that are not certain.
struct Doubtful<'a> {
    decision: &'a mut Decision,
    /// The plays that are rolled out; none of a cube action.
    plays: Vec<String>,
    saved: Option<SavedRollout>,
}

impl<'a> Doubtful<'a> {
    /// `None` if all is certain.
    fn new(decision: &'a mut Decision, within: f64, thresholds: &Thresholds) -> Option<Self> {
        if decision.uncertain(thresholds).is_empty() {
            return None;
        }
        let wanted = decision.plays.iter().enumerate().filter(|(place, play)| {
            *place == 0 || play.play == decision.done || play.loss <= play.interval.max(within)
        });
        let plays: Vec<String> = wanted.map(|(_, play)| play.play.clone()).collect();
        Some(Self { decision, plays, saved: None })
    }
}

/// Rolls decisions out in rounds of more and more games, in each those first that need the fewest,
/// until their verdicts are certain or the time is over.
pub(super) fn make_sure(
    engine: &Engine,
    (limit, rounds): (Duration, &[u64]),
    analysis: &Analysis,
    question: &Question,
    decisions: &mut [(usize, Decision)],
    watch: &Watch<'_>,
) -> Result<()> {
    let began = Instant::now();
    let (thresholds, close) = (&analysis.thresholds, CloseRollout::until_sure(limit));
    let within = f64::from(close.within);
    let decisions = decisions.iter_mut().map(|(_, decision)| decision);
    let mut doubtful: Vec<Doubtful<'_>> =
        decisions.filter_map(|decision| Doubtful::new(decision, within, thresholds)).collect();
    let of = doubtful.iter().map(|each| each.decision.uncertain(thresholds).len()).sum();
    let open = AtomicUsize::new(of);
    let tell = || (watch.events)(EngineEvent::Verdicts { open: open.load(Ordering::Relaxed), of });
    tell();
    let left = || limit.checked_sub(began.elapsed()).filter(|left| !left.is_zero());
    for &trials in rounds {
        doubtful.sort_by(|one, two| {
            let effort = |each: &Doubtful<'_>| each.decision.effort(thresholds);
            effort(one).total_cmp(&effort(two))
        });
        for_each(doubtful.iter_mut(), analysis.workers, watch, &|each| {
            let Some(left) = left() else { return Ok(()) };
            let Doubtful { decision, plays, saved } = each;
            let operation = Rollout {
                plays: plays.clone(),
                trials,
                until_jsd: None,
                time: Some(left),
                resume: saved.take(),
                ..Rollout::from(&close.settings)
            };
            let mut rolled = decision.clone();
            *saved = rollouts::roll(engine, &mut rolled, operation, question, watch)?;
            let [before, after] = [&**decision, &rolled].map(|it| it.uncertain(thresholds).len());
            // Few games may tell less than the search: they count once they open nothing.
            if after <= before {
                **decision = rolled;
                open.fetch_sub(before - after, Ordering::Relaxed);
            }
            tell();
            Ok(())
        })?;
        doubtful.retain(|each| !each.decision.uncertain(thresholds).is_empty());
        if doubtful.is_empty() || left().is_none() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Mutex;

    use super::super::NoFindings;
    use super::*;
    use crate::effort::Effort;

    #[test]
    fn open_verdicts_are_rolled_out_and_others_are_left_as_they_are() {
        let file = b" 5 point match\n\n Game 1\n Ann : 0   Bob : 0\n  \
            1) 31: 8/5 6/5            21: 13/11 6/5\n  2) 64: 24/14             55: 8/3(2) 6/1(2)\n";
        let reading = tavola_matches::read(file).unwrap();
        let (engine, watch) = (Engine::new(NonZeroUsize::MIN, None), Watch::default());
        let analysis = |workers| Analysis {
            effort: Effort::at(0),
            thresholds: Thresholds::default(),
            model: None,
            met: None,
            workers: NonZeroUsize::new(workers).unwrap(),
            rollouts: None,
        };
        let found = engine
            .analyze("x", &reading.matches[0], &analysis(1), &NoFindings, &watch, &|_, _| {})
            .unwrap();
        assert!(found.open() > 0);
        let sure = |workers| {
            let mut decisions: Vec<_> = found.decisions.iter().cloned().enumerate().collect();
            let rounds = (Duration::from_secs(86_400), &[36, 72][..]);
            let question = rollouts::question(&analysis(1), tavola_rules::Beavers::Off, true);
            let told = Mutex::new((usize::MAX, 0));
            let events = |event: EngineEvent<'_>| {
                if let EngineEvent::Verdicts { open, of } = event {
                    *told.lock().unwrap() = (open, of);
                }
            };
            let watch = Watch { events: &events, ..Watch::default() };
            make_sure(&engine, rounds, &analysis(workers), &question, &mut decisions, &watch)
                .unwrap();
            (decisions, told.into_inner().unwrap())
        };
        let (decisions, (open, of)) = sure(1);
        assert_eq!(decisions, sure(3).0);
        let left = |decision: &Decision| decision.uncertain(&Thresholds::default()).len();
        assert_eq!(of, found.decisions.iter().map(left).sum::<usize>());
        assert_eq!(open, decisions.iter().map(|(_, decision)| left(decision)).sum::<usize>());
        assert!(open < of, "{open} of {of}");
        for (before, (_, after)) in found.decisions.iter().zip(&decisions) {
            assert!(left(after) <= before.open.len(), "{before:?} {after:?}");
            match after.rollout {
                // Too few games to tell more, or nothing to tell.
                None => assert_eq!(before, after),
                Some(rollout) => {
                    assert!(!before.open.is_empty() && after.interval < 0.2);
                    assert!(left(after) == 0 || [36, 72].contains(&rollout.trials), "{rollout:?}");
                }
            }
        }
    }
}
