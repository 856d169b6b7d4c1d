//! Tables of figures: aligned columns, Markdown, comma-separated values.

use std::io::{self, Write};

use crate::failure::Outcome;
use crate::report::format;

/// The columns of text that people read as lines.
const WIDTH: usize = 80;

/// A column is not folded to fewer characters.
const NARROWEST: usize = 12;

/// Rows of text that are written with aligned columns, two spaces apart. A column of numbers has a
/// `>` before its heading, which is not printed, and ends at the right.
#[derive(Clone, Debug)]
pub struct Table {
    /// Whether each column ends at the right.
    columns: Vec<bool>,
    rows: Vec<Vec<String>>,
    has_headings: bool,
}

impl Table {
    /// A table of these columns, without rows.
    pub fn new(headings: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut table = Self { columns: Vec::new(), rows: vec![Vec::new()], has_headings: true };
        for heading in headings {
            let (heading, number) = (heading.as_ref(), heading.as_ref().strip_prefix('>'));
            table.columns.push(number.is_some());
            table.rows[0].push(number.unwrap_or(heading).to_owned());
        }
        table
    }

    /// A table of these columns and rows.
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row).
    pub fn of<R: IntoIterator<Item = impl Into<String>>>(
        headings: impl IntoIterator<Item = impl AsRef<str>>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut table = Self::new(headings);
        rows.into_iter().for_each(|row| table.row(row));
        table
    }

    /// A table that has no headings, only the marks of its columns.
    pub fn plain<const N: usize>(columns: [&str; N]) -> Self {
        Self { has_headings: false, rows: Vec::new(), ..Self::new(columns) }
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

    /// Writes all rows in the form of the answer.
    pub fn write(&self, out: &mut dyn Out) -> Outcome {
        Ok(out.table(self)?)
    }

    /// Writes all rows below a blank line.
    pub fn write_apart(&self, out: &mut dyn Out) -> Outcome {
        writeln!(out)?;
        self.write(out)
    }

    /// All rows in aligned columns, without spaces at the ends of lines. Where the screen is too
    /// narrow the columns stand closer, and the widest one of text is folded.
    fn write_aligned(&self, out: &mut dyn Write, screen: Option<usize>) -> io::Result<()> {
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|i| self.rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0))
            .collect();
        let (all, between) = (widths.iter().sum::<usize>(), widths.len().saturating_sub(1));
        let screen = screen.unwrap_or(usize::MAX);
        let gap = if all + 2 * between > screen { " " } else { "  " };
        let texts = (0..widths.len()).filter(|&i| !self.columns[i]);
        if let Some(widest) = texts.max_by_key(|&i| widths[i]) {
            let over = (all + gap.len() * between).saturating_sub(screen);
            let narrow = widths[widest].saturating_sub(over);
            widths[widest] = narrow.max(NARROWEST.min(widths[widest]));
        }
        for row in &self.rows {
            let cells: Vec<_> =
                row.iter().zip(&widths).map(|(cell, &width)| format::fold(cell, width)).collect();
            for number in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let mut line = String::new();
                for ((cell, &width), is_number) in cells.iter().zip(&widths).zip(&self.columns) {
                    if !line.is_empty() {
                        line.push_str(gap);
                    }
                    let cell = cell.get(number).map_or("", String::as_str);
                    line.push_str(&match is_number {
                        false => format!("{cell:<width$}"),
                        true => format!("{cell:>width$}"),
                    });
                }
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let empty = vec![String::new(); self.columns.len()];
        let headings = if self.has_headings { &[][..] } else { std::slice::from_ref(&empty) };
        for (number, row) in headings.iter().chain(&self.rows).enumerate() {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.trim().replace('|', "\\|")).collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
            if number == 0 {
                writeln!(out, "|{}", "---|".repeat(self.columns.len()))?;
            }
        }
        Ok(())
    }

    /// All rows as comma-separated values.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let heads = number == 0 && self.has_headings;
            let cells = row.iter().zip(&self.columns).map(|(cell, is_number)| match is_number {
                _ if !heads && is_grouped(cell.trim()) => cell.replace(',', "").trim().to_owned(),
                true if !heads => plain_number(cell.trim()),
                _ => quoted(cell.trim()),
            });
            let cells: Vec<String> = cells.collect();
            text += &(cells.join(",") + "\n");
        }
        text
    }
}

