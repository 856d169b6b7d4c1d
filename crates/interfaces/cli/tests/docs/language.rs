//! The words: plain sentences in the field's terms, without history.

use super::{documents, files, is_log, lines};

/// What no document and no documentation comment says, in lower case, with what to say instead.
const BANNED: &[(&str, &str)] = &[
    ("who judges", "the evaluator"),
    ("who plays", "the player, the mover"),
    ("who is doubled", "the opponent"),
    ("whoever", "a noun with a name"),
    ("nobody", "no player"),
    ("somebody", "a player"),
    ("luck taken off", "variance-reduced, luck-adjusted"),
    ("luck left in", "without variance reduction"),
    ("takes off the luck", "variance reduction"),
    ("luck off", "luck-adjusted"),
    ("rolls ahead", "2-ply"),
    ("roll ahead", "1-ply"),
    ("looking ahead", "search"),
    ("near choice", "close decision"),
    ("rivals", "second-best plays, pairwise targets"),
    ("judge", "evaluator, grader, baseline"),
    ("judging", "evaluation"),
    ("imitat", "distillation"),
    ("asked for", "leave it out"),
    ("want of time", "leave it out"),
    ("no time was left", "leave it out"),
    ("of then", "a checksum"),
    ("built in then", "a checksum"),
    ("so many", "a number, N"),
    ("gone on with", "resumed"),
    ("go on with", "resume"),
    ("given up", "truncated"),
    ("what was learn", "a noun with a name"),
    ("what is there", "a noun with a name"),
    ("what learning makes small", "the loss"),
    ("in the eyes of", "by"),
    ("in its eyes", "by its own evaluation"),
    ("in his eyes", "by their own evaluation"),
    ("numbers that players count", "hand-crafted inputs"),
    ("endgame table", "bear-off database"),
    ("exact target", "expected backup"),
    (" he ", "they, the mover"),
    (" his ", "their, the mover's"),
    (" him ", "them"),
    ("is no position", "is not a valid position"),
    ("finite number expected", "not a finite number"),
];

/// What belongs into the log alone.
const HISTORY: &[&str] = &[
    "used to be",
    "no longer",
    "formerly",
    "the former",
    "built in before",
    "in the past",
    "nowadays",
];

/// The longest sentence, in words.
const LONGEST_SENTENCE: usize = 25;

/// The longest line of a document outside tables and code, in characters.
const LONGEST_LINE: usize = 100;

/// The most words of all documents, the most documents, and the most pages of `docs`.
const MOST: [usize; 3] = [34_000, 55, 18];

/// A line without its code spans and the addresses of its links.
fn prose(line: &str) -> String {
    let mut text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    while let Some(start) = text.find("](") {
        let end = text[start..].find(')').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "]");
    }
    text
}

/// The banned phrases of a line.
fn banned(line: &str) -> Vec<String> {
    let text = format!(" {} ", prose(line).to_lowercase().replace('-', " "));
    let found = |phrase: &str| {
        text.match_indices(phrase).any(|(start, _)| {
            phrase.starts_with(' ') || !text[..start].ends_with(char::is_alphanumeric)
        })
    };
    let phrases = BANNED.iter().filter(|(phrase, _)| found(phrase));
    phrases.map(|(phrase, better)| format!("{:?}, better: {better}", phrase.trim())).collect()
}

/// The string literals of a source file, each with the number of its first line; a line that ends
/// in a backslash goes on with the next one. Comments and attributes of serde, whose names are
/// those of files, are left out.
fn literals(text: &str) -> Vec<(usize, String)> {
    let mut literals = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let left_out = line.trim_start().starts_with("//") || line.contains("#[serde(");
        if open.is_none() && left_out {
            continue;
        }
        let mut characters = line.trim_start().chars().peekable();
        let mut before = ' ';
        while let Some(character) = characters.next() {
            match (&mut open, character) {
                (Some((_, literal)), '\\') => match characters.next() {
                    Some('n') => literal.push('\n'),
                    Some(escaped) => literal.push(escaped),
                    None => {}
                },
                (Some(_), '"') => literals.extend(open.take()),
                (Some((_, literal)), _) => literal.push(character),
                // A quotation mark as a character is no beginning.
                (None, '"')
                    if !['\'', '\\'].contains(&before) || characters.peek() != Some(&'\'') =>
                {
                    open = Some((number, String::new()));
                }
                (None, '/') if before == '/' => break,
                (None, _) => {}
            }
            before = character;
        }
        if let Some((_, literal)) = open.as_mut().filter(|_| !line.ends_with('\\')) {
            literal.push(' ');
        }
    }
    literals
}

/// The paragraphs of a document, each with the number of its first line; tables and code are left
/// out.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line, code) in lines(text) {
        let starts = ["- ", "* ", "1. ", "2. ", "3. ", "4. ", "5. ", "6. "];
        let item = starts.iter().any(|start| line.trim_start().starts_with(start));
        let ends =
            code || line.is_empty() || ["|", "#", "!", "<"].iter().any(|s| line.starts_with(s));
        if ends {
            open = false;
            continue;
        }
        if item || !open {
            paragraphs.push((number, String::new()));
        }
        open = true;
        let (_, paragraph) = paragraphs.last_mut().expect("just begun");
        paragraph.push_str(line.trim());
        paragraph.push(' ');
    }
    paragraphs
}

