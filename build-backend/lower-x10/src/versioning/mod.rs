//! Loop versioning for bounds-check elimination (Midkiff, Moreira and Snir, *Optimizing array reference
//! checking in Java programs*, 1998).
//!
//! Guards before a counted loop test that all accesses at affine indices are in bounds. If they hold, an
//! unchecked version runs, which the C++ compiler can vectorise; else the checked version, which raises its
//! exception at the right iteration. Guards cover loop nests ([`nest`]): the unchecked version of a nest has
//! no branches. In the checked version of a nest only innermost loops are versioned again.
//!
//! Arrays of the class library take part by three methods: `covers` tests the ranges of all axes at once, and
//! `uncheckedGet` and `uncheckedSet` access elements without a check. Characters of strings are treated as
//! elements of rails.

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
use nest::LoopScan;

pub(crate) use nest::SteppedVariable;

/// Packages of classes with these methods. All of these classes are final.
const ARRAY_PACKAGES: [&str; 2] = ["x10.array.", "x10.regionarray."];
/// Number of guards above which a version costs more than it saves.
const MAX_GUARDS: usize = 36;

/// An induction variable of a counted loop, with its range.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The variables that hold its value.
    pub locals: Vec<LocalId>,
    /// Smallest and largest value, as Longs.
    pub low: mir::Expr,
    pub high: mir::Expr,
    /// Conditions under which the range is right.
    pub tests: Vec<mir::Expr>,
}

/// A counted loop of the source.
pub(crate) struct CountedLoop {
    pub axes: Vec<Axis>,
    /// Variables of the loop that are invariant, and their values.
    pub fixed: Vec<(LocalId, mir::Expr)>,
    pub body: StmtId,
    /// Expressions that run in each iteration when the variable may be past its end.
    pub between: Vec<ExprId>,
    /// Set if the first axis is a stepped variable, which has its first value already.
    pub stepped: Option<SteppedVariable>,
    /// The point whose last coordinates are the axes.
    pub point: Option<CountedPoint>,
    pub axes_of_point: usize,
}

/// The guard of an unchecked version, and the accesses that it covers.
pub(crate) struct LoopVersion {
    pub condition: mir::Expr,
    pub accesses: FxHashSet<ExprId>,
    /// Rails in rails that are loaded before the loop, and the locals that hold them.
    pub hoisted: Vec<(ExprId, mir::LocalId)>,
    /// The loop contains loops.
    pub nest: bool,
}

/// A loop-invariant value, and guards that must hold before it can be computed.
struct Invariant {
    value: mir::Expr,
    guards: Vec<mir::Expr>,
}

impl Builder<'_, '_> {
    /// Finds the guard and the covered accesses of a loop; `None` if no access is covered.
    pub(crate) fn version_loop(&mut self, counted: CountedLoop) -> Option<LoopVersion> {
        if self.is_device_code() {
            return None;
        }
        let (calls, mut scan) = self.scan(counted)?;
        if self.innermost_only && scan.nest {
            return None;
        }
        if let Some(steps) = scan.counted.stepped.take() {
            let first = self.read_variable(steps.local)?;
            // Variables shared with activities may change at any time.
            if !matches!(first.kind, ExprKind::Local(_)) {
                return None;
            }
            let axis = self.stepped_axis(&steps, (first.clone(), first), &scan)?;
            scan.counted.axes.push(axis);
        }
        self.count_inside(&mut scan);
        scan.calm = !scan.nest && self.is_calm(&scan);
        let mut accesses = FxHashSet::default();
        let mut tests: Vec<mir::Expr> = Vec::new();
        for id in calls {
            if self.proved.contains(&id) {
                continue;
            }
            let hoisted = scan.hoisted.len();
            let Some(found) = self.guards_of(id, &mut scan) else {
                // No guard covers their existence.
                scan.hoisted.truncate(hoisted);
                continue;
            };
            accesses.insert(id);
            for test in found {
                if !tests.contains(&test) {
                    tests.push(test);
                }
            }
        }
        if tests.is_empty() || tests.len() > MAX_GUARDS {
            return None;
        }
        let condition = tests.into_iter().reduce(and)?;
        Some(LoopVersion { condition, accesses, hoisted: scan.hoisted, nest: scan.nest })
    }

