//! Loops in two versions: before an innermost counted loop it is tested whether every element of a rail or array that the loop
//! reads or writes at its index, give or take something that stays the same, exists. If so a version without those tests runs,
//! which the C++ compiler can vectorise; else the plain one, which raises its exception where it should.
//!
//! Arrays of the class library take part by three methods: `covers`, given the least and greatest index of each axis, says
//! whether all between are valid; `uncheckedGet` and `uncheckedSet` do what `a(i)` and `a(i) = v` do, without a test.

use apg_analysis::body::walk::Node;
use apg_analysis::body::{ExprId, ExprKind as Source, Literal, LocalId, StmtId, StmtKind};
use apg_analysis::ids::MethodId;
use apg_analysis::item_tree::items::field_is_mutable;
use apg_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Callee;
use super::function::Builder;
use super::operands::{expr, int, operation};
use crate::mir::{self, ExprKind, Operation};

/// Code larger than this stays single.
const MAX_NODES: usize = 400;
/// More tests than this before a loop would cost more than they save.
const MAX_TESTS: usize = 12;

/// A loop that counts, as the source has it.
pub(super) struct Counting<'a> {
    /// The variables that are the index.
    pub index: &'a [LocalId],
    /// Variables of the loop that do not change while it counts, and their values.
    pub fixed: Vec<(LocalId, mir::Expr)>,
    pub body: StmtId,
    pub low: mir::Expr,
    pub high: mir::Expr,
}

/// What is tested before the loop, and the accesses that need no test then.
pub(super) struct Proof {
    pub condition: mir::Expr,
    pub accesses: FxHashSet<ExprId>,
}

/// An index of an access: what is added to the loop's index, or a value that stays the same.
enum Index {
    Counted(Option<mir::Expr>),
    Fixed(mir::Expr),
}

struct Scan<'a> {
    counting: &'a Counting<'a>,
    /// `val`s of the body, by what they are set to.
    values: FxHashMap<LocalId, ExprId>,
    /// Locals of the body.
    inside: FxHashSet<LocalId>,
}

impl Builder<'_, '_> {
    /// What makes tests in the loop unnecessary; `None` if there is nothing to gain.
    pub(super) fn prove(&mut self, counting: &Counting<'_>) -> Option<Proof> {
        if self.is_device_code() || counting.low.ty != mir::Ty::I64 && counting.low.ty != mir::Ty::I32 {
            return None;
        }
        let (calls, scan) = self.scan(counting)?;
        let mut accesses = FxHashSet::default();
        let mut tests: Vec<(String, mir::Expr)> = Vec::new();
        for id in calls {
            let Some(found) = self.test_of(id, &scan) else { continue };
            accesses.insert(id);
            let key = format!("{found:?}");
            if !tests.iter().any(|(known, _)| *known == key) {
                tests.push((key, found));
            }
        }
        if tests.is_empty() || tests.len() > MAX_TESTS {
            return None;
        }
        let and = |a, b| expr(mir::Ty::Bool, ExprKind::And(Box::new(a), Box::new(b)));
        let condition = tests.into_iter().map(|(_, test)| test).reduce(and)?;
        Some(Proof { condition, accesses })
    }

