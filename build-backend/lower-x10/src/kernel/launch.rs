//! Lowering of kernels: device code, launch configuration, and the host code that launches them at the host
//! of their place.

use apg_analysis::program::body::Node;
use apg_analysis::program::body::Owner;
use apg_analysis::program::body::{Capture, Captured, ExprId, ExprKind as Source, LocalId, StmtId, StmtKind};
use apg_analysis::program::items::method_type_param_ids;
use apg_analysis::program::kernel::{
    Axis, CaptureKind, CaptureSource, Kernel, PreludeKind, SharedInit, SharedRail,
};
use apg_analysis::program::ty::Ty;
use smol_str::SmolStr;

use crate::builder::function::{Builder, KernelCode, Returns, Variable};
use crate::builder::operands::{expr, int, operation, zero};
use crate::construct::call::Call;
use crate::{LowerError, Lowerer};
use apg_mir::{self as mir, ExprKind, KernelCaptureKind, Operation, StmtKind as Out};

/// A captured variable of a kernel: its source on the host, and its variable in the kernel.
struct CapturedVariable {
    from: CaptureSource,
    /// The source variable inside the kernel.
    inside: Option<LocalId>,
    ty: Ty,
    kind: KernelCaptureKind,
}

impl Builder<'_, '_> {
    /// The kernel that an `at` statement is, if it is one.
    pub(crate) fn kernel_of(&mut self, at: StmtId) -> Option<Kernel> {
        let recognised = self.source.kernels.clone();
        let found = recognised.iter().find(|it| it.at == at)?;
        if found.kernel.is_none() {
            let range = self.source.body.stmt(at).range;
            let error =
                LowerError::new("build/broken-kernel", "this kernel breaks a rule, so it cannot be built");
            self.error(error.note("`apg check` says which"), range);
        }
        found.kernel.clone()
    }

    /// `async at (p) @CUDA { ... }`.
    pub(crate) fn launch_activity(&mut self, at: StmtId, kernel: &Kernel, clocks: mir::Clocks) {
        let (place, host) = self.kernel_place(kernel);
        let (closure, id, captured) = self.launch_closure(at, kernel, place.clone());
        let closure = self.save(closure);
        let is_here = self.is_here(&host);
        // At the host the rails need no copy if they are unmodified until the kernel ends, since kernels only
        // read them. A device launch needs no waiting activity.
        let is_rail = |kind| {
            matches!(kind, KernelCaptureKind::Buffer { .. } | KernelCaptureKind::ConstantBuffer { .. })
        };
        let captures_stable = self.captures_stable || !captured.iter().any(|it| is_rail(it.kind));
        let (then, ()) = self.nested(|it| match clocks {
            mir::Clocks::None => {
                let captures = captured.iter().map(|item| it.kernel_capture(item)).collect();
                let fallback_activity = Some(closure.clone());
                it.push(Out::Launch { place, kernel: id, captures, fallback_activity, captures_stable });
            }
            _ if captures_stable => it.push(Out::Async { closure: closure.clone(), clocks: clocks.clone() }),
            _ => {
                let (place, closure, clocks) = (host.clone(), closure.clone(), clocks.clone());
                it.push(Out::AsyncAt { place, closure, clocks, raise_at_sender: false });
            }
        });
        let (otherwise, ()) =
            self.nested(|it| it.push(Out::AsyncAt { place: host, closure, clocks, raise_at_sender: false }));
        self.push(Out::If { condition: is_here, then, otherwise });
    }

    /// `at (p) @CUDA { ... }`.
    pub(crate) fn launch_and_wait(&mut self, at: StmtId, kernel: &Kernel) {
        let (place, host) = self.kernel_place(kernel);
        let (closure, ..) = self.launch_closure(at, kernel, place);
        let closure = self.save(closure);
        let is_here = self.is_here(&host);
        let void = Ty::void(self.lowerer.db);
        let function = Ty::function(self.lowerer.db, Vec::new(), void);
        let interface = self.lowerer.interface_of(function);
        let (then, ()) = self.nested(|it| {
            let args = vec![closure.clone()];
            it.push(Out::Expr(expr(mir::Ty::Void, ExprKind::CallClosure { interface, args })));
        });
        let (otherwise, ()) = self.nested(|it| it.push(Out::At { place: host, closure }));
        self.push(Out::If { condition: is_here, then, otherwise });
    }

