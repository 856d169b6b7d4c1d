//! Bytes of a file as text.

use std::borrow::Cow;

/// The text of a file: UTF-8 or UTF-16, with or without a byte order mark. Lines that are
/// no valid UTF-8 are in the character set that an SGF names (`CA[ISO-8859-2]`), otherwise in
/// Windows-1252: files are put together from others. Tells whether any was guessed.
pub(crate) fn text(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[mark..]).0, false);
    }
    if let Some(encoding) = without_mark(bytes) {
        return (encoding.decode_without_bom_handling(bytes).0, false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => {
            let named = named(&bytes[..bytes.len().min(4096)]);
            let encoding = named.unwrap_or(encoding_rs::WINDOWS_1252);
            let line = |bytes| match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => encoding.decode_without_bom_handling(bytes).0,
            };
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            (lines.map(line).collect::<String>().into(), named.is_none())
        }
    }
}

/// UTF-16 without a mark: every other byte of the head is zero.
fn without_mark(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = &bytes[..bytes.len().min(64) / 2 * 2];
    let zeros = |side| head.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count();
    let most = head.len() * 2 / 5;
    match (zeros(0), zeros(1)) {
        _ if head.len() < 16 => None,
        (0, behind) if behind > most => Some(encoding_rs::UTF_16LE),
        (before, 0) if before > most => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// The character set that the head of an SGF names.
fn named(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let at = head.windows(3).position(|bytes| bytes == b"CA[")? + 3;
    let end = head[at..].iter().position(|&byte| byte == b']')?;
    let named = encoding_rs::Encoding::for_label(head[at..at + end].trim_ascii());
    named.filter(|encoding| *encoding != encoding_rs::UTF_8)
}

/// A text without what would act on a terminal that shows it: control characters, but for the ends
/// of lines and tabs, and marks of direction.
pub(crate) fn clean(text: &mut String) {
    let acts = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(
                c,
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            )
    };
    if text.contains(acts) {
        text.retain(|c| !acts(c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_out_of_every_encoding() {
        for bytes in [
            "Jürgen".as_bytes(),
            b"\xef\xbb\xbfJ\xc3\xbcrgen",
            b"J\xfcrgen",
            b"\xff\xfeJ\0\xfc\0r\0g\0e\0n\0",
        ] {
            assert_eq!(text(bytes).0, "Jürgen", "{bytes:?}");
        }
        assert_eq!(text(b"J\xfcrgen\nJ\xc3\xb6rg\n").0, "Jürgen\nJörg\n");
        assert_eq!(
            text(b"(;CA[ISO-8859-2]PW[\xa3ukasz \xafak])"),
            ("(;CA[ISO-8859-2]PW[Łukasz Żak])".into(), false)
        );
        assert_eq!(text(b"(;CA[nonsense]PW[J\xfcrg])"), ("(;CA[nonsense]PW[Jürg])".into(), true));
        assert!(text(b"J\xfcrgen").1);
        assert!(!text("Jürgen".as_bytes()).1);
    }
}
