//! Lines in, lines out.

use crate::run::{Run, tavola, tavola_with_input};

/// Plays by these lines without endgame databases.
fn play(args: &[&str], lines: &str) -> Run {
    let args: Vec<&str> = ["play", "--no-tables"].iter().chain(args).copied().collect();
    tavola_with_input(&args, lines.as_bytes())
}

/// Typed dice: the user opens with 3-1.
const OPENED: &str = "31\n8/5 6/5\n";

#[test]
fn a_game_goes_on_line_by_line() {
    let lines = format!("{OPENED}42\nquit\n");
    let run = play(&["--dice", "typed", "--seed", "1"], &lines).done();
    for part in [
        "match to 5 of backgammon: You against tavola (world-class), seed 1",
        "game 1, score You 0, tavola 0",
        "your turn: the opening roll",
        "You: rolls 3-1",
        "your turn: a play of 3-1, such as 24/21 24/23",
        "You: 8/5 6/5",
        "your turn: the roll of tavola, such as 31",
        "tavola: rolls 4-2",
        "your turn: your roll, such as 31, or double",
    ] {
        assert!(run.stdout.contains(part), "{part:?} is not in\n{}", run.stdout);
    }
    assert_eq!(run.stderr, "");
}

#[test]
fn bad_lines_are_quoted_and_change_nothing() {
    let lines = "77\n33\n31\ndance\n8/4 x\n8/2\ntake\nrol\n8/5 6/5\ndouble\n31 now\n";
    let run = play(&["--dice", "typed"], lines).done();
    for part in [
        "error: \"77\" is not a roll",
        "equal dice start no game",
        "error: \"dance\" is not a command, expected a play of 3-1, such as 24/21 24/23 or help",
        "error: \"8/4 x\" is not a play",
        "\"8/2\" is illegal with 3-1",
        "error: \"take\" does not fit now, expected a play of 3-1",
        "did you mean roll?",
        "it is the turn of tavola",
        "error: \"31 now\"",
    ] {
        assert!(run.stdout.contains(part), "{part:?} is not in\n{}", run.stdout);
    }
}

#[test]
fn equal_seeds_give_equal_matches() {
    let lines = "roll\nboard\nundo\nresign gammon\nnext\n";
    let args = ["--seed", "9", "--strength", "beginner", "--match", "3"];
    assert_eq!(play(&args, lines).done().stdout, play(&args, lines).done().stdout);
}

#[test]
fn a_double_is_answered_and_the_crawford_game_follows() {
    let lines = format!("{OPENED}65\n{}\n", "double\nresign backgammon\nnext\n13\n");
    let run = play(&["--dice", "typed", "--match-length", "2"], &lines).done();
    for part in ["You: doubles", "tavola: "] {
        assert!(run.stdout.contains(part), "{part:?} is not in\n{}", run.stdout);
    }
}

#[test]
fn a_match_is_kept_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, record) = (path("match.json"), path("match.mat"));
    let run = play(&["--dice", "typed", "--save", &file], OPENED).done();
    assert!(run.stdout.contains("saved to"), "{run:?}");
    play(&["--save", &file], "").refused(&["match.json", "--resume"]);
    play(&["--resume", &file, "--seed", "3"], "").refused(&["--resume", "--seed"]);
    let run = play(&["--resume", &file, "--export", &record], "42\nquit\n").done();
    assert!(run.stdout.contains("tavola: rolls 4-2"), "{run:?}");
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.contains("5 point match") && text.contains("31: 8/5 6/5"), "{text}");
    std::fs::write(&file, "{}").unwrap();
    play(&["--resume", &file], "").refused(&["match.json is not a saved game"]);
}

#[test]
fn the_tutor_speaks_before_a_mistake() {
    let lines = "31\n13/9\n13/9\n62\nresign\nresign\nquit\n";
    let run = play(&["--dice", "typed", "--tutor", "--match", "1"], lines).done();
    for part in ["tavola: rolls 6-2", "tutor: resign", "wins 1 point", "PR (eXtreme Gammon)"] {
        assert!(run.stdout.contains(part), "{part}: {run:?}");
    }
    let [warned, done] = ["tutor: 13/9 loses 0.", "You: 13/9"].map(|part| run.stdout.find(part));
    assert!(warned.is_some() && warned < done, "{}", run.stdout);
}

