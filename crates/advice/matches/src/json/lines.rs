//! JSON of which each action is a line: people can read it, and it stays small.

use std::io;

use serde_json::ser::Formatter;

/// How many objects and lists are open around an action: the file, its matches, a match, its games,
/// a game, its actions.
const AROUND_ACTION: usize = 6;

/// Breaks lines between the keys of the file, of matches and of games, and between the objects of
/// their lists.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// How many objects and lists are open.
    depth: usize,
    /// How many were open around the object that is written on one line.
    one_line: Option<usize>,
    /// Whether the next value is one of a list.
    in_list: bool,
    /// Whether the last value of the list was an object.
    ends_object: bool,
}

impl Lines {
    fn new_line<W: ?Sized + io::Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Lines {
    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.one_line.is_none() {
            if self.in_list {
                self.new_line(writer)?;
            }
            let is_short = self.depth > 0 && !self.in_list;
            if is_short || self.depth == AROUND_ACTION {
                self.one_line = Some(self.depth);
            }
        }
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match (first, self.one_line) {
            (true, Some(_)) => return Ok(()),
            (false, Some(_)) => return writer.write_all(b", "),
            (true, None) => {}
            (false, None) => writer.write_all(b",")?,
        }
        self.new_line(writer)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.in_list = false;
        writer.write_all(b": ")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        match self.one_line {
            None => self.new_line(writer)?,
            Some(depth) if depth == self.depth => self.one_line = None,
            Some(_) => {}
        }
        self.ends_object = true;
        writer.write_all(b"}")
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.ends_object = false;
        writer.write_all(b"[")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.in_list = true;
        if first { Ok(()) } else { writer.write_all(b",") }
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.ends_object && self.one_line.is_none() {
            self.new_line(writer)?;
        }
        self.ends_object = false;
        writer.write_all(b"]")
    }
}
