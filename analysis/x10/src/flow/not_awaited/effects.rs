//! Effect summaries of methods: what a method reads and writes of its arguments, what it leaves running, and whether it may wait.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::index::Index;
use super::paths::{Path, Paths, Root, Step};
use super::{Search, Start};
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Dispatch, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::{FieldId, FileOrigin, MethodId};
use crate::infer::{Owner, owner_body};
use crate::item_tree::Modifiers;
use crate::item_tree::items::{class_head, method_item};
use crate::kernel::{DeviceSemantics, KernelContext, Term};

/// What a method does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Written by what may still run when the method returns.
    pub starts: Vec<Access>,
    /// Written before it returns.
    pub writes: Vec<Access>,
    /// Read before it may wait.
    pub reads: Vec<Access>,
    /// It may wait, for what is not known.
    pub waits: bool,
}

/// Fields or elements of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    object: Object,
    steps: Vec<AccessStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    This,
    Argument(usize),
    Static(FieldId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum AccessStep {
    Field(FieldId),
    Elements(Vec<AccessIndex>),
    Whole,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum AccessIndex {
    Elements(BTreeSet<i64>),
    Front {
        is_whole: bool,
    },
    All,
    /// The value of an argument.
    Argument(usize),
}

/// Whether it is known which code a call runs.
pub(super) fn is_known_code(db: &dyn Db, method: MethodId, dispatch: Dispatch) -> bool {
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

/// What a method does to its arguments. One that calls itself may wait for anything.
#[salsa::tracked(cycle_result = unknown)]
pub(super) fn effects(db: &dyn Db, method: MethodId) -> Arc<Effects> {
    let result = owner_body(db, Owner::Method(method));
    let body = &result.body;
    let Some(root) = body.root else {
        // The automatic constructor of a class does nothing.
        let is_automatic = method_item(db, method).is_some_and(|it| it.kind.is_constructor());
        return Arc::new(Effects { waits: !is_automatic, ..Effects::default() });
    };
    let semantics = DeviceSemantics::new(db);
    let parents = Parents::of(body);
    let context = KernelContext::new(&semantics, body, &parents, root);
    let mut search = Search::new(&context, method.class(db).file(db));
    let starts = search.pending(root);
    Arc::new(search.summary(root, &starts))
}

fn unknown(_db: &dyn Db, _id: salsa::Id, _method: MethodId) -> Arc<Effects> {
    Arc::new(Effects { waits: true, ..Effects::default() })
}

impl Search<'_> {
    fn summary(&self, root: StmtId, starts: &[Start]) -> Effects {
        let paths = self.paths(root);
        let mut effects = Effects::default();
        for start in starts {
            effects.starts.extend(self.writes(*start, root).iter().filter_map(|it| self.access(it)));
        }
        self.body.walk(Node::Stmt(root), &mut |node| {
            match node {
                Node::Stmt(id) => match self.body.stmt(id).kind {
                    StmtKind::Async { .. } | StmtKind::AtEach { .. } => return false,
                    _ => effects.waits |= self.is_poll(id),
                },
                Node::Expr(id) if matches!(self.body.expr(id).kind, ExprKind::Closure(_)) => return false,
                Node::Expr(id) => {
                    let written =
                        self.written(id, &paths).into_iter().chain(self.written_by_call(id, &paths));
                    let written = written.filter(|it| self.is_changed(it, node, root));
                    effects.writes.extend(written.filter_map(|it| self.access(&it)));
                    if !effects.waits {
                        let reads = self.reads(node, false, &paths);
                        effects.reads.extend(reads.iter().filter_map(|it| self.access(it)));
                    }
                }
            }
            effects.waits |= self.waits(node, self.is_in_kernel(node));
            true
        });
        effects
    }

    /// A path as others see it, if it starts with an argument.
    fn access(&self, path: &Path) -> Option<Access> {
        let parameter = |local: LocalId| {
            let is_kept = !self.body.local(local).mutable;
            self.body.params.iter().position(|it| *it == local).filter(|_| is_kept)
        };
        let object = match path.root {
            Root::Local(local) => Object::Argument(parameter(local)?),
            Root::This => Object::This,
            Root::Static(field) => Object::Static(field),
        };
        let index = |index: &Index| match index {
            Index::Elements(it) => Some(AccessIndex::Elements(it.clone())),
            Index::Front { is_whole } => Some(AccessIndex::Front { is_whole: *is_whole }),
            Index::All => Some(AccessIndex::All),
            Index::Interval { first, last } if first == last => match (first.constant, &first.terms[..]) {
                (0, [(Term::Local(local), 1)]) => Some(AccessIndex::Argument(parameter(*local)?)),
                _ => None,
            },
            Index::Interval { first, .. } if first.as_constant() == Some(0) => {
                Some(AccessIndex::Front { is_whole: false })
            }
            _ => None,
        };
        let step = |step: &Step| match step {
            Step::Field(field) => Some(AccessStep::Field(*field)),
            Step::Elements(indices) => {
                Some(AccessStep::Elements(indices.iter().map(index).collect::<Option<_>>()?))
            }
            Step::Whole => Some(AccessStep::Whole),
        };
        let steps = path.steps.iter().map(step).collect::<Option<_>>()?;
        Some(Access { object, steps })
    }
}

impl Access {
    /// The path of the caller.
    pub fn path(&self, paths: &Paths, call: ExprId) -> Option<Path> {
        let ExprKind::Call { receiver, args, .. } = &paths.body.expr(call).kind else { return None };
        let index = |index: &AccessIndex| match index {
            AccessIndex::Elements(it) => Index::Elements(it.clone()),
            AccessIndex::Front { is_whole } => Index::Front { is_whole: *is_whole },
            AccessIndex::All => Index::All,
            AccessIndex::Argument(position) => {
                args.get(*position).map_or(Index::Unknown, |it| paths.index(*it, false))
            }
        };
        let step = |step: &AccessStep| match step {
            AccessStep::Field(field) => Step::Field(*field),
            AccessStep::Elements(indices) => Step::Elements(indices.iter().map(index).collect()),
            AccessStep::Whole => Step::Whole,
        };
        let steps: Vec<Step> = self.steps.iter().map(step).collect();
        match self.object {
            Object::Argument(position) => paths.path(*args.get(position)?, steps),
            Object::This => paths.path((*receiver)?, steps),
            Object::Static(field) => Some(Path {
                root: Root::Static(field),
                name: field.name(paths.db).as_str().into(),
                steps,
                is_global: false,
            }),
        }
    }
}
