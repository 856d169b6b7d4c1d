//! Bytes of a file as text.

use std::borrow::Cow;

/// The text of a file: UTF-8, with or without a byte order mark, or UTF-16 with one, and
/// Windows-1252 if it is no valid UTF-8. Tells whether the last was the case.
pub(crate) fn text(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[mark..]).0, false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0, true),
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
        assert!(text(b"J\xfcrgen").1);
        assert!(!text("Jürgen".as_bytes()).1);
    }
}