/// In which form an answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputForm {
    /// Text with aligned tables.
    #[default]
    Text,
    /// Text with tables as Markdown has them.
    Markdown,
    /// The tables alone as comma-separated values, with an empty line between two.
    Csv,
}

/// Where an answer is printed: text, and tables in some form.
pub trait Out: Write {
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
    fn drawing(&mut self, lines: &str) -> io::Result<()>;

    /// Writes what stands as comma-separated values in place of all tables that follow.
    ///
    /// # Errors
    ///
    /// As a writer.
    fn values(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())
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
        format::fold(text, WIDTH).iter().try_for_each(|line| writeln!(self, "{line}"))
    }
}

impl Out for Vec<u8> {
    fn table(&mut self, table: &Table) -> io::Result<()> {
        table.write_aligned(self, None)
    }

    fn drawing(&mut self, lines: &str) -> io::Result<()> {
        writeln!(self, "{lines}")
    }
}

/// Prints an answer in a [`OutputForm`], and keeps its tables for a file.
pub struct Printer<'a> {
    to: &'a mut dyn Write,
    form: OutputForm,
    /// Columns of the screen, if there is one.
    screen: Option<usize>,
    /// The last two bytes that were written.
    end: [u8; 2],
    /// The comma-separated values for a file, if there is one.
    file: Option<Vec<u8>>,
    has_table: bool,
    /// Whether text that follows is not printed.
    is_whole: bool,
    /// Whether tables that follow are not among the values.
    has_all_values: bool,
}

impl<'a> Printer<'a> {
    /// Nothing was printed so far.
    pub fn new(to: &'a mut dyn Write, form: OutputForm, screen: Option<usize>) -> Self {
        let (end, file) = (*b"\n\n", None);
        let (has_table, is_whole, has_all_values) = (false, false, false);
        Self { to, form, screen, end, file, has_table, is_whole, has_all_values }
    }

    /// The same, which keeps tables as comma-separated values for a file.
    pub fn with_file(self) -> Self {
        Self { file: Some(Vec::new()), ..self }
    }

    /// What a file gets.
    pub fn into_file(self) -> Vec<u8> {
        self.file.unwrap_or_default()
    }

    fn takes_values(&self) -> bool {
        self.form == OutputForm::Csv || self.file.is_some()
    }

    /// Whether values have no place for what was printed: text alone is no comma-separated value.
    pub fn is_empty(&self) -> bool {
        self.takes_values() && !self.has_table
    }

    fn add_values(&mut self, text: &str) -> io::Result<()> {
        if !self.takes_values() || self.has_all_values {
            return Ok(());
        }
        let gap = if std::mem::replace(&mut self.has_table, true) { "\n" } else { "" };
        let to: &mut dyn Write = match &mut self.file {
            Some(file) => file,
            None => &mut *self.to,
        };
        write!(to, "{gap}{text}")
    }
}

impl Write for Printer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.form == OutputForm::Csv || self.is_whole {
            return Ok(bytes.len());
        }
        let written = self.to.write(bytes)?;
        for &byte in &bytes[..written] {
            self.end = [self.end[1], byte];
        }
        Ok(written)
    }

    /// What follows belongs to another answer.
    fn flush(&mut self) -> io::Result<()> {
        self.is_whole = false;
        self.to.flush()
    }
}