    /// The ids of the kernel's place and of its host.
    fn kernel_place(&mut self, kernel: &Kernel) -> (mir::Expr, mir::Expr) {
        let place = self.place_id(kernel.place);
        let place = self.save(place);
        let host = self.runtime("place_host", vec![place.clone()], mir::Ty::I64);
        let host = self.save(host);
        (place, host)
    }

    fn is_here(&self, host: &mir::Expr) -> mir::Expr {
        let here = expr(mir::Ty::I64, ExprKind::Here);
        operation(Operation::Eq, mir::Ty::Bool, vec![host.clone(), here])
    }

    /// The closure that launches the kernel at `place`, run by that place's host; and the kernel and its
    /// captures.
    fn launch_closure(
        &mut self,
        at: StmtId,
        kernel: &Kernel,
        place: mir::Expr,
    ) -> (mir::Expr, mir::KernelId, Vec<CapturedVariable>) {
        let captured = self.kernel_captures(kernel);
        let id = self.build_kernel(at, kernel, &captured);
        let mut captures: Vec<Capture> = Vec::new();
        for item in &captured {
            if let CaptureSource::Local(local) = item.from {
                let what = Captured::Local(local);
                if !captures.iter().any(|it| it.what == what) {
                    captures.push(Capture { what, by_reference: false });
                }
            }
        }
        let extra = vec![(SmolStr::new_static("$place"), place)];
        let closure = self.activity_with(&captures, extra, |builder, extra| {
            let place = builder.local(extra[0]);
            let captures = captured.iter().map(|it| builder.kernel_capture(it)).collect();
            builder.push(Out::Launch {
                place,
                kernel: id,
                captures,
                fallback_activity: None,
                captures_stable: true,
            });
        });
        (self.as_any(closure), id, captured)
    }

    /// The value of a captured variable, on the host.
    fn kernel_capture(&mut self, item: &CapturedVariable) -> mir::Expr {
        match item.from {
            CaptureSource::Local(local) => match self.read_variable(local) {
                Some(value) => value,
                None => zero(self.lowerer.machine(item.ty)),
            },
            CaptureSource::Static(field) => {
                let (id, ty) = self.lowerer.static_of(field);
                let machine = self.lowerer.machine(ty);
                expr(machine, ExprKind::Static(id))
            }
        }
    }

    /// The captures of a kernel: variables of its code, constant rails, and variables of its extents.
    fn kernel_captures(&mut self, kernel: &Kernel) -> Vec<CapturedVariable> {
        let mut captured = Vec::new();
        for capture in &kernel.captures {
            if self.is_constant_capture(capture.source) {
                continue;
            }
            let ty = self.concrete(capture.ty);
            let kind = match &capture.kind {
                CaptureKind::Scalar => KernelCaptureKind::Scalar(self.lowerer.machine(ty)),
                CaptureKind::Rail { element } => {
                    KernelCaptureKind::Buffer { element: self.element(*element) }
                }
                CaptureKind::GlobalRail { element } => {
                    KernelCaptureKind::GlobalBuffer { element: self.element(*element) }
                }
            };
            let inside = match capture.source {
                CaptureSource::Local(local) => Some(local),
                CaptureSource::Static(_) => None,
            };
            captured.push(CapturedVariable { from: capture.source, inside, ty, kind });
        }
        for prelude in &kernel.prelude {
            if let PreludeKind::ConstantRail { rail, element } = &prelude.kind
                && let Some(local) = self.named_local(*rail)
            {
                let ty = self.variable_type(local);
                let kind = KernelCaptureKind::ConstantBuffer { element: self.element(*element) };
                let from = CaptureSource::Local(local);
                captured.push(CapturedVariable { from, inside: Some(prelude.local), ty, kind });
            }
        }
        self.configuration_captures(kernel, &mut captured);
        captured
    }

    /// Whether a captured value is constant and part of the kernel's code.
    fn is_constant_capture(&mut self, source: CaptureSource) -> bool {
        match source {
            CaptureSource::Local(local) => self.constant_variable(local).is_some(),
            CaptureSource::Static(field) => self.lowerer.constant(field).is_some(),
        }
    }

