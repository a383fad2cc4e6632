//! Source excerpts, printed by annotate-snippets as rustc prints its diagnostics.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use super::{Finding, Span};
use crate::diagnostic::Severity;

/// Prints all findings, each followed by an empty line, with colours if `is_styled`.
pub fn print(findings: &[Finding], is_styled: bool, out: &mut dyn Write) -> io::Result<()> {
    let renderer = if is_styled { Renderer::styled() } else { Renderer::plain() };
    for finding in findings {
        writeln!(out, "{}\n", render(&renderer, finding))?;
    }
    Ok(())
}

fn render(renderer: &Renderer, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
        Severity::Hint => Level::INFO.with_name("hint"),
    };
    let primary =
        snippet(&finding.span).annotation(AnnotationKind::Primary.span(visible_range(&finding.span)));
    // Related locations of the same file are annotations of the same excerpt.
    let (same, other): (Vec<_>, Vec<_>) =
        finding.related.iter().partition(|(span, _)| span.file == finding.span.file);
    let primary = same.iter().fold(primary, |snippet, (span, message)| {
        snippet.annotation(AnnotationKind::Context.span(visible_range(span)).label(message.as_str()))
    });
    let mut group = level.primary_title(finding.message.as_str()).id(finding.code).element(primary);
    for (span, message) in other {
        let annotation = AnnotationKind::Context.span(visible_range(span)).label(message.as_str());
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
    let snippet = Snippet::source(&*first.text).path(first.file.as_str()).patches(patches);
    Some(Level::HELP.secondary_title(title).element(snippet))
}

fn snippet(span: &Span) -> Snippet<'_, Annotation<'_>> {
    Snippet::source(&*span.text).path(span.file.as_str())
}

/// The range to underline: an empty range grows to the character behind it, and none reaches past the end.
fn visible_range(span: &Span) -> Range<usize> {
    let source_end = span.text.len();
    let start = span.range.start.min(source_end);
    let end = span.range.end.min(source_end);
    if end > start {
        return start..end;
    }
    let next = span.text[start..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    start..start + next
}
