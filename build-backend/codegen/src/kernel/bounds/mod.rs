//! Which accesses of a kernel's threads stay inside their rails. The body is walked once, with a form for every integer local:
//! sums of the block's and the thread's index, of loops' turns and of what the host knows. What the host must know to be sure
//! is written down as a function that it evaluates at each launch; where that says yes, code without these checks is run.
//!
//! Soundness rests on three rules: a form is the value itself only under its `facts`; what a guard says is used only where
//! the guard holds; a local that changes in a way not understood is unknown from the loop's head on.

mod evaluate;
mod interpret;
mod loop_ranges;
mod narrow_i32;
mod permuted_locals;
mod refine;
mod symbolic;
mod widen_i64;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::code::{Code, Used};
use super::super::names::Names;
use apg_mir::*;
pub use loop_ranges::{assigned, mentions};
pub use narrow_i32::Narrowed;
use symbolic::{Book, Form, Num, Range};
pub use widen_i64::is_wide;

/// How many locals are looked behind for one index.
const MOST_EXPANDED: u32 = 48;

/// The last bit of [`Proof::AtLaunch`]; conditions beyond share it.
const LAST_CONDITION: usize = 31;

/// How much is known of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It is inside the rail, always.
    Inside,
    /// It is if the host says so at the launch: these of [`Bounds::conditions`] hold, a bit each.
    AtLaunch(u32),
    /// Nothing.
    Unknown,
}

impl Proof {
    /// What is known of an access that is seen twice.
    fn and(self, other: Proof) -> Proof {
        match (self, other) {
            (Proof::Inside, it) | (it, Proof::Inside) => it,
            (Proof::AtLaunch(a), Proof::AtLaunch(b)) => Proof::AtLaunch(a | b),
            (Proof::Unknown, _) | (_, Proof::Unknown) => Proof::Unknown,
        }
    }
}

/// What is known of a body's accesses.
#[derive(Default)]
pub struct Bounds {
    /// By the address of the index expression; of divisors, which must not be zero, by theirs.
    pub proofs: FxHashMap<*const Expr, Proof>,
    /// Host code of what follows.
    pub lines: Vec<String>,
    /// What accesses depend on at the launch: an expression for each bit.
    pub conditions: Vec<String>,
    /// Indices that are the same when they are computed with 64 bits, and steps of counters that do not wrap, by address.
    pub wide: FxHashSet<*const Expr>,
    /// The condition of that; none if it holds always.
    pub wide_condition: Option<String>,
    /// What is the same when a device computes it with 32 bits.
    pub narrow: Narrowed,
    /// The condition of that; none if it holds always.
    pub narrow_condition: Option<String>,
    /// What that code refers to.
    pub used: Used,
}

/// A length that the host knows.
#[derive(Clone)]
enum Bound {
    Number(Num),
    Host(String),
}

/// What holds at a point of the body.
#[derive(Clone, Default)]
struct State<'a> {
    /// Integer locals.
    values: FxHashMap<LocalId, Form>,
    /// Other names of rails.
    aliases: FxHashMap<LocalId, LocalId>,
    /// What integer locals were computed from, as long as that would still give the same.
    definitions: FxHashMap<LocalId, &'a Expr>,
    /// Boolean locals: what they were computed from.
    tests: FxHashMap<LocalId, &'a Expr>,
    /// What guards say of expressions, by [`evaluate::key`].
    narrow: FxHashMap<String, Form>,
    /// Forms that guards say are not negative.
    gaps: Vec<Form>,
    /// Conditions of the host under which this point is reached.
    path: Vec<String>,
}

struct Prover<'p, 'a> {
    code: Code<'p>,
    book: Book,
    state: State<'a>,
    /// Guards count.
    narrowed: bool,
    /// So many more locals are seen as what they were computed from, of which guards may say more than of them.
    expanded: u32,
    /// Captured values that nothing assigns.
    uniform: FxHashSet<LocalId>,
    lengths: FxHashMap<LocalId, Bound>,
    proofs: FxHashMap<*const Expr, Proof>,
    /// What accesses depend on at the launch.
    conditions: Vec<String>,
    /// See [`widen_i64::Wide`].
    wide: widen_i64::Wide,
    /// See [`narrow_i32::Narrow`].
    narrow: narrow_i32::Narrow,
}

