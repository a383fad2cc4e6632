//! One broken rule, as the recogniser reports it: ranges are relative to the owning item, fixes are
//! recipes, so that the result does not change when the text elsewhere does.

use apg_syntax::TextRange;

use crate::body::StmtId;
use crate::diagnostics::{Rule, Severity};
use crate::ids::MethodId;
use crate::kernel::fixes::template::FixTemplate;

/// One broken rule. Every rule has its own code (`cuda/...`, `hoist/...`), its page and its fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The `at` statement whose kernel it breaks.
    pub at: StmtId,
    /// The rule.
    pub rule: &'static Rule,
    /// How serious; the rule's severity unless the recogniser knows better.
    pub severity: Severity,
    /// What was found, in one sentence.
    pub message: String,
    /// Where, relative to the owning item.
    pub range: TextRange,
    /// Why the GPU cannot do it, what to write instead.
    pub notes: Vec<String>,
    /// Other places that matter.
    pub related: Vec<RelatedSite>,
    /// What mends it.
    pub fixes: Vec<FixTemplate>,
}

/// Another place that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedSite {
    /// The method that `range` is relative to; `None` is the violation's own item.
    pub method: Option<MethodId>,
    /// Where.
    pub range: TextRange,
    /// What is there.
    pub message: String,
}

impl Violation {
    /// A violation without notes and repairs.
    pub fn new(at: StmtId, rule: &'static Rule, range: TextRange, message: impl Into<String>) -> Violation {
        Violation {
            at,
            rule,
            severity: rule.severity,
            message: message.into(),
            range,
            notes: Vec::new(),
            related: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Adds why, or what to write instead.
    pub fn note(mut self, note: impl Into<String>) -> Violation {
        self.notes.push(note.into());
        self
    }

    /// Adds more of these, if there are any.
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Violation {
        self.notes.extend(notes);
        self
    }

    /// Adds another place that matters.
    pub fn related(
        mut self,
        method: Option<MethodId>,
        range: TextRange,
        message: impl Into<String>,
    ) -> Violation {
        self.related.push(RelatedSite { method, range, message: message.into() });
        self
    }

    /// Adds what mends it.
    pub fn fix(mut self, fix: impl Into<Option<FixTemplate>>) -> Violation {
        self.fixes.extend(fix.into());
        self
    }
}
