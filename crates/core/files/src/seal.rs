//! A checksum inside a JSON object, so that the text stays JSON.
//!
//! The last member of a sealed object is `"crc32":"xxxxxxxx"`: the CRC-32 of all text before the
//! comma in front of it, in eight hexadecimal digits.

use std::io;

use crate::crc32;

/// What stands before the digits.
const BEFORE: &[u8] = br#","crc32":""#;

/// What stands behind them.
const AFTER: &[u8] = br#""}"#;

/// Puts a checksum into the text of an object that is not empty.
pub fn seal(object: &str) -> String {
    let text = object.trim_end();
    let text = text.strip_suffix('}').unwrap_or(text).trim_end();
    format!("{text},\"crc32\":\"{:08x}\"}}", crc32(text.as_bytes()))
}

/// The text without its checksum; text that never had one as it is.
///
/// # Errors
///
/// `InvalidData` if the checksum is another one.
pub fn unseal(text: &[u8]) -> io::Result<Vec<u8>> {
    let sealed = text.trim_ascii_end();
    let parts = sealed.strip_suffix(AFTER).and_then(|rest| {
        let (rest, digits) = rest.split_last_chunk::<8>()?;
        Some((rest.strip_suffix(BEFORE)?, digits))
    });
    let Some((content, digits)) = parts else { return Ok(text.to_vec()) };
    let found = format!("{:08x}", crc32(content));
    if found.as_bytes() != digits {
        let expected = String::from_utf8_lossy(digits);
        let reason = format!("its checksum is {found}, expected {expected:?}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    Ok([content, b"}"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_object_is_json_and_comes_back() {
        for text in [r#"{"a":1,"b":[2.5]}"#, "{\n  \"a\": 1\n}\n"] {
            let sealed = seal(text);
            let value: serde_json::Value = serde_json::from_str(&sealed).unwrap();
            assert_eq!(value["a"], 1);
            let back: serde_json::Value =
                serde_json::from_slice(&unseal(sealed.as_bytes()).unwrap()).unwrap();
            assert_eq!(back, serde_json::from_str::<serde_json::Value>(text).unwrap());
            assert_eq!(unseal(text.as_bytes()).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn a_changed_number_is_noticed() {
        let sealed = seal(r#"{"round":4,"games":1000}"#);
        let changed = sealed.replace("\"round\":4", "\"round\":5");
        let error = unseal(changed.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("its checksum is"), "{error}");
    }
}
