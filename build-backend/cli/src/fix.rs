//! `apg check --fix`: applies fixes to the files that were named, checks again, and so on until nothing is left to apply.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::diagnostics::Severity;

use super::{Failure, output, replace};
use apg_diagnostics::render::Span;
use apg_project::session::{self, Checked, Settings};

/// What one fix reveals, the next may mend; a circle of fixes ends too.
const MOST_ROUNDS: usize = 10;

/// Mends what has one fix, and returns what is left. Where several are offered the choice is the user's. Mending may bring out
/// more than it mends, and what it brings out may be mended in turn: the state with the fewest errors stays.
pub fn fix(paths: &[PathBuf], options: &Settings) -> Result<Checked, Failure> {
    let mut best = session::check(paths, options)?;
    let (mut kept, mut tried): (Vec<String>, Vec<Round>) = (Vec::new(), Vec::new());
    let mut latest = None;
    for _ in 0..MOST_ROUNDS {
        let round = Round::of(latest.as_ref().unwrap_or(&best));
        if round.lines.is_empty() {
            break;
        }
        round.write(Side::After)?;
        tried.push(round);
        let now = session::check(paths, options)?;
        if errors(&now) > errors(&best) {
            latest = Some(now);
            continue;
        }
        kept.extend(tried.drain(..).flat_map(|it| it.lines));
        (best, latest) = (now, None);
    }
    for round in tried.iter().rev() {
        round.write(Side::Before)?;
    }
    for line in &kept {
        output::remark(line)?;
    }
    if !tried.is_empty() {
        output::remark("more fixes would lead to more errors: they are left to you")?;
    }
    let plural = if kept.len() == 1 { "" } else { "es" };
    output::remark(format_args!("{} fix{plural} applied", kept.len()))?;
    Ok(best)
}

fn errors(checked: &Checked) -> usize {
    checked.findings.iter().filter(|it| it.severity == Severity::Error).count()
}

/// What replaces which pieces of a text, in order.
type Pieces = BTreeMap<(usize, usize), String>;

/// The fixes that are applied at once: none of them touches what another one changes.
#[derive(Default)]
struct Round {
    /// By file, as it is shown: its text and the changes.
    edits: BTreeMap<String, (Arc<str>, Pieces)>,
    /// What is said of each.
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
                    let (_, pieces) = round
                        .edits
                        .entry(span.file.clone())
                        .or_insert_with(|| (span.text.clone(), BTreeMap::new()));
                    pieces.insert((span.range.start, span.range.end), text.clone());
                }
                let at = finding.span.positions().0;
                round.lines.push(format!("{}:{}:{}: {title}", finding.span.file, at.line, at.column));
            }
        }
        round
    }

    /// Whether a replacement touches none that there is. The same one twice is one; of what is inserted an import that two names need, but
    /// not a bracket.
    fn is_free(&self, (span, text): &(Span, String)) -> bool {
        let Some((_, pieces)) = self.edits.get(&span.file) else { return true };
        let (start, end) = (span.range.start, span.range.end);
        let may_be_shared = start < end || text.trim_start().starts_with("import ");
        pieces.iter().all(|((from, to), other)| {
            let is_same = (*from, *to) == (start, end) && other == text;
            *to < start || end < *from || may_be_shared && is_same
        })
    }

    fn write(&self, side: Side) -> Result<(), Failure> {
        for (file, (before, pieces)) in &self.edits {
            let text = match side {
                Side::Before => before.to_string(),
                Side::After => edited(before, pieces),
            };
            replace::file(Path::new(file), &text)?;
        }
        Ok(())
    }
}

fn edited(text: &str, pieces: &Pieces) -> String {
    let breaks_as_on_windows = text.contains("\r\n");
    let (mut result, mut done) = (String::with_capacity(text.len()), 0);
    for ((start, end), piece) in pieces {
        result.push_str(&text[done..*start]);
        match breaks_as_on_windows {
            true => result.push_str(&piece.replace("\r\n", "\n").replace('\n', "\r\n")),
            false => result.push_str(piece),
        }
        done = *end;
    }
    result + &text[done..]
}
