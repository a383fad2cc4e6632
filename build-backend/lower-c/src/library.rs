//! Functions of the C library (C17 7.12) and of OpenMP that device code may call.

use apg_c_syntax::TextRange;
use apg_mir::gpu::team::MATHEMATICAL_FUNCTIONS;
use apg_mir::{self as mir, AddressSpace, Expr, Operation, Ty};

use crate::body::{Body, binary, operation};
use crate::unsupported::{Lowered, unsupported};

/// Functions on `double` that are operations; those on `float` end in `f`.
const MATHEMATICAL: &[(&str, Operation)] = &[
    ("sqrt", Operation::Sqrt),
    ("cbrt", Operation::Cbrt),
    ("exp", Operation::Exp),
    ("log", Operation::Log),
    ("log10", Operation::Log10),
    ("pow", Operation::Pow),
    ("sin", Operation::Sin),
    ("cos", Operation::Cos),
    ("tan", Operation::Tan),
    ("asin", Operation::Asin),
    ("acos", Operation::Acos),
    ("atan", Operation::Atan),
    ("atan2", Operation::Atan2),
    ("sinh", Operation::Sinh),
    ("cosh", Operation::Cosh),
    ("tanh", Operation::Tanh),
    ("floor", Operation::Floor),
    ("ceil", Operation::Ceil),
    ("fabs", Operation::Abs),
    ("fma", Operation::Fma),
    ("hypot", Operation::Hypot),
    ("expm1", Operation::Expm1),
    ("log1p", Operation::Log1p),
    ("erf", Operation::Erf),
    ("erfc", Operation::Erfc),
];

/// Other functions of the C library, and what its macros make of the classification of numbers.
const OTHERS: [&str; 23] = [
    "abs",
    "labs",
    "llabs",
    "fmin",
    "fminf",
    "fmax",
    "fmaxf",
    "fmod",
    "fmodf",
    "trunc",
    "truncf",
    "round",
    "roundf",
    "isnan",
    "__builtin_isnan",
    "isinf",
    "__builtin_isinf",
    "__builtin_isinf_sign",
    "isfinite",
    "__builtin_isfinite",
    "__builtin_expect",
    "__builtin_signbit",
    "__builtin_isnormal",
];

/// The operation of a mathematical function, and the type of its operands.
fn mathematical(name: &str) -> Option<(Operation, Ty)> {
    let find = |name: &str| MATHEMATICAL.iter().find(|it| it.0 == name).map(|it| it.1);
    let double = find(name).map(|it| (it, Ty::F64));
    double.or_else(|| Some((find(name.strip_suffix('f')?)?, Ty::F32)))
}

/// The types of the operands and the result of a function of the C library that is no operation (C17 7.12),
/// with its name.
fn external(name: &str) -> Option<(&str, Vec<Parameter>, Ty)> {
    use Parameter::{Number, To, Whole};
    let (double, number) = match name.strip_suffix('f') {
        Some(double) if MATHEMATICAL_FUNCTIONS.contains(&double) => (double, Ty::F32),
        _ if MATHEMATICAL_FUNCTIONS.contains(&name) => (name, Ty::F64),
        _ => return None,
    };
    let (parameters, result) = match double {
        "copysign" | "fdim" | "nextafter" | "remainder" => (vec![Number(number), Number(number)], number),
        "ldexp" | "scalbn" => (vec![Number(number), Whole], number),
        "frexp" => (vec![Number(number), To(Ty::I32)], number),
        "modf" => (vec![Number(number), To(number)], number),
        "ilogb" => (vec![Number(number)], Ty::I32),
        "llrint" | "llround" | "lrint" | "lround" => (vec![Number(number)], Ty::I64),
        _ => (vec![Number(number)], number),
    };
    Some((name, parameters, result))
}

/// A parameter of such a function.
#[derive(Clone, Copy, Debug)]
enum Parameter {
    /// A number of this type.
    Number(Ty),
    /// An `int`.
    Whole,
    /// A pointer to an object of this type.
    To(Ty),
}

/// The type that a mathematical function is about.
fn float_of(name: &str) -> Ty {
    if name.ends_with('f') { Ty::F32 } else { Ty::F64 }
}

fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
    Expr::new(then.ty, mir::ExprKind::Select { condition, then, otherwise })
}

/// Whether a function of the C library has a device form.
pub(crate) fn is_mathematical(name: &str) -> bool {
    mathematical(name).is_some() || external(name).is_some() || OTHERS.contains(&name)
}

impl Body<'_, '_> {
    /// Whether device code may call a function that is not defined in the file.
    pub(crate) fn has_library_function(&self, name: &str) -> bool {
        self.has_routine(name) || is_mathematical(name)
    }