/// The sentences of a paragraph that have too many words. Each code span counts as one.
fn long_sentences(paragraph: &str) -> Vec<String> {
    let mut text = String::new();
    for (i, part) in paragraph.split('`').enumerate() {
        text.push_str(if i % 2 == 0 { part } else { "CODE" });
    }
    let mut sentences = vec![String::new()];
    for word in prose(&text).split_whitespace() {
        let sentence = sentences.last_mut().expect("never empty");
        sentence.push_str(word);
        sentence.push(' ');
        let bare = word.trim_end_matches([')', '*', '"']);
        if bare.ends_with(['.', '?', '!', ':', ';']) {
            sentences.push(String::new());
        }
    }
    let words = |sentence: &String| {
        // Figures are no words.
        let words = sentence.split_whitespace().filter(|w| w.contains(char::is_alphabetic));
        words.count()
    };
    sentences.into_iter().filter(|sentence| words(sentence) > LONGEST_SENTENCE).collect()
}

#[test]
fn documents_have_no_banned_phrases() {
    let mut found = Vec::new();
    for (name, text) in documents() {
        for (number, line, code) in lines(&text) {
            if code || line.starts_with("<!--") {
                continue;
            }
            found.extend(banned(line).into_iter().map(|what| format!("{name}:{number}: {what}")));
            let lower = prose(line).to_lowercase();
            if !is_log(&name) {
                let history = HISTORY.iter().filter(|phrase| lower.contains(**phrase));
                found.extend(history.map(|what| format!("{name}:{number}: {what:?}, for the log")));
            }
        }
    }
    assert!(found.is_empty(), "{} phrases:\n{}", found.len(), found.join("\n"));
}

#[test]
fn documents_have_short_sentences_and_lines() {
    let mut found = Vec::new();
    for (name, text) in documents() {
        for (number, paragraph) in paragraphs(&text) {
            let long = long_sentences(&paragraph).into_iter();
            found.extend(long.map(|sentence| format!("{name}:{number}: {sentence}")));
        }
        for (number, line, code) in lines(&text) {
            // A code span or a link is not broken.
            let breakable = prose(line).chars().count();
            if !code && !line.starts_with('|') && breakable > LONGEST_LINE {
                found.push(format!("{name}:{number}: {breakable} characters"));
            }
        }
    }
    assert!(found.is_empty(), "{} sentences or lines:\n{}", found.len(), found.join("\n"));
}

#[test]
fn documents_are_no_more_than_their_budget() {
    let documents = documents();
    let words: usize = documents.iter().map(|(_, text)| text.split_whitespace().count()).sum();
    let is_page = |name: &str| name.strip_prefix("docs/").is_some_and(|rest| !rest.contains('/'));
    let pages = documents.iter().filter(|(name, _)| is_page(name)).count();
    let found = [words, documents.len(), pages];
    assert!(
        found.iter().zip(MOST).all(|(found, most)| *found <= most),
        "{found:?} words, documents and pages, at most {MOST:?}: shorten or merge some"
    );
}

#[test]
fn comments_have_no_banned_phrases() {
    let mut found = Vec::new();
    for (name, text) in files(&["crates", "benches"], "rs") {
        if name.contains("/tests/docs/") {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start();
            if let Some(comment) = line.strip_prefix("//!").or_else(|| line.strip_prefix("///")) {
                let here = banned(comment).into_iter();
                found.extend(here.map(|what| format!("{name}:{number}: {what}")));
            }
        }
    }
    assert!(found.is_empty(), "{} phrases:\n{}", found.len(), found.join("\n"));
}

#[test]
fn texts_of_the_program_have_no_banned_phrases() {
    let mut found = Vec::new();
    for (name, text) in files(&["crates", "benches"], "rs") {
        // Tests have texts that no user reads.
        if name.contains("/tests/") || name.ends_with("tests.rs") {
            continue;
        }
        for (number, literal) in literals(&text) {
            found.extend(banned(&literal).iter().map(|what| format!("{name}:{number}: {what}")));
        }
    }
    assert!(found.is_empty(), "{} phrases:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_lint_finds_what_it_is_for() {
    let source = "let a = '\"'; // \"no\"\nprint(\"two \\\n    lines, a \\\"b\\\"\", \"c\");";
    let texts = [(2, "two lines, a \"b\"".to_owned()), (3, "c".to_owned())];
    assert_eq!(literals(source), texts);
    assert!(!banned("the network that judges the play").is_empty());
    assert!(banned("`tavola grade judge` and a [link](judge.md)").is_empty());
    let long = "word ".repeat(26) + ".";
    assert_eq!((long_sentences(&long).len(), long_sentences("Short. Short.").len()), (1, 0));
    let text = "A paragraph\nof two lines.\n\n    code\n\n| a | b |\n- item\n";
    assert_eq!(paragraphs(text).len(), 2);
}
