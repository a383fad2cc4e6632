//! `internal/panic`

use crate::diagnostics::{Rule, Severity};

/// The analysis of this file failed inside apg.
pub static RULE: Rule = Rule {
    code: "internal/panic",
    severity: Severity::Error,
    summary: "The analysis of this file failed inside apg.",
    explanation: r##"
A defect of apg, not of the program: a check ended unexpectedly. The other files are still checked. Please report
it with the file, or the smallest part of it that still shows the message.
"##,
    failing: r##"

"##,
    fixed: r##"

"##,
};
