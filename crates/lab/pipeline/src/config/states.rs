//! By which rolled-out states a network is graded.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Check;
use tavola_files::Failure;

/// Rolled-out states that a network evaluates on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatesSettings {
    /// The file, made by `tavola grade states`; a path from the working directory.
    pub file: PathBuf,
    /// Plies of lookahead at which they are evaluated: some of 0, 1 and 2, each once. The network
    /// is searched without pruning, so that 600 states take some 25 seconds of one thread at 2-ply
    /// and one at 1-ply.
    #[serde(default = "default_plies")]
    pub plies: Vec<u8>,
    /// A file of graded decisions, for the spread of the errors within siblings at the same plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<PathBuf>,
}

fn default_plies() -> Vec<u8> {
    vec![0, 1]
}

pub(super) fn check(check: &Check<'_>, settings: &StatesSettings) -> Result<(), Failure> {
    let StatesSettings { file, plies, decisions } = settings;
    let files = [
        ("evaluation.states.file", Some(file), "the path of a file of rolled-out states"),
        (
            "evaluation.states.decisions",
            decisions.as_ref(),
            "the path of a file of graded decisions",
        ),
    ];
    for (key, file, expected) in files {
        if let Some(file) = file.filter(|file| !file.is_file()) {
            return Err(check.error(key, format!("{:?}", file.display().to_string()), expected));
        }
    }
    let increasing = plies.windows(2).all(|pair| pair[0] < pair[1]);
    if plies.is_empty() || !increasing || plies.iter().any(|&ply| ply > 2) {
        let expected = "some of 0, 1 and 2, in this order";
        return Err(check.error("evaluation.states.plies", format!("{plies:?}"), expected));
    }
    Ok(())
}
