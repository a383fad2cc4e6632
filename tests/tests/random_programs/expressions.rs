//! Random expressions.

use crate::generate::{Generator, Kind, Variable};
use crate::tree::*;
use crate::values::{Binary, Type, Unary, Value};

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

fn binary(operator: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(operator, boxed(a), boxed(b))
}

fn number(ty: Type, value: i128) -> Expr {
    Expr::Literal(ty.wrap(value))
}

impl Generator {
    /// A variable that fits, if there is one.
    pub(crate) fn variable(&mut self, fits: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let fitting: Vec<_> = self.context.scope.iter().filter(|variable| fits(variable)).cloned().collect();
        (!fitting.is_empty()).then(|| self.random.of(&fitting))
    }

    pub(crate) fn plain_variable(&mut self, ty: Type) -> Option<Expr> {
        let found = self.variable(|variable| matches!(variable.kind, Kind::Plain(known) if known == ty));
        found.map(|variable| Expr::Local(variable.local))
    }

    /// An expression of a type.
    pub(crate) fn expr(&mut self, ty: Type, depth: u32) -> Expr {
        if depth == 0 || self.random.percent(12) {
            if self.random.percent(80)
                && let Some(variable) = self.plain_variable(ty)
            {
                return variable;
            }
            return Expr::Literal(self.literal(ty));
        }
        if self.random.percent(45)
            && let Some(expr) = self.composed(ty, depth)
        {
            return expr;
        }
        if self.random.percent(8) {
            let condition = self.expr(Type::Boolean, depth - 1);
            let (a, b) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
            return Expr::Choose(boxed(condition), boxed(a), boxed(b));
        }
        match ty {
            Type::Boolean => self.boolean(depth),
            Type::Float | Type::Double => self.floating(ty, depth),
            _ => self.integer(ty, depth),
        }
    }

