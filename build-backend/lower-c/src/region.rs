//! `target` regions as kernels. The threads of all teams share the iterations by a grid-stride loop
//! (Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops*, 2013).

use apg_c_analysis::hir::{Clause, Construct, DirectiveId, Program, StmtId, StmtKind, Type};
use apg_c_analysis::loops::{self, CanonicalLoop, NotCanonical};
use apg_c_syntax::{Family, TextRange};
use apg_mir::{
    self as mir, AddressSpace, Expr, KernelCapture, KernelCaptureKind, LocalId, Operation, Stmt, Ty,
};

use crate::body::{Body, Jumps, Role, Storage, ThreadNumbers, binary, int, local_value, operation};
use crate::conversion::zero;
use crate::data::{Captured, Reference, captured, check_clauses};
use crate::reduction::PrivateSum;
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

    /// The objects outside of the region that it refers to.
    fn captured(&self, hir: &Program) -> Lowered<Vec<Captured>> {
        let counters: Vec<_> = self.loops.iter().map(|it| it.variable).collect();
        captured(hir, &self.chain, &counters)
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
        if of.constructs.is_empty() || !of.constructs.iter().all(is_part) {
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
        if constructs != [Construct::Target] {
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
    let body = loops.last().map_or(body, |it| it.body);
    check_perfect_nest(hir, &loops)?;
    Ok(Shape { chain, constructs, loops, body })
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

/// Statements between the loops of a nest have no iteration of their own.
fn check_perfect_nest(hir: &Program, loops: &[CanonicalLoop]) -> Lowered<()> {
    for of in loops.iter().take(loops.len().saturating_sub(1)) {
        let mut stmt = of.body;
        while let StmtKind::Block(stmts) = &hir.stmt(stmt).kind {
            match stmts[..] {
                [only] => stmt = only,
                _ => {
                    let message = "there are statements between the loops that `collapse` joins";
                    return unsupported(hir.stmt(stmt).range, message, "move them into the innermost loop");
                }
            }
        }
    }
    Ok(())
}

fn not_canonical<T>(hir: &Program, problem: NotCanonical, directive: TextRange) -> Lowered<T> {
    let stmt = match problem {
        NotCanonical::NotFor(it) | NotCanonical::Init(it) | NotCanonical::Variable(_, it) => it,
        NotCanonical::Condition(it, _) | NotCanonical::Step(it, _) => it,
    };
    let range = hir.stmt(stmt).range;
    let range = if range.is_empty() { directive } else { range };
    unsupported(
        range,
        "the number of iterations of this loop is not known in front of it",
        "write `for (int i = start; i < end; i++)`",
    )
}

/// The directives of a region, and the objects outside of it that it refers to.
pub(crate) fn environment(
    hir: &Program,
    directive: DirectiveId,
) -> Lowered<(Vec<DirectiveId>, Vec<Captured>)> {
    let shape = shape(hir, directive)?;
    let captured = shape.captured(hir)?;
    Ok((shape.chain, captured))
}

/// Lowers a region to a kernel.
pub(crate) fn lower(unit: &mut Unit<'_>, directive: DirectiveId) -> Lowered<()> {
    let hir = unit.hir;
    let of = hir.directive(directive);
    let shape = shape(hir, directive)?;
    let captured = shape.captured(hir)?;
    let span = unit.span(of.range);
    let function = of.function.map_or("file", |it| &hir.function(it).name);
    let name = format!("{function}_{}", span.line());
    let mut body = Body::new(unit, Role::Region(Box::default()), span);
    if let Some(code) = of.body {
        body.note_objects(code);
    }
    let kernel = body.kernel(&shape, &captured, name)?;
    unit.program.kernels.push(kernel);
    Ok(())
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
    fn kernel(mut self, shape: &Shape, captured: &[Captured], name: String) -> Lowered<mir::Kernel> {
        let captures = self.captures(captured)?;
        let block = self.local("block", Ty::I32);
        let thread = self.local("thread", Ty::I32);
        let launch = self.launch(shape, block, thread)?;
        let reductions = self.private_objects(captured)?;
        match shape.loops.is_empty() {
            true => self.stmt(shape.body),
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
    fn captures(&mut self, captured: &[Captured]) -> Lowered<Vec<KernelCapture>> {
        let mut captures = Vec::new();
        for it in captured {
            let of = self.unit.hir.variable(it.variable);
            let (ty, is_object) = match it.reference {
                Reference::Private => continue,
                Reference::Value => (self.unit.ty(&of.ty.clone().decayed(), it.range)?, false),
                Reference::Object | Reference::Reduction(_) => {
                    let object = self.unit.ty(&of.ty, it.range)?;
                    (self.unit.program.types.pointer_to(object, AddressSpace::Generic), true)
                }
            };
            let local = self.local(&of.name, ty);
            captures.push(KernelCapture {
                name: of.name.clone(),
                kind: KernelCaptureKind::Scalar(ty),
                static_field: None,
                global: None,
                derived_from: None,
            });
            let storage = if is_object { Storage::Pointed(local) } else { Storage::Local(local) };
            self.objects.insert(it.variable, storage);
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
        if shape.loops.is_empty() {
            return Ok(Launch { block, thread, auto_blocks: None, blocks: one(), threads: one() });
        }
        let mut threads: Option<Expr> = None;
        for name in ["thread_limit", "num_threads"] {
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
        let mut is_plain = stmts.is_empty();
        mir::walk::visit_expr(&value, None, &mut |it, _| {
            is_plain &= !matches!(it.kind, mir::ExprKind::Load(_) | mir::ExprKind::Atomic { .. });
        });
        if !is_plain {
            let message = "this number is read from memory, which the launch cannot do";
            return unsupported(range, message, "copy it into a variable in front of the region");
        }
        let least = binary(Ty::I64, Operation::Max, value, int(Ty::I64, 1));
        Ok(binary(Ty::I64, Operation::Min, least, int(Ty::I64, most)))
    }

    /// The grid-stride loop over the iterations that the threads share.
    fn shared_loop(&mut self, shape: &Shape, launch: &Launch) -> Lowered<()> {
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
        let space = self.iteration_space(&shape.loops)?;
        let iteration = self.local("iteration", Ty::I64);
        let current = || local_value(iteration, Ty::I64);
        self.set(iteration, first);
        let label = self.label();
        let (body, ()) = self.nested(|it| {
            it.set_iteration(&space, &current())?;
            it.jumps.push(Jumps { label, has_break: false });
            it.stmt(shape.body);
            it.jumps.pop();
            Ok(())
        })?;
        let next = binary(Ty::I64, Operation::Add, current(), grid);
        let update = vec![Stmt::new(self.span, mir::StmtKind::Set { local: iteration, value: next })];
        let condition = binary(Ty::Bool, Operation::Lt, current(), space.total.clone());
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
        Ok(())
    }
}
