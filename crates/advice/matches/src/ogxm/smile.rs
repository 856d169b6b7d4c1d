//! Smile, the binary JSON of BGBlitz, as far as that program writes it.

use serde_json::{Map, Value};

use super::wire::{Cursor, Wrong};

/// What every text begins with; a byte of features follows.
pub(super) const MAGIC: &[u8] = b":)\n";
/// No file of a match has lists in more lists.
const DEEPEST: usize = 32;
/// Nor more values.
const MOST_VALUES: usize = 1 << 21;
/// How many names are kept to be named again.
const MOST_NAMES: usize = 1024;

/// The value of a text.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Wrong> {
    let mut cursor = Cursor(bytes);
    if cursor.take(MAGIC.len())? != MAGIC {
        return Err("it does not begin as Smile does".to_owned());
    }
    let features = cursor.byte()?;
    let shares = [features & 1 != 0, features & 2 != 0];
    let mut reader = Reader { cursor, shares, shared: Default::default(), values: 0 };
    reader.value(0)?.ok_or_else(|| "a list ends that has not begun".to_owned())
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    /// Whether names and texts that stood there before are named by their number.
    shares: [bool; 2],
    shared: [Vec<String>; 2],
    values: usize,
}

impl Reader<'_> {
    /// A name or a text that stood there before.
    fn known(&self, which: usize, at: usize) -> Result<String, Wrong> {
        let known = self.shared[which].get(at).cloned();
        known.ok_or_else(|| format!("there is no text {at} before"))
    }

    /// Keeps a name or a text; a full table begins again.
    fn keep(&mut self, which: usize, text: String) -> String {
        let table = &mut self.shared[which];
        if self.shares[which] {
            if table.len() == MOST_NAMES {
                table.clear();
            }
            table.push(text.clone());
        }
        text
    }

    /// A short text, which may be named again.
    fn short(&mut self, length: usize) -> Result<Value, Wrong> {
        let text = self.text(length)?;
        Ok(self.keep(1, text).into())
    }

    fn text(&mut self, length: usize) -> Result<String, Wrong> {
        Ok(String::from_utf8_lossy(self.cursor.take(length)?).into_owned())
    }

    /// A number in groups of six bits at the end, seven before, sign last.
    fn integer(&mut self) -> Result<i64, Wrong> {
        let mut value: u64 = 0;
        for _ in 0..10 {
            let byte = self.cursor.byte()?;
            if byte & 0x80 != 0 {
                value = value << 6 | u64::from(byte & 0x3f);
                return Ok((value >> 1) as i64 ^ -((value & 1) as i64));
            }
            value = value << 7 | u64::from(byte);
        }
        Err("a number is too long".to_owned())
    }

    /// A float in groups of seven bits.
    fn float(&mut self, bytes: usize) -> Result<u64, Wrong> {
        let groups = self.cursor.take(bytes)?;
        Ok(groups.iter().fold(0, |bits, byte| bits << 7 | u64::from(byte & 0x7f)))
    }

    /// A value; nothing at the end of a list.
    fn value(&mut self, depth: usize) -> Result<Option<Value>, Wrong> {
        self.values += 1;
        if depth > DEEPEST || self.values > MOST_VALUES {
            return Err("it holds more than a match does".to_owned());
        }
        let token = self.cursor.byte()?;
        Ok(Some(match token {
            0x20 => Value::from(""),
            0x21 => Value::Null,
            0x22 | 0x23 => Value::from(token == 0x23),
            0x24 | 0x25 => self.integer()?.into(),
            0x28 => f64::from(f32::from_bits(self.float(5)? as u32)).into(),
            0x29 => f64::from_bits(self.float(10)?).into(),
            0x01..=0x1f => self.known(1, usize::from(token) - 1)?.into(),
            0x40..=0x5f => self.short(usize::from(token) - 0x3f)?,
            0x60..=0x7f => self.short(usize::from(token) - 0x60 + 33)?,
            0x80..=0x9f => self.short(usize::from(token) - 0x80 + 2)?,
            0xa0..=0xbf => self.short(usize::from(token) - 0xa0 + 34)?,
            0xec..=0xef => {
                let low = usize::from(self.cursor.byte()?);
                self.known(1, usize::from(token & 3) << 8 | low)?.into()
            }
            0xc0..=0xdf => {
                let value = i64::from(token - 0xc0);
                (value >> 1 ^ -(value & 1)).into()
            }
            0xe0..=0xe7 => {
                let end = self.cursor.0.iter().position(|byte| *byte == 0xfc);
                let text = self.text(end.ok_or("a text has no end")?)?;
                self.cursor.byte()?;
                text.into()
            }
            0xf8 => {
                let mut list = Vec::new();
                while let Some(value) = self.value(depth + 1)? {
                    list.push(value);
                }
                list.into()
            }
            0xf9 | 0xff => return Ok(None),
            0xfa => {
                let mut object = Map::new();
                while let Some(name) = self.name()? {
                    let value = self.value(depth + 1)?.ok_or("a key has no value")?;
                    object.insert(name, value);
                }
                object.into()
            }
            _ => return Err(format!("the value {token:#x} is of an unknown kind")),
        }))
    }

    /// The name of a key; nothing at the end of an object.
    fn name(&mut self) -> Result<Option<String>, Wrong> {
        let token = self.cursor.byte()?;
        let name = match token {
            0xfb | 0xff => return Ok(None),
            0x20 => String::new(),
            0x30..=0x33 => {
                let low = usize::from(self.cursor.byte()?);
                return self.known(0, usize::from(token & 3) << 8 | low).map(Some);
            }
            0x40..=0x7f => return self.known(0, usize::from(token) - 0x40).map(Some),
            0x80..=0xbf => self.text(usize::from(token & 0x3f) + 1)?,
            0xc0..=0xf7 => self.text(usize::from(token - 0xc0) + 2)?,
            _ => return Err(format!("the name {token:#x} is of an unknown kind")),
        };
        Ok(Some(self.keep(0, name)))
    }
}