    /// The calls in the body of an innermost loop without activities and closures, in order.
    fn scan<'a>(&self, counting: &'a Counting<'a>) -> Option<(Vec<ExprId>, Scan<'a>)> {
        let body = &self.source.body;
        let mut scan =
            Scan { counting, values: FxHashMap::default(), inside: counting.index.iter().copied().collect() };
        let mut calls = Vec::new();
        let (mut nodes, mut plain) = (0, true);
        body.walk(Node::Stmt(counting.body), &mut |node| {
            nodes += 1;
            match node {
                Node::Stmt(id) => match &body.stmt(id).kind {
                    StmtKind::Let { local, init } => {
                        scan.inside.insert(*local);
                        if let (Some(init), false) = (init, body.local(*local).mutable) {
                            scan.values.insert(*local, *init);
                        }
                    }
                    StmtKind::Empty
                    | StmtKind::Block(_)
                    | StmtKind::Expr(_)
                    | StmtKind::If { .. }
                    | StmtKind::Labeled { .. }
                    | StmtKind::Switch { .. }
                    | StmtKind::Break(_)
                    | StmtKind::Continue(_)
                    | StmtKind::Return(_)
                    | StmtKind::Throw(_) => {}
                    _ => plain = false,
                },
                Node::Expr(id) => match &body.expr(id).kind {
                    Source::Call { .. } => calls.push(id),
                    Source::Closure(_) | Source::At { .. } | Source::New { .. } | Source::Error => {
                        plain &= matches!(body.expr(id).kind, Source::New { .. });
                    }
                    _ => {}
                },
            }
            plain
        });
        (plain && nodes <= MAX_NODES).then_some((calls, scan))
    }

    /// The test that makes the one of this access unnecessary.
    fn test_of(&mut self, id: ExprId, scan: &Scan<'_>) -> Option<mir::Expr> {
        let body = self.source.body.clone();
        let Source::Call { method, receiver: Some(receiver), args, .. } = &body.expr(id).kind else {
            return None;
        };
        let sets = match method.name(self.lowerer.db).as_str() {
            "operator()" => false,
            "operator()=" => true,
            _ => return None,
        };
        let indices = if sets { self.index_arguments(*method, args)? } else { args.as_slice() };
        let ty = self.type_of(*receiver);
        let is_rail = ty.rail_element(self.lowerer.db).is_some();
        let covers = if is_rail { None } else { Some(self.array_methods(ty, indices.len())?) };
        let object = self.fixed(*receiver, scan, 0)?;
        let mut limits = Vec::new();
        let mut counted = false;
        for index in indices {
            let (least, greatest) = match self.index_of(*index, scan)? {
                Index::Fixed(value) => (value.clone(), value),
                Index::Counted(offset) => {
                    counted = true;
                    let at = |end: &mir::Expr| moved(end, offset.as_ref());
                    (at(&scan.counting.low), at(&scan.counting.high))
                }
            };
            limits.extend([least, greatest]);
        }
        if !counted {
            return None;
        }
        let null = expr(object.ty, ExprKind::Null);
        let there = operation(Operation::Ne, mir::Ty::Bool, vec![object.clone(), null]);
        let within = match covers {
            Some(covers) => {
                let args = std::iter::once(object).chain(limits).collect();
                let boolean = Ty::boolean(self.lowerer.db);
                let dispatch = apg_analysis::body::Dispatch::Virtual;
                self.call_instance(&covers, dispatch, ty, false, args, boolean, body.expr(id).range)
            }
            None => {
                let [least, greatest] = limits.try_into().ok()?;
                let length = expr(mir::Ty::I64, ExprKind::Length { rail: Box::new(object), checked: false });
                let test = |op, a: &mir::Expr, b: mir::Expr| operation(op, mir::Ty::Bool, vec![a.clone(), b]);
                let and = |a, b| expr(mir::Ty::Bool, ExprKind::And(Box::new(a), Box::new(b)));
                let first = test(Operation::Ge, &least, int(mir::Ty::I64, 0));
                let ordered = test(Operation::Le, &least, greatest.clone());
                and(and(first, ordered), test(Operation::Lt, &greatest, length))
            }
        };
        Some(expr(mir::Ty::Bool, ExprKind::And(Box::new(there), Box::new(within))))
    }

    /// The arguments of a setter without the value, which is the last formal.
    fn index_arguments<'a>(&self, method: MethodId, args: &'a [ExprId]) -> Option<&'a [ExprId]> {
        let formals = self.lowerer.param_types(method).len();
        (formals == args.len()).then(|| args.split_last().map(|(_, rest)| rest)).flatten()
    }

    /// `covers` of an array that is indexed by so many numbers.
    fn array_methods(&mut self, ty: Ty, rank: usize) -> Option<Callee> {
        let long = Ty::long(self.lowerer.db);
        self.lowerer.method_with("uncheckedGet", ty, &vec![long; rank])?;
        self.lowerer.method_with("covers", ty, &vec![long; 2 * rank])
    }

    /// `uncheckedGet` or `uncheckedSet` in place of an operator of an array.
    pub(super) fn unchecked(&mut self, callee: &Callee, ty: Ty) -> Option<Callee> {
        let sets = callee.method.name(self.lowerer.db) == "operator()=";
        let (params, _) = self.lowerer.concrete_signature(callee);
        self.lowerer.method_with(if sets { "uncheckedSet" } else { "uncheckedGet" }, ty, &params)
    }

    fn index_of(&mut self, id: ExprId, scan: &Scan<'_>) -> Option<Index> {
        let body = self.source.body.clone();
        match &body.expr(id).kind {
            Source::Local(local) if scan.counting.index.contains(local) => {
                (scan.counting.low.ty == mir::Ty::I64).then_some(Index::Counted(None))
            }
            Source::Local(local) if scan.values.contains_key(local) => {
                self.index_of(scan.values[local], scan)
            }
            Source::Coerce { value } => self.index_of(*value, scan),
            Source::Call { receiver, args, method, .. } => {
                let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
                let name = self.lowerer.intrinsic(*method);
                match (name.as_deref(), operands.as_slice()) {
                    // An Int index becomes a Long.
                    (Some("op.convert"), [value]) if self.is_int_index(*value, scan) => {
                        Some(Index::Counted(None))
                    }
                    (Some("op.add"), [a, b]) if self.is_long(id) => {
                        match (self.index_of(*a, scan)?, self.index_of(*b, scan)?) {
                            (Index::Fixed(x), Index::Fixed(y)) => Some(Index::Fixed(sum(x, y))),
                            (Index::Counted(x), Index::Fixed(y)) | (Index::Fixed(y), Index::Counted(x)) => {
                                Some(Index::Counted(Some(x.map_or(y.clone(), |x| sum(x, y)))))
                            }
                            _ => None,
                        }
                    }
                    (Some("op.sub"), [a, b]) if self.is_long(id) => {
                        let Index::Fixed(y) = self.index_of(*b, scan)? else { return None };
                        let minus = operation(Operation::Neg, mir::Ty::I64, vec![y]);
                        match self.index_of(*a, scan)? {
                            Index::Fixed(x) => Some(Index::Fixed(sum(x, minus))),
                            Index::Counted(x) => {
                                Some(Index::Counted(Some(x.map_or(minus.clone(), |x| sum(x, minus)))))
                            }
                        }
                    }
                    (Some("op.mul"), [a, b]) if self.is_long(id) => {
                        match (self.index_of(*a, scan)?, self.index_of(*b, scan)?) {
                            (Index::Fixed(x), Index::Fixed(y)) => {
                                Some(Index::Fixed(operation(Operation::Mul, mir::Ty::I64, vec![x, y])))
                            }
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => {
                let value = self.fixed(id, scan, 0)?;
                (value.ty == mir::Ty::I64).then_some(Index::Fixed(value))
            }
        }
    }

    fn is_long(&mut self, id: ExprId) -> bool {
        self.type_of(id) == Ty::long(self.lowerer.db)
    }

    fn is_int_index(&mut self, id: ExprId, scan: &Scan<'_>) -> bool {
        let is_index =
            matches!(&self.source.body.expr(id).kind, Source::Local(it) if scan.counting.index.contains(it));
        is_index && scan.counting.low.ty == mir::Ty::I32
    }

    /// A value that is the same all the loop long, and can be computed before it: a `val` from outside, or a `val` field of one.
    fn fixed(&mut self, id: ExprId, scan: &Scan<'_>, depth: u32) -> Option<mir::Expr> {
        if depth > 8 {
            return None;
        }
        let body = self.source.body.clone();
        match &body.expr(id).kind {
            Source::Literal(Literal::Int(value)) if self.is_long(id) => Some(int(mir::Ty::I64, *value)),
            Source::Coerce { value } => self.fixed(*value, scan, depth + 1),
            Source::This => Some(self.this_value(id)),
            Source::Local(local) => {
                if let Some((_, value)) = scan.counting.fixed.iter().find(|(it, _)| it == local) {
                    return Some(value.clone());
                }
                if let Some(value) = scan.values.get(local) {
                    return self.fixed(*value, scan, depth + 1);
                }
                if body.local(*local).mutable || scan.inside.contains(local) {
                    return None;
                }
                self.read_variable(*local)
            }
            // Of `this` alone: an object that may be null must not be looked into before its time.
            Source::Field { object, field } if matches!(body.expr(*object).kind, Source::This) => {
                (!field_is_mutable(self.lowerer.db, *field)).then(|| self.value(id))
            }
            _ => None,
        }
    }
}

fn sum(a: mir::Expr, b: mir::Expr) -> mir::Expr {
    operation(Operation::Add, mir::Ty::I64, vec![a, b])
}

/// An end of the loop's range as a Long, and an offset.
fn moved(end: &mir::Expr, offset: Option<&mir::Expr>) -> mir::Expr {
    let end = match end.ty {
        mir::Ty::I64 => end.clone(),
        _ => operation(Operation::Convert, mir::Ty::I64, vec![end.clone()]),
    };
    match offset {
        None => end,
        Some(offset) => sum(end, offset.clone()),
    }
}
