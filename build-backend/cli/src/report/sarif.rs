//! SARIF 2.1.0 (OASIS standard), as code-scanning services read it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use apg_analysis::diagnostics::{Severity, rule};
use serde_json::{Value, json};

use super::{Finding, LineIndex, Span};

/// Prints one log with all findings.
pub fn print(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let codes: BTreeSet<&str> = findings.iter().map(|finding| finding.code).collect();
    let rules: Vec<Value> = codes.iter().map(|code| describe(code)).collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "apg", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    });
    writeln!(out, "{log:#}")
}

fn describe(code: &str) -> Value {
    match rule(code) {
        Some(rule) => json!({
            "id": code,
            "shortDescription": { "text": rule.summary },
            "help": { "text": rule.page(), "markdown": rule.page() },
        }),
        None => json!({ "id": code }),
    }
}

fn result(finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    };
    let mut message = finding.message.clone();
    for note in &finding.notes {
        message.push('\n');
        message.push_str(note);
    }
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|(span, message)| {
            let mut location = location(span);
            location["message"] = json!({ "text": message });
            location
        })
        .collect();
    json!({
        "ruleId": finding.code,
        "level": level,
        "message": { "text": message },
        "locations": [location(&finding.span)],
        "relatedLocations": related,
    })
}

fn location(span: &Span) -> Value {
    let index = LineIndex::new(&span.text);
    let (start, end) = (index.position(span.range.start), index.position(span.range.end));
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": span.file.replace(' ', "%20") },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            },
        },
    })
}
