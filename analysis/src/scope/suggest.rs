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
        let distance =
            if candidate.eq_ignore_ascii_case(name) { 0 } else { distance(name, candidate, limit) };
        let better = best.is_none_or(|(least, text)| (distance, candidate) < (least, text));
        if distance <= limit && better {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`; more than
/// `limit` may be returned as `limit + 1`.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
