//! A violation of a kernel rule. Ranges are relative to the owning item and fixes are templates, so that
//! edits elsewhere do not invalidate it.

use apg_syntax::TextRange;

use crate::body::StmtId;
use crate::diagnostics::{Rule, Severity};
use crate::ids::MethodId;
use crate::kernel::fixes::template::FixTemplate;

/// One violation. Every rule has its own code (`cuda/...`, `hoist/...`), page and fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The `at` statement of the kernel.
    pub at: StmtId,
    /// The rule.
    pub rule: &'static Rule,
    /// Severity; the rule's, unless the check knows better.
    pub severity: Severity,
    /// Message, one sentence.
    pub message: String,
    /// Range, relative to the owning item.
    pub range: TextRange,
    /// Why the GPU cannot do it, and what to write instead.
    pub notes: Vec<String>,
    /// Related locations.
    pub related: Vec<RelatedSite>,
    /// Fixes.
    pub fixes: Vec<FixTemplate>,
}

/// A related location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedSite {
    /// The method that `range` is relative to; `None` is the violation's own item.
    pub method: Option<MethodId>,
    /// Range.
    pub range: TextRange,
    /// Message.
    pub message: String,
}

impl Violation {
    /// A violation without notes and fixes.
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

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Violation {
        self.notes.push(note.into());
        self
    }

    /// Adds notes.
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Violation {
        self.notes.extend(notes);
        self
    }

    /// Adds a related location.
    pub fn related(
        mut self,
        method: Option<MethodId>,
        range: TextRange,
        message: impl Into<String>,
    ) -> Violation {
        self.related.push(RelatedSite { method, range, message: message.into() });
        self
    }

    /// Adds a fix, if there is one.
    pub fn fix(mut self, fix: impl Into<Option<FixTemplate>>) -> Violation {
        self.fixes.extend(fix.into());
        self
    }
}
