//! Host statements that need exceptions or the runtime.
//!
//! A handler's code runs outside of the C++ catch block, which only stores the exception: an activity may be
//! suspended in a handler and resume in another thread, where C++'s own stack of caught exceptions would be
//! wrong.

use apg_runtime::layout::launch;

use super::code::{Code, Jump, Scope};
use apg_mir::*;

impl Code<'_> {
    /// Prints a statement that only hosts have.
    pub(crate) fn host_stmt(&mut self, kind: &StmtKind) {
        // Code after the inner statements is attributed to this statement all the same.
        let span = self.span;
        match kind {
            StmtKind::Throw(value) => {
                let value = self.expr(value);
                self.out.line(format!("apg_throw({value});"));
            }
            StmtKind::Try { body, catches, finally } if finally.is_empty() && catches.is_empty() => {
                self.stmts(body)
            }
            StmtKind::Try { body, catches, finally } if finally.is_empty() => self.try_catch(body, catches),
            StmtKind::Try { body, catches, finally } => {
                self.protected(
                    |code| {
                        if catches.is_empty() { code.stmts(body) } else { code.try_catch(body, catches) }
                    },
                    |code, _| code.stmts(finally),
                );
            }
            StmtKind::Finish { body, clocked } => {
                let (begin, end) = match clocked {
                    true => ("apg_finish_begin(true)", "apg_finish_end"),
                    false => ("apg_finish_open()", "apg_finish_close"),
                };
                self.out.line(format!("{begin};"));
                self.protected(
                    |code| code.stmts(body),
                    |code, number| {
                        code.at(span);
                        // It raises the exceptions of the body and of the activities.
                        code.out.line(format!(
                            "apg_object *f{number} = e{number}; e{number} = nullptr; {end}(f{number});"
                        ));
                    },
                );
            }
            StmtKind::Atomic(body) => {
                self.out.line("apg_atomic_begin();");
                self.protected(
                    |code| code.stmts(body),
                    |code, _| {
                        code.at(span);
                        code.out.line("apg_atomic_end();");
                    },
                );
            }
            StmtKind::When(branches) => self.when(branches),
            StmtKind::Async { closure, clocks } => self.spawn(None, closure, clocks, false),
            StmtKind::AsyncAt { place, closure, clocks, raise_at_sender } => {
                self.spawn(Some(place), closure, clocks, *raise_at_sender);
            }
            StmtKind::At { place, closure } => {
                let text =
                    self.ordered(&[place, closure], |_, text| format!("apg_at({}, {})", text[0], text[1]));
                self.out.line(format!("{text};"));
            }
            StmtKind::Launch { place, kernel, captures, fallback_activity, captures_stable } => {
                let about = i32::from(*captures_stable) * launch::SETTLED
                    + i32::from(self.program.has_native_code) * launch::FOREIGN;
                self.launch(place, *kernel, captures, fallback_activity.as_ref(), about);
            }
            _ => {
                self.fail("a statement of a kernel in host code".into());
            }
        }
    }

    /// Prints a body with exception handlers.
    fn try_catch(&mut self, body: &[Stmt], catches: &[Catch]) {
        let number = self.fresh();
        self.out.open("{");
        self.out.line(format!("apg_object *e{number} = nullptr;"));
        self.out.open("try {");
        self.stmts(body);
        self.out.close(format!("}} catch (apg_object *x_) {{ e{number} = x_; apg_clear_dead_frames(); }}"));
        self.out.open(format!("if (e{number}) {{"));
        for (index, catch) in catches.iter().enumerate() {
            let descriptor = self.descriptor(catch.class);
            let test = format!("if (apg_is(e{number}, {descriptor})) {{");
            if index == 0 {
                self.out.open(test);
            } else {
                self.out.between(format!("}} else {test}"));
            }
            let variable = self.local(catch.local);
            self.out.line(format!("{} = e{number};", variable.text));
            self.stmts(&catch.body);
        }
        self.out.close(format!("}} else apg_throw(e{number});"));
        self.out.close("}");
        self.out.close("}");
    }

    /// Prints a body with cleanup code that runs on every exit.
    fn protected(&mut self, body: impl FnOnce(&mut Self), cleanup: impl FnOnce(&mut Self, u32)) {
        let number = self.fresh();
        self.out.open("{");
        self.out.line(format!("apg_object *e{number} = nullptr; int w{number} = 0; (void)w{number};"));
        self.scopes.push(Scope::Cleanup { number, exits: Vec::new() });
        self.out.open("try {");
        body(self);
        self.out.close(format!("}} catch (apg_object *x_) {{ e{number} = x_; apg_clear_dead_frames(); }}"));
        let exits = match self.scopes.pop() {
            Some(Scope::Cleanup { exits, .. }) => exits,
            _ => Vec::new(),
        };
        if !exits.is_empty() {
            self.out.line(format!("c{number}: ;"));
        }
        self.out.open("{");
        cleanup(self, number);
        self.out.close("}");
        self.out.line(format!("if (e{number}) apg_throw(e{number});"));
        self.exits(number, &exits);
        self.out.close("}");
    }

    /// Prints the jumps that continue after a cleanup.
    fn exits(&mut self, number: u32, exits: &[Jump]) {
        for (index, jump) in exits.iter().enumerate() {
            self.out.open(format!("if (w{number} == {}) {{", index + 1));
            self.jump(*jump);
            self.out.close("}");
        }
    }

    /// Prints a `when`: evaluates guards in order until one holds. The atomic section is held throughout,
    /// except while waiting.
    fn when(&mut self, branches: &[WhenBranch]) {
        let span = self.span;
        self.out.line("apg_when_begin();");
        self.protected(
            |code| {
                code.out.open("for (;;) {");
                code.scopes.push(Scope::Opaque);
                for branch in branches {
                    code.stmts(&branch.setup);
                    let condition = code.expr(&branch.condition);
                    code.out.open(format!("if ({condition}) {{"));
                    code.stmts(&branch.body);
                    code.out.line("break;");
                    code.out.close("}");
                }
                code.scopes.pop();
                code.at(span);
                code.out.line("apg_when_wait();");
                code.out.close("}");
            },
            |code, _| code.out.line("apg_atomic_end();"),
        );
    }

    fn spawn(&mut self, place: Option<&Expr>, closure: &Expr, clocks: &Clocks, raise_at_sender: bool) {
        let mut operands: Vec<&Expr> = place.into_iter().collect();
        operands.push(closure);
        let text = match clocks {
            Clocks::None if raise_at_sender => {
                self.ordered(&operands, |_, text| format!("apg_at_async({})", text.join(", ")))
            }
            Clocks::None => {
                let entry = if place.is_some() { "async_at" } else { "spawn" };
                self.ordered(&operands, |_, text| format!("apg_{entry}({})", text.join(", ")))
            }
            Clocks::Uncounted => {
                let entry = if place.is_some() { "async_at_uncounted" } else { "async_uncounted" };
                self.ordered(&operands, |_, text| format!("apg_{entry}({})", text.join(", ")))
            }
            Clocks::Implicit => {
                let entry = if place.is_some() { "async_at_clocked" } else { "async_clocked" };
                self.ordered(&operands, |_, text| format!("apg_{entry}({})", text.join(", ")))
            }
            Clocks::Listed(clocks) => {
                let entry = if place.is_some() { "async_at_on_clocks" } else { "async_on_clocks" };
                let first = operands.len();
                operands.extend(clocks);
                self.ordered(&operands, |_, text| {
                    let (operands, clocks) = text.split_at(first);
                    format!(
                        "({{ apg_object *clocks_[] = {{{}}}; apg_{entry}({}, clocks_, {}); }})",
                        clocks.join(", "),
                        operands.join(", "),
                        clocks.len()
                    )
                })
            }
        };
        self.out.line(format!("{text};"));
    }

    /// Prints a kernel launch. Captured arrays are kept alive until the launch ends.
    fn launch(
        &mut self,
        place: &Expr,
        kernel: KernelId,
        captures: &[Expr],
        fallback_activity: Option<&Expr>,
        about: i32,
    ) {
        self.used.kernels.insert(kernel);
        let symbol = self.names.kernels[kernel.index()].clone();
        let item = &self.program.kernels[kernel.index()];
        self.out.open("{");
        let place = self.expr(place);
        self.out.line(format!("apg_i64 place_ = {place};"));
        let mut members = Vec::new();
        let mut alive = Vec::new();
        for (index, (capture, value)) in item.captures.iter().zip(captures).enumerate() {
            let text = self.expr(value);
            let name = format!("c{index}_");
            match capture.kind {
                KernelCaptureKind::Scalar(ty) => {
                    let ty = self.ty(ty);
                    self.out.line(format!("{ty} {name} = {text};"));
                    members.push(name);
                }
                KernelCaptureKind::Buffer { .. } | KernelCaptureKind::ConstantBuffer { .. } => {
                    self.out.line(format!("apg_object *{name} = {text};"));
                    members.push(format!("apg_rail_data({name})"));
                    alive.push(name);
                }
                KernelCaptureKind::GlobalBuffer { .. } => {
                    let ty = self.ty(value.ty);
                    self.out.line(format!("{ty} {name} = {text};"));
                    members.push(format!("apg_bits<apg_global_rail>({name})"));
                }
            }
        }
        self.out.line(format!("E{symbol} env_ = {{{}}};", members.join(", ")));
        match fallback_activity.map(|it| self.expr(it)) {
            Some(closure) => {
                self.out.line(format!("apg_kernel_start(place_, &{symbol}, &env_, {closure}, {about});"));
            }
            None if self.program.has_object_heap() => {
                self.out.line(format!("apg_kernel_launch(place_, &{symbol}, &env_, {about});"));
            }
            None => self.out.line(format!("apg_run_kernel(place_, &{symbol}, &env_);")),
        }
        for name in alive {
            self.out.line(format!("apg_alive({name});"));
        }
        self.out.close("}");
    }
}
