//! What a configuration may and may not say.

use std::fs;
use tavola_play::Probability;

use std::num::NonZeroU32;

use super::*;

fn plan(text: &str) -> Result<Plan, Failure> {
    Plan::from_toml(text, Path::new("test.toml"))
}

/// The whole chain of messages.
fn message(text: &str) -> String {
    let error = plan(text).expect_err(text);
    let source = std::error::Error::source(&error).map(ToString::to_string);
    format!("{error} {}", source.unwrap_or_default())
}

#[test]
fn a_file_of_nothing_is_refused() {
    for text in ["", "\n  \n", "# rounds = 3\n"] {
        assert!(message(text).starts_with("test.toml is empty, expected a training"), "{text:?}");
    }
}

#[test]
fn an_empty_file_is_the_default() {
    let plan = Plan::new(Config::default(), Path::new("test.toml")).unwrap();
    let mut expected = Config { network: Some(NetworkSettings::default()), ..Config::default() };
    expected.evaluation.opponents = Some(vec!["random".to_owned(), "pip-count".to_owned()]);
    assert_eq!(plan.config(), &expected);
    assert_eq!(plan.game().id(), "backgammon");
}

#[test]
fn the_effective_configuration_means_the_same() {
    let text = r#"
        game = "Hypergammon"
        learning_rate = { kind = "constant", value = 1e-3 }
        selfplay = { start_book_share = 0.5, explore = { random_play = 0.01 } }
        targets = { kind = "expected-backup", share = 0.25 }
        start_book = [[0, -1,-1,-1,0,0,0, 0,0,0,0,0,0, 0,0,0,0,0,0, 0,0,0,0,1,1, 1]]
        evaluation = { opponents = ["random"] }
        checkpoint = { every_seconds = 2.5 }
    "#;
    let plan = plan(text).unwrap();
    assert_eq!(plan.starts(&tavola_rules::Backgammon::Hypergammon).len(), 1);
    let again = Plan::from_toml(&plan.config().to_toml(), Path::new("again.toml")).unwrap();
    assert_eq!(again, plan);
    assert_eq!(again.config().sha256(), plan.config().sha256());
    assert_ne!(plan.config().sha256(), Config::default().sha256());
    // What runs of before had no key for has none in their files.
    assert!(!plan.config().to_toml().contains("level"));
}

#[test]
fn start_book_can_stand_in_a_file_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("starts.txt");
    let text = format!(
        "game = \"buffa\"\nselfplay = {{ start_book_share = 0.5 }}\n\
         start_book = [\"start\"]\nstart_book_file = {path:?}"
    );
    let error = plan(&text).unwrap_err().to_string();
    assert!(error.contains("start_book_file is") && error.contains("starts.txt"), "{error}");
    fs::write(&path, "# two\n1:15 / 23:1 24:14 # and a remark\n\nstart\n").unwrap();
    let found = plan(&text).unwrap();
    assert_eq!(found.config().start_book.len(), 3);
    assert_eq!(found.config().start_book[1].to_string(), "1:15 / 23:1 24:14");
    // What is stored with a run needs the file no more.
    fs::remove_file(&path).unwrap();
    assert_eq!(plan(&found.config().to_toml()).unwrap(), found);
    fs::write(&path, "start\n1:99 / 24:15\n").unwrap();
    let error = plan(&text).unwrap_err().to_string();
    assert!(error.contains("start_book is 1:99 / 24:15"), "{error}");
}

#[test]
fn every_game_can_be_trained_with_its_options_and_its_own_notation() {
    let text = r#"
        game = "Buffa:goal=quarter"
        selfplay = { start_book_share = 0.5 }
        start_book = ["start", "1:15 inherits:54 / 23:1 24:14"]
    "#;
    let plan = plan(text).unwrap();
    assert_eq!(plan.config().game, "buffa:goal=quarter");
    let opponents = plan.config().evaluation.opponents.clone().unwrap_or_default();
    assert_eq!(opponents, ["random", "rule-based"]);
    let again = Plan::from_toml(&plan.config().to_toml(), Path::new("again.toml")).unwrap();
    assert_eq!(again, plan);
}

