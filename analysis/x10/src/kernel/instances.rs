//! Calls of code with type parameters that comes to run on a device: at each the types that are chosen must have what that code asks
//! of them. What still depends on type parameters around the call is looked at where those are chosen.

use std::sync::Arc;

use apg_syntax::TextRange;
use rustc_hash::FxHashSet;

use super::dispatch;
use super::facts::{Callable, Facts};
use super::function::function_code;
use super::promises::{Demand, Misfit};
use super::repair::Repair;
use super::report::{item_of, kernels};
use super::violation::Violation;
use super::{CaptureKind, Kernel, PreludeKind, SharedInit};
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, StmtId, StmtKind};
use crate::db::{Db, Project};
use crate::diagnostics::cuda;
use crate::edited::edited;
use crate::ids::{FileOrigin, MethodId, SourceFile};
use crate::infer::Owner;
use crate::item_tree::Import;
use crate::item_tree::items::{imports, method_type_param_ids};
use crate::ty::params::all_type_params;
use crate::ty::relate::erase;
use crate::ty::subst::Substitution;
use crate::ty::test::mentions_param;
use crate::ty::{Ty, TyKind};

/// A method for a choice of its type parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    pub method: MethodId,
    pub class_args: Vec<Ty>,
    pub type_args: Vec<Ty>,
}

impl Instance {
    /// The method as it is written.
    fn itself(db: &dyn Db, method: MethodId) -> Instance {
        let params = |ids: &[crate::ids::TypeParamId]| ids.iter().map(|id| Ty::param(db, *id)).collect();
        Instance {
            method,
            class_args: params(all_type_params(db, method.class(db))),
            type_args: params(method_type_param_ids(db, method)),
        }
    }

    /// What its type parameters stand for.
    pub fn types(&self, db: &dyn Db) -> Substitution {
        let own = method_type_param_ids(db, self.method);
        Substitution::class(db, self.method.class(db), &self.class_args).with_types(own, &self.type_args)
    }

    /// The same where the types around it are chosen.
    pub fn apply(&self, db: &dyn Db, types: &Substitution) -> Instance {
        let all = |args: &[Ty]| args.iter().map(|ty| erase(db, types.apply(db, *ty))).collect();
        Instance { method: self.method, class_args: all(&self.class_args), type_args: all(&self.type_args) }
    }

    fn is_generic(&self) -> bool {
        !self.class_args.is_empty() || !self.type_args.is_empty()
    }

    /// Whether its types have outgrown those of sensible programs.
    pub fn is_outgrown(&self, db: &dyn Db) -> bool {
        outgrown(db, &self.class_args) || outgrown(db, &self.type_args)
    }

    fn is_open(&self, db: &dyn Db) -> bool {
        self.class_args.iter().chain(&self.type_args).any(|ty| mentions_param(db, *ty))
    }
}

