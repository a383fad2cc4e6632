//! `omp/threadprivate-misuse`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::visit::Node;
use crate::hir::{Directive, ExprKind, Storage, VariableId};
use crate::rules::Context;

/// `threadprivate` and its clause, for variables that they are not for.
pub static RULE: Rule = Rule {
    code: "omp/threadprivate-misuse",
    severity: Severity::Error,
    summary: "A variable that cannot be `threadprivate`, or a clause that contradicts it.",
    explanation: r##"
A `threadprivate` variable has one object for each thread, which lives from region to region (OpenMP 5.2, section 5.2). So it is declared at file scope
or `static`; a local variable is gone when its function returns. Its sharing is decided for the whole program: no `private`, `shared` or `reduction` clause
may name it, and `copyin`, which hands the first thread's value to the others, is for such variables alone.

Declare the variable `static`, remove the clause, or use `firstprivate` in place of `copyin`.
"##,
    failing: r##"
static int count;
#pragma omp threadprivate(count)
void use(int);
void run(void) {
    #pragma omp parallel private(count)
    use(count);
}
"##,
    fixed: r##"
static int count;
#pragma omp threadprivate(count)
void use(int);
void run(void) {
    #pragma omp parallel
    use(count);
}
"##,
};

/// Clauses of data sharing that may not name a threadprivate variable.
const SHARING: [&str; 6] = ["private", "firstprivate", "lastprivate", "shared", "reduction", "linear"];

pub(super) fn check(cx: &mut Context<'_>) {
    let directives: Vec<&Directive> = cx.directives().map(|it| it.1).collect();
    for directive in directives {
        if directive.name == "threadprivate" {
            check_arguments(cx, directive);
            continue;
        }
        for clause in &directive.clauses {
            let is_sharing = SHARING.contains(&clause.name.as_str());
            for item in clause.items.iter().filter(|_| is_sharing || clause.name == "copyin") {
                let Some(variable) = item.variable(cx.program) else { continue };
                let name = cx.name(variable);
                match (is_sharing, cx.program.threadprivate.contains(&variable)) {
                    (true, true) => {
                        let message =
                            format!("`{name}` is `threadprivate`: no `{}` clause names it", clause.name);
                        let mut diagnostic = cx.at(&RULE, item.range, message);
                        diagnostic.related.extend(declaration(cx, variable));
                        if clause.items.len() == 1 {
                            diagnostic.fixes.extend(cx.remove_clause(clause.range, &clause.name));
                        }
                        cx.report(diagnostic);
                    }
                    (false, false) if is_known(cx, variable) => {
                        let message = format!("`copyin` copies `threadprivate` variables: `{name}` is none");
                        let note = format!("`firstprivate({name})` gives each thread a copy of its value");
                        let mut diagnostic = cx.at(&RULE, item.range, message).note(note);
                        diagnostic.related.extend(declaration(cx, variable));
                        cx.report(diagnostic);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether it is known that a variable is not threadprivate: those of headers may be so by other means.
fn is_known(cx: &Context<'_>, variable: VariableId) -> bool {
    let declared = cx.program.variable(variable);
    declared.range.is_some() && declared.storage != Storage::ThreadLocal
}

fn check_arguments(cx: &mut Context<'_>, directive: &Directive) {
    for item in &directive.argument {
        let Some(variable) = item.variable(cx.program) else { continue };
        let what = match cx.program.variable(variable).storage {
            Storage::Automatic => "a local variable",
            Storage::Parameter => "a parameter",
            Storage::Global | Storage::StaticLocal | Storage::ThreadLocal => {
                check_uses(cx, directive, item.range, variable);
                continue;
            }
        };
        let name = cx.name(variable);
        let message = format!("`{name}` is {what}: it does not live as long as the threads");
        let mut diagnostic = cx.at(&RULE, item.range, message).note("declare it `static`, or at file scope");
        diagnostic.related.extend(declaration(cx, variable));
        cx.report(diagnostic);
    }
}

/// The directive precedes all uses: code in front of it would use another object.
fn check_uses(cx: &mut Context<'_>, directive: &Directive, at: TextRange, variable: VariableId) {
    let mut first: Option<TextRange> = None;
    for (_, body) in cx.program.defined_functions() {
        if cx.program.stmt(body).range.start() >= directive.range.start() {
            continue;
        }
        cx.program.walk_stmt(body, &mut |node| {
            if let Node::Expr(it) = node
                && cx.program.expr(it).kind == ExprKind::Variable(variable)
                && cx.program.expr(it).range.end() <= directive.range.start()
            {
                first.get_or_insert(cx.program.expr(it).range);
            }
            first.is_none()
        });
    }
    if let Some(first) = first {
        let message = format!(
            "`{}` is used in front of the directive that makes it `threadprivate`",
            cx.name(variable)
        );
        cx.report_pair(&RULE, (at, message), (first, "used here"));
    }
}

fn declaration(
    cx: &Context<'_>,
    variable: VariableId,
) -> Option<apg_diagnostics::Related<std::path::PathBuf>> {
    let range: TextRange = cx.program.variable(variable).range?;
    cx.related(range, "declared here")
}
