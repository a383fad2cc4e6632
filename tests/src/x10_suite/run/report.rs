//! The outcome of all tests: by folder, by reason, and beside an earlier report.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::verdict::{Outcome, Reason};

/// A test and its outcome.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The test's name.
    pub test: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took to build and run it.
    pub seconds: f64,
}

/// The outcomes of a run, by test.
#[derive(Clone, Debug, Default)]
pub(super) struct Report(Vec<Entry>);

#[derive(Clone, Copy, Default)]
struct Count {
    passed: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, outcome: &Outcome) {
        self.all += 1;
        self.passed += usize::from(*outcome == Outcome::Passed);
    }

    fn text(self) -> String {
        let share = if self.all == 0 { 0.0 } else { self.passed as f64 * 100.0 / self.all as f64 };
        format!("{:5} of {:5}  {share:5.1} %", self.passed, self.all)
    }
}

impl Report {
    /// A report of these.
    pub(super) fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.test.cmp(&b.test));
        Self(entries)
    }

    /// How a test ended.
    pub(super) fn outcome(&self, test: &str) -> Option<&Outcome> {
        self.0.iter().find(|entry| entry.test == test).map(|entry| &entry.outcome)
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut total = Count::default();
        let mut folders: BTreeMap<&str, Count> = BTreeMap::new();
        let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for entry in &self.0 {
            total.add(&entry.outcome);
            folders.entry(folder(&entry.test)).or_default().add(&entry.outcome);
            let group = match &entry.outcome {
                Outcome::Passed => continue,
                Outcome::Failed { reason, detail } => (reason.name(), detail.as_str()),
                Outcome::NotRun(why) => ("not run", why.as_str()),
            };
            reasons.entry(group).or_default().push(&entry.test);
        }
        let mut out = String::from("\nBy folder\n");
        for (folder, count) in &folders {
            let _ = writeln!(out, "  {}  {folder}", count.text());
        }
        let _ = writeln!(out, "  {}  all\n\nWhy the others fail", total.text());
        let mut sorted: Vec<_> = reasons.into_iter().collect();
        sorted.sort_by_key(|(group, tests)| (std::cmp::Reverse(tests.len()), *group));
        for ((reason, detail), tests) in sorted {
            let some = tests.iter().take(3).copied().collect::<Vec<_>>().join(" ");
            let more = if tests.len() > 3 { " ..." } else { "" };
            let _ = writeln!(out, "  {:5}  {reason}: {detail}\n           {some}{more}", tests.len());
        }
        out
    }

    /// For tools.
    pub(super) fn json(&self) -> String {
        let tests: Vec<Value> = self.0.iter().map(|entry| {
            let (outcome, detail) = match &entry.outcome {
                Outcome::Passed => ("passed", ""),
                Outcome::Failed { reason, detail } => (reason.name(), detail.as_str()),
                Outcome::NotRun(why) => ("not run", why.as_str()),
            };
            json!({"test": entry.test, "outcome": outcome, "detail": detail, "seconds": (entry.seconds * 10.0).round() / 10.0})
        }).collect();
        let passed = self.0.iter().filter(|entry| entry.outcome == Outcome::Passed).count();
        // One test a line, so that reports can be compared with any tool.
        let lines: Vec<String> = tests.iter().map(Value::to_string).collect();
        format!(
            "{{\"all\": {}, \"passed\": {passed}, \"tests\": [\n{}\n]}}\n",
            lines.len(),
            lines.join(",\n")
        )
    }

    /// Reads what [`Report::json`] made.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let fail = |what: String| format!("{}: {what}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
        let tests =
            value["tests"].as_array().ok_or_else(|| fail("this is no report of x10-suite run".into()))?;
        let entries = tests.iter().map(|test| {
            let (name, detail) =
                (test["outcome"].as_str().unwrap_or_default(), test["detail"].as_str().unwrap_or_default());
            let reason = Reason::ALL.iter().find(|(_, known)| *known == name);
            let outcome = match (name, reason) {
                ("passed", _) => Outcome::Passed,
                (_, Some((reason, _))) => Outcome::Failed { reason: *reason, detail: detail.to_owned() },
                _ => Outcome::NotRun(detail.to_owned()),
            };
            let test_name = test["test"].as_str().unwrap_or_default().to_owned();
            Entry { test: test_name, outcome, seconds: test["seconds"].as_f64().unwrap_or_default() }
        });
        Ok(Self::new(entries.collect()))
    }

    /// What passed before and does not now, and the reverse; and whether there is any of the former.
    pub(super) fn compare(&self, before: &Self) -> (String, bool) {
        let mut out = String::from("\nBeside the earlier report\n");
        let (mut better, mut worse) = (0, 0);
        for entry in &self.0 {
            let Some(earlier) = before.outcome(&entry.test) else { continue };
            match (*earlier == Outcome::Passed, entry.outcome == Outcome::Passed) {
                (true, false) => {
                    worse += 1;
                    let _ = writeln!(out, "  passed before: {} {}", entry.test, entry.outcome);
                }
                (false, true) => better += 1,
                _ => {}
            }
        }
        let _ = writeln!(out, "  {better} more pass, {worse} that passed do not");
        (out, worse > 0)
    }
}

/// The first two folders of a test's path.
fn folder(test: &str) -> &str {
    let end = test.match_indices('/').nth(1).or_else(|| test.match_indices('/').next());
    end.map_or("", |(at, _)| &test[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(outcomes: &[(&str, Outcome)]) -> Report {
        let entry = |(test, outcome): &(&str, Outcome)| Entry {
            test: (*test).to_owned(),
            outcome: outcome.clone(),
            seconds: 1.0,
        };
        Report::new(outcomes.iter().map(entry).collect())
    }

    #[test]
    fn a_report_comes_back_and_is_compared() {
        let crash = Outcome::Failed { reason: Reason::Crash, detail: "signal 11".into() };
        let first = report(&[("a/b/c.x10", Outcome::Passed), ("a/d.x10", crash.clone())]);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), first.json()).unwrap();
        let read = Report::read(file.path()).unwrap();
        assert_eq!(read.outcome("a/d.x10"), Some(&crash));
        let second = report(&[("a/b/c.x10", crash), ("a/d.x10", Outcome::Passed)]);
        let (text, worse) = second.compare(&read);
        assert!(worse && text.contains("passed before: a/b/c.x10"), "{text}");
        let text = first.text();
        assert!(text.contains("a/b\n") && text.contains("crash: signal 11"), "{text}");
    }
}
