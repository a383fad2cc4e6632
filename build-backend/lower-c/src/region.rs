//! `target` regions as kernels. The threads of all teams share the iterations by a grid-stride loop
//! (Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops*, 2013).

use apg_c_analysis::hir::{self, Construct, DirectiveId, Program, Type, VariableId};
use apg_c_syntax::{Family, TextRange};
use apg_mir::{self as mir, AddressSpace, Expr, KernelCapture, KernelCaptureKind, LocalId, Operation, Ty};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::body::{Body, LastValue, Role, Storage, Threads, binary, int, local_value, operation};
use crate::conversion::zero;
use crate::data::{Captured, First, Reference, captured, host_numbers};
use crate::launch::Launch;
use crate::reduction::{PrivateSum, Reduced};
use crate::schedule::{Level, Workers, keeps_values};
use crate::shape::{Shape, shape};
use crate::sources::{FileNumber, ReachedObject, Sources};
use crate::unit::Unit;
use crate::unsupported::Lowered;

/// Whether a directive starts a region of a device.
pub(crate) fn is_region(hir: &Program, directive: DirectiveId) -> bool {
    let of = hir.directive(directive);
    of.family == Family::OpenMp && of.has(Construct::Target) && of.body.is_some()
}

/// The regions of a file, in the order of the source.
pub(crate) fn regions(hir: &Program) -> Vec<DirectiveId> {
    hir.directive_ids().filter(|it| is_region(hir, *it)).collect()
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
    let mut body = Body::new(unit, Role::Region, span);
    body.function_name = function.into();
    if let Some(code) = of.body {
        body.note_objects(code);
    }
    let kernel = body.kernel(&environment, name)?;
    unit.program.kernels.push(kernel);
    Ok(environment.objects)
}

impl Shape {
    /// The objects outside of the region that it and the functions which it calls refer to.
    fn environment(self, sources: &Sources<'_>, file: FileNumber) -> Lowered<Environment> {
        let hir = sources.hir(file);
        let counters: Vec<_> = self.loops.iter().map(|it| it.variable).collect();
        let captured = captured(hir, &self.chain, &counters)?;
        let body = hir.directive(self.chain[0]).body.unwrap_or(self.body);
        let mut objects = sources.objects_behind_calls(file, body);
        objects.retain(|object| {
            // The region itself knows these.
            if matches!(object, ReachedObject::Threads(_)) {
                return false;
            }
            let own = captured.iter().find(|it| ReachedObject::OfFile((file, it.variable)) == *object);
            let has_object = |it| {
                matches!(
                    it,
                    Reference::Object | Reference::Reduction(..) | Reference::Updated(_) | Reference::Last(_)
                )
            };
            !own.is_some_and(|it| has_object(it.reference))
        });
        let directive = hir.directive(self.chain[0]);
        objects.extend(host_numbers(hir, directive, &captured).into_iter().map(ReachedObject::Number));
        Ok(Environment { shape: self, captured, objects })
    }
}

