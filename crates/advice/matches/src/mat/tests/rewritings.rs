//! One match as many people and programs would write it: what is read is the same.

use crate::record::Match;

/// Two games with a first roll of the second player, hits, doubles, a dance, every turn of the cube,
/// a resignation.
const USUAL: &str = " 5 point match

 Game 1
 Ann Lee : 0                        Bob : 0
  1)                                52: 24/22 13/8
  2) 33: 8/5(2) 6/3*(2)             31: bar/24 24/21
  3) 43: 13/10 8/4*                 11: bar/23 6/5(2)
  4)  Doubles => 2                   Takes
  5) 31: 13/10 4/3                  61: 13/7 8/7
  6) 55: 13/8(3) 6/1*               52: bar/23 13/8
  7) 22: 24/22(2) 8/6 3/1           41: 8/4 8/7
  8) 61: 22/16 22/21*               31: Cannot Move
  9) 62: 16/8                        Doubles => 4
 10)  Drops
                                    Wins 2 points

 Game 2
 Ann Lee : 0                        Bob : 2
  1) 31: 8/5 6/5                    62: 24/18 13/11
  2) 42: 8/4 6/4                    Resigns
      Wins 1 point
";

fn plain(record: &Match) -> impl PartialEq + std::fmt::Debug {
    let mut games = record.games.clone();
    for action in games.iter_mut().flat_map(|game| &mut game.actions) {
        action.comment.clear();
    }
    games.iter_mut().for_each(|game| game.comment.clear());
    (record.players.clone(), record.length, games)
}

/// Every roll as `write` has it; what else is in the lines of rows stays.
fn rolls(text: &str, write: impl Fn(&str, &str) -> String) -> String {
    let mut parts = text.split(": ");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let dice = out.get(out.len() - 2..).filter(|it| it.chars().all(|c| c.is_ascii_digit()));
        match dice.map(str::to_owned) {
            Some(dice) => {
                out.truncate(out.len() - 2);
                out = format!("{out}{} {part}", write(&dice[..1], &dice[1..]));
            }
            None => out = format!("{out}: {part}"),
        }
    }
    out
}

