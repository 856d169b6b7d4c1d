//! What words of match text mean, in the languages that it is written in, and plain characters for
//! those that look like them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::cells::Cell;

#[cfg(test)]
thread_local! {
    /// The bytes that were looked at.
    pub(super) static LOOKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts, in tests, that a text is looked at.
pub(super) fn looked(text: &str) {
    #[cfg(test)]
    LOOKED.set(LOOKED.get() + text.len());
    #[cfg(not(test))]
    let _ = text;
}

/// A line in the characters that the usual files have: digits of any script, full-width letters and
/// signs, dice faces, dashes and arrows as those of ASCII, without marks that take no room.
pub(super) fn plain(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\u{ff01}'..='\u{ff5e}' => text.extend(char::from_u32(u32::from(c) - 0xfee0)),
            '\u{2680}'..='\u{2685}' => text.extend(char::from_digit(u32::from(c) - 0x267f, 10)),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => {}
            '\u{ad}' | '\u{feff}' => {}
            '\u{2010}'..='\u{2015}' | '\u{2212}' => text.push('-'),
            _ => match DIGITS.iter().find(|zero| (**zero..**zero + 10).contains(&u32::from(c))) {
                Some(zero) => text.extend(char::from_digit(u32::from(c) - zero, 10)),
                None => text.push(c),
            },
        }
    }
    Cow::Owned(text)
}

/// The zeros of scripts with ten digits in order: Arabic, Persian, Devanagari, Bengali, Thai.
const DIGITS: [u32; 5] = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

/// Words that are looked for so often that they are taken apart once.
type Words = LazyLock<Vec<&'static str>>;

fn list(words: &'static str) -> Vec<&'static str> {
    words.split('|').collect()
}

/// The numbers that words stand for.
static NUMERALS: LazyLock<HashMap<&str, u16>> = LazyLock::new(|| {
    const WORDS: [&str; 6] = [
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
         sixteen seventeen eighteen nineteen twenty",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn",
        "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze",
        "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici \
         quindici",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
        "um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze",
    ];
    WORDS.iter().flat_map(|words| words.split_whitespace().zip(1..)).collect()
});

/// A number in digits or as a word.
pub(super) fn numeral(word: &str) -> Option<u16> {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return word.parse().ok();
    }
    NUMERALS.get(word).or_else(|| NUMERALS.get(word.to_lowercase().as_str())).copied()
}

/// What a word by itself means.
pub(super) fn word(token: &str) -> Option<Cell> {
    let end = token.find(|c: char| !c.is_alphabetic()).unwrap_or(token.len());
    // All of them have as many letters.
    let letters = token.get(..end).filter(|it| (3..=9).contains(&it.len()))?;
    Some(match letters.to_ascii_lowercase().as_str() {
        "doubles" | "double" | "redoubles" | "redouble" => Cell::Double,
        "takes" | "take" => Cell::Take,
        "accepts" | "accept" => Cell::Accept,
        "drops" | "drop" | "passes" | "pass" => Cell::Drop,
        "beavers" | "beaver" => Cell::Beaver,
        "raccoons" | "raccoon" | "racoons" | "racoon" => Cell::Raccoon,
        "refuses" | "refuse" | "rejects" | "reject" | "declines" | "decline" => Cell::Refuse,
        "wins" | "win" | "won" => Cell::Wins(0),
        "losses" | "loses" | "lost" | "loss" => Cell::Loses(0),
        "set" => Cell::SetUp(String::new()),
        "resigns" | "resign" | "resigned" | "concedes" | "concede" | "conceded" | "forfeits"
        | "timeout" => Cell::Resign(None),
        _ => return None,
    })
}

