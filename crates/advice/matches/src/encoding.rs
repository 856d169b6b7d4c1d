//! Bytes of a file as text.

use std::borrow::Cow;

/// The text of a file: UTF-8, with or without a byte order mark, or UTF-16 with one. Lines that are
/// no valid UTF-8 are Windows-1252: files are put together from others. Tells whether any was.
pub(crate) fn text(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[mark..]).0, false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (
            bytes.split_inclusive(|&byte| byte == b'\n').map(line).collect::<String>().into(),
            true,
        ),
    }
}

fn line(bytes: &[u8]) -> Cow<'_, str> {
    let western = || encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0;
    std::str::from_utf8(bytes).map_or_else(|_| western(), Cow::Borrowed)
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
        assert!(text(b"J\xfcrgen").1);
        assert!(!text("Jürgen".as_bytes()).1);
    }
}