    fn element(&mut self, element: Ty) -> mir::Ty {
        let element = self.concrete(element);
        self.lowerer.machine(element)
    }

    /// Adds the variables that extents and shared sizes are computed from.
    fn configuration_captures(&mut self, kernel: &Kernel, captured: &mut Vec<CapturedVariable>) {
        let mut roots: Vec<ExprId> = kernel.blocks.iter().chain(&kernel.threads).map(|it| it.last).collect();
        for rail in &kernel.shared {
            match rail.init {
                SharedInit::Zero { length } | SharedInit::Closure { length, .. } => roots.push(length),
                SharedInit::Value { length, value } => roots.extend([length, value]),
                SharedInit::Copy { .. } => {}
            }
        }
        let automatic: Vec<LocalId> = kernel.prelude.iter().map(|it| it.local).collect();
        let source = self.source.body.clone();
        let mut found = Vec::new();
        for root in roots {
            source.walk(Node::Expr(root), &mut |node| {
                if let Node::Expr(id) = node
                    && let Source::Local(local) = source.expr(id).kind
                {
                    found.push(local);
                }
                true
            });
        }
        for local in found {
            let known = self.is_constant_capture(CaptureSource::Local(local));
            if known || automatic.contains(&local) || captured.iter().any(|it| it.inside == Some(local)) {
                continue;
            }
            let ty = self.variable_type(local);
            let db = self.lowerer.db;
            let kind = if let Some(element) = ty.rail_element(db) {
                KernelCaptureKind::Buffer { element: self.element(element) }
            } else if let Some(element) = ty.global_rail_element(db) {
                KernelCaptureKind::GlobalBuffer { element: self.element(element) }
            } else {
                KernelCaptureKind::Scalar(self.lowerer.machine(ty))
            };
            captured.push(CapturedVariable {
                from: CaptureSource::Local(local),
                inside: Some(local),
                ty,
                kind,
            });
        }
    }

    /// The variable below conversions.
    fn named_local(&self, mut id: ExprId) -> Option<LocalId> {
        loop {
            match self.source.body.expr(id).kind {
                Source::Local(local) => return Some(local),
                Source::Coerce { value } | Source::Cast { value, .. } => id = value,
                _ => return None,
            }
        }
    }

    /// Builds the kernel itself.
    fn build_kernel(&mut self, at: StmtId, kernel: &Kernel, captured: &[CapturedVariable]) -> mir::KernelId {
        let id = mir::KernelId(self.lowerer.program.kernels.len() as u32);
        let range = self.source.body.stmt(at).range;
        self.at(range);
        let span = self.span;
        let name = self.kernel_name(span.line());
        let source = self.source.clone();
        // Reserves the id: requested functions may contain kernels.
        self.lowerer.program.kernels.push(empty_kernel(name, span));
        let mut inner = Builder::new(self.lowerer, source, Returns::Nothing);
        inner.span = span;
        inner.kernel = Some(KernelCode::default());
        let captures: Vec<_> = captured.iter().map(|it| inner.declare_capture(it)).collect();
        let block_locals: Vec<_> = kernel.blocks.iter().map(|it| inner.axis_local(it)).collect();
        let thread_locals: Vec<_> = kernel.threads.iter().map(|it| inner.axis_local(it)).collect();
        let shared_locals: Vec<_> = kernel.shared.iter().map(|it| inner.shared_local(it)).collect();
        let auto = |inner: &mut Builder<'_, '_>, wanted: &PreludeKind| {
            let prelude = kernel.prelude.iter().find(|it| it.kind == *wanted)?;
            match inner.declare(prelude.local) {
                Variable::Local(local) | Variable::Cell(local, _) => Some(local),
            }
        };
        let auto_blocks = auto(&mut inner, &PreludeKind::AutoBlocks);
        let auto_threads = auto(&mut inner, &PreludeKind::AutoThreads);
        let choices = |wanted: &PreludeKind| {
            let prelude = kernel.prelude.iter().find(|it| it.kind == *wanted);
            prelude.map(|it| it.choices.clone()).unwrap_or_default()
        };
        let blocks: Vec<mir::Expr> = kernel.blocks.iter().map(|it| inner.extent(it)).collect();
        let threads: Vec<mir::Expr> = kernel.threads.iter().map(|it| inner.extent(it)).collect();
        inner.record_axes(&block_locals, &blocks, &thread_locals, &threads);
        let mut shared = Vec::new();
        let mut shared_lengths = Vec::new();
        for (rail, local) in kernel.shared.iter().zip(shared_locals) {
            let (length, init) = inner.shared_init(rail);
            let element = inner.element(rail.element);
            shared_lengths.push(length);
            shared.push(mir::SharedArray { local, element, init });
        }
        inner.stmt(kernel.body);
        let (locals, mut body) = inner.into_parts();
        let mut host = mir::LaunchConfiguration { blocks, threads, shared_lengths };
        mir::fold::fold_body(&mut body);
        for number in host.blocks.iter_mut().chain(&mut host.threads).chain(&mut host.shared_lengths) {
            mir::fold::fold(number);
        }
        self.check_kernel_types(&captures, &locals, range);
        let built = &mut self.lowerer.program.kernels[id.index()];
        built.captures = captures;
        built.host = host;
        built.shared = shared;
        built.locals = locals;
        built.block_locals = block_locals;
        built.thread_locals = thread_locals;
        built.auto_blocks = auto_blocks;
        built.auto_threads = auto_threads;
        built.block_choices = choices(&PreludeKind::AutoBlocks);
        built.thread_choices = choices(&PreludeKind::AutoThreads);
        built.body = body;
        built.direct_params = kernel.direct_params;
        built.fast_math = kernel.fast_math;
        built.has_barrier = kernel.has_barrier;
        id
    }