#[test]
fn the_configurations_of_the_project_are_valid() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../");
    let folder = Path::new(root).join("configs");
    let mut found = 0;
    let scratch = tempfile::tempdir().unwrap();
    let copy = scratch.path().join("copy.toml");
    for folder in [folder.clone(), folder.join("games")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                // Their paths are from the root of the project.
                let text = fs::read_to_string(&path).unwrap();
                let text = ["configs/", "models/", "benches/"].iter().fold(text, |text, folder| {
                    text.replace(&format!("\"{folder}"), &format!("\"{root}{folder}"))
                        .replace(&format!("\"raw:{folder}"), &format!("\"raw:{root}{folder}"))
                });
                fs::write(&copy, &text).unwrap();
                if crate::Recipe::load(&copy, &scratch.path().join("runs"), &[]).unwrap().is_none()
                {
                    Plan::from_toml(&text, &path).unwrap();
                }
                found += 1;
            }
        }
    }
    assert!(found >= 12);
}

#[test]
fn mistakes_are_named_with_file_key_value_and_what_was_expected() {
    for (text, parts) in [
        ("game = \"chess\"", &["test.toml: game is \"chess\"", "nackgammon", "tabula"][..]),
        ("game = \"puff:cap=x\"", &["game is \"puff:cap=x\"", "`everywhere`"]),
        (
            "game = \"tabula\"\nselfplay = { start_book_share = 0.1 }\nstart_book = [\"1:16 / 2:15\"]",
            &["start_book is 1:16 / 2:15, expected a position of tabula", "0 to 15"],
        ),
        (
            "game = \"tabula\"\n[evaluation]\nopponents = [\"pip-count\"]",
            &["expected default, random, rule-based, gnubg"],
        ),
        ("rounds = 0", &["rounds is 0, expected 1 to 999999"]),
        ("rounds = -1", &["line 1", "-1"]),
        ("first_round_games = 0", &["first_round_games is 0, expected 1 to 1000000"]),
        (
            "target_network_update_rounds = 0",
            &["target_network_update_rounds is 0, expected 1 to 999999"],
        ),
        ("games_per_round = 2000000", &["games_per_round is 2000000, expected 1 to 1000000"]),
        ("\n\nraunds = 5", &["test.toml", "line 3", "raunds", "rounds"]),
        ("[network]\nhidden = []", &["network.hidden (number of layers) is 0"]),
        ("[network]\nhidden = [0]", &["network.hidden is 0, expected 1 to 4096"]),
        (
            "[network]\nhidden = [100, 32]\nproducts = true",
            &["network.hidden is 100, expected a multiple of 64"],
        ),
        ("[network]\nencoder = \"fancy\"", &["line 2", "fancy", "one-hot"]),
        (
            "game = \"tabula\"\n[network]\nencoder = \"patterns\"",
            &["network.encoder is \"patterns\"", "board of tabula"],
        ),
        (
            "[targets]\nkind = \"td\"\n[targets.variance_reduction]\n\
             pruning = { network = \"p\", within = 4 }",
            &["targets.variance_reduction.pruning.within is 4, expected 0 to 3"],
        ),
        (
            "[targets]\nkind = \"td\"\n[targets.variance_reduction]\n\
             pruning = { network = \"p\" }\nsiblings = { within = 0 }",
            &["targets.variance_reduction.siblings.within is 0, expected 0.001 to 3"],
        ),
        (
            "[targets]\nkind = \"td\"\n[targets.variance_reduction]\n\
             pruning = { network = \"p\" }\nsiblings = { first_rolls = 37 }",
            &["targets.variance_reduction.siblings.first_rolls is 37, expected 0 to 36"],
        ),
        (
            "[targets]\nkind = \"td\"\nvariance_reduction = { siblings = {} }",
            &["missing field `pruning`"],
        ),
        ("[targets]\nkind = \"td\"\nshare = 0.5", &["unknown key `share`", "`sample`"]),
        (
            "[targets]\nkind = \"td\"\nlambda = \"high\"",
            &["line 1", "invalid type: string \"high\"", "a number, or a schedule such as"],
        ),
        (&format!("a = {}", "{[".repeat(200)), &["more than 256 brackets are open at once"]),
        ("[[phase]]\nname = \"a\"", &["is a recipe", "PHASE/config.toml"]),
        ("rounds = -1", &["rounds = -1", "expected a whole number from 0 up"]),
        ("[targets]\nkind = \"expected-backup\"\nshare = 0", &["targets.share is 0"]),
        (
            "[targets]\nkind = \"expected-backup\"\nlambda = 0.5",
            &["unknown key `lambda`", "`share`"],
        ),
        (
            "[targets]\nkind = \"distill\"\nwithin = 0",
            &["targets.within is 0, expected 0.001 to 6"],
        ),
        (
            "[targets]\nkind = \"distill\"",
            &["targets.kind is \"distill\"", "target_network", "random weights"],
        ),
        ("[targets]\nkind = \"rollout\"", &["targets.kind", "rollout", "`td`", "`distill`"]),
        ("[targets]\nsample = 0.5", &["missing field `kind`"]),
        ("start = \"w.safetensors#12\"", &["\"12\" after the #", "12 to 64 hexadecimal digits"]),
        ("[network]\nwidth = 3", &["line 2", "width"]),
        ("[learner]\nbatch_size = 0", &["learner.batch_size is 0"]),
        ("[learner]\nbeta_1 = 1.5", &["learner.beta_1 is 1.5", "from 0 to below 1"]),
        ("[learner]\nepochs = nan", &["line 2"]),
        ("[learner]\ndevice = \"tpu\"", &["line 2", "tpu", "`cpu` or `gpu`"]),
        (
            "learning_rate = { kind = \"constant\", value = 0.0 }",
            &["learning_rate (constant schedule) value is 0", "to 1"],
        ),
        (
            "learning_rate = { kind = \"linear\", from = nan, to = 0.1 }",
            &["learning_rate (linear schedule) from is NaN"],
        ),
        (
            "[targets]\nkind = \"td\"\nlambda = { kind = \"linear\", from = 0.7, to = 1.3 }",
            &["targets.lambda (linear schedule) to is 1.3"],
        ),
        ("[targets]\nkind = \"td\"\nsample = 0.0", &["targets.sample is 0, expected 0.001 to 1"]),
        ("[targets]\nkind = \"td\"\nsample = 1.5", &["a probability of 1.5, expected 0 to 1"]),
        ("[selfplay.explore]\nrandom_play = 1.5", &["line 2", "1.5"]),
        ("[selfplay]\nlevel = \"4\"", &["line 2", "\"4\"", "0+, 1, 2, 3, roller"]),
        (
            "[selfplay]\nstart_book_share = 0.1",
            &["selfplay.start_book_share is 0.1", "there is no start_book"],
        ),
        ("start_book = [[1, 2]]", &["line 1", "26"]),
        ("[replay]\nwindow = 0", &["replay.window is 0, expected 1 to 1000"]),
        ("[replay]\nsample = 1", &["replay.sample is 1, expected none as replay.window is 1"]),
        ("[replay]\nwindow = 5\nsample = 4", &["replay.sample is 4, expected 1 to 3"]),
        ("[dataset]\nshards_per_round = 2", &["line 1", "folders"]),
        (
            "[dataset]\nfolders = ['src']\n[targets]\nkind = 'distill'",
            &["targets is given", "no games are played"],
        ),
        ("[dataset]\nfolders = ['src']\nshards_per_round = 0", &["line 3", "nonzero"]),
        ("[dataset]\nfolders = []", &["dataset.folders is []", "each once"]),
        ("[dataset]\nfolders = ['a', 'b', 'a']", &["dataset.folders is", "each once"]),
        ("[evaluation]\ngames = 7", &["evaluation.games is 7, expected an even number"]),
        (
            "[evaluation]\nvariance_reduction = \"small\"",
            &["evaluation.variance_reduction is \"small\"", "the path of a weights file"],
        ),
        (
            "[evaluation]\nopponents = [\"randon\"]",
            &["evaluation.opponents is \"randon\"", "expected default, random, pip-count, gnubg"],
        ),
        (
            "[evaluation]\nopponents = [\"random\", \"random\"]",
            &["\"random\" twice", "each opponent once"],
        ),
        ("[evaluation.states]\nfile = \"none\"", &["evaluation.states.file is \"none\""]),
        (
            "[evaluation.states]\nfile = \"Cargo.toml\"\nplies = [1, 0]",
            &["evaluation.states.plies is [1, 0]", "0, 1 and 2"],
        ),
        (
            "[evaluation.states]\nfile = \"Cargo.toml\"\nplies = []",
            &["evaluation.states.plies is []"],
        ),
        ("[checkpoint]\nevery_rounds = 0", &["checkpoint.every_rounds is 0"]),
        ("[checkpoint]\nevery_seconds = 0.0", &["checkpoint.every_seconds is 0, expected more"]),
        ("seed = 99999999999999999999", &["test.toml", "line 1"]),
        ("rounds = [", &["test.toml", "line 1"]),
    ] {
        let message = message(text);
        for part in parts {
            assert!(message.contains(part), "{text:?}: {part:?} is not in {message:?}");
        }
    }
}

