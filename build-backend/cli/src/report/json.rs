//! One JSON object a line (the contract of `--message-format json`).

use std::io::{self, Write};

use apg_analysis::diagnostics::Severity;
use serde_json::{Map, Value, json};

use super::{Finding, LineIndex, Span};

/// Prints all findings.
pub fn print(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        writeln!(out, "{}", to_json(finding))?;
    }
    Ok(())
}

/// The object of one finding.
pub fn to_json(finding: &Finding) -> Value {
    let mut object = place(&finding.span);
    object.insert("severity".into(), severity(finding.severity).into());
    object.insert("code".into(), finding.code.into());
    object.insert("message".into(), finding.message.clone().into());
    object.insert("notes".into(), finding.notes.clone().into());
    object.insert(
        "related".into(),
        finding.related.iter().map(|(span, message)| with(span, "message", message)).collect(),
    );
    let fixes = finding.fixes.iter().map(|(title, edits)| {
        let edits: Vec<Value> = edits.iter().map(|(span, text)| with(span, "text", text)).collect();
        json!({ "title": title, "edits": edits })
    });
    object.insert("fixes".into(), fixes.collect());
    Value::Object(object)
}

fn with(span: &Span, key: &str, value: &str) -> Value {
    let mut object = place(span);
    object.insert(key.into(), value.into());
    Value::Object(object)
}

fn place(span: &Span) -> Map<String, Value> {
    let index = LineIndex::new(&span.text);
    let (start, end) = (index.position(span.range.start), index.position(span.range.end));
    let mut object = Map::new();
    object.insert("file".into(), span.file.clone().into());
    object.insert("line".into(), start.line.into());
    object.insert("column".into(), start.column.into());
    object.insert("end_line".into(), end.line.into());
    object.insert("end_column".into(), end.column.into());
    object
}

/// The severity's name in the contract.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
        Severity::Hint => "hint",
    }
}
