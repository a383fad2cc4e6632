//! Fields and elements as they are written: `x.f`, `x(i).f`, `g()(j)`, and whether two of them are the same one.

use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, Iteration, Literal, LocalId, LocalKind, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::FieldId;
use crate::ty::known::Known;

/// A field or elements of what a local refers to.
pub(super) struct Path {
    pub(super) root: LocalId,
    steps: Vec<Step>,
    /// What is changed through it at another place is the same object, not a copy.
    pub(super) is_global: bool,
}

enum Step {
    Field(FieldId),
    /// The elements with these indices; none of a cell or reference.
    Elements(Vec<Index>),
}

/// The values of an index, all of them if the code runs often.
#[derive(Clone, Copy, Debug)]
enum Index {
    /// The value of an expression.
    One(ExprId),
    /// From a number to a number.
    Range {
        first: i64,
        last: i64,
    },
    /// From a number to the value of an expression.
    From {
        first: i64,
        last: ExprId,
    },
    /// Those of all elements.
    All,
    Unknown,
}

/// Makes paths of the expressions in one statement: variables of loops in it have all their values.
pub(super) struct Paths<'a> {
    pub(super) db: &'a dyn Db,
    pub(super) body: &'a Body,
    pub(super) stmt: StmtId,
}

impl Paths<'_> {
    /// `object.field`
    pub(super) fn field(&self, object: ExprId, field: FieldId) -> Option<Path> {
        self.path(object, Step::Field(field))
    }

    /// `object(indices)`
    pub(super) fn elements(&self, object: ExprId, indices: &[ExprId]) -> Option<Path> {
        self.path(object, self.at(indices))
    }

    /// All elements of a rail.
    pub(super) fn all(&self, rail: ExprId) -> Option<Path> {
        self.path(rail, Step::Elements(vec![Index::All]))
    }

    /// `count` elements of `rail` from the index `at` on.
    pub(super) fn copied(&self, rail: ExprId, at: ExprId, count: ExprId) -> Option<Path> {
        let index = match (self.number(at), self.number(count)) {
            (Some(first), Some(count)) => {
                Index::Range { first, last: first.saturating_add(count).saturating_sub(1) }
            }
            // A whole rail, or the front of it.
            (Some(0), None) => Index::All,
            (_, Some(1)) => self.index(at),
            _ => Index::Unknown,
        };
        self.path(rail, Step::Elements(vec![index]))
    }

    fn path(&self, mut object: ExprId, last: Step) -> Option<Path> {
        let mut path = Path { root: LocalId(0), steps: vec![last], is_global: false };
        loop {
            object = self.settled(object);
            let ty = self.body.expr(object).ty;
            path.is_global |=
                ty.is_known(self.db, Known::GlobalRef) || ty.global_rail_element(self.db).is_some();
            object = match &self.body.expr(object).kind {
                ExprKind::Field { object, field } => {
                    path.steps.push(Step::Field(*field));
                    *object
                }
                ExprKind::Call { receiver: Some(receiver), method, args, .. }
                    if method.name(self.db) == "operator()" =>
                {
                    path.steps.push(self.at(args));
                    *receiver
                }
                ExprKind::Local(local) => {
                    path.root = *local;
                    // Each place has an object of its own.
                    return (!ty.is_known(self.db, Known::PlaceLocalHandle)).then_some(path);
                }
                _ => return None,
            };
        }
    }

    /// An expression without conversions that do nothing, and in place of a variable that desugaring made (`x().f += 1` names `x()` once) its value.
    fn settled(&self, mut id: ExprId) -> ExprId {
        loop {
            id = match &self.body.expr(id).kind {
                ExprKind::Coerce { value } => *value,
                ExprKind::Local(local) if self.body.local(*local).kind == LocalKind::Temporary => {
                    let init = self.body.stmts.iter().find_map(|it| match it.kind {
                        StmtKind::Let { local: it, init } if it == *local => init,
                        _ => None,
                    });
                    match init {
                        Some(init) => init,
                        None => return id,
                    }
                }
                _ => return id,
            };
        }
    }

    fn number(&self, id: ExprId) -> Option<i64> {
        match self.body.expr(self.settled(id)).kind {
            ExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        }
    }

    fn at(&self, indices: &[ExprId]) -> Step {
        Step::Elements(indices.iter().map(|it| self.index(*it)).collect())
    }

    fn index(&self, id: ExprId) -> Index {
        let id = self.settled(id);
        if let Some(value) = self.number(id) {
            return Index::Range { first: value, last: value };
        }
        if let ExprKind::Local(local) = self.body.expr(id).kind
            && self.is_inner(local)
        {
            return self.values(local);
        }
        match self.uses_inner(id) {
            true => Index::Unknown,
            false => Index::One(id),
        }
    }

    fn is_inner(&self, local: LocalId) -> bool {
        self.body.stmt(self.stmt).range.contains_range(self.body.local(local).range)
    }

    fn uses_inner(&self, id: ExprId) -> bool {
        let mut found = false;
        self.body.walk(Node::Expr(id), &mut |node| {
            found |= matches!(node, Node::Expr(id) if matches!(self.body.expr(id).kind, ExprKind::Local(it) if self.is_inner(it)));
            !found
        });
        found
    }

    /// The values of a variable of the statement.
    fn values(&self, variable: LocalId) -> Index {
        let range = self.body.stmts.iter().find_map(|it| match &it.kind {
            StmtKind::ForIn {
                local,
                iterable,
                iteration: Iteration::IntRange | Iteration::LongRange,
                ..
            } if *local == variable => Some(self.settled(*iterable)),
            _ => None,
        });
        let Some(ExprKind::Call { receiver, method, args, .. }) = range.map(|it| &self.body.expr(it).kind)
        else {
            return Index::Unknown;
        };
        let ends: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        match (method.name(self.db).as_str(), &ends[..]) {
            ("range", [_]) => Index::All,
            ("operator..", [first, last]) => match self.number(*first) {
                None => Index::Unknown,
                Some(first) => match self.number(*last) {
                    Some(last) => Index::Range { first, last },
                    None => Index::From { first, last: *last },
                },
            },
            _ => Index::Unknown,
        }
    }

    /// Whether two are surely the same field, or have an element in common.
    pub(super) fn overlap(&self, a: &Path, b: &Path) -> bool {
        let steps = || a.steps.iter().zip(&b.steps);
        a.root == b.root
            && a.steps.len() == b.steps.len()
            && steps().all(|pair| match pair {
                (Step::Field(a), Step::Field(b)) => a == b,
                (Step::Elements(a), Step::Elements(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.meet(*a, *b))
                }
                _ => false,
            })
    }

    fn meet(&self, a: Index, b: Index) -> bool {
        match (a, b) {
            (Index::One(a), Index::One(b)) => self.same(a, b),
            (Index::All, _) | (_, Index::All) => true,
            (Index::Range { first: a, last: end }, Index::Range { first: b, last }) => a <= last && b <= end,
            (Index::From { first, .. }, Index::Range { last, .. })
            | (Index::Range { last, .. }, Index::From { first, .. }) => first <= last,
            (Index::From { .. }, Index::From { .. }) => true,
            (Index::From { first: 0, last }, Index::One(it))
            | (Index::One(it), Index::From { first: 0, last }) => {
                self.same(last, it) || self.is_apart(it, last)
            }
            (Index::From { first: 0, .. }, Index::Unknown)
            | (Index::Unknown, Index::From { first: 0, .. }) => true,
            _ => false,
        }
    }

    /// Whether a value is a variable that the end of a range is not computed from: nobody goes up to just before it.
    fn is_apart(&self, value: ExprId, end: ExprId) -> bool {
        let ExprKind::Local(local) = self.body.expr(value).kind else { return false };
        let mut uses = false;
        self.body.walk(Node::Expr(end), &mut |node| {
            uses |= matches!(node, Node::Expr(id) if matches!(self.body.expr(id).kind, ExprKind::Local(it) if it == local));
            !uses
        });
        !uses
    }

    /// Whether two expressions, which no assignment is between, have the same value.
    fn same(&self, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (self.settled(a), self.settled(b));
        let all = |a: &[ExprId], b: &[ExprId]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(*a, *b))
        };
        match (&self.body.expr(a).kind, &self.body.expr(b).kind) {
            (ExprKind::Literal(a), ExprKind::Literal(b)) => a == b,
            (ExprKind::Local(a), ExprKind::Local(b)) => a == b && !self.body.local(*a).mutable,
            (ExprKind::Field { object: a, field: f }, ExprKind::Field { object: b, field: g }) => {
                f == g && self.same(*a, *b)
            }
            (
                ExprKind::Call { receiver: a, method: f, args: of_a, .. },
                ExprKind::Call { receiver: b, method: g, args: of_b, .. },
            ) => f == g && all(a.as_slice(), b.as_slice()) && all(of_a, of_b),
            _ => false,
        }
    }
}
