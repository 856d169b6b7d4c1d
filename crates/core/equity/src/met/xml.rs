//! The customary XML of match equity tables, read and written.
//!
//! The format is that of the GNU Backgammon distribution: `met` holds `info` (`name`,
//! `description`, `length`), one `pre-crawford-table` of `row`s of `me` (the probability of the
//! player who needs as many points as the row's number against one who needs the column's), and a
//! `post-crawford-table` with one row, the trailer's probabilities. Only tables of type `explicit`
//! are read; those whose entries are parameters of a formula are not. What is written ends in a
//! comment with a checksum, CRC-32 of all text before it, which is checked where it is there.

use std::fmt::Write as _;

use roxmltree::{Document, Node, ParsingOptions};

use super::{MatchEquityTable, MetModel};
use tavola_files::Failure;

/// The same table printed from both sides may differ by its rounding: this much at most, and so
/// many units of the last place that both entries have.
const MIRROR_TOLERANCE: f64 = 0.0025;
const MIRROR_UNITS: f64 = 2.5;

/// The longest file: some forty bytes for each entry of the longest table, and room to spare.
const MOST_BYTES: usize = 1 << 25;

/// Elements, texts and blanks between them of the longest table, and as many again.
const MOST_NODES: u32 = 1 << 21;

/// What stands before the checksum.
const CHECKSUM: &str = "<!-- crc32 ";

/// The quotation marks of a few attributes, and of a long comment.
const MOST_QUOTES: usize = 10_000;

/// What is wrong with a line, counted from 1.
fn wrong(line: u32, reason: std::fmt::Arguments<'_>) -> Failure {
    Failure::input(format!("line {line}: {reason}"))
}

/// An entry and its place.
#[derive(Clone, Copy)]
struct Entry {
    probability: f64,
    line: u32,
    /// One in the last place that it is printed with.
    unit: f64,
}

impl Entry {
    fn new(text: &str, line: u32) -> Option<Self> {
        let probability = text.parse().ok().filter(|it| (0.0..=1.0).contains(it))?;
        let places = text.split_once('.').map_or(0, |(_, places)| places.len());
        Some(Self { probability, line, unit: 0.1_f64.powi(places.min(20) as i32) })
    }

    /// How far the same entry printed from the other side may be from its complement.
    fn tolerance(self, mirrored: Self) -> f64 {
        (MIRROR_UNITS * self.unit.max(mirrored.unit)).min(MIRROR_TOLERANCE)
    }
}

impl MatchEquityTable {
    /// Reads the customary XML.
    ///
    /// A post-Crawford table one entry short is completed by the default [`MetModel`]: with the
    /// Crawford rule no game is played at that score. Where an entry and its mirror image are
    /// rounded
    /// differently, their mean is kept.
    ///
    /// # Errors
    ///
    /// [`Failure`] names the line and what was expected there.
    pub fn from_xml(text: &str) -> Result<Self, Failure> {
        // The time to parse grows with the square of the attributes of an element.
        let quotes = text.bytes().filter(|byte| matches!(byte, b'"' | b'\'')).count();
        // Entities that a file defines can stand for more text than there is memory.
        let entities = text.matches("<!ENTITY").count();
        for (what, found, expected) in [
            ("bytes", text.len(), MOST_BYTES),
            ("quotation marks", quotes, MOST_QUOTES),
            ("definitions of entities", entities, 0),
        ] {
            if found > expected {
                let reason =
                    format!("{found} {what}, expected a match equity table of at most {expected}");
                return Err(Failure::input(reason));
            }
        }
        if let Some((before, sum)) = text.rsplit_once(CHECKSUM) {
            let found = tavola_files::crc32(before.as_bytes());
            if sum.trim_end() != format!("{found:08x} -->") {
                let expected = sum.trim_end().trim_end_matches(" -->");
                let reason = format!(
                    "the checksum is {found:08x}, expected {expected:?} as the last line has it"
                );
                return Err(Failure::input(reason));
            }
        }
        let options = ParsingOptions {
            allow_dtd: true,
            nodes_limit: MOST_NODES,
            ..ParsingOptions::default()
        };
        let document = Document::parse_with_options(text, options)
            .map_err(Failure::input_in("not well-formed XML"))?;
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let reader = Reader { line_breaks: breaks.map(|(at, _)| at).collect() };
        let notice = document
            .root()
            .children()
            .take_while(|node| !node.is_element())
            .find(Node::is_comment)
            .and_then(|comment| comment.text())
            .map(|text| text.trim().to_owned());
        let root = document.root_element();
        if !root.has_tag_name("met") {
            let found = root.tag_name().name();
            let reason = format_args!("the root element is <{found}>, expected <met>");
            return Err(reader.error(root, reason));
        }
        let info = reader.child(root, "info")?;
        let pre_node = reader.child(root, "pre-crawford-table")?;
        let post_node = reader.child(root, "post-crawford-table")?;
        // Before the length: tables made by a formula have none.
        reader.check_explicit(pre_node)?;
        reader.check_explicit(post_node)?;
        let length = reader.length(info)?;
        let size = usize::from(length);
        let pre_crawford = reader.pre_crawford(pre_node, size)?;
        let post_crawford = reader.post_crawford(post_node, size)?;
        if let Some(second) =
            root.children().filter(|node| node.has_tag_name("post-crawford-table")).nth(1)
        {
            let other = reader.post_crawford(second, size)?;
            if other != post_crawford {
                let reason = "another post-crawford-table, expected one for both players";
                return Err(reader.error(second, format_args!("{reason}")));
            }
        }
        let mut table = Self {
            name: reader.text(info, "name").unwrap_or_else(|| "unnamed".to_owned()),
            description: reader.text(info, "description").unwrap_or_default(),
            notice,
            length,
            pre_crawford,
            post_crawford,
        };
        if table.post_crawford.len() < size {
            let last = MetModel::default().post_crawford_after(&table.post_crawford);
            // After entries that no players of equal strength have, the model may say more.
            let better = table.post_crawford.last().copied().unwrap_or(1.0);
            table.post_crawford.push(last.min(better));
        }
        Ok(table)
    }