/// A configuration in which every key is given. No `..`: a new key is a compile error here.
fn full(targets: TargetSettings) -> Config {
    let file = WeightsFile { path: "w".into(), checksum: None };
    let selfplay = SelfPlaySettings::default();
    Config {
        game: "backgammon".to_owned(),
        seed: 1,
        rounds: 1,
        schedule_rounds: Some(1),
        rule_based_rounds: Some(1),
        games_per_round: 1,
        first_round_games: 1,
        target_network_update_rounds: 2,
        target_network: Some(file.clone()),
        start: Some(file.clone()),
        network: Some(NetworkSettings::default()),
        learner: LearnerSettings {
            batch_size: 1,
            epochs: 1,
            beta_1: 0.5,
            beta_2: 0.5,
            epsilon: 1e-8,
            gradient_clip: Some(1.0),
            logit_l2: 1.0,
            pairwise_loss_weight: 1.0,
            weight_averaging_steps: Some(1),
            sparse_adam: true,
            device: LearnerDevice::Gpu,
        },
        learning_rate: Schedule::Constant { value: 1e-3, warm_up: 0.0 },
        targets,
        selfplay,
        start_book: Vec::new(),
        start_book_file: Some("starts.txt".into()),
        replay: ReplaySettings { window: 3, sample: Some(1) },
        dataset: Some(DatasetSettings {
            folders: vec!["d".into()],
            shards_per_round: NonZeroU32::MIN,
            lambda: Some(Schedule::Constant { value: 1.0, warm_up: 0.0 }),
        }),
        evaluation: EvaluationSettings {
            every_rounds: 1,
            games: 4,
            seed: 1,
            opponents: Some(vec!["random".to_owned()]),
            variance_reduction: Some(file),
            keep_weights: true,
            best: Some("random".to_owned()),
            patience: Some(3),
            states: Some(StatesSettings {
                file: "s".into(),
                plies: vec![0],
                decisions: Some("d".into()),
            }),
        },
        checkpoint: CheckpointSettings { every_rounds: 1, every_seconds: Some(1.0) },
    }
}