#[test]
fn advice_is_given_in_words() {
    let run = play(&["--dice", "typed"], "31\nhint\neval\nhelp\n8/5 6/5\nhint\n").done();
    for part in
        ["1  8/5 6/5", "cubeful equity", "wins the match", "take, pass", "nothing to decide"]
    {
        assert!(run.stdout.contains(part), "{part:?} is not in\n{}", run.stdout);
    }
}

#[test]
fn what_can_not_be_played_is_refused() {
    tavola(&["play", "--jacoby"]).refused(&["jacoby", "match to 5"]);
    tavola(&["play", "--strength", "godlike"]).refused(&["godlike", "world-class"]);
    tavola(&["play", "--names", "Ann"]).refused(&["Ann,tavola"]);
    tavola(&["play", "--export", "games.xg"]).refused(&["games.xg", ".mat"]);
    tavola(&["play", "--resume", "no-such-file.json"]).refused(&["no-such-file.json"]);
}

#[test]
fn variants_are_played_too() {
    let money = ["--seed", "2", "--match-length", "0", "--jacoby"];
    let model =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/games/nackgammon.safetensors");
    for args in [&["--game", "hypergammon"][..], &["--game", "nackgammon", "--model", model]] {
        let run = play(&[&money[..], args].concat(), "roll\n").done();
        let title = format!("money session of {}, Jacoby", args[1]);
        assert!(run.stdout.contains(&title), "{}", run.stdout);
    }
    let tabula = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/games/tabula.safetensors");
    play(&["--model", tabula], "").refused(&["trained for tabula", "--model"]);
}

#[test]
fn a_game_without_a_cube_is_played_by_lines_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let (file, kept) = (file.to_str().unwrap(), file.clone());
    let args = ["--game", "fallas", "--seed", "4", "--match-length", "2"];
    let lines = "plays\n99\n1-2\ndance\nboard x\nhint\neval\n1\nundo\nnext\nquit\n";
    let run = play(&[&args[..], &["--save", file]].concat(), lines).done();
    for part in [
        "games to 2 points of fallas: You against tavola (world-class), seed 4",
        "game 1, score You 0, tavola 0",
        "your turn: a play of ",
        "    1  ",
        "\"99\" is no play's number",
        "\"1-2\" is no play of ",
        "\"dance\" is not a command",
        "\"board x\" has words",
        "equity",
        "before the roll: wins",
        "taken back",
        "error: the game is not over",
        "saved to ",
    ] {
        assert!(run.stdout.contains(part), "{part:?} is not in\n{}", run.stdout);
    }
    let saved = std::fs::read_to_string(kept).unwrap();
    assert!(saved.contains("\"game\": \"fallas\""), "{saved}");
    // The user takes the first play each time, until both games are over.
    let lines = "1\nnext\n".repeat(120);
    let run = play(&["--resume", file], &lines).done();
    assert!(run.stdout.contains("game 2, score"), "{}", run.stdout);
    assert!(run.stdout.contains("nothing follows"), "{}", run.stdout);
    let record = folder.path().join("game.txt");
    play(&["--resume", file, "--export", record.to_str().unwrap()], "quit\n").done();
    let record = std::fs::read_to_string(record).unwrap();
    assert!(record.contains("fallas: You, tavola") && record.contains("Game 2"), "{record}");
    play(&["--resume", file, "--export", "game.mat"], "").refused(&["game.mat", ".txt"]);
    tavola(&["play", "--game", "tabula", "--jacoby"]).refused(&["jacoby", "tabula"]);
    let chouette = ["play", "--chouette", "4", "--dice", "typed"];
    tavola(&chouette).refused(&["dice", "typed"]);
}

