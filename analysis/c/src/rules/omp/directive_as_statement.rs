//! `omp/directive-as-statement`

use apg_c_syntax::{Family, TextRange, TextSize};
use apg_diagnostics::{Fix, Rule, Severity, TextEdit};

use crate::hir::{Construct, DirectiveId, StmtId, StmtKind};
use crate::rules::Context;

/// A stand-alone directive where a statement is wanted.
pub static RULE: Rule = Rule {
    code: "omp/directive-as-statement",
    severity: Severity::Error,
    summary: "A directive that stands alone, as the statement of an `if` or a loop.",
    explanation: r##"
`barrier`, `flush`, `taskwait`, `taskyield`, `cancel` and the directives that move data stand alone: they are no statements. After `if (...)` or the head of a loop a
statement is wanted, and a compiler without OpenMP, which passes over the directive, would take the next one (OpenMP 5.2, section 3.1).

Put braces around the directive.
"##,
    failing: r##"
void use(const int *);
void publish(int *a, int changed) {
    a[0] = 1;
    if (changed)
        #pragma omp flush
    use(a);
}
"##,
    fixed: r##"
void use(const int *);
void publish(int *a, int changed) {
    a[0] = 1;
    if (changed) {
        #pragma omp flush
    }
    use(a);
}
"##,
};

/// Constructs that stand alone.
fn stands_alone(construct: Construct) -> bool {
    use Construct::*;
    matches!(
        construct,
        Barrier
            | Flush
            | Taskwait
            | Taskyield
            | Cancel
            | CancellationPoint
            | TargetUpdate
            | TargetEnterData
            | TargetExitData
    )
}

/// The statements that belong to an `if` or a loop.
fn own_statements(kind: &StmtKind) -> [Option<StmtId>; 2] {
    match kind {
        StmtKind::If(_, then, otherwise) => [Some(*then), *otherwise],
        StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::For { body, .. } => {
            [Some(*body), None]
        }
        _ => [None, None],
    }
}

/// A fix that puts the line of a directive in braces.
fn braces(cx: &Context<'_>, range: TextRange) -> Option<Fix<std::path::PathBuf>> {
    let spelled = cx.parsed.is_spelled(range).then(|| cx.parsed.spelled(range))??;
    let text = cx.parsed.text();
    let start = usize::from(spelled.start());
    let line = text[..start].rfind('\n').map_or(0, |it| it + 1);
    let blanks = &text[line..start];
    let before = text[..line].trim_end().len();
    let after = usize::from(spelled.end()) + text[usize::from(spelled.end())..].find('\n')?;
    let is_line_comment = text[..before].rsplit('\n').next().is_some_and(|it| it.contains("//"));
    if is_line_comment || !blanks.chars().all(char::is_whitespace) {
        return None;
    }
    let head = text[..before].rsplit('\n').next().unwrap_or_default();
    let indent = &head[..head.len() - head.trim_start().len()];
    let insert = |offset: usize, text: String| {
        TextEdit::replace(TextRange::empty(TextSize::from(offset as u32)), text)
    };
    let edits = vec![insert(before, " {".into()), insert(after, format!("\n{indent}}}"))];
    Some(Fix { title: "Put braces around it".into(), edits })
}

pub(super) fn check(cx: &mut Context<'_>) {
    let mut found: Vec<DirectiveId> = Vec::new();
    for own in cx.program.stmts.iter().flat_map(|it| own_statements(&it.kind)).flatten() {
        if let StmtKind::Directive(it) = cx.program.stmt(own).kind
            && cx.program.directive(it).family == Family::OpenMp
            && cx.program.directive(it).constructs.first().is_some_and(|it| stands_alone(*it))
        {
            found.push(it);
        }
    }
    for id in found {
        let directive = cx.program.directive(id);
        let message = format!("`{}` is no statement, and one is wanted here", directive.name);
        let mut diagnostic = cx.at(&RULE, directive.name_range, message);
        diagnostic.fixes.extend(braces(cx, directive.range));
        cx.report(diagnostic);
    }
}
