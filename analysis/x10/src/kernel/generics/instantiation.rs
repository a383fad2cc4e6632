//! Instantiations of generic code that runs on devices: type arguments must meet the requirements of that
//! code.
//!
//! Type arguments that still contain type parameters are checked where those are instantiated.

use std::sync::Arc;

use apg_syntax::TextRange;
use rustc_hash::FxHashSet;

use crate::body::Owner;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::{FileOrigin, MethodId, SourceFile};
use crate::inputs::Project;
use crate::inputs::split_inputs;
use crate::item_tree::Import;
use crate::item_tree::items::{imports, method_type_param_ids};
use crate::item_tree::nesting::all_type_params;
use crate::kernel::device_code::functions::function_summary;
use crate::kernel::device_semantics::{CalleeKind, DeviceSemantics};
use crate::kernel::diagnostics::{item_of, kernels};
use crate::kernel::fixes::template::FixTemplate;
use crate::kernel::generics::bound_requirements::{Requirement, UnmetRequirement};
use crate::kernel::generics::dispatch;
use crate::kernel::violation::Violation;
use crate::kernel::{CaptureKind, Kernel, PreludeKind, SharedInit};
use crate::relate::subtype::erase;
use crate::rules::cuda;
use crate::rules::cuda::generic_call::GenericCall;
use crate::ty::subst::Substitution;
use crate::ty::type_test::mentions_param;
use crate::ty::{Ty, TyKind};

/// A method with type arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) struct Instance {
    pub method: MethodId,
    pub class_args: Vec<Ty>,
    pub type_args: Vec<Ty>,
}

impl Instance {
    /// The method with its own type parameters as arguments.
    fn identity(db: &dyn Db, method: MethodId) -> Instance {
        let params = |ids: &[crate::ids::TypeParamId]| ids.iter().map(|id| Ty::param(db, *id)).collect();
        Instance {
            method,
            class_args: params(all_type_params(db, method.class(db))),
            type_args: params(method_type_param_ids(db, method)),
        }
    }

    /// The substitution of its type parameters.
    pub fn types(&self, db: &dyn Db) -> Substitution {
        let own = method_type_param_ids(db, self.method);
        Substitution::class(db, self.method.class(db), &self.class_args).with_types(own, &self.type_args)
    }

    /// The instance with a substitution applied to its type arguments.
    pub fn apply(&self, db: &dyn Db, types: &Substitution) -> Instance {
        let all = |args: &[Ty]| args.iter().map(|ty| erase(db, types.apply(db, *ty))).collect();
        Instance { method: self.method, class_args: all(&self.class_args), type_args: all(&self.type_args) }
    }

    fn is_generic(&self) -> bool {
        !self.class_args.is_empty() || !self.type_args.is_empty()
    }

    /// Whether its type arguments exceed the size limit.
    pub fn is_too_large(&self, db: &dyn Db) -> bool {
        are_too_large(db, &self.class_args) || are_too_large(db, &self.type_args)
    }

    fn is_open(&self, db: &dyn Db) -> bool {
        self.class_args.iter().chain(&self.type_args).any(|ty| mentions_param(db, *ty))
    }
}

/// Whether types exceed the size limit. Polymorphic recursion can make types grow without end, even
/// exponentially.
pub(in crate::kernel) fn are_too_large(db: &dyn Db, types: &[Ty]) -> bool {
    /// Limit on the number of type constructors, counted with repetition.
    const MAX_TYPE_SIZE: usize = 128;
    let mut open = types.to_vec();
    let mut count = 0;
    while let Some(ty) = open.pop() {
        count += 1;
        if count > MAX_TYPE_SIZE {
            return true;
        }
        match ty.kind(db) {
            TyKind::Class { args, .. } => open.extend(args),
            TyKind::Function { params, result, .. } => {
                open.extend(params);
                open.push(*result);
            }
            TyKind::Constrained { base, .. } => open.push(*base),
            _ => {}
        }
    }
    false
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
                code_of(&semantics, method)
                    .for_each(|owner| requirements.add_code_of_host(&semantics, owner));
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
    fn add_code_of_host(&mut self, semantics: &DeviceSemantics, owner: Owner) {
        let db = semantics.db;
        let result = semantics.body_of(owner);
        let body = &result.body;
        for recognised in kernels(db, owner).iter() {
            if let Some(kernel) = &recognised.kernel {
                self.own.extend(kernel_demands(semantics, body, kernel));
            }
        }
        let device = device_code(db, owner, body);
        let calls = calls(body, |node| device.space(node)).filter(|(_, call, _)| call.is_open(db));
        self.calls.extend(calls.map(|(space, call, _)| (space, call)));
    }
}

