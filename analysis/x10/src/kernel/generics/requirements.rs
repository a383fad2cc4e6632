//! Requirements of device code on type arguments, as summaries of methods over the call graph.

use std::sync::Arc;

use apg_syntax::TextRange;
use rustc_hash::FxHashSet;

use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, Owner, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::MethodId;
use crate::kernel::device_code::functions::function_summary;
use crate::kernel::device_semantics::{CalleeKind, DeviceSemantics};
use crate::kernel::generics::bound_call::BoundCall;
use crate::kernel::generics::dispatch;
use crate::kernel::generics::instance::Instance;
use crate::kernel::shape::recognise::kernels;
use crate::kernel::{CaptureKind, Kernel, PreludeKind, SharedInit};
use crate::relate::subtype::erase;
use crate::ty::Ty;
use crate::ty::subst::Substitution;
use crate::ty::type_test::mentions_param;

/// A requirement on a type argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Requirement {
    /// Its values are stored in device memory.
    Storable(Ty),
    /// A thread calls it through its bound.
    Callable(BoundCall),
}

impl Requirement {
    /// The requirement for an instantiation.
    pub(crate) fn apply(&self, semantics: &DeviceSemantics, types: &Substitution) -> Requirement {
        let db = semantics.db;
        match self {
            Requirement::Storable(ty) => Requirement::Storable(erase(db, types.apply(db, *ty))),
            Requirement::Callable(bound_call) => Requirement::Callable(BoundCall {
                of: erase(db, types.apply(db, bound_call.of)),
                class_args: types.apply_all(db, &bound_call.class_args),
                type_args: types.apply_all(db, &bound_call.type_args),
                ..bound_call.clone()
            }),
        }
    }

    /// Whether it still depends on type parameters.
    pub(crate) fn is_open(&self, semantics: &DeviceSemantics) -> bool {
        match self {
            Requirement::Storable(ty) | Requirement::Callable(BoundCall { of: ty, .. }) => {
                mentions_param(semantics.db, *ty)
            }
        }
    }
}

/// Where code executes. Requirements arise only from calls by device code; the host calls `@CUDA` functions
/// as any others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) enum ExecutionSpace {
    Host,
    Device,
}

/// Requirements of one method, and the instantiations that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::kernel) struct Requirements {
    /// Requirements of its own code.
    pub own: Vec<Requirement>,
    /// Calls and their execution spaces; for host code, only calls that depend on type parameters.
    pub calls: Vec<(ExecutionSpace, Instance)>,
}

/// Requirements of the code of a method itself, when run in an execution space.
#[salsa::tracked]
pub(in crate::kernel) fn requirements(
    db: &dyn Db,
    method: MethodId,
    space: ExecutionSpace,
) -> Arc<Requirements> {
    let semantics = DeviceSemantics::new(db);
    let identity = Instance::identity(db, method);
    let mut requirements = Requirements::default();
    match space {
        ExecutionSpace::Device => {
            if semantics.callee_kind(method) != CalleeKind::Function {
                return Arc::default();
            }
            requirements.own.extend(identity.type_args.iter().map(|ty| Requirement::Storable(*ty)));
            requirements
                .own
                .extend(function_summary(db, method).bound_calls.iter().cloned().map(Requirement::Callable));
            for owner in code_of(&semantics, method) {
                let result = semantics.body_of(owner);
                requirements
                    .calls
                    .extend(calls(&result.body, |_| space).map(|(space, call, _)| (space, call)));
            }
        }
        ExecutionSpace::Host => {
            if semantics.is_user_code(method) && identity.is_generic() {
                code_of(&semantics, method).for_each(|owner| requirements.add_host_code(&semantics, owner));
                let mut others = dispatch::dispatch_targets_of_call(&semantics, method);
                if semantics.is_constructor(method) {
                    others.extend(dispatch::dispatch_targets_of_object(&semantics, method));
                }
                requirements
                    .calls
                    .extend(others.into_iter().filter(|it| it.is_open(db)).map(|it| (space, it)));
            }
        }
    }
    Arc::new(requirements)
}

/// A method, with the field initialisers that a constructor runs.
fn code_of(semantics: &DeviceSemantics, method: MethodId) -> impl Iterator<Item = Owner> {
    let fields = match semantics.is_constructor(method) {
        true => semantics.initialised_fields(method.class(semantics.db)),
        false => Vec::new(),
    };
    [Owner::Method(method)].into_iter().chain(fields.into_iter().map(Owner::Field))
}

impl Requirements {
    fn add_host_code(&mut self, semantics: &DeviceSemantics, owner: Owner) {
        let db = semantics.db;
        let result = semantics.body_of(owner);
        let body = &result.body;
        for recognised in kernels(db, owner).iter() {
            if let Some(kernel) = &recognised.kernel {
                self.own.extend(kernel_requirements(semantics, body, kernel));
            }
        }
        let device = device_code(db, owner, body);
        let calls = calls(body, |node| device.space(node)).filter(|(_, call, _)| call.is_open(db));
        self.calls.extend(calls.map(|(space, call, _)| (space, call)));
    }
}

