//! Incremental lowering: after an edit in one function this function is lowered again, and the parts of the
//! program behind it are renumbered (Wagner, *Practical Algorithms for Incremental Software Development
//! Environments*, 1998).

use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{ParsedUnit, TextRange};

use super::Lowerer;
use super::layout::{Counts, Layout, Part};
use crate::hir::shift::{Offset, Shift};
use crate::hir::{FunctionId, Program};

/// A unit as it was lowered before.
pub(crate) struct Lowered<'a> {
    pub(crate) syntax: &'a ParsedUnit,
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
}

/// A program, its layout, and the function that was lowered again.
pub(crate) type Relowered = (Program, Layout, FunctionId);

/// The program of a unit of which one external declaration differs from an earlier one, that at `edited` in
/// the earlier tree. `None` if the rest of the program may depend on it.
pub(crate) fn relower(unit: &ParsedUnit, old: &Lowered<'_>, edited: TextRange) -> Option<Relowered> {
    let number = old.layout.part_at(edited.start())?;
    let part = old.layout.parts[number];
    if !part.is_isolated || number < old.layout.last_completion {
        return None;
    }
    let definition = function_at(unit, number)?;
    if head(&definition)? != head(&function_at(old.syntax, number)?)? {
        return None;
    }
    let after = part.end;
    let mut lowerer = Lowerer::new(without_behind(old.program, part.start), false);
    lowerer.layout = Layout { parts: Vec::new(), ..old.layout.clone() };
    lowerer.number = number;
    let own = lowerer.function_definition(&definition)?;
    let is_isolated = !lowerer.touches_file && !lowerer.sees_later.get();
    if !is_isolated {
        return None;
    }
    let range = definition.range();
    let new_part = Part { range, start: part.start, end: Counts::of(&lowerer.program), is_isolated };
    let shift = Shift {
        variables: Offset::new(after.variables, new_part.end.variables),
        exprs: Offset::new(after.exprs, new_part.end.exprs),
        stmts: Offset::new(after.stmts, new_part.end.stmts),
        directives: Offset::new(after.directives, new_part.end.directives),
        text: Offset::new(part.range.end().into(), range.end().into()),
        has_variable_lengths: old.layout.has_variable_lengths,
    };
    let mut layout = std::mem::take(&mut lowerer.layout);
    layout.parts = parts(old.layout, number, new_part, &shift);
    let mut program = lowerer.program;
    append_behind(&mut program, old.program, after, &shift);
    let functions = program.functions.iter_mut().enumerate().filter(|it| it.0 != own.index());
    functions.for_each(|it| shift.function(it.1));
    Some((program, layout, own))
}

/// An external declaration that is the definition of a function.
fn function_at(unit: &ParsedUnit, number: usize) -> Option<ast::FunctionDef> {
    match unit.main.tree().external_decls().nth(number)? {
        ast::ExternalDecl::FunctionDef(it) => Some(it),
        _ => None,
    }
}

/// The text of a function's definition in front of its body.
fn head(definition: &ast::FunctionDef) -> Option<String> {
    let (range, body) = (definition.range(), definition.body()?.range());
    let text = definition.syntax().text();
    let start = definition.syntax().text_range().start();
    Some(text.slice(range.start() - start..body.start() - start).to_string())
}

/// A program without the parts from some on; the names of file scope are all there.
fn without_behind(program: &Program, counts: Counts) -> Program {
    Program {
        variables: program.variables[..counts.variables].to_vec(),
        functions: program.functions.clone(),
        records: program.records.clone(),
        exprs: program.exprs[..counts.exprs].to_vec(),
        stmts: program.stmts[..counts.stmts].to_vec(),
        directives: program.directives[..counts.directives].to_vec(),
        mappers: program.mappers.clone(),
        threadprivate: program.threadprivate.clone(),
        declare_target: program.declare_target.clone(),
        variants: program.variants.clone(),
        open_declare_targets: program.open_declare_targets,
        header_mappings: program.header_mappings.clone(),
        names: program.names.clone(),
        tags: program.tags.clone(),
    }
}

/// Appends the parts of a program from some on, and renumbers what names them.
fn append_behind(program: &mut Program, old: &Program, from: Counts, shift: &Shift) {
    fn append<T: Clone>(to: &mut Vec<T>, all: &[T], from: usize, mut shift: impl FnMut(&mut T)) {
        let first = to.len();
        to.extend_from_slice(&all[from..]);
        to[first..].iter_mut().for_each(&mut shift);
    }
    append(&mut program.variables, &old.variables, from.variables, |it| shift.variable(it));
    append(&mut program.exprs, &old.exprs, from.exprs, |it| shift.expr(it));
    append(&mut program.stmts, &old.stmts, from.stmts, |it| shift.stmt(it));
    append(&mut program.directives, &old.directives, from.directives, |it| shift.directive(it));
    let fields = program.records.iter_mut().flat_map(|it| it.fields.iter_mut().flatten());
    fields.for_each(|it| shift.ty(&mut it.ty));
    program.names.values_mut().for_each(|it| shift.entity(it));
    program.mappers.iter_mut().for_each(|it| shift.mapper(it));
    program.threadprivate = program.threadprivate.iter().map(|it| shift.variable_id(*it)).collect();
    program.declare_target = program.declare_target.iter().map(|it| shift.variable_id(*it)).collect();
}