    /// The guards that together cover an access. Each may rely on those before it.
    fn guards_of(&mut self, id: ExprId, scan: &mut LoopScan) -> Option<Vec<mir::Expr>> {
        let body = self.source.body.clone();
        let Source::Call { method, receiver: Some(receiver), args, .. } = &body.expr(id).kind else {
            return None;
        };
        let ty = self.type_of(*receiver);
        let is_string_type = self.is_string_type(ty);
        let sets = match method.name(self.lowerer.db).as_str() {
            "operator()" => false,
            "charAt" if is_string_type => false,
            "operator()=" => true,
            _ => return None,
        };
        let indices = if sets { self.index_arguments(*method, args)? } else { args.as_slice() };
        let is_rail = ty.rail_element(self.lowerer.db).is_some();
        let at_point = match indices {
            [point] => self.counted_rank(*receiver, *point, &scan.counted).map(|rank| (*point, rank)),
            _ => None,
        };
        let rank = at_point.map_or(indices.len(), |it| it.1);
        let covers = if is_rail || is_string_type { None } else { Some(self.array_methods(ty, rank)?) };
        let (object, mut tests, hoisted) = match self.hoist(*receiver, scan) {
            Some(local) => (self.local(local), Vec::new(), true),
            None => {
                let Invariant { value, guards } = self.invariant(*receiver, scan, 0)?;
                (value, guards, false)
            }
        };
        tests.push(not_null(&object));
        let mut limits = Vec::new();
        let mut counted = false;
        let indices: Vec<Linear> = match at_point {
            Some((point, rank)) => self.coordinates(*receiver, point, rank, scan)?,
            None if is_string_type => {
                indices.iter().map(|it| self.converted(*it, scan, 0)).collect::<Option<_>>()?
            }
            None => indices.iter().map(|it| self.linear(*it, scan, 0)).collect::<Option<_>>()?,
        };
        for index in indices {
            counted |= !index.terms.is_empty();
            let (least, greatest) = index.interval(scan, &mut tests)?;
            limits.extend([least, greatest]);
        }
        // An access at an invariant index is checked only once, unless its rail is an element of a rail.
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
                let length = match is_string_type {
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

    /// The index arguments of a setter: all but the value, which is the last parameter.
    fn index_arguments<'a>(&self, method: MethodId, args: &'a [ExprId]) -> Option<&'a [ExprId]> {
        let formals = self.lowerer.param_types(method).len();
        (formals == args.len()).then(|| args.split_last().map(|(_, rest)| rest)).flatten()
    }

    /// Method `covers` of an array class of the library with indices of this rank. Methods of that name in
    /// the program's own classes are unrelated.
    fn array_methods(&mut self, ty: Ty, rank: usize) -> Option<Callee> {
        let (class, _) = ty.as_class(self.lowerer.db)?;
        let name = qualified_name(self.lowerer.db, class);
        if !ARRAY_PACKAGES.iter().any(|known| name.starts_with(known)) {
            return None;
        }
        let long = Ty::long(self.lowerer.db);
        self.lowerer.method_with("uncheckedGet", ty, &vec![long; rank])?;
        self.lowerer.method_with("covers", ty, &vec![long; 2 * rank])
    }

    /// `uncheckedGet` or `uncheckedSet` for an operator of an array.
    pub(crate) fn unchecked(&mut self, callee: &Callee, ty: Ty) -> Option<Callee> {
        let sets = callee.method.name(self.lowerer.db) == "operator()=";
        let (params, _) = self.lowerer.concrete_signature(callee);
        self.lowerer.method_with(if sets { "uncheckedSet" } else { "uncheckedGet" }, ty, &params)
    }

    /// Whether a type is `String`, whose length and characters are immutable.
    pub(crate) fn is_string_type(&self, ty: Ty) -> bool {
        ty == Ty::string(self.lowerer.db)
    }

    fn is_long(&mut self, id: ExprId) -> bool {
        self.type_of(id) == Ty::long(self.lowerer.db)
    }

