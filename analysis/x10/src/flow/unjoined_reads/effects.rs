//! Effect summaries of methods: what a method reads and writes of its arguments, what it leaves running, and
//! whether it may block.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::access_paths::{AccessPath, AccessPaths, PathRoot, PathStep};
use super::index_sets::{IndexSet, as_variable};
use super::{PendingStart, UnjoinedReads};
use crate::body::Owner;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Dispatch, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::{FieldId, FileOrigin, MethodId};
use crate::infer::owner_body;
use crate::item_tree::Modifiers;
use crate::item_tree::items::{class_head, method_item};
use crate::kernel::{DeviceSemantics, KernelContext};

/// Effect summary of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Written by activities that may still run when the method returns.
    pub starts: Vec<ArgumentAccess>,
    /// Written before it returns.
    pub writes: Vec<ArgumentAccess>,
    /// Read before it may block.
    pub reads: Vec<ArgumentAccess>,
    /// Whether it may block on something unknown.
    pub may_block: bool,
}

/// A path that starts at an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArgumentAccess {
    object: ArgumentRoot,
    steps: Vec<ArgumentStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentRoot {
    This,
    Argument(usize),
    Static(FieldId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ArgumentStep {
    Field(FieldId),
    Elements(Vec<ArgumentIndex>),
    AllElements,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ArgumentIndex {
    Elements(BTreeSet<i64>),
    Prefix {
        is_dense: bool,
    },
    All,
    /// The value of an argument.
    Argument(usize),
}

/// Whether a call has one known target with user code.
pub(super) fn has_known_target(db: &dyn Db, method: MethodId, dispatch: Dispatch) -> bool {
    let Some(item) = method_item(db, method) else { return false };
    let is_fixed =
        |modifiers: Modifiers| modifiers.has(Modifiers::FINAL) || modifiers.has(Modifiers::PRIVATE);
    let is_final =
        || class_head(db, method.class(db)).as_ref().is_some_and(|it| it.modifiers.has(Modifiers::FINAL));
    let class = method.class(db);
    class.file(db).origin(db) == FileOrigin::User
        && !item.modifiers.has(Modifiers::NATIVE)
        && (dispatch != Dispatch::Virtual || is_fixed(item.modifiers) || is_final())
}

/// The effect summary of a method. Recursion is approximated by blocking.
#[salsa::tracked(cycle_result = unknown_effects)]
pub(super) fn effects(db: &dyn Db, method: MethodId) -> Arc<Effects> {
    let result = owner_body(db, Owner::Method(method));
    let body = &result.body;
    let Some(root) = body.root else {
        // The automatic constructor of a class has no effect.
        let is_automatic = method_item(db, method).is_some_and(|it| it.kind.is_constructor());
        return Arc::new(Effects { may_block: !is_automatic, ..Effects::default() });
    };
    let semantics = DeviceSemantics::new(db);
    let parents = Parents::of(body);
    let context = KernelContext::new(&semantics, body, &parents, root);
    let mut search = UnjoinedReads::new(&context, method.class(db).file(db));
    let starts = search.pending_starts(root);
    Arc::new(search.summary(root, &starts))
}

fn unknown_effects(_db: &dyn Db, _id: salsa::Id, _method: MethodId) -> Arc<Effects> {
    Arc::new(Effects { may_block: true, ..Effects::default() })
}

impl UnjoinedReads<'_> {
    fn summary(&self, root: StmtId, starts: &[PendingStart]) -> Effects {
        let paths = self.paths(root);
        let mut effects = Effects::default();
        for start in starts {
            effects.starts.extend(self.writes(*start, root).iter().filter_map(|it| self.access(it)));
        }
        self.body.walk(Node::Stmt(root), &mut |node| {
            match node {
                Node::Stmt(id) => match self.body.stmt(id).kind {
                    StmtKind::Async { .. } | StmtKind::AtEach { .. } => return false,
                    _ => effects.may_block |= self.is_waiting_loop(id),
                },
                Node::Expr(id) if matches!(self.body.expr(id).kind, ExprKind::Closure(_)) => return false,
                Node::Expr(id) => {
                    let written_path = self
                        .written_path(id, &paths)
                        .into_iter()
                        .chain(self.paths_written_by_call(id, &paths));
                    let written_path = written_path.filter(|it| self.is_changed(it, node, root));
                    effects.writes.extend(written_path.filter_map(|it| self.access(&it)));
                    if !effects.may_block {
                        let reads = self.reads(node, false, &paths);
                        effects.reads.extend(reads.iter().filter_map(|it| self.access(it)));
                    }
                }
            }
            effects.may_block |= self.may_block(node, self.is_in_kernel(node));
            true
        });
        effects
    }

    /// A path in terms of the arguments, if it starts at one.
    fn access(&self, path: &AccessPath) -> Option<ArgumentAccess> {
        let parameter = |local: LocalId| {
            let is_kept = !self.body.local(local).mutable;
            self.body.params.iter().position(|it| *it == local).filter(|_| is_kept)
        };
        let object = match path.root {
            PathRoot::Local(local) => ArgumentRoot::Argument(parameter(local)?),
            PathRoot::This => ArgumentRoot::This,
            PathRoot::Static(field) => ArgumentRoot::Static(field),
        };
        let index = |index: &IndexSet| match index {
            IndexSet::Elements(it) => Some(ArgumentIndex::Elements(it.clone())),
            IndexSet::Prefix { is_dense } => Some(ArgumentIndex::Prefix { is_dense: *is_dense }),
            IndexSet::All => Some(ArgumentIndex::All),
            IndexSet::Interval { first, last } if first == last => {
                Some(ArgumentIndex::Argument(parameter(as_variable(first)?)?))
            }
            IndexSet::Interval { first, .. } if first.as_constant() == Some(&0) => {
                Some(ArgumentIndex::Prefix { is_dense: false })
            }
            _ => None,
        };
        let step = |step: &PathStep| match step {
            PathStep::Field(field) => Some(ArgumentStep::Field(*field)),
            PathStep::Elements(indices) => {
                Some(ArgumentStep::Elements(indices.iter().map(index).collect::<Option<_>>()?))
            }
            PathStep::AllElements => Some(ArgumentStep::AllElements),
        };
        let steps = path.steps.iter().map(step).collect::<Option<_>>()?;
        Some(ArgumentAccess { object, steps })
    }
}

impl ArgumentAccess {
    /// The path in terms of the caller.
    pub(super) fn path(&self, paths: &AccessPaths, call: ExprId) -> Option<AccessPath> {
        let ExprKind::Call { receiver, args, .. } = &paths.body.expr(call).kind else { return None };
        let index = |index: &ArgumentIndex| match index {
            ArgumentIndex::Elements(it) => IndexSet::Elements(it.clone()),
            ArgumentIndex::Prefix { is_dense } => IndexSet::Prefix { is_dense: *is_dense },
            ArgumentIndex::All => IndexSet::All,
            ArgumentIndex::Argument(position) => {
                args.get(*position).map_or(IndexSet::Unknown, |it| paths.index(*it, false))
            }
        };
        let step = |step: &ArgumentStep| match step {
            ArgumentStep::Field(field) => PathStep::Field(*field),
            ArgumentStep::Elements(indices) => PathStep::Elements(indices.iter().map(index).collect()),
            ArgumentStep::AllElements => PathStep::AllElements,
        };
        let steps: Vec<PathStep> = self.steps.iter().map(step).collect();
        match self.object {
            ArgumentRoot::Argument(position) => paths.path(*args.get(position)?, steps),
            ArgumentRoot::This => paths.path((*receiver)?, steps),
            ArgumentRoot::Static(field) => Some(AccessPath {
                root: PathRoot::Static(field),
                name: field.name(paths.db).as_str().into(),
                steps,
                is_global: false,
            }),
        }
    }
}
