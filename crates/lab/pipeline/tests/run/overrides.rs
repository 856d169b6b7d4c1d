//! What replaces values of a configuration file.

use std::fs;
use std::path::Path;

use tavola_pipeline::{Override, Plan};

fn plan(text: &str) -> Result<Plan, tavola_files::Failure> {
    Plan::from_toml(text, Path::new("tiny.toml"))
}

/// The plan of a file with this text and these overrides.
fn plan_with(text: &str, overrides: &[&str]) -> Result<Plan, tavola_files::Failure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.toml");
    fs::write(&path, text).unwrap();
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Plan::load(&path, &overrides)
}

#[test]
fn overrides_mean_what_the_file_would_mean_with_these_values() {
    let text = "rounds = 3\n[learner]\nepochs = 2\n";
    let found = plan_with(
        text,
        &[
            "game=nackgammon",
            "learner.batch_size=512",
            "network.hidden=[16, 8]",
            "targets.kind=td",
            "targets.lambda={ kind = \"constant\", value = 0.5 }",
            "start=models/some.safetensors#0123456789ab",
            "rounds=4",
            "rounds = 5",
        ],
    );
    let expected = plan(
        "game = \"nackgammon\"\nrounds = 5\nstart = \"models/some.safetensors#0123456789ab\"\n\
         [learner]\nepochs = 2\nbatch_size = 512\n[network]\nhidden = [16, 8]\n\
         [targets]\nkind = \"td\"\nlambda = { kind = \"constant\", value = 0.5 }",
    );
    assert_eq!(found.unwrap(), expected.unwrap());
    assert_eq!(plan_with(text, &[]).unwrap(), plan(text).unwrap());
}

#[test]
fn an_override_that_does_not_fit_is_named_with_what_was_expected() {
    for (set, parts) in [
        ("learner.batchsize=512", ["learner.batchsize=512", "batch_size"]),
        ("rounds=many", ["rounds=\"many\"", "a whole number"]),
        ("rounds=0", ["rounds is 0", "1 to 999999"]),
        ("rounds.last=3", ["rounds is 3", "expected a table"]),
        ("teacher_rounds=3", ["unknown key `teacher_rounds`", "target_network_update_rounds"]),
        ("learner.epochs=0", ["learner.epochs is 0", "1 to 1000"]),
    ] {
        let message = plan_with("rounds = 3", &[set]).unwrap_err().to_string();
        for part in ["tiny.toml"].into_iter().chain(parts) {
            assert!(message.contains(part), "{part:?} is not in {message:?}");
        }
    }
    for (text, part) in [
        ("rounds", "KEY=VALUE"),
        ("=3", "KEY=VALUE"),
        ("rounds=", "KEY=VALUE"),
        ("learner..epochs=3", "KEY=VALUE"),
        ("network.hidden=[16, 8", "\"[16, 8\" is not a TOML value"),
        ("game=\"nackgammon", "is not a TOML value"),
        ("rounds=3\nseed=4", "is not a TOML value"),
    ] {
        let message = text.parse::<Override>().unwrap_err().to_string();
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}
