//! Comments: lines of RTF, of which records have the numbers.

/// The comments of a file as plain text.
pub(super) fn comments(bytes: &[u8]) -> Vec<String> {
    if bytes.is_empty() {
        return Vec::new();
    }
    let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes);
    text.split("\r\n").map(|line| plain(&line.replace("\u{1}\u{2}", "\r\n"))).collect()
}

/// RTF without its formatting.
fn plain(rtf: &str) -> String {
    if !rtf.trim_start().starts_with("{\\rtf") {
        return rtf.trim().to_owned();
    }
    let mut text = String::new();
    let mut chars = rtf.chars().peekable();
    let mut depth = 0_usize;
    // The depth of the group that is passed over, such as a table of fonts.
    let mut hidden: Option<usize> = None;
    while let Some(c) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => {
                if hidden == Some(depth) {
                    hidden = None;
                }
                depth = depth.saturating_sub(1);
            }
            '\r' | '\n' => {}
            '\\' => {
                let mut word = String::new();
                while let Some(letter) = chars.next_if(char::is_ascii_alphabetic) {
                    word.push(letter);
                }
                if word.is_empty() {
                    match chars.next() {
                        Some('\'') => {
                            let code: String = chars.by_ref().take(2).collect();
                            if let (Ok(code), None) = (u8::from_str_radix(&code, 16), hidden) {
                                let byte = [code];
                                let decoded = encoding_rs::WINDOWS_1252.decode(&byte).0;
                                text.push_str(&decoded);
                            }
                        }
                        Some('*') => {
                            hidden.get_or_insert(depth);
                        }
                        Some(c @ ('\\' | '{' | '}')) if hidden.is_none() => text.push(c),
                        Some('~') if hidden.is_none() => text.push(' '),
                        _ => {}
                    }
                    continue;
                }
                let mut number = String::new();
                if let Some(sign) = chars.next_if_eq(&'-') {
                    number.push(sign);
                }
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                chars.next_if_eq(&' ');
                match word.as_str() {
                    "fonttbl" | "colortbl" | "stylesheet" | "info" | "pict" => {
                        hidden.get_or_insert(depth);
                    }
                    "par" | "line" if hidden.is_none() => text.push('\n'),
                    "tab" if hidden.is_none() => text.push(' '),
                    "u" if hidden.is_none() => {
                        // A character that older programs can't show follows.
                        let code = number.parse::<i32>().unwrap_or(0) & 0xffff;
                        text.extend(char::from_u32(code.cast_unsigned()));
                        if chars.peek() == Some(&'\\') {
                            let mut ahead = chars.clone();
                            ahead.next();
                            if ahead.next() == Some('\'') {
                                chars = ahead;
                                chars.by_ref().take(2).for_each(drop);
                            }
                        } else {
                            chars.next_if(|&c| !matches!(c, '{' | '}'));
                        }
                    }
                    _ => {}
                }
            }
            _ if hidden.is_none() => text.push(c),
            _ => {}
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_goes_and_text_stays() {
        let rtf = "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\*\\generator X;}\\f0\\fs20 Wait\\'e9, \
            \\{x\\}\\par next \\u233?t\\'e9}";
        assert_eq!(plain(rtf), "Waité, {x}\nnext été");
        let file = b"{\\rtf1 one\x01\x02 two}\r\nthree\r\n";
        assert_eq!(comments(file), ["one two", "three", ""]);
        for cut in ["{\\rtf", "{\\rtf1\\'", "{\\rtf1 \\u-", "{\\rtf1 }}}}\\", "{\\rtf1\\u65"] {
            plain(cut);
        }
    }
}
