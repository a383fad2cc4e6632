//! Random statements.

use crate::generate::{Generator, Kind};
use crate::tree::*;
use crate::values::{Binary, Type};

impl Generator {
    /// Statements of one block, whose variables stay in scope.
    pub(crate) fn statements(&mut self, count: i64, depth: u32) -> Vec<Stmt> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.extend(self.statement(depth));
        }
        all
    }

    /// A block in braces.
    pub(crate) fn block(&mut self, low: i64, high: i64, depth: u32) -> Vec<Stmt> {
        let scope = self.context.scope.clone();
        let count = self.random.between(low, high);
        let body = self.statements(count, depth);
        self.context.scope = scope;
        body
    }

    fn statement(&mut self, depth: u32) -> Vec<Stmt> {
        let one = match self.random.below(if depth == 0 { 45 } else { 100 }) {
            0..=11 => self.declaration(),
            12..=21 => self.assignment(),
            22..=34 => self.store(),
            35..=38 => self.field(),
            39 | 40 => self.object(),
            41 | 42 => self.closure(),
            43 | 44 => self.leave(),
            45..=58 => {
                let condition = self.expr(Type::Boolean, 3);
                let then = self.block(1, 3, depth - 1);
                Some(Stmt::If(condition, then, self.block(0, 2, depth - 1)))
            }
            59..=84 => Some(self.count(depth)),
            85..=89 => Some(self.switch(depth)),
            90..=95 => self.attempt(depth),
            _ => self.activities(),
        };
        one.map_or_else(|| self.declaration().into_iter().collect(), |stmt| vec![stmt])
    }

    fn declaration(&mut self) -> Option<Stmt> {
        let ty = self.ty();
        let value = self.expr(ty, 3);
        let mutable = self.random.percent(65);
        let local = self.declare(Kind::Plain(ty), mutable);
        Some(Stmt::Declare(local, ty, mutable, value))
    }

    /// An operator of assignments to a type, if it is not left out.
    fn operator(&mut self, ty: Type) -> Option<Binary> {
        let operators =
            [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::And, Binary::Or, Binary::Xor];
        let count = match ty {
            Type::Boolean => return None,
            Type::Float | Type::Double if self.context.device => 2,
            Type::Float | Type::Double => 3,
            _ => 6,
        };
        self.random.percent(40).then(|| operators[self.random.below(count)])
    }

    fn assignment(&mut self) -> Option<Stmt> {
        let fits = |kind: &Kind| matches!(kind, Kind::Plain(_));
        let variable = self.variable(|variable| variable.assignable && fits(&variable.kind))?;
        let Kind::Plain(ty) = variable.kind else { return None };
        let operator = self.operator(ty);
        Some(Stmt::Assign(variable.local, operator, self.expr(ty, 3)))
    }

    fn store(&mut self) -> Option<Stmt> {
        let element = self.element(None, true)?;
        let array = element.array;
        let found = self.variable(|variable| variable.local == array)?;
        let Kind::Array { ty, .. } = found.kind else { return None };
        let operator = self.operator(ty);
        Some(Stmt::Store(element, operator, self.expr(ty, 3)))
    }

    fn field(&mut self) -> Option<Stmt> {
        let object = self.variable(|variable| matches!(variable.kind, Kind::Object(_)))?;
        let Kind::Object(class) = object.kind else { return None };
        let field = self.random.below(self.program.classes[class].fields.len());
        let ty = self.program.classes[class].fields[field];
        Some(Stmt::SetField(object.local, field, self.expr(ty, 3)))
    }

    /// An object of a class in a variable of a superclass.
    fn object(&mut self) -> Option<Stmt> {
        if self.program.classes.is_empty() || self.context.device || self.context.class.is_some() {
            return None;
        }
        let class = self.random.below(self.program.classes.len());
        let mut known = class;
        while let Some(parent) = self.program.classes[known].parent
            && self.random.percent(50)
        {
            known = parent;
        }
        let fields = self.program.classes[class].fields.clone();
        let values = fields.iter().map(|ty| self.expr(*ty, 2)).collect();
        Some(Stmt::Object(self.declare(Kind::Object(known), false), known, class, values))
    }

    fn closure(&mut self) -> Option<Stmt> {
        if self.context.device {
            return None;
        }
        let types: Vec<Type> = (0..self.random.below(3)).map(|_| self.ty()).collect();
        let ret = self.ty();
        let (parameters, value) = self.captured(|generator| {
            let parameters: Vec<_> =
                types.iter().map(|ty| (generator.declare(Kind::Plain(*ty), false), *ty)).collect();
            (parameters, generator.expr(ret, 3))
        });
        let local = self.declare(Kind::Closure(types, ret), false);
        Some(Stmt::Closure(local, parameters, ret, value))
    }

    /// Out of a loop or the function, on a condition.
    fn leave(&mut self) -> Option<Stmt> {
        let condition = self.expr(Type::Boolean, 3);
        let leave = match self.context.ret {
            Some(ret) if self.random.percent(30) => Stmt::Return(self.expr(ret, 2)),
            _ if self.context.loops.is_empty() => return None,
            _ => {
                let count = self.random.of(&self.context.loops.clone());
                if self.random.percent(50) { Stmt::Break(count) } else { Stmt::Continue(count) }
            }
        };
        Some(Stmt::If(condition, vec![leave], vec![]))
    }

    fn count(&mut self, depth: u32) -> Stmt {
        let form =
            self.random.of(&[Form::Range, Form::Range, Form::For, Form::For, Form::While, Form::DoWhile]);
        let ty = if self.random.percent(25) { Type::Int } else { Type::Long };
        let up = self.random.percent(80) || form == Form::Range;
        let sizes: &[i64] =
            if self.context.device && form == Form::For { &[1, 1, 2, 3, 4, 8, 16] } else { &[1, 1, 1, 2, 3] };
        let size = self.random.of(sizes);
        let step = if up { size } else { -size };
        let comparisons = if up {
            [Binary::Less, Binary::LessEqual, Binary::Less, Binary::LessEqual, Binary::NotEqual]
        } else {
            [Binary::Greater, Binary::GreaterEqual, Binary::Greater, Binary::GreaterEqual, Binary::Greater]
        };
        let comparison = self.random.of(&comparisons);
        let (low, high) = self.bounds(ty);
        let (from, to) = if up { (low, high) } else { (high, low) };
        let local = self.local();
        let scope = self.context.scope.clone();
        let local = {
            let variable = crate::generate::Variable {
                local,
                kind: Kind::Plain(ty),
                mutable: form != Form::Range,
                assignable: form != Form::Range && self.random.percent(12),
            };
            self.context.scope.push(variable);
            local
        };
        self.context.loops.push(local);
        let ahead = self.context.device && form == Form::For && self.random.percent(35);
        let mut body = if ahead { self.ahead(local, ty, step, comparison, &to) } else { vec![] };
        body.extend(self.block(1, 4, depth - 1));
        self.context.loops.pop();
        self.context.scope = scope;
        let unroll =
            (self.context.device && self.random.percent(20)).then(|| self.random.of(&[1, 2, 4, 16, 40]));
        Stmt::Loop(Box::new(Loop { form, local, ty, from, to, comparison, step, unroll, body }))
    }

    /// The update before the next iteration of a loop, if any.
    fn ahead(&mut self, counter: Local, ty: Type, step: i64, comparison: Binary, to: &Expr) -> Vec<Stmt> {
        let step = Box::new(Expr::Literal(ty.wrap(i128::from(step))));
        let value = Expr::Binary(Binary::Add, Box::new(Expr::Local(counter)), step);
        let next = self.declare(Kind::Plain(ty), false);
        let guard = Expr::Binary(comparison, Box::new(Expr::Local(next)), Box::new(to.clone()));
        vec![Stmt::Declare(next, ty, false, value), Stmt::If(guard, self.block(1, 2, 0), vec![])]
    }

    /// What a loop counts from and to: as a rule from zero and not far.
    fn bounds(&mut self, ty: Type) -> (Expr, Expr) {
        let zero = Expr::Literal(Type::Long.wrap(0));
        let low = if self.random.percent(60) { zero } else { self.index(1) };
        let high = if self.random.percent(30) {
            let few = self.random.of(&[0, 1, 2, 3, 4, 5, 8, 16]);
            Expr::Literal(Type::Long.wrap(few))
        } else {
            self.index(1)
        };
        if self.random.percent(4) {
            // The last numbers of the type, after which there is none.
            let last = ty.range().1;
            return (Expr::Literal(ty.wrap(last - 3)), Expr::Literal(ty.wrap(last)));
        }
        let convert = |bound| if ty == Type::Long { bound } else { Expr::Convert(ty, Box::new(bound)) };
        (convert(low), convert(high))
    }

    fn switch(&mut self, depth: u32) -> Stmt {
        let value = self.expr(Type::Int, 2);
        let mask = self.random.of(&[1, 3]);
        let mut cases = Vec::new();
        for value in 0..=mask {
            if self.random.percent(75) {
                let body = self.block(1, 2, depth - 1);
                cases.push(Case { value, body, falls: self.random.percent(25) });
            }
        }
        cases.push(Case { value: -1, body: self.block(1, 2, depth - 1), falls: false });
        Stmt::Switch(value, mask, cases)
    }

    fn attempt(&mut self, depth: u32) -> Option<Stmt> {
        if self.context.device {
            return None;
        }
        let scope = self.context.scope.clone();
        let count = self.random.between(1, 3);
        let mut body = self.statements(count, depth - 1);
        if self.random.percent(40) {
            body.push(Stmt::If(self.expr(Type::Boolean, 2), vec![Stmt::Throw], vec![]));
        }
        self.context.scope = scope;
        let arithmetic = self.random.percent(40).then(|| self.block(0, 2, 0));
        let any = self.block(0, 2, 0);
        let last = if self.random.percent(40) { self.at_last() } else { vec![] };
        Some(Stmt::Try(body, arithmetic, any, last))
    }

    /// What a `finally` does: it leaves nothing.
    fn at_last(&mut self) -> Vec<Stmt> {
        let (loops, ret) = (std::mem::take(&mut self.context.loops), self.context.ret.take());
        let last = self.block(1, 2, 0);
        (self.context.loops, self.context.ret) = (loops, ret);
        last
    }

    /// Several activities that add to one variable.
    fn activities(&mut self) -> Option<Stmt> {
        if self.context.device {
            return None;
        }
        let fits = |kind: &Kind| matches!(kind, Kind::Plain(Type::Long | Type::Int | Type::UInt));
        let target = self.variable(|variable| variable.assignable && fits(&variable.kind))?;
        let Kind::Plain(ty) = target.kind else { return None };
        let (count, other) = (self.random.between(1, 6), self.random.between(0, 6));
        let pure = std::mem::replace(&mut self.context.pure, true);
        let (local, value) = self.captured(|generator| {
            let local = generator.declare(Kind::Plain(Type::Long), false);
            (local, generator.expr(ty, 3))
        });
        self.context.pure = pure;
        let target = target.local;
        if self.random.percent(50) {
            return Some(Stmt::Parallel { target, ty, local, count, value });
        }
        let rail = self.local();
        Some(Stmt::Clocked { target, ty, local, rail, count, value, other })
    }
}
