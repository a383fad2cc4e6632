//! Markdown of the performance page: a table for each area, and the runs that its figures come from.

use crate::performance::{Area, Budget, Measurement, Run};
use std::fmt::Write as _;

const INTRODUCTION: &str = "\
# Performance

<!-- Written by `cargo xtask performance` from tests/bench/results/*.json. Do not edit. -->

Each figure is the latest one of its kind. Peers were measured in the same run on the same machine, so the ratio
(apg divided by peer) is what counts; below 1, apg is faster. The last column names the run. A budget that is not
met is marked. Why the figures are what they are is in [performance notes](performance-notes.md).
";

/// The whole page.
pub(crate) fn page(areas: &[Area], runs: &[Run]) -> String {
    let mut out = String::from(INTRODUCTION);
    for area in areas {
        let rows = rows(area, runs);
        if !rows.is_empty() {
            write_area(&mut out, area, &rows);
        }
    }
    out
}

/// The area's measurements with their runs, in the order of the files; of equal ones the latest.
fn rows<'a>(area: &Area, runs: &'a [Run]) -> Vec<(&'a Measurement, &'a Run)> {
    let mut rows: Vec<(&Measurement, &Run)> = Vec::new();
    for run in runs.iter().filter(|run| run.area == area.name) {
        for result in &run.results {
            match rows.iter_mut().find(|(other, _)| other.what == result.what) {
                Some((_, other)) if other.date > run.date => {}
                Some(row) => *row = (result, run),
                None => rows.push((result, run)),
            }
        }
    }
    rows
}

fn write_area(out: &mut String, area: &Area, rows: &[(&Measurement, &Run)]) {
    let mut used: Vec<&Run> = Vec::new();
    let _ = write!(out, "\n## {}\n\n{}\n\n", area.title, area.about);
    out.push_str("| what | apg | peer | ratio | budget | run |\n|---|---|---|---|---|---|\n");
    for (result, run) in rows {
        if !used.iter().any(|it| std::ptr::eq(*it, *run)) {
            used.push(run);
        }
        let number = used.iter().position(|it| std::ptr::eq(*it, *run)).map_or(0, |index| index + 1);
        let ratio = result.ratio().map(ratio_text).unwrap_or_default();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {ratio} | {} | {number} |",
            result.what,
            quantity(result.value, &result.unit),
            peer(result),
            budget(result),
        );
    }
    out.push('\n');
    for (index, run) in used.iter().enumerate() {
        let _ = writeln!(out, "{}. {}, {}: `{}`", index + 1, run.date, run.machine, run.command);
    }
}

fn peer(result: &Measurement) -> String {
    let Some(peer) = &result.peer else { return String::new() };
    match peer.value {
        Some(value) => format!("{}: {}", peer.name, quantity(value, &result.unit)),
        None => peer.name.clone(),
    }
}

fn budget(result: &Measurement) -> String {
    let limit = match result.budget {
        None => return String::new(),
        Some(Budget::MaxValue(limit)) => format!("≤ {}", quantity(limit, &result.unit)),
        Some(Budget::MinValue(limit)) => format!("≥ {}", quantity(limit, &result.unit)),
        Some(Budget::MaxRatio(limit)) => format!("ratio ≤ {}", number(limit)),
        Some(Budget::MinRatio(limit)) => format!("ratio ≥ {}", number(limit)),
    };
    match result.is_in_budget() {
        Some(false) => format!("**missed**: {limit}"),
        _ => limit,
    }
}

/// Two digits behind the point, three below 0.1, without zeros at the end.
fn ratio_text(ratio: f64) -> String {
    let text = if ratio < 0.1 { format!("{ratio:.3}") } else { format!("{ratio:.2}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "" => number(value),
        _ => format!("{} {unit}", number(value)),
    }
}

/// Whole parts of five digits and more have commas between thousands.
fn number(value: f64) -> String {
    let text = value.to_string();
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    if whole.len() < 5 || value < 0.0 {
        return text;
    }
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(3.0), "3");
        assert_eq!(number(0.0695), "0.0695");
        assert_eq!(number(1234.5), "1234.5");
        assert_eq!(number(16_777_216.0), "16,777,216");
        assert_eq!(ratio_text(1.0), "1");
        assert_eq!(ratio_text(1.096), "1.1");
        assert_eq!(ratio_text(0.0044), "0.004");
    }
}