/// What a cell that begins with a word of another language means.
pub(super) fn foreign(text: &str) -> Option<Cell> {
    static DOUBLES: Words = LazyLock::new(|| {
        list("doubl|verdop|raddop|dobl|redo|dubl|podw|tupl|dubb|katl|turn|διπλ|удв|ダブ|加倍")
    });
    static TAKES: Words = LazyLock::new(|| {
        list(
            "accet|acept|akzep|nimmt|prend|neemt|tar|przyj|otta|accep|aceit|tage|took|kabul|\
            přij|elfogad|δέχ|прин|テイク|接受",
        )
    });
    static DROPS: Words = LazyLock::new(|| {
        list(
            "pass|rifiut|refus|rechaz|recus|lehnt|fold|odrz|avsl|afsl|redd|odmí|eldob|αρν|отк|パス|拒",
        )
    });
    static RESIGNS: Words = LazyLock::new(|| {
        list(
            "aufgeg|gibt|gives|abandon|abband|ritir|se rind|retir|disconn|quit|time out|\
        poddaj|luop|surrend|desist|geeft op|ger upp|giver op|antaut|terk|εγκατ|παραιτ|сда|pes e|\
        vzdá|felad|リザイン|投了|认输|認輸",
        )
    });
    // No root has more characters.
    let said: String = text.chars().take(16).flat_map(char::to_lowercase).collect();
    let begins = |roots: &[&str]| roots.iter().any(|root| said.starts_with(root));
    Some(match () {
        () if begins(&DOUBLES) => Cell::Double,
        () if begins(&TAKES) => Cell::Accept,
        () if begins(&DROPS) => Cell::Refuse,
        () if begins(&RESIGNS) => Cell::Resign(None),
        () => return None,
    })
}

/// `Gewinnt 2 Punkte`, `Perde 1 ponto`: a word of any language before a number of points.
pub(super) fn said_points(text: &str) -> Option<Cell> {
    looked(text);
    if let Some(won) = won_points(text) {
        return Some(won);
    }
    // A sentence has more.
    let words: Vec<&str> = text.split_whitespace().take(9).collect();
    let [said, count, unit, after @ ..] = words.as_slice() else { return None };
    let letters = |word: &&str| word.chars().all(|c| c.is_alphabetic() || c == ':');
    let said = Some(said).filter(|it| letters(it) && after.iter().all(letters))?.to_lowercase();
    let points = numeral(count).map(u32::from).filter(|_| is_points(unit) && after.len() < 5)?;
    let losing = ["verl", "perd", "pierd", "förl", "taber", "tap", "häviä", "przeg", "проиг"];
    Some(match losing.iter().any(|root| said.starts_with(root)) {
        true => Cell::Loses(points),
        false => Cell::Wins(points),
    })
}

/// `2 puan kazanır`, `2ポイント獲得`: a result that begins with its number.
pub(super) fn won_points(text: &str) -> Option<Cell> {
    looked(text);
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (count, behind) = text.split_at(digits);
    let points = count.parse().ok()?;
    let unit = behind.trim_start().split(' ').next().unwrap_or_default();
    let won = || ["kazan", "獲得", "勝"].iter().any(|won| behind.contains(won));
    (is_points(unit) && won()).then_some(Cell::Wins(points))
}

/// Whether a word is `points` in a language that match files are written in.
pub(super) fn is_points(word: &str) -> bool {
    static ROOTS: Words = LazyLock::new(|| {
        list("point|pts|pt|pnt|punkt|punt|pont|pist|poen|poäng|puan|bod|πόντ|ポイント|点|очк|пункт")
    });
    let word = word.trim_end_matches(['.', '!', ',']).to_lowercase();
    ROOTS.iter().any(|root| word.starts_with(root)) && word.chars().all(char::is_alphabetic)
}

/// What is said of a roll that can't be played.
pub(super) fn is_dance(text: &str) -> bool {
    looked(text);
    static WORDS: Words = LazyLock::new(|| {
        list(
            "dance|dances|danced|cannotmove|cantmove|nomove|noplay|nomoves|nolegalmove|fan|\
        fans|oo|pass|passes",
        )
    });
    let letters: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    let letters = letters.to_lowercase();
    letters.is_empty() || WORDS.contains(&letters.as_str())
}

/// The first number of a text, in digits or as a word.
pub(super) fn number(text: &str) -> Option<u32> {
    let digits = text.chars().skip_while(|c| !c.is_ascii_digit());
    let digits: String = digits.take_while(char::is_ascii_digit).collect();
    let word = || text.split_whitespace().find_map(numeral).map(u32::from);
    if digits.is_empty() { word() } else { digits.parse().ok() }
}
