//! What a test says of itself: lines that are nothing but a comment, `// NAME: value`, and words anywhere in
//! the file.

use std::path::PathBuf;

/// The directives that matter to the front end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// `-STATIC_CHECKS`: a constraint that is not known to hold is an error.
    pub static_checks: bool,
    /// `-CONSTRAINT_INFERENCE`: guards of methods marked `@InferGuard` are inferred.
    pub constraint_inference: bool,
    /// A further source folder, from the root of the checkout.
    pub source_path: Option<PathBuf>,
    /// A test of X10's Java back end, which is no test of ours.
    pub managed_only: bool,
}

impl Directives {
    /// Reads those of a text.
    pub fn of(text: &str) -> Directives {
        let mut found =
            Directives { managed_only: text.contains("MANAGED_X10_ONLY"), ..Directives::default() };
        for line in text.lines() {
            if let Some(options) = value(line, "OPTIONS") {
                found.static_checks |= is_on(options, "-STATIC_CHECKS");
                found.constraint_inference |= is_on(options, "-CONSTRAINT_INFERENCE");
            }
            if let Some(folder) = value(line, "SOURCEPATH") {
                found.source_path = Some(PathBuf::from(folder));
            }
        }
        found
    }
}

/// `// NAME: value`; the last letter of the name may be missing or repeated.
pub(super) fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let comment = line.trim_start().strip_prefix("//")?.trim_start();
    let (stem, last) = name.split_at(name.len() - 1);
    Some(comment.strip_prefix(stem)?.trim_start_matches(last).strip_prefix(':')?.trim())
}

fn is_on(options: &str, name: &str) -> bool {
    // The last one counts.
    let mut values = options.split_whitespace().rev().filter_map(|option| option.strip_prefix(name));
    values.next().is_some_and(|value| matches!(value, "" | "=true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_folders() {
        let of = |text: &str| Directives::of(text);
        assert!(of("class A {}\n//OPTIONS: -STATIC_CHECKS \n").static_checks);
        assert!(of("  // OPTION: -STATIC_CHECKS=true").static_checks);
        let both = of("//OPTIONS: -STATIC_CHECKS=false -CONSTRAINT_INFERENCE=true");
        assert!(!both.static_checks && both.constraint_inference);
        assert!(!of("val s = \"\"; // OPTIONS: -STATIC_CHECKS").static_checks);
        assert_eq!(of("// SOURCEPATH: a/b").source_path, Some(PathBuf::from("a/b")));
        assert!(of("// MANAGED_X10_ONLY").managed_only);
    }
}
