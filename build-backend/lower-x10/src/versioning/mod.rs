//! Loops in two versions: before a counted loop it is tested whether every element of a rail or array that the loop reads or writes at
//! an index that follows from the counts exists. If so a version without those tests runs, which the C++ compiler can vectorise;
//! else the plain one, which raises its exception where it should. The test covers the loops inside too ([`nest`]), so that the
//! version without tests is a nest without branches; in the plain version of a nest only innermost loops are tested again.
//!
//! Arrays of the class library take part by three methods: `covers`, given the least and greatest index of each axis, says
//! whether all between are valid; `uncheckedGet` and `uncheckedSet` do what `a(i)` and `a(i) = v` do, without a test. Characters of
//! texts, which do not change, are like elements of rails.

mod hoist;
mod linear;
mod nest;

use apg_analysis::program::body::Node;
use apg_analysis::program::body::{ExprId, ExprKind as Source, Literal, LocalId, StmtId};
use apg_analysis::program::items::MethodId;
use apg_analysis::program::items::{field_is_mutable, qualified_name};
use apg_analysis::program::ty::Ty;
use rustc_hash::FxHashSet;

use crate::Callee;
use crate::builder::function::Builder;
use crate::builder::operands::{bool, expr, int, operation};
use crate::construct::counted_points::CountedPoint;
use apg_mir::{self as mir, ExprKind, Operation};
use linear::Linear;
use nest::Scan;

pub(crate) use nest::Steps;

/// Beginnings of the names of classes with such methods; all of them are final.
const ARRAYS: [&str; 2] = ["x10.array.", "x10.regionarray."];
/// More tests than this before a loop would cost more than they save.
const MAX_TESTS: usize = 36;

/// One of the counts of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The variables that are the index.
    pub locals: Vec<LocalId>,
    /// Least and greatest value, as Longs.
    pub low: mir::Expr,
    pub high: mir::Expr,
    /// What has to hold for those to be right.
    pub tests: Vec<mir::Expr>,
}

/// A loop that counts, as the source has it.
pub(crate) struct Counting {
    pub axes: Vec<Axis>,
    /// Variables of the loop that do not change while it counts, and their values.
    pub fixed: Vec<(LocalId, mir::Expr)>,
    pub body: StmtId,
    /// What else runs in each turn, when the count is perhaps beyond its end.
    pub between: Vec<ExprId>,
    /// The first count is that of a variable that steps, and has its first value already.
    pub steps: Option<Steps>,
    /// The point of which the first so many counts are the last coordinates.
    pub point: Option<CountedPoint>,
    pub axes_of_point: usize,
}

/// What is tested before the loop, and the accesses that need no test then.
pub(crate) struct Proof {
    pub condition: mir::Expr,
    pub accesses: FxHashSet<ExprId>,
    /// Rails in rails that the version without tests need not look for, and the locals that hold them.
    pub hoisted: Vec<(ExprId, mir::LocalId)>,
    /// There are loops inside.
    pub nest: bool,
}

/// A value that stays the same, and what has to be tested before it can be computed.
struct Fixed {
    value: mir::Expr,
    guards: Vec<mir::Expr>,
}

