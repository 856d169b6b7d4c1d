//! How far a network is from what it is to learn, for the examples that teach it.

use std::fmt;

use tavola_data::Samples;
use tavola_train::Learner;

/// How far a learner is from the targets, in points.
pub(crate) struct Errors {
    /// Of equities, root mean square.
    states: f64,
    /// Of differences of equity in pairs, root mean square.
    differences: f64,
    /// Equity lost where the learner prefers the worse of a pair, mean over all pairs.
    loss: f64,
}

impl Errors {
    /// Over all these samples, among them pairs.
    pub(crate) fn of<'a>(
        learner: &Learner,
        samples: impl IntoIterator<Item = &'a Samples>,
    ) -> Self {
        let (mut states, mut of_states) = (0.0, 0.0);
        let (mut pairs, mut of_differences, mut loss) = (0.0, 0.0, 0.0);
        for samples in samples {
            let mut evaluated = Vec::new();
            for start in (0..samples.len()).step_by(1024) {
                let end = (start + 1024).min(samples.len());
                evaluated.extend(learner.evaluate((start..end).map(|i| samples.cells(i))));
            }
            let equities: Vec<[f64; 2]> = std::iter::zip(&evaluated, samples.targets())
                .map(|(evaluated, target)| {
                    [evaluated, target].map(|probs| f64::from(probs.equity()))
                })
                .collect();
            states += equities.len() as f64;
            of_states += equities
                .iter()
                .map(|[evaluated, target]| (evaluated - target).powi(2))
                .sum::<f64>();
            for i in (1..samples.len()).filter(|&i| samples.is_second(i)) {
                let [evaluated, target] = [0, 1].map(|k| equities[i][k] - equities[i - 1][k]);
                pairs += 1.0;
                of_differences += (evaluated - target).powi(2);
                loss += if evaluated * target < 0.0 { target.abs() } else { 0.0 };
            }
        }
        Self {
            states: (of_states / states).sqrt(),
            differences: (of_differences / pairs).sqrt(),
            loss: loss / pairs,
        }
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [states, differences, loss] =
            [self.states, self.differences, self.loss].map(|points| 1000.0 * points);
        write!(f, "{states:7.3} {differences:7.3} {loss:6.3}")
    }
}