/// Whether types are larger than any that people write: from call to call they may grow without end, and double at each.
pub(super) fn outgrown(db: &dyn Db, types: &[Ty]) -> bool {
    /// Of parts, each counted as often as it occurs.
    const MOST: usize = 128;
    let mut open = types.to_vec();
    let mut count = 0;
    while let Some(ty) = open.pop() {
        count += 1;
        if count > MOST {
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

/// Who runs code. The host calls `@CUDA` functions as any others: only of what threads call something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Host,
    Device,
}

/// What the code of one method asks of its type parameters, and for what it calls others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Demands {
    /// What is asked.
    pub own: Vec<Demand>,
    /// Calls, and who makes them; of those of the host only what depends on type parameters.
    pub calls: Vec<(Side, Instance)>,
}

/// What the code of a method asks of types by itself where that side runs it.
#[salsa::tracked]
pub(super) fn demands(db: &dyn Db, method: MethodId, side: Side) -> Arc<Demands> {
    let facts = Facts::new(db);
    let itself = Instance::itself(db, method);
    let mut demands = Demands::default();
    match side {
        Side::Device => {
            if facts.callable(method) != Callable::Function {
                return Arc::default();
            }
            demands.own.extend(itself.type_args.iter().map(|ty| Demand::Held(*ty)));
            demands.own.extend(function_code(db, method).promises.iter().cloned().map(Demand::Kept));
            for owner in code_of(&facts, method) {
                let result = facts.body_of(owner);
                demands.calls.extend(calls(&result.body, |_| side).map(|(side, call, _)| (side, call)));
            }
        }
        Side::Host => {
            if facts.is_users(method) && itself.is_generic() {
                code_of(&facts, method).for_each(|owner| demands.add_code_of_host(&facts, owner));
                let mut others = dispatch::of_called(&facts, method);
                if facts.is_constructor(method) {
                    others.extend(dispatch::of_made(&facts, method));
                }
                demands.calls.extend(others.into_iter().filter(|it| it.is_open(db)).map(|it| (side, it)));
            }
        }
    }
    Arc::new(demands)
}

/// A method, with the initialisers of fields that a constructor runs.
fn code_of(facts: &Facts, method: MethodId) -> impl Iterator<Item = Owner> {
    let fields = match facts.is_constructor(method) {
        true => facts.initialised_fields(method.class(facts.db)),
        false => Vec::new(),
    };
    [Owner::Method(method)].into_iter().chain(fields.into_iter().map(Owner::Field))
}

impl Demands {
    fn add_code_of_host(&mut self, facts: &Facts, owner: Owner) {
        let db = facts.db;
        let result = facts.body_of(owner);
        let body = &result.body;
        for recognised in kernels(db, owner).iter() {
            if let Some(kernel) = &recognised.kernel {
                self.own.extend(kernel_demands(facts, body, kernel));
            }
        }
        let device = device_code(db, owner, body);
        let calls = calls(body, |node| device.side(node)).filter(|(_, call, _)| call.is_open(db));
        self.calls.extend(calls.map(|(side, call, _)| (side, call)));
    }
}

/// The parts of a body that threads run.
struct DeviceCode(FxHashSet<Node>);

impl DeviceCode {
    fn side(&self, node: Node) -> Side {
        if self.0.contains(&node) { Side::Device } else { Side::Host }
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
            // What its threads would be is not known.
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

/// What a kernel holds, and calls.
fn kernel_demands(facts: &Facts, body: &Body, kernel: &Kernel) -> Vec<Demand> {
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
            held.push(ty.rail_element(facts.db).or_else(|| ty.global_rail_element(facts.db)).unwrap_or(ty));
        }
        true
    });
    let held = held.into_iter().filter(|ty| mentions_param(facts.db, *ty)).map(Demand::Held);
    held.chain(kernel.promises.iter().cloned().map(Demand::Kept)).collect()
}

/// The calls of a body for chosen types: who makes each, and where it stands.
fn calls(body: &Body, side: impl Fn(Node) -> Side) -> impl Iterator<Item = (Side, Instance, TextRange)> {
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
    exprs.chain(stmts).map(move |(node, instance, range)| (side(node), instance, range))
}

/// What a method that a side runs, and all that it calls, ask of its type parameters, and which method it is that asks.
#[salsa::tracked]
pub(super) fn summary(db: &dyn Db, method: MethodId, side: Side) -> Arc<Vec<(Demand, MethodId)>> {
    /// As many as no sensible program reaches.
    const MOST: usize = 1000;
    let facts = Facts::new(db);
    let mut found: Vec<(Demand, MethodId)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![(side, Instance::itself(db, method))];
    while let Some((side, instance)) = open.pop() {
        if seen.len() >= MOST || instance.is_outgrown(db) || !seen.insert((side, instance.clone())) {
            continue;
        }
        let types = instance.types(db);
        let demands = demands(db, instance.method, side);
        for demand in &demands.own {
            let demand = demand.apply(&facts, &types);
            if demand.is_open(&facts) && !found.iter().any(|it| it.0 == demand) {
                found.push((demand, instance.method));
            }
        }
        let calls = demands.calls.iter().map(|(side, it)| (*side, it.apply(db, &types)));
        open.extend(calls.filter(|(_, it)| it.is_open(db)));
    }
    Arc::new(found)
}

/// Whether a file can speak of kernels: it imports the annotation. Of a file that someone types in only its outline is asked.
#[salsa::tracked(returns(copy))]
fn mentions_kernels(db: &dyn Db, file: SourceFile) -> bool {
    if edited(db, file).is_some() {
        let of_compiler = |it: &Import| it.path == "x10.compiler" || it.path.starts_with("x10.compiler.CUDA");
        return imports(db, file).iter().any(of_compiler);
    }
    ["import x10.compiler.CUDA", "import x10.compiler.*"].iter().any(|it| file.text(db).contains(it))
}

