//! The name that a mistyped one is most like.

/// The name that `text` was probably meant to be, if one is near enough.
///
/// ```
/// use tavola_rules::nearest;
///
/// let presets = ["fast", "normal", "wide", "full"];
/// assert_eq!(nearest("nromal", presets), Some("normal"));
/// assert_eq!(nearest("norm", presets), Some("normal"));
/// assert_eq!(nearest("deep", presets), None);
/// ```
pub fn nearest<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer texts are no names.
    const LONGEST: usize = 40;
    let typed: Vec<char> = text.trim().to_lowercase().chars().take(LONGEST + 1).collect();
    if typed.len() > LONGEST {
        return None;
    }
    let distance = |name: &str| {
        let meant: Vec<char> = name.to_lowercase().chars().collect();
        let begins = typed.len() > 1 && meant.starts_with(&typed);
        let distance = if begins { 1 } else { edits(&typed, &meant) };
        // An edit for each third letter: more, and it is another word.
        (3 * distance <= typed.len().max(meant.len())).then_some(distance)
    };
    let near = names.into_iter().filter_map(|name| Some((distance(name)?, name)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// The [`nearest`] name as the end of a message, such as ` (did you mean normal?)`; empty if no
/// name is near.
pub fn did_you_mean<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(text, names).map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

/// Letters to add, to leave out, to change, or to exchange with the next one.
pub(crate) fn edits(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = rows[i][j] + usize::from(x != y);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_other_words_are_not() {
        let games = ["backgammon", "nackgammon", "hypergammon", "tabula", "puff"];
        for (typed, meant) in [
            ("nackgamon", Some("nackgammon")),
            ("Backgammon ", Some("backgammon")),
            ("hyper", Some("hypergammon")),
            ("tabual", Some("tabula")),
            ("chess", None),
            ("ludo", None),
            ("p", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, games), meant, "{typed}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), games), None);
        assert_eq!(did_you_mean("tabulla", games), " (did you mean tabula?)");
        assert_eq!(did_you_mean("chess", games), "");
    }
}
