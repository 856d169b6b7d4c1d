//! What people read: documents of headings, sentences, tables and pictures, each described once.
//!
//! A [`Document`] becomes text, Markdown and comma-separated values where an [`Out`] prints it, and
//! part of a [`page`] in HTML.

pub mod chart;
mod table;

use std::io::{self, Write};

pub use self::table::Table;

/// The columns of text that people read as lines.
const WIDTH: usize = 80;

/// The style of every page, for the screen and for paper.
const STYLE: &str = include_str!("report/page.css");

#[derive(Clone, Debug)]
enum Block {
    Heading(u8, String),
    Text(String),
    Table(Table),
    /// What only a page shows: a chart, a board, a form.
    Html(String),
}

/// A report, block by block.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What is compared. On a page each has a color: where a heading or a row begins with its name,
    /// and in charts by the classes `s1` and `s2`.
    series: Vec<String>,
    blocks: Vec<Block>,
}

impl Document {
    /// A document that compares these.
    pub fn of(series: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { series: series.into_iter().map(Into::into).collect(), blocks: Vec::new() }
    }

    /// Appends a heading; that of the whole has the level 1.
    pub fn heading(&mut self, level: u8, text: impl Into<String>) {
        self.blocks.push(Block::Heading(level, text.into()));
    }

    /// Appends sentences, in which code stands between backticks.
    pub fn say(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Appends a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Appends what only a page shows.
    pub fn html(&mut self, html: impl Into<String>) {
        self.blocks.push(Block::Html(html.into()));
    }

    /// Prints all but what only a page shows, with empty lines between.
    ///
    /// # Errors
    ///
    /// As a writer.
    pub fn write(&self, out: &mut dyn Out) -> io::Result<()> {
        let printed = self.blocks.iter().filter(|block| !matches!(block, Block::Html(_)));
        let mut before = None;
        for block in printed {
            match (before.replace(block), block) {
                (None, _) | (Some(Block::Text(_)), Block::Text(_)) => {}
                _ => writeln!(out)?,
            }
            match block {
                Block::Heading(level, text) => out.heading(*level, text)?,
                Block::Text(text) => out.prose(text)?,
                Block::Table(table) => out.table(table)?,
                Block::Html(_) => {}
            }
        }
        Ok(())
    }

    /// The document as part of a [`page`].
    pub fn body(&self) -> String {
        let block = |block: &Block| match block {
            Block::Heading(level, text) => {
                let is_name = text
                    .split_once(':')
                    .is_some_and(|(name, _)| self.series.iter().any(|it| it == name));
                let class = class(&[if is_name { color(&self.series, text) } else { "" }]);
                format!("<h{level}{class}>{}</h{level}>\n", rich(text))
            }
            Block::Text(text) => format!("<p>{}</p>\n", rich(text)),
            Block::Table(table) => table.html(&self.series),
            Block::Html(html) => html.clone(),
        };
        self.blocks.iter().map(block).collect()
    }
}

/// A page that needs nothing else, with what it says of its maker.
pub fn page(title: &str, generator: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"generator\" content=\"{generator}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{}</title>\n<style>\n{STYLE}</style></head>\n<body>\n{body}</body></html>\n",
        escape(title)
    )
}

/// Where an answer is printed: text, and tables in some form.
pub trait Out: Write {
    /// Whether text and tables are Markdown.
    fn is_markdown(&self) -> bool {
        false
    }

    /// Writes a table.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn table(&mut self, table: &Table) -> io::Result<()>;

    /// Writes a drawing of characters, one below the other.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn drawing(&mut self, lines: &str) -> io::Result<()> {
        match self.is_markdown() {
            true => writeln!(self, "```text\n{lines}\n```"),
            false => writeln!(self, "{lines}"),
        }
    }

    /// Writes what stands above a part, which has the level 2, or above the whole.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn heading(&mut self, level: u8, text: &str) -> io::Result<()> {
        match level {
            _ if self.is_markdown() => writeln!(self, "{} {text}", "#".repeat(level.into())),
            2 => writeln!(self, "{text}:"),
            _ => writeln!(self, "{text}"),
        }
    }

    /// Writes what stands as comma-separated values in place of all tables that follow.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn values(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())
    }

    /// What follows answers this line of the input.
    fn at_line(&mut self, _number: u64) {}

    /// Writes a table of which programs have other columns.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn tables(&mut self, shown: &Table, _values: &Table) -> io::Result<()> {
        self.table(shown)
    }

    /// Writes what is printed in place of all text that follows, such as JSON or a drawing; whether the
    /// answer is complete: no file waits for tables.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn whole(&mut self, text: &str) -> io::Result<bool> {
        self.write_all(text.as_bytes())?;
        Ok(true)
    }

    /// Writes sentences, folded.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn prose(&mut self, text: &str) -> io::Result<()> {
        fold(text, WIDTH).iter().try_for_each(|line| writeln!(self, "{line}"))
    }
}