/// The nodes of a body that threads execute.
struct DeviceCode(FxHashSet<Node>);

impl DeviceCode {
    fn space(&self, node: Node) -> ExecutionSpace {
        if self.0.contains(&node) { ExecutionSpace::Device } else { ExecutionSpace::Host }
    }
}

fn device_code(db: &dyn Db, owner: Owner, body: &Body) -> DeviceCode {
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
fn kernel_demands(semantics: &DeviceSemantics, body: &Body, kernel: &Kernel) -> Vec<Requirement> {
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
fn calls(
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

/// Whether a file may contain kernels, which need an import. For a file that is being edited only the
/// skeleton is consulted.
#[salsa::tracked(returns(copy))]
fn mentions_kernels(db: &dyn Db, file: SourceFile) -> bool {
    if split_inputs(db, file).is_some() {
        let of_compiler = |it: &Import| it.path == "x10.compiler" || it.path.starts_with("x10.compiler.CUDA");
        return imports(db, file).iter().any(of_compiler);
    }
    ["import x10.compiler.CUDA", "import x10.compiler.*"].iter().any(|it| file.text(db).contains(it))
}

/// Whether any user file may contain kernels: other programs skip these checks.
#[salsa::tracked(returns(copy))]
fn has_kernels(db: &dyn Db) -> bool {
    let project = Project::get(db);
    let files = project.files(db).values().chain(project.roots(db).iter());
    files.into_iter().any(|file| mentions_kernels(db, *file))
}

/// Violations at calls whose type arguments do not meet the requirements of device code.
pub fn instance_violations(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    if item_of(owner).file(db).origin(db) != FileOrigin::User || !has_kernels(db) {
        return Arc::default();
    }
    violations_of_instantiations(db, owner).clone()
}

#[salsa::tracked]
fn violations_of_instantiations(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    let semantics = DeviceSemantics::new(db);
    let body = &semantics.body_of(owner).body;
    let at = body.root.unwrap_or(StmtId(0));
    let is_function = matches!(owner, Owner::Method(it) if semantics.callee_kind(it) == CalleeKind::Function);
    let device = device_code(db, owner, body);
    let calls = calls(body, |node| if is_function { ExecutionSpace::Device } else { device.space(node) });
    let violations = calls.filter_map(|(space, instance, range)| {
        let (unmet, by) = unmet_requirement(&semantics, space, &instance)?;
        Some(violation(&semantics, (at, range), instance.method, by, unmet))
    });
    Arc::new(violations.collect())
}

/// The unmet requirement of an instantiated call, and the method that has the requirement.
fn unmet_requirement(
    semantics: &DeviceSemantics,
    space: ExecutionSpace,
    instance: &Instance,
) -> Option<(UnmetRequirement, MethodId)> {
    if !instance.is_generic() {
        return None;
    }
    let requirement_summary = requirement_summary(semantics.db, instance.method, space);
    if requirement_summary.is_empty() {
        return None;
    }
    let types = instance.types(semantics.db);
    semantics.unmet(
        requirement_summary.iter().map(|(requirement, by)| (requirement.apply(semantics, &types), *by)),
    )
}

fn violation(
    semantics: &DeviceSemantics,
    (at, range): (StmtId, TextRange),
    called: MethodId,
    by: MethodId,
    unmet: UnmetRequirement,
) -> Violation {
    let generic = |data: GenericCall| Violation::new(at, range, data);
    match unmet {
        UnmetRequirement::NotStorable(ty) => {
            let required_by = (called != by).then_some(by);
            generic(GenericCall::Storage { method: called, ty, required_by })
        }
        UnmetRequirement::NotAnnotated(ty, method) => {
            generic(GenericCall::Unannotated { caller: by, method, ty })
                .fix(semantics.is_user_code(method).then_some(FixTemplate::Annotate(method)))
        }
        UnmetRequirement::Invalid(method, first) => {
            let reason = first.render(semantics.db, Owner::Method(method)).message;
            let data = cuda::bad_callee::BadCallee { method, through: Some(by), reason: reason.clone() };
            Violation::new(at, range, data).related(method, first.range(), reason)
        }
        UnmetRequirement::ThreadDependent(method) => {
            generic(GenericCall::ThreadDependent { caller: by, method })
        }
        UnmetRequirement::WritesCapture(method) => generic(GenericCall::WritesCapture { caller: by, method }),
        UnmetRequirement::Recursive(method) => {
            Violation::new(at, range, cuda::recursion::Recursion { method })
        }
    }
}
