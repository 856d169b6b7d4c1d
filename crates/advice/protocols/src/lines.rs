//! Lines of bounded length from a stream of any bytes.

use std::io::{self, BufRead};

/// A line of this many times the limit is taken for one without an end, as that of a device.
const ENDLESS: usize = 1024;

/// One line of the input.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Its bytes, without the end of line.
    Text(&'a [u8]),
    /// It was longer than the limit and has been skipped.
    TooLong,
}

/// Reads lines, of which none takes more memory than the limit.
pub struct Lines<R> {
    input: R,
    limit: usize,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `input` of up to `limit` bytes.
    pub fn new(input: R, limit: usize) -> Self {
        Self { input, limit, line: Vec::new() }
    }

    /// What is read.
    pub fn get_ref(&self) -> &R {
        &self.input
    }

    /// The next line, `None` at the end of the input. The last line needs no end of line.
    ///
    /// # Errors
    ///
    /// Those of the input, and `FileTooLarge` for a line that does not seem to end.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut too_long, mut anything, mut skipped) = (false, false, 0);
        loop {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            if available.is_empty() {
                if !anything {
                    return Ok(None);
                }
                break;
            }
            anything = true;
            let end = available.iter().position(|&byte| byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            if too_long || self.line.len() + part.len() > self.limit {
                too_long = true;
                self.line.clear();
                skipped += part.len();
            } else {
                self.line.extend_from_slice(part);
            }
            if skipped / ENDLESS > self.limit {
                let reason = format!("a line has no end within {skipped} bytes");
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        if too_long {
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(Line::Text(self.line.strip_suffix(b"\r").unwrap_or(&self.line))))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn lines_end_with_either_ending_or_with_the_input() {
        let mut lines = Lines::new(&b"one\r\n\ntwo"[..], 10);
        assert_eq!(lines.next_line().unwrap(), Some(Line::Text(b"one")));
        assert_eq!(lines.next_line().unwrap(), Some(Line::Text(b"")));
        assert_eq!(lines.next_line().unwrap(), Some(Line::Text(b"two")));
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn a_line_beyond_the_limit_is_skipped_whole() {
        let mut text = vec![b'x'; 1000];
        text.extend(b"\nnext\n");
        let mut lines = Lines::new(BufReader::with_capacity(7, &text[..]), 16);
        assert_eq!(lines.next_line().unwrap(), Some(Line::TooLong));
        assert_eq!(lines.next_line().unwrap(), Some(Line::Text(b"next")));
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn a_line_without_an_end_is_an_error() {
        let mut lines = Lines::new(BufReader::new(io::repeat(b'0')), 16);
        let error = lines.next_line().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("a line has no end within "), "{error}");
    }
}
