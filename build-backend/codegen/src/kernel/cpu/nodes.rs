//! Prints the nodes of a region tree that all threads of a block execute alike: uniform statements, branches,
//! loops and collective operations.

use apg_passes::kernel_ir::{Branch, LoopNode, Node, SwitchNode};
use rustc_hash::FxHashSet;

use super::printer::Printer;
use crate::code::{LocalSpelling, Scope, ThreadIndexing};
use apg_mir::*;
use apg_passes::analysis::induction_step::as_step;
use apg_passes::analysis::locals::locals_of;

impl Printer<'_, '_> {
    pub(super) fn print_nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.code.out.no_position();
            match node {
                Node::Barrier => {}
                Node::Region(region) if self.in_warp => self.print_warp_region(region.stmts()),
                Node::Region(region) => self.print_region(region),
                Node::Warps(body) => self.print_warps(body),
                Node::GridStride(stride) => self.print_grid_stride(stride),
                Node::Uniform(stmt) | Node::Jump(stmt) => self.code.stmt(stmt),
                Node::Offset(stmt) => self.print_offset(stmt),
                Node::Collective(stmt) => self.print_collective(stmt),
                Node::If(branch) => self.print_branch(branch),
                Node::Loop(repeat) => self.print_loop_node(repeat),
                Node::Unrolled(unrolled) => self.print_unrolled_loop(unrolled),
                Node::Labeled(label, body) => {
                    self.code.scopes.push(Scope::Labeled { label: *label, used: false });
                    self.code.out.open("{");
                    self.print_nodes(body);
                    self.code.out.close("}");
                    if let Some(Scope::Labeled { used: true, .. }) = self.code.scopes.pop() {
                        self.code.out.line(format!("b{}: ;", label.0));
                    }
                }
                Node::Switch(switch) => self.print_switch(switch),
            }
        }
    }

    /// Prints a uniform step of a rematerialised local, or the reset of its offset.
    fn print_offset(&mut self, stmt: &Stmt) {
        let StmtKind::Set { local, value } = &stmt.kind else { return };
        self.code.at(stmt.span);
        let name = self.code.local(*local).text;
        let line = match as_step(value, *local) {
            None => format!("{name}_u = 0;"),
            Some((by, minus)) => {
                let sign = if minus { "-" } else { "+" };
                format!("{name}_u {sign}= {};", self.code.wide_value(by))
            }
        };
        self.code.out.line(line);
    }

    /// Prints a collective operation of a warp or block: a call whose operands are functions of the thread's
    /// rank, and whose result is one value or an array.
    fn print_collective(&mut self, stmt: &Stmt) {
        let StmtKind::Set { local, value } = &stmt.kind else { return };
        let ExprKind::Collective { operation, args } = &value.kind else { return };
        self.code.at(stmt.span);
        if let Some(call) = operation.slot_call() {
            return self.print_slot_call(call, args, *local);
        }
        let (count, rank, thread) = match self.in_warp {
            true => ("lanes_", "apg_i64 lane_", "const apg_i64 r_ = base_ + lane_; "),
            false => ("threads_", "apg_i64 r_", ""),
        };
        let mut text = vec![count.to_owned()];
        let shifts = operation.name.starts_with("warp_shuffle");
        for (position, arg) in args.iter().enumerate() {
            if shifts && position == 1 && self.ir.is_uniform(arg, &FxHashSet::default()) {
                text.push(self.code.expr(arg));
                continue;
            }
            let ty = self.code.ty(arg.ty);
            let value = self.code.expr(arg);
            if let Some(array) = self.operand_array(arg, *local) {
                text.push(format!("apg_in_array<{ty}>{{{array}}}"));
                continue;
            }
            let names = self.thread_declarations(&locals_of(arg));
            text.push(format!("[&]({rank}) -> {ty} {{ {thread}(void)r_; {names}return {value}; }}"));
        }
        let ty = self.code.ty(args.first().map_or(value.ty, |it| it.ty));
        let spelling = self.code.local(*local);
        let which = if self.has_inactive_lanes { "first_of_" } else { "" };
        let call = |text: &[String]| format!("apg_{which}{}<{ty}>({})", operation.name, text.join(", "));
        let line = match self.thread_array(&spelling) {
            Some(all) if !operation.is_uniform => {
                text.insert(0, all);
                format!("{};", call(&text))
            }
            _ => format!("{} = {};", spelling.text, call(&text)),
        };
        self.code.out.line(line);
    }

    /// The array that already holds an operand of all threads, unless the result goes there.
    fn operand_array(&self, operand: &Expr, result: LocalId) -> Option<String> {
        let ExprKind::Local(local) = operand.kind else { return None };
        let spelling = self.code.local(local);
        let is_number = local != result && spelling.stack.is_none();
        is_number.then(|| self.thread_array(&spelling)).flatten()
    }

    /// The array of a local with an element for each thread that takes part in a collective operation.
    fn thread_array(&self, spelling: &LocalSpelling) -> Option<String> {
        let array = spelling.array.as_ref()?;
        Some(match array.index {
            ThreadIndexing::Block if self.in_warp => format!("{} + base_", array.name),
            ThreadIndexing::Block | ThreadIndexing::Warp => array.name.clone(),
        })
    }

    fn print_branch(&mut self, branch: &Branch<Node>) {
        self.code.at(branch.span);
        let condition = self.uniform_value(&branch.condition);
        self.code.out.open(format!("if ({condition}) {{"));
        self.print_nodes(&branch.then);
        if !branch.otherwise.is_empty() {
            self.code.out.between("} else {");
            self.print_nodes(&branch.otherwise);
        }
        self.code.out.close("}");
    }

    pub(super) fn print_loop_node(&mut self, repeat: &LoopNode) {
        let LoopNode { label, post_tested, body, update, .. } = repeat;
        self.code.at(repeat.span);
        let condition = self.uniform_value(&repeat.condition);
        let head = if *post_tested { "do {".to_owned() } else { format!("while ({condition}) {{") };
        self.code.out.open(head);
        self.code.scopes.push(Scope::Breakable {
            label: *label,
            is_loop: true,
            break_used: false,
            continue_used: false,
        });
        let around = self.row_prefetch.clone();
        if let Some(plan) = &repeat.prefetch {
            self.print_prefetch(plan);
        }
        self.code.out.open("{");
        self.print_nodes(body);
        self.code.out.close("}");
        self.row_prefetch = around;
        if let Some(Scope::Breakable { continue_used: true, .. }) = self.code.scopes.last() {
            self.code.out.line(format!("n{}: ;", label.0));
        }
        self.print_nodes(update);
        let scope = self.code.scopes.pop();
        self.code.out.close(if *post_tested { format!("}} while ({condition});") } else { "}".to_owned() });
        if let Some(Scope::Breakable { break_used: true, .. }) = scope {
            self.code.out.line(format!("b{}: ;", label.0));
        }
    }

    fn print_switch(&mut self, switch: &SwitchNode) {
        let SwitchNode { label, value, cases, .. } = switch;
        self.code.at(switch.span);
        let text = self.uniform_value(value);
        self.code.out.open(format!("switch ({text}) {{"));
        self.code.scopes.push(Scope::Breakable {
            label: *label,
            is_loop: false,
            break_used: false,
            continue_used: false,
        });
        for (labels, body) in cases {
            for case in labels {
                let text = match case {
                    Some(case) => format!("case {}:", self.code.integer(*case, value.ty)),
                    None => "default:".into(),
                };
                self.code.out.line(text);
            }
            self.code.out.open("{");
            self.print_nodes(body);
            self.code.out.close("}");
        }
        let scope = self.code.scopes.pop();
        self.code.out.close("}");
        if let Some(Scope::Breakable { break_used: true, .. }) = scope {
            self.code.out.line(format!("b{}: ;", label.0));
        }
    }
}
