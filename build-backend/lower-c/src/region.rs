//! `target` regions as kernels. The threads of all teams share the iterations by a grid-stride loop
//! (Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops*, 2013).

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    self, BinaryOp, Clause, Construct, Directive, DirectiveId, ExprId, ExprKind, Program, StmtId, StmtKind,
    Type,
};
use apg_c_analysis::loops::{self, CanonicalLoop};
use apg_c_syntax::{Family, TextRange};
use apg_mir::{
    self as mir, AddressSpace, Expr, KernelCapture, KernelCaptureKind, LocalId, Operation, Stmt, Ty,
};
use smol_str::SmolStr;

use crate::body::{
    Body, Jumps, LastValue, Role, Storage, ThreadNumbers, Threads, binary, int, local_value, operation,
};
use crate::changes::is_changed;
use crate::conversion::zero;
use crate::data::{Captured, Reference, captured, check_clauses};
use crate::loops::{check_perfect_nest, not_canonical};
use crate::nested::is_divided_by_teams;
use crate::reduction::PrivateSum;
use crate::sources::{FileNumber, ReachedObject, Sources};
use crate::unit::Unit;
use crate::unsupported::{Lowered, unsupported};

/// Threads of a block where no clause says how many.
const THREADS_PER_BLOCK: i64 = 256;

/// The most threads that a block has (CUDA C++ Programming Guide, "Technical Specifications").
const MAX_THREADS_PER_BLOCK: i64 = 1024;

/// Whether a directive starts a region of a device.
pub(crate) fn is_region(hir: &Program, directive: DirectiveId) -> bool {
    let of = hir.directive(directive);
    of.family == Family::OpenMp && of.has(Construct::Target) && of.body.is_some()
}

/// The regions of a file, in the order of the source.
pub(crate) fn regions(hir: &Program) -> Vec<DirectiveId> {
    hir.directive_ids().filter(|it| is_region(hir, *it)).collect()
}

/// The shape of a region: its directives, and what threads share.
struct Shape {
    /// The outermost first; the others are the only statement of the one before.
    chain: Vec<DirectiveId>,
    constructs: Vec<Construct>,
    loops: Vec<CanonicalLoop>,
    /// What each iteration, or the only thread, does.
    body: StmtId,
}

impl Shape {
    /// All threads belong to one team.
    fn is_one_team(&self) -> bool {
        !self.constructs.contains(&Construct::Teams)
    }

    /// Threads of a team share iterations, not teams alone.
    fn is_parallel(&self) -> bool {
        self.constructs.iter().any(|it| matches!(it, Construct::Parallel | Construct::Loop))
    }

    /// The objects outside of the region that it and the functions which it calls refer to.
    fn environment(self, sources: &Sources<'_>, file: FileNumber) -> Lowered<Environment> {
        let hir = sources.hir(file);
        let counters: Vec<_> = self.loops.iter().map(|it| it.variable).collect();
        let captured = captured(hir, &self.chain, &counters)?;
        let body = hir.directive(self.chain[0]).body.unwrap_or(self.body);
        let mut objects = sources.objects_behind_calls(file, body);
        objects.retain(|object| {
            let own = captured.iter().find(|it| ReachedObject::OfFile((file, it.variable)) == *object);
            let has_object = |it| matches!(it, Reference::Object | Reference::Reduction(_) | Reference::Last);
            !own.is_some_and(|it| has_object(it.reference))
        });
        Ok(Environment { shape: self, captured, objects })
    }

    /// One thread executes it.
    fn is_serial(&self) -> bool {
        self.loops.is_empty() && self.is_one_team()
    }

    fn clause<'h>(&self, hir: &'h Program, name: &str) -> Option<&'h Clause> {
        self.chain.iter().find_map(|it| hir.directive(*it).clause(name))
    }
}

