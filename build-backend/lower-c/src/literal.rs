//! String literals (C17 6.4.5, 6.4.4.4) as the bytes that they stand for.

/// The bytes of adjacent string literals without a zero at their end; `None` for wide strings, and for what
/// is no string.
pub(crate) fn string_bytes(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.trim_start();
    let mut bytes = Vec::new();
    while !rest.is_empty() {
        rest = rest.strip_prefix("u8").unwrap_or(rest).strip_prefix('"')?;
        rest = literal(rest, &mut bytes)?.trim_start();
    }
    Some(bytes)
}

/// Reads up to the quotation mark at the end of a literal; what follows it.
fn literal<'t>(mut rest: &'t str, bytes: &mut Vec<u8>) -> Option<&'t str> {
    loop {
        let mut chars = rest.chars();
        match chars.next()? {
            '"' => return Some(chars.as_str()),
            '\\' => rest = escape(chars.as_str(), bytes)?,
            other => {
                bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
                rest = chars.as_str();
            }
        }
    }
}

/// Reads an escape sequence behind its backslash.
fn escape<'t>(rest: &'t str, bytes: &mut Vec<u8>) -> Option<&'t str> {
    let first = rest.chars().next()?;
    let digits = |text: &'t str, radix: u32, most: usize| {
        let count = text.bytes().take(most).take_while(|it| char::from(*it).is_digit(radix)).count();
        Some((u32::from_str_radix(text.get(..count)?, radix).ok()?, text.get(count..)?))
    };
    let (value, rest) = match first {
        '0'..='7' => digits(rest, 8, 3)?,
        'x' => digits(&rest[1..], 16, 8)?,
        'u' | 'U' => {
            let (value, rest) = digits(&rest[1..], 16, if first == 'u' { 4 } else { 8 })?;
            bytes.extend_from_slice(char::from_u32(value)?.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(rest);
        }
        _ => {
            let value = match first {
                'a' => 7,
                'b' => 8,
                'e' => 27,
                'f' => 12,
                'n' => 10,
                'r' => 13,
                't' => 9,
                'v' => 11,
                '"' | '\'' | '\\' | '?' => first as u32,
                _ => return None,
            };
            (value, &rest[1..])
        }
    };
    bytes.push(value as u8);
    Some(rest)
}

/// A string constant of C.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' if byte != b'?' => out.push(char::from(byte)),
            byte => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{quoted, string_bytes};

    #[test]
    fn adjacent_literals_are_joined() {
        assert_eq!(string_bytes(r#""a\tb" u8"\x41\101\"" "\u00e9""#), Some("a\tbAA\"\u{e9}".into()));
        assert_eq!(string_bytes(""), Some(Vec::new()));
    }

    #[test]
    fn what_is_no_string_of_bytes_has_none() {
        for text in [r#"L"wide""#, "name", r#""open"#, r#""\q""#, r#""\x""#] {
            assert_eq!(string_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn strings_have_no_trigraphs_and_no_control_characters() {
        assert_eq!(quoted("a\"\\?\n"), "\"a\\\"\\\\\\077\\012\"");
    }
}
