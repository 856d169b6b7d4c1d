//! Match text out of what mails and pages wrap it in.

use std::borrow::Cow;

/// A text without marks of quotation, and with the characters that HTML, quoted-printable mail or a
/// string of a program write otherwise.
pub(super) fn unwrap(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if !text.trim().contains('\n') && text.contains("\\n") {
        text = text.replace("\\r", "").replace("\\n", "\n").replace("\\t", "\t").into();
    }
    if text.contains("=3D") || text.contains("=20\n") {
        text = quoted_printable(&text).into();
    }
    if ["<br", "<pre", "<td", "&gt;", "&nbsp;"].iter().any(|mark| text.contains(mark)) {
        text = html(&text).into();
    }
    let filled = text.lines().filter(|line| !line.trim().is_empty()).count();
    if 3 * text.lines().filter(|line| line.starts_with(['>', '|'])).count() > filled {
        text = text.lines().map(|line| unquoted(line).to_owned() + "\n").collect::<String>().into();
    }
    text
}

/// A line without `> ` before it.
fn unquoted(mut line: &str) -> &str {
    loop {
        let bare = line.trim_start_matches(['>', '|']);
        match bare.strip_prefix(' ') {
            Some(rest) if bare.len() < line.len() => line = rest,
            _ => return bare,
        }
    }
}

/// `=3D` and lines that end in `=`, as mails have them.
fn quoted_printable(text: &str) -> String {
    let text = text.replace("=\n", "");
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_str());
    while let Some((before, after)) = rest.split_once('=') {
        bytes.extend(before.bytes());
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(b'='));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The text of a page: rows of a table are lines, cells are apart.
fn html(text: &str) -> String {
    let lines = text.contains('\n');
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    // Behind the last one no tag ends.
    let last = text.rfind('>').unwrap_or(0);
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let ends = text.len() - after.len() <= last;
        let begins = ends && (after.starts_with(['/', '!']) || is_tag(after));
        let tag = if begins { after.split_once('>') } else { None };
        let Some((tag, behind)) = tag else {
            out.push('<');
            rest = after;
            continue;
        };
        let name = tag.trim_start_matches('/').to_ascii_lowercase();
        if name.starts_with("td") || name.starts_with("th") {
            out.push_str("   ");
        } else if ["br", "tr", "p", "div"].contains(&name.trim_end_matches([' ', '/']))
            && !(lines && behind.starts_with('\n'))
        {
            out.push('\n');
        }
        rest = behind;
    }
    out.push_str(rest);
    for (from, to) in
        [("&gt;", ">"), ("&lt;", "<"), ("&nbsp;", " "), ("&quot;", "\""), ("&#39;", "'")]
    {
        out = out.replace(from, to);
    }
    out.replace("&amp;", "&")
}

/// Whether what stands behind an angle is a tag of HTML: a clock is none.
fn is_tag(text: &str) -> bool {
    const NAMES: &str = "a b br body code div font head hr html i meta p pre span style table tbody td \
        th title tr tt u";
    let end = text.bytes().take(8).position(|c| b" />\n".contains(&c)).unwrap_or(0);
    NAMES.split(' ').any(|it| it.eq_ignore_ascii_case(&text[..end]))
}
