//! Tables of figures and texts as an answer prints them.

use std::io::{self, Write};

pub use tavola_files::report::{Out, Table};

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

/// Prints an answer in a [`OutputForm`], and keeps its tables for a file.
pub struct Printer<'a> {
    to: &'a mut dyn Write,
    form: OutputForm,
    /// Columns of the screen, if there is one.
    screen: Option<usize>,
    /// Whether text has color.
    pub color: bool,
    /// The line of the input that is answered, and the headings of the last table of one.
    line: Option<u64>,
    headings: Vec<String>,
    /// The last two bytes that were written.
    end: [u8; 2],
    /// The comma-separated values for a file, if there is one.
    pub file: Option<Vec<u8>>,
    has_table: bool,
    /// Whether text that follows is not printed.
    is_whole: bool,
    /// Whether tables that follow are not among the values.
    has_all_values: bool,
}

impl<'a> Printer<'a> {
    /// Nothing was printed so far, without color and for no file.
    pub fn new(to: &'a mut dyn Write, form: OutputForm, screen: Option<usize>) -> Self {
        Self {
            to,
            form,
            screen,
            color: false,
            line: None,
            headings: Vec::new(),
            end: *b"\n\n",
            file: None,
            has_table: false,
            is_whole: false,
            has_all_values: false,
        }
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
            OutputForm::Text => self.write_all(table.aligned(self.screen, self.color).as_bytes()),
            OutputForm::Markdown => {
                // Without an empty line it would be a part of the paragraph before.
                if self.end != *b"\n\n" {
                    writeln!(self)?;
                }
                self.write_all(table.markdown().as_bytes())
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

    fn is_markdown(&self) -> bool {
        self.form == OutputForm::Markdown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn programs_read_one_number_a_cell_under_a_name() {
        let mut table = Table::new([">_rank", "play", ">cubeful", ">loss", ">MWC"]);
        table.ranked_row(true, ["1", "8/5 6/5", "+0.246", "", "53.10 %"]);
        table.row(["2", "24/23, 13/10", "~-0.005", "-0.251 ± 0.021", "50.00 %"]);
        let printed = |form, color, lines: &[Option<u64>]| {
            let mut text = Vec::new();
            let mut printer = Printer { color, ..Printer::new(&mut text, form, None) };
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
