//! A parallel region as a kernel, whose threads call one function each (OpenMP 2.5, section 2.4).

use std::path::Path;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    Construct, Directive, DirectiveId, ExprKind, Length, Program, StmtKind, Storage as CStorage, Type,
    VariableId,
};
use apg_c_syntax::Family;
use apg_mir::{
    self as mir, Expr, KernelCapture, KernelCaptureKind, Local, LocalId, Operation, PlaceKind, Ty,
};

use super::exclusion::is_exclusive;
use super::foreign::functions_with_openmp;
use super::independent::is_independent;
use super::lent::pointer_words;
use super::taken::{Taken, taken};
use crate::body::{Body, Role, Storage, TeamThread, binary, int, local_value, operation};
use crate::moved::moved_arrays;
use crate::sources::{Source, Sources};
use crate::spelling::{end_of_declarator, spelled_directive};
use crate::statement::lower_function;
use crate::tables::Tables;
use crate::unit::{FunctionNames, Unit, declared_function};
use crate::unsupported::{Lowered, Unsupported, unsupported};
use crate::variable_length::length_variables;

/// The parallel regions of a file.
#[derive(Debug)]
pub struct ParallelRegions {
    /// A kernel for each region that has one, in the order of the source.
    pub program: mir::Program,
    /// Their directives, and what each takes of the function around it.
    pub regions: Vec<(DirectiveId, Vec<Taken>)>,
    /// What the kernels name by indices.
    pub(crate) tables: Tables,
    /// The loops among them whose threads cannot tell how many they are.
    pub(crate) independent: Vec<DirectiveId>,
    /// The regions whose threads may exclude those of other regions.
    pub(crate) exclusive: Vec<DirectiveId>,
    /// Why other regions stay on the host.
    pub refused: Vec<Unsupported>,
}

/// Lowers the parallel regions of a file. A region with code that has no device form is refused as a whole,
/// and so is a region that calls a function of another file which uses OpenMP
/// ([`crate::functions_with_openmp`]). With `checks` they check bounds.
pub fn lower_parallel(
    parsed: &Parsed,
    path: &Path,
    with_openmp: &FunctionNames,
    checks: bool,
) -> ParallelRegions {
    let hir = &parsed.program;
    let files = [Source { parsed, path }];
    let sources = Sources::new(&files, checks);
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for id in hir.directive_ids().filter(|it| is_outermost(hir, *it)) {
        if let Err(error) = spelled_directive(parsed, hir.directive(id).range) {
            refused.push(error);
            continue;
        }
        let mut unit = Unit::for_teams(&sources, with_openmp);
        lower_all(&mut unit, &[id]);
        unit.errors.sort_by_key(|it| it.range.start());
        match unit.errors.into_iter().next() {
            None => accepted.push(id),
            Some(error) => refused.push(error),
        }
    }
    let mut unit = Unit::for_teams(&sources, with_openmp);
    // Programs of several files have such functions: `target` regions of other files may reach the arrays.
    let may_move = !accepted.is_empty() && with_openmp.is_empty();
    if let Some(tables) = unit.tables.as_mut().filter(|_| may_move) {
        tables.moved = moved_arrays(parsed);
    }
    let regions = lower_all(&mut unit, &accepted);
    unit.program.assign_ids();
    mir::verify::debug_assert_valid(&unit.program, "lowering of parallel regions");
    let own_users = functions_with_openmp([parsed]);
    let exclusive = accepted.iter().copied().filter(|it| is_exclusive(hir, *it, &own_users)).collect();
    let independent = accepted.into_iter().filter(|it| is_independent(hir, *it, &own_users)).collect();
    let tables = unit.tables.unwrap_or_default();
    ParallelRegions { program: unit.program, regions, tables, independent, exclusive, refused }
}

/// Lowers regions and the functions that they reach.
fn lower_all(unit: &mut Unit<'_>, ids: &[DirectiveId]) -> Vec<(DirectiveId, Vec<Taken>)> {
    let mut regions = Vec::new();
    for id in ids {
        match lower_region(unit, *id) {
            Ok(captured) => regions.push((*id, captured)),
            Err(error) => unit.report(error),
        }
    }
    unit.lower_functions(lower_function);
    regions
}