    /// A name for profilers: method, type arguments and line.
    fn kernel_name(&mut self, line: u32) -> String {
        /// Distinguishes instances and fits into a table.
        const MAX_NAME_LENGTH: usize = 40;
        let plain = |text: &str| -> String {
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            text.chars().map(plain).collect()
        };
        let types = self.instance_types();
        let types: String = types.iter().flat_map(|it| ["_".to_owned(), plain(it)]).collect();
        let types = types.get(..MAX_NAME_LENGTH).unwrap_or(&types).trim_end_matches('_');
        let name = format!("{}{types}_{line}", plain(&self.source.name));
        let taken = self.lowerer.program.kernels.iter().filter(|it| it.name.starts_with(&name)).count();
        if taken == 0 { name } else { format!("{name}_{taken}") }
    }

    /// The type arguments of the enclosing method and class.
    fn instance_types(&mut self) -> Vec<SmolStr> {
        let db = self.lowerer.db;
        let of_class = self.source.this.and_then(|it| it.as_class(db)).map(|(_, args)| args.to_vec());
        let own = match self.source.owner {
            Some(Owner::Method(method)) => method_type_param_ids(db, method).clone(),
            _ => Vec::new(),
        };
        let own: Vec<Ty> = own.iter().map(|it| self.concrete(Ty::param(db, *it))).collect();
        of_class.into_iter().flatten().chain(own).map(|ty| self.lowerer.short_name(ty)).collect()
    }

    fn declare_capture(&mut self, item: &CapturedVariable) -> mir::KernelCapture {
        let machine = self.lowerer.machine(item.ty);
        let name = match item.from {
            CaptureSource::Local(local) => self.source.body.local(local).name.clone(),
            CaptureSource::Static(field) => field.name(self.lowerer.db).clone(),
        };
        let local = self.new_local(name.clone(), machine, false);
        match (item.inside, item.from) {
            (Some(inside), _) => {
                self.variables.insert(inside, Variable::Local(local));
            }
            (None, CaptureSource::Static(field)) => {
                if let Some(kernel) = &mut self.kernel {
                    kernel.statics.insert(field, local);
                }
            }
            _ => {}
        }
        let static_field = match item.from {
            CaptureSource::Static(field) => Some(self.lowerer.static_of(field).0),
            CaptureSource::Local(_) => None,
        };
        mir::KernelCapture { name, kind: item.kind, static_field, global: None, derived_from: None }
    }

    /// The local of an axis index.
    fn axis_local(&mut self, axis: &Axis) -> mir::LocalId {
        match axis.local {
            Some(local) => {
                let ty = self.variable_type(local);
                let machine = self.lowerer.machine(ty);
                let name = self.source.body.local(local).name.clone();
                let id = self.new_local(name, machine, false);
                self.variables.insert(local, Variable::Local(id));
                id
            }
            None => {
                let ty = self.type_of(axis.last);
                let machine = self.lowerer.machine(ty);
                self.new_local("$index", machine, false)
            }
        }
    }