fn shape(hir: &Program, directive: DirectiveId) -> Lowered<Shape> {
    let mut chain = vec![directive];
    let mut constructs = hir.directive(directive).constructs.clone();
    let mut last = hir.directive(directive);
    while !last.is_loop() {
        let Some(inner) = last.body.and_then(|it| only_directive(hir, it)) else { break };
        let of = hir.directive(inner);
        let is_part = |it: &Construct| {
            use Construct::*;
            matches!(it, Teams | Distribute | Parallel | For | Simd | Loop)
        };
        if of.constructs.is_empty() || !of.constructs.iter().all(is_part) || is_of_each(&constructs, of) {
            break;
        }
        chain.push(inner);
        constructs.extend(of.constructs.iter().copied());
        last = of;
    }
    for directive in &chain {
        check_clauses(hir.directive(*directive))?;
    }
    let range = hir.directive(directive).range;
    let Some(body) = last.body else { return unsupported(range, "this region is empty", "leave it out") };
    if !last.is_loop() {
        if constructs.contains(&Construct::Parallel) {
            let message = "threads of a region share the iterations of one loop nest; this one has none";
            let advice = "write `target teams distribute parallel for` on the loop";
            return unsupported(range, message, advice);
        }
        return Ok(Shape { chain, constructs, loops: Vec::new(), body });
    }
    let (loops, problem) = loops::associated(hir, last);
    if let Some(problem) = problem {
        return not_canonical(hir, problem, last.range);
    }
    if loops.len() < loops::loop_count(hir, last) {
        return unsupported(last.range, "a directive stands between the loops", "`collapse` fewer loops");
    }
    let mut body = loops.last().map_or(body, |it| it.body);
    check_perfect_nest(hir, &loops)?;
    let mut loops = loops;
    if let Some(inner) = inner_parallel_loop(hir, &constructs, body, &loops) {
        check_clauses(hir.directive(inner.directive))?;
        chain.push(inner.directive);
        constructs.extend(hir.directive(inner.directive).constructs.iter().copied());
        body = inner.loops.last().map_or(body, |it| it.body);
        loops.extend(inner.loops);
    }
    Ok(Shape { chain, constructs, loops, body })
}

/// Whether each of the teams or threads around executes all iterations of a `loop` construct (OpenMP 5.2,
/// section 11.7.1).
fn is_of_each(around: &[Construct], of: &Directive) -> bool {
    let is_in = |construct| around.contains(&construct) || of.has(construct);
    match of.clause("bind").and_then(Clause::word) {
        Some("thread") => is_in(Construct::Teams) || is_in(Construct::Parallel),
        Some("parallel") => is_in(Construct::Teams) && !is_in(Construct::Parallel),
        _ => false,
    }
}

/// A parallel loop that is all that the iterations of `distribute` do.
struct InnerLoop {
    directive: DirectiveId,
    loops: Vec<CanonicalLoop>,
}

/// The parallel loop inside of `distribute` whose iterations all threads can share together with the outer
/// ones: its bounds are the same in all of them, and its clauses concern each iteration only.
fn inner_parallel_loop(
    hir: &Program,
    constructs: &[Construct],
    body: StmtId,
    outer: &[CanonicalLoop],
) -> Option<InnerLoop> {
    use Construct::*;
    if !constructs.contains(&Distribute) || constructs.contains(&Parallel) {
        return None;
    }
    let directive = only_directive(hir, body)?;
    let of = hir.directive(directive);
    let is_loop = matches!(of.constructs[..], [Parallel, For] | [Parallel, For, Simd] | [Parallel, Loop]);
    let concerns_iterations = |it: &Clause| {
        matches!(&*it.name, "collapse" | "default" | "private" | "proc_bind" | "schedule" | "shared")
    };
    if !is_loop || !of.clauses.iter().all(concerns_iterations) {
        return None;
    }
    let (loops, problem) = loops::associated(hir, of);
    let is_whole = problem.is_none() && loops.len() == loops::loop_count(hir, of);
    let counters: Vec<_> = outer.iter().chain(&loops).map(|it| it.variable).collect();
    let bounds = loops.iter().flat_map(|it| [Some(it.start), Some(it.end), it.step]).flatten();
    let is_fixed = |bound: ExprId| {
        let mut is_fixed = true;
        hir.walk_expr(bound, &mut |node| {
            let Node::Expr(id) = node else { return true };
            is_fixed &= match hir.expr(id).kind {
                ExprKind::Variable(it) => !counters.contains(&it) && !is_changed(hir, body, it),
                ExprKind::Integer(_) | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(_) => true,
                ExprKind::Unevaluated => true,
                _ => false,
            };
            is_fixed
        });
        is_fixed
    };
    let is_rectangular = bounds.into_iter().all(is_fixed) && check_perfect_nest(hir, &loops).is_ok();
    (is_whole && is_rectangular).then_some(InnerLoop { directive, loops })
}