#[test]
fn every_key_is_in_the_template() {
    let network = WeightsFile { path: "w".into(), checksum: None };
    let pruning = PruningSettings { network, keep: 1, within: 0.08 };
    let reduction =
        VarianceReductionSettings { pruning, siblings: Some(SiblingTargets::default()) };
    let td = TdSettings { variance_reduction: Some(reduction), ..TdSettings::default() };
    let backup = ExpectedBackupSettings::default();
    let distill = DistillSettings {
        share: Probability::ALWAYS,
        within: 0.5,
        states: true,
        table: Some("t".into()),
    };
    let template = template();
    for targets in [
        TargetSettings::Td(td),
        TargetSettings::ExpectedBackup(backup),
        TargetSettings::Distill(distill),
    ] {
        let mut keys = Vec::new();
        flatten("", &toml::Value::try_from(full(targets)).unwrap(), &mut keys);
        assert!(keys.len() > 40);
        for (key, _) in keys {
            let (mut table, mut name) = ("", key.as_str());
            if let Some((first, rest)) = key.split_once('.')
                && template.contains(&format!("[{first}]\n"))
            {
                (table, name) = (first, rest);
            }
            let name = match name.split_once('.') {
                Some((schedule @ ("learning_rate" | "lambda"), _)) => schedule,
                _ => name,
            };
            let begins = match table {
                "" => 0,
                table => template.find(&format!("[{table}]\n")).unwrap() + table.len() + 2,
            };
            let ends = template[begins..].find("\n[").map_or(template.len(), |i| begins + i);
            let mut lines = template[begins..ends].lines();
            let begin = format!("{name} =");
            assert!(
                lines.any(|line| line.trim_start_matches('#').starts_with(&begin)),
                "{key} is not in\n{}",
                &template[begins..ends]
            );
        }
    }
}