#[test]
fn a_saved_game_without_a_cube_is_analyzed() {
    let folder = tempfile::tempdir().unwrap();
    for (game, names, ply) in [("tabula", 2, 1), ("four-seasons", 4, 0)] {
        let file = folder.path().join(game);
        let file = file.to_str().unwrap();
        let args = ["--game", game, "--seed", "3", "--strength", "beginner", "--save", file];
        play(&args, &"1\n".repeat(40)).done();
        let review = tavola(&["analyze", file, "--no-tables", "--json"]).json();
        assert_eq!((review["game"].as_str(), review["ply"].as_u64()), (Some(game), Some(ply)));
        let (players, plays) = (&review["players"], review["decisions"].as_array().unwrap());
        assert_eq!(players.as_array().unwrap().len(), names);
        let sum = |field: &str| -> f64 {
            let all = players.as_array().unwrap().iter();
            all.map(|player| player[field].as_f64().unwrap()).sum()
        };
        assert_eq!(sum("decisions"), plays.len() as f64);
        let lost: f64 = plays.iter().map(|play| play["loss"].as_f64().unwrap()).sum();
        assert!(lost > 0.0 && (sum("lost") - lost).abs() < 1e-6, "{review}");
        let worst = plays
            .iter()
            .max_by(|a, b| a["loss"].as_f64().unwrap().total_cmp(&b["loss"].as_f64().unwrap()));
        let text = tavola(&["analyze", file, "--no-tables", "--worst", "1"]).done().stdout;
        for part in ["losses in points", "The worst:", worst.unwrap()["play"].as_str().unwrap()] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        // The play that is best loses nothing.
        assert!(plays.iter().all(|it| it["play"] != it["best"] || it["loss"] == 0.0), "{review}");
        tavola(&["analyze", file, "--html", "page.html"]).refused(&["--html", game]);
        tavola(&["analyze", file, "--level", "roller"]).refused(&["--level", game]);
    }
}

#[test]
fn dice_of_a_real_board_are_typed_in_games_without_a_cube() {
    for (game, lines, parts) in [
        (
            "tabula",
            "33\n3\n25\n661\n6-6\n777\n553\nundo\nboard\nquit\n",
            &[
                "expected a die of each of You, tavola, as 21",
                "equal dice",
                "\"3\" is not a die of each",
                "tavola: begins by the dice, 2-5",
                "your turn: the roll of tavola, such as 321",
                "your turn: your roll, such as 321",
                "tavola: 6-6-1, hand-6 hand-6 hand-1",
            ][..],
        ),
        // Here the dice that find who begins are the first roll.
        ("trictrac", "61\n1\n54\nquit\n", &["a play of 6-1", "tavola: 5-4, "]),
        (
            "four-seasons",
            "2255\n1532\n621\nquit\n",
            &[
                "a die of each of You, summer, autumn, winter, as 4321",
                "equal dice",
                "summer: 6-2-1, hand-6",
            ],
        ),
        ("astronomy", "1234568\n1234567\n777\nquit\n", &["error: ", "such as 321"]),
    ] {
        let run = play(&["--game", game, "--dice", "typed", "--strength", "casual"], lines).done();
        for part in parts {
            assert!(run.stdout.contains(part), "{game}: {part:?} is not in\n{}", run.stdout);
        }
    }
    // A file has the dice, also those of turns in which none fall.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let args = ["--game", "buffa", "--dice", "typed", "--people", "2=Ben", "--save"];
    let rolls = "21\n666\n651\n1\n666\n1\n655\n1\n".to_owned() + &"321\n1\n".repeat(20);
    let run = play(&[&args[..], &[file.to_str().unwrap()]].concat(), &rolls).done();
    assert!(run.stdout.contains("Ben: 3-2-1, "), "{}", run.stdout);
    let again = play(&["--resume", file.to_str().unwrap()], "quit\n").done();
    assert!(again.stdout.contains("a game of buffa"), "{}", again.stdout);
}

#[test]
fn the_tutor_warns_in_every_game_and_is_kept_with_it() {
    let folder = tempfile::tempdir().unwrap();
    for game in ["tabula", "astronomy"] {
        let file = folder.path().join(game);
        let file = file.to_str().unwrap();
        play(&["--game", game, "--seed", "1", "--tutor", "--save", file], "").done();
        let lines = "1\n1\n".repeat(12);
        let run = play(&["--resume", file], &lines).done();
        assert!(run.stdout.contains("tutor: "), "{}", run.stdout);
    }
    let lines = "31\nresign backgammon\nresign backgammon\nresign\nquit\n";
    let run = play(&["--dice", "typed", "--tutor"], lines).done();
    for part in ["tutor: resign a backgammon loses ", "against playing on", "does not fit now"] {
        assert!(run.stdout.contains(part), "{part:?} is not in\n{}", run.stdout);
    }
}
