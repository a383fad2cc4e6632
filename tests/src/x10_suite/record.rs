//! What is known not to match, by name: `tests/x10-suite/*.json`. A test compares, so that nothing gets worse
//! unseen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::checker::ClassLibrary;
use super::tests::{Counts, Outcome, Test};

/// Names of files and what does not match there.
pub type Mismatches = BTreeMap<String, Outcome>;

/// A whole pass.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many files there are of each kind.
    pub counts: Counts,
    /// Those that do not match.
    pub mismatches: Mismatches,
}

impl Summary {
    /// Of tests and how they ended.
    pub fn of(tests: &[Test], outcomes: &[Outcome]) -> Summary {
        let mut summary = Summary::default();
        for (test, outcome) in tests.iter().zip(outcomes) {
            summary.add(&test.name, test.must_fail, outcome.clone());
        }
        summary
    }

    /// Adds one file.
    pub fn add(&mut self, name: &str, must_fail: bool, outcome: Outcome) {
        self.counts.add(must_fail, &outcome);
        if outcome != Outcome::Right {
            self.mismatches.insert(name.to_owned(), outcome);
        }
    }

    /// Writes the record `name`.
    pub fn write(&self, name: &str) {
        let written = std::fs::write(path(name), to_text(self));
        written.expect("the record can be written");
    }
}

/// The record of a pass over the suite with a class library.
pub fn front(library: ClassLibrary) -> &'static str {
    match library {
        ClassLibrary::Ours => "front.json",
        ClassLibrary::X10 => "front-x10-library.json",
    }
}

/// The file of a record.
pub fn path(name: &str) -> PathBuf {
    crate::tools::repository().join("tests/x10-suite").join(name)
}

/// A record as text: one line a file, so that changes are easy to read and to merge.
fn to_text(summary: &Summary) -> String {
    let Summary { counts, mismatches } = summary;
    let mut root = Map::new();
    root.insert(
        "counts".into(),
        json!({
            "must_compile": counts.must_compile, "clean": counts.clean,
            "must_fail": counts.must_fail, "rejected": counts.rejected, "all_lines": counts.all_lines,
        }),
    );
    for (name, outcome) in mismatches {
        let (list, value) = match outcome {
            Outcome::Right => continue,
            Outcome::FalseErrors(codes) => ("false_errors", json!(codes)),
            Outcome::Accepted => ("accepted", json!(true)),
            Outcome::MissedLines(lines) => ("missed_lines", json!(lines)),
        };
        let list = root.entry(list).or_insert_with(|| json!({}));
        if let Value::Object(list) = list {
            list.insert(name.clone(), value);
        }
    }
    let mut text = String::from("{");
    for (at, (key, value)) in root.iter().enumerate() {
        text += if at > 0 { ",\n " } else { "\n " };
        text += &format!("{}: ", json!(key));
        match value {
            Value::Object(entries) => {
                let lines: Vec<String> =
                    entries.iter().map(|(key, value)| format!("  {}: {value}", json!(key))).collect();
                text += &format!("{{\n{}\n }}", lines.join(",\n"));
            }
            other => text += &other.to_string(),
        }
    }
    text + "\n}\n"
}

/// A record: how many files must compile and how many must not, and what does not match.
///
/// # Errors
/// If there is none or it is no record.
pub fn read(name: &str) -> Result<([usize; 2], Mismatches), String> {
    let path = path(name);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let root: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let count = |name: &str| {
        let count = root.get("counts").and_then(|counts| counts.get(name)).and_then(Value::as_u64);
        count.map(|count| count as usize).ok_or_else(|| format!("{}: no count `{name}`", path.display()))
    };
    let counts = [count("must_compile")?, count("must_fail")?];
    let mut found = Mismatches::new();
    let mut add = |list: &str, outcome: &dyn Fn(&Value) -> Outcome| {
        for (name, value) in root.get(list).and_then(Value::as_object).into_iter().flatten() {
            found.insert(name.clone(), outcome(value));
        }
    };
    add("accepted", &|_| Outcome::Accepted);
    add("false_errors", &|codes| {
        let codes = codes.as_array().into_iter().flatten().filter_map(Value::as_str);
        Outcome::FalseErrors(codes.map(str::to_owned).collect())
    });
    add("missed_lines", &|lines| {
        let lines = lines.as_array().into_iter().flatten().filter_map(Value::as_u64);
        Outcome::MissedLines(lines.map(|line| line as usize).collect())
    });
    Ok((counts, found))
}

/// What got worse than recorded, a line each.
pub fn worse(recorded: &Mismatches, now: &Mismatches) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, outcome) in now {
        let was = recorded.get(name).unwrap_or(&Outcome::Right);
        if is_worse(was, outcome) {
            lines.push(format!("{name}: was {was:?}, is {outcome:?}"));
        }
    }
    lines
}

/// Other lines or rules in a file that was wrong before are no step back, but more lines missed are.
fn is_worse(was: &Outcome, is: &Outcome) -> bool {
    match (was, is) {
        (_, Outcome::Right) => false,
        (Outcome::Right, _) => true,
        (Outcome::MissedLines(was), Outcome::MissedLines(is)) => is.len() > was.len(),
        (Outcome::MissedLines(_), _) => true,
        (Outcome::FalseErrors(_) | Outcome::Accepted, _) => false,
    }
}

/// The names in `recorded` that match now.
pub fn better(recorded: &Mismatches, now: &Mismatches) -> BTreeSet<String> {
    recorded.keys().filter(|name| !now.contains_key(*name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_mismatch_is_worse() {
        let missed = |lines: &[usize]| Outcome::MissedLines(lines.iter().copied().collect());
        let recorded = Mismatches::from([("a".into(), missed(&[1, 2])), ("b".into(), Outcome::Accepted)]);
        assert!(worse(&recorded, &Mismatches::from([("a".into(), missed(&[1]))])).is_empty());
        assert_eq!(worse(&recorded, &Mismatches::from([("c".into(), Outcome::Accepted)])).len(), 1);
        assert_eq!(worse(&recorded, &Mismatches::from([("a".into(), missed(&[1, 2, 3]))])).len(), 1);
        assert_eq!(better(&recorded, &Mismatches::new()).len(), 2);
    }
}
