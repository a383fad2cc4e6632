//! Source excerpts for people, by annotate-snippets (the printer of rustc's diagnostics).

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use apg_analysis::diagnostics::Severity;

use super::{Finding, Span};

/// Prints all findings, each followed by an empty line.
pub fn print(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let renderer = renderer();
    for finding in findings {
        writeln!(out, "{}\n", render(&renderer, finding))?;
    }
    Ok(())
}

/// Whether there are colours, if the user said so.
static COLOUR: OnceLock<bool> = OnceLock::new();

/// Settles whether there are colours; with `None`, the terminal does.
pub fn colour(wanted: Option<bool>) {
    if let Some(wanted) = wanted {
        // The command line is read once.
        let _ = COLOUR.set(wanted);
    }
}

/// Colours on a terminal, unless `NO_COLOR` (no-color.org) is set.
fn renderer() -> Renderer {
    let by_terminal = || {
        let wants_none = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        io::stderr().is_terminal() && !wants_none
    };
    match COLOUR.get().copied().unwrap_or_else(by_terminal) {
        true => Renderer::styled(),
        false => Renderer::plain(),
    }
}

fn render(renderer: &Renderer, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
        Severity::Hint => Level::INFO.with_name("hint"),
    };
    let primary = snippet(&finding.span).annotation(AnnotationKind::Primary.span(visible(&finding.span)));
    // Related places of the same file stand in the same excerpt.
    let (same, other): (Vec<_>, Vec<_>) =
        finding.related.iter().partition(|(span, _)| span.file == finding.span.file);
    let primary = same.iter().fold(primary, |snippet, (span, message)| {
        snippet.annotation(AnnotationKind::Context.span(visible(span)).label(message.as_str()))
    });
    let mut group = level.primary_title(finding.message.as_str()).id(finding.code).element(primary);
    for (span, message) in other {
        let annotation = AnnotationKind::Context.span(visible(span)).label(message.as_str());
        group = group.element(snippet(span).annotation(annotation));
    }
    for note in &finding.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let mut report = vec![group];
    report.extend(finding.fixes.iter().filter_map(|(title, edits)| suggestion(title, edits)));
    renderer.render(&report)
}

fn suggestion<'a>(title: &'a str, edits: &'a [(Span, String)]) -> Option<Group<'a>> {
    let (first, _) = edits.first()?;
    let patches = edits
        .iter()
        .filter(|(span, _)| span.file == first.file)
        .map(|(span, text)| Patch::new(span.range.clone(), text.as_str()));
    Some(
        Level::HELP
            .secondary_title(title)
            .element(Snippet::source(&*first.text).path(first.file.as_str()).patches(patches)),
    )
}

fn snippet(span: &Span) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(&*span.text).path(span.file.as_str())
}

/// An empty piece is shown as the character at it, and nothing reaches past the end.
fn visible(span: &Span) -> std::ops::Range<usize> {
    let end = span.text.len();
    let start = span.range.start.min(end);
    let stop = span.range.end.min(end);
    if stop > start {
        return start..stop;
    }
    let next = span.text[start..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    start..start + next
}