#[test]
fn the_template_means_the_same_as_an_empty_file() {
    let template = template();
    assert_eq!(
        plan(&template).unwrap(),
        Plan::new(Config::default(), Path::new("test.toml")).unwrap(),
        "{template}"
    );
    assert!(template.lines().all(|line| line.chars().count() <= 80 || !line.starts_with("# ")));
    assert!(!template.contains(['`', '|']) && !template.contains("]("), "{template}");
    for line in ["seed = 1", "#start =", "#kind", "kind = \"td\"", "hidden = [256, 32]"] {
        assert_eq!(template.lines().any(|found| found == line), line != "#kind", "{line}");
    }
}

#[test]
fn the_template_stands_among_the_configurations() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../configs/every-key.toml");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, template()).unwrap();
    }
    let text = fs::read_to_string(path).unwrap();
    assert!(text == template(), "{path} is another one: UPDATE_GOLDEN=1 writes it again");
}

#[test]
fn defaults_that_the_template_leaves_out_are_the_defaults_too() {
    let template = template();
    let part = |from: &str, to: &str| {
        let begin = template.find(from).expect(from);
        let end = template[begin..].find(to).map_or(template.len(), |end| begin + end);
        let keys = template[begin..end].lines().filter_map(|line| line.strip_prefix('#'));
        let set = keys
            .filter(|line| line.split_once(" = ").is_some_and(|(key, _)| !key.starts_with(' ')));
        set.map(|line| format!("{line}\n")).collect::<String>()
    };
    let backup = part("With kind = \"expected-backup\"", "With kind = \"distill\"");
    let read: ExpectedBackupSettings = toml::from_str(&backup).unwrap();
    assert_eq!(read, ExpectedBackupSettings::default());
    let distill: DistillSettings =
        toml::from_str(&part("With kind = \"distill\"", "[selfplay]")).unwrap();
    assert_eq!(distill, DistillSettings::default());
    let td = part("With kind = \"td\"", "With kind = \"expected-backup\"");
    let network = "variance_reduction.pruning.network = \"w\"\n";
    let read: TdSettings = toml::from_str(&format!("{network}{td}")).unwrap();
    let reduction = VarianceReductionSettings {
        pruning: toml::from_str("network = \"w\"").unwrap(),
        siblings: Some(SiblingTargets::default()),
    };
    assert_eq!(read, TdSettings { variance_reduction: Some(reduction), ..Default::default() });
}

