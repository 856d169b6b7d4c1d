//! Tables of figures: aligned columns, Markdown, comma-separated values.

use std::io::{self, Write};

use crate::failure::Outcome;
use crate::report::format;

/// The columns of text that people read as lines.
const WIDTH: usize = 80;

/// A column is not folded to fewer characters.
const NARROWEST: usize = 12;

/// Rows of text that are written with aligned columns, two spaces apart. A column of numbers has a
/// `>` before its heading, which is not printed, and ends at the right. A heading behind `_` is the
/// name of a column for programs, which people need not read.
#[derive(Clone, Debug)]
pub struct Table {
    /// Whether each column ends at the right.
    columns: Vec<bool>,
    rows: Vec<Vec<String>>,
    has_headings: bool,
    /// The row that is bold where text has color.
    best: Option<usize>,
}

impl Table {
    /// A table of these columns, without rows.
    pub fn new(headings: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let (columns, rows) = (Vec::new(), vec![Vec::new()]);
        let mut table = Self { columns, rows, has_headings: true, best: None };
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

    /// Appends the row of the best choice.
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row).
    pub fn best_row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.best = Some(self.rows.len());
        self.row(cells);
    }

    /// The cells as people read them.
    fn shown(&self, row: usize) -> impl Iterator<Item = &str> {
        let is_heading = self.has_headings && row == 0;
        let cells = self.rows[row].iter();
        cells.map(move |cell| if is_heading && cell.starts_with('_') { "" } else { cell.as_str() })
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
    fn write_aligned(
        &self,
        out: &mut dyn Write,
        screen: Option<usize>,
        color: bool,
    ) -> io::Result<()> {
        let mut widths = vec![0; self.columns.len()];
        for row in 0..self.rows.len() {
            for (width, cell) in widths.iter_mut().zip(self.shown(row)) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let (all, between) = (widths.iter().sum::<usize>(), widths.len().saturating_sub(1));
        let screen = screen.unwrap_or(usize::MAX);
        let gap = if all + 2 * between > screen { " " } else { "  " };
        let texts = (0..widths.len()).filter(|&i| !self.columns[i]);
        if let Some(widest) = texts.max_by_key(|&i| widths[i]) {
            let over = (all + gap.len() * between).saturating_sub(screen);
            let narrow = widths[widest].saturating_sub(over);
            widths[widest] = narrow.max(NARROWEST.min(widths[widest]));
        }
        for row in 0..self.rows.len() {
            let is_best = color && self.best == Some(row);
            let cells: Vec<_> = self
                .shown(row)
                .zip(&widths)
                .map(|(cell, &width)| format::fold(cell, width))
                .collect();
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
                match is_best {
                    true => writeln!(out, "\x1b[1m{}\x1b[0m", line.trim_end())?,
                    false => writeln!(out, "{}", line.trim_end())?,
                }
            }
        }
        Ok(())
    }

    fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let empty = vec![String::new(); self.columns.len()];
        let headings = if self.has_headings { &[][..] } else { std::slice::from_ref(&empty) };
        let rows = (0..self.rows.len()).map(|row| {
            let cells = self.shown(row).map(|cell| cell.trim().replace('|', "\\|"));
            cells.collect::<Vec<String>>()
        });
        for (number, cells) in headings.iter().cloned().chain(rows).enumerate() {
            writeln!(out, "| {} |", cells.join(" | "))?;
            if number == 0 {
                writeln!(out, "|{}", "---|".repeat(self.columns.len()))?;
            }
        }
        Ok(())
    }

    /// One number a cell: a number with an interval fills two columns, one in percent loses its unit
    /// to the heading. `line` stands before each row, `heads` says whether headings do before all.
    pub fn csv(&self, line: Option<u64>, heads: bool) -> String {
        let mut text = String::new();
        let body = &self.rows[usize::from(self.has_headings)..];
        let has = |column: usize, mark: &str| {
            self.columns[column] && body.iter().any(|row| row[column].contains(mark))
        };
        let columns = 0..self.columns.len();
        if self.has_headings && heads {
            let mut cells: Vec<String> = line.map(|_| "line".to_owned()).into_iter().collect();
            for (column, heading) in columns.clone().zip(&self.rows[0]) {
                let name = heading.trim().trim_start_matches('_').replace(' ', "_");
                let unit = if has(column, " %") { "_percent" } else { "" };
                cells.push(quoted(&format!("{name}{unit}")));
                if has(column, " ± ") {
                    cells.push(quoted(&format!("{name}_interval")));
                }
            }
            text += &(cells.join(",") + "\n");
        }
        for row in body {
            let mut cells: Vec<String> = line.map(|line| line.to_string()).into_iter().collect();
            for (column, cell) in columns.clone().zip(row) {
                let cell = cell.trim();
                let (number, interval) = cell.split_once(" ± ").unwrap_or((cell, ""));
                match self.columns[column] {
                    false if is_grouped(cell) => cells.push(cell.replace(',', "")),
                    false => cells.push(quoted(cell)),
                    true => cells.push(plain_number(number)),
                }
                if has(column, " ± ") {
                    cells.push(plain_number(interval));
                }
            }
            text += &(cells.join(",") + "\n");
        }
        text
    }

    /// What stands above its columns.
    fn headings(&self) -> &[String] {
        if self.has_headings { &self.rows[0] } else { &[] }
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
        format::fold(text, WIDTH).iter().try_for_each(|line| writeln!(self, "{line}"))
    }
}