    fn shared_local(&mut self, rail: &SharedRail) -> mir::LocalId {
        let element = self.concrete(rail.element);
        let ty = Ty::rail(self.lowerer.db, element);
        let machine = self.lowerer.machine(ty);
        let name = self.source.body.local(rail.local).name.clone();
        let id = self.new_local(name, machine, false);
        self.variables.insert(rail.local, Variable::Local(id));
        id
    }

    /// One more than the last index.
    fn extent(&mut self, axis: &Axis) -> mir::Expr {
        let last = self.host_value(axis.last);
        match last.kind {
            ExprKind::Int(value) => int(mir::Ty::I64, value.saturating_add(1)),
            _ => operation(Operation::Add, mir::Ty::I64, vec![last, int(mir::Ty::I64, 1)]),
        }
    }

    /// An extent, computed by the host before the launch.
    fn host_value(&mut self, id: ExprId) -> mir::Expr {
        let long = Ty::long(self.lowerer.db);
        self.before_launch = true;
        let value = self.host_value_as(id, long);
        self.before_launch = false;
        value
    }

    fn host_value_as(&mut self, id: ExprId, ty: Ty) -> mir::Expr {
        let (block, value) = self.nested(|it| it.value_as(id, ty));
        if !block.is_empty() {
            let range = self.source.body.expr(id).range;
            let error =
                LowerError::new("build/launch-value", "this value is too complex to be computed at launch");
            self.error(error.note("compute it into a `val` before the `at`"), range);
        }
        match value.kind {
            ExprKind::Operation { operation: Operation::Convert, args } => match args.as_slice() {
                [mir::Expr { kind: ExprKind::Int(value), .. }] => int(mir::Ty::I64, *value),
                _ => expr(value.ty, ExprKind::Operation { operation: Operation::Convert, args }),
            },
            kind => expr(value.ty, kind),
        }
    }

    fn shared_init(&mut self, rail: &SharedRail) -> (mir::Expr, mir::SharedInit) {
        match rail.init {
            SharedInit::Zero { length } => (self.host_value(length), mir::SharedInit::Zero),
            SharedInit::Value { length, value } => {
                let element = self.concrete(rail.element);
                let value = self.host_value_as(value, element);
                (self.host_value(length), mir::SharedInit::Value(value))
            }
            SharedInit::Closure { length, closure } => {
                (self.host_value(length), self.shared_function(closure, rail.element))
            }
            SharedInit::Copy { rail } => {
                match self.named_local(rail).and_then(|it| self.variables.get(&it).copied()) {
                    Some(Variable::Local(local)) => {
                        let value = Box::new(self.local(local));
                        let length = expr(mir::Ty::I64, ExprKind::Length { rail: value, checked: false });
                        (length, mir::SharedInit::Copy(local))
                    }
                    _ => {
                        let range = self.source.body.expr(rail).range;
                        self.unsupported("shared memory copied from this rail", range);
                        (int(mir::Ty::I64, 0), mir::SharedInit::Zero)
                    }
                }
            }
        }
    }

    /// The initial contents of shared memory as a function of the index.
    fn shared_function(&mut self, closure: ExprId, element: Ty) -> mir::SharedInit {
        let source = self.source.body.clone();
        let range = source.expr(closure).range;
        let mut id = closure;
        while let Source::Coerce { value } = source.expr(id).kind {
            id = value;
        }
        let Source::Closure(literal) = &source.expr(id).kind else {
            self.unsupported("shared memory filled by this function", range);
            return mir::SharedInit::Zero;
        };
        let index = match literal.params.first() {
            Some(param) => match self.declare(*param) {
                Variable::Local(local) | Variable::Cell(local, _) => local,
            },
            None => self.new_local("$index", mir::Ty::I64, false),
        };
        let mut stmts = Vec::new();
        flatten(&source, literal.body, &mut stmts);
        let element = self.concrete(element);
        let last = stmts.pop().map(|it| source.stmt(it).kind.clone());
        let (setup, value) = self.nested(|it| {
            stmts.iter().for_each(|stmt| it.stmt(*stmt));
            match last {
                Some(StmtKind::Return(Some(value))) => it.value_as(value, element),
                _ => {
                    it.unsupported("a function for shared memory that does not end in one `return`", range);
                    zero(it.lowerer.machine(element))
                }
            }
        });
        mir::SharedInit::Function { index, setup, value }
    }

