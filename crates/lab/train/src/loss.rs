//! The loss: cross-entropy, the pairwise loss and the L2 penalty on the logits.

use burn::tensor::activation::{log_softmax, softmax};
use burn::tensor::{Int, Tensor, TensorData};
use tavola_rules::Outcome;

/// Cross-entropy of the network's softmax against a target distribution, in nats:
/// `-sum(target * log softmax(logits))`, summed and divided by `batch`. These rows may be a part of
/// the batch. Its smallest value is the entropy of the targets, where both distributions are equal.
///
/// # Shapes
///
/// `logits`: `[rows, outputs]`; `targets`: `[rows, outputs]`, each row a distribution; result: `[1]`
pub(crate) fn soft_cross_entropy(logits: Tensor<2>, targets: Tensor<2>, batch: usize) -> Tensor<1> {
    (log_softmax(logits, 1) * targets).sum().mul_scalar(-1.0 / batch as f32)
}

/// Pairs of rows of a batch whose differences are learned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) rows: Vec<[usize; 2]>,
    /// How much each counts.
    pub(crate) weights: Vec<f32>,
}

/// The squared errors of the differences in equity of pairs of rows, summed as they count, in points
/// squared; `None` without pairs.
///
/// # Shapes
///
/// `logits` and `targets`: `[batch, 6]`; result: `[1]`
pub(crate) fn squared_differences(
    logits: Tensor<2>,
    targets: Tensor<2>,
    Pairs { rows, weights }: Pairs,
) -> Option<Tensor<1>> {
    if rows.is_empty() {
        return None;
    }
    let [_, outcomes] = logits.dims();
    let (device, pairs) = (logits.device(), rows.len());
    let rows = |which: usize| {
        let rows: Vec<i64> = rows.iter().map(|pair| pair[which] as i64).collect();
        Tensor::<1, Int>::from_data(TensorData::new(rows, [pairs]), &device)
    };
    let points = Outcome::ALL.map(|outcome| outcome.points() as f32);
    let points = Tensor::<2>::from_data(TensorData::new(points.to_vec(), [1, outcomes]), &device);
    let errors = ((softmax(logits, 1) - targets) * points).sum_dim(1);
    let differences = errors.clone().select(0, rows(1)) - errors.select(0, rows(0));
    let weights = Tensor::<2>::from_data(TensorData::new(weights, [pairs, 1]), &device);
    Some((differences.square() * weights).sum())
}

/// `loss` plus the pairwise loss: `weight` times the [squared differences](squared_differences),
/// divided by the size of the batch.
///
/// # Shapes
///
/// `loss` and `differences`: `[1]`; result: `[1]`
pub(crate) fn with_pairwise(
    loss: Tensor<1>,
    differences: Option<Tensor<1>>,
    batch: usize,
    weight: f64,
) -> Tensor<1> {
    match differences {
        Some(differences) if weight > 0.0 => loss + differences.mul_scalar(weight / batch as f64),
        _ => loss,
    }
}

