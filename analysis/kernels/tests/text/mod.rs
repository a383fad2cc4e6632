//! A text notation of kernels for tests, read by recursive descent (Dragon Book, 4.4).
//!
//! ```text
//! threads t < 64; blocks b < n;
//! a[t] = 0;  barrier;  read a[63 - t];
//! if (t < 32) { ... } else { ... }     for (i in 0..7) { ... }     let x = t + 1;
//! ```
//!
//! Names that are neither indices nor assigned are captured. The site of an access is its number in the text.

use std::collections::BTreeSet;
use std::rc::Rc;

use apg_kernels::index::Operator;
use apg_kernels::model::{Conjunct, RangeLoop, for_each_assigned};
use apg_kernels::{Access, Axis, Expr, Guard, Kernel, Stmt, Test};
use apg_symbolic::BinaryOp;

pub(crate) type Name = char;
pub(crate) type TextKernel = Kernel<Name, usize>;
type Block = Vec<Stmt<Name, usize>>;

/// The kernel that a text stands for.
pub(crate) fn kernel(text: &str) -> TextKernel {
    let mut reader = Reader { rest: text, sites: 0, names: BTreeSet::new() };
    let (mut threads, mut blocks) = (Vec::new(), Vec::new());
    loop {
        let axes = match () {
            () if reader.takes("threads") => &mut threads,
            () if reader.takes("blocks") => &mut blocks,
            () => break,
        };
        let variable = reader.name();
        reader.expect("<");
        let extent = reader.sum();
        let last =
            Expr::Binary(Operator::Arithmetic(BinaryOp::Sub), Box::new(extent), Box::new(Expr::Constant(1)));
        axes.push(Axis { variable, last });
        reader.expect(";");
    }
    let mut body: Vec<Block> = Vec::new();
    while !reader.rest.trim().is_empty() {
        body.push(vec![reader.stmt()]);
    }
    let indices: BTreeSet<Name> = threads.iter().chain(&blocks).map(|it| it.variable).collect();
    let mut captured = reader.names;
    indices.iter().for_each(|it| {
        captured.remove(it);
    });
    for stmts in &body {
        for_each_assigned(stmts, &mut |it| {
            captured.remove(&it);
        });
        for_each_loop(stmts, &mut |it| {
            captured.remove(&it);
        });
    }
    let mut kernel = Kernel {
        blocks,
        threads,
        captured: captured.into_iter().collect(),
        chosen: Default::default(),
        captured_values: Vec::new(),
        constants: Vec::new(),
        integers: Default::default(),
        tests: Default::default(),
        body,
    };
    let defined = kernel.captured.iter().map(|it| (*it, Rc::new(Expr::Unknown))).collect();
    kernel.integers = defined;
    kernel
}

fn for_each_loop(stmts: &[Stmt<Name, usize>], visit: &mut dyn FnMut(Name)) {
    for stmt in stmts {
        match stmt {
            Stmt::Range(it) => {
                visit(it.variable);
                for_each_loop(&it.body, visit);
            }
            Stmt::Branch(_, then, otherwise) => {
                for_each_loop(then, visit);
                otherwise.iter().for_each(|it| for_each_loop(it, visit));
            }
            _ => {}
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    sites: usize,
    names: BTreeSet<Name>,
}

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    fn expect(&mut self, token: &str) {
        assert!(self.takes(token), "expected `{token}` before `{}`", self.rest);
    }

    fn name(&mut self) -> Name {
        self.rest = self.rest.trim_start();
        let name = self.rest.chars().next().filter(char::is_ascii_lowercase);
        let name = name.unwrap_or_else(|| panic!("expected a name before `{}`", self.rest));
        self.rest = &self.rest[1..];
        name
    }

    fn block(&mut self) -> Block {
        self.expect("{");
        let mut stmts = Vec::new();
        while !self.takes("}") {
            stmts.push(self.stmt());
        }
        stmts
    }

    fn stmt(&mut self) -> Stmt<Name, usize> {
        if self.takes("barrier;") {
            return Stmt::Barrier;
        }
        if self.takes("if") {
            self.expect("(");
            let test = self.test();
            self.expect(")");
            let then = self.block();
            let otherwise = self.takes("else").then(|| self.block());
            let conjuncts = vec![Conjunct { test: test.clone(), is_uniform: false }];
            return Stmt::Branch(Guard { test, conjuncts, is_loop_variant: true }, then, otherwise);
        }
        if self.takes("for") {
            self.expect("(");
            let variable = self.name();
            self.expect("in");
            let low = self.sum();
            self.expect("..");
            let high = self.sum();
            self.expect(")");
            let body = self.block();
            let may_synchronise = has_barrier(&body);
            return Stmt::Range(RangeLoop { variable, bounds: Some((low, high)), may_synchronise, body });
        }
        let stmt = if self.takes("let") {
            let variable = self.name();
            self.expect("=");
            Stmt::Assign(variable, self.sum())
        } else {
            let is_write = !self.takes("read");
            let array = self.name();
            self.expect("[");
            let index = self.sum();
            self.expect("]");
            if is_write {
                self.expect("=");
                self.expect("0");
            }
            self.sites += 1;
            Stmt::Access(Access { array, index, site: self.sites, is_write })
        };
        self.expect(";");
        stmt
    }

    fn test(&mut self) -> Test<Name> {
        let left = self.sum();
        match () {
            () if self.takes("==") => Test::Equal(left, self.sum()),
            () if self.takes("<") => Test::Less(left, self.sum()),
            () => {
                self.expect(">");
                Test::Less(self.sum(), left)
            }
        }
    }

    fn sum(&mut self) -> Expr<Name> {
        let mut left = self.product();
        loop {
            let op = match () {
                () if self.takes("+") => BinaryOp::Add,
                () if self.takes("-") => BinaryOp::Sub,
                () => return left,
            };
            left = Expr::Binary(Operator::Arithmetic(op), Box::new(left), Box::new(self.product()));
        }
    }

    fn product(&mut self) -> Expr<Name> {
        let mut left = self.factor();
        loop {
            let op = match () {
                () if self.takes("*") => BinaryOp::Mul,
                () if self.takes("%") => BinaryOp::TruncRem,
                () if self.takes("/") => BinaryOp::TruncDiv,
                () if self.takes("^") => BinaryOp::Xor,
                () => return left,
            };
            left = Expr::Binary(Operator::Arithmetic(op), Box::new(left), Box::new(self.factor()));
        }
    }

    fn factor(&mut self) -> Expr<Name> {
        if self.takes("(") {
            let inner = self.sum();
            self.expect(")");
            return inner;
        }
        self.rest = self.rest.trim_start();
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            let name = self.name();
            self.names.insert(name);
            return Expr::Variable(name, None);
        }
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        Expr::Constant(number.parse().expect("a number"))
    }
}

fn has_barrier(stmts: &[Stmt<Name, usize>]) -> bool {
    stmts.iter().any(|it| match it {
        Stmt::Barrier => true,
        Stmt::Range(it) => has_barrier(&it.body),
        Stmt::Branch(_, then, otherwise) => {
            has_barrier(then) || otherwise.as_deref().is_some_and(has_barrier)
        }
        _ => false,
    })
}