    /// A call of a function that is not defined in the file.
    pub(crate) fn library_call(&mut self, name: &str, args: Vec<Expr>, range: TextRange) -> Lowered<Expr> {
        if let Some(value) = self.routine_value(name, &args, range)? {
            return Ok(value);
        }
        if let Some((op, ty)) = mathematical(name)
            && op.arity().contains(&args.len())
        {
            let mut values = Vec::new();
            for value in args {
                values.push(self.convert_to(value, ty, range)?);
            }
            return Ok(operation(ty, op, values));
        }
        if let Some((name, parameters, result)) = external(name)
            && parameters.len() == args.len()
        {
            let mut values = Vec::new();
            for (value, parameter) in args.into_iter().zip(parameters) {
                let ty = match parameter {
                    Parameter::Number(ty) => ty,
                    Parameter::Whole => Ty::I32,
                    Parameter::To(ty) => self.unit.program.types.pointer_to(ty, AddressSpace::Generic),
                };
                values.push(self.convert_to(value, ty, range)?);
            }
            return self.call_c(name, values, result);
        }
        match (name, &args[..]) {
            ("abs" | "labs" | "llabs", [value]) => {
                let ty = if name == "abs" { Ty::I32 } else { Ty::I64 };
                let value = self.convert_to(value.clone(), ty, range)?;
                Ok(operation(ty, Operation::Abs, vec![value]))
            }
            ("fmin" | "fminf" | "fmax" | "fmaxf", [a, b]) => {
                let ty = if name.ends_with('f') { Ty::F32 } else { Ty::F64 };
                let (a, b) = (self.convert_to(a.clone(), ty, range)?, self.convert_to(b.clone(), ty, range)?);
                Ok(self.extreme(name.starts_with("fmin"), a, b))
            }
            ("fmod" | "fmodf", [a, b]) => {
                let ty = float_of(name);
                let (a, b) = (self.convert_to(a.clone(), ty, range)?, self.convert_to(b.clone(), ty, range)?);
                Ok(binary(ty, Operation::Rem, a, b))
            }
            ("trunc" | "truncf" | "round" | "roundf", [value]) => {
                let ty = float_of(name);
                let value = self.convert_to(value.clone(), ty, range)?;
                Ok(self.rounded(value, name.starts_with("round")))
            }
            ("__builtin_expect", [value, _]) => Ok(value.clone()),
            (_, [value]) if matches!(value.ty, Ty::F32 | Ty::F64) => {
                self.classified(name, value.clone(), range)
            }
            _ => {
                let message = format!("`{name}` does not take {} arguments", args.len());
                unsupported(range, message, "include the header that declares it")
            }
        }
    }

    /// A number rounded to an integer: towards zero, or to the nearest, halves away from zero (C17 7.12.9.6).
    fn rounded(&mut self, value: Expr, is_to_nearest: bool) -> Expr {
        let ty = value.ty;
        let number = |value: f64| Expr::new(ty, mir::ExprKind::Float(value));
        let value = self.temporary(value);
        let size = self.temporary(operation(ty, Operation::Abs, vec![value.clone()]));
        let whole = self.temporary(operation(ty, Operation::Floor, vec![size.clone()]));
        let whole = if is_to_nearest {
            let rest = binary(ty, Operation::Sub, size, whole.clone());
            let is_up = binary(Ty::Bool, Operation::Ge, rest, number(0.5));
            let next = binary(ty, Operation::Add, whole.clone(), number(1.0));
            self.temporary(select(is_up, next, whole))
        } else {
            whole
        };
        let is_positive = binary(Ty::Bool, Operation::Gt, value.clone(), number(0.0));
        let is_negative = binary(Ty::Bool, Operation::Lt, value.clone(), number(0.0));
        let negative = operation(ty, Operation::Neg, vec![whole.clone()]);
        // Zeros keep their sign, and what is no number stays so.
        select(is_positive, whole, select(is_negative, negative, value))
    }

    /// Whether a number is of a class (C17 7.12.3).
    fn classified(&mut self, name: &str, value: Expr, range: TextRange) -> Lowered<Expr> {
        let ty = value.ty;
        let value = self.temporary(value);
        let infinite = Expr::new(ty, mir::ExprKind::Float(f64::INFINITY));
        let size = operation(ty, Operation::Abs, vec![value.clone()]);
        let number = |value: f64| Expr::new(ty, mir::ExprKind::Float(value));
        let answer = if name.contains("nan") {
            binary(Ty::Bool, Operation::Ne, value.clone(), value)
        } else if name.contains("signbit") {
            // The sign of zeros and of what is no number counts.
            let copy = if ty == Ty::F32 { "copysignf" } else { "copysign" };
            let sign = self.call_c(copy, vec![number(1.0), value], ty)?;
            binary(Ty::Bool, Operation::Lt, sign, number(0.0))
        } else if name.contains("isnormal") {
            let least = if ty == Ty::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
            let size = self.temporary(size);
            let is_large = binary(Ty::Bool, Operation::Ge, size.clone(), number(least));
            let is_finite = binary(Ty::Bool, Operation::Lt, size, infinite);
            let both = mir::ExprKind::And(Box::new(is_large), Box::new(is_finite));
            Expr::new(Ty::Bool, both)
        } else if name.contains("isinf") {
            let is_infinite =
                self.convert_to(binary(Ty::Bool, Operation::Eq, size, infinite), Ty::I32, range)?;
            let zero = Expr::new(ty, mir::ExprKind::Float(0.0));
            let is_negative = binary(Ty::Bool, Operation::Lt, value, zero);
            let negative = operation(Ty::I32, Operation::Neg, vec![is_infinite.clone()]);
            return Ok(select(is_negative, negative, is_infinite));
        } else {
            binary(Ty::Bool, Operation::Lt, size, infinite)
        };
        self.convert_to(answer, Ty::I32, range)
    }

    /// The lesser or greater of two numbers; where one is none, the other (C17 F.10.9).
    fn extreme(&mut self, is_least: bool, a: Expr, b: Expr) -> Expr {
        let (a, b) = (self.temporary(a), self.temporary(b));
        let compare = if is_least { Operation::Lt } else { Operation::Gt };
        let is_first = binary(Ty::Bool, compare, a.clone(), b.clone());
        let is_other_none = binary(Ty::Bool, Operation::Ne, b.clone(), b.clone());
        let condition = mir::ExprKind::Or(Box::new(is_first), Box::new(is_other_none));
        let condition = Box::new(Expr::new(Ty::Bool, condition));
        let (then, otherwise) = (Box::new(a), Box::new(b));
        Expr::new(then.ty, mir::ExprKind::Select { condition, then, otherwise })
    }
}
