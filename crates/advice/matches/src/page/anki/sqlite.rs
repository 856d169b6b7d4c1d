//! A new SQLite database with a few tables, as bytes: format 3, pages of 4,096 bytes, no indices.
//!
//! A table is a B-tree of pages: leaves with the rows in the order of their numbers, above them pages
//! that say which number each leaf ends with. What is too long for a page goes to a chain of others.

const PAGE: usize = 4096;
/// The longest row that lies in a leaf as a whole, and what of a longer one does at least.
const LONGEST: usize = PAGE - 35;
const SHORTEST: usize = (PAGE - 12) * 32 / 255 - 23;
/// What a page of a chain holds.
const CHAINED: usize = PAGE - 4;
/// Children of a page above leaves, few enough for their longest numbers.
const CHILDREN: usize = 256;

/// A column of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// The number of the row, in the column that is its primary key.
    Key,
    /// A whole number.
    Integer(i64),
    /// Text.
    Text(String),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A table: its name, the statement that makes it, and its rows by their numbers, which rise.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) sql: &'static str,
    pub(super) rows: Vec<(i64, Vec<Cell>)>,
}

/// The database with these tables.
pub(super) fn database(tables: &[Table]) -> Vec<u8> {
    // The first page has the list of tables; it is written last.
    let mut pages = Pages(vec![[0; PAGE]]);
    let mut schema = Vec::new();
    for (number, table) in (1..).zip(tables) {
        let root = pages.tree(&table.rows);
        let cells = ["table", table.name, table.name].map(Cell::from);
        let end = [Cell::Integer(root.into()), table.sql.into()];
        schema.push((number, cells.into_iter().chain(end).collect::<Vec<_>>()));
    }
    let cells: Vec<Vec<u8>> = schema.iter().map(|(row, cells)| pages.cell(*row, cells)).collect();
    let mut first = page(13, &cells, None, 100);
    let count = (pages.0.len() as u32).to_be_bytes();
    first[..16].copy_from_slice(b"SQLite format 3\0");
    first[16..24].copy_from_slice(&[0x10, 0, 1, 1, 0, 64, 32, 32]);
    for (at, word) in [(24, 1), (40, 1), (44, 4), (56, 1), (92, 1), (96, 3_040_000)] {
        first[at..at + 4].copy_from_slice(&u32::to_be_bytes(word));
    }
    first[28..32].copy_from_slice(&count);
    pages.0[0] = first;
    pages.0.concat()
}

struct Pages(Vec<[u8; PAGE]>);

impl Pages {
    /// Adds a page; its number, from 1.
    fn add(&mut self, page: [u8; PAGE]) -> u32 {
        self.0.push(page);
        self.0.len() as u32
    }

    /// Adds the pages of a table; the number of the page where it begins.
    fn tree(&mut self, rows: &[(i64, Vec<Cell>)]) -> u32 {
        let mut level = Vec::new();
        let (mut cells, mut used, mut last) = (Vec::new(), 0, 0);
        for (row, columns) in rows {
            let cell = self.cell(*row, columns);
            // A header of eight bytes, and two for the place of each row.
            if !cells.is_empty() && 8 + used + cell.len() + 2 > PAGE {
                level.push((self.add(page(13, &cells, None, 0)), last));
                cells.clear();
                used = 0;
            }
            used += cell.len() + 2;
            last = *row;
            cells.push(cell);
        }
        level.push((self.add(page(13, &cells, None, 0)), last));
        while level.len() > 1 {
            let above = level.chunks(CHILDREN).map(|children| {
                let (&(right, last), others) = children.split_last().expect("chunks have children");
                let cell = |&(child, last): &(u32, i64)| {
                    let mut cell = child.to_be_bytes().to_vec();
                    varint(last as u64, &mut cell);
                    cell
                };
                let cells: Vec<Vec<u8>> = others.iter().map(cell).collect();
                (self.add(page(5, &cells, Some(right), 0)), last)
            });
            level = above.collect();
        }
        level[0].0
    }

