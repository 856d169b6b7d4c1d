//! SGF as such: trees of nodes with properties, whatever game they are of.

use crate::reading::{Notes, ReadError, ReadWatch, beginning, check_numbers};
use crate::record::Property;

/// More nodes than this are no record of games.
const MOST_NODES: usize = 1 << 20;

/// More values than this are no record of games.
const MOST_VALUES: usize = 1 << 22;

/// A game tree: its main line, which is the first variation everywhere.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The nodes of the main line; the first one is the root.
    pub(super) nodes: Vec<Node>,
    /// The line where it begins, from 1.
    pub(super) line: usize,
    /// Variations beside the main line, which are left out.
    pub(super) variations: usize,
}

/// A node.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// What it says, in order.
    pub(super) properties: Vec<Property>,
    /// The line where it begins, from 1.
    pub(super) line: usize,
}

impl Node {
    /// The first value of a property.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let named = self.properties.iter().find(|property| property.name == name);
        named.and_then(|property| property.values.first()).map(String::as_str)
    }

    /// All values of a property.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.properties.iter().filter(move |property| property.name == name);
        named.flat_map(|property| property.values.iter().map(String::as_str))
    }
}

/// Whether a text begins as SGF does, or a record of backgammon stands behind other lines.
pub(crate) fn is_sgf(text: &str) -> bool {
    start(text).is_some()
}

/// Where the records of a text begin: at a parenthesis and a semicolon.
fn start(text: &str) -> Option<usize> {
    let rest = text.trim_start().strip_prefix('(').map(str::trim_start);
    let at_once = rest.is_some_and(|rest| rest.starts_with(';'));
    let root = |at: &usize| text[*at..].split(']').take(8).any(|it| it.ends_with("GM[6"));
    if at_once { Some(0) } else { text.find("(;").filter(root) }
}

/// One level of parentheses.
struct Level {
    /// Whether its nodes belong to the main line.
    main: bool,
    /// Whether a variation has begun in it.
    branched: bool,
}

struct Parser<'a> {
    text: &'a str,
    watch: ReadWatch<'a>,
    /// The next byte.
    at: usize,
    line: usize,
    nodes: usize,
    values: usize,
    notes: Notes,
}

/// The game trees of a text, and what had to be mended.
pub(super) fn parse(text: &str, watch: ReadWatch<'_>) -> Result<(Vec<Tree>, Notes), ReadError> {
    let at = start(text).unwrap_or(0);
    let line = text[..at].matches('\n').count() + 1;
    let notes = Notes::default();
    let mut parser = Parser { text, watch, at, line, nodes: 0, values: 0, notes };
    let trees = parser.trees()?;
    if trees.is_empty() {
        return Err(ReadError::Unknown { begins: beginning(text) });
    }
    Ok((trees, parser.notes))
}

impl Parser<'_> {
    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(self.line, text);
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn trees(&mut self) -> Result<Vec<Tree>, ReadError> {
        let mut trees: Vec<Tree> = Vec::new();
        let mut levels: Vec<Level> = Vec::new();
        // Whether properties belong to the last node of the last tree.
        let mut in_node = false;
        let mut strange = false;
        while let Some(c) = self.peek() {
            match c {
                _ if c.is_whitespace() => {
                    self.next();
                }
                '(' => {
                    self.watch.check()?;
                    self.next();
                    in_node = false;
                    let main = match levels.last_mut() {
                        None => {
                            trees.push(Tree { line: self.line, ..Tree::default() });
                            check_numbers(0, trees.len(), self.line)?;
                            true
                        }
                        Some(level) => {
                            let first = !level.branched;
                            level.branched = true;
                            let main = level.main && first;
                            if level.main && !first {
                                trees.last_mut().expect("a level has a tree").variations += 1;
                            }
                            main
                        }
                    };
                    levels.push(Level { main, branched: false });
                }
                ')' => {
                    self.next();
                    in_node = false;
                    if levels.pop().is_none() {
                        self.note("a closing parenthesis too many is left out");
                    }
                }
                ';' => {
                    self.watch.check()?;
                    self.next();
                    let level = levels.last();
                    in_node = level.is_some_and(|level| level.main && !level.branched);
                    if let Some(tree) = trees.last_mut().filter(|_| in_node) {
                        self.nodes += 1;
                        if self.nodes > MOST_NODES {
                            return Err(self.too_many("nodes", MOST_NODES));
                        }
                        tree.nodes.push(Node { properties: Vec::new(), line: self.line });
                    }
                }
                _ if c.is_ascii_alphabetic() && !levels.is_empty() => {
                    let property = self.property()?;
                    let node = trees.last_mut().and_then(|tree| tree.nodes.last_mut());
                    if let (Some(node), true) = (node, in_node) {
                        if is_name(&property.name) {
                            if node.properties.is_empty() {
                                // Most nodes have one.
                                node.properties.reserve_exact(1);
                            }
                            node.properties.push(property);
                        } else if !strange {
                            strange = true;
                            let name = beginning(&property.name);
                            self.note(format!("a property cannot be called {name:?}; left out"));
                        }
                    }
                }
                '[' if !levels.is_empty() => {
                    let value = self.value()?;
                    self.note(format!("the value {:?} has no property", beginning(&value)));
                }
                _ => {
                    self.next();
                    if !strange {
                        self.note(format!("{c:?} and the like between nodes are left out"));
                        strange = true;
                    }
                }
            }
        }
        if !levels.is_empty() {
            self.note("the file ends within a game, a closing parenthesis is missing");
        }
        trees.retain(|tree| !tree.nodes.is_empty());
        Ok(trees)
    }

    fn too_many(&self, what: &str, most: usize) -> ReadError {
        let text = format!("more than {most} {what}, expected a record of games");
        ReadError::Malformed { line: self.line, text }
    }

    /// A name, and its values. Lower-case letters of names are those of an old version of SGF.
    fn property(&mut self) -> Result<Property, ReadError> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            self.next();
        }
        let name = self.text[start..self.at].chars().filter(|c| !c.is_ascii_lowercase()).collect();
        let mut values = Vec::with_capacity(1);
        loop {
            while self.peek().is_some_and(char::is_whitespace) {
                self.next();
            }
            if self.peek() != Some('[') {
                break;
            }
            values.push(self.value()?);
        }
        if values.is_empty() {
            // Written again it has brackets.
            values.push(String::new());
        }
        Ok(Property { name, values })
    }

    /// What stands between brackets, unescaped.
    fn value(&mut self) -> Result<String, ReadError> {
        self.watch.check()?;
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(self.too_many("values", MOST_VALUES));
        }
        self.next();
        let mut value = String::new();
        loop {
            match self.next() {
                Some(']') => return Ok(value),
                Some('\\') => match self.next() {
                    // An escaped end of a line is none.
                    Some('\n') | None => {}
                    Some('\r') => {
                        if self.peek() == Some('\n') {
                            self.next();
                        }
                    }
                    Some(c) => value.push(c),
                },
                Some('\r') if self.peek() == Some('\n') => {}
                Some(c) => value.push(c),
                None => {
                    self.note("the file ends within a value, a closing bracket is missing");
                    return Ok(value);
                }
            }
        }
    }
}

/// A value as it is written between brackets.
pub(super) fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        if matches!(c, ']' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// Whether a property can have this name: capitals, and digits behind them.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.len() <= 32
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}
