//! Which files of X10's suite are run, and how: what its own driver reads from comments in them.

use std::path::{Path, PathBuf};

use crate::x10_suite::directives::value;
use crate::x10_suite::{files_below, text_of};

/// Seconds that the suite gives to compilation.
pub(super) const COMPILE_SECONDS: u64 = 300;
/// Seconds that it gives to a run that asks for nothing else.
const RUN_SECONDS: u64 = 360;
/// Tests with one of these words are not for a native back end without resilience.
const SKIPPED: [&str; 3] = ["MANAGED_X10_ONLY", "SKIP_NATIVE_X10", "RESILIENT_X10_ONLY"];

/// A test and how it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    /// Its path below the folder of tests.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Number of places.
    pub places: u32,
    /// Seconds it may run.
    pub timeout: u64,
    /// Further folders in which packages are looked up.
    pub source_path: Vec<PathBuf>,
}

/// All runnable tests below a checkout of X10, by name.
pub(super) fn find(home: &Path) -> Result<Vec<Test>, String> {
    let root = std::path::absolute(home.join("x10.tests/tests")).map_err(|error| error.to_string())?;
    let home = std::path::absolute(home).map_err(|error| error.to_string())?;
    let found = files_below(&root);
    if found.is_empty() {
        return Err(format!("{} has no tests", root.display()));
    }
    let tests = found.into_iter().filter_map(|(name, path)| read(&text_of(&path), name, path, &home, &root));
    Ok(tests.collect())
}

/// The test in a file, if it is run and must end with status 0.
fn read(text: &str, name: String, path: PathBuf, home: &Path, root: &Path) -> Option<Test> {
    let is_run = has_main(text) && !SKIPPED.iter().any(|word| text.contains(word));
    if !is_run || name.contains("_MustFailCompile") || name.contains("_MustFailTimeout") {
        return None;
    }
    let folder = path.parent()?.to_owned();
    let mut source_path = vec![root.join("x10lib")];
    if package(text).is_some() {
        source_path.insert(0, folder);
    }
    source_path.extend(directive(text, "SOURCEPATH").map(|dir| home.join(dir)).filter(|dir| dir.is_dir()));
    let number = |name| directive(text, name).and_then(|value| value.parse().ok());
    Some(Test {
        places: number("NUM_PLACES").and_then(|places| u32::try_from(places).ok()).unwrap_or(2),
        timeout: number("TIMEOUT").unwrap_or(RUN_SECONDS),
        path,
        name,
        source_path,
    })
}

/// Whether the words `public static def main` follow each other somewhere.
fn has_main(text: &str) -> bool {
    text.match_indices("public").any(|(at, _)| {
        let mut rest = &text[at + "public".len()..];
        ["static", "def", "main"].into_iter().all(|word| {
            let next = rest.trim_start_matches([' ', '\t']);
            let follows = next.len() < rest.len() && next.starts_with(word);
            rest = next.strip_prefix(word).unwrap_or(next);
            follows
        })
    })
}

fn package(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("package "))?;
    Some(line["package ".len()..].split(';').next()?.trim())
}

fn directive<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| value(line, name))
}

/// `number` of the tests, of every folder its share. Another `seed` gives others.
pub(super) fn sample(tests: Vec<Test>, number: usize, seed: usize) -> Vec<Test> {
    let total = tests.len();
    if number >= total {
        return tests;
    }
    // The tests are sorted by path: every n-th has a share of every folder. The start moves with the seed, by
    // steps that fall between those of earlier seeds.
    let start = seed.wrapping_mul(0x9e37_79b1) % total;
    let chosen = |at: usize| (0..number).any(|n| (start + n * total / number) % total == at);
    tests.into_iter().enumerate().filter(|(at, _)| chosen(*at)).map(|(_, test)| test).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str, name: &str) -> Option<Test> {
        let root = Path::new("/x10/x10.tests/tests");
        read(text, name.into(), root.join(name), Path::new("/x10"), root)
    }

    #[test]
    fn directives_are_read() {
        let main = "class A { public  static def main(Rail[String]) {} }";
        let plain = test(main, "A/B.x10").unwrap();
        assert_eq!((plain.places, plain.timeout, plain.name.as_str()), (2, 360, "A/B.x10"));
        assert_eq!(plain.source_path, [PathBuf::from("/x10/x10.tests/tests/x10lib")]);
        let other = test(&format!("package A;\n// NUM_PLACES: 4\n //TIMEOU: 30\n{main}"), "A/B.x10").unwrap();
        assert_eq!((other.places, other.timeout), (4, 30));
        assert_eq!(other.source_path[0], PathBuf::from("/x10/x10.tests/tests/A"));
        assert!(test(&format!("// SKIP_NATIVE_X10: x\n{main}"), "A.x10").is_none());
        assert!(test(main, "A_MustFailCompile.x10").is_none());
        assert!(test("class A { static def main() {} }", "A.x10").is_none());
        assert!(test("class A { public static def mine() {} }", "A.x10").is_none());
    }

    #[test]
    fn samples_spread_over_the_folders() {
        let all: Vec<Test> = (0..90)
            .map(|n| test("public static def main", &format!("{}/{n:02}.x10", n / 30)).unwrap())
            .collect();
        for seed in 0..5 {
            let some = sample(all.clone(), 9, seed);
            assert_eq!(some.len(), 9);
            for folder in ["0/", "1/", "2/"] {
                assert_eq!(some.iter().filter(|test| test.name.starts_with(folder)).count(), 3);
            }
        }
        assert_ne!(sample(all.clone(), 9, 0), sample(all.clone(), 9, 1));
        assert_eq!(sample(all.clone(), 90, 3).len(), 90);
    }
}
