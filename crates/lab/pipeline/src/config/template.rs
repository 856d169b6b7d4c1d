//! A configuration to begin with: every key with its default and its meaning.
//!
//! The text is made from the table of keys in `reference.txt`, beside this file; it stands in
//! `configs/every-key.toml` too.

use tavola_files::report::fold;

/// The reference of all keys.
const REFERENCE: &str = include_str!("reference.txt");

/// The line above the table of keys.
const COLUMNS: &str = "| key | default | meaning |";

/// The kind of targets that a configuration has by default, as the reference heads its keys.
const DEFAULT_KIND: &str = "kind = \"td\"";

/// Columns of the text behind the sign of a comment, at most.
const WIDTH: usize = 78;

const HEAD: &str = "\
# A training run. To begin it: tavola train FILE
#
# All keys are here, each with its meaning and its default. Keys behind a # have
# no default, or belong to a table that is not there by default.
";

/// A commented configuration with every key. As it is, it means the same as an empty file.
pub fn template() -> String {
    let mut text = HEAD.to_owned();
    // Of keys in a table, or of a kind of targets, that is not there by default.
    let mut is_left_out = false;
    // The inline table that is not there by default, as one of its keys must be given.
    let mut inline = None;
    for [name, default, meaning] in rows() {
        text.push('\n');
        if let Some(heading) = name.strip_prefix("**").and_then(|name| name.strip_suffix("**")) {
            let heading = plain(heading);
            inline = None;
            if heading.starts_with('[') {
                is_left_out = default == "none";
                comment(&mut text, &plain(meaning));
                text.push_str(if is_left_out { "#" } else { "" });
                text.push_str(&heading);
                text.push('\n');
            } else {
                is_left_out = heading != DEFAULT_KIND;
                comment(&mut text, &format!("With {heading}: {}", plain(meaning)));
            }
            continue;
        }
        comment(&mut text, &plain(meaning));
        let keys = code(name);
        let defaults: Vec<&str> = match default.split_once(", ") {
            Some(("none", others)) => [""].into_iter().chain(code(others)).collect(),
            _ => code(default),
        };
        for (index, key) in keys.iter().enumerate() {
            // One default may serve all keys of a row.
            let value = defaults.get(index).or(defaults.last()).copied().unwrap_or_default();
            let table = key.split_once('.').map(|(table, _)| table);
            if value.is_empty() {
                inline = table.or(inline);
            }
            if is_left_out || value.is_empty() || table.is_some() && table == inline {
                text.push('#');
            }
            text.push_str(format!("{key} = {value}").trim_end());
            text.push('\n');
        }
    }
    text
}

/// All keys, with the names of their tables.
pub(super) fn keys() -> Vec<String> {
    let (mut table, mut keys) = (String::new(), Vec::new());
    for [name, ..] in rows() {
        let heading = name.strip_prefix("**").map(|name| plain(name.trim_end_matches('*')));
        match heading.as_deref() {
            Some(heading) => {
                if let Some(name) = heading.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                    table = format!("{name}.");
                }
            }
            None => keys.extend(code(name).into_iter().map(|key| format!("{table}{key}"))),
        }
    }
    keys
}

/// The rows of the table: key, default and meaning.
fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = REFERENCE.lines().skip_while(|line| *line != COLUMNS).skip(2);
    lines.map_while(|line| {
        let mut cells = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim);
        Some([cells.next()?, cells.next()?, cells.next()?])
    })
}

/// What stands between backticks.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Markdown without its signs: of links the text alone.
fn plain(cell: &str) -> String {
    let mut text = cell.replace('`', "");
    while let Some(middle) = text.find("](") {
        let Some(end) = text[middle..].find(')').map(|end| middle + end) else { break };
        text.replace_range(middle..=end, "");
        if let Some(start) = text[..middle].rfind('[') {
            text.remove(start);
        }
    }
    text
}

/// Adds text as comments.
fn comment(text: &mut String, words: &str) {
    let lines = fold(words, WIDTH).into_iter().filter(|line| !line.is_empty());
    text.extend(lines.map(|line| format!("# {line}\n")));
}