    /// The machine type of a Long or Int.
    fn number(&mut self, id: ExprId) -> Option<mir::Ty> {
        let ty = self.type_of(id);
        let machine = self.lowerer.machine(ty);
        matches!(machine, mir::Ty::I64 | mir::Ty::I32).then_some(machine)
    }

    /// A loop-invariant value that can be computed before the loop: an unassigned variable from outside, or a
    /// `val` field of one.
    fn invariant(&mut self, id: ExprId, scan: &LoopScan, depth: u32) -> Option<Invariant> {
        if depth > 8 {
            return None;
        }
        let plain = |value| Invariant { value, guards: Vec::new() };
        let body = self.source.body.clone();
        match &body.expr(id).kind {
            Source::Literal(Literal::Int(value)) => Some(plain(int(self.number(id)?, *value))),
            Source::Coerce { value } => self.invariant(*value, scan, depth + 1),
            Source::This => Some(plain(self.this_value(id))),
            Source::StaticField(_) => {
                // A constant. Other static fields are initialised on first use.
                let (made, value) = self.nested(|it| it.value(id));
                (made.is_empty() && matches!(value.kind, ExprKind::Int(_))).then(|| plain(value))
            }
            Source::Local(local) => {
                if let Some((_, value)) = scan.counted.fixed.iter().find(|(it, _)| it == local) {
                    return Some(plain(value.clone()));
                }
                if let Some(value) = scan.values.get(local) {
                    return self.invariant(*value, scan, depth + 1);
                }
                if scan.assigned.contains(local) || scan.declared.contains(local) {
                    return None;
                }
                let value = self.read_variable(*local)?;
                // Variables shared with activities may change at any time.
                let own = !body.local(*local).mutable || matches!(value.kind, ExprKind::Local(_));
                own.then(|| plain(value))
            }
            Source::Field { object, field } if !field_is_mutable(self.lowerer.db, *field) => {
                if matches!(body.expr(*object).kind, Source::This) {
                    return Some(plain(self.value(id)));
                }
                let Invariant { value, mut guards } = self.invariant(*object, scan, depth + 1)?;
                let (owner, ty) = (self.type_of(*object), self.type_of(id));
                if matches!(value.ty, mir::Ty::Ref(_) | mir::Ty::Any) {
                    guards.push(not_null(&value));
                }
                let (made, value) = self.nested(|it| it.field_value(value, owner, *field, ty, false));
                made.is_empty().then_some(Invariant { value, guards })
            }
            Source::Call { .. } if self.known_coordinate(id).is_some() => {
                self.known_coordinate(id).map(plain)
            }
            Source::Call { method, receiver, args, .. } => {
                let op = match self.lowerer.intrinsic(*method)?.as_str() {
                    "rt.string_length" => return self.invariant_length((*receiver)?, scan, depth + 1),
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
                    let it = self.invariant(*operand, scan, depth + 1)?;
                    guards.extend(it.guards);
                    fixed.push(it.value);
                }
                let same = fixed.iter().all(|it| it.ty == ty);
                same.then(|| Invariant { value: operation(op, ty, fixed), guards })
            }
            _ => None,
        }
    }
}

impl Builder<'_, '_> {
    /// The length of an invariant string.
    fn invariant_length(&mut self, text: ExprId, scan: &LoopScan, depth: u32) -> Option<Invariant> {
        let Invariant { value, mut guards } = self.invariant(text, scan, depth)?;
        guards.push(not_null(&value));
        Some(Invariant { value: self.runtime("string_length", vec![value], mir::Ty::I32), guards })
    }
}

impl CountedLoop {
    /// A loop with one axis.
    pub(crate) fn simple(
        locals: Vec<LocalId>,
        low: &mir::Expr,
        high: &mir::Expr,
        body: StmtId,
    ) -> CountedLoop {
        let axis = Axis { locals, low: long(low), high: long(high), tests: Vec::new() };
        CountedLoop { axes: vec![axis], ..CountedLoop::of(body) }
    }

    /// A loop without axes.
    pub(crate) fn of(body: StmtId) -> CountedLoop {
        let (axes, fixed, between) = (Vec::new(), Vec::new(), Vec::new());
        CountedLoop { axes, fixed, body, between, stepped: None, point: None, axes_of_point: 0 }
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
