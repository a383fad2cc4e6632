//! Statements shared by all targets: assignments, branches, loops and jumps. `control` has those that exist
//! on hosts only.

use super::code::{Code, Jump, Scope, Target};
use apg_mir::*;
use apg_passes::kernel_ir::UnrollFactor;

impl Code<'_> {
    /// Prints statements in order.
    pub(crate) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    /// Prints a statement.
    pub(crate) fn stmt(&mut self, stmt: &Stmt) {
        self.at(stmt.span);
        match &stmt.kind {
            StmtKind::Set { local, .. } if self.local(*local).stack.is_some() => {
                let spelling = self.local(*local);
                let element = spelling.rail.map_or(format!("{}[i_]", spelling.text), |it| it.element("i_"));
                let (ty, length) = spelling.stack.unwrap_or((Ty::Void, 0));
                let ty = self.ty(ty);
                self.out.line(format!("for (int i_ = 0; i_ < {length}; ++i_) {element} = {ty}{{}};"));
            }
            StmtKind::Set { local, .. } if self.rematerialized.contains(local) => {}
            StmtKind::Set { local, value } => {
                let spelling = self.local(*local);
                let step = self.exact_step(*local, value);
                if matches!(value.ty, Ty::I32 | Ty::I64) && self.is_narrow(value) {
                    let full = step.unwrap_or_else(|| self.expr(value));
                    let short = self.narrow_value(value);
                    self.out.line(format!("{} = narrow_ ? {short} : ({full});", spelling.text));
                    return;
                }
                if let Some(step) = step {
                    self.out.line(format!("{} = {step};", spelling.text));
                    return;
                }
                // Values other than arithmetic on locals are not evaluated twice.
                let wide = (self.widened_locals.contains(local) && self.is_plain(value))
                    .then(|| self.wide_value(value));
                let value = self.expr(value);
                match wide {
                    Some(wide) => {
                        self.out.line(format!(
                            "{{ const apg_i64 w_ = {wide}; {0} = {value}; {0}_w = w_; }}",
                            spelling.text
                        ));
                    }
                    None => {
                        self.out.line(format!("{} = {value};", spelling.text));
                        if self.widened_locals.contains(local) {
                            self.out.line(format!("{0}_w = {0};", spelling.text));
                        }
                    }
                }
            }
            StmtKind::SetField { object, class, field, value, checked } => {
                let text = self.ordered_store(&[object, value], |code, text| {
                    format!("{} = {}", code.member(&text[0], *class, *field, *checked), text[1])
                });
                self.out.line(text);
            }
            StmtKind::SetStructField { local, field, value } => self.set_struct_field(*local, *field, value),
            StmtKind::SetElement { rail, element, index, value, checked } => {
                self.set_element(rail, *element, index, value, *checked);
            }
            StmtKind::SetStatic { field, value } => {
                self.used.statics.insert(*field);
                let value = self.expr(value);
                self.out.line(format!("{} = {value};", self.names.statics[field.index()]));
            }
            StmtKind::Expr(value) => {
                let value = self.expr(value);
                self.out.line(format!("(void)({value});"));
            }
            StmtKind::Block(body) => {
                self.out.open("{");
                self.stmts(body);
                self.out.close("}");
            }
            StmtKind::Outlined(body) => {
                // The runtime's backtraces recognise the name of a function in it (`_ZZ`).
                self.out.open("[&]() __attribute__((noinline)) {");
                self.stmts(body);
                self.out.close("}();");
            }
            StmtKind::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            StmtKind::Loop { label, condition, body, update, unroll, post_tested } => {
                self.repeat(*label, condition, body, update, *unroll, *post_tested);
            }
            StmtKind::Switch { label, value, cases } => self.switch(*label, value, cases),
            StmtKind::Labeled { label, body } => {
                self.scopes.push(Scope::Labeled { label: *label, used: false });
                self.out.open("{");
                self.stmts(body);
                self.out.close("}");
                if let Some(Scope::Labeled { used: true, .. }) = self.scopes.pop() {
                    self.out.line(format!("b{}: ;", label.0));
                }
            }
            StmtKind::Store { place, value } => self.store(place, value),
            StmtKind::Goto(label) => self.out.line(format!("goto g{};", label.0)),
            StmtKind::Target(label) => self.out.line(format!("g{}: ;", label.0)),
            StmtKind::Break(label) => self.jump(Jump::Break(*label)),
            StmtKind::Continue(label) => self.jump(Jump::Continue(*label)),
            StmtKind::Return(value) => self.leave(value.as_ref()),
            StmtKind::Barrier => self.barrier(),
            StmtKind::Native(native) if self.target == Target::Host => self.native(native),
            _ if self.target != Target::Host => {
                let what = statement_name(&stmt.kind);
                self.fail(format!("a kernel cannot contain {what}"));
            }
            _ => self.host_stmt(&stmt.kind),
        }
    }

    /// Prints a store whose operands are evaluated left to right, as a statement.
    pub(crate) fn ordered_store(
        &mut self,
        args: &[&Expr],
        build: impl FnOnce(&mut Self, &[String]) -> String,
    ) -> String {
        let text = self.ordered(args, build);
        format!("{text};")
    }

    fn set_struct_field(&mut self, local: LocalId, field: u32, value: &Expr) {
        let value = self.expr(value);
        let spelling = self.local(local);
        let Ty::Struct(id) = spelling.ty else {
            self.fail("a field of a local that is not a struct".into());
            return;
        };
        self.out.line(format!("{}.{} = {value};", spelling.text, self.struct_field_name(id, field)));
    }

    fn set_element(&mut self, rail: &Expr, element: Ty, index: &Expr, value: &Expr, checked: bool) {
        // C++ evaluates the right side of an assignment first, which is observable if it has effects or
        // raises an exception another operand could raise.
        let changes = super::expr::effect(value) == super::expr::Effect::Changes;
        if (changes || self.order_matters(&[rail, index, value])) && !self.target.is_kernel() {
            let ty = self.ty(element);
            let checked = checked && !self.program.unchecked;
            let access = if checked { "apg_element" } else { "apg_unchecked" };
            let text = self.ordered_store(&[rail, index, value], |_, text| {
                format!("{access}<{ty}>({}, {}) = {}", text[0], text[1], text[2])
            });
            self.out.line(text);
            return;
        }
        let value = self.expr(value);
        let element = self.element(rail, index, element, checked);
        self.out.line(format!("{element} = {value};"));
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let condition = self.expr(condition);
        self.out.open(format!("if ({condition}) {{"));
        self.stmts(then);
        if !otherwise.is_empty() {
            self.out.between("} else {");
            self.stmts(otherwise);
        }
        self.out.close("}");
    }

    fn repeat(
        &mut self,
        label: LabelId,
        condition: &Expr,
        body: &[Stmt],
        update: &[Stmt],
        unroll: Option<u32>,
        post_tested: bool,
    ) {
        let condition = self.expr(condition);
        let pipelined = self.pipelined_loops.remove(&label);
        let names =
            pipelined.as_ref().map(|it| self.print_pipeline_prologue(it, &condition)).unwrap_or_default();
        match self.unroll_factors.get(&label).copied().or(unroll.map(UnrollFactor::Times)) {
            Some(UnrollFactor::Times(count)) => {
                let vendor = if self.target == Target::Cuda { "" } else { "GCC " };
                self.out.line(format!("#pragma {vendor}unroll {count}"));
            }
            Some(UnrollFactor::Full) => self.out.line("#pragma unroll"),
            None => {}
        }
        let head = if post_tested { "do {".to_owned() } else { format!("while ({condition}) {{") };
        self.out.open(head);
        self.scopes.push(Scope::Breakable { label, is_loop: true, break_used: false, continue_used: false });
        if let Some(pipelined) = &pipelined {
            self.print_pipeline_stage(pipelined, &names, &condition);
        }
        self.out.open("{");
        self.stmts(body);
        self.out.close("}");
        if self.breakable_used().1 {
            self.out.line(format!("n{}: ;", label.0));
        }
        self.stmts(update);
        let (break_used, _) = self.breakable_used();
        self.scopes.pop();
        self.out.close(if post_tested { format!("}} while ({condition});") } else { "}".to_owned() });
        if break_used {
            self.out.line(format!("b{}: ;", label.0));
        }
        if pipelined.is_some() {
            self.out.close("}");
        }
    }

    /// Whether the innermost loop or switch is left by `goto`.
    fn breakable_used(&self) -> (bool, bool) {
        match self.scopes.last() {
            Some(Scope::Breakable { break_used, continue_used, .. }) => (*break_used, *continue_used),
            _ => (false, false),
        }
    }

    fn switch(&mut self, label: LabelId, value: &Expr, cases: &[(Vec<Option<i64>>, Vec<Stmt>)]) {
        let ty = value.ty;
        let value = self.expr(value);
        self.out.open(format!("switch ({value}) {{"));
        self.scopes.push(Scope::Breakable { label, is_loop: false, break_used: false, continue_used: false });
        for (labels, body) in cases {
            for value in labels {
                let text = match value {
                    Some(value) => format!("case {}:", self.integer(*value, ty)),
                    None => "default:".into(),
                };
                self.out.line(text);
            }
            self.out.open("{");
            self.stmts(body);
            self.out.close("}");
        }
        let (break_used, _) = self.breakable_used();
        self.scopes.pop();
        self.out.close("}");
        if break_used {
            self.out.line(format!("b{}: ;", label.0));
        }
    }

    fn leave(&mut self, value: Option<&Expr>) {
        let through_cleanup = self.scopes.iter().any(|it| matches!(it, Scope::Cleanup { .. }));
        match value {
            Some(value) if through_cleanup => {
                let value = self.expr(value);
                self.out.line(format!("result_ = {value};"));
                self.jump(Jump::Return);
            }
            Some(value) => {
                let value = self.expr(value);
                self.out.line(format!("return {value};"));
            }
            None => self.jump(Jump::Return),
        }
    }

    /// Prints a jump out of enclosing constructs, through the innermost cleanup on its way if there is one.
    pub(crate) fn jump(&mut self, jump: Jump) {
        let mut innermost_breakable = true;
        for index in (0..self.scopes.len()).rev() {
            match (&mut self.scopes[index], jump) {
                (Scope::Cleanup { number, exits }, _) => {
                    let number = *number;
                    let exit = exits.iter().position(|it| *it == jump).unwrap_or_else(|| {
                        exits.push(jump);
                        exits.len() - 1
                    });
                    self.out.line(format!("w{number} = {}; goto c{number};", exit + 1));
                    return;
                }
                (Scope::Breakable { label, is_loop, break_used, continue_used }, jump) => match jump {
                    Jump::Break(target) if target == *label => {
                        if innermost_breakable {
                            self.out.line("break;");
                        } else {
                            *break_used = true;
                            self.out.line(format!("goto b{};", target.0));
                        }
                        return;
                    }
                    Jump::Continue(target) if target == *label && *is_loop => {
                        *continue_used = true;
                        self.out.line(format!("goto n{};", target.0));
                        return;
                    }
                    _ => innermost_breakable = false,
                },
                (Scope::Labeled { label, used }, Jump::Break(target)) if *label == target => {
                    *used = true;
                    self.out.line(format!("goto b{};", target.0));
                    return;
                }
                (Scope::Thread, Jump::Return) => {
                    self.fail("a `return` in a thread of a kernel".to_owned());
                    return;
                }
                (Scope::Opaque, _) => innermost_breakable = false,
                _ => {}
            }
        }
        match jump {
            Jump::Return if self.result == Ty::Void => self.out.line("return;"),
            Jump::Return => self.out.line("return result_;"),
            Jump::Break(label) | Jump::Continue(label) => {
                self.fail(format!("a jump to label {} that does not enclose it", label.0));
            }
        }
    }

    fn barrier(&mut self) {
        match self.target {
            Target::Cuda => self.out.line("__syncthreads();"),
            Target::Cpu => {
                self.fail("a barrier that not every thread of the block reaches".into());
            }
            Target::Host => {
                self.fail("a kernel's barrier outside a kernel".into());
            }
        }
    }
}

/// The name of a statement in messages.
pub(crate) fn statement_name(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Throw(_) | StmtKind::Try { .. } => "exceptions",
        StmtKind::Async { .. } | StmtKind::AsyncAt { .. } | StmtKind::At { .. } => "activities",
        StmtKind::Finish { .. } => "a `finish`",
        StmtKind::Atomic(_) | StmtKind::When(_) => "`atomic` or `when`",
        StmtKind::Launch { .. } => "another kernel",
        _ => "this statement",
    }
}