impl Out for Printer<'_> {
    fn table(&mut self, table: &Table) -> io::Result<()> {
        if self.takes_values() {
            self.add_values(&table.csv())?;
        }
        match self.form {
            OutputForm::Text => {
                let screen = self.screen;
                table.write_aligned(self, screen)
            }
            OutputForm::Markdown => {
                // Without an empty line it would be a part of the paragraph before.
                if self.end != *b"\n\n" {
                    writeln!(self)?;
                }
                table.write_markdown(self)
            }
            OutputForm::Csv => Ok(()),
        }
    }

    fn values(&mut self, text: &str) -> io::Result<()> {
        self.add_values(text)?;
        self.has_all_values = true;
        Ok(())
    }

    fn whole(&mut self, text: &str) -> io::Result<bool> {
        self.is_whole = true;
        self.to.write_all(text.as_bytes())?;
        Ok(self.file.is_none() || self.has_all_values)
    }

    fn drawing(&mut self, lines: &str) -> io::Result<()> {
        match self.form {
            OutputForm::Markdown => writeln!(self, "```text\n{lines}\n```"),
            OutputForm::Text | OutputForm::Csv => writeln!(self, "{lines}"),
        }
    }
}

/// A cell of comma-separated values whose number loses the commas between thousands and the
/// parentheses around it.
fn plain_number(text: &str) -> String {
    let number: String = text.chars().filter(|character| !",()".contains(*character)).collect();
    if number.parse::<f64>().is_ok() { number } else { quoted(text) }
}

/// Whether a text is a number with commas between thousands: `1,492,550`.
fn is_grouped(text: &str) -> bool {
    let mut groups = text.split(',');
    let digits = |group: &str| !group.is_empty() && group.chars().all(|c| c.is_ascii_digit());
    groups.next().is_some_and(|first| first.len() < 4 && digits(first))
        && text.contains(',')
        && groups.all(|group| group.len() == 3 && digits(group))
}

/// A cell of comma-separated values (RFC 4180).
fn quoted(text: &str) -> String {
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
    fn tables_are_printed_in_the_form_of_the_answer() {
        let printed = |form| {
            let mut text = Vec::new();
            let mut printer = Printer::new(&mut text, form, None);
            assert_eq!(printer.is_empty(), form == OutputForm::Csv);
            printer.drawing("+-+").unwrap();
            writeln!(printer, "two plays").unwrap();
            for has_headings in [true, false] {
                let mut table = Table { has_headings, ..Table::new(["  play|er", ">(-1,234.5)"]) };
                table.row(["a, b", "x"]);
                table.row(["(5)", "(5)"]);
                table.row(["1,492,550", "1,23"]);
                table.write(&mut printer).unwrap();
            }
            assert!(!printer.is_empty());
            String::from_utf8(text).unwrap()
        };
        let csv = |head| format!("play|er,{head}\n\"a, b\",x\n(5),5\n1492550,123\n");
        // A name in parentheses stays, and so does a heading.
        let [with, without] = ["\"(-1,234.5)\"", "-1234.5"].map(csv);
        assert_eq!(printed(OutputForm::Csv), format!("{with}\n{without}"));
        let [head, tail] =
            ["| play\\|er | (-1,234.5) |\n", "| a, b | x |\n| (5) | (5) |\n| 1,492,550 | 1,23 |\n"];
        let line = "|---|---|\n";
        assert_eq!(
            printed(OutputForm::Markdown),
            format!(
                "```text\n+-+\n```\ntwo plays\n\n{head}{line}{tail}\n|  |  |\n{line}{head}{tail}"
            )
        );
        assert!(
            printed(OutputForm::Text).starts_with("+-+\ntwo plays\n  play|er  (-1,234.5)\na, b")
        );
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let table = Table::of(["play", ">equity"], [["8/5 6/5", "+0.1"]]);
        let mut text = Vec::new();
        table.write(&mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "play     equity\n8/5 6/5    +0.1\n");
    }

    #[test]
    fn a_table_fits_a_narrow_screen() {
        let table =
            Table::of(["player", "done", ">loss"], [["Ann Lee", "24/22(2) 13/11(2)", "-1"]]);
        let at = |screen| {
            let mut text = Vec::new();
            table.write_aligned(&mut text, Some(screen)).unwrap();
            String::from_utf8(text).unwrap().lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(at(32), ["Ann Lee  24/22(2) 13/11(2)    -1"]);
        assert_eq!(at(31), ["Ann Lee 24/22(2) 13/11(2)   -1"]);
        assert_eq!(at(25), ["Ann Lee 24/22(2)       -1", "        13/11(2)"]);
    }
}
