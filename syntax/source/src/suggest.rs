//! "Did you mean": the candidate that a misspelt name most resembles.

use std::cmp::Reverse;

/// The candidate with the least edit distance (optimal string alignment) to `name`, if that is small enough
/// for a typing error. Of equally close candidates, the closest shares most letters: `printn` lacks a
/// letter of `println` rather than having one more than `print`.
pub fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A very short name with one letter more or less is another name.
    let limit = match name.chars().count() {
        0..=2 => 0,
        length => (length / 3).clamp(1, 3),
    };
    let mut best = None;
    for candidate in candidates {
        if candidate.is_empty() || candidate == name || candidate.starts_with('$') {
            continue;
        }
        let distance = match candidate.eq_ignore_ascii_case(name) {
            true => 0,
            false if candidate.len().abs_diff(name.len()) > 4 * limit => continue,
            // Insertions, deletions, replacements and swaps of neighbours.
            false => strsim::osa_distance(name, candidate),
        };
        let rank = (distance, Reverse(shared(name, candidate)), candidate);
        if distance <= limit && best.is_none_or(|best| rank < best) {
            best = Some(rank);
        }
    }
    best.map(|(_, _, candidate)| candidate)
}

/// Length of the common prefix of two names, plus that of the common suffix of the rests.
fn shared(a: &str, b: &str) -> usize {
    let start = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let end = a.chars().skip(start).collect::<Vec<_>>().into_iter().rev();
    let other_end = b.chars().skip(start).collect::<Vec<_>>().into_iter().rev();
    start + end.zip(other_end).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let names = ["println", "print", "printf", "flush"];
        assert_eq!(closest("printn", names.into_iter()), Some("println"));
        assert_eq!(closest("prin", names.into_iter()), Some("print"));
        assert_eq!(closest("pritnln", names.into_iter()), Some("println"));
        assert_eq!(closest("PRINT", names.into_iter()), Some("print"));
        assert_eq!(closest("clear", names.into_iter()), None);
        assert_eq!(closest("x", ["y", "xx"].into_iter()), None);
        assert_eq!(closest("x", ["y", "X"].into_iter()), Some("X"));
        assert_eq!(closest("a", ["a"].into_iter()), None);
        // Equal distances and equal common parts: the alphabetically first candidate.
        assert_eq!(closest("cart", ["dart", "card", "carp"].into_iter()), Some("card"));
    }
}
