//! What a parsed value of JSON no longer tells of its text: keys that stand twice, and how a value
//! was written.

use std::collections::HashSet;

/// The text of the `id` of a JSON object, and the first key that stands twice in one object at any
/// depth. The text must be well formed.
pub(crate) fn scan(text: &str) -> (Option<&str>, Option<String>) {
    let bytes = text.as_bytes();
    // For each object that is open, its keys so far; an array has none.
    let mut open: Vec<Option<HashSet<String>>> = Vec::new();
    let (mut expects_key, mut is_id) = (false, false);
    let (mut id, mut twice) = (None, None);
    let (mut at, mut begin) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = end_of_string(bytes, at);
                let is_outermost = open.len() == 1;
                if let (true, Some(Some(keys))) = (expects_key, open.last_mut()) {
                    let key: String = serde_json::from_str(&text[at..end]).unwrap_or_default();
                    if is_outermost {
                        is_id = key == "id";
                    }
                    if keys.contains(&key) {
                        twice.get_or_insert(key);
                    } else {
                        keys.insert(key);
                    }
                    expects_key = false;
                }
                at = end;
                continue;
            }
            b':' if open.len() == 1 => begin = at + 1,
            opening @ (b'{' | b'[') => {
                expects_key = opening == b'{';
                open.push(expects_key.then(HashSet::new));
            }
            closing @ (b'}' | b']' | b',') => {
                if open.len() == 1 && is_id {
                    id = Some(text[begin..at].trim());
                    is_id = false;
                }
                if closing != b',' {
                    open.pop();
                }
                expects_key = closing == b',' && matches!(open.last(), Some(Some(_)));
            }
            _ => {}
        }
        at += 1;
    }
    (id, twice)
}

/// The place behind the string that begins here.
fn end_of_string(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_as_it_was_written() {
        for (text, expected) in [
            (r#"{"op":"x","id":12345678901234567890123}"#, Some("12345678901234567890123")),
            (
                r#"{"id": {"b": [1, 2], "a": "}\"," } , "op": 1}"#,
                Some(r#"{"b": [1, 2], "a": "}\"," }"#),
            ),
            (r#" {"id":1.10,"a":{"id":2}} "#, Some("1.10")),
            (r#"{"i\u0064":"é"}"#, Some("\"é\"")),
            (r#"{"a":{"id":2},"b":["id",{"id":3}],"c":"id"}"#, None),
            ("{}", None),
        ] {
            assert_eq!(scan(text), (expected, None), "{text}");
        }
    }

    #[test]
    fn keys_that_stand_twice_are_found_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":1}"#,
            r#"{"b":[{"c":0,"a":1,"a":[]}]}"#,
            r#"{"id":{"a":1,"x":{"a":1},"a":2}}"#,
        ] {
            assert_eq!(scan(text).1.as_deref(), Some("a"), "{text}");
        }
        assert_eq!(scan(r#"{"a":{"a":1},"b":{"a":["a","a"]},"":1}"#), (None, None));
        assert_eq!(scan(r#"{"id":[7],"a":1,"a":2}"#), (Some("[7]"), Some("a".to_owned())));
    }
}
