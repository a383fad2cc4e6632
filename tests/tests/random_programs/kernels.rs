//! Random kernels.

use crate::generate::{Context, Generator, Kind, Variable};
use crate::tree::*;
use crate::values::{Binary, Type};

/// What the phases of a kernel have in common.
struct Phases {
    thread: Local,
    threads: i64,
    shared: (Local, Type),
    /// What is the same for all threads of a block.
    same: Vec<(Local, Type)>,
}

impl Generator {
    pub(crate) fn kernel(&mut self) {
        self.begin(Context { device: true, ..Context::default() });
        let mut same = Vec::new();
        let mut parameters = Vec::new();
        for ty in [Type::Long, Type::Int, Type::Double] {
            let local = self.declare(Kind::Plain(ty), false);
            parameters.push((local, Parameter::Plain(ty)));
            same.push((local, ty));
        }
        same.truncate(2);
        for _ in 0..2 {
            let (kind, ty) = (ArrayKind::Rail, self.element_type());
            let local = self.declare(Kind::Array { kind, ty, writable: false }, false);
            parameters.push((local, Parameter::Array(kind, ty)));
        }
        let (block, thread) =
            (self.declare(Kind::Plain(Type::Int), false), self.declare(Kind::Plain(Type::Int), false));
        same.push((block, Type::Int));
        let ty = self.element_type();
        let own = self.declare(Kind::Array { kind: ArrayKind::Rail, ty, writable: true }, false);
        let own = (own, ty, self.random.of(&[4, 8, 16]));
        let shared = (self.local(), self.element_type());
        let threads = self.random.of(&[1, 5, 8, 16, 32, 40]);
        let count = self.random.between(1, 4);
        let mut body = self.statements(count, 3);
        if self.random.percent(50) {
            body.extend(self.row(thread, own).into_iter().flatten());
        }
        let mut phases = Phases { thread, threads, shared, same };
        for _ in 0..self.random.between(0, 2) {
            body.extend(self.phase(&mut phases, 2));
        }
        let ret = self.ty();
        self.finish(format!("f{}", self.program.functions.len()), parameters, body, ret);
        let function = self.program.functions.last_mut().expect("one was made");
        function.kernel = Some(Kernel { blocks: 2, threads, block, thread, own, shared });
    }

    /// Each thread goes through a row of its own in an array, and what it makes of that is kept.
    fn row(&mut self, thread: Local, own: (Local, Type, i64)) -> Option<Vec<Stmt>> {
        let is_read = |kind: &Kind| matches!(kind, Kind::Array { writable: false, .. });
        let array = self.variable(|variable| is_read(&variable.kind))?;
        let Kind::Array { ty, .. } = array.kind else { return None };
        let scope = self.context.scope.clone();
        let number = |value: i64| Expr::Literal(Type::Int.wrap(i128::from(value)));
        let binary = |operator, a, b| Expr::Binary(operator, Box::new(a), Box::new(b));
        let (sum, local) = (self.declare(Kind::Plain(ty), true), self.local());
        let width = self.random.of(&[0, 1, 2, 15, 16, 17, 20, 33]);
        let width =
            self.plain_variable(Type::Int).filter(|_| self.random.percent(20)).unwrap_or(number(width));
        let row = binary(Binary::Multiply, Expr::Local(thread), width);
        let mut index = binary(Binary::Add, row, Expr::Local(local));
        if self.random.percent(30) {
            index = binary(Binary::Add, index, number(self.random.between(-1, 20)));
        }
        let read = Element { array: array.local, kind: ArrayKind::Rail, indices: vec![index.clone()] };
        // Nothing is multiplied where that may be rounded once with an addition.
        let before = match ty.integer() {
            Some(_) => binary(Binary::Multiply, Expr::Local(sum), Expr::Literal(ty.wrap(3))),
            None => Expr::Local(sum),
        };
        let mut iteration = vec![Stmt::Assign(sum, None, binary(Binary::Add, before, Expr::Element(read)))];
        let size = Expr::Convert(Type::Int, Box::new(Expr::Size(array.local)));
        if self.random.percent(30) {
            iteration = vec![Stmt::If(binary(Binary::Less, index, size), iteration, vec![])];
        }
        let kind = Kind::Plain(Type::Int);
        let form = self.random.of(&[Form::Range, Form::For, Form::For, Form::While]);
        self.context.scope.push(Variable { local, kind, mutable: form != Form::Range, assignable: false });
        let (first, last) = (self.random.between(0, 2), self.random.between(0, 2));
        let mut body = self.statements(first, 1);
        body.extend(iteration);
        body.extend(self.statements(last, 1));
        self.context.scope = scope;
        let few = self.random.of(&[2, 16, 17, 20, 32, 33, 40]);
        let to = self.plain_variable(Type::Int).filter(|_| self.random.percent(10)).unwrap_or(number(few));
        let comparison = self.random.of(&[Binary::Less, Binary::Less, Binary::LessEqual]);
        let from = number(self.random.of(&[0, 0, 1, 5]));
        let count = Loop { form, local, ty: Type::Int, from, to, comparison, step: 1, unroll: None, body };
        let value = match (ty.integer(), own.1.integer()) {
            (None, Some(_)) => Expr::Convert(Type::Long, Box::new(Expr::Local(sum))),
            _ => Expr::Local(sum),
        };
        let kept = Element { array: own.0, kind: ArrayKind::Rail, indices: vec![number(0)] };
        Some(vec![
            Stmt::Declare(sum, ty, true, Expr::Literal(Type::Long.wrap(0).convert(ty))),
            Stmt::Loop(Box::new(count)),
            Stmt::Store(kept, None, Expr::Convert(own.1, Box::new(value))),
        ])
    }

