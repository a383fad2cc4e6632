//! Performance page: `docs/performance.md` written from the measurements in `tests/bench/results`.
//!
//! `areas.json` lists the areas in the order of the page; every other file is one run: its machine, date and
//! command, and what it measured. Of several runs that measured the same thing the latest counts.

use crate::performance_table;
use serde::Deserialize;
use std::path::Path;

const RESULTS_FOLDER: &str = "tests/bench/results";
const PAGE_FILE: &str = "docs/performance.md";
/// The page is a summary, not a diary.
const MAX_PAGE_BYTES: usize = 32 * 1024;

/// A section of the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Area {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) about: String,
}

/// One run of a benchmark: a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) area: String,
    pub(crate) machine: String,
    /// `YYYY-MM-DD`, so that dates compare as strings.
    pub(crate) date: String,
    pub(crate) command: String,
    pub(crate) results: Vec<Measurement>,
}

/// One figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measurement {
    pub(crate) what: String,
    pub(crate) value: f64,
    pub(crate) unit: String,
    pub(crate) peer: Option<Peer>,
    /// Defaults to value divided by the peer's value.
    pub(crate) ratio: Option<f64>,
    pub(crate) budget: Option<Budget>,
}

/// The same thing measured with another tool, in the same run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) value: Option<f64>,
}

/// A limit on the value or on the ratio to the peer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Budget {
    MaxValue(f64),
    MinValue(f64),
    MaxRatio(f64),
    MinRatio(f64),
}

impl Measurement {
    pub(crate) fn ratio(&self) -> Option<f64> {
        let peer = self.peer.as_ref().and_then(|peer| peer.value).filter(|value| *value != 0.0);
        self.ratio.or_else(|| peer.map(|value| self.value / value))
    }

    /// Whether the budget is met; nothing without a budget.
    pub(crate) fn is_in_budget(&self) -> Option<bool> {
        // What is shown with two digits is compared with two digits.
        let rounded = self.ratio().map(|ratio| (ratio * 100.0).round() / 100.0);
        match self.budget? {
            Budget::MaxValue(limit) => Some(self.value <= limit),
            Budget::MinValue(limit) => Some(self.value >= limit),
            Budget::MaxRatio(limit) => rounded.map(|ratio| ratio <= limit),
            Budget::MinRatio(limit) => rounded.map(|ratio| ratio >= limit),
        }
    }
}

/// Writes the page.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    let path = root.join(PAGE_FILE);
    std::fs::write(&path, page(root)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// Fails when the page is not what the measurements say.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    if crate::read(&root.join(PAGE_FILE))? == page(root)? {
        println!("performance: {PAGE_FILE} is up to date");
        return Ok(());
    }
    Err(format!("{PAGE_FILE} is stale: run `cargo xtask performance`"))
}

fn page(root: &Path) -> Result<String, String> {
    let folder = root.join(RESULTS_FOLDER);
    let areas: Vec<Area> = parse(&folder.join("areas.json"))?;
    let mut runs: Vec<Run> = Vec::new();
    for file in crate::files_below(&folder, "json")?.iter().filter(|file| !file.ends_with("areas.json")) {
        let run: Run = parse(file)?;
        check_run(&run, &areas).map_err(|error| format!("{}: {error}", file.display()))?;
        runs.push(run);
    }
    let page = performance_table::page(&areas, &runs);
    match page.len() {
        0..=MAX_PAGE_BYTES => Ok(page),
        length => {
            Err(format!("{PAGE_FILE} would have {length} bytes of at most {MAX_PAGE_BYTES}: drop figures"))
        }
    }
}

fn parse<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<T, String> {
    serde_json::from_str(&crate::read(file)?).map_err(|error| format!("{}: {error}", file.display()))
}