/// Walks a kernel.
pub fn kernel(program: &Program, names: &Names, id: KernelId) -> Bounds {
    let kernel = &program.kernels[id.index()];
    let mut code = Code::new(program, names, super::super::code::Target::Host);
    super::host::captured_locals(&mut code, kernel);
    let mut prover = Prover::new(code, &kernel.body);
    let mut assigned = FxHashSet::default();
    loop_ranges::assigned(&kernel.body, &mut assigned);
    for (index, capture) in kernel.captures.iter().enumerate() {
        let local = LocalId(index as u32);
        match capture.kind {
            KernelCaptureKind::Scalar(_) if assigned.contains(&local) => {
                let text = prover.code.local(local).text;
                if evaluate::limits(kernel.locals[index].ty).is_some() {
                    let form = Form::point(prover.book.named(&text));
                    prover.state.values.insert(local, form);
                }
            }
            KernelCaptureKind::Scalar(_) => {
                prover.uniform.insert(local);
            }
            _ => {
                let length = prover.code.local(local).rail.map(|it| it.length).unwrap_or_default();
                prover.lengths.insert(local, Bound::Host(length));
            }
        }
    }
    let product = |what: &str| format!("(apg_i64)launch->{what}[0] * launch->{what}[1] * launch->{what}[2]");
    for (local, text) in [(kernel.auto_blocks, product("blocks")), (kernel.auto_threads, product("threads"))]
    {
        if let Some(local) = local {
            let form = Form::point(prover.book.named(&text));
            prover.state.values.insert(local, form);
        }
    }
    for (locals, extents, member) in [
        (&kernel.block_locals, &kernel.host.blocks, "blocks"),
        (&kernel.thread_locals, &kernel.host.threads, "threads"),
    ] {
        for (axis, local) in locals.iter().rev().enumerate() {
            let extent = match extents.iter().rev().nth(axis).and_then(super::constant) {
                Some(value) => Num::Known(value),
                None => prover.book.named(&format!("launch->{member}[{axis}]")),
            };
            let last = prover.book.sub(&extent, &Num::Known(1));
            let form = prover.book.atom((Some(Num::Known(0)), Some(last)), Default::default());
            prover.state.values.insert(*local, form);
        }
    }
    for (number, rail) in kernel.shared.iter().enumerate() {
        let bound = match kernel.host.shared_lengths.get(number).and_then(super::constant) {
            Some(value) => Bound::Number(Num::Known(value)),
            None => Bound::Host(format!("launch->shared_lengths[{number}]")),
        };
        prover.lengths.insert(rail.local, bound);
    }
    prover.shared(kernel);
    prover.stmts(&kernel.body);
    let given: FxHashSet<LocalId> = given_locals(kernel);
    prover.finish(|local| kernel.locals[local.index()].ty == Ty::I64 && !given.contains(&local))
}

/// The locals of a kernel that have values without assignments.
fn given_locals(kernel: &Kernel) -> FxHashSet<LocalId> {
    let captured = (0..kernel.captures.len() as u32).map(LocalId);
    let filled = kernel.shared.iter().filter_map(|it| match it.init {
        SharedInit::Function { index, .. } => Some(index),
        _ => None,
    });
    let numbers = kernel.block_locals.iter().chain(&kernel.thread_locals).copied();
    captured.chain(filled).chain(numbers).chain(kernel.auto_blocks).chain(kernel.auto_threads).collect()
}

/// Walks a function that kernels call: only what holds always is told.
pub fn function(program: &Program, names: &Names, function: &Function) -> Bounds {
    let mut code = Code::new(program, names, super::super::code::Target::Host);
    code.locals = Code::plain_locals(&function.locals);
    let mut prover = Prover::new(code, &function.body);
    prover.stmts(&function.body);
    let mut bounds = prover.finish(|_| false);
    for proof in bounds.proofs.values_mut() {
        if matches!(proof, Proof::AtLaunch(_)) {
            *proof = Proof::Unknown;
        }
    }
    bounds
}