    /// Statements with barriers, the last of which ends them.
    fn phase(&mut self, phases: &mut Phases, depth: u32) -> Vec<Stmt> {
        if depth > 0 && self.random.percent(40) { self.rounds(phases, depth) } else { self.exchange(phases) }
    }

    /// Each thread writes an element of the shared rail; all threads read what all wrote, up to the next
    /// barrier.
    fn exchange(&mut self, phases: &Phases) -> Vec<Stmt> {
        let (local, ty) = phases.shared;
        let thread = Expr::Local(phases.thread);
        let index = if self.random.percent(70) {
            thread
        } else {
            let number = |value: i64| Box::new(Expr::Literal(Type::Int.wrap(i128::from(value))));
            let turned = Expr::Binary(Binary::Add, Box::new(thread), number(self.random.between(1, 40)));
            Expr::Binary(Binary::Remainder, Box::new(turned), number(phases.threads))
        };
        let element = Element { array: local, kind: ArrayKind::Rail, indices: vec![index] };
        let mut body = vec![Stmt::Store(element, None, self.expr(ty, 3)), Stmt::Advance];
        let kind = Kind::Array { kind: ArrayKind::Rail, ty, writable: false };
        self.context.scope.push(Variable { local, kind, mutable: false, assignable: false });
        for _ in 0..self.random.between(1, 2) {
            if self.random.percent(30) {
                let statements = self.block(1, 3, 3);
                body.push(Stmt::If(self.some_threads(phases), statements, vec![]));
            } else {
                let count = self.random.between(1, 3);
                body.extend(self.statements(count, 3));
            }
        }
        self.context.scope.retain(|variable| variable.local != local);
        body.push(Stmt::Advance);
        body
    }

    /// A condition that some threads fulfil: those up to a number, for example.
    fn some_threads(&mut self, phases: &Phases) -> Expr {
        let comparisons =
            [Binary::Less, Binary::LessEqual, Binary::Greater, Binary::GreaterEqual, Binary::Equal];
        let comparison = self.random.of(&comparisons);
        let thread = Box::new(Expr::Local(phases.thread));
        let same: Vec<Local> = phases.same.iter().filter(|it| it.1 == Type::Int).map(|it| it.0).collect();
        let number = match self.random.percent(30) {
            true => Expr::Local(self.random.of(&same)),
            false => Expr::Literal(Type::Int.wrap(i128::from(self.random.between(-1, phases.threads)))),
        };
        let number = Box::new(number);
        match self.random.percent(50) {
            true => Expr::Binary(comparison, thread, number),
            false => Expr::Binary(comparison, number, thread),
        }
    }

    /// A loop with barriers, which all threads of a block run the same number of times.
    fn rounds(&mut self, phases: &mut Phases, depth: u32) -> Vec<Stmt> {
        let form = self.random.of(&[Form::Range, Form::For, Form::For, Form::While]);
        let ty = self.random.of(&[Type::Long, Type::Int]);
        let up = form == Form::Range || self.random.percent(70);
        let (comparison, step) = match (up, self.random.percent(50)) {
            (true, true) => (Binary::Less, self.random.of(&[1, 1, 2])),
            (true, false) => (Binary::LessEqual, self.random.of(&[1, 1, 2])),
            (false, true) => (Binary::Greater, -1),
            (false, false) => (Binary::GreaterEqual, -1),
        };
        let (near, far) = (Expr::Literal(ty.wrap(0)), self.iteration_count(phases, ty));
        let (from, to) = if up { (near, far) } else { (far, near) };
        let scope = self.context.scope.clone();
        let local = self.declare(Kind::Plain(ty), form != Form::Range);
        self.context.scope.last_mut().expect("it was declared").assignable = false;
        phases.same.push((local, ty));
        let mut body = Vec::new();
        for _ in 0..self.random.between(1, 2) {
            body.extend(self.phase(phases, depth - 1));
        }
        phases.same.pop();
        self.context.scope = scope;
        vec![Stmt::Rounds(Box::new(Loop { form, local, ty, from, to, comparison, step, unroll: None, body }))]
    }

    /// Number of iterations of all threads: small, and possibly known only at the launch.
    fn iteration_count(&mut self, phases: &Phases, ty: Type) -> Expr {
        let few = Expr::Literal(ty.wrap(i128::from(self.random.between(0, 4))));
        if self.random.percent(30) {
            return few;
        }
        let (local, known) = self.random.of(&phases.same);
        let value = Expr::Local(local);
        let value = if known == ty { value } else { Expr::Convert(ty, Box::new(value)) };
        Expr::Binary(Binary::And, Box::new(value), Box::new(few))
    }
}
