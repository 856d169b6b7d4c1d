//! What a gate said, in words.

use tavola_arena::SprtVerdict;
use tavola_pipeline::{GateDuel, GateGrade, GateResult, GateRmse, GateStates};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::Out;

/// Which condition was not met, with its figures.
pub fn shortcoming(gate: &GateResult) -> String {
    match (&gate.grade, &gate.states, &gate.duel) {
        (Some(graded), ..) if !graded.passed => grade(graded),
        (_, Some(evaluated), _) if !evaluated.passed => states(evaluated),
        (.., Some(played)) => duel(played),
        (.., None) => "no games were played".to_owned(),
    }
}

/// All that the gate looked at.
pub fn write_text(gate: &GateResult, out: &mut dyn Out) -> Outcome {
    if let Some(graded) = &gate.grade {
        writeln!(out, "grade    {}", grade(graded))?;
    }
    if let Some(evaluated) = &gate.states {
        writeln!(out, "states   {}", states(evaluated))?;
    }
    if let Some(played) = &gate.duel {
        writeln!(out, "games    {}", duel(played))?;
    }
    if gate.replaced {
        writeln!(out, "gate     passed: {} is replaced", gate.replaces)?;
    }
    Ok(())
}

fn grade(grade: &GateGrade) -> String {
    let GateGrade { new, old, worse, worse_by, reference, decisions, .. } = grade;
    let more = if worse.mean > *worse_by { "more than" } else { "within" };
    format!(
        "it loses {:.2} millipoints a decision, the old network {:.2}: {:+.2} ± {:.2} (95 %), {more} the \
         {:.2} allowed ({} decisions of {reference})",
        1000.0 * new.mean,
        1000.0 * old.mean,
        1000.0 * worse.mean,
        1000.0 * (worse.high - worse.mean),
        1000.0 * worse_by,
        format::count(*decisions)
    )
}

fn states(states: &GateStates) -> String {
    let at = |at: &GateRmse| {
        let (new, old) = (1000.0 * at.new, 1000.0 * at.old);
        format!("{new:.1} at {}-ply, the old network {old:.1}", at.ply)
    };
    let plies: Vec<String> = states.plies.iter().map(at).collect();
    let more = if states.passed { "within" } else { "more than" };
    let GateStates { ratio, file, .. } = states;
    format!("RMSE in millipoints {}: {more} {ratio} times the old ({file})", plies.join("; "))
}

fn duel(duel: &GateDuel) -> String {
    let GateDuel { games, ppg, luck_adjusted, sprt, .. } = duel;
    let best = luck_adjusted.unwrap_or(*ppg);
    let (low_strength, high_strength) = (1000.0 * sprt.test.low(), 1000.0 * sprt.test.high());
    let verdict = match sprt.verdict {
        _ if best.high < 0.0 => "clearly weaker, stopped".to_owned(),
        _ if best.high < sprt.test.low() => {
            format!("clearly below {low_strength:+} millipoints, stopped")
        }
        SprtVerdict::High => format!("rather {high_strength:+} than {low_strength:+} millipoints"),
        SprtVerdict::Low => format!("rather {low_strength:+} than {high_strength:+} millipoints"),
        SprtVerdict::Open => {
            format!("too few games to tell {low_strength:+} from {high_strength:+} millipoints")
        }
    };
    format!(
        "{} against the old network in {} games (95 % CI, luck-adjusted), {verdict} (LLR {:+.2})",
        format::strength(best),
        format::count(*games),
        sprt.log_likelihood_ratio.clamp(-1e3, 1e3)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tavola_arena::{Estimate, Sprt, SprtResult};

    #[test]
    fn a_gate_says_what_its_games_mean() {
        let said = |low: f64, high: f64, mean: f64, verdict| {
            let estimate = Estimate::new(mean, 0.05);
            let test = Sprt::new(low, high, 0.05, 0.05).expect("two strengths");
            duel(&GateDuel {
                passed: verdict == SprtVerdict::High,
                games: 128,
                most_games: 20_000,
                seed: 1,
                ppg: estimate,
                luck_adjusted: Some(estimate),
                sprt: SprtResult { test, log_likelihood_ratio: -40.0, verdict },
            })
        };
        for (low, high, mean, verdict, part) in [
            (0.0, 0.003, -2.356, SprtVerdict::Open, "clearly weaker, stopped (LLR"),
            (0.0, 0.003, -2.356, SprtVerdict::Low, "clearly weaker, stopped (LLR"),
            (0.5, 0.6, 0.1, SprtVerdict::Low, "clearly below +500 millipoints, stopped"),
            (0.0, 0.003, 0.0, SprtVerdict::Low, "rather +0 than +3 millipoints"),
            (0.0, 0.003, 0.5, SprtVerdict::High, "rather +3 than +0 millipoints"),
            (0.0, 0.003, 0.001, SprtVerdict::Open, "too few games to tell +0 from +3 millipoints"),
        ] {
            let text = said(low, high, mean, verdict);
            assert!(text.contains(part), "{part} in {text}");
            assert!(text.contains("in 128 games"), "{text}");
        }
    }
}
