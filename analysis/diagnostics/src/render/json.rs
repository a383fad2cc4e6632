//! One JSON object a line: the format of `--message-format json`.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Finding, Span};

/// Prints all findings.
pub fn print(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        writeln!(out, "{}", to_json(finding))?;
    }
    Ok(())
}

/// The object of one finding.
pub fn to_json(finding: &Finding) -> Value {
    let mut object = span_object(&finding.span);
    object.insert("severity".into(), finding.severity.name().into());
    object.insert("code".into(), finding.code.into());
    object.insert("message".into(), finding.message.clone().into());
    object.insert("notes".into(), finding.notes.clone().into());
    let related = finding.related.iter().map(|(span, message)| span_with(span, "message", message));
    object.insert("related".into(), related.collect());
    let fixes = finding.fixes.iter().map(|(title, edits)| {
        let edits: Vec<Value> = edits.iter().map(|(span, text)| span_with(span, "text", text)).collect();
        json!({ "title": title, "edits": edits })
    });
    object.insert("fixes".into(), fixes.collect());
    Value::Object(object)
}

fn span_with(span: &Span, key: &str, value: &str) -> Value {
    let mut object = span_object(span);
    object.insert(key.into(), value.into());
    Value::Object(object)
}

/// The keys of a range: `file`, `line`, `column`, `end_line` and `end_column`.
pub fn span_object(span: &Span) -> Map<String, Value> {
    let (start, end) = span.positions();
    let mut object = Map::new();
    object.insert("file".into(), span.file.clone().into());
    object.insert("line".into(), start.line.into());
    object.insert("column".into(), start.column.into());
    object.insert("end_line".into(), end.line.into());
    object.insert("end_column".into(), end.column.into());
    object
}