impl Builder<'_, '_> {
    /// What makes tests in the loop unnecessary; `None` if there is nothing to gain.
    pub(crate) fn prove(&mut self, counting: Counting) -> Option<Proof> {
        if self.is_device_code() {
            return None;
        }
        let (calls, mut scan) = self.scan(counting)?;
        if self.innermost_only && scan.nest {
            return None;
        }
        if let Some(steps) = scan.counting.steps.take() {
            let first = self.read_variable(steps.local)?;
            // What is shared with activities may change at any time.
            if !matches!(first.kind, ExprKind::Local(_)) {
                return None;
            }
            let axis = self.stepped_axis(&steps, (first.clone(), first), &scan)?;
            scan.counting.axes.push(axis);
        }
        self.count_inside(&mut scan);
        scan.calm = !scan.nest && self.is_calm(&scan);
        let mut accesses = FxHashSet::default();
        let mut tests: Vec<(String, mir::Expr)> = Vec::new();
        for id in calls {
            if self.proved.contains(&id) {
                continue;
            }
            let hoisted = scan.hoisted.len();
            let Some(found) = self.tests_of(id, &mut scan) else {
                // No test says that they are there.
                scan.hoisted.truncate(hoisted);
                continue;
            };
            accesses.insert(id);
            for test in found {
                let key = format!("{test:?}");
                if !tests.iter().any(|(known, _)| *known == key) {
                    tests.push((key, test));
                }
            }
        }
        if tests.is_empty() || tests.len() > MAX_TESTS {
            return None;
        }
        let condition = tests.into_iter().map(|(_, test)| test).reduce(and)?;
        Some(Proof { condition, accesses, hoisted: scan.hoisted, nest: scan.nest })
    }

    /// The tests that together make the one of this access unnecessary, each of use only after those before it.
    fn tests_of(&mut self, id: ExprId, scan: &mut Scan) -> Option<Vec<mir::Expr>> {
        let body = self.source.body.clone();
        let Source::Call { method, receiver: Some(receiver), args, .. } = &body.expr(id).kind else {
            return None;
        };
        let ty = self.type_of(*receiver);
        let is_text = self.is_text(ty);
        let sets = match method.name(self.lowerer.db).as_str() {
            "operator()" => false,
            "charAt" if is_text => false,
            "operator()=" => true,
            _ => return None,
        };
        let indices = if sets { self.index_arguments(*method, args)? } else { args.as_slice() };
        let is_rail = ty.rail_element(self.lowerer.db).is_some();
        let at_point = match indices {
            [point] => self.counted_rank(*receiver, *point, &scan.counting).map(|rank| (*point, rank)),
            _ => None,
        };
        let rank = at_point.map_or(indices.len(), |it| it.1);
        let covers = if is_rail || is_text { None } else { Some(self.array_methods(ty, rank)?) };
        let (object, mut tests, hoisted) = match self.hoist(*receiver, scan) {
            Some(local) => (self.local(local), Vec::new(), true),
            None => {
                let Fixed { value, guards } = self.fixed(*receiver, scan, 0)?;
                (value, guards, false)
            }
        };
        tests.push(not_null(&object));
        let mut limits = Vec::new();
        let mut counted = false;
        let indices: Vec<Linear> = match at_point {
            Some((point, rank)) => self.coordinates(*receiver, point, rank, scan)?,
            None if is_text => {
                indices.iter().map(|it| self.converted(*it, scan, 0)).collect::<Option<_>>()?
            }
            None => indices.iter().map(|it| self.linear(*it, scan, 0)).collect::<Option<_>>()?,
        };
        for index in indices {
            counted |= !index.terms.is_empty();
            let (least, greatest) = index.interval(scan, &mut tests)?;
            limits.extend([least, greatest]);
        }
        // An element that stays the same is tested once by itself, unless it is one of a rail in a rail.
        if !counted && !hoisted {
            return None;
        }
        match covers {
            Some(covers) => {
                let args = std::iter::once(object).chain(limits).collect();
                let boolean = Ty::boolean(self.lowerer.db);
                let dispatch = apg_analysis::program::body::Dispatch::Virtual;
                let range = body.expr(id).range;
                tests.push(self.call_instance(&covers, dispatch, ty, false, args, boolean, range));
            }
            None => {
                let [least, greatest] = limits.try_into().ok()?;
                let length = match is_text {
                    true => long(&self.runtime("string_length", vec![object], mir::Ty::I32)),
                    false => expr(mir::Ty::I64, ExprKind::Length { rail: Box::new(object), checked: false }),
                };
                tests.push(compare(Operation::Ge, &least, int(mir::Ty::I64, 0)));
                tests.push(compare(Operation::Le, &least, greatest.clone()));
                tests.push(compare(Operation::Lt, &greatest, length));
            }
        }
        tests.retain(|test| !matches!(test.kind, ExprKind::Int(1)));
        let never = tests.iter().any(|test| matches!(test.kind, ExprKind::Int(0)));
        (!never).then_some(tests)
    }

