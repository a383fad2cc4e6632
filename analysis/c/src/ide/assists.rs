//! Rewrites that change nothing of what a program does: the default sharing of a directive written out.

use apg_c_syntax::TextRange;
use apg_diagnostics::Fix;

use crate::Parsed;
use crate::hir::Directive;
use crate::rules::omp::clause_not_allowed::takes;
use crate::sharing::{Attribute, Reason};

/// The rewrites of the directives that a range touches.
pub fn assists(parsed: &Parsed, range: TextRange) -> Vec<Fix<std::path::PathBuf>> {
    let program = &parsed.program;
    let touched = program.directive_ids().filter(|id| {
        let spelled = parsed.spelled(program.directive(*id).range);
        spelled.is_some_and(|it| it.intersect(range).is_some())
    });
    touched
        .filter_map(|id| {
            let directive = program.directive(id);
            let clauses = written_out(parsed, id, directive)?;
            let last = directive.clauses.last().map_or(directive.name_range, |it| it.range);
            let offset = parsed.is_spelled(last).then(|| parsed.spelled(last))??.end();
            Some(Fix::insert("Write the sharing out, with `default(none)`", offset, clauses))
        })
        .collect()
}

/// `default(none)` and the clauses that it requires; `None` if the directive has no place for them.
fn written_out(parsed: &Parsed, id: crate::hir::DirectiveId, directive: &Directive) -> Option<String> {
    if directive.clause("default").is_some() || !takes(directive, "default") {
        return None;
    }
    let program = &parsed.program;
    let (mut shared, mut copied) = (Vec::new(), Vec::new());
    for (variable, _) in program.captured(id) {
        let sharing = program.sharing(id, variable)?;
        let Reason::Implicit(_) = sharing.reason else { continue };
        let declared = program.variable(variable);
        // Objects of headers may be macros; a compiler says what it wants of them.
        declared.range?;
        match sharing.attribute {
            Attribute::Shared => shared.push(declared.name.as_str()),
            Attribute::Firstprivate => copied.push(declared.name.as_str()),
            _ => return None,
        }
    }
    let mut clauses = " default(none)".to_owned();
    for (word, names) in [("shared", shared), ("firstprivate", copied)] {
        if !names.is_empty() {
            clauses.push_str(&format!(" {word}({})", names.join(", ")));
        }
    }
    Some(clauses)
}