fn check_run(run: &Run, areas: &[Area]) -> Result<(), String> {
    if !areas.iter().any(|area| area.name == run.area) {
        return Err(format!("no area is named `{}` in areas.json", run.area));
    }
    let parts: Vec<&str> = run.date.split('-').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.iter().map(|part| part.len()).ne([4, 2, 2]) || !parts.iter().all(is_number) {
        return Err(format!("`{}` is no date of the form YYYY-MM-DD", run.date));
    }
    let needs_ratio =
        |it: &&Measurement| matches!(it.budget, Some(Budget::MaxRatio(_) | Budget::MinRatio(_)));
    match run.results.iter().filter(needs_ratio).find(|it| it.ratio().is_none()) {
        Some(it) => Err(format!("`{}` has a budget for its ratio and no ratio", it.what)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(RESULTS_FOLDER)).unwrap();
        std::fs::create_dir_all(folder.path().join("docs")).unwrap();
        let areas = r#"[{"name": "spawn", "title": "Activities", "about": "Beside rayon."}]"#;
        for (name, text) in [&[("areas.json", areas)], files].concat() {
            std::fs::write(folder.path().join(RESULTS_FOLDER).join(name), text).unwrap();
        }
        folder
    }

    fn run(date: &str, result: &str) -> String {
        format!(
            r#"{{"area": "spawn", "machine": "2 CPUs", "date": "{date}", "command": "cargo bench", "results": [{result}]}}"#
        )
    }

    const FIB: &str = r#"{"what": "fib(30)", "value": 3.0, "unit": "ms", "peer": {"name": "rayon", "value": 2.0},
        "budget": {"max_ratio": 2.0}}"#;

    #[test]
    fn a_stale_page_fails() {
        let folder = repository(&[("a.json", &run("2026-11-20", FIB))]);
        write(folder.path()).unwrap();
        check(folder.path()).unwrap();
        let slower = run("2026-11-20", &FIB.replace("3.0", "3.5"));
        std::fs::write(folder.path().join(RESULTS_FOLDER).join("a.json"), slower).unwrap();
        assert!(check(folder.path()).unwrap_err().contains("cargo xtask performance"));
    }

    #[test]
    fn the_latest_run_counts() {
        let older = run("2026-11-20", &FIB.replace("3.0", "9.0"));
        let folder = repository(&[("b.json", &older), ("a.json", &run("2026-11-21", FIB))]);
        let page = page(folder.path()).unwrap();
        assert!(page.contains("3 ms") && !page.contains("9 ms"), "{page}");
        assert!(page.contains("2026-11-21") && !page.contains("2026-11-20"), "{page}");
    }

    #[test]
    fn ratios_are_computed_and_compared_with_budgets() {
        let missed = FIB.replace("fib(30)", "fib(35)").replace("3.0", "5.0");
        let folder = repository(&[("a.json", &run("2026-11-20", &format!("{FIB}, {missed}")))]);
        let page = page(folder.path()).unwrap();
        assert!(page.contains("| fib(30) | 3 ms | rayon: 2 ms | 1.5 | ratio ≤ 2 | 1 |"), "{page}");
        assert!(
            page.contains("| fib(35) | 5 ms | rayon: 2 ms | 2.5 | **missed**: ratio ≤ 2 | 1 |"),
            "{page}"
        );
    }

    #[test]
    fn malformed_files_are_named() {
        let good = run("2026-11-20", FIB);
        for (text, wanted) in [
            (good.replace("spawn", "other"), "no area is named"),
            (good.replace("2026-11-20", "20 November"), "no date"),
            (good.replace(r#""unit": "#, r#""units": "#), "unknown field"),
            (good.replace(r#", "value": 2.0"#, ""), "no ratio"),
            (good.trim_end_matches('}').to_owned(), "EOF"),
        ] {
            let folder = repository(&[("bad.json", &text)]);
            let message = page(folder.path()).unwrap_err();
            assert!(message.contains("bad.json") && message.contains(wanted), "{message}");
        }
    }

    #[test]
    fn a_page_that_grows_into_a_diary_is_refused() {
        let many: Vec<String> = (0..900).map(|i| FIB.replace("fib(30)", &format!("fib({i})"))).collect();
        let folder = repository(&[("a.json", &run("2026-11-20", &many.join(",")))]);
        assert!(page(folder.path()).unwrap_err().contains("drop figures"));
    }
}
