//! Texts of positions that name what each side has: `3:2 5:1 hand:12 / 12:14 bar:1`.

use tavola_rules::notation::Quoted;

use crate::text::PositionTextError;

/// An item of a side: what stands before the colon, and the number behind it.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    /// As it was written.
    pub(crate) text: &'a str,
    pub(crate) name: &'a str,
    pub(crate) value: Option<&'a str>,
}

impl Item<'_> {
    /// As it was written, for errors.
    pub(crate) fn quoted(&self) -> Quoted {
        Quoted::from(self.text)
    }

    /// The number from 0 to `most`.
    pub(crate) fn number(&self, most: u8) -> Result<i8, String> {
        let value =
            self.value.ok_or_else(|| format!("{} has no number, as in 5:2", self.quoted()))?;
        let number = value.parse().ok().filter(|number| (0..=most as i8).contains(number));
        number.ok_or_else(|| format!("{} has no number from 0 to {most}", self.quoted()))
    }

    /// 1, for an item that has no number.
    pub(crate) fn flag(&self) -> Result<i8, String> {
        match self.value {
            None => Ok(1),
            Some(_) => Err(format!("{}, expected {} alone", self.quoted(), self.name)),
        }
    }

    /// The point that is named.
    pub(crate) fn point(&self, last: usize, others: &str) -> Result<usize, String> {
        let point = self.name.parse().ok().filter(|point| (1..=last).contains(point));
        point.ok_or_else(|| {
            format!(
                "unknown item {}, expected a point from 1 to {last} and a number of checkers as \
                 in 5:2, or one of {others}",
                self.quoted()
            )
        })
    }
}

/// Reads the two sides of a text, each by `side`, which takes the items of one of them.
pub(crate) fn read_sides<S>(
    game: &str,
    text: &str,
    side: impl FnMut(&mut dyn Iterator<Item = Item<'_>>) -> Result<S, String>,
) -> Result<[S; 2], PositionTextError> {
    let sides = read(game, text, &["player on roll".to_owned(), "opponent".to_owned()], side)?;
    Ok(<[S; 2]>::try_from(sides).unwrap_or_else(|_| unreachable!("there are two")))
}

/// Reads the parts of a text of more than two players.
pub(crate) fn read_parts<S>(
    game: &str,
    text: &str,
    players: usize,
    side: impl FnMut(&mut dyn Iterator<Item = Item<'_>>) -> Result<S, String>,
) -> Result<Vec<S>, PositionTextError> {
    let names: Vec<String> = (1..=players).map(|number| format!("player {number}")).collect();
    read(game, text, &names, side)
}

fn read<S>(
    game: &str,
    text: &str,
    names: &[String],
    mut side: impl FnMut(&mut dyn Iterator<Item = Item<'_>>) -> Result<S, String>,
) -> Result<Vec<S>, PositionTextError> {
    let error = |reason: String| wrong(game, text, reason);
    let parts: Vec<&str> = text.split('/').collect();
    if parts.len() != names.len() {
        let sides =
            if names.len() == 2 { "both sides" } else { &format!("{} players", names.len()) };
        return Err(error(format!("expected the checkers of {sides} with a slash between")));
    }
    let mut read = |(name, text): (&String, &str)| {
        let items = text.split(|c: char| c.is_whitespace() || c == ',');
        let mut items =
            items.filter(|item| !item.is_empty()).map(|text| match text.split_once(':') {
                Some((name, value)) => Item { text, name, value: Some(value) },
                None => Item { text, name: text, value: None },
            });
        side(&mut items).map_err(|why| error(format!("{name}: {why}")))
    };
    names.iter().zip(parts).map(&mut read).collect()
}

/// Adds what the other side has, seen by the player on roll. `conflict` says what is wrong where both
/// have a number.
pub(crate) fn join(
    own: &mut [i8],
    other: &[i8],
    conflict: impl Fn(usize) -> String,
) -> Result<(), String> {
    for (index, (cell, &other)) in own.iter_mut().zip(other).enumerate() {
        if *cell != 0 && other != 0 {
            return Err(conflict(index));
        }
        *cell += other;
    }
    Ok(())
}

/// The error of a text.
pub(crate) fn wrong(game: &str, text: &str, reason: String) -> PositionTextError {
    PositionTextError { input: text.to_owned(), game: game.to_owned(), reason }
}