    /// A row as a leaf has it; the end of a long one goes to pages of its own.
    fn cell(&mut self, row: i64, columns: &[Cell]) -> Vec<u8> {
        let (mut types, mut body) = (Vec::new(), Vec::new());
        for column in columns {
            match column {
                Cell::Key => types.push(0),
                Cell::Integer(number) => {
                    types.push(6);
                    body.extend(number.to_be_bytes());
                }
                Cell::Text(text) => {
                    varint(2 * text.len() as u64 + 13, &mut types);
                    body.extend(text.as_bytes());
                }
            }
        }
        // The size of the head counts itself, in a byte or in two.
        let size = types.len() as u64 + 1;
        let mut payload = Vec::new();
        varint(if size > 127 { size + 1 } else { size }, &mut payload);
        payload.extend(types);
        payload.extend(body);
        let mut cell = Vec::new();
        varint(payload.len() as u64, &mut cell);
        varint(row as u64, &mut cell);
        let whole = payload.len() <= LONGEST;
        let rest = SHORTEST + payload.len().saturating_sub(SHORTEST) % CHAINED;
        let here = match whole {
            true => payload.len(),
            false if rest <= LONGEST => rest,
            false => SHORTEST,
        };
        cell.extend(&payload[..here]);
        if !whole {
            let mut next = 0_u32;
            for part in payload[here..].chunks(CHAINED).rev() {
                let mut chained = [0; PAGE];
                chained[..4].copy_from_slice(&next.to_be_bytes());
                chained[4..4 + part.len()].copy_from_slice(part);
                next = self.add(chained);
            }
            cell.extend(next.to_be_bytes());
        }
        cell
    }
}

