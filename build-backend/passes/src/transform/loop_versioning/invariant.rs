//! Loop-invariant expressions that can be computed before the loop.

use apg_mir::*;

use super::expressions::{expr, length, not_null, operation};
use super::state::{Invariant, Known, Scan};

/// Depth of the deepest expression that is analysed.
const MAX_DEPTH: u32 = 12;

impl Invariant {
    fn new(value: Expr) -> Invariant {
        Invariant { value, guards: Vec::new() }
    }

    /// An operation on a reference that must not be null.
    fn dereference(mut self, build: impl FnOnce(Expr) -> Expr) -> Invariant {
        self.guards.push(not_null(&self.value));
        Invariant { value: build(self.value), guards: self.guards }
    }
}

impl Scan<'_> {
    /// An expression over variables that the loop does not assign and fields that are never assigned.
    pub(super) fn invariant(&self, value: &Expr) -> Option<Invariant> {
        self.invariant_within(value, MAX_DEPTH)
    }

    fn invariant_within(&self, value: &Expr, depth: u32) -> Option<Invariant> {
        let depth = depth.checked_sub(1)?;
        let ty = value.ty;
        match &value.kind {
            ExprKind::Int(_) | ExprKind::String(_) | ExprKind::Null => {
                Some(Invariant::new(expr(ty, value.kind.clone())))
            }
            ExprKind::Local(local) => match self.state.get(local) {
                Some(Known::Value(value)) => Some(value.clone()),
                Some(_) => None,
                None if self.facts.assigned.contains(local) => None,
                None => Some(Invariant::new(expr(ty, ExprKind::Local(*local)))),
            },
            ExprKind::NonNull(object) => Some(self.invariant_within(object, depth)?.dereference(|it| it)),
            ExprKind::Cast { value: object, target, checked: false } if self.is_upcast(object.ty, ty) => {
                let Invariant { value, guards } = self.invariant_within(object, depth)?;
                let kind = ExprKind::Cast { value: Box::new(value), target: *target, checked: false };
                Some(Invariant { value: expr(ty, kind), guards })
            }
            ExprKind::Field { object, class, field, checked } if self.is_immutable(*class, *field) => {
                // Code that omits the check for a variable knows that it holds an object: `this`.
                let is_present = !checked && matches!(object.kind, ExprKind::Local(_));
                let object = self.invariant_within(object, depth)?;
                let load = |object| {
                    let (object, class, field) = (Box::new(object), *class, *field);
                    expr(ty, ExprKind::Field { object, class, field, checked: false })
                };
                Some(match is_present {
                    true => Invariant { value: load(object.value), guards: object.guards },
                    false => object.dereference(load),
                })
            }
            ExprKind::StructField { value, field } => {
                let Invariant { value, guards } = self.invariant_within(value, depth)?;
                let kind = ExprKind::StructField { value: Box::new(value), field: *field };
                Some(Invariant { value: expr(ty, kind), guards })
            }
            ExprKind::Length { rail, .. } if matches!(rail.ty, Ty::Ref(_)) => {
                Some(self.invariant_within(rail, depth)?.dereference(length))
            }
            ExprKind::Runtime { entry, args } if entry == entries::STRING_LENGTH => {
                let text = self.invariant_within(args.first()?, depth)?;
                let call = |text| ExprKind::Runtime { entry: entry.clone(), args: vec![text] };
                Some(text.dereference(|text| expr(ty, call(text))))
            }
            ExprKind::Operation { operation: op, args } if is_total(*op, args, ty) => {
                let (values, guards) = self.invariants(args.iter(), depth)?;
                Some(Invariant { value: operation(*op, ty, values), guards })
            }
            ExprKind::Call { function, args }
                if matches!(self.program.functions[function.index()].role, FunctionRole::Property) =>
            {
                let (args, guards) = self.invariants(args.iter(), depth)?;
                Some(Invariant { value: expr(ty, ExprKind::Call { function: *function, args }), guards })
            }
            // The guards of the second operand are required even where only the first one is evaluated.
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let (values, guards) = self.invariants([&**a, &**b].into_iter(), depth)?;
                let [a, b] = values.try_into().ok()?;
                let (a, b) = (Box::new(a), Box::new(b));
                let is_and = matches!(value.kind, ExprKind::And(..));
                let kind = if is_and { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
                Some(Invariant { value: expr(ty, kind), guards })
            }
            _ => None,
        }
    }

    fn invariants<'e>(
        &self,
        operands: impl Iterator<Item = &'e Expr>,
        depth: u32,
    ) -> Option<(Vec<Expr>, Vec<Expr>)> {
        let (mut values, mut guards) = (Vec::new(), Vec::new());
        for operand in operands {
            let it = self.invariant_within(operand, depth)?;
            guards.extend(it.guards);
            values.push(it.value);
        }
        Some((values, guards))
    }

    /// Whether a field keeps the value that its constructor gave it.
    fn is_immutable(&self, class: ClassId, field: u32) -> bool {
        let field = self.program.classes[class.index()].field_attributes(field);
        field.immutable && !field.volatile
    }

    /// Whether all objects of one static type are of the other.
    fn is_upcast(&self, from: Ty, to: Ty) -> bool {
        match (from, to) {
            (Ty::Ref(from), Ty::Ref(to)) => {
                let superclass = |it: &ClassId| self.program.classes[it.index()].superclass;
                std::iter::successors(Some(from), superclass).any(|it| it == to)
            }
            (_, Ty::Any) => true,
            _ => false,
        }
    }
}

/// Whether an operation on integers, Booleans or the identity of references has a result for all operands.
fn is_total(op: Operation, args: &[Expr], ty: Ty) -> bool {
    let is_integer = |ty| matches!(ty, Ty::I64 | Ty::I32);
    let of_integers = args.iter().all(|it| is_integer(it.ty));
    match op {
        Operation::Eq | Operation::Ne => {
            args.iter().all(|it| is_integer(it.ty) || matches!(it.ty, Ty::Bool | Ty::Ref(_) | Ty::Any))
        }
        Operation::Lt | Operation::Le | Operation::Gt | Operation::Ge => of_integers,
        Operation::Not => true,
        Operation::Add
        | Operation::Sub
        | Operation::Mul
        | Operation::Neg
        | Operation::And
        | Operation::Or
        | Operation::Xor
        | Operation::Shl
        | Operation::Shr
        | Operation::BitNot
        | Operation::Min
        | Operation::Max
        | Operation::Convert => is_integer(ty) && of_integers,
        Operation::Div | Operation::Rem => {
            let divides = |it: &Expr| matches!(it.kind, ExprKind::Int(value) if value != 0);
            is_integer(ty) && of_integers && args.get(1).is_some_and(divides)
        }
        _ => false,
    }
}