    /// Element accesses inside kernels are memory accesses, not calls.
    pub(crate) fn kernel_call(&mut self, call: &Call<'_>, ty: Ty) -> Option<mir::Expr> {
        if !self.is_device_code() {
            return None;
        }
        let receiver = call.receiver?;
        let receiver_ty = self.type_of(receiver);
        let element = self.lowerer.rail_like_element(receiver_ty)?;
        let local = self.named_local(receiver)?;
        let Some(Variable::Local(local)) = self.variables.get(&local).copied() else { return None };
        let name = call.method.name(self.lowerer.db).clone();
        match (name.as_str(), call.args) {
            ("operator()", [index]) => {
                let index = self.index(*index);
                let machine = self.lowerer.machine(element);
                let (rail, index) = (Box::new(self.local(local)), Box::new(index));
                let value = expr(machine, ExprKind::Element { rail, index, checked: true });
                Some(self.convert(value, element, ty))
            }
            ("operator()=", [index, value]) => {
                let index_ty = self.type_of(*index);
                let mut values = self.operands(&[(*index, index_ty), (*value, element)]);
                let value = values.pop()?;
                let index = self.widen(values.pop()?);
                let rail = self.local(local);
                let machine = self.lowerer.machine(ty);
                let stored = self.store_element(rail, index, value, true, machine);
                Some(if machine == mir::Ty::Void { stored } else { self.convert(stored, element, ty) })
            }
            ("size", []) => {
                let rail = Box::new(self.local(local));
                Some(expr(mir::Ty::I64, ExprKind::Length { rail, checked: false }))
            }
            ("range", []) => {
                let rail = Box::new(self.local(local));
                let length = expr(mir::Ty::I64, ExprKind::Length { rail, checked: false });
                let last = operation(Operation::Sub, mir::Ty::I64, vec![length, int(mir::Ty::I64, 1)]);
                let machine = self.lowerer.machine(ty);
                Some(expr(machine, ExprKind::MakeStruct(vec![int(mir::Ty::I64, 0), last])))
            }
            _ => None,
        }
    }

    fn index(&mut self, id: ExprId) -> mir::Expr {
        let value = self.value(id);
        self.widen(value)
    }

    fn widen(&mut self, value: mir::Expr) -> mir::Expr {
        if value.ty == mir::Ty::I64 {
            value
        } else {
            operation(Operation::Convert, mir::Ty::I64, vec![value])
        }
    }
}

impl Lowerer<'_> {
    /// The element type of a rail that a kernel indexes.
    pub(crate) fn rail_like_element(&mut self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        if let Some(element) = ty.rail_element(db).or_else(|| ty.global_rail_element(db)) {
            return Some(element);
        }
        let (class, args) = ty.as_class(db)?;
        (class.name(db) == "CUDAConstantRail").then(|| args.first().copied()).flatten()
    }
}

fn empty_kernel(name: String, span: mir::Span) -> mir::Kernel {
    mir::Kernel {
        name,
        span,
        captures: Vec::new(),
        host: mir::LaunchConfiguration {
            blocks: Vec::new(),
            threads: Vec::new(),
            shared_lengths: Vec::new(),
        },
        shared: Vec::new(),
        locals: Vec::new(),
        variables: Vec::new(),
        block_locals: Vec::new(),
        thread_locals: Vec::new(),
        auto_blocks: None,
        auto_threads: None,
        block_choices: Vec::new(),
        thread_choices: Vec::new(),
        body: Vec::new(),
        direct_params: false,
        fast_math: false,
        has_barrier: false,
    }
}

/// The statements of a block, with nested blocks flattened.
fn flatten(body: &apg_analysis::program::body::Body, stmt: StmtId, into: &mut Vec<StmtId>) {
    match &body.stmt(stmt).kind {
        StmtKind::Block(stmts) => stmts.iter().for_each(|it| flatten(body, *it, into)),
        StmtKind::Empty => {}
        _ => into.push(stmt),
    }
}