/// Whether a directive starts a parallel region that no other region of the function contains.
fn is_outermost(hir: &Program, id: DirectiveId) -> bool {
    let of = hir.directive(id);
    let starts_region = |it: &Directive| {
        it.family == Family::OpenMp
            && it.constructs.iter().any(|it| {
                matches!(it, Construct::Parallel | Construct::Target | Construct::Teams | Construct::Task)
            })
    };
    if of.family != Family::OpenMp || of.constructs.first() != Some(&Construct::Parallel) || of.body.is_none()
    {
        return false;
    }
    let mut parent = of.parent;
    while let Some(around) = parent {
        if starts_region(hir.directive(around)) {
            return false;
        }
        parent = hir.directive(around).parent;
    }
    true
}

/// The objects of the function that a region refers to and that are declared outside of it.
fn captured(hir: &Program, id: DirectiveId) -> Vec<VariableId> {
    let of = hir.directive(id);
    let mut found = Vec::new();
    let is_captured = |variable| {
        hir.variable(variable).storage != CStorage::Global
            && !hir.is_threadprivate(variable)
            && !hir.is_declared_in(variable, of)
    };
    let mut visit = |expr| {
        if let ExprKind::Variable(variable) = hir.expr(expr).kind
            && is_captured(variable)
            && !found.contains(&variable)
        {
            found.push(variable);
        }
    };
    let mut exprs = Vec::new();
    let clauses = |directive: DirectiveId, exprs: &mut Vec<_>| {
        let items = hir.directive(directive).clauses.iter().flat_map(|it| &it.items);
        exprs.extend(items.filter_map(|it| it.expr));
    };
    clauses(id, &mut exprs);
    if let Some(body) = of.body {
        hir.walk_stmt(body, &mut |node| {
            match node {
                Node::Expr(expr) => exprs.push(expr),
                Node::Directive(inner) => clauses(inner, &mut exprs),
                Node::Stmt(_) => {}
            }
            true
        });
    }
    for expr in exprs {
        hir.walk_expr(expr, &mut |node| {
            if let Node::Expr(it) = node {
                visit(it);
            }
            true
        });
    }
    let lengths = found.iter().flat_map(|it| length_variables(hir, &hir.variable(*it).ty));
    let lengths: Vec<VariableId> = lengths.filter(|it| is_captured(*it)).collect();
    for length in lengths {
        if !found.contains(&length) {
            found.push(length);
        }
    }
    found
}

/// The region as a function of the state of its thread, and a kernel whose threads call it.
fn lower_region(unit: &mut Unit<'_>, id: DirectiveId) -> Lowered<Vec<Taken>> {
    let hir = unit.hir;
    let of = hir.directive(id);
    let span = unit.span(of.range);
    let captured = taken(hir, id, captured(hir, id));
    let function = of.function.map_or("file", |it| &hir.function(it).name);
    let name = format!("{function}_{}", span.line());
    let mut body = Body::new(unit, Role::Region, span);
    let (team, number) = (body.local("team", Ty::I64), body.local("number", Ty::I32));
    let mut params = vec![Ty::I64, Ty::I32];
    if let Some(code) = of.body {
        body.note_objects(code);
        body.note_labels(code);
    }
    for Taken { variable, is_value } in &captured {
        let item = body.unit.hir.variable(*variable);
        let range = item.range.unwrap_or(of.range);
        if *is_value {
            let ty = body.unit.ty(&item.ty, range)?;
            let local = body.local(&item.name, ty);
            params.push(ty);
            body.objects.insert(*variable, Storage::Local(local));
            continue;
        }
        let is_of_variable_length = matches!(item.ty, Type::Array(_, Length::Variable(_) | Length::Unknown));
        // The value of an array whose length is not a constant is the address of its first element.
        let ty = match is_of_variable_length {
            true => body.unit.ty(&item.ty.clone().decayed(), range)?,
            false => {
                let object = body.unit.ty(&item.ty, range)?;
                body.unit.program.types.pointer_to(object, mir::AddressSpace::Generic)
            }
        };
        let local = body.local(&item.name, ty);
        params.push(ty);
        let storage = if is_of_variable_length { Storage::Local(local) } else { Storage::Pointed(local) };
        body.objects.insert(*variable, storage);
    }
    body.function_name = function.into();
    body.enter_team(team, number);
    let entered = std::mem::take(&mut body.stmts);
    body.copy_in(of)?;
    body.parallel(of, &of.constructs[1..])?;
    let mut stmts = entered;
    stmts.append(&mut body.prologue);
    stmts.append(&mut body.stmts);
    mir::fold::fold_body(&mut stmts);
    let region = mir::FunctionId(body.unit.program.functions.len() as u32);
    let item = mir::Function {
        params: params.len() as u32,
        locals: std::mem::take(&mut body.locals),
        variables: std::mem::take(&mut body.variables),
        body: stmts,
        inlining: mir::Inlining::Never,
        ..declared_function(name.clone(), span)
    };
    unit.program.functions.push(item);
    let kernel = kernel(name, span, region, &params, &captured, hir);
    unit.program.kernels.push(kernel);
    Ok(captured)
}

