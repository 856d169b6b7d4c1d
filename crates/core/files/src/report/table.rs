//! Tables of figures: aligned columns, Markdown, comma-separated values, HTML.

use std::fmt::Write as _;
use std::io;

use super::{Out, class, color, escape, fold};

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
    /// Rows that are bold where text has color, with their class on a page.
    marked: Vec<(usize, &'static str)>,
}

impl Table {
    /// A table of these columns, without rows.
    pub fn new(headings: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let (columns, rows) = (Vec::new(), vec![Vec::new()]);
        let mut table = Self { columns, rows, has_headings: true, marked: Vec::new() };
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
    pub fn plain(columns: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
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

    /// Appends the row of a choice, which is marked if it is the best one.
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row).
    pub fn ranked_row(
        &mut self,
        is_best: bool,
        cells: impl IntoIterator<Item = impl Into<String>>,
    ) {
        match is_best {
            true => self.marked_row("best", cells),
            false => self.row(cells),
        }
    }

    /// Appends a row that is marked: bold where text has color, of this class on a page.
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row).
    pub fn marked_row(
        &mut self,
        class: &'static str,
        cells: impl IntoIterator<Item = impl Into<String>>,
    ) {
        self.marked.push((self.rows.len(), class));
        self.row(cells);
    }

    /// What stands above its columns.
    pub fn headings(&self) -> &[String] {
        if self.has_headings { &self.rows[0] } else { &[] }
    }

    /// The cells as people read them.
    fn shown(&self, row: usize) -> impl Iterator<Item = &str> {
        let is_heading = self.has_headings && row == 0;
        let cells = self.rows[row].iter();
        cells.map(move |cell| if is_heading && cell.starts_with('_') { "" } else { cell.as_str() })
    }

    /// The class of a row that is marked.
    fn mark(&self, row: usize) -> Option<&'static str> {
        self.marked.iter().find(|(marked, _)| *marked == row).map(|(_, class)| *class)
    }

    /// Writes all rows in the form of the answer.
    ///
    /// # Errors
    ///
    /// As a writer.
    pub fn write(&self, out: &mut dyn Out) -> io::Result<()> {
        out.table(self)
    }

    /// Writes all rows below a blank line.
    ///
    /// # Errors
    ///
    /// As a writer.
    pub fn write_apart(&self, out: &mut dyn Out) -> io::Result<()> {
        writeln!(out)?;
        self.write(out)
    }

    /// All rows in aligned columns, without spaces at the ends of lines. Where the screen is too
    /// narrow the columns stand closer, and the widest one of text is folded.
    pub fn aligned(&self, screen: Option<usize>, color: bool) -> String {
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
        let mut text = String::new();
        for row in 0..self.rows.len() {
            let is_marked = color && self.mark(row).is_some();
            let cells: Vec<_> =
                self.shown(row).zip(&widths).map(|(cell, &width)| fold(cell, width)).collect();
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
                let line = line.trim_end();
                text += &match is_marked {
                    true => format!("\x1b[1m{line}\x1b[0m\n"),
                    false => format!("{line}\n"),
                };
            }
        }
        text
    }

    /// All rows as Markdown has them.
    pub fn markdown(&self) -> String {
        let empty = vec![String::new(); self.columns.len()];
        let headings = if self.has_headings { &[][..] } else { std::slice::from_ref(&empty) };
        let rows = (0..self.rows.len()).map(|row| {
            let cells = self.shown(row).map(|cell| cell.trim().replace('|', "\\|"));
            cells.collect::<Vec<String>>()
        });
        let mut text = String::new();
        for (number, cells) in headings.iter().cloned().chain(rows).enumerate() {
            let _ = writeln!(text, "| {} |", cells.join(" | "));
            if number == 0 {
                let _ = writeln!(text, "|{}", "---|".repeat(self.columns.len()));
            }
        }
        text
    }

    /// All rows for a page, in a box that scrolls on a narrow screen. Cells of text have the class
    /// `t`, headings and names of rows that begin as one of the series its color.
    pub(super) fn html(&self, series: &[String]) -> String {
        let mut html = "<div class=\"wide\"><table>".to_owned();
        for row in 0..self.rows.len() {
            let is_heading = self.has_headings && row == 0;
            let tag = if is_heading { "th" } else { "td" };
            let _ = write!(html, "<tr{}>", class(&[self.mark(row).unwrap_or_default()]));
            for (column, cell) in self.shown(row).enumerate() {
                let color = if is_heading || column == 0 { color(series, cell) } else { "" };
                let (kind, cell) = match self.columns[column] {
                    true => ("", typeset(cell)),
                    false => ("t", escape(cell)),
                };
                let _ = write!(html, "<{tag}{}>{cell}</{tag}>", class(&[kind, color]));
            }
            html += "</tr>\n";
        }
        html + "</table></div>\n"
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
}

/// A cell of numbers on a page: a minus is no hyphen, and what is missing is a dash.
fn typeset(cell: &str) -> String {
    if cell == "-" {
        return "\u{2013}".to_owned();
    }
    let mut before = ' ';
    let minus = |c: char| match (std::mem::replace(&mut before, c), c) {
        (' ' | '(', '-') => '\u{2212}',
        _ => c,
    };
    escape(&cell.chars().map(minus).collect::<String>())
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

/// A cell of comma-separated values (RFC 4180). What a spreadsheet would take for a formula gets an
/// apostrophe, numbers apart.
fn quoted(text: &str) -> String {
    let formula = text.len() > 1 && text.starts_with(['=', '+', '-', '@']);
    let text = match formula && text.parse::<f64>().is_err() {
        true => format!("'{text}"),
        false => text.to_owned(),
    };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_or_quotes_are_quoted_and_formulas_are_texts() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
        for text in ["=1+1", "+1-555", "-x", "@name"] {
            assert_eq!(quoted(text), format!("'{text}"));
        }
        assert_eq!(["-0.5", "+3", "-"].map(quoted), ["-0.5", "+3", "-"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let table = Table::of(["play", ">equity"], [["8/5 6/5", "+0.1"]]);
        assert_eq!(table.aligned(None, false), "play     equity\n8/5 6/5    +0.1\n");
    }

    #[test]
    fn a_table_fits_a_narrow_screen() {
        let table =
            Table::of(["player", "done", ">loss"], [["Ann Lee", "24/22(2) 13/11(2)", "-1"]]);
        let at = |screen| {
            let text = table.aligned(Some(screen), false);
            text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(at(32), ["Ann Lee  24/22(2) 13/11(2)    -1"]);
        assert_eq!(at(31), ["Ann Lee 24/22(2) 13/11(2)   -1"]);
        assert_eq!(at(25), ["Ann Lee 24/22(2)       -1", "        13/11(2)"]);
    }
}
