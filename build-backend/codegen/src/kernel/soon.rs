//! What a later turn of a loop with barriers touches is asked for in this one. Such a turn (a plane of a stencil, a tile of a product) lies far in
//! memory from the one before, in short rows that are far from each other, which a processor does not foresee; and what it waits for itself
//! can only be a few lines at a time, fewer than its second cache asks for on its own. So they are asked for a row at a time, between the rows of the
//! turn's longest run, and short turns ask for a turn that is several later. (The stencil of `tests/bench`, one thread of an AMD EPYC: 9.5 ms
//! without; 7.0 with the next turn's lines asked for at once, 9.8 for the first cache; 5.5 row by row, three turns before.)

use rustc_hash::FxHashSet;

use super::cpu::Printer;
use super::plan::Node;
use super::threads::Turn;
use super::turns::{Turns, Wish, mentioned_in};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// More than these would be in each other's way, and in that of what the turn itself reads.
const MOST_WISHES: usize = 24;
/// Bytes of a line of the caches.
const LINE: i64 = 64;
/// How many turns a loop in a turn is taken to have, if its text does not say it.
const TURNS: usize = 8;

impl<'k> Printer<'_, '_, 'k> {
    /// Asks for what a later turn of a loop touches; `body` is the loop's.
    pub(super) fn soon(&mut self, stmt: &'k Stmt, body: &[Node<'k>]) {
        // Rows of one thread or two are no rows.
        if self.chunk().is_none() {
            return;
        }
        let turns = Turns::of(self.plan, stmt);
        let mut wishes = Vec::new();
        if !turns.steps.is_empty() {
            turns.nodes(body, &mut wishes);
        }
        if !(1..=MOST_WISHES).contains(&count(&wishes)) {
            return;
        }
        self.labels += 1;
        let number = self.labels;
        let accesses: usize = body.iter().map(accesses).sum();
        self.code.out.line(format!("const apg_i64 later_ = apg_turns_ahead({accesses} * threads_);"));
        let (mut now, mut next) = (Vec::new(), Vec::new());
        for (number, step) in turns.steps.iter().enumerate() {
            let place = self.code.local(step.local);
            let (ty, name) = match step.is_offset {
                true => ("apg_i64".to_owned(), format!("{}_u", place.text)),
                false => (self.code.ty(place.ty), place.text),
            };
            let (sign, by) = (if step.minus { '-' } else { '+' }, self.code.wide_value(step.by));
            self.code.out.line(format!("const {ty} soon{number}_ = ({ty})({name} {sign} later_ * {by});"));
            next.push(format!("const {ty} {name} = soon{number}_; (void){name};"));
            now.push(format!("const {ty} {name}"));
        }
        let unsure = self.distances(&turns, &wishes, &now);
        // A function, for it has names of its own: those of this turn.
        self.code.out.open(format!("const auto ask{number}_ = [&](const apg_i64 t1_, const apg_i64 t2_) {{"));
        self.code.out.line("(void)t1_; (void)t2_;");
        self.code.out.open("if constexpr (proven_) {");
        for line in next {
            self.code.out.line(line);
        }
        self.made(&turns);
        let lane = LINE / widest(&turns, &wishes);
        self.code.out.open(format!("for (apg_i64 t0_ = 0; t0_ < n0_; t0_ += {lane}) {{"));
        self.indices(&Turn::of_block(), "t0_");
        let mut locals = FxHashSet::default();
        mentioned(&wishes, &mut locals);
        self.declare_derived(&locals);
        self.ask(&wishes, &unsure);
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.out.close("};");
        self.code.twins.clear();
        self.place(number, body);
    }

    /// Where rows are asked for: between those of the longest run of the turn; if it has none, or rows are whole blocks, at once.
    fn place(&mut self, number: u32, body: &[Node<'k>]) {
        let runs = body.iter().filter(|it| matches!(it, Node::Run(_)));
        match runs.max_by_key(|it| accesses(it)) {
            Some(longest) if self.axes() > 1 => {
                let t2 = if self.axes() > 2 { "t2_" } else { "0" };
                self.rows_begin.insert(std::ptr::from_ref(longest), format!("ask{number}_(t1_, {t2});"));
            }
            _ => {
                self.code.out.line("for (apg_i64 t2_ = 0; t2_ < n2_; ++t2_)");
                self.code
                    .out
                    .line(format!("for (apg_i64 t1_ = 0; t1_ < n1_; ++t1_) ask{number}_(t1_, t2_);"));
            }
        }
    }

    /// What a turn makes of its steps.
    fn made(&mut self, turns: &Turns<'_, 'k>) {
        for (local, value) in &turns.made {
            let place = self.code.local(*local);
            let (ty, value) = (self.code.ty(place.ty), self.code.expr(value));
            self.code.out.line(format!("const {ty} {0} = ({ty})({value}); (void){0};", place.text));
        }
    }

    /// Finds out when the program runs how far the next turn is, where the program's text does not say it: the first thread's places in
    /// both turns are in `now_` and `then_`, in the order of the result. `parameters` are what steps.
    fn distances(
        &mut self,
        turns: &Turns<'_, 'k>,
        wishes: &[Wish<'k>],
        parameters: &[String],
    ) -> Vec<&'k Expr> {
        let mut unsure = Vec::new();
        indices_of_unknown_distance(wishes, &mut unsure);
        if unsure.is_empty() {
            return unsure;
        }
        self.code.out.open(format!("const auto first_ = [&]({}, apg_i64 *at_) {{", parameters.join(", ")));
        self.code.out.line("const apg_i64 t0_ = 0, t1_ = 0, t2_ = 0; (void)t1_; (void)t2_;");
        self.made(turns);
        self.indices(&Turn::of_block(), "t0_");
        let mut locals = FxHashSet::default();
        unsure.iter().for_each(|it| mentioned_in(it, &mut locals));
        self.declare_derived(&locals);
        for (number, index) in unsure.iter().enumerate() {
            let index = self.code.wide_value(index);
            self.code.out.line(format!("at_[{number}] = {index};"));
        }
        self.code.out.close("};");
        self.code.twins.clear();
        let count = unsure.len();
        self.code.out.line(format!("apg_i64 now_[{count}], then_[{count}];"));
        let names: Vec<&str> = parameters.iter().filter_map(|it| it.split(' ').next_back()).collect();
        self.code.out.line(format!("first_({}, now_);", names.join(", ")));
        let next: Vec<String> = (0..names.len()).map(|it| format!("soon{it}_")).collect();
        self.code.out.line(format!("first_({}, then_);", next.join(", ")));
        unsure
    }

    fn ask(&mut self, wishes: &[Wish<'k>], unsure: &[&'k Expr]) {
        let mut asked: Vec<String> = Vec::new();
        for wish in wishes {
            match wish {
                Wish::Element { rail, index, .. } => {
                    let Some(rail) = self.code.local(*rail).rail else { continue };
                    let text = self.code.wide_value(index);
                    let mut line = format!("apg_ask({}, {text});", rail.data);
                    if let Some(number) = unsure.iter().position(|it| std::ptr::eq(*it, *index)) {
                        line = format!(
                            "if (apg_is_far({}, now_[{number}], then_[{number}], later_)) {line}",
                            rail.data
                        );
                    }
                    if !asked.contains(&line) {
                        self.code.out.line(&line);
                        asked.push(line);
                    }
                }
                Wish::If(condition, then, otherwise) => {
                    let condition = self.code.expr(condition);
                    self.code.out.open(format!("if ({condition}) {{"));
                    self.ask(then, unsure);
                    if !otherwise.is_empty() {
                        self.code.out.between("} else {");
                        self.ask(otherwise, unsure);
                    }
                    self.code.out.close("}");
                }
            }
        }
    }
}

