//! "Did you mean": the candidate that a misspelt name most resembles.

/// The closest of `candidates`, if it is close enough to be a slip of the fingers.
pub fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // One letter more or less makes another name of a very short one.
    let limit = match name.chars().count() {
        0..=2 => 0,
        length => (length / 3).clamp(1, 3),
    };
    let mut best: Option<(usize, &str)> = None;
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
        let better = best.is_none_or(|(least, text)| (distance, candidate) < (least, text));
        if distance <= limit && better {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let names = ["println", "print", "printf", "flush"];
        assert_eq!(closest("printn", names.into_iter()), Some("print"));
        assert_eq!(closest("pritnln", names.into_iter()), Some("println"));
        assert_eq!(closest("PRINT", names.into_iter()), Some("print"));
        assert_eq!(closest("clear", names.into_iter()), None);
        assert_eq!(closest("x", ["y", "xx"].into_iter()), None);
        assert_eq!(closest("x", ["y", "X"].into_iter()), Some("X"));
        assert_eq!(closest("a", ["a"].into_iter()), None);
    }
}