/// `loss` plus an L2 penalty on the logits: `weight / 2 * sum(logits^2)`, divided by the size of
/// the batch.
///
/// # Shapes
///
/// `loss`: `[1]`; `logits`: `[rows, outputs]`; result: `[1]`
pub(crate) fn with_logit_l2(
    loss: Tensor<1>,
    logits: Tensor<2>,
    batch: usize,
    weight: f64,
) -> Tensor<1> {
    if weight == 0.0 {
        return loss;
    }
    loss + logits.square().sum().mul_scalar(weight / (2 * batch) as f64)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::model::numbers;

    fn loss<const N: usize>(logits: [[f32; 6]; N], targets: [[f32; 6]; N]) -> f32 {
        let device = Device::flex();
        let tensor = |rows: [[f32; 6]; N]| Tensor::<2>::from_floats(rows, &device);
        numbers(soft_cross_entropy(tensor(logits), tensor(targets), N))[0]
    }

    #[test]
    fn equal_logits_cost_the_logarithm_of_six() {
        let target = [0.1, 0.2, 0.0, 0.4, 0.3, 0.0];
        assert!((loss([[2.0; 6]], [target]) - 6.0f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn a_perfect_answer_costs_the_entropy_of_the_target() {
        let target = [0.1f32, 0.2, 0.05, 0.4, 0.2, 0.05];
        let entropy: f32 = target.iter().map(|p| -p * p.ln()).sum();
        assert!((loss([target.map(f32::ln)], [target]) - entropy).abs() < 1e-6);
    }

    #[test]
    fn huge_logits_stay_finite_and_the_batch_is_averaged() {
        let sure = [1e4, 0.0, 0.0, 0.0, 0.0, -1e4];
        let first = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let second = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(loss([sure, sure], [first, second]), 5e3);
    }

    #[test]
    fn its_gradient_is_softmax_minus_target() {
        let device = Device::flex().autodiff();
        let logits = [0.3f32, -0.7, 1.1, 0.0, 2.0, -1.5];
        let target = [0.1, 0.2, 0.05, 0.4, 0.2, 0.05];
        let leaf = Tensor::<2>::from_floats([logits], &device).require_grad();
        let targets = Tensor::<2>::from_floats([target], &device);
        let mut gradients = soft_cross_entropy(leaf.clone(), targets, 1).backward();
        let found = numbers(leaf.grad_remove(&mut gradients).unwrap());
        let sum: f32 = logits.iter().map(|x| x.exp()).sum();
        for (i, found) in found.into_iter().enumerate() {
            assert!((found - (logits[i].exp() / sum - target[i])).abs() < 1e-6);
        }
    }

    #[test]
    fn pairs_cost_the_error_of_their_difference_and_nothing_that_both_share() {
        let device = Device::flex();
        let cost = |logits: [[f32; 6]; 3], targets: [[f32; 6]; 3]| {
            let pairs = Pairs { rows: vec![[1, 2]], weights: vec![1.0] };
            let tensor = |rows: [[f32; 6]; 3]| Tensor::<2>::from_floats(rows, &device);
            let none = Tensor::<1>::from_floats([0.0], &device);
            let differences = squared_differences(tensor(logits), tensor(targets), pairs);
            numbers(with_pairwise(none, differences, 3, 6.0))[0]
        };
        // Sure to lose a single game, sure to win one, at equal odds of all six.
        let (lose, win, even) =
            ([99.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 99.0, 0.0, 0.0], [0.0; 6]);
        let probabilities =
            |equity: f32| [0.5 - equity / 2.0, 0.0, 0.0, 0.5 + equity / 2.0, 0.0, 0.0];
        // Both off by as much, and the first row is in no pair.
        assert!(
            cost([lose, win, even], [probabilities(0.3), probabilities(0.8), probabilities(-0.2)])
                < 1e-9
        );
        // The difference is 1 instead of 0.6: 0.16 times 6 over three rows.
        let found =
            cost([lose, win, even], [probabilities(0.3), probabilities(0.6), probabilities(0.0)]);
        assert!((found - 0.32).abs() < 1e-5, "{found}");
    }

    #[test]
    fn the_penalty_adds_its_part_of_each_logit_to_the_gradient() {
        let device = Device::flex().autodiff();
        let gradient = |pull| {
            let logits = [[0.3f32, -0.7, 1.1, 0.0, 2.0, -1.5], [4.0, 0.0, 0.0, 0.0, 0.0, -8.0]];
            let leaf = Tensor::<2>::from_floats(logits, &device).require_grad();
            let targets = Tensor::<2>::from_floats([[0.1, 0.2, 0.05, 0.4, 0.2, 0.05]; 2], &device);
            let loss = soft_cross_entropy(leaf.clone(), targets, 2);
            let mut gradients = with_logit_l2(loss, leaf.clone(), 2, pull).backward();
            (logits.concat(), numbers(leaf.grad_remove(&mut gradients).unwrap()))
        };
        let ((logits, free), (_, pulled)) = (gradient(0.0), gradient(0.1));
        for ((logit, free), pulled) in logits.iter().zip(free).zip(pulled) {
            assert!((pulled - free - 0.1 * logit / 2.0).abs() < 1e-6);
        }
    }
}
