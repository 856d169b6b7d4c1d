//! What tavola writes about matches: pages, tables, cards and reports, which are no matches.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::page::{cards, csv};

/// How far the mark of a page and the headings of a report are looked for.
const BEGINNING: usize = 1 << 16;

/// Labels of lines of every report in text.
const LABELS: [&str; 2] = ["PR (eXtreme Gammon)", "error rate (GNU Backgammon)"];

/// How the names of our own formats begin that hold no match.
const FORMATS: [&str; 6] = [
    "tavola quiz",
    "tavola ladder",
    "tavola duel",
    "tavola cube duel",
    "tavola-grade",
    "tavola-states",
];

/// What is looked at of a JSON object.
#[derive(Deserialize)]
struct Head {
    format: Option<serde_json::Value>,
    provenance: Option<IgnoredAny>,
}

/// Whether a file is a page, a table, a set of cards or a report that tavola has written, or another
/// file of its own that is no match. What earlier versions wrote, without a mark, is known too.
pub fn is_output(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(BEGINNING)]);
    if bytes.first() == Some(&b'{') {
        return is_other_json(bytes);
    }
    let head = text.get(..16).unwrap_or_default().to_ascii_lowercase();
    if head.starts_with("<!doctype html") || head.starts_with("<html") {
        return text.contains("name=\"generator\" content=\"tavola ")
            || (text.contains("<section class=\"match\">") && text.contains("width=device-width"));
    }
    // The first file of a package of cards.
    if bytes.starts_with(b"PK") && bytes.get(30..46) == Some(b"collection.anki2") {
        return true;
    }
    text.starts_with(cards::HEAD) || text.starts_with(csv::HEAD) || is_report(&text)
}

/// Whether the first of our own JSON objects is no match: a report, questions, a ladder, ...
fn is_other_json(bytes: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Head>();
    let Some(Ok(Head { format, provenance })) = values.next() else { return false };
    let name = format.as_ref().and_then(|format| format.as_str()).unwrap_or_default();
    provenance.is_some() || FORMATS.iter().any(|other| name.starts_with(other))
}

/// Whether lines of a text begin as those of a report do, in columns or as Markdown.
fn is_report(text: &str) -> bool {
    let begins = |label| text.lines().any(|line| line.trim_start_matches("| ").starts_with(label));
    LABELS.into_iter().all(begins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Thresholds;
    use crate::page;

    #[test]
    fn what_is_written_is_known_and_matches_are_not() {
        let found = Thresholds::default();
        let own = [page::html(&[], &[], &found), page::csv(&[]), page::cards_text(&[])];
        let others = [
            "<!DOCTYPE html>\n<html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\"><body><section class=\"match\"><h1>Ann</h1>",
            "#separator:tab\n#html:true\n#notetype:Basic\n#deck:Backgammon errors\n#tags column:3\n",
            "\u{feff}source,game,turn,row,player\na.mat,1,1,1,Ann\n",
            "{\"source\": \"a.mat\", \"provenance\": {\"version\": \"1\"}}",
            "{\"format\": \"tavola quiz\", \"version\": 1, \"cards\": []}",
            "{\"format\":\"tavola duel 1\",\"header\":{}} 12345678\n{\"pair\":0} 12345678\n",
            "a.mat: Ann - Bob, match to 3 points\n  game 1, 0-0: Ann wins 1 point\n\n\
             PR (eXtreme Gammon)  1\nrating  2\nerror rate (GNU Backgammon)  3\n",
            "| PR (eXtreme Gammon) | 1 |\n| error rate (GNU Backgammon) | 3 |\n",
        ];
        for text in own.iter().map(String::as_str).chain(others) {
            assert!(is_output(text.as_bytes()), "{text}");
        }
        assert!(is_output(&page::package(&[], 1_795_000_000)));
        assert!(!is_output(b"PK\x03\x04"));
        for text in [
            "",
            "{",
            " 3 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5\n",
            "; PR (eXtreme Gammon)\n; error rate (GNU Backgammon)\n 3 point match\n",
            "{\"format\": \"tavola match\", \"version\": 1}",
            "{\"format\": \"tavola game in progress\", \"version\": 1}",
            "{\"format\": \"tavola history\", \"version\": 1, \"matches\": []}",
            "{\"format\": \"another\"}",
            "<html><head><title>Ann - Bob</title>",
            "(;FF[4]GM[6]AP[tavola analyze]",
        ] {
            assert!(!is_output(text.as_bytes()), "{text}");
        }
    }
}
