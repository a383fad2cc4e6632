//! SARIF 2.1.0 (OASIS standard), the format of code-scanning services.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Finding, Span};
use crate::diagnostic::Severity;
use crate::rule::Rule;

/// Prints one log with all findings and, as far as `find_rule` knows them, the rules that they violate.
pub fn print(
    findings: &[Finding],
    find_rule: impl Fn(&str) -> Option<&'static Rule>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let codes: BTreeSet<&str> = findings.iter().map(|finding| finding.code).collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule_object(code, find_rule(code))).collect();
    let results: Vec<Value> = findings.iter().map(result_object).collect();
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

fn rule_object(code: &str, rule: Option<&Rule>) -> Value {
    match rule {
        Some(rule) => json!({
            "id": code,
            "shortDescription": { "text": rule.summary },
            "help": { "text": rule.page(), "markdown": rule.page() },
        }),
        None => json!({ "id": code }),
    }
}

fn result_object(finding: &Finding) -> Value {
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
            let mut location = location_object(span);
            location["message"] = json!({ "text": message });
            location
        })
        .collect();
    json!({
        "ruleId": finding.code,
        "level": level,
        "message": { "text": message },
        "locations": [location_object(&finding.span)],
        "relatedLocations": related,
    })
}

fn location_object(span: &Span) -> Value {
    let (start, end) = span.positions();
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