impl Out for Vec<u8> {
    fn table(&mut self, table: &Table) -> io::Result<()> {
        self.write_all(table.aligned(None, false).as_bytes())
    }
}

/// A text in lines of at most `width` characters, which end at spaces. A word that is longer has a
/// line of its own.
pub fn fold(text: &str, width: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_owned()];
    }
    let indent = text.len() - text.trim_start().len();
    let mut lines: Vec<String> = Vec::new();
    for word in text.trim_start().split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                *line = format!("{line} {word}");
            }
            _ => lines.push(format!("{}{word}", &text[..indent])),
        }
    }
    lines
}

/// A whole number in groups of three: `20,000`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// A number of things with its noun: `1 play`, `3 plays`.
pub fn plural(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", count(number as u64))
}

/// Text that stands between tags or in an attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Sentences between tags, with code between backticks.
fn rich(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(number, part)| match number % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    });
    parts.collect()
}

/// The class of a text that is one of a series or begins with its name.
fn color(series: &[String], text: &str) -> &'static str {
    let begins = |name: &str| {
        let rest = text.strip_prefix(name).filter(|_| !name.is_empty());
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let found = series.iter().enumerate().filter(|(_, name)| begins(name));
    match found.max_by_key(|(_, name)| name.len()) {
        Some((number, _)) => ["s1", "s2"][number % 2],
        None => "",
    }
}

/// An attribute with the classes of these that are some.
fn class(classes: &[&str]) -> String {
    let classes: Vec<&str> = classes.iter().copied().filter(|class| !class.is_empty()).collect();
    if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_text_and_a_page() {
        let mut document = Document::of(["Ann", "Ann <2>"]);
        document.heading(1, "Ann: a report");
        document.say("Look at `a < b`.");
        document.say("And on.");
        document.html("<svg></svg>\n");
        document.heading(2, "Figures");
        let mut table = Table::of(["", ">Ann", ">Ann <2>"], [["of Ann", "-0.5 ± 1", "-"]]);
        table.marked_row("total", ["Ann & all", "1-0", "+2 (-3.0 %)"]);
        document.table(table);
        let mut text = Vec::new();
        document.write(&mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "Ann: a report\n\nLook at `a < b`.\nAnd on.\n\nFigures:\n\n                Ann      \
             Ann <2>\nof Ann     -0.5 ± 1            -\nAnn & all       1-0  +2 (-3.0 %)\n"
        );
        assert_eq!(
            document.body(),
            "<h1 class=\"s1\">Ann: a report</h1>\n<p>Look at <code>a &lt; b</code>.</p>\n\
             <p>And on.</p>\n<svg></svg>\n<h2>Figures</h2>\n<div class=\"wide\"><table>\
             <tr><th class=\"t\"></th><th class=\"s1\">Ann</th><th class=\"s2\">Ann &lt;2&gt;</th></tr>\n\
             <tr><td class=\"t\">of Ann</td><td>\u{2212}0.5 ± 1</td><td>\u{2013}</td></tr>\n\
             <tr class=\"total\"><td class=\"t s1\">Ann &amp; all</td><td>1-0</td>\
             <td>+2 (\u{2212}3.0 %)</td></tr>\n</table></div>\n"
        );
        let page = page("a & b", "tavola", &document.body());
        assert!(page.contains("<title>a &amp; b</title>") && page.ends_with("</body></html>\n"));
    }

    #[test]
    fn texts_are_folded_at_spaces() {
        assert_eq!(fold("one two", 7), ["one two"]);
        assert_eq!(fold("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(fold("elephants go", 4), ["elephants", "go"]);
    }

    #[test]
    fn counts_have_groups_of_three_and_nouns_agree() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!([0, 12, 999, 1000].map(count), ["0", "12", "999", "1,000"]);
        assert_eq!(
            [0, 1, 1000].map(|number| plural(number, "play")),
            ["0 plays", "1 play", "1,000 plays"]
        );
    }
}
