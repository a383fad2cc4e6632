//! Operations on machine types, with the same rules on every target ([`ArithmeticRules`]).

use super::code::{Code, Target};
use apg_mir::*;

impl Code<'_> {
    /// An operation on printed operands.
    pub(crate) fn operation(
        &mut self,
        operation: Operation,
        result: Ty,
        args: &[Expr],
        text: &[String],
    ) -> String {
        let operand = args.first().map_or(result, |it| it.ty);
        let exact = operation.exact();
        if exact != operation && self.target == Target::Cuda {
            return format!("apg_{}({})", operation.name(), text.join(", "));
        }
        let (rules, operation) = (exact.rules(), exact.wrapping());
        if matches!(rules, ArithmeticRules::Undefined | ArithmeticRules::Trapping) {
            return self.other_rules(rules, operation, result, args, text);
        }
        match (operation, text) {
            (Operation::Convert, [a]) => self.convert(a, operand, result),
            (Operation::Bitcast, [a]) => {
                let ty = self.ty(result);
                format!("apg_bits<{ty}>({a})")
            }
            (Operation::Texture, [texture, at @ ..]) => self.texture(operand, texture, result, at),
            (_, [a]) => self.unary(operation, operand, a),
            (_, [a, b]) if operation.is_comparison() => self.comparison(operation, operand, a, b),
            (_, [a, b]) => self.binary(operation, operand, a, b, &args[1]),
            (Operation::Fma, [a, b, c]) => format!("{}({a}, {b}, {c})", self.math("fma", operand)),
            _ => self.fail(format!("operation {operation:?} with {} operands", text.len())),
        }
    }

    /// An operation that is undefined, or ends the program, where a result does not exist.
    fn other_rules(
        &mut self,
        rules: ArithmeticRules,
        operation: Operation,
        result: Ty,
        args: &[Expr],
        text: &[String],
    ) -> String {
        let name = self.ty(result);
        let symbol = operation.symbol().unwrap_or("-");
        match (rules, operation, text) {
            (_, Operation::Offset, [a, b]) => format!("({a} + {b})"),
            (_, Operation::Distance, [a, b]) => format!("({name})({a} - {b})"),
            (_, Operation::Convert, [a]) => format!("(({name}){a})"),
            (ArithmeticRules::Trapping, Operation::Neg, [a]) => {
                format!("apg_sub_trapping<{name}>(0, {a})")
            }
            (ArithmeticRules::Trapping, _, [a, b]) => {
                format!("apg_{}_trapping<{name}>({a}, {b})", operation.name())
            }
            (_, Operation::Neg, [a]) => self.narrow(result, format!("(-{a})")),
            (_, Operation::Shl, [a, b]) => {
                let (_, unsigned, _) = self.shift(result);
                format!("({name})(({unsigned}){a} << {b})")
            }
            (_, _, [a, b]) => self.narrow(result, format!("({a} {symbol} {b})")),
            _ => self.fail(format!("operation {operation:?} with {} operands", args.len())),
        }
    }

    /// A texture fetch.
    fn texture(&mut self, texture: Ty, text: &str, result: Ty, at: &[String]) -> String {
        let Ty::Struct(id) = texture else { return self.fail("a texture that is no struct".to_owned()) };
        let fields = &self.program.structs[id.index()].fields;
        let Some(number) = fields.iter().position(|it| it.name == "object") else {
            return self.fail("a texture without its object".to_owned());
        };
        let member = self.struct_field_name(id, number as u32);
        let ty = self.ty(result);
        format!("apg_texture_at<{ty}>(({text}).{member}, {})", at.join(", "))
    }

    fn unary(&mut self, operation: Operation, ty: Ty, a: &str) -> String {
        match operation {
            Operation::Neg if is_float(ty) => format!("(-{a})"),
            Operation::Neg => self.wrapping(ty, "-", "0", a),
            Operation::Not => format!("(!{a})"),
            Operation::BitNot => self.narrow(ty, format!("(~{a})")),
            Operation::Abs if is_float(ty) => format!("{}({a})", self.math("fabs", ty)),
            Operation::Abs => {
                let name = self.ty(ty);
                format!("apg_abs<{name}>({a})")
            }
            Operation::Round => format!("{}({a})", self.math("rint", ty)),
            Operation::Rsqrt if self.target != Target::Cuda => {
                let one = if ty == Ty::F32 { "1.0f" } else { "1.0" };
                format!("({one} / {}({a}))", self.math("sqrt", ty))
            }
            _ => format!("{}({a})", self.math(operation.name(), ty)),
        }
    }

    fn binary(&mut self, operation: Operation, ty: Ty, a: &str, b: &str, right: &Expr) -> String {
        let logical = ty == Ty::Bool;
        match operation {
            Operation::Add | Operation::Sub | Operation::Mul => {
                self.wrapping(ty, operation.symbol().unwrap_or("+"), a, b)
            }
            Operation::Div if is_float(ty) => format!("({a} / {b})"),
            Operation::Rem if is_float(ty) => format!("{}({a}, {b})", self.math("fmod", ty)),
            Operation::Div | Operation::Rem => self.division(operation, ty, a, b, right),
            Operation::And | Operation::Or | Operation::Xor if logical => {
                format!("(bool)({a} {} {b})", operation.symbol().unwrap_or("&"))
            }
            Operation::And | Operation::Or | Operation::Xor => {
                self.narrow(ty, format!("({a} {} {b})", operation.symbol().unwrap_or("&")))
            }
            Operation::Shl => {
                let (ty_name, unsigned, mask) = self.shift(ty);
                format!("({ty_name})(({unsigned}){a} << ((unsigned){b} & {mask}))")
            }
            Operation::Shr => {
                let (ty_name, _, mask) = self.shift(ty);
                format!("({ty_name})({a} >> ((unsigned){b} & {mask}))")
            }
            Operation::UShr => {
                let (ty_name, unsigned, mask) = self.shift(ty);
                format!("({ty_name})(({unsigned}){a} >> ((unsigned){b} & {mask}))")
            }
            Operation::Min | Operation::Max => {
                let name = self.ty(ty);
                format!("apg_{}<{name}>({a}, {b})", operation.name())
            }
            Operation::Pow | Operation::Atan2 | Operation::Hypot => {
                format!("{}({a}, {b})", self.math(operation.name(), ty))
            }
            _ => self.fail(format!("operation {operation:?} with two operands")),
        }
    }

    /// Integer division; a constant divisor needs no check.
    fn division(&mut self, operation: Operation, ty: Ty, a: &str, b: &str, right: &Expr) -> String {
        let name = self.ty(ty);
        let symbol = operation.symbol().unwrap_or("/");
        if matches!(right.kind, ExprKind::Int(value) if value != 0 && value != -1) {
            return self.narrow(ty, format!("({a} {symbol} {b})"));
        }
        if self.target.is_kernel() {
            return self.kernel_division(operation, &name, a, b, right);
        }
        format!("apg_{}<{name}>({a}, {b})", operation.name())
    }

    /// Wrapping addition, subtraction and multiplication. Hosts compile with `-fwrapv`; on devices they are
    /// done on unsigned integers, where wrapping is defined.
    fn wrapping(&mut self, ty: Ty, symbol: &str, a: &str, b: &str) -> String {
        if is_float(ty) || self.target != Target::Cuda {
            return self.narrow(ty, format!("({a} {symbol} {b})"));
        }
        let (name, unsigned, _) = self.shift(ty);
        format!("({name})(({unsigned}){a} {symbol} ({unsigned}){b})")
    }

    /// Truncates to a narrow type, which C++ promotes to `int` in arithmetic.
    fn narrow(&mut self, ty: Ty, text: String) -> String {
        match ty {
            Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 => format!("({}){text}", self.ty(ty)),
            _ => text,
        }
    }

    /// A type, its unsigned counterpart, and the mask of its shift counts.
    fn shift(&mut self, ty: Ty) -> (String, &'static str, u32) {
        let (unsigned, mask) = match ty {
            Ty::I8 | Ty::U8 => ("apg_u8", 7),
            Ty::I16 | Ty::U16 => ("apg_u16", 15),
            Ty::I64 | Ty::U64 => ("apg_u64", 63),
            _ => ("apg_u32", 31),
        };
        (self.ty(ty), unsigned, mask)
    }

    fn comparison(&mut self, operation: Operation, ty: Ty, a: &str, b: &str) -> String {
        let symbol = operation.symbol().unwrap_or("==");
        match ty {
            Ty::Struct(id) => {
                self.used.equality.insert(id);
                self.used.structs.insert(id);
                let not = if operation == Operation::Ne { "!" } else { "" };
                format!("({not}eq_{}({a}, {b}))", self.names.structs[id.index()])
            }
            _ => format!("({a} {symbol} {b})"),
        }
    }

    fn convert(&mut self, a: &str, from: Ty, to: Ty) -> String {
        let name = self.ty(to);
        match (from, to) {
            _ if from == to => a.to_owned(),
            (_, Ty::Bool) => format!("({a} != 0)"),
            (Ty::F32 | Ty::F64, _) if !is_float(to) => format!("apg_truncate<{name}>({a})"),
            _ => format!("({name}){a}"),
        }
    }

    /// The mathematical function for the operand's width: on devices the native one.
    fn math(&mut self, name: &str, ty: Ty) -> String {
        let suffix = if ty == Ty::F32 { "f" } else { "" };
        // These are inline in every compiler; the others have library names, for which vector variants are
        // declared.
        let inline = matches!(name, "sqrt" | "fabs" | "floor" | "ceil" | "fma" | "rint");
        if self.target != Target::Cuda && inline {
            return format!("__builtin_{name}{suffix}");
        }
        format!("{name}{suffix}")
    }

    /// A floating-point constant, exactly.
    pub(crate) fn float(&mut self, value: f64, ty: Ty) -> String {
        let single = ty == Ty::F32;
        let name = if single { "float" } else { "double" };
        if value.is_nan() {
            return format!("apg_nan<{name}>()");
        }
        if value.is_infinite() {
            let sign = if value < 0.0 { "-" } else { "" };
            return format!("({sign}apg_infinity<{name}>())");
        }
        let digits = if single { format!("{:e}f", value as f32) } else { format!("{value:e}") };
        if digits.starts_with('-') { format!("({digits})") } else { digits }
    }

    /// An integer, boolean or character constant.
    pub(crate) fn integer(&mut self, value: i64, ty: Ty) -> String {
        match ty {
            Ty::Bool => (value != 0).to_string(),
            Ty::I32 if value == i64::from(i32::MIN) => "(-2147483647 - 1)".into(),
            Ty::I64 if value == i64::MIN => format!("(-{}{} - 1)", i64::MAX, self.target.long_suffix()),
            Ty::I64 if value < 0 => format!("({value}{})", self.target.long_suffix()),
            Ty::I64 => format!("{value}{}", self.target.long_suffix()),
            Ty::U64 => format!("{}U{}", value as u64, self.target.long_suffix()),
            Ty::U32 | Ty::Char => format!("{}u", value as u32),
            Ty::F32 | Ty::F64 => self.float(value as f64, ty),
            Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 => format!("({})({value})", self.ty(ty)),
            _ if value < 0 => format!("({value})"),
            _ => value.to_string(),
        }
    }
}

/// Whether a type is a floating one.
pub(crate) fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F32 | Ty::F64)
}
