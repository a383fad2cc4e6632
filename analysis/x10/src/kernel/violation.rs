//! A violation of a kernel rule: its problem as data, locations in other methods, and templates of fixes.
//! Ranges are relative to the owning item, so that edits elsewhere do not invalidate it.

use apg_syntax::TextRange;

use crate::body::Owner;
use crate::body::StmtId;
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Rule};
use crate::ids::{FieldId, MethodId};
use crate::infer::owner_body;
use crate::kernel::fixes::template::FixTemplate;
use crate::rules::render::RenderContext;
use crate::rules::{Problem, ProblemData};

/// One violation. Every rule has its own code (`cuda/...`, `hoist/...`) and page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The `at` statement of the kernel.
    pub at: StmtId,
    /// The broken rule, relative to the owning item.
    pub problem: Problem,
    /// The field whose initialiser has the problem, if it is reported at a constructor.
    pub initialiser: Option<FieldId>,
    /// Locations in other methods.
    pub related: Vec<RelatedSite>,
    /// Fixes.
    pub fixes: Vec<FixTemplate>,
}

/// A location in another method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedSite {
    /// The method.
    pub method: MethodId,
    /// Range, relative to the method.
    pub range: TextRange,
    /// Message.
    pub message: String,
}

impl Violation {
    /// A violation without fixes.
    pub fn new(at: StmtId, range: TextRange, data: impl Into<ProblemData>) -> Violation {
        let problem = Problem::new(range, data);
        Violation { at, problem, initialiser: None, related: Vec::new(), fixes: Vec::new() }
    }

    /// Its range, relative to the owning item.
    pub fn range(&self) -> TextRange {
        self.problem.range
    }

    /// Whether it breaks this rule.
    pub fn breaks(&self, rule: &Rule) -> bool {
        self.problem.breaks(rule)
    }

    /// Whether it keeps the kernel from being compiled.
    pub fn is_error(&self) -> bool {
        self.problem.is_error()
    }

    /// Adds a location in another method.
    pub fn related(mut self, method: MethodId, range: TextRange, message: impl Into<String>) -> Violation {
        self.related.push(RelatedSite { method, range, message: message.into() });
        self
    }

    /// Adds a fix, if there is one.
    pub fn fix(mut self, fix: impl Into<Option<FixTemplate>>) -> Violation {
        self.fixes.extend(fix.into());
        self
    }

    /// The violation in words, without fixes; ranges are relative to `owner`.
    pub fn render(&self, db: &dyn Db, owner: Owner) -> Diagnostic {
        let code_owner = self.initialiser.map_or(owner, Owner::Field);
        let result = owner_body(db, code_owner);
        let mut diagnostic =
            self.problem.render(&RenderContext::of_body(db, code_owner.into(), &result.body));
        if let Some(field) = self.initialiser {
            diagnostic.message = format!(
                "the initialiser of the field `{}` is nothing for a device: {}",
                field.name(db),
                diagnostic.message
            );
            diagnostic.related.clear();
        }
        diagnostic
    }
}