/// A page of a tree with its cells, the last of which lies first; `from`: where its header begins.
fn page(kind: u8, cells: &[Vec<u8>], right: Option<u32>, from: usize) -> [u8; PAGE] {
    let mut page = [0; PAGE];
    let mut at = PAGE;
    let mut place = from + if right.is_some() { 12 } else { 8 };
    for cell in cells {
        at -= cell.len();
        page[at..at + cell.len()].copy_from_slice(cell);
        page[place..place + 2].copy_from_slice(&(at as u16).to_be_bytes());
        place += 2;
    }
    page[from] = kind;
    page[from + 3..from + 5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
    page[from + 5..from + 7].copy_from_slice(&(at as u16).to_be_bytes());
    if let Some(right) = right {
        page[from + 8..from + 12].copy_from_slice(&right.to_be_bytes());
    }
    page
}

/// A number in groups of seven bits, the highest first; nine bytes end with eight bits.
fn varint(number: u64, to: &mut Vec<u8>) {
    if number >> 56 != 0 {
        to.extend((1..9).map(|group| (number >> (64 - 7 * group)) as u8 | 0x80));
        return to.push(number as u8);
    }
    let groups = (1..9).find(|groups| number >> (7 * groups) == 0).unwrap_or(8);
    to.extend((0..groups).rev().map(|group| {
        let bits = (number >> (7 * group)) as u8 & 0x7f;
        if group == 0 { bits } else { bits | 0x80 }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8]) -> usize {
        bytes.iter().fold(0, |number, &byte| 256 * number + usize::from(byte))
    }

    fn read_varint(bytes: &[u8], at: &mut usize) -> u64 {
        let mut number = 0;
        for place in 0..9 {
            let byte = bytes[*at];
            *at += 1;
            if place == 8 {
                return number << 8 | u64::from(byte);
            }
            number = number << 7 | u64::from(byte & 0x7f);
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    /// The rows of the tree that begins at this page, as SQLite's description of its format has it.
    fn rows(file: &[u8], root: usize, found: &mut Vec<(i64, Vec<Cell>)>) {
        let page = &file[(root - 1) * PAGE..root * PAGE];
        let from = if root == 1 { 100 } else { 0 };
        let cells = number(&page[from + 3..from + 5]);
        let (places, is_leaf) = match page[from] {
            13 => (from + 8, true),
            5 => (from + 12, false),
            kind => panic!("a page of the kind {kind}"),
        };
        for cell in 0..cells {
            let mut at = number(&page[places + 2 * cell..][..2]);
            if !is_leaf {
                rows(file, number(&page[at..at + 4]), found);
                continue;
            }
            let size = read_varint(page, &mut at) as usize;
            let row = read_varint(page, &mut at) as i64;
            let rest = SHORTEST + size.saturating_sub(SHORTEST) % CHAINED;
            let here = if size <= LONGEST {
                size
            } else if rest <= LONGEST {
                rest
            } else {
                SHORTEST
            };
            let mut payload = page[at..at + here].to_vec();
            let mut next = if here < size { number(&page[at + here..at + here + 4]) } else { 0 };
            while next != 0 {
                let page = &file[(next - 1) * PAGE..next * PAGE];
                let part = CHAINED.min(size - payload.len());
                payload.extend(&page[4..4 + part]);
                next = number(&page[..4]);
            }
            assert_eq!(payload.len(), size);
            let mut at = 0;
            let head = read_varint(&payload, &mut at) as usize;
            let (mut body, mut columns) = (head, Vec::new());
            while at < head {
                let (cell, size) = match read_varint(&payload, &mut at) as usize {
                    0 => (Cell::Key, 0),
                    6 => (Cell::Integer(number(&payload[body..body + 8]) as i64), 8),
                    text => {
                        let size = (text - 13) / 2;
                        let text = String::from_utf8(payload[body..body + size].to_vec()).unwrap();
                        (Cell::Text(text), size)
                    }
                };
                body += size;
                columns.push(cell);
            }
            found.push((row, columns));
        }
        if !is_leaf {
            rows(file, number(&page[from + 8..from + 12]), found);
        }
    }

    #[test]
    fn rows_of_every_length_are_found_again() {
        let row = |(at, size): (i64, usize)| {
            let text = "abc ".repeat(size / 4 + 1)[..size].to_owned();
            (at << 33, vec![Cell::Key, Cell::Integer(at - 5), Cell::Text(text), "".into()])
        };
        let sizes = (0..200).chain([4000, 4040, 4049, 4050, 4051, 4060, 8000, 8160, 50_000]);
        // Enough leaves for two levels above them.
        let sizes: Vec<usize> = sizes.chain(std::iter::repeat_n(3000, 300)).collect();
        let long: Vec<_> = (1..).zip(sizes).map(row).collect();
        let table = |name, rows| Table { name, sql: "CREATE TABLE x (a)", rows };
        let file = database(&[table("empty", Vec::new()), table("long", long.clone())]);
        assert_eq!(file.len() % PAGE, 0);
        assert_eq!(number(&file[28..32]), file.len() / PAGE);
        let mut schema = Vec::new();
        rows(&file, 1, &mut schema);
        let roots: Vec<usize> = schema
            .iter()
            .map(|(_, cells)| match cells[3] {
                Cell::Integer(root) => root as usize,
                ref other => panic!("{other:?}"),
            })
            .collect();
        let mut found = Vec::new();
        rows(&file, roots[0], &mut found);
        assert_eq!(found, []);
        rows(&file, roots[1], &mut found);
        assert_eq!(found, long);
    }

    #[test]
    fn numbers_have_as_few_bytes_as_they_need() {
        for (number, bytes) in
            [(0, 1), (127, 1), (128, 2), (1 << 55, 8), (1 << 56, 9), (u64::MAX, 9)]
        {
            let (mut text, mut at) = (Vec::new(), 0);
            varint(number, &mut text);
            assert_eq!((read_varint(&text, &mut at), text.len(), at), (number, bytes, bytes));
        }
    }
}
