//! `apg check --fix`: applies fixes to the named files and checks again, until no fix is left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::diagnostics::Severity;

use crate::atomic_write;
use crate::failure::Failure;
use crate::output;
use apg_diagnostics::render::Span;
use apg_project::session::{self, Checked, Settings};

/// Limit of rounds: fixes may reveal further errors with fixes, or undo each other.
const MAX_ROUNDS: usize = 10;

/// Applies the fixes of findings that offer exactly one, and returns the remaining findings. A round may
/// reveal more errors than it fixes, which a later round may fix: the state with the fewest errors is kept.
pub(super) fn fix(paths: &[PathBuf], options: &Settings) -> Result<Checked, Failure> {
    let mut best = session::check(paths, options)?;
    let (mut applied, mut unconfirmed): (Vec<String>, Vec<Round>) = (Vec::new(), Vec::new());
    let mut latest = None;
    for _ in 0..MAX_ROUNDS {
        let round = Round::of(latest.as_ref().unwrap_or(&best));
        if round.lines.is_empty() {
            break;
        }
        round.write(Side::After)?;
        unconfirmed.push(round);
        let checked = session::check(paths, options)?;
        if errors(&checked) > errors(&best) {
            latest = Some(checked);
            continue;
        }
        applied.extend(unconfirmed.drain(..).flat_map(|it| it.lines));
        (best, latest) = (checked, None);
    }
    for round in unconfirmed.iter().rev() {
        round.write(Side::Before)?;
    }
    for line in &applied {
        output::remark(line)?;
    }
    if !unconfirmed.is_empty() {
        output::remark("more fixes would lead to more errors: they are left to you")?;
    }
    let plural = if applied.len() == 1 { "" } else { "es" };
    output::remark(format_args!("{} fix{plural} applied", applied.len()))?;
    Ok(best)
}

fn errors(checked: &Checked) -> usize {
    checked.findings.iter().filter(|it| it.severity == Severity::Error).count()
}

/// Replacements by start and end offset.
type Replacements = BTreeMap<(usize, usize), String>;

/// Fixes that are applied together. Their replacements do not overlap.
#[derive(Default)]
struct Round {
    /// By displayed file name: the text and its replacements.
    edits: BTreeMap<String, (Arc<str>, Replacements)>,
    /// A line of output for each fix.
    lines: Vec<String>,
}

enum Side {
    Before,
    After,
}

impl Round {
    fn of(checked: &Checked) -> Round {
        let mut round = Round::default();
        for finding in &checked.findings {
            let [(title, edits)] = finding.fixes.as_slice() else { continue };
            let is_ours = |(span, _): &(Span, String)| checked.files.contains(&span.file);
            if !edits.is_empty() && edits.iter().all(is_ours) && edits.iter().all(|it| round.is_free(it)) {
                for (span, text) in edits {
                    let (_, replacements) = round
                        .edits
                        .entry(span.file.clone())
                        .or_insert_with(|| (span.text.clone(), BTreeMap::new()));
                    replacements.insert((span.range.start, span.range.end), text.clone());
                }
                let at = finding.span.positions().0;
                round.lines.push(format!("{}:{}:{}: {title}", finding.span.file, at.line, at.column));
            }
        }
        round
    }

    /// Whether a replacement overlaps no other. Equal replacements count as one; so do equal insertions of
    /// imports, but not other insertions, such as brackets.
    fn is_free(&self, (span, text): &(Span, String)) -> bool {
        let Some((_, replacements)) = self.edits.get(&span.file) else { return true };
        let (start, end) = (span.range.start, span.range.end);
        let may_be_shared = start < end || text.trim_start().starts_with("import ");
        replacements.iter().all(|((from, to), other)| {
            let is_same = (*from, *to) == (start, end) && other == text;
            *to < start || end < *from || may_be_shared && is_same
        })
    }

    fn write(&self, side: Side) -> Result<(), Failure> {
        for (file, (before, replacements)) in &self.edits {
            let text = match side {
                Side::Before => before.to_string(),
                Side::After => edited(before, replacements),
            };
            atomic_write::replace_file(Path::new(file), &text)?;
        }
        Ok(())
    }
}

fn edited(text: &str, replacements: &Replacements) -> String {
    let breaks_as_on_windows = text.contains("\r\n");
    let (mut result, mut done) = (String::with_capacity(text.len()), 0);
    for ((start, end), piece) in replacements {
        result.push_str(&text[done..*start]);
        match breaks_as_on_windows {
            true => result.push_str(&piece.replace("\r\n", "\n").replace('\n', "\r\n")),
            false => result.push_str(piece),
        }
        done = *end;
    }
    result + &text[done..]
}
