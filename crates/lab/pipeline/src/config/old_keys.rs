//! Keys of earlier versions, and what they are called now.

use serde_json::Value;

/// Each key with the names of its tables, and what replaces it.
const RENAMED: [(&str, &str); 17] = [
    ("teacher_rounds", "target_network_update_rounds"),
    ("teacher", "target_network"),
    ("start_positions_file", "start_book_file"),
    ("start_positions", "start_book"),
    ("selfplay.listed_start", "selfplay.start_book_share"),
    ("learner.logit_pull", "learner.logit_l2"),
    ("learner.average_steps", "learner.weight_averaging_steps"),
    ("learner.rival_weight", "learner.pairwise_loss_weight"),
    ("learner.lazy_features", "learner.sparse_adam"),
    ("targets.explored", "targets.exploration_target"),
    ("targets.imitate", "targets.kind = \"distill\" with share and within"),
    ("targets.exact", "targets.kind = \"expected-backup\" with share"),
    (
        "targets.luck",
        "targets.variance_reduction with pruning = { network, keep, within } and \
         siblings = { count, within, first_rolls }",
    ),
    ("replay.draw", "replay.sample"),
    ("evaluation.luck_judge", "evaluation.variance_reduction"),
    ("dataset.folder", "dataset.folders, a list"),
    ("targets.lambda", "targets.kind = \"td\" beside it"),
];

/// The first key of an earlier version in a configuration, and what replaces it.
pub(crate) fn find(config: &Value) -> Option<(&'static str, &'static str)> {
    let is_there = |key: &str| config.pointer(&format!("/{}", key.replace('.', "/"))).is_some();
    RENAMED.into_iter().find(|(key, _)| match *key {
        "targets.lambda" => is_there(key) && !is_there("targets.kind"),
        key => is_there(key),
    })
}