/// How often a thread touches memory in a part of a turn, about.
fn accesses(node: &Node<'_>) -> usize {
    let all = |nodes: &[Node<'_>]| nodes.iter().map(accesses).sum::<usize>();
    match node {
        Node::Run(stmts) => stmts.iter().map(|it| accesses_of(it)).sum(),
        Node::Stride(stride) => TURNS * stride.body.iter().map(accesses_of).sum::<usize>(),
        Node::If(_, then, otherwise) => all(then) + all(otherwise),
        Node::Loop(_, body, update) => TURNS * (all(body) + all(update)),
        Node::Labeled(_, body) | Node::Warps(body) => all(body),
        Node::Switch(_, cases) => cases.iter().map(|it| all(it)).sum(),
        Node::Uniform(_) | Node::Offset(_) | Node::Together(_) | Node::Jump(_) => 0,
    }
}

fn accesses_of(stmt: &Stmt) -> usize {
    let mut found = 0;
    let this = std::slice::from_ref(stmt);
    visit_exprs(this, &mut |it, _| found += usize::from(matches!(it.kind, ExprKind::Element { .. })));
    visit_stmts(this, &mut |it| match &it.kind {
        StmtKind::SetElement { .. } => found += 1,
        StmtKind::Loop { body, .. } => found += (TURNS - 1) * body.iter().map(accesses_of).sum::<usize>(),
        _ => {}
    });
    found
}

fn count(wishes: &[Wish<'_>]) -> usize {
    let of = |wish: &Wish<'_>| match wish {
        Wish::Element { .. } => 1,
        Wish::If(_, then, otherwise) => count(then) + count(otherwise),
    };
    wishes.iter().map(of).sum()
}

fn indices_of_unknown_distance<'k>(wishes: &[Wish<'k>], found: &mut Vec<&'k Expr>) {
    for wish in wishes {
        match wish {
            Wish::Element { index, by: None, .. } => found.push(index),
            Wish::Element { .. } => {}
            Wish::If(_, then, otherwise) => {
                indices_of_unknown_distance(then, found);
                indices_of_unknown_distance(otherwise, found);
            }
        }
    }
}

/// The size of the widest element, in bytes.
fn widest(turns: &Turns<'_, '_>, wishes: &[Wish<'_>]) -> i64 {
    let of = |wish: &Wish<'_>| match wish {
        Wish::Element { rail, .. } => turns.element_bytes(*rail).unwrap_or(1),
        Wish::If(_, then, otherwise) => widest(turns, then).max(widest(turns, otherwise)),
    };
    wishes.iter().map(of).max().unwrap_or(1)
}

fn mentioned(wishes: &[Wish<'_>], found: &mut FxHashSet<LocalId>) {
    for wish in wishes {
        match wish {
            Wish::Element { index, .. } => mentioned_in(index, found),
            Wish::If(condition, then, otherwise) => {
                mentioned_in(condition, found);
                mentioned(then, found);
                mentioned(otherwise, found);
            }
        }
    }
}
