//! A text notation of kernels for tests, read by recursive descent (Dragon Book, 4.4).
//!
//! ```text
//! threads t < 64; blocks b < n;
//! a[t] = 0;  a[0] += 1;  atomic a[0];  barrier;  vote;  read a[63 - t];
//! if (t < 32 and n < t) { ... } else { ... }     for (i in 0..7) { ... }     while (x < 9) { ... }
//! var x = t;  let x = t + 1;  break;  continue;
//! ```
//!
//! `vote` is a collective operation of a warp. Arrays lie in shared memory, those named `g` and `h` in global
//! memory. Names that are neither indices nor assigned are captured. The site of an access, a barrier or a
//! condition is its number in the text, that of the first division 101.

use std::collections::BTreeSet;
use std::rc::Rc;

use apg_kernels::index::Operator;
use apg_kernels::model::{RangeLoop, Scope, WhileLoop, for_each_stmt};
use apg_kernels::{Access, AccessKind, Axis, Guard, Kernel, Space, Stmt};
use apg_symbolic::BinaryOp;

type Expr = apg_kernels::Expr<Name, usize>;
type Test = apg_kernels::Test<Name, usize>;

pub(crate) type Name = char;
pub(crate) type TextKernel = Kernel<Name, usize>;
type Block = Vec<Stmt<Name, usize>>;

/// The number of divisions before the first one.
const FIRST_DIVISION: usize = 100;

/// The kernel that a text stands for.
pub(crate) fn kernel(text: &str) -> TextKernel {
    let mut reader = Reader { rest: text, sites: 0, divisions: 0, names: BTreeSet::new() };
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
        axes.push(Axis { variable: Some(variable), last });
        reader.expect(";");
    }
    let mut body: Vec<Block> = Vec::new();
    while !reader.rest.trim().is_empty() {
        body.push(vec![reader.stmt()]);
    }
    let mut captured = reader.names;
    threads.iter().chain(&blocks).for_each(|it| _ = it.variable.is_some_and(|it| captured.remove(&it)));
    for stmts in &body {
        for_each_stmt(stmts, &mut |stmt| match stmt {
            Stmt::Declare(name, _) | Stmt::Assign(name, _) => _ = captured.remove(name),
            Stmt::Range(it) => _ = captured.remove(&it.variable),
            _ => {}
        });
    }
    let mut kernel =
        Kernel { blocks, threads, captured: captured.into_iter().collect(), body, ..Kernel::default() };
    let defined = kernel.captured.iter().map(|it| (*it, Rc::new(Expr::Unknown))).collect();
    kernel.integers = defined;
    kernel
}

struct Reader<'t> {
    rest: &'t str,
    sites: usize,
    divisions: usize,
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

    fn site(&mut self) -> usize {
        self.sites += 1;
        self.sites
    }

    fn guard(&mut self) -> Guard<Name, usize> {
        self.expect("(");
        let test = self.test();
        self.expect(")");
        Guard { test, site: self.site() }
    }

    fn stmt(&mut self) -> Stmt<Name, usize> {
        match () {
            () if self.takes("barrier;") => return Stmt::Collective(self.site(), Scope::Block),
            () if self.takes("vote;") => return Stmt::Collective(self.site(), Scope::Warp),
            () if self.takes("break;") => return Stmt::Break(0),
            () if self.takes("continue;") => return Stmt::Continue(0),
            () => {}
        }
        if self.takes("if") {
            let guard = self.guard();
            let then = self.block();
            let otherwise = self.takes("else").then(|| self.block());
            return Stmt::Branch(guard, then, otherwise);
        }
        if self.takes("while") {
            let guard = Some(self.guard());
            let body = self.block();
            let (condition, update) = (Vec::new(), Vec::new());
            return Stmt::While(WhileLoop { guard, is_tested_first: true, condition, body, update });
        }
        if self.takes("for") {
            self.expect("(");
            let variable = self.name();
            self.expect("in");
            let low = self.sum();
            self.expect("..");
            let high = self.sum();
            self.expect(")");
            let site = self.site();
            let body = self.block();
            let may_synchronise = has_barrier(&body);
            let bounds = (low, high);
            return Stmt::Range(RangeLoop { variable, bounds, site, may_synchronise, body });
        }
        let stmt = if self.takes("let") {
            let variable = self.name();
            self.expect("=");
            Stmt::Assign(variable, self.sum())
        } else if self.takes("var") {
            let variable = self.name();
            self.expect("=");
            Stmt::Declare(variable, Some(self.sum()))
        } else {
            self.access()
        };
        self.expect(";");
        stmt
    }

    fn access(&mut self) -> Stmt<Name, usize> {
        let (is_read, is_atomic) = (self.takes("read"), self.takes("atomic"));
        let array = self.name();
        self.expect("[");
        let index = self.sum();
        self.expect("]");
        let kind = match () {
            () if is_read => AccessKind::Load,
            () if is_atomic => AccessKind::Atomic,
            () => {
                let is_update = self.takes("+=");
                if !is_update {
                    self.expect("=");
                }
                self.sum();
                AccessKind::Store { is_update }
            }
        };
        let space = if ['g', 'h'].contains(&array) { Space::Global } else { Space::Shared };
        Stmt::Access(Access { array, space, index, site: self.site(), kind })
    }

    fn test(&mut self) -> Test {
        let first = self.comparison();
        if !self.takes("and") {
            return first;
        }
        let mut all = vec![first, self.comparison()];
        while self.takes("and") {
            all.push(self.comparison());
        }
        Test::All(all)
    }

    fn comparison(&mut self) -> Test {
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

    fn sum(&mut self) -> Expr {
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

    fn product(&mut self) -> Expr {
        let mut left = self.factor();
        loop {
            let op = match () {
                () if self.takes("*") => BinaryOp::Mul,
                () if self.takes("%") => BinaryOp::TruncRem,
                () if self.takes("/") => BinaryOp::TruncDiv,
                () if self.takes("^") => BinaryOp::Xor,
                () if self.takes("&") => BinaryOp::And,
                () => return left,
            };
            let value = Expr::Binary(Operator::Arithmetic(op), Box::new(left), Box::new(self.factor()));
            left = match op {
                BinaryOp::TruncDiv | BinaryOp::TruncRem => {
                    self.divisions += 1;
                    Expr::Located(FIRST_DIVISION + self.divisions, Box::new(value))
                }
                _ => value,
            };
        }
    }

    fn factor(&mut self) -> Expr {
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
        Stmt::Collective(..) => true,
        Stmt::Range(it) => has_barrier(&it.body),
        Stmt::Branch(_, then, otherwise) => {
            has_barrier(then) || otherwise.as_deref().is_some_and(has_barrier)
        }
        _ => false,
    })
}