/// The kernel of a region. Its first captures are the team, the number of blocks and that of the threads of a
/// block; what the region takes of the function around it follows.
fn kernel(
    name: String,
    span: mir::Span,
    region: mir::FunctionId,
    params: &[Ty],
    captured: &[Taken],
    hir: &Program,
) -> mir::Kernel {
    let mut locals = Vec::new();
    let mut captures = Vec::new();
    let mut capture = |name: &str, ty: Ty| {
        locals.push(Local { name: name.into(), ty });
        captures.push(KernelCapture {
            name: name.into(),
            kind: KernelCaptureKind::Scalar(ty),
            static_field: None,
            global: None,
            derived_from: None,
        });
    };
    capture("team", Ty::I64);
    capture("blocks", Ty::I32);
    capture("threads", Ty::I32);
    capture("size", Ty::I32);
    for (taken, ty) in captured.iter().zip(&params[2..]) {
        capture(&hir.variable(taken.variable).name, *ty);
    }
    let value = |index: usize, locals: &[Local]| local_value(LocalId(index as u32), locals[index].ty);
    let (block, thread) = (LocalId(locals.len() as u32), LocalId(locals.len() as u32 + 1));
    for name in ["block", "thread"] {
        locals.push(Local { name: name.into(), ty: Ty::I32 });
    }
    let before = binary(Ty::I32, Operation::Mul, local_value(block, Ty::I32), value(2, &locals));
    let number = binary(Ty::I32, Operation::Add, before, local_value(thread, Ty::I32));
    let objects = (4..4 + captured.len()).map(|it| value(it, &locals));
    let args = [value(0, &locals), number.clone()].into_iter().chain(objects).collect();
    let call = Expr::new(Ty::Void, mir::ExprKind::Call { function: region, args });
    let then = vec![mir::Stmt::new(span, mir::StmtKind::Expr(call))];
    // The last block of a device may have threads that are not in the team.
    let condition = binary(Ty::Bool, Operation::Lt, number, value(3, &locals));
    let body = vec![mir::Stmt::new(span, mir::StmtKind::If { condition, then, otherwise: Vec::new() })];
    mir::Kernel {
        name,
        span,
        captures,
        host: mir::LaunchConfiguration {
            blocks: vec![value(1, &locals)],
            threads: vec![value(2, &locals)],
            shared_lengths: Vec::new(),
        },
        shared: Vec::new(),
        locals,
        variables: Vec::new(),
        block_locals: vec![block],
        thread_locals: vec![thread],
        auto_blocks: None,
        auto_threads: None,
        block_choices: Vec::new(),
        thread_choices: Vec::new(),
        body,
        direct_params: false,
        fast_math: false,
        has_barrier: false,
    }
}

impl Body<'_, '_> {
    /// Memory for the state of a thread, and its address.
    fn new_state(&mut self) -> LocalId {
        let words = self.unit.program.types.array_of(Ty::U64, mir::team::STATE_WORDS);
        let memory = self.memory("state", words);
        let place = mir::Place::new(words, PlaceKind::Variable(memory));
        let pointer = self.address_of(place);
        let state = self.local("self", Ty::I64);
        self.set(state, operation(Ty::I64, Operation::Convert, vec![pointer]));
        state
    }

    fn enter_team(&mut self, team: LocalId, number: LocalId) {
        let state = self.new_state();
        let args = [(state, Ty::I64), (team, Ty::I64), (number, Ty::I32)];
        self.call_entry("team_enter", args.map(|(local, ty)| local_value(local, ty)).to_vec());
        self.team = Some(TeamThread { state });
        self.function_team = self.team;
    }