    /// The arguments of a setter without the value, which is the last formal.
    fn index_arguments<'a>(&self, method: MethodId, args: &'a [ExprId]) -> Option<&'a [ExprId]> {
        let formals = self.lowerer.param_types(method).len();
        (formals == args.len()).then(|| args.split_last().map(|(_, rest)| rest)).flatten()
    }

    /// `covers` of an array of the class library that is indexed by so many numbers. What a program's own classes mean by that name
    /// is theirs.
    fn array_methods(&mut self, ty: Ty, rank: usize) -> Option<Callee> {
        let (class, _) = ty.as_class(self.lowerer.db)?;
        let name = qualified_name(self.lowerer.db, class);
        if !ARRAYS.iter().any(|known| name.starts_with(known)) {
            return None;
        }
        let long = Ty::long(self.lowerer.db);
        self.lowerer.method_with("uncheckedGet", ty, &vec![long; rank])?;
        self.lowerer.method_with("covers", ty, &vec![long; 2 * rank])
    }

    /// `uncheckedGet` or `uncheckedSet` in place of an operator of an array.
    pub(crate) fn unchecked(&mut self, callee: &Callee, ty: Ty) -> Option<Callee> {
        let sets = callee.method.name(self.lowerer.db) == "operator()=";
        let (params, _) = self.lowerer.concrete_signature(callee);
        self.lowerer.method_with(if sets { "uncheckedSet" } else { "uncheckedGet" }, ty, &params)
    }

    /// A text, whose length and characters stay what they are.
    pub(crate) fn is_text(&self, ty: Ty) -> bool {
        ty == Ty::string(self.lowerer.db)
    }

    fn is_long(&mut self, id: ExprId) -> bool {
        self.type_of(id) == Ty::long(self.lowerer.db)
    }

    /// Long or Int.
    fn number(&mut self, id: ExprId) -> Option<mir::Ty> {
        let ty = self.type_of(id);
        let machine = self.lowerer.machine(ty);
        matches!(machine, mir::Ty::I64 | mir::Ty::I32).then_some(machine)
    }

    /// A value that is the same all the loop long, and can be computed before it: a variable from outside that is not assigned, or a
    /// `val` field of one.
    fn fixed(&mut self, id: ExprId, scan: &Scan, depth: u32) -> Option<Fixed> {
        if depth > 8 {
            return None;
        }
        let plain = |value| Fixed { value, guards: Vec::new() };
        let body = self.source.body.clone();
        match &body.expr(id).kind {
            Source::Literal(Literal::Int(value)) => Some(plain(int(self.number(id)?, *value))),
            Source::Coerce { value } => self.fixed(*value, scan, depth + 1),
            Source::This => Some(plain(self.this_value(id))),
            Source::StaticField(_) => {
                // One that stands for a literal; others are initialised when they are first used.
                let (made, value) = self.nested(|it| it.value(id));
                (made.is_empty() && matches!(value.kind, ExprKind::Int(_))).then(|| plain(value))
            }
            Source::Local(local) => {
                if let Some((_, value)) = scan.counting.fixed.iter().find(|(it, _)| it == local) {
                    return Some(plain(value.clone()));
                }
                if let Some(value) = scan.values.get(local) {
                    return self.fixed(*value, scan, depth + 1);
                }
                if scan.assigned.contains(local) || scan.inside.contains(local) {
                    return None;
                }
                let value = self.read_variable(*local)?;
                // What is shared with activities may change at any time.
                let own = !body.local(*local).mutable || matches!(value.kind, ExprKind::Local(_));
                own.then(|| plain(value))
            }
            Source::Field { object, field } if !field_is_mutable(self.lowerer.db, *field) => {
                if matches!(body.expr(*object).kind, Source::This) {
                    return Some(plain(self.value(id)));
                }
                let Fixed { value, mut guards } = self.fixed(*object, scan, depth + 1)?;
                let (owner, ty) = (self.type_of(*object), self.type_of(id));
                if matches!(value.ty, mir::Ty::Ref(_) | mir::Ty::Any) {
                    guards.push(not_null(&value));
                }
                let (made, value) = self.nested(|it| it.field_value(value, owner, *field, ty, false));
                made.is_empty().then_some(Fixed { value, guards })
            }
            Source::Call { .. } if self.known_coordinate(id).is_some() => {
                self.known_coordinate(id).map(plain)
            }
            Source::Call { method, receiver, args, .. } => {
                let op = match self.lowerer.intrinsic(*method)?.as_str() {
                    "rt.string_length" => return self.fixed_length((*receiver)?, scan, depth + 1),
                    "op.add" => Operation::Add,
                    "op.sub" => Operation::Sub,
                    "op.mul" => Operation::Mul,
                    "op.neg" => Operation::Neg,
                    _ => return None,
                };
                let ty = self.number(id)?;
                let mut fixed = Vec::new();
                let mut guards = Vec::new();
                for operand in receiver.iter().chain(args) {
                    let it = self.fixed(*operand, scan, depth + 1)?;
                    guards.extend(it.guards);
                    fixed.push(it.value);
                }
                let same = fixed.iter().all(|it| it.ty == ty);
                same.then(|| Fixed { value: operation(op, ty, fixed), guards })
            }
            _ => None,
        }
    }
}