    /// Writes the customary XML, with the notice that the table was read with.
    ///
    /// Reading it again gives the same table.
    pub fn to_xml(&self) -> String {
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        if let Some(notice) = &self.notice {
            // Two hyphens would end the comment; a notice that was read has none.
            let _ = write!(xml, "\n<!--\n\n     {}\n\n -->\n\n", notice.replace("--", "- -"));
        }
        let _ = write!(
            xml,
            "<met>\n  <info>\n    <name>{}</name>\n    <description>{}</description>\n    \
             <length>{}</length>\n  </info>\n\n  <pre-crawford-table type=\"explicit\">\n",
            escaped(&self.name),
            escaped(&self.description),
            self.length
        );
        for row in self.pre_crawford.chunks_exact(usize::from(self.length)) {
            write_row(&mut xml, row);
        }
        xml.push_str("  </pre-crawford-table>\n\n");
        xml.push_str("  <post-crawford-table type=\"explicit\" player=\"both\">\n");
        write_row(&mut xml, &self.post_crawford);
        xml.push_str("  </post-crawford-table>\n</met>\n");
        let sum = tavola_files::crc32(xml.as_bytes());
        let _ = writeln!(xml, "{CHECKSUM}{sum:08x} -->");
        xml
    }
}

fn write_row(xml: &mut String, probabilities: &[f64]) {
    xml.push_str("    <row>\n");
    for probability in probabilities {
        // The shortest text that reads back as the same number.
        let _ = writeln!(xml, "      <me>{probability}</me>");
    }
    xml.push_str("    </row>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Finds things in a document, and says where.
struct Reader {
    /// Where the lines end.
    line_breaks: Vec<usize>,
}

impl Reader {
    fn line(&self, node: Node<'_, '_>) -> u32 {
        let begin = node.range().start;
        1 + self.line_breaks.partition_point(|&end| end < begin) as u32
    }

    fn error(&self, node: Node<'_, '_>, reason: std::fmt::Arguments<'_>) -> Failure {
        wrong(self.line(node), reason)
    }

    fn child<'a, 'input>(
        &self,
        parent: Node<'a, 'input>,
        expected: &'static str,
    ) -> Result<Node<'a, 'input>, Failure> {
        parent.children().find(|node| node.has_tag_name(expected)).ok_or_else(|| {
            let name = parent.tag_name().name();
            self.error(parent, format_args!("<{name}> has no <{expected}>"))
        })
    }

    /// The text of a child, on one line.
    fn text(&self, parent: Node<'_, '_>, tag: &'static str) -> Option<String> {
        let text = parent.children().find(|node| node.has_tag_name(tag))?.text()?;
        let words: Vec<&str> = text.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    fn length(&self, info: Node<'_, '_>) -> Result<u16, Failure> {
        let node = self.child(info, "length")?;
        let found = node.text().unwrap_or_default().trim();
        match found.parse() {
            Ok(length) if (1..=MatchEquityTable::MAX_LENGTH).contains(&length) => Ok(length),
            _ => {
                let most = MatchEquityTable::MAX_LENGTH;
                Err(self.error(node, format_args!("length {found:?}, expected 1 to {most}")))
            }
        }
    }

    fn check_explicit(&self, table: Node<'_, '_>) -> Result<(), Failure> {
        match table.attribute("type") {
            None | Some("explicit") => Ok(()),
            Some(found) => {
                let reason = format_args!("table of type {found:?}, expected \"explicit\"");
                Err(self.error(table, reason))
            }
        }
    }

    /// The entries of every row.
    fn rows(&self, table: Node<'_, '_>) -> Result<Vec<(u32, Vec<Entry>)>, Failure> {
        let rows = table.children().filter(|node| node.has_tag_name("row"));
        rows.map(|row| {
            let entries = row.children().filter(|node| node.has_tag_name("me"));
            let entries = entries.map(|node| self.entry(node)).collect::<Result<_, _>>()?;
            Ok((self.line(row), entries))
        })
        .collect()
    }

    fn entry(&self, node: Node<'_, '_>) -> Result<Entry, Failure> {
        let (line, found) = (self.line(node), node.text().unwrap_or_default().trim());
        Entry::new(found, line).ok_or_else(|| {
            let reason = format_args!("entry {found:?}, expected a probability from 0 to 1");
            wrong(line, reason)
        })
    }

    fn pre_crawford(&self, table: Node<'_, '_>, size: usize) -> Result<Vec<f64>, Failure> {
        let rows = self.rows(table)?;
        check_count(self.line(table), "rows", rows.len(), size)?;
        for (line, row) in &rows {
            check_count(*line, "entries in this row", row.len(), size)?;
        }
        let entry = |a: usize, b: usize| rows[a].1[b];
        let mut probabilities = Vec::with_capacity(size * size);
        for a in 0..size {
            for b in 0..size {
                let Entry { probability, line, .. } = entry(a, b);
                let mirrored = entry(b, a).probability;
                let off = probability + mirrored - 1.0;
                if off.abs() > entry(a, b).tolerance(entry(b, a)) {
                    let (player, opponent) = (a + 1, b + 1);
                    let reason = format_args!(
                        "{player} away against {opponent} away is {probability} and {mirrored} \
                         the other way round, expected a sum of 1: only tables for equal players \
                         are read"
                    );
                    return Err(wrong(line, reason));
                }
                // As printed, unless the mirror image says something else.
                probabilities.push(if off.abs() < 1e-12 {
                    probability
                } else {
                    probability - off / 2.0
                });
                if a > 0 {
                    let (probability, better) =
                        (probabilities[a * size + b], probabilities[(a - 1) * size + b]);
                    check_falls(line, probability, better)?;
                }
            }
        }
        Ok(probabilities)
    }

    fn post_crawford(&self, table: Node<'_, '_>, size: usize) -> Result<Vec<f64>, Failure> {
        let rows = self.rows(table)?;
        check_count(self.line(table), "rows", rows.len(), 1)?;
        let (line, row) = &rows[0];
        if row.len() + 1 != size || row.is_empty() {
            check_count(*line, "entries in this row", row.len(), size)?;
        }
        for pair in row.windows(2) {
            let [Entry { probability: better, .. }, Entry { probability, line, .. }] = *pair else {
                continue;
            };
            check_falls(line, probability, better)?;
        }
        Ok(row.iter().map(|entry| entry.probability).collect())
    }
}

fn check_count(
    line: u32,
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), Failure> {
    match found == expected {
        true => Ok(()),
        false => Err(wrong(line, format_args!("{found} {what}, expected {expected}"))),
    }
}

/// Refuses a probability by which a player would be better off with fewer points.
fn check_falls(line: u32, probability: f64, better: f64) -> Result<(), Failure> {
    match probability > better {
        true => {
            let reason = format_args!(
                "probability {probability} is higher than {better} with a point less to go"
            );
            Err(wrong(line, reason))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