    /// Gives the threads the values of threadprivate objects of the initial thread (section 2.8.4.1).
    fn copy_in(&mut self, directive: &Directive) -> Lowered<()> {
        let mut has_some = false;
        for item in directive.clauses_named("copyin").flat_map(|it| &it.items) {
            let Some(variable) = item.variable(self.unit.hir) else { continue };
            let ty = self.unit.ty(&self.unit.hir.variable(variable).ty, item.range)?;
            let descriptor = self.private_descriptor(variable);
            let master = self.entry("team_master_copy", vec![descriptor.clone()]);
            let own = self.entry("team_private", vec![descriptor]);
            let (master, own) = (self.temporary(master), self.temporary(own));
            let bytes = self.bytes_of(ty, item.range)?;
            let differs = binary(Ty::Bool, Operation::Ne, master.clone(), own.clone());
            let (then, ()) = self.nested(|it| {
                it.call_entry("team_copy", vec![own, master, bytes]);
                Ok(())
            })?;
            self.push(mir::StmtKind::If { condition: differs, then, otherwise: Vec::new() });
            has_some = true;
        }
        if has_some {
            self.call_entry("team_synchronize", Vec::new());
        }
        Ok(())
    }

    /// What a thread executes of a region; `inner` are the constructs of its directive inside of `parallel`.
    fn parallel(&mut self, directive: &Directive, inner: &[Construct]) -> Lowered<()> {
        match inner {
            [] => self.in_environment(directive, |it| {
                directive.body.iter().for_each(|body| it.stmt(*body));
                Ok(())
            }),
            inner => self.constructs(directive, inner),
        }
    }

    /// A region inside of another has one thread (section 2.4).
    pub(super) fn nested_region(&mut self, directive: &Directive, inner: &[Construct]) -> Lowered<()> {
        let Some(around) = self.team else { return Ok(()) };
        let state = self.new_state();
        let outer = local_value(around.state, Ty::I64);
        self.call_entry("team_nest", vec![local_value(state, Ty::I64), outer]);
        self.team = Some(TeamThread { state });
        let jumps = std::mem::take(&mut self.jumps);
        let result = self.parallel(directive, inner);
        self.jumps = jumps;
        self.team = Some(around);
        result
    }

    /// The number of bytes of a type.
    pub(super) fn bytes_of(&mut self, ty: Ty, range: apg_c_syntax::TextRange) -> Lowered<Expr> {
        match mir::Layouts::new(&self.unit.program).size(ty) {
            Some(size) => Ok(int(Ty::I64, size.size as i64)),
            None => unsupported(range, "the size of this object is not known", "declare its type"),
        }
    }

    /// The address of an object of the table.
    pub(super) fn table_object(&mut self, index: i64) -> Expr {
        self.entry("team_object", vec![int(Ty::I32, index)])
    }

    /// The descriptor of a threadprivate object.
    pub(super) fn private_descriptor(&mut self, variable: VariableId) -> Expr {
        let name = &self.unit.hir.variable(variable).name;
        let Some(tables) = &mut self.unit.tables else { return int(Ty::I64, 0) };
        let descriptor = format!("apg_private_{name}_");
        let index = tables.defined(&descriptor, || {
            format!("static struct apg_private {descriptor} = {{0, 0, 0, sizeof({name}), 0}};")
        });
        if !tables.private.iter().any(|it| it.0 == variable) {
            tables.private.push((variable, descriptor));
        }
        self.table_object(index)
    }

