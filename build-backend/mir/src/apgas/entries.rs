//! Attributes of runtime entries: what passes may assume about a call, by the entry's name in the ABI.

/// The entry that concatenates its operands: up to [`MAX_JOIN_OPERANDS`] strings, numbers, Booleans and
/// characters.
pub const JOIN: &str = "string_join";
/// The entry that appends strings in place: the string, whether no other reference to it exists, and the
/// operands.
pub const APPEND: &str = "string_append";
/// The entry that gives the number of bytes of a string: the string.
pub const STRING_LENGTH: &str = "string_length";
/// The entry that gives the character at a byte of a string, with a bounds check: the string, and an `I32`.
pub const CHAR_AT: &str = "string_char_at";
/// Largest number of operands of [`JOIN`].
pub const MAX_JOIN_OPERANDS: usize = 8;

/// The attributes of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Attributes {
    /// The call ends within a small constant time: it neither blocks nor depends on the size of its operands.
    bounded: bool,
    /// String operands are read; the result does not refer to them.
    reads_strings: bool,
}

const BOUNDED: Attributes = Attributes { bounded: true, reads_strings: false };
const READS_STRINGS: Attributes = Attributes { bounded: false, reads_strings: true };
const BOUNDED_READS_STRINGS: Attributes = Attributes { bounded: true, reads_strings: true };

/// Entries with attributes, by name. A name that ends in `*` stands for all entries that begin so.
const TABLE: &[(&str, Attributes)] = &[
    ("atomic_add_*", BOUNDED),
    ("atomic_compare_*", BOUNDED),
    ("atomic_fence", BOUNDED),
    ("atomic_load_*", BOUNDED),
    ("atomic_store_*", BOUNDED),
    ("atomic_swap_*", BOUNDED),
    ("char_*", BOUNDED),
    ("global_ref_get", BOUNDED),
    ("identity_hash", BOUNDED),
    ("nano_time", BOUNDED),
    ("place_count", BOUNDED),
    ("place_local_get", BOUNDED),
    ("raise*", BOUNDED),
    (APPEND, READS_STRINGS),
    (CHAR_AT, BOUNDED_READS_STRINGS),
    ("string_compare", READS_STRINGS),
    ("string_concat", READS_STRINGS),
    ("string_equals", READS_STRINGS),
    ("string_from_bool", BOUNDED),
    ("string_from_char", BOUNDED),
    ("string_from_f*", BOUNDED),
    ("string_from_i*", BOUNDED),
    ("string_from_u*", BOUNDED),
    ("string_hash", READS_STRINGS),
    ("string_index_of", READS_STRINGS),
    (JOIN, READS_STRINGS),
    ("string_last_index_of", READS_STRINGS),
    (STRING_LENGTH, BOUNDED_READS_STRINGS),
    ("string_literal", BOUNDED),
];

/// Whether a call ends within a small constant time.
pub fn is_bounded(entry: &str) -> bool {
    attributes(entry).is_some_and(|it| it.bounded)
}

/// Whether a call only reads the strings that it receives.
pub fn reads_strings_only(entry: &str) -> bool {
    attributes(entry).is_some_and(|it| it.reads_strings)
}

fn attributes(entry: &str) -> Option<Attributes> {
    TABLE.iter().find(|(name, _)| matches(name, entry)).map(|(_, attributes)| *attributes)
}

fn matches(pattern: &str, entry: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => entry.starts_with(prefix),
        None => entry == pattern,
    }
}

/// Names in the table that match none of these entries: misspelt or removed from the ABI.
pub fn unknown_names<'e>(entries: impl Iterator<Item = &'e str> + Clone) -> Vec<&'static str> {
    let is_known = |pattern: &&str| entries.clone().any(|entry| matches(pattern, entry));
    TABLE.iter().map(|(name, _)| *name).filter(|name| !is_known(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_whole_or_by_their_prefix() {
        assert!(is_bounded("atomic_add_i64") && is_bounded("raise") && is_bounded("raise_null"));
        assert!(is_bounded("string_from_char") && !is_bounded("string_from_chars"));
        assert!(reads_strings_only(JOIN) && !is_bounded(JOIN));
        assert!(!is_bounded("sleep") && !reads_strings_only("string_substring"));
    }
}