/// The nodes of a body that threads execute.
pub(in crate::kernel) struct DeviceCode(FxHashSet<Node>);

impl DeviceCode {
    pub(super) fn space(&self, node: Node) -> ExecutionSpace {
        if self.0.contains(&node) { ExecutionSpace::Device } else { ExecutionSpace::Host }
    }
}

/// The nodes of a body that threads execute.
pub(in crate::kernel) fn device_code(db: &dyn Db, owner: Owner, body: &Body) -> DeviceCode {
    let mut all = FxHashSet::default();
    for recognised in kernels(db, owner).iter() {
        let parts = match &recognised.kernel {
            Some(kernel) => {
                let closures = kernel.shared.iter().filter_map(|it| match it.init {
                    SharedInit::Closure { closure, .. } => Some(Node::Expr(closure)),
                    _ => None,
                });
                closures.chain([Node::Stmt(kernel.body)]).collect()
            }
            // The thread code is not known.
            None => vec![Node::Stmt(recognised.at)],
        };
        for part in parts {
            body.walk(part, &mut |node| {
                all.insert(node);
                true
            });
        }
    }
    DeviceCode(all)
}

/// Requirements of a kernel: stored types and bound calls.
fn kernel_requirements(semantics: &DeviceSemantics, body: &Body, kernel: &Kernel) -> Vec<Requirement> {
    let mut held: Vec<Ty> = kernel.shared.iter().map(|it| it.element).collect();
    for prelude in &kernel.prelude {
        if let PreludeKind::ConstantRail { element, .. } = prelude.kind {
            held.push(element);
        }
    }
    held.extend(kernel.captures.iter().map(|it| match it.kind {
        CaptureKind::Scalar => it.ty,
        CaptureKind::Rail { element } | CaptureKind::GlobalRail { element } => element,
    }));
    body.walk(Node::Stmt(kernel.body), &mut |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::Let { local, .. } = body.stmt(stmt).kind
        {
            let ty = body.local(local).ty;
            held.push(
                ty.rail_element(semantics.db).or_else(|| ty.global_rail_element(semantics.db)).unwrap_or(ty),
            );
        }
        true
    });
    let held = held.into_iter().filter(|ty| mentions_param(semantics.db, *ty)).map(Requirement::Storable);
    held.chain(kernel.bound_calls.iter().cloned().map(Requirement::Callable)).collect()
}

/// The instantiated calls of a body, with execution space and range.
pub(in crate::kernel) fn calls(
    body: &Body,
    space: impl Fn(Node) -> ExecutionSpace,
) -> impl Iterator<Item = (ExecutionSpace, Instance, TextRange)> {
    let exprs = body.exprs.iter().enumerate().filter_map(|(index, expr)| {
        let (method, class_args, type_args) = match &expr.kind {
            ExprKind::Call { method, class_args, type_args, .. } => (*method, class_args, type_args.clone()),
            ExprKind::New { constructor, class_args, .. } => (*constructor, class_args, Vec::new()),
            _ => return None,
        };
        let instance = Instance { method, class_args: class_args.clone(), type_args };
        Some((Node::Expr(ExprId(index as u32)), instance, expr.range))
    });
    let stmts = body.stmts.iter().enumerate().filter_map(|(index, stmt)| match &stmt.kind {
        StmtKind::ConstructorCall { constructor, class_args, .. } => {
            let class_args = class_args.clone();
            let instance = Instance { method: *constructor, class_args, type_args: Vec::new() };
            Some((Node::Stmt(StmtId(index as u32)), instance, stmt.range))
        }
        _ => None,
    });
    exprs.chain(stmts).map(move |(node, instance, range)| (space(node), instance, range))
}

/// Requirements of a method and everything it calls on its type parameters, each with the method that has it.
#[salsa::tracked]
pub(in crate::kernel) fn requirement_summary(
    db: &dyn Db,
    method: MethodId,
    space: ExecutionSpace,
) -> Arc<Vec<(Requirement, MethodId)>> {
    /// Limit of the work list, beyond sensible programs.
    const MAX_VISITED_INSTANCES: usize = 1000;
    let semantics = DeviceSemantics::new(db);
    let mut found: Vec<(Requirement, MethodId)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![(space, Instance::identity(db, method))];
    while let Some((space, instance)) = open.pop() {
        if seen.len() >= MAX_VISITED_INSTANCES
            || instance.is_too_large(db)
            || !seen.insert((space, instance.clone()))
        {
            continue;
        }
        let types = instance.types(db);
        let requirements = requirements(db, instance.method, space);
        for requirement in &requirements.own {
            let requirement = requirement.apply(&semantics, &types);
            if requirement.is_open(&semantics) && !found.iter().any(|it| it.0 == requirement) {
                found.push((requirement, instance.method));
            }
        }
        let calls = requirements.calls.iter().map(|(space, it)| (*space, it.apply(db, &types)));
        open.extend(calls.filter(|(_, it)| it.is_open(db)));
    }
    Arc::new(found)
}