/// The directive that a statement is, inside of blocks with nothing else.
fn only_directive(hir: &Program, mut stmt: StmtId) -> Option<DirectiveId> {
    loop {
        match &hir.stmt(stmt).kind {
            StmtKind::Block(stmts) => match stmts[..] {
                [only] => stmt = only,
                _ => return None,
            },
            StmtKind::Directive(id) => return Some(*id),
            _ => return None,
        }
    }
}

/// What a region refers to outside of it.
pub(crate) struct Environment {
    shape: Shape,
    /// What its own code names.
    pub captured: Vec<Captured>,
    /// Objects of file scope that the functions name which it calls, and it does not share with them.
    pub objects: Vec<ReachedObject>,
}

impl Environment {
    /// Its directives, the outermost first.
    pub(crate) fn chain(&self) -> &[DirectiveId] {
        &self.shape.chain
    }
}

/// What a region of a file refers to outside of it.
pub(crate) fn environment(
    sources: &Sources<'_>,
    file: FileNumber,
    directive: DirectiveId,
) -> Lowered<Environment> {
    shape(sources.hir(file), directive)?.environment(sources, file)
}

/// Lowers a region to a kernel; the objects of file scope that functions which it calls name.
pub(crate) fn lower(unit: &mut Unit<'_>, directive: DirectiveId) -> Lowered<Vec<ReachedObject>> {
    let hir = unit.hir;
    let of = hir.directive(directive);
    let environment = environment(unit.sources, unit.file, directive)?;
    let span = unit.span(of.range);
    let function = of.function.map_or("file", |it| &hir.function(it).name);
    let name = format!("{function}_{}", span.line());
    let mut body = Body::new(unit, Role::Region(Box::default()), span);
    body.function_name = function.into();
    if let Some(code) = of.body {
        body.note_objects(code);
    }
    let kernel = body.kernel(&environment, name)?;
    unit.program.kernels.push(kernel);
    Ok(environment.objects)
}

/// The extents of a launch, and where they are in the kernel.
struct Launch {
    block: LocalId,
    thread: LocalId,
    auto_blocks: Option<LocalId>,
    blocks: Expr,
    threads: Expr,
}

impl Body<'_, '_> {
    fn kernel(mut self, environment: &Environment, name: String) -> Lowered<mir::Kernel> {
        let Environment { shape, captured, objects } = environment;
        let captures = self.captures(captured, objects)?;
        let block = self.local("block", Ty::I32);
        let thread = self.local("thread", Ty::I32);
        let launch = self.launch(shape, block, thread)?;
        let reductions = self.private_objects(captured)?;
        match shape.loops.is_empty() {
            true => self.whole_body(shape, &launch)?,
            false => self.shared_loop(shape, &launch)?,
        }
        for reduction in &reductions {
            self.combine(reduction, thread)?;
        }
        let Launch { auto_blocks, mut blocks, mut threads, .. } = launch;
        mir::fold::fold_body(&mut self.stmts);
        mir::fold::fold(&mut blocks);
        mir::fold::fold(&mut threads);
        Ok(mir::Kernel {
            name,
            span: self.span,
            captures,
            host: mir::LaunchConfiguration {
                blocks: vec![blocks],
                threads: vec![threads],
                shared_lengths: Vec::new(),
            },
            shared: Vec::new(),
            locals: self.locals,
            variables: self.variables,
            block_locals: vec![block],
            thread_locals: vec![thread],
            auto_blocks,
            auto_threads: None,
            block_choices: Vec::new(),
            thread_choices: Vec::new(),
            body: self.stmts,
            direct_params: false,
            fast_math: false,
            has_barrier: false,
        })
    }

    /// Makes a capture, with its local, of each object that has a value from before.
    fn captures(&mut self, captured: &[Captured], objects: &[ReachedObject]) -> Lowered<Vec<KernelCapture>> {
        let mut captures = Vec::new();
        let capture = |name: &SmolStr, ty| KernelCapture {
            name: name.clone(),
            kind: KernelCaptureKind::Scalar(ty),
            static_field: None,
            global: None,
            derived_from: None,
        };
        for it in captured {
            let of = self.unit.hir.variable(it.variable);
            let (ty, is_object) = match it.reference {
                Reference::Private => continue,
                Reference::Value => (self.unit.ty(&of.ty.clone().decayed(), it.range)?, false),
                Reference::Object | Reference::Reduction(_) | Reference::Copy | Reference::Last => {
                    let object = self.unit.ty(&of.ty, it.range)?;
                    (self.unit.program.types.pointer_to(object, AddressSpace::Generic), true)
                }
            };
            let local = self.local(&of.name, ty);
            captures.push(capture(&of.name, ty));
            let storage = if is_object { Storage::Pointed(local) } else { Storage::Local(local) };
            self.objects.insert(it.variable, storage);
            if is_object && of.storage == hir::Storage::Global {
                let object = ReachedObject::OfFile((self.unit.file, it.variable));
                self.file_addresses.insert(object, local);
            }
        }
        let range = captured.first().map_or_else(TextRange::default, |it| it.range);
        for object in objects {
            let (_, ty) = self.file_address(*object, range)?;
            captures.push(capture(&self.unit.sources.name(*object), ty));
        }
        Ok(captures)
    }