impl Body<'_, '_> {
    fn kernel(mut self, environment: &Environment, name: String) -> Lowered<mir::Kernel> {
        let Environment { shape, captured, objects } = environment;
        let captures = self.captures(captured, objects)?;
        let block = self.local("block", Ty::I32);
        let thread = self.local("thread", Ty::I32);
        let launch = self.launch(shape, block, thread)?;
        let limit = self.thread_limit(shape);
        self.numbers.limit = limit;
        if shape.is_of_block_teams() {
            self.check_shared_values(shape, captured)?;
        }
        let reductions = self.private_objects(captured)?;
        self.note_labels(shape.body);
        self.note_arrays(shape.body, TextRange::default())?;
        match shape.loops.is_empty() {
            true => self.whole_body(shape, &launch)?,
            false => {
                let is_own = |it: &Captured| {
                    matches!(it.reference, Reference::Value | Reference::Copy | Reference::Private)
                };
                let own: Vec<_> = captured.iter().filter(|it| is_own(it)).map(|it| it.variable).collect();
                let keeps_values = keeps_values(self.unit.hir, shape.body, |it| own.contains(&it));
                self.shared_loop(shape, &launch, keeps_values)?;
            }
        }
        for reduction in &reductions {
            self.combine(reduction, thread)?;
        }
        self.free_arrays()?;
        let body = std::mem::replace(&mut self.stmts, std::mem::take(&mut self.prologue));
        self.stmts.extend(body);
        let Launch { auto_blocks, mut blocks, mut threads, .. } = launch;
        mir::fold::fold_body(&mut self.stmts);
        mir::fold::fold(&mut blocks);
        mir::fold::fold(&mut threads);
        let mut has_barrier = false;
        mir::walk::visit_stmts(&self.stmts, &mut |it| {
            has_barrier |= matches!(it.kind, mir::StmtKind::Barrier)
        });
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
            has_barrier,
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
                reference if reference.is_by_value(&of.ty) => {
                    (self.unit.ty(&of.ty.clone().decayed(), it.range)?, false)
                }
                _ => {
                    let object = self.unit.ty(&of.ty, it.range)?;
                    (self.unit.program.types.pointer_to(object, AddressSpace::Generic), true)
                }
            };
            let local = self.local(&of.name, ty);
            captures.push(capture(&of.name, ty));
            let storage = if is_object { Storage::Pointed(local) } else { Storage::Local(local) };
            if !is_object {
                self.value_locals.insert(it.variable, local);
            }
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
        // A value in front of the object of `lastprivate` is that from before.
        let mut first_values = FxHashMap::default();
        for (index, it) in captured.iter().enumerate() {
            let is_first = captured.get(index + 1).is_some_and(|next| next.variable == it.variable);
            if let Some(local) = self.value_locals.get(&it.variable).copied().filter(|_| is_first) {
                first_values.insert(it.variable, local);
                continue;
            }
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
                (Reference::Last(first), Some(Storage::Pointed(target))) => {
                    self.declare_private(it.variable, it.range)?;
                    let before = first_values.get(&it.variable).copied();
                    if let (First::Before, Some(before)) = (first, before) {
                        self.initialize_from(it.variable, before);
                    }
                    let step = match first {
                        First::Linear(step) => before.map(|before| (before, step)),
                        _ => None,
                    };
                    self.last_values.push(LastValue { variable: it.variable, target, step });
                }
                (Reference::LastCounter, Some(Storage::Pointed(target))) => {
                    self.last_values.push(LastValue { variable: it.variable, target, step: None });
                }
                (Reference::Updated(_), _) => {
                    self.updated.insert(it.variable);
                }
                (Reference::Reduction(operator, section), Some(outside)) => {
                    let of = Reduced { variable: it.variable, operator, section, range: it.range };
                    reductions.push(self.private_sum(of, outside)?);
                }
                _ => {}
            }
        }
        Ok(reductions)
    }

    /// A region without a loop that its threads share: one thread, or the only thread of each team.
    fn whole_body(&mut self, shape: &Shape, launch: &Launch) -> Lowered<()> {
        self.threads = Threads::One;
        self.may_open_team = !shape.is_serial();
        if shape.is_of_block_teams() {
            return self.block_team(shape, launch);
        }
        if !shape.is_serial() {
            let league = self.number_threads(shape, launch)?;
            self.threads = Threads::League(Box::new(league));
        }
        self.stmt(shape.body);
        Ok(())
    }

    /// Sets what the functions give that ask for numbers: the number of the thread in the grid, and how many
    /// there are.
    pub(crate) fn number_threads(&mut self, shape: &Shape, launch: &Launch) -> Lowered<(Expr, Expr)> {
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
        let (thread, threads, team, teams) = if !shape.is_parallel() {
            (zero, one, number(&first), number(&grid))
        } else if shape.is_one_team() {
            (number(&first), number(&grid), zero, one)
        } else {
            (thread, number(&threads), block, number(&blocks))
        };
        let is_parallel = shape.constructs.contains(&Construct::Parallel);
        let numbers = &mut self.numbers;
        if is_parallel {
            numbers.level = int(Ty::I32, 1);
            numbers.outermost = (thread.clone(), threads.clone());
            let has_several = binary(Ty::Bool, Operation::Gt, threads.clone(), int(Ty::I32, 1));
            numbers.active = operation(Ty::I32, Operation::Convert, vec![has_several]);
        }
        (numbers.thread, numbers.threads, numbers.team, numbers.teams) = (thread, threads, team, teams);
        Ok((first, grid))
    }

    /// The loop over the iterations that the threads share. `keeps_values`: threads change copies that they
    /// keep from one iteration to the next.
    fn shared_loop(&mut self, shape: &Shape, launch: &Launch, keeps_values: bool) -> Lowered<()> {
        let (first, grid) = self.number_threads(shape, launch)?;
        if !shape.is_parallel() {
            self.threads = Threads::One;
        }
        let last_values = std::mem::take(&mut self.last_values);
        let range = TextRange::default();
        let thread = self.convert_to(local_value(launch.thread, Ty::I32), Ty::I64, range)?;
        let of_team = (thread, self.convert_to(launch.threads.clone(), Ty::I64, range)?);
        let all = if shape.is_of_each_team() { of_team.clone() } else { (first, grid) };
        let mut space = self.iteration_space(&shape.loops)?;
        let hir = self.unit.hir;
        if !(keeps_values || self.unit.asks_for_numbers(shape.body)) {
            // `lastprivate` and `linear` ask for the numbers of iterations in the program's order.
            if let Some(tile) = launch.tile.clone().filter(|_| last_values.is_empty()) {
                space = self.tiled(space, tile);
            }
            return self.divided_loop(&space, shape.body, &[Level::of_one(all)], &last_values);
        }
        let is_league = !shape.is_one_team() && !shape.is_of_each_team() && shape.is_parallel();
        let of_league = match is_league {
            true => {
                let team = self.convert_to(local_value(launch.block, Ty::I32), Ty::I64, range)?;
                let teams = self.convert_to(launch.blocks.clone(), Ty::I64, range)?;
                Some([(team, self.temporary(teams)), of_team])
            }
            false => None,
        };
        let directives: Vec<_> = shape.chain.iter().map(|it| hir.directive(*it)).collect();
        let total = self.temporary(space.total.clone());
        let levels = self.levels(&directives, Workers { all, of_league }, &total)?;
        self.divided_loop(&space, shape.body, &levels, &last_values)
    }
}

impl Body<'_, '_> {
    /// A private object with the value of a local.
    fn initialize_from(&mut self, variable: VariableId, before: LocalId) {
        let value = local_value(before, self.locals[before.index()].ty);
        if let Some(storage) = self.objects.get(&variable).copied() {
            self.initialize(storage, value);
        }
    }
}