impl Out for Vec<u8> {
    fn table(&mut self, table: &Table) -> io::Result<()> {
        table.write_aligned(self, None, false)
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
    /// Whether text has color.
    color: bool,
    /// The line of the input that is answered, and the headings of the last table of one.
    line: Option<u64>,
    headings: Vec<String>,
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
        let (line, headings, color) = (None, Vec::new(), false);
        let (end, file) = (*b"\n\n", None);
        let (has_table, is_whole, has_all_values) = (false, false, false);
        Self {
            to,
            form,
            screen,
            color,
            line,
            headings,
            end,
            file,
            has_table,
            is_whole,
            has_all_values,
        }
    }

    /// The same with color, or without.
    pub fn with_color(self, color: bool) -> Self {
        Self { color, ..self }
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

    /// Values behind an empty line, unless they belong to those before.
    fn add_values(&mut self, text: &str, goes_on: bool) -> io::Result<()> {
        if !self.takes_values() || self.has_all_values {
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut self.has_table, true);
        let gap = if is_first || goes_on { "" } else { "\n" };
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
        self.tables(table, table)
    }

    fn tables(&mut self, table: &Table, values: &Table) -> io::Result<()> {
        if self.takes_values() {
            // The answers to many lines are one table, if they have the same columns.
            let goes_on = self.line.is_some() && values.headings() == self.headings;
            self.headings = values.headings().to_vec();
            self.add_values(&values.csv(self.line, !goes_on), goes_on)?;
        }
        match self.form {
            OutputForm::Text => {
                let (screen, color) = (self.screen, self.color);
                table.write_aligned(self, screen, color)
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
        self.add_values(text, false)?;
        self.has_all_values = true;
        Ok(())
    }

    fn whole(&mut self, text: &str) -> io::Result<bool> {
        self.is_whole = true;
        self.to.write_all(text.as_bytes())?;
        Ok(self.file.is_none() || self.has_all_values)
    }

    fn at_line(&mut self, number: u64) {
        self.line = Some(number);
    }

    fn drawing(&mut self, lines: &str) -> io::Result<()> {
        match self.form {
            OutputForm::Markdown => writeln!(self, "```text\n{lines}\n```"),
            OutputForm::Text | OutputForm::Csv => writeln!(self, "{lines}"),
        }
    }
}

/// A cell of comma-separated values whose number loses the commas between thousands, the parentheses
/// around it, the sign of what is positive, the unit and the mark of what is less deep.
fn plain_number(text: &str) -> String {
    let number = text.strip_suffix(" %").unwrap_or(text);
    let number: String = number.chars().filter(|character| !",()~*".contains(*character)).collect();
    let number = number.trim_start_matches('+');
    if number.parse::<f64>().is_ok() { number.to_owned() } else { quoted(text) }
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
                let mut table = match has_headings {
                    true => Table::new(["  play|er", ">(-1,234.5)"]),
                    false => {
                        let mut table = Table::plain(["", ">"]);
                        table.row(["  play|er", "(-1,234.5)"]);
                        table
                    }
                };
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
            table.write_aligned(&mut text, Some(screen), false).unwrap();
            String::from_utf8(text).unwrap().lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(at(32), ["Ann Lee  24/22(2) 13/11(2)    -1"]);
        assert_eq!(at(31), ["Ann Lee 24/22(2) 13/11(2)   -1"]);
        assert_eq!(at(25), ["Ann Lee 24/22(2)       -1", "        13/11(2)"]);
    }

    #[test]
    fn programs_read_one_number_a_cell_under_a_name() {
        let mut table = Table::new([">_rank", "play", ">cubeful", ">loss", ">MWC"]);
        table.best_row(["1", "8/5 6/5", "+0.246", "", "53.10 %"]);
        table.row(["2", "24/23, 13/10", "~-0.005", "-0.251 ± 0.021", "50.00 %"]);
        let printed = |form, color, lines: &[Option<u64>]| {
            let mut text = Vec::new();
            let mut printer = Printer::new(&mut text, form, None).with_color(color);
            for line in lines {
                line.iter().for_each(|line| printer.at_line(*line));
                table.write(&mut printer).unwrap();
            }
            String::from_utf8(text).unwrap()
        };
        let head = "rank,play,cubeful,loss,loss_interval,MWC_percent\n";
        let [one, two] =
            ["1,8/5 6/5,0.246,,,53.10\n", "2,\"24/23, 13/10\",-0.005,-0.251,0.021,50.00\n"];
        let csv = printed(OutputForm::Csv, true, &[None]);
        assert_eq!(csv, format!("{head}{one}{two}"));
        let csv = printed(OutputForm::Csv, true, &[Some(1), Some(3)]);
        assert_eq!(csv, format!("line,{head}1,{one}1,{two}3,{one}3,{two}"));
        // The best row is bold where color is, and nowhere else.
        let bold = printed(OutputForm::Text, true, &[None]);
        let plain = printed(OutputForm::Text, false, &[None]);
        assert!(plain.starts_with("   play ") && !plain.contains('\x1b'), "{plain}");
        let best = plain.lines().nth(1).unwrap();
        assert_eq!(bold, plain.replace(best, &format!("\x1b[1m{best}\x1b[0m")));
    }
}