    /// Declares private objects, and copies of captured values that the threads may change.
    fn private_objects(&mut self, captured: &[Captured]) -> Lowered<Vec<PrivateSum>> {
        let mut reductions = Vec::new();
        for it in captured {
            let outside = self.objects.get(&it.variable).copied();
            match (it.reference, outside) {
                (Reference::Private, _) => {
                    let storage = self.declare(it.variable, it.range)?;
                    if let Storage::Local(local) = storage {
                        let ty = self.locals[local.index()].ty;
                        self.set(local, zero(ty));
                    }
                }
                // The value of an array is an address, which nothing changes.
                (Reference::Value, Some(Storage::Local(local)))
                    if self.changed.contains(&it.variable)
                        && !matches!(self.unit.hir.variable(it.variable).ty, Type::Array(..)) =>
                {
                    let value = local_value(local, self.locals[local.index()].ty);
                    let storage = self.declare(it.variable, it.range)?;
                    self.initialize(storage, value);
                }
                (Reference::Copy, Some(Storage::Pointed(pointer))) => {
                    let address = local_value(pointer, self.locals[pointer.index()].ty);
                    let source = self.pointed(address, it.range)?;
                    let storage = self.declare(it.variable, it.range)?;
                    self.copy_into(storage, &source);
                }
                (Reference::Last, Some(Storage::Pointed(target))) => {
                    self.declare_private(it.variable, it.range)?;
                    self.last_values.push(LastValue { variable: it.variable, target });
                }
                (Reference::Reduction(operator), Some(Storage::Pointed(target))) => {
                    reductions.push(self.private_sum(operator, it.variable, target, it.range)?);
                }
                _ => {}
            }
        }
        Ok(reductions)
    }

    /// The numbers of blocks and threads.
    fn launch(&mut self, shape: &Shape, block: LocalId, thread: LocalId) -> Lowered<Launch> {
        let hir = self.unit.hir;
        let one = || int(Ty::I32, 1);
        if shape.is_serial() {
            return Ok(Launch { block, thread, auto_blocks: None, blocks: one(), threads: one() });
        }
        let mut threads: Option<Expr> = None;
        // Where each thread counts as a team, these say nothing.
        let limits = if shape.is_parallel() { &["thread_limit", "num_threads"][..] } else { &[] };
        for name in limits {
            if let Some(clause) = shape.clause(hir, name) {
                let limit = self.extent(clause, MAX_THREADS_PER_BLOCK)?;
                threads = Some(match threads {
                    Some(other) => binary(Ty::I64, Operation::Min, other, limit),
                    None => limit,
                });
            }
        }
        let teams = match shape.clause(hir, "num_teams") {
            Some(clause) => Some(self.extent(clause, i64::from(i32::MAX))?),
            None if shape.loops.is_empty() && !has_divided_loop(hir, shape.body) => Some(one()),
            None => None,
        };
        let is_limited = threads.is_some();
        let threads = match threads {
            Some(threads) => threads,
            // Each thread counts as a team.
            None if teams.is_some() && !shape.is_parallel() => one(),
            None => int(Ty::I32, THREADS_PER_BLOCK),
        };
        let (blocks, auto_blocks) = match teams {
            Some(teams) => (teams, None),
            // The threads of one team are as many as the program says.
            None if is_limited && shape.is_one_team() => (one(), None),
            None if let Some(blocks) = self.blocks_of_iterations(shape, &threads) => (blocks, None),
            None => {
                let auto = self.local("auto_blocks", Ty::I32);
                (local_value(auto, Ty::I32), Some(auto))
            }
        };
        Ok(Launch { block, thread, auto_blocks, blocks, threads })
    }