/// Whether any file of the user does: programs without kernels pay nothing for what follows.
#[salsa::tracked(returns(copy))]
fn has_kernels(db: &dyn Db) -> bool {
    let project = Project::get(db);
    let files = project.files(db).values().chain(project.roots(db).iter());
    files.into_iter().any(|file| mentions_kernels(db, *file))
}

/// The calls of an item that choose types which have not what code for devices asks of them.
pub fn instance_violations(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    if item_of(owner).file(db).origin(db) != FileOrigin::User || !has_kernels(db) {
        return Arc::default();
    }
    bad_instances(db, owner).clone()
}

#[salsa::tracked]
fn bad_instances(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    let facts = Facts::new(db);
    let body = &facts.body_of(owner).body;
    let at = body.root.unwrap_or(StmtId(0));
    let is_function = matches!(owner, Owner::Method(it) if facts.callable(it) == Callable::Function);
    let device = device_code(db, owner, body);
    let calls = calls(body, |node| if is_function { Side::Device } else { device.side(node) });
    let violations = calls.filter_map(|(side, instance, range)| {
        let (misfit, by) = bad_instance(&facts, side, &instance)?;
        Some(violation(&facts, (at, range), instance.method, by, misfit))
    });
    Arc::new(violations.collect())
}

/// What is wrong with the types that a call chooses, and which method it is that asks for it.
fn bad_instance(facts: &Facts, side: Side, instance: &Instance) -> Option<(Misfit, MethodId)> {
    if !instance.is_generic() {
        return None;
    }
    let summary = summary(facts.db, instance.method, side);
    if summary.is_empty() {
        return None;
    }
    let types = instance.types(facts.db);
    facts.misfit(summary.iter().map(|(demand, by)| (demand.apply(facts, &types), *by)))
}

fn violation(
    facts: &Facts,
    (at, range): (StmtId, TextRange),
    called: MethodId,
    by: MethodId,
    misfit: Misfit,
) -> Violation {
    let (name, asking) = (facts.method_name(called), facts.method_name(by));
    let generic = |message: String, note: &str| {
        Violation::new(at, &cuda::generic_call::RULE, range, message).note(note)
    };
    match misfit {
        Misfit::NotHeld(ty) => {
            let found = generic(
                format!("`{name}` is called for `{}`, which a device cannot hold", facts.show(ty)),
                "code with type parameters that kernels run is compiled for each type that it is called for: numbers, `Boolean`, `Char`, \
                 and structs of these",
            );
            if called == by {
                found
            } else {
                found.note(format!("this leads to `{asking}`, which has code for devices"))
            }
        }
        Misfit::NotMade(ty, method) => {
            let (own, shown) = (facts.method_name(method), facts.show(ty));
            let message =
                format!("`{asking}` calls `{own}` for these types, which is not made for the device");
            let note = format!(
                "a type parameter stands for `{shown}` here, and a thread calls what its bound promises: only functions marked `@CUDA` are \
                 checked and compiled for the device"
            );
            generic(message, &note).repair(facts.is_users(method).then_some(Repair::Annotate(method)))
        }
        Misfit::Broken(method, first) => {
            let own = facts.method_name(method);
            let message = format!("a thread calls `{own}` through `{asking}`, which a device cannot run");
            Violation::new(at, &cuda::bad_callee::RULE, range, message)
                .note(format!("{}: mend the function, or do without it here", first.message))
                .related(Some(method), first.range, first.message.clone())
        }
        Misfit::OfThreads(method) => generic(
            format!(
                "`{}`, which `{asking}` calls by an interface, is about the threads around it",
                facts.method_name(method)
            ),
            "it waits for them, or asks for the number of its own: what an interface promises may do neither",
        ),
        Misfit::Writes(method) => generic(
            format!(
                "`{}`, which `{asking}` calls by an interface, sets elements of a captured rail",
                facts.method_name(method)
            ),
            "a rail of the host is copied to the device and not back: write into a `GlobalRail`",
        ),
        Misfit::Recursive(method) => {
            let message = format!("`{}` calls itself, directly or through others", facts.method_name(method));
            Violation::new(at, &cuda::recursion::RULE, range, message)
                .note("a thread's stack is small and fixed: write the repetition as a loop")
        }
    }
}
