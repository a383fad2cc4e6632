//! Names in MIR text: plain and quoted ones, and ordinals of declarations that share a name.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// A name as a reference has it: `name`, or `name#ordinal`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    pub(super) text: SmolStr,
    /// How many earlier declarations have the same name.
    pub(super) ordinal: u32,
}

/// Writes a name after its sigil. A global name may be qualified and have type arguments in brackets.
pub(super) fn write_name(out: &mut String, text: &str, ordinal: u32, is_global: bool) {
    if text.is_empty() {
        // Nothing: the ordinal stands for it.
    } else if plain_length(text, is_global) == text.len() {
        out.push_str(text);
    } else {
        write_string(out, text);
    }
    if ordinal > 0 || text.is_empty() {
        let _ = write!(out, "#{ordinal}");
    }
}

/// The length of the plain name that a text begins with, 0 if it begins with none.
pub(super) fn plain_length(text: &str, is_global: bool) -> usize {
    if !text.starts_with(is_name_start) {
        return 0;
    }
    let mut length = 0;
    while let Some(next) = text[length..].chars().next() {
        if next.is_alphanumeric() || matches!(next, '_' | '$') || (is_global && next == '.') {
            length += next.len_utf8();
        } else if is_global && next == '[' {
            match bracketed_length(&text[length..]) {
                Some(more) => length += more,
                None => break,
            }
        } else {
            break;
        }
    }
    length
}

/// Whether a name or word may begin with this.
pub(super) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

/// The length of type arguments in balanced brackets, such as `[x10.lang.Long,x10.lang.Rail[T]]`.
fn bracketed_length(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at + 1),
            ']' => depth -= 1,
            _ if c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ',') => {}
            _ => return None,
        }
    }
    None
}

/// Writes a string in quotes, in ASCII except for printable characters.
pub(super) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    text.chars().for_each(|c| write_escaped(out, c, '"'));
    out.push('"');
}

/// Writes a character of a literal in these quotes.
pub(super) fn write_escaped(out: &mut String, c: char, quote: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\\' => out.push_str("\\\\"),
        _ if c == quote => {
            out.push('\\');
            out.push(c);
        }
        // Also invisible ones: marks of direction and zero width.
        _ if c.is_control() || (!c.is_ascii() && c.escape_debug().count() > 1) => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
        _ => out.push(c),
    }
}

/// The ordinal of each name of a list.
pub(super) fn ordinals<'n>(names: impl Iterator<Item = &'n str>) -> Vec<u32> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    let next = |name| {
        let count = counts.entry(name).or_default();
        *count += 1;
        *count - 1
    };
    names.map(next).collect()
}

/// Declarations of one kind: their indices by name.
#[derive(Clone, Debug, Default)]
pub(super) struct NameTable {
    indices: FxHashMap<Name, u32>,
    counts: FxHashMap<SmolStr, u32>,
    length: u32,
}

impl NameTable {
    /// Adds the next declaration. The error is the ordinal that it must have.
    pub(super) fn declare(&mut self, name: &Name) -> Result<u32, u32> {
        let count = self.counts.entry(name.text.clone()).or_default();
        if *count != name.ordinal {
            return Err(*count);
        }
        *count += 1;
        let index = self.length;
        self.indices.insert(name.clone(), index);
        self.length += 1;
        Ok(index)
    }

    /// Adds a declaration with the next free ordinal of its name.
    pub(super) fn declare_next(&mut self, name: &SmolStr) {
        let ordinal = self.counts.get(name).copied().unwrap_or(0);
        let added = self.declare(&Name { text: name.clone(), ordinal });
        debug_assert!(added.is_ok(), "the ordinal is the count");
    }

    /// The index of a declaration.
    pub(super) fn find(&self, name: &Name) -> Option<u32> {
        self.indices.get(name).copied()
    }

    /// The declared name that is spelt most alike, if one is.
    pub(super) fn similar(&self, name: &str) -> Option<&str> {
        let last = |it: &str| it.rsplit('.').next().unwrap_or_default().to_lowercase();
        let wanted = last(name);
        let alike = |it: &&SmolStr| last(it.as_str()) == wanted && !wanted.is_empty();
        self.counts.keys().filter(alike).min().map(SmolStr::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, ordinal: u32, is_global: bool) -> String {
        let mut out = String::new();
        write_name(&mut out, text, ordinal, is_global);
        out
    }

    #[test]
    fn names_are_quoted_unless_they_are_plain() {
        assert_eq!(written("x10.lang.Rail[x10.lang.Int]", 0, true), "x10.lang.Rail[x10.lang.Int]");
        assert_eq!(written("A[B].c", 2, true), "A[B].c#2");
        assert_eq!(written("(a:Long)=>Long", 0, true), "\"(a:Long)=>Long\"");
        assert_eq!(written("a.b", 0, false), "\"a.b\"");
        assert_eq!(written("A[B", 0, true), "\"A[B\"");
        assert_eq!(written("", 0, false), "#0");
        assert_eq!(written("\u{202e}\n\"", 0, false), "\"\\u{202e}\\n\\\"\"");
    }

    #[test]
    fn ordinals_count_equal_names() {
        assert_eq!(ordinals(["a", "b", "a", "a", "b"].into_iter()), [0, 0, 1, 2, 1]);
    }
}