    /// The number that a clause gives, from 1 to `most`, as host code over the captures.
    fn extent(&mut self, clause: &Clause, most: i64) -> Lowered<Expr> {
        let Some(expr) = clause.items.first().and_then(|it| it.expr) else {
            return unsupported(clause.range, "this clause has no number", "write a number");
        };
        let range = self.unit.hir.expr(expr).range;
        let (stmts, value) = self.nested(|it| {
            let value = it.value(expr)?;
            it.convert_to(value, Ty::I64, range)
        })?;
        if !stmts.is_empty() || reads_memory(&value) {
            let message = "this number is read from memory, which the launch cannot do";
            return unsupported(range, message, "copy it into a variable in front of the region");
        }
        let least = binary(Ty::I64, Operation::Max, value, int(Ty::I64, 1));
        Ok(binary(Ty::I64, Operation::Min, least, int(Ty::I64, most)))
    }

    /// The number of blocks with a thread for each iteration, where the host can compute it: blocks that are
    /// done early make room for others, so that iterations may take different times. Reductions have as many
    /// blocks as run at once: each adds its part to the total.
    fn blocks_of_iterations(&mut self, shape: &Shape, threads: &Expr) -> Option<Expr> {
        if shape.loops.is_empty() || shape.clause(self.unit.hir, "reduction").is_some() {
            return None;
        }
        let long = |op, a, b| binary(Ty::I64, op, a, b);
        let rounded_up = |count, by: Expr| {
            if matches!(by.kind, mir::ExprKind::Int(1)) {
                return count;
            }
            let below = long(Operation::Sub, by.clone(), int(Ty::I64, 1));
            long(Operation::DivUndefined, long(Operation::Add, count, below), by)
        };
        let mut total = None;
        for of in &shape.loops {
            let step = of.step.map_or(Some(1), |it| self.unit.hir.constant(it))?;
            let step = i64::try_from(step).ok().filter(|it| *it != 0 && *it != i64::MIN)?;
            let is_up = match of.comparison {
                BinaryOp::Less | BinaryOp::LessEqual => true,
                BinaryOp::NotEqual => (step > 0) != of.is_downward,
                _ => false,
            };
            let (start, end) = (self.host_value(of.start)?, self.host_value(of.end)?);
            let (low, high) = if is_up { (start, end) } else { (end, start) };
            let mut count = long(Operation::Sub, high, low);
            if matches!(of.comparison, BinaryOp::LessEqual | BinaryOp::GreaterEqual) {
                count = long(Operation::Add, count, int(Ty::I64, 1));
            }
            let count = long(Operation::Max, count, int(Ty::I64, 0));
            let count = rounded_up(count, int(Ty::I64, step.abs()));
            total = Some(match total {
                Some(outer) => long(Operation::Mul, outer, count),
                None => count,
            });
        }
        let threads = self.convert_to(threads.clone(), Ty::I64, TextRange::default()).ok()?;
        let blocks = long(Operation::Max, rounded_up(total?, threads), int(Ty::I64, 1));
        Some(long(Operation::Min, blocks, int(Ty::I64, i64::from(i32::MAX))))
    }

    /// An integer as host code over the captures, if it is one.
    fn host_value(&mut self, expr: ExprId) -> Option<Expr> {
        let range = self.unit.hir.expr(expr).range;
        let lowered = self.nested(|it| {
            let value = it.value(expr)?;
            it.convert_to(value, Ty::I64, range)
        });
        let (stmts, value) = lowered.ok()?;
        (stmts.is_empty() && !reads_memory(&value)).then_some(value)
    }

    /// A region without a loop that its threads share: one thread, or the only thread of each team.
    fn whole_body(&mut self, shape: &Shape, launch: &Launch) -> Lowered<()> {
        self.threads = Threads::One;
        self.may_open_team = !shape.is_serial();
        if !shape.is_serial() {
            let league = self.number_threads(shape, launch)?;
            self.threads = Threads::League(Box::new(league));
        }
        self.stmt(shape.body);
        Ok(())
    }