/// The numbers of rows as `write` has them.
fn numbers(text: &str, write: impl Fn(&str) -> String) -> String {
    let line = |line: &str| match line.split_once(") ") {
        Some((number, row)) if number.trim().parse::<u8>().is_ok() => {
            format!("{} {row}\n", write(number))
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn swap(pairs: &[(&str, &str)]) -> impl Fn(&str) -> String {
    move |text| pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The match in the ways of the programs and sites that `docs/matches.md` names.
fn dialects() -> Vec<String> {
    let gnubg = swap(&[
        (" 5 point match", "; [Site \"\"]\n; [Variation \"Backgammon\"]\n 5 point match"),
        ("bar/", "25/"),
        ("Cannot Move", ""),
    ]);
    let galaxy =
        swap(&[("(2)", "(2)"), ("bar/", "Bar/"), ("Resigns", "????"), ("points", "point")]);
    let grid = swap(&[("Ann Lee :", "Ann Lee,1666.5 :"), ("Bob :", "Bob,1703 :")]);
    let german = swap(&[
        ("5 point match", "5-Punkte-Match"),
        ("Game", "Spiel"),
        ("Doubles", "Verdoppelt"),
        ("Takes", "Nimmt an"),
        ("Drops", "Lehnt ab"),
        ("Resigns", "Gibt auf"),
        ("Cannot Move", "kann nicht ziehen"),
        ("Wins 1 point", "Gewinnt 1 Punkt"),
        ("Wins 2 points", "Gewinnt 2 Punkte"),
    ]);
    let turkish = swap(&[
        ("5 point match", "5 puanlık maç"),
        ("Game", "Oyun"),
        ("Doubles", "Katlar"),
        ("Takes", "Kabul eder"),
        ("Drops", "Reddeder"),
        ("Resigns", "Pes eder"),
        ("Cannot Move", "oynayamaz"),
        ("Wins 1 point", "1 puan kazanır"),
        ("Wins 2 points", "2 puan kazanır"),
    ]);
    let japanese = swap(&[
        ("5 point match", "5ポイントマッチ"),
        ("Game", "ゲーム"),
        ("Doubles", "ダブル"),
        ("Takes", "テイク"),
        ("Drops", "パス"),
        ("Resigns", "投了"),
        ("Cannot Move", "動けない"),
        ("Wins 1 point", "1ポイント獲得"),
        ("Wins 2 points", "2ポイント獲得"),
    ]);
    let typed =
        |text: &str| rolls(&numbers(text, |it| format!("{it}.")), |a, b| format!("{a}-{b}"));
    let bars = swap(&[("bar/", "b/"), ("Cannot Move", "(dances)")]);
    [USUAL.to_owned(), gnubg(USUAL), galaxy(USUAL), grid(USUAL), german(USUAL), typed(USUAL)]
        .into_iter()
        .chain([bars(USUAL), turkish(USUAL), japanese(USUAL)])
        .collect()
}

/// Ways to write what no dialect has of its own.
fn rewritings(text: &str) -> Vec<String> {
    let fullwidth = |c: char| match c {
        '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap(),
        c => c,
    };
    let zero = |zero: u32| {
        move |c: char| c.to_digit(10).map_or(c, |digit| char::from_u32(zero + digit).unwrap())
    };
    let lines = |write: &dyn Fn(&str) -> String| text.lines().map(write).collect::<String>();
    let mut all = vec![
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
        format!("\u{feff}{}", text.replace('\n', "\r\n")),
        text.replace('\n', "\n\n"),
        format!("{text}\u{1a}"),
        text.replace("\n\n", "\n\u{c}\n"),
        text.replace(' ', "\u{a0}"),
        text.replace('\n', "\u{200e}\n").replace(": ", ":\u{200b} "),
        text.chars().map(fullwidth).collect::<String>().replace('；', ";").replace('［', "["),
        text.chars().map(zero(0x660)).collect(),
        text.chars().map(zero(0x966)).collect(),
        lines(&|line| format!("    {line}   \n")),
        lines(&|line| format!("{line} \t\n")),
        format!("Hi Bob,\nhere is our match:\n\n{text}\n-- \nAnn\n"),
        text.replace("    Bob :", "  | Bob :"),
        text.replace("match", "match\n; played at the club\n"),
        text.replace("\n  3", "\n; pips 120-130\n  3"),
        text.replace("\n  5", "\nAnn should play on, 3 times out of 4\n  5"),
    ];
    all.extend(pages(text));
    if text.contains("5 point match") {
        for length in [
            "five point match",
            "Five-Point-Match",
            "Match to five",
            "First to 5",
            "Playing to 5 points",
            "5 PT MATCH",
            "This is a 5 point match.",
            "Score limit: 5",
            "Fünf-Punkte-Match",
            "Match en cinq points",
            "Partita a cinque punti",
            "5-poängsmatch",
        ] {
            all.push(text.replace("5 point match", length));
        }
    }
    let scores = |one: &str, two: &str| {
        let mut text = text.to_owned();
        for (left, right) in [("0", "0"), ("0", "2")] {
            let from = format!("Ann Lee : {left}                        Bob : {right}\n");
            let to = format!("{one}{two}\n").replace('L', left).replace('R', right);
            text = text.replace(&from, &to.replace("Ann_", "Ann Lee"));
        }
        text
    };
    if text.contains("Ann Lee : 0") {
        all.extend([
            scores("Ann_ [L]", "     Bob [R]"),
            scores("Ann_ : L/5", "     Bob : R/5"),
            scores("Ann_ : L (5-away)", "     Bob : R (5-away)"),
            scores("Ann_ L - ", "R Bob"),
            scores("Ann_ L:", "R Bob"),
            scores("\"Ann_\" : L", "     \"Bob\" : R"),
        ]);
    }
    for (from, to) in [
        ("Wins 1 point\n", "Wins one point\n"),
        ("Wins 1 point\n", "(Wins 1 point)\n"),
        ("Wins 1 point\n", "WINS 1 POINT\n"),
        ("      Wins 1 point\n", "Ann Lee wins (1 point)\n"),
        ("      Wins 1 point\n", "Bob loses one point.\n"),
        ("Takes", "Tager"),
        ("Drops", "Afslår"),
        ("Resigns", "Εγκαταλείπει"),
        ("Doubles", "Turns the cube"),
        ("Cannot Move", "forced pass"),
        ("Cannot Move", "動けない"),
        ("Cannot Move", "??"),
        ("16/8", "16\\8"),
        ("16/8", "16 to 8"),
        ("13/8(3)", "3x13/8"),
        ("13/8(3)", "13/8[3]"),
        ("13/8(3)", "13/8^3"),
        ("6/3*(2)", "6/3(2)*"),
        ("6/3*(2)", "6/3x(2)"),
        ("6/3*(2)", "6/3 *(2)"),
        ("8/4 8/7", "8/4 & 8/7"),
        ("8/4 8/7", "8/4; 8/7"),
        ("8/4 8/7", "8/4 8/7   Ann is in trouble now"),
        ("8/4 8/7", "8/4 8/7   14.2% gammons, wins 55.3%"),
        ("8/4 8/7", "8/4 8/7   2025-11-03"),
        ("8/4 8/7", "\"8/4 8/7\""),
        ("16/8 ", "16/8 ; bold "),
        ("16/8 ", "16/8 // http://club.org/5-4/3 "),
        ("Takes", "Accepts the double"),
        ("Doubles => 4", "=> 4"),
        ("Doubles => 2", "=> 2"),
        ("Doubles => 2", "Ann doubles"),
        ("      Wins 1 point\n", "ANN LEE WINS 1 POINT\n"),
        ("5 point match", "(5 point match)"),
    ] {
        if text.contains(from) {
            all.push(text.replace(from, to));
        }
    }
    if text.contains("Doubles => 2                   Takes") {
        all.push(text.replace(
            "Doubles => 2                   Takes",
            "Takes                     Doubles => 2",
        ));
    }
    if text.contains("52: ") {
        let die = |a: &str| char::from_u32(0x267f + a.parse::<u32>().unwrap()).unwrap();
        all.extend([
            rolls(text, |a, b| format!("{a}{b}=")),
            rolls(text, |a, b| format!("{a}{b}→")),
            rolls(text, |a, b| format!("{}{}:", die(a), die(b))),
            rolls(text, |a, b| format!("rolls {b}{a}:")),
            numbers(text, |it| format!("{it}:")),
            numbers(text, |it| format!(" #{}", it.trim())),
            numbers(text, |it| format!("{it}.")),
            numbers(text, |it| format!("[{}]", it.trim())),
            numbers(text, |it| format!("{it} -")),
            numbers(text, |it| format!("Move {}.", it.trim())),
            numbers(text, |it| if it.ends_with('3') { " ".repeat(4) } else { format!("{it})") }),
            text.replace("8/4 8/7", "8/4 8/7 (or 31: 8/5?)"),
            text.replace("Drops\n    ", "Drops\n").replace("    Drops", "Drops"),
            // Clocks between roll and play leave no columns.
            rolls(text, |a, b| format!("{a}{b}: (0:11)")),
            lines(&|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"),
            lines(&|line| match line.split_once(')') {
                Some((number, row)) => format!("{number}){}\n", row.replace("            ", "\t")),
                None => format!("{line}\n"),
            }),
        ]);
    }
    all
}

/// The match as pages and mails show it.
fn pages(text: &str) -> Vec<String> {
    let quoted =
        |mark: &str| text.lines().map(|line| format!("{mark}{line}\n")).collect::<String>();
    let html = text.replace('&', "&amp;").replace('>', "&gt;");
    let on = |head: &str| text.replacen("\n  5", &format!("\n{head}\n  5"), 1);
    let score = text.lines().find(|line| line.contains("Lee")).unwrap();
    vec![
        quoted("> "),
        quoted(">> "),
        quoted("| "),
        format!("<html><body><pre>\n{html}</pre></body></html>\n"),
        html.replace('\n', "<br>\n"),
        html.replace('\n', "<br/>").replace("  ", "&nbsp; "),
        text.replace('=', "=3D").replace('\n', "=20\n").replace("Lee", "L=\nee"),
        text.replace('\n', "\\n"),
        format!("<html><body><pre>{text}</pre></body></html>\n"),
        text.replace('\n', "\r\r\n"),
        format!("Subject: our 7 point match\nDate: Mon, 3 Nov 2025 10:11:12 +0100\n\n{text}"),
        format!("{text}\nPR: 5.3   PR: 6.1\nFinal score: Ann 1, Bob 2\n"),
        format!("{text}\n{}\n", score.replace(": 0 ", ": 1 ").replace("Bob : 0", "Bob : 2")),
        on("\u{c}- 2 -\nAnn Lee vs Bob, 7 point match"),
        on(score),
        on(" Game 1"),
        on(&format!(" Game 1\n{score}")),
        text.replace(
            "Lee : 0                        Bob : 2",
            "LEE : 0                        BOB : 2",
        ),
        text.replace("\n\n", "\n"),
        format!("{{a good match}}\n{text}"),
    ]
}

/// What files lose, twist or damage.
fn distortions(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = |part: &str| lines.iter().position(|line| line.contains(part)).unwrap();
    let rows = at("8/5(2)")..at("16/8");
    let without = |index: usize| [&lines[..index], &lines[index + 1..]].concat().concat();
    let twice = |index: usize| [&lines[..=index], &lines[index..]].concat().concat();
    let mut all: Vec<String> = Vec::new();
    for index in rows {
        let mut swapped = lines.clone();
        swapped.swap(index, index + 1);
        all.extend([without(index), twice(index), swapped.concat()]);
    }
    // The end is missing, in the second game.
    let second = text.rfind(": 2\n").unwrap();
    all.extend(
        (0..100).step_by(9).map(|more| text[..(second + more).min(text.len() - 40)].to_owned()),
    );
    // The head is missing.
    all.extend((1..5).map(|more| lines[more..].concat()));
    all.extend([
        text.replace("Ann Lee : 0                        Bob : 2", "Bob : 2          Ann Lee : 0"),
        text.replace("      Wins 1", "                                    Wins 1"),
        text.replace("42: ", "4x: "),
        text.replace("  2) 42", "  ?) 42"),
        text.replace("31: 8/5", " 131: 8/5"),
        text.replace("5 point match", "5 ponit match"),
        text.replace("\n  5", "\ntake\n  5"),
        text.replace("\n  5", "\n  31: better was 8/5 6/5\n  5"),
        text.replace("=> 2", "=> 8"),
        text.replace("=> 4", "=> 8"),
        text.replace("Takes", "Beavers"),
        text.replace(" Game 2", " 5 point match\n Game 2"),
        text.replace("13/10 8/4*", "13/1O 8/4*"),
        format!("{text}\n Game 3\n"),
    ]);
    all.retain(|it| it != text);
    all
}

/// What is read otherwise than it was meant is noted, whatever happened to the file.
#[test]
fn nothing_is_read_otherwise_in_silence() {
    let expected = super::read(USUAL, None).unwrap().0.remove(0);
    let (mut tried, mut silent) = (0, Vec::new());
    for dialect in dialects() {
        for text in distortions(&dialect) {
            tried += 1;
            if let Ok(reading) = crate::read(text.as_bytes())
                && reading.notes.is_empty()
                // Commands say of a last game without a result that it is not finished.
                && reading.matches[0].games.last().is_some_and(|game| game.result.is_some())
                && (reading.matches.len() != 1 || plain(&reading.matches[0]) != plain(&expected))
            {
                silent.push(text);
            }
        }
    }
    assert!(tried > 250, "{tried}");
    assert!(silent.is_empty(), "{} of {tried}: {}", silent.len(), silent.join("\n"));
}

#[test]
fn every_dialect_in_every_rewriting_is_the_same_match() {
    let (mut matches, notes) = super::read(USUAL, None).unwrap();
    assert_eq!((notes.len(), matches.len()), (0, 1));
    let expected = matches.remove(0);
    assert_eq!((expected.games[0].actions.len(), expected.score()), (18, [1, 2]));
    let (mut tried, mut others) = (0, Vec::new());
    for dialect in dialects() {
        for text in std::iter::once(dialect.clone()).chain(rewritings(&dialect)) {
            tried += 1;
            match crate::read(text.as_bytes()) {
                Ok(reading) if plain(&reading.matches[0]) == plain(&expected) => {}
                Ok(reading) => others.push(format!("{text}{:?}", reading.notes)),
                Err(error) => others.push(format!("{text}{error}")),
            }
        }
    }
    assert!(tried > 300, "{tried}");
    assert!(others.is_empty(), "{} of {tried}: {}", others.len(), others.join("\n"));
}

/// What can't be followed is quoted, and the next score has the last word on a result.
#[test]
fn what_is_not_understood_is_quoted_and_moves_no_result() {
    for (from, to, quoted) in [
        ("16/8", "16:8", "missing"),
        ("Takes", "Beaver? No, takes", "beaver"),
        ("  5) 31: 13/10", "  5) 77: 13/10", "77:"),
        ("  9) 62: 16/8", "  31: I think 16/8", "I think 16/8"),
        ("      Wins 1 point\n", "", "single game"),
        (" 5 point match", " best of nine", ""),
    ] {
        let text = USUAL.replace(from, to);
        let (matches, notes) = super::read(&text, None).unwrap();
        let stated = notes.iter().any(|note| note.text.contains(quoted));
        assert!(quoted.is_empty() || stated, "{to:?}: {:?}", notes.to_vec());
        let winner = matches[0].games[0].result.unwrap();
        assert_eq!((winner.winner.index(), winner.points), (1, 2), "{to:?}: {:?}", notes.to_vec());
    }
}