#[test]
fn the_first_rounds_are_smaller_and_no_game_is_left_out() {
    for (full, first) in [(1000, 100), (250, 100), (300, 100), (10, 100), (5, 1), (1, 1)] {
        let text = format!("games_per_round = {full}\nfirst_round_games = {first}");
        let plan = plan(&text).unwrap();
        let mut next = 0;
        for round in 1..30 {
            let games = plan.games_of(round);
            assert_eq!(games.start, next, "{full}, {first}, round {round}");
            let expected = full.min(first * u64::from(round));
            assert_eq!(games.end - games.start, expected);
            next = games.end;
        }
    }
}

#[cfg(not(feature = "wgpu"))]
#[test]
fn a_gpu_needs_a_program_that_was_built_for_it() {
    let message = message("learner = { device = \"gpu\" }");
    for part in ["learner.device is \"gpu\", expected \"cpu\"", "--features wgpu"] {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[test]
fn the_device_does_not_make_another_run() {
    let on = |device| {
        let mut config = Config::default();
        config.learner.device = device;
        config
    };
    let (cpu, gpu) = (on(LearnerDevice::Cpu), on(LearnerDevice::Gpu));
    assert_eq!(cpu.sha256(), gpu.sha256());
    assert_eq!(cpu.without_device(), gpu.without_device());
    // Yet it is in the configuration, where it is not the default.
    assert!(gpu.to_toml().contains("device = \"gpu\"") && !cpu.to_toml().contains("device"));
    assert_eq!(cpu.differences(&gpu), ["learner.device: nothing, \"gpu\""]);
}

#[test]
fn a_missing_file_is_named() {
    let error = Plan::load(Path::new("nowhere/none.toml"), &[]).unwrap_err();
    assert!(error.to_string().contains("nowhere/none.toml"), "{error}");
}

#[test]
fn differences_name_keys_and_both_values() {
    let ours = Plan::new(Config::default(), Path::new("test.toml")).unwrap().config().clone();
    let mut theirs = ours.clone();
    theirs.rounds = 7;
    theirs.learner.gradient_clip = Some(1.5);
    theirs.evaluation.opponents = Some(vec!["random".to_owned()]);
    assert_eq!(
        ours.differences(&theirs),
        [
            "evaluation.opponents: [\"random\", \"pip-count\"], [\"random\"]",
            "learner.gradient_clip: nothing, 1.5",
            "rounds: 100, 7",
        ]
    );
    assert_eq!(ours.differences(&ours), Vec::<String>::new());
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let text = "lr = 1e-3\nrounds = 0\n[learner]\ndevice = \"cuda\"\nbatch_size = 0\n\
                [network]\nhidden = 128\n[selfplay]\nepochs = 3\n";
    let message = message(text);
    let lines = [
        "test.toml, line 1: unknown key `lr`",
        "(did you mean learning_rate?)",
        "4 | device = \"cuda\"",
        "(did you mean gpu?)",
        "test.toml, line 7: invalid type: integer `128`, expected a list",
        "(did you mean learner.epochs?)",
        "test.toml: rounds is 0, expected 1 to 999999",
        "test.toml: learner.batch_size is 0",
    ];
    for line in lines {
        assert_eq!(message.matches(line).count(), 1, "{line:?} in {message}");
    }
    assert!(message.find(lines[0]) < message.find(lines[6]), "{message}");
}

#[test]
fn numbers_are_constant_schedules() {
    let plan = plan("learning_rate = 1e-3\ntargets = { kind = \"td\", lambda = 1 }").unwrap();
    let constant = |value| Schedule::Constant { value, warm_up: 0.0 };
    assert_eq!(plan.config().learning_rate, constant(1e-3));
    assert_eq!(plan.config().targets.td(0.3).0, 1.0);
}