    /// Sets what the functions give that ask for numbers: the number of the thread in the grid, and how many
    /// there are.
    fn number_threads(&mut self, shape: &Shape, launch: &Launch) -> Lowered<(Expr, Expr)> {
        let block = local_value(launch.block, Ty::I32);
        let thread = local_value(launch.thread, Ty::I32);
        let range = TextRange::default();
        let threads = self.convert_to(launch.threads.clone(), Ty::I64, range)?;
        let threads = self.temporary(threads);
        let blocks = self.convert_to(launch.blocks.clone(), Ty::I64, range)?;
        let (wide_block, wide_thread) = (
            self.convert_to(block.clone(), Ty::I64, range)?,
            self.convert_to(thread.clone(), Ty::I64, range)?,
        );
        let before = binary(Ty::I64, Operation::Mul, wide_block, threads.clone());
        let first = self.temporary(binary(Ty::I64, Operation::Add, before, wide_thread));
        let grid = self.temporary(binary(Ty::I64, Operation::Mul, blocks.clone(), threads.clone()));
        let number = |value: &Expr| operation(Ty::I32, Operation::Convert, vec![value.clone()]);
        let (zero, one) = (int(Ty::I32, 0), int(Ty::I32, 1));
        let numbers = if !shape.is_parallel() {
            ThreadNumbers { thread: zero, threads: one, team: number(&first), teams: number(&grid) }
        } else if shape.is_one_team() {
            ThreadNumbers { thread: number(&first), threads: number(&grid), team: zero, teams: one }
        } else {
            ThreadNumbers { thread, threads: number(&threads), team: block, teams: number(&blocks) }
        };
        self.role = Role::Region(Box::new(numbers));
        Ok((first, grid))
    }

    /// The loop over the iterations that the threads share.
    fn shared_loop(&mut self, shape: &Shape, launch: &Launch) -> Lowered<()> {
        let (first, grid) = self.number_threads(shape, launch)?;
        if !shape.is_parallel() {
            self.threads = Threads::One;
        }
        let last_values = std::mem::take(&mut self.last_values);
        self.divided_loop(&shape.loops, shape.body, (first, grid), &last_values)
    }

    /// A grid-stride loop over the iterations of a nest: from the first of this thread on, a stride apart.
    /// The thread of the last iteration stores the values of `lastprivate` (OpenMP 5.2, section 5.4.5).
    pub(crate) fn divided_loop(
        &mut self,
        loops: &[CanonicalLoop],
        body: StmtId,
        (first, stride): (Expr, Expr),
        last_values: &[LastValue],
    ) -> Lowered<()> {
        let space = self.iteration_space(loops)?;
        let iteration = self.local("iteration", Ty::I64);
        let current = || local_value(iteration, Ty::I64);
        self.set(iteration, first);
        let label = self.label();
        let (body, ()) = self.nested(|it| {
            it.set_iteration(&space, &current())?;
            it.jumps.push(Jumps { label, has_break: false });
            it.stmt(body);
            it.jumps.pop();
            Ok(())
        })?;
        let next = binary(Ty::I64, Operation::Add, current(), stride);
        let (mut update, ()) = self.nested(|it| it.store_last(last_values, &current(), &space.total))?;
        update.push(Stmt::new(self.span, mir::StmtKind::Set { local: iteration, value: next }));
        let condition = binary(Ty::Bool, Operation::Lt, current(), space.total.clone());
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
        Ok(())
    }
}

impl Body<'_, '_> {
    /// Stores the values of the last iteration.
    fn store_last(&mut self, values: &[LastValue], iteration: &Expr, total: &Expr) -> Lowered<()> {
        if values.is_empty() {
            return Ok(());
        }
        let (then, ()) = self.nested(|it| {
            for of in values {
                let range = TextRange::default();
                let own = it.object(of.variable, range)?;
                let value = it.load(own);
                let address = local_value(of.target, it.locals[of.target.index()].ty);
                let target = it.pointed(address, range)?;
                it.store(target, value);
            }
            Ok(())
        })?;
        let last = binary(Ty::I64, Operation::Sub, total.clone(), int(Ty::I64, 1));
        let condition = binary(Ty::Bool, Operation::Eq, iteration.clone(), last);
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        Ok(())
    }
}

/// Whether an expression reads memory, which host code of a launch does not.
fn reads_memory(value: &Expr) -> bool {
    let mut found = false;
    mir::walk::visit_expr(value, None, &mut |it, _| {
        found |= matches!(it.kind, mir::ExprKind::Load(_) | mir::ExprKind::Atomic { .. });
    });
    found
}

/// Whether a statement has a loop whose iterations the teams of a league divide.
fn has_divided_loop(hir: &Program, stmt: StmtId) -> bool {
    let mut found = false;
    hir.walk_stmt(stmt, &mut |node| {
        if let Node::Directive(id) = node {
            let of = hir.directive(id);
            found |= of.has(Construct::Distribute)
                || of.constructs == [Construct::Loop] && is_divided_by_teams(of);
        }
        true
    });
    found
}