    /// An object of the file, by its address, which is computed at the start of the function.
    pub(crate) fn file_object(&mut self, variable: VariableId) -> Lowered<Storage> {
        if let Some(known) = self.file_objects.get(&variable) {
            return Ok(*known);
        }
        let of = self.unit.hir.variable(variable);
        let range = of.range.unwrap_or_default();
        let is_static_local = of.storage == CStorage::StaticLocal;
        let is_named = is_static_local
            && !self.unit.hir.is_threadprivate(variable)
            && end_of_declarator(self.unit.parsed, of).is_some();
        if !is_named && (is_static_local || of.function.is_some()) {
            let message = format!("`{}` is static in a function, and has no device form", of.name);
            return unsupported(range, message, "declare it at file scope");
        }
        let (ty, is_array_of_unknown_length) = match &of.ty {
            Type::Array(_, Length::Unknown | Length::Variable(_)) => {
                (self.unit.ty(&of.ty.clone().decayed(), range)?, true)
            }
            ty => {
                let object = self.unit.ty(ty, range)?;
                (self.unit.program.types.pointer_to(object, mir::AddressSpace::Generic), false)
            }
        };
        let stmts = std::mem::take(&mut self.stmts);
        let around = self.team;
        self.team = self.function_team;
        let address = if self.unit.hir.is_threadprivate(variable) {
            let descriptor = self.private_descriptor(variable);
            self.entry("team_private", vec![descriptor])
        } else {
            let words = pointer_words(self.unit.hir, &of.ty);
            let index = self.unit.tables.as_mut().map_or(0, |it| match is_static_local {
                true => it.static_object(variable, words),
                false => it.file_object(variable, &of.name, words),
            });
            self.table_object(index)
        };
        self.team = around;
        let local = self.local(&of.name, ty);
        self.set(local, operation(ty, Operation::Convert, vec![address]));
        let mut computed = std::mem::replace(&mut self.stmts, stmts);
        self.prologue.append(&mut computed);
        let storage =
            if is_array_of_unknown_length { Storage::Local(local) } else { Storage::Pointed(local) };
        self.file_objects.insert(variable, storage);
        Ok(storage)
    }

    /// Whether a statement is a block with nothing else than directives of one construct.
    pub(super) fn block_statements(
        &self,
        stmt: apg_c_analysis::hir::StmtId,
    ) -> Vec<apg_c_analysis::hir::StmtId> {
        match &self.unit.hir.stmt(stmt).kind {
            StmtKind::Block(stmts) => stmts.clone(),
            _ => vec![stmt],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use apg_c_analysis::{AnalysisHost, Toolchain, parsed};
    use apg_c_syntax::Disk;

    use super::*;

    /// The regions of a function whose loops follow directives with these ends.
    fn loops(directives: &[&str]) -> ParallelRegions {
        let loops: String = directives
            .iter()
            .map(|it| format!("  #pragma omp parallel {it}\n  for (int i = 0; i < n; i++) {{ x[i] = z; }}\n"))
            .collect();
        lowered(&format!("void f(int n, double *x, double z) {{\n{loops}}}\n"))
    }

    fn lowered(text: &str) -> ParallelRegions {
        let mut host = AnalysisHost::new(Arc::new(Disk));
        let file = host.set_file(Path::new("/a.c"), text.into(), &Arc::new(Toolchain::default()));
        let found =
            lower_parallel(parsed(host.database(), file), Path::new("a.c"), &FunctionNames::default(), false);
        assert!(found.refused.is_empty(), "{:?}", found.refused);
        found
    }

    #[test]
    fn loops_whose_threads_wait_for_first_values_are_not_independent() {
        let found = loops(&[
            "for firstprivate(z) lastprivate(z)",
            "for firstprivate(z)",
            "for lastprivate(z)",
            "for reduction(+: z)",
        ]);
        let expected: Vec<DirectiveId> = [1, 2].map(|it: usize| found.regions[it].0).to_vec();
        assert_eq!(found.independent, expected);
    }

    #[test]
    fn regions_with_locks_exclude_others() {
        let statements = [
            "n++;",
            "{\n#pragma omp critical\nn++;\n}",
            "{\n#pragma omp atomic\nn++;\n}",
            "omp_set_lock(&lock);",
            "n += locked(n);",
            "n += plain(n);",
        ];
        let regions: String = statements.map(|it| format!("#pragma omp parallel\n{it}\n")).concat();
        let found = lowered(&format!(
            "typedef struct {{ unsigned char bytes[4]; }} omp_lock_t;\nvoid omp_set_lock(omp_lock_t *);\n\
             static omp_lock_t lock;\nstatic int plain(int n) {{ return n; }}\n\
             static int inner(int n) {{\n#pragma omp critical\nn++;\nreturn n;\n}}\n\
             static int locked(int n) {{ return inner(n); }}\nvoid f(int n) {{\n{regions}}}\n"
        ));
        let expected: Vec<DirectiveId> = [1, 2, 3, 4].map(|it: usize| found.regions[it].0).to_vec();
        assert_eq!(found.exclusive, expected);
    }
}