/// The declarations with one replaced, and those behind it moved.
fn parts(old: &Layout, number: usize, new: Part, shift: &Shift) -> Vec<Part> {
    let counts = |it: Counts| Counts {
        variables: shift.variables.of(it.variables),
        exprs: shift.exprs.of(it.exprs),
        stmts: shift.stmts.of(it.stmts),
        directives: shift.directives.of(it.directives),
    };
    let moved = |it: &Part| Part {
        range: shift.range(it.range),
        start: counts(it.start),
        end: counts(it.end),
        is_isolated: it.is_isolated,
    };
    let behind = old.parts[number + 1..].iter().map(moved);
    old.parts[..number].iter().copied().chain([new]).chain(behind).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use apg_c_syntax::{FileSystem, Toolchain, Unit, parse_unit, preprocess, reparse};

    use super::*;
    use crate::lower::{lower_preamble, lower_unit};

    struct NoFiles;

    impl FileSystem for NoFiles {
        fn read(&self, _: &Path) -> Option<Arc<str>> {
            None
        }
    }

    fn parsed(text: &str) -> (Unit, ParsedUnit) {
        let unit = preprocess(Path::new("a.c"), text.into(), &Toolchain::default(), &NoFiles, None);
        let syntax = parse_unit(&unit, None);
        (unit, syntax)
    }

    /// Whether an edit lowers one function alone; the program is then that of the new text as a whole.
    fn is_lowered_alone(old: &str, new: &str) -> bool {
        let (unit, syntax) = parsed(old);
        let preamble = lower_preamble(&syntax.preamble);
        let (program, layout) = lower_unit(&syntax, &preamble);
        let edited = reparse(&unit, &syntax, &new.into(), &Toolchain::default(), &NoFiles);
        let (_, edited) = edited.expect("an edit in one declaration");
        let old = Lowered { syntax: &syntax, program: &program, layout: &layout };
        let found = relower(&edited, &old, edited.replaced.expect("a declaration"));
        let is_alone = found.is_some();
        if let Some((program, layout, _)) = found {
            let whole = lower_unit(&parsed(new).1, &preamble);
            assert_eq!(program, whole.0, "{new}");
            assert_eq!(layout, whole.1, "{new}");
        }
        is_alone
    }

    const PROGRAM: &str = "
struct point { int x, y; };
static int sum(int n, int a[n]);
int total, table[];
void fill(struct point *p, int n) {
    for (int i = 0; i < n; i++) p[i].x = total; // here
    total += sum(n, table);
}
static int sum(int n, int a[n]) {
    int found = 0, copy[n];
    #pragma omp parallel for reduction(+: found) shared(a)
    for (int i = 0; i < n; i++) { copy[i] = a[i]; found += copy[i]; }
    return found > 0 ? found : ({ int other = total; other; });
}
int later;
#pragma omp declare mapper(struct point p) map(p)
int tables[] = {[1] = 2, [3 ... 4] = 7};
#pragma omp threadprivate(later)
int main(void) {
    struct point points[8];
    fill(points, 8);
    switch (later) { case 1: return sum(8, table); default: break; }
    return later;
}
";

    #[test]
    fn an_edit_in_a_body_lowers_this_function_alone() {
        for statement in [
            "",
            "int more = n; p[more].y = more;",
            "\n#pragma omp parallel for lastprivate(n)\nfor (int k = 0; k < n; k++) p[k].y = k;\n",
            "goto end; end: sum(1, table);",
        ] {
            assert!(is_lowered_alone(PROGRAM, &PROGRAM.replace("// here", statement)), "{statement}");
        }
        assert!(is_lowered_alone(PROGRAM, &PROGRAM.replace("found > 0", "found > total + 100000")));
        assert!(is_lowered_alone(
            PROGRAM,
            &PROGRAM.replace("copy[n];", "copy[n], other[n + n], *end = a + n;")
        ));
        assert!(is_lowered_alone(PROGRAM, &PROGRAM.replace("return later;", "return later + points[0].x;")));
    }

    #[test]
    fn what_concerns_other_declarations_is_lowered_as_a_whole() {
        for statement in [
            "struct local { int z; } local;",
            "extern int elsewhere;",
            "int elsewhere(void);",
            "\n#pragma omp declare mapper(struct point v) map(v)\n",
            // A name that is declared behind the function.
            "total = later;",
            "extern int later; total = later;",
        ] {
            assert!(!is_lowered_alone(PROGRAM, &PROGRAM.replace("// here", statement)), "{statement}");
        }
        let parameter =
            PROGRAM.replace("void fill(struct point *p, int n)", "void fill(struct point *p, long n)");
        assert!(!is_lowered_alone(PROGRAM, &parameter));
        let completed = format!("int early(int n) {{ return n; }}\nstruct point;\n{PROGRAM}int table[4];\n");
        assert!(!is_lowered_alone(&completed, &completed.replace("return n;", "return n + 1;")));
        let initialized = "extern int n;\nint early(int n) { return n; }\nint n = 5;\n";
        assert!(!is_lowered_alone(initialized, &initialized.replace("return n;", "return n + 1;")));
    }
}
