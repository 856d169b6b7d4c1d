//! How people write plays.

use super::words::looked;

/// The most characters of a play; what is behind them is said of it.
const LONGEST_PLAY: usize = 256;

/// The most bytes of a token of a play: four moves without a space between them have fewer.
const LONGEST_MOVE: usize = 64;

/// A play as the notation reads it: `25/21(2) 6/off` for `25-21x2 6 / o`; and the words beside it.
pub(super) fn play(text: &str) -> (String, String) {
    looked(text);
    let end = text.char_indices().nth(LONGEST_PLAY).map_or(text.len(), |(at, _)| at);
    let (text, behind) =
        text.split_at(text[..end].rfind(' ').filter(|_| end < text.len()).unwrap_or(end));
    let mut lower = text.to_lowercase().replace("->", "-").replace(['→', '>'], "-");
    lower = lower.replace([',', ';', '&'], " ").replace(['×', '^'], "x").replace(" x ", " x");
    lower = lower.replace(" to ", "/").replace('\\', "/").replace("..", "-").replace(" *", "*");
    lower = lower.replace('[', "(").replace(']', ")").replace(['!', '"', '\'', '+'], "");
    for c in ['/', '-'] {
        for spaced in [format!(" {c} "), format!(" {c}"), format!("{c} ")] {
            while let Some(at) = lower.find(&spaced) {
                // Dashes by themselves are no move.
                let before = lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '*');
                let behind = lower[at + spaced.len()..].starts_with(|c: char| c.is_alphanumeric());
                let joined = if before && behind { c.to_string() } else { " ".to_owned() };
                lower.replace_range(at..at + spaced.len(), &joined);
            }
        }
    }
    let (mut moves, mut words) = (Vec::<String>::new(), Vec::new());
    for token in lower.split_whitespace() {
        let token = token.trim_end_matches(['.', ';', '!', '?']);
        // `2x8/5`, and a hit behind the count.
        let before = token.split_once('x').filter(|(count, play)| is_count(count) && is_move(play));
        let (count_before, token) = before.unwrap_or(("", token));
        let late_hit = token.ends_with(")*");
        let token = if late_hit { &token[..token.len() - 1] } else { token };
        let count = token.strip_prefix('x').or(token.strip_suffix('x'));
        if let (Some(count), Some(last)) = (count.filter(|it| is_count(it)), moves.last_mut()) {
            last.push_str(&format!("({count})"));
            continue;
        }
        // A date, or pips, are none.
        let large = token.split(['/', '-']).any(|it| it.parse().is_ok_and(|it: u32| it > 99));
        let is_play =
            token.contains(['/', '-']) && token.chars().any(|c| c.is_ascii_digit()) && !large
                || (token.starts_with('(') && !moves.is_empty());
        if !is_play {
            words.push(token.to_owned());
            continue;
        }
        let (points, count) = match token.split_once(['(', 'x']) {
            Some((points, count)) => (points, count.trim_matches(['(', ')', 'x'])),
            None => (token, count_before),
        };
        // In any language: a word that a move begins with is the bar, one that it ends with is off.
        let point = |(at, point): (usize, &str)| {
            let bare = point.trim_end_matches('*');
            let hit = if bare.len() < point.len() { "*" } else { "" };
            match bare {
                _ if bare.is_empty() || !bare.chars().all(char::is_alphabetic) => point.to_owned(),
                _ if at == 0 => format!("bar{hit}"),
                _ => format!("off{hit}"),
            }
        };
        let points: Vec<String> = points.split(['/', '-']).enumerate().map(point).collect();
        let unused = points.len() == 2 && points[0] == points[1];
        if points.iter().all(String::is_empty) && !count.is_empty() {
            if let Some(last) = moves.last_mut() {
                last.push_str(&format!("({count})"));
            }
        } else if !unused {
            let count = if count.is_empty() { String::new() } else { format!("({count})") };
            let hit = if late_hit { "*" } else { "" };
            moves.push(points.join("/") + hit + &count);
        }
    }
    words.extend(behind.split_whitespace().map(str::to_lowercase));
    (moves.join(" "), words.join(" "))
}

/// The moves of a play as pairs of points, each as often as it is counted.
pub(crate) fn moves(play: &str) -> Option<Vec<(u8, u8)>> {
    let mut moves = Vec::new();
    for token in play.split_whitespace() {
        let (points, count) = token.split_once('(').unwrap_or((token, "1)"));
        let count: u8 = count.trim_end_matches(')').parse().ok()?;
        let point = |text: &str| match text.trim_end_matches('*') {
            "bar" => Some(25),
            "off" => Some(0),
            text => text.parse().ok().filter(|point| *point <= 25),
        };
        let points: Vec<u8> = points.split('/').map(point).collect::<Option<_>>()?;
        for _ in 0..count.min(4) {
            moves.extend(points.windows(2).map(|pair| (pair[0], pair[1])));
        }
    }
    (!moves.is_empty() && moves.len() <= 8).then_some(moves)
}

/// `(2)`, `(x2)`, `(2x)` behind a move.
pub(super) fn is_count(inner: &str) -> bool {
    inner.trim_matches(['x', 'X', '×']).parse::<u8>().is_ok_and(|count| count < 10)
}

/// Whether a token is a part of a play.
pub(super) fn is_move(token: &str) -> bool {
    looked(token);
    if token.len() > LONGEST_MOVE {
        return false;
    }
    token.contains(['/', '-']) && token.chars().any(|c| c.is_ascii_digit())
        || matches!(token.to_ascii_lowercase().as_str(), "bar" | "off" | "b" | "o")
}