    fn boolean(&mut self, depth: u32) -> Expr {
        let operators = [
            Binary::AndThen,
            Binary::OrElse,
            Binary::Xor,
            Binary::And,
            Binary::Or,
            Binary::Equal,
            Binary::NotEqual,
        ];
        match self.random.below(10) {
            0 => Expr::Unary(Unary::Not, boxed(self.expr(Type::Boolean, depth - 1))),
            1..=3 => {
                let operator = self.random.of(&operators);
                binary(operator, self.expr(Type::Boolean, depth - 1), self.expr(Type::Boolean, depth - 1))
            }
            _ => {
                let ty = self.ty();
                let ty = if ty == Type::Boolean { Type::Long } else { ty };
                let operator = self.random.of(&Binary::COMPARISONS);
                binary(operator, self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
        }
    }

    fn floating(&mut self, ty: Type, depth: u32) -> Expr {
        match self.random.below(10) {
            0..=2 => {
                let other = if ty == Type::Float { Type::Double } else { Type::Float };
                let from = self.random.of(&[Type::Int, Type::Long, Type::Short, Type::Byte, other]);
                Expr::Convert(ty, boxed(self.expr(from, depth - 1)))
            }
            3 => {
                let operator = self.random.of(&[Unary::Minus, Unary::Abs]);
                Expr::Unary(operator, boxed(self.expr(ty, depth - 1)))
            }
            _ => {
                let operators = [Binary::Add, Binary::Subtract, Binary::Divide, Binary::Multiply];
                // Kernels may multiply and add with one rounding.
                let operator = operators[self.random.below(if self.context.device { 3 } else { 4 })];
                binary(operator, self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
        }
    }

    fn integer(&mut self, ty: Type, depth: u32) -> Expr {
        let (bits, signed) = ty.integer().unwrap_or((64, true));
        match self.random.below(20) {
            0..=3 => {
                let mut from = self.ty();
                if from == Type::Boolean || from.is_floating() && !matches!(ty, Type::Int | Type::Long) {
                    from = Type::Long;
                }
                Expr::Convert(ty, boxed(self.expr(from, depth - 1)))
            }
            4 => Expr::Unary(
                self.random.of(&[Unary::Minus, Unary::Complement]),
                boxed(self.expr(ty, depth - 1)),
            ),
            5 if matches!(ty, Type::Int | Type::Long) => {
                let operator = self.random.of(&[Binary::Min, Binary::Max]);
                binary(operator, self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
            6 | 7 if bits >= 32 => {
                let operators = [Binary::ShiftLeft, Binary::ShiftRight, Binary::ShiftUnsigned];
                let operator = operators[self.random.below(if signed { 3 } else { 2 })];
                let any = self.expr(Type::Int, depth - 1);
                let count = number(Type::Int, i128::from(self.random.between(0, i64::from(bits) + 2)));
                let count = if self.random.percent(50) { any } else { count };
                binary(operator, self.expr(ty, depth - 1), count)
            }
            8 | 9 => self.division(ty, depth),
            10 if ty == Type::Long => self.index(2),
            _ => {
                let operators =
                    [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::And, Binary::Or, Binary::Xor];
                let operator = self.random.of(&operators);
                binary(operator, self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
        }
    }

    /// A division, by zero only now and then.
    fn division(&mut self, ty: Type, depth: u32) -> Expr {
        let operator = self.random.of(&[Binary::Divide, Binary::Remainder]);
        let a = self.expr(ty, depth - 1);
        let literal = self.literal(ty);
        if self.random.percent(40) && literal != ty.wrap(0) {
            return binary(operator, a, Expr::Literal(literal));
        }
        let b = self.expr(ty, depth - 1);
        // A literal zero is a mistake that the compiler may report.
        let constant = matches!(b, Expr::Literal(_));
        let any = !self.context.device && !constant && self.random.percent(10);
        binary(operator, a, if any { b } else { binary(Binary::Or, b, number(ty, 1)) })
    }

    /// What is made of other parts of the program: elements, fields, calls, detours.
    fn composed(&mut self, ty: Type, depth: u32) -> Option<Expr> {
        match self.random.below(12) {
            0..=4 => {
                let element = self.element(Some(ty), false)?;
                Some(Expr::Element(element))
            }
            5 | 6 => self.call(ty, depth),
            7 | 8 => self.member(ty, depth),
            9 if !self.context.pure => {
                let fits = |kind: &Kind| matches!(kind, Kind::Closure(_, ret) if *ret == ty);
                let closure = self.variable(|variable| fits(&variable.kind))?;
                let Kind::Closure(parameters, _) = closure.kind else { return None };
                let arguments = parameters.iter().map(|ty| self.expr(*ty, depth - 1)).collect();
                Some(Expr::Apply(closure.local, arguments))
            }
            _ if self.context.device => None,
            _ => {
                let detour = self.random.of(&Detour::ALL);
                let value = if detour.captures() {
                    self.captured(|generator| generator.expr(ty, depth - 1))
                } else {
                    self.expr(ty, depth - 1)
                };
                Some(Expr::Detour(detour, ty, boxed(value)))
            }
        }
    }

    /// Makes something in a body of its own, which sees only what nothing assigns.
    pub(crate) fn captured<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.context.scope.clone();
        self.context.scope.retain(|variable| !variable.mutable);
        let made = make(self);
        self.context.scope = scope;
        made
    }

    fn call(&mut self, ty: Type, depth: u32) -> Option<Expr> {
        let device = self.context.device;
        let plain = |function: &Function| {
            let simple = function.parameters.iter().all(|(_, kind)| matches!(kind, Parameter::Plain(_)));
            simple && function.class.is_none() && function.ret == ty && (function.device || !device)
        };
        let functions: Vec<usize> = (0..self.program.functions.len())
            .filter(|index| plain(&self.program.functions[*index]))
            .collect();
        if functions.is_empty() {
            return None;
        }
        let function = self.random.of(&functions);
        let arguments = self.arguments(&self.program.functions[function].parameters.clone(), depth);
        Some(Expr::Call(function, arguments))
    }

    fn arguments(&mut self, parameters: &[(Local, Parameter)], depth: u32) -> Vec<Expr> {
        let plain = parameters.iter().map(|(_, parameter)| match parameter {
            Parameter::Plain(ty) => *ty,
            Parameter::Array(..) => unreachable!("only functions of plain values are called"),
        });
        plain.collect::<Vec<_>>().into_iter().map(|ty| self.expr(ty, depth.saturating_sub(2))).collect()
    }

    /// A field or a method of an object.
    fn member(&mut self, ty: Type, depth: u32) -> Option<Expr> {
        let object = self.variable(|variable| matches!(variable.kind, Kind::Object(_)))?;
        let Kind::Object(class) = object.kind else { return None };
        let fields = &self.program.classes[class].fields;
        let fields: Vec<usize> = (0..fields.len()).filter(|field| fields[*field] == ty).collect();
        if !fields.is_empty() && self.random.percent(50) {
            return Some(Expr::Field(object.local, self.random.of(&fields)));
        }
        if self.context.pure {
            return None;
        }
        // A method calls only the method that it overrides: others might call it back.
        let methods: Vec<usize> = match (object.local, self.context.overridden) {
            (0, Some(method)) => vec![method],
            (0, None) => vec![],
            _ => (0..self.methods.len()).collect(),
        };
        let methods: Vec<usize> =
            methods.into_iter().filter(|method| self.methods[*method].1 == ty).collect();
        if methods.is_empty() {
            return None;
        }
        let method = self.random.of(&methods);
        let parameters = self.methods[method].0.clone();
        let arguments = parameters.iter().map(|ty| self.expr(*ty, depth.saturating_sub(2))).collect();
        if object.local == 0 {
            return Some(Expr::Super(method, arguments));
        }
        Some(Expr::Invoke(object.local, method, arguments))
    }

    /// An element of an array, mostly within its bounds.
    pub(crate) fn element(&mut self, wanted: Option<Type>, written: bool) -> Option<Element> {
        let fits = |kind: &Kind| match kind {
            Kind::Array { ty, writable, .. } => {
                wanted.is_none_or(|wanted| wanted == *ty) && (*writable || !written)
            }
            _ => false,
        };
        let array = self.variable(|variable| fits(&variable.kind))?;
        let Kind::Array { kind, .. } = array.kind else { return None };
        let indices = (0..kind.rank()).map(|_| {
            let index = self.index(2);
            let mask = self.random.of(&[1, 3]);
            if self.random.percent(70) { binary(Binary::And, index, number(Type::Long, mask)) } else { index }
        });
        let indices = indices.collect();
        Some(Element { array: array.local, kind, indices })
    }

    /// A small number as a rule: an index or the bound of a loop, mostly linear in what loops count.
    pub(crate) fn index(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.random.percent(35) {
            return self.small();
        }
        let a = self.index(depth - 1);
        match self.random.below(19) {
            0..=4 => binary(Binary::Add, a, self.index(depth - 1)),
            5..=7 => binary(Binary::Subtract, a, self.index(depth - 1)),
            8 | 9 => {
                let factor = self.random.of(&[2, 3, 4, -1, 8]);
                binary(Binary::Multiply, a, number(Type::Long, factor))
            }
            10 | 11 => {
                let operator = self.random.of(&[Binary::Divide, Binary::Remainder]);
                let divisor = self.random.of(&[2, 3, 4, 5, 8]);
                binary(operator, a, number(Type::Long, divisor))
            }
            12 => {
                let operator = self.random.of(&[Binary::Min, Binary::Max]);
                binary(operator, a, self.index(depth - 1))
            }
            13 => {
                let mask = self.random.of(&[3, 7, 15]);
                binary(Binary::And, a, number(Type::Long, mask))
            }
            14 => binary(Binary::ShiftRight, a, number(Type::Int, 1)),
            15 | 16 => {
                let operator = self.random.of(&[Binary::Add, Binary::Subtract, Binary::Multiply]);
                let short = |it| Expr::Convert(Type::Int, Box::new(it));
                Expr::Convert(Type::Long, Box::new(binary(operator, short(a), short(self.index(depth - 1)))))
            }
            17 => {
                let factor = self.random.of(&[1 << 28, 1 << 30, 3 << 29]);
                let short = Expr::Convert(Type::Int, Box::new(a));
                Expr::Convert(
                    Type::Long,
                    Box::new(binary(Binary::Multiply, short, number(Type::Int, factor))),
                )
            }
            _ => {
                let high = Type::Long.range().1;
                let far = self.random.of(&[high, -high, 1 << 62, 1 << 31, (1 << 32) - 1, -(1 << 31)]);
                binary(Binary::Add, a, number(Type::Long, far))
            }
        }
    }

    fn small(&mut self) -> Expr {
        if self.random.percent(15) {
            let rails = [ArrayKind::Rail, ArrayKind::RailOfRails];
            let is_rail = |kind: &Kind| matches!(kind, Kind::Array { kind, .. } if rails.contains(kind));
            if let Some(rail) = self.variable(|variable| is_rail(&variable.kind)) {
                return binary(Binary::Subtract, Expr::Size(rail.local), number(Type::Long, 1));
            }
        }
        if self.random.percent(70) {
            if let Some(Expr::Local(local)) =
                self.random.percent(20).then(|| self.plain_variable(Type::Int)).flatten()
            {
                return Expr::Convert(Type::Long, boxed(Expr::Local(local)));
            }
            // What loops count, more often than anything else.
            if let Some(last) = self.context.loops.last().copied()
                && self.random.percent(50)
                && self
                    .variable(|variable| {
                        variable.local == last && matches!(variable.kind, Kind::Plain(Type::Long))
                    })
                    .is_some()
            {
                return Expr::Local(last);
            }
            if let Some(variable) = self.plain_variable(Type::Long) {
                return variable;
            }
        }
        let value = self.random.of(&[0, 1, 2, 3, 4, 7, 15, 16, 1, 1, 0, -1, -2]);
        Expr::Literal(Value::Integer(Type::Long, value))
    }
}
