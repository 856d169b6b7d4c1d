//! Text in aligned columns.

use std::io::{self, Write};

/// To which side the cells of a column are pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows of text that are written with aligned columns, two spaces apart.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Align>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Appends a row.
    ///
    /// # Panics
    ///
    /// If it has not as many cells as the table has columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.columns.len(), "a row fills the columns of its table");
        self.rows.push(cells);
    }

    /// Writes all rows, without spaces at the ends of lines.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|i| self.rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0))
            .collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), align) in row.iter().zip(&widths).zip(&self.columns) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                line.push_str(&match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                });
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Writes rows as a Markdown table.
pub fn write_markdown(
    headings: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "| {} |", headings.join(" | "))?;
    writeln!(out, "|{}", "---|".repeat(headings.len()))?;
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    Ok(())
}

/// A cell of comma-separated values (RFC 4180).
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_or_quotes_are_quoted() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new([Align::Left, Align::Right]);
        table.row(["play", "equity"]);
        table.row(["8/5 6/5", "+0.1"]);
        let mut text = Vec::new();
        table.write(&mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "play     equity\n8/5 6/5    +0.1\n");
    }
}