impl<'p, 'a> Prover<'p, 'a> {
    fn new(code: Code<'p>, body: &[Stmt]) -> Prover<'p, 'a> {
        let mut lengths = FxHashMap::default();
        walk::visit_stmts(body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind
                && let ExprKind::AllocateRail { length, .. } = &value.kind
                && let Some(length) = super::constant(length)
            {
                lengths.insert(*local, Bound::Number(Num::Known(length)));
            }
        });
        Prover {
            code,
            book: Book::default(),
            state: State::default(),
            narrowed: true,
            expanded: 0,
            uniform: FxHashSet::default(),
            lengths,
            proofs: FxHashMap::default(),
            conditions: Vec::new(),
            wide: widen_i64::Wide::default(),
            narrow: narrow_i32::Narrow::new(body),
        }
    }

    /// What shared rails are filled with.
    fn shared(&mut self, kernel: &'a Kernel) {
        for rail in &kernel.shared {
            let SharedInit::Function { index, setup, value } = &rail.init else { continue };
            let before = self.state.clone();
            let last = match self.lengths.get(&rail.local).cloned() {
                Some(Bound::Number(number)) => number,
                Some(Bound::Host(text)) => self.book.named(&text),
                None => continue,
            };
            let last = self.book.sub(&last, &Num::Known(1));
            let form = self.book.atom((Some(Num::Known(0)), Some(last)), Default::default());
            self.state.values.insert(*index, form);
            self.stmts(setup);
            self.accesses(value);
            self.state = before;
        }
    }

    fn finish(self, own: impl Fn(LocalId) -> bool) -> Bounds {
        let all = |conditions: &[String]| (!conditions.is_empty()).then(|| conditions.join(" && "));
        let wide_condition = all(&self.wide.conditions());
        let narrow = self.narrow.finish(own);
        let narrow_condition = all(&narrow.conditions);
        let conditions = sharing_bits(self.conditions);
        let results = conditions.iter().chain(&wide_condition).chain(&narrow_condition);
        Bounds {
            lines: symbolic::needed(self.book.lines, results.map(String::as_str)),
            conditions,
            wide_condition,
            wide: self.wide.indices(),
            narrow,
            narrow_condition,
            proofs: self.proofs,
            used: self.code.used,
        }
    }

    /// An access with an index.
    fn access(&mut self, rail: &Expr, index: &'a Expr) {
        let proof = self.prove(rail, index).unwrap_or(Proof::Unknown);
        self.widen(index);
        self.narrow_index(index);
        // A body may be walked only once, but an access that is walked twice must hold both times.
        let entry = self.proofs.entry(std::ptr::from_ref(index)).or_insert(proof);
        *entry = entry.and(proof);
    }

    /// What is known of an index, in one way after the other.
    fn known(&mut self, index: &'a Expr, way: u32) -> Option<(Form, Range)> {
        (self.narrowed, self.expanded) = match way {
            0 | 1 => (false, 0),
            2 => (true, 0),
            _ => (true, MOST_EXPANDED),
        };
        let found = self.exact(index);
        (self.narrowed, self.expanded) = (true, 0);
        match way {
            1 => self.bounded_by_gaps(&found?.0),
            _ => found,
        }
    }

    /// A division or remainder of integers.
    fn division(&mut self, expr: &'a Expr) {
        let ExprKind::Operation { operation: Operation::Div | Operation::Rem, args } = &expr.kind else {
            return;
        };
        let [_, divisor] = args.as_slice() else { return };
        if evaluate::limits(divisor.ty).is_none() || super::constant(divisor).is_some() {
            return;
        }
        let proof = self.proven(divisor, not_zero).unwrap_or(Proof::Unknown);
        let entry = self.proofs.entry(std::ptr::from_ref(divisor)).or_insert(proof);
        *entry = entry.and(proof);
    }

    fn prove(&mut self, rail: &Expr, index: &'a Expr) -> Option<Proof> {
        let length = self.length(rail)?;
        self.proven(index, |range| inside(range, &length))
    }

    /// What is known of a value that must be in some range; `tests` says what must hold of its own range for that, or that it is not so.
    fn proven(&mut self, expr: &'a Expr, tests: impl Fn(&Range) -> Option<Vec<String>>) -> Option<Proof> {
        let mut ways: Vec<String> = Vec::new();
        for way in 0..4 {
            let Some((form, range)) = self.known(expr, way) else { continue };
            let Some(mut tests) = tests(&range) else { continue };
            let rough = self.book.rough();
            if form.facts.contains(&rough) && !tests.is_empty() {
                continue;
            }
            tests.extend(form.facts.iter().filter(|it| **it != rough).map(|it| format!("q{it}")));
            if tests.is_empty() {
                return Some(Proof::Inside);
            }
            let test = tests.join(" && ");
            if !ways.contains(&test) {
                ways.push(test);
            }
        }
        if ways.is_empty() {
            return None;
        }
        let mut text = if ways.len() == 1 { ways.remove(0) } else { format!("(({}))", ways.join(") || (")) };
        if !self.state.path.is_empty() {
            text = format!("(!({}) || ({text}))", self.state.path.join(" && "));
        }
        let fact = self.book.fact(text);
        let name = format!("q{fact}");
        let number = self.conditions.iter().position(|it| *it == name).unwrap_or(self.conditions.len());
        if number == self.conditions.len() {
            self.conditions.push(name);
        }
        Some(Proof::AtLaunch(1 << number.min(LAST_CONDITION)))
    }
}

/// Of an index: it is an element's.
fn inside((low, high): &Range, length: &Num) -> Option<Vec<String>> {
    let mut tests = Vec::new();
    match low.as_ref()? {
        Num::Known(0..) => {}
        Num::Known(_) => return None,
        Num::Text(text) => tests.push(format!("{text} >= 0")),
    }
    match (high.as_ref()?, length) {
        (Num::Known(high), Num::Known(length)) if high < length => {}
        (Num::Known(_), Num::Known(_)) => return None,
        (high, length) => tests.push(format!("{} < {}", high.text(), length.text())),
    }
    Some(tests)
}

/// Of a divisor.
fn not_zero((low, high): &Range) -> Option<Vec<String>> {
    match (low, high) {
        (Some(Num::Known(1..)), _) | (_, Some(Num::Known(..=-1))) => Some(Vec::new()),
        (Some(Num::Text(low)), Some(Num::Text(high))) if low == high => Some(vec![format!("{low} != 0")]),
        (Some(Num::Text(low)), _) => Some(vec![format!("{low} > 0")]),
        _ => None,
    }
}

/// The conditions that share the last bit become one.
fn sharing_bits(mut conditions: Vec<String>) -> Vec<String> {
    if conditions.len() > LAST_CONDITION {
        let rest = conditions.split_off(LAST_CONDITION).join(" && ");
        conditions.push(rest);
    }
    conditions
}
