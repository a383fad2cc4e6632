//! Tags that name the place of each output line. All places print to the same output; a reader that needs to
//! tell their lines apart sets [`VARIABLE`], and the places tag their lines.

/// Environment variable that requests the tags.
pub const VARIABLE: &str = "APG_MARK_PLACES";

/// Encloses the number of the place: the record separator, which programs do not normally print.
const MARK: char = '\u{1e}';

/// The tag of a place.
pub fn tag(place: u32) -> String {
    format!("{MARK}{place}{MARK}")
}

/// Prefixes each line of a text with the tag.
pub fn tagged(tag: &str, text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.flat_map(|line| [tag.as_bytes(), line].concat()).collect()
}

/// Splits a line into the place that its first tag names, and its text without tags.
pub fn read(line: &str) -> (Option<u32>, String) {
    let mut place = None;
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once(MARK) {
        text.push_str(before);
        let Some((number, behind)) = behind.split_once(MARK) else {
            text.push(MARK);
            rest = behind;
            break;
        };
        match number.parse() {
            Ok(number) => place = place.or(Some(number)),
            // Not a tag: the program printed these characters.
            Err(_) => text.extend([&*MARK.to_string(), number, &*MARK.to_string()]),
        }
        rest = behind;
    }
    text.push_str(rest);
    (place, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_removes_tags() {
        let text = tagged(&tag(3), b"one\ntwo");
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<_> = text.lines().map(read).collect();
        assert_eq!(lines, [(Some(3), "one".to_owned()), (Some(3), "two".to_owned())]);
        // A line written in pieces; one without a tag; a program's own marks.
        assert_eq!(read(&format!("{}a{}b", tag(1), tag(1))), (Some(1), "ab".to_owned()));
        assert_eq!(read("plain"), (None, "plain".to_owned()));
        assert_eq!(read("a\u{1e}b\u{1e}c\u{1e}d"), (None, "a\u{1e}b\u{1e}c\u{1e}d".to_owned()));
    }
}