impl Builder<'_, '_> {
    /// The length of a text that stays the same.
    fn fixed_length(&mut self, text: ExprId, scan: &Scan, depth: u32) -> Option<Fixed> {
        let Fixed { value, mut guards } = self.fixed(text, scan, depth)?;
        guards.push(not_null(&value));
        Some(Fixed { value: self.runtime("string_length", vec![value], mir::Ty::I32), guards })
    }
}

impl Counting {
    /// One count, of a loop without more to it.
    pub(crate) fn simple(locals: Vec<LocalId>, low: &mir::Expr, high: &mir::Expr, body: StmtId) -> Counting {
        let axis = Axis { locals, low: long(low), high: long(high), tests: Vec::new() };
        Counting { axes: vec![axis], ..Counting::of(body) }
    }

    /// No count yet.
    pub(crate) fn of(body: StmtId) -> Counting {
        let (axes, fixed, between) = (Vec::new(), Vec::new(), Vec::new());
        Counting { axes, fixed, body, between, steps: None, point: None, axes_of_point: 0 }
    }

    fn nodes(&self) -> Vec<Node> {
        let body = Node::Stmt(self.body);
        std::iter::once(body).chain(self.between.iter().copied().map(Node::Expr)).collect()
    }
}

fn not_null(object: &mir::Expr) -> mir::Expr {
    let null = expr(object.ty, ExprKind::Null);
    operation(Operation::Ne, mir::Ty::Bool, vec![object.clone(), null])
}

fn compare(op: Operation, a: &mir::Expr, b: mir::Expr) -> mir::Expr {
    if let (ExprKind::Int(a), ExprKind::Int(b)) = (&a.kind, &b.kind) {
        return bool(match op {
            Operation::Ge => a >= b,
            Operation::Le => a <= b,
            _ => a < b,
        });
    }
    operation(op, mir::Ty::Bool, vec![a.clone(), b])
}

fn and(a: mir::Expr, b: mir::Expr) -> mir::Expr {
    expr(mir::Ty::Bool, ExprKind::And(Box::new(a), Box::new(b)))
}

fn sum(a: mir::Expr, b: mir::Expr) -> mir::Expr {
    operation(Operation::Add, mir::Ty::I64, vec![a, b])
}

/// An integer as a Long.
pub(crate) fn long(value: &mir::Expr) -> mir::Expr {
    match value.ty {
        mir::Ty::I64 => value.clone(),
        _ => operation(Operation::Convert, mir::Ty::I64, vec![value.clone()]),
    }
}
