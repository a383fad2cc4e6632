//! Printing of statements.

use super::*;
use crate::native::{Fragment, NativeCode};
use crate::text::names::{write_name, write_string};
use crate::text::types::element;

impl<'a> Printer<'a> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let around = self.span.replace(stmt.span);
            self.begin();
            self.stmt(stmt);
            self.span = around;
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(body) => self.scope_of(stmt, "", body),
            StmtKind::Outlined(body) => self.scope_of(stmt, "outlined", body),
            StmtKind::Atomic(body) => self.scope_of(stmt, "atomic", body),
            StmtKind::Finish { body, clocked: false } => self.scope_of(stmt, "finish", body),
            StmtKind::Finish { body, clocked: true } => self.scope_of(stmt, "finish clocked", body),
            StmtKind::Labeled { label, body } => self.scope_of(stmt, &format!("L{}:", label.0), body),
            StmtKind::If { condition, then, otherwise } => {
                self.push("if ");
                self.full_expr(condition);
                self.open_stmt(stmt);
                self.stmts(then);
                if !otherwise.is_empty() {
                    self.close_and_continue("else");
                    self.open();
                    self.stmts(otherwise);
                }
                self.close();
            }
            StmtKind::Loop { label, condition, body, update, unroll, post_tested } => {
                let word = if *post_tested { "do while" } else { "while" };
                let _ = write!(self.out, "L{}: {word} ", label.0);
                self.full_expr(condition);
                if let Some(times) = unroll {
                    let _ = write!(self.out, " unroll {times}");
                }
                self.open_stmt(stmt);
                self.stmts(body);
                if !update.is_empty() {
                    self.close_and_continue("update");
                    self.open();
                    self.stmts(update);
                }
                self.close();
            }
            StmtKind::Switch { label, value, cases } => {
                let _ = write!(self.out, "L{}: switch ", label.0);
                self.full_expr(value);
                self.open_stmt(stmt);
                for (constants, body) in cases {
                    self.begin();
                    self.push("case ");
                    self.list(constants, |printer, constant| match constant {
                        Some(constant) => {
                            let _ = write!(printer.out, "{constant}");
                        }
                        None => printer.push("default"),
                    });
                    self.open();
                    self.stmts(body);
                    self.close();
                }
                self.close();
            }
            StmtKind::Try { body, catches, finally } => {
                self.push("try");
                self.open_stmt(stmt);
                self.stmts(body);
                for catch in catches {
                    self.close_and_continue("catch ");
                    self.class(catch.class);
                    self.push(" ");
                    self.local(catch.local);
                    self.open();
                    self.stmts(&catch.body);
                }
                if !finally.is_empty() {
                    self.close_and_continue("finally");
                    self.open();
                    self.stmts(finally);
                }
                self.close();
            }
            StmtKind::When(branches) => self.when(stmt, branches),
            StmtKind::Native(native) => self.native(stmt, native),
            simple => {
                self.simple(simple);
                self.push(";");
                self.statement_span(stmt.span);
                self.end();
            }
        }
    }

    /// Ends the first line of a statement with `{`.
    fn open_stmt(&mut self, stmt: &Stmt) {
        self.push(" {");
        self.statement_span(stmt.span);
        self.end();
        self.indent += 1;
    }

    fn scope_of(&mut self, stmt: &Stmt, word: &str, body: &[Stmt]) {
        self.push(word);
        if word.is_empty() {
            self.push("{");
            self.statement_span(stmt.span);
            self.end();
            self.indent += 1;
        } else {
            self.open_stmt(stmt);
        }
        self.stmts(body);
        self.close();
    }

    fn when(&mut self, stmt: &Stmt, branches: &[WhenBranch]) {
        for (index, branch) in branches.iter().enumerate() {
            if index == 0 {
                self.push("when");
                self.open_stmt(stmt);
            } else {
                self.close_and_continue("or");
                self.open();
            }
            self.stmts(&branch.setup);
            self.close_and_continue("if ");
            self.full_expr(&branch.condition);
            self.open();
            self.stmts(&branch.body);
        }
        self.close();
    }

    fn native(&mut self, stmt: &Stmt, native: &NativeCode) {
        self.push("native");
        if let Some(ty) = native.result {
            self.push(" result ");
            self.ty(ty);
        }
        self.open_stmt(stmt);
        for (name, value) in &native.variables {
            self.begin();
            self.push("variable ");
            write_name(&mut self.out, name, 0, false);
            self.push(" = ");
            self.full_expr(value);
            self.push(";");
            self.end();
        }
        for fragment in &native.fragments {
            self.begin();
            match fragment {
                Fragment::Text(text) => {
                    self.push("text ");
                    write_string(&mut self.out, text);
                }
                Fragment::Value(value) => {
                    self.push("value ");
                    self.full_expr(value);
                }
                Fragment::Type(ty) => {
                    self.push("type ");
                    self.ty(*ty);
                }
                Fragment::Address(local) => {
                    self.push("address ");
                    self.local(*local);
                }
                Fragment::Field(class, field) => {
                    self.push("field ");
                    self.class(*class);
                    self.push(" ");
                    self.field_of_class(*class, *field);
                }
                Fragment::Line(span) => {
                    self.push("line ");
                    self.write_span(*span, None);
                }
            }
            self.push(";");
            self.end();
        }
        self.close();
    }

    /// Statements without nested ones.
    fn simple(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Set { local, value } => {
                self.local(*local);
                self.assigned(value);
            }
            StmtKind::SetField { object, class, field, value, checked } => {
                self.field_access(object, *class, *field, *checked);
                self.assigned(value);
            }
            StmtKind::SetStructField { local, field, value } => {
                let ty = self.locals.get(local.index()).map_or(Ty::Void, |it| it.ty);
                self.local(*local);
                self.push(".");
                self.field_of_struct(ty, *field);
                self.assigned(value);
            }
            StmtKind::SetElement { rail, element: ty, index, value, checked } => {
                self.element_access(rail, index, *checked);
                if element(&self.scope(), rail) != Some(*ty) {
                    self.push(":");
                    self.ty(*ty);
                }
                self.assigned(value);
            }
            StmtKind::SetStatic { field, value } => {
                self.push("static ");
                self.static_name(*field);
                self.assigned(value);
            }
            StmtKind::Store { place, value } => {
                self.push(if place.is_volatile { "store volatile " } else { "store " });
                self.place(place);
                self.assigned(value);
            }
            StmtKind::Goto(label) => {
                let _ = write!(self.out, "goto L{}", label.0);
            }
            StmtKind::Target(label) => {
                let _ = write!(self.out, "label L{}", label.0);
            }
            StmtKind::Expr(value) => self.full_expr(value),
            StmtKind::Break(label) => {
                let _ = write!(self.out, "break L{}", label.0);
            }
            StmtKind::Continue(label) => {
                let _ = write!(self.out, "continue L{}", label.0);
            }
            StmtKind::Return(None) => self.push("return"),
            StmtKind::Return(Some(value)) => {
                self.push("return ");
                self.full_expr(value);
            }
            StmtKind::Throw(value) => {
                self.push("throw ");
                self.full_expr(value);
            }
            StmtKind::Barrier => self.push("barrier"),
            activity => self.activity(activity),
        }
    }

    fn assigned(&mut self, value: &Expr) {
        self.push(" = ");
        self.full_expr(value);
    }

    /// Statements that start code elsewhere.
    fn activity(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Async { closure, clocks } => {
                self.push("async ");
                self.full_expr(closure);
                self.clocks(clocks);
            }
            StmtKind::AsyncAt { place, closure, clocks, raise_at_sender } => {
                self.push("async at ");
                self.full_expr(place);
                self.push(" run ");
                self.full_expr(closure);
                self.clocks(clocks);
                self.push(if *raise_at_sender { " raise_at_sender" } else { "" });
            }
            StmtKind::At { place, closure } => {
                self.push("at ");
                self.full_expr(place);
                self.push(" run ");
                self.full_expr(closure);
            }
            StmtKind::Launch { place, kernel, captures, fallback_activity, captures_stable } => {
                self.push("launch ");
                self.kernel_name(*kernel);
                self.args(captures);
                self.push(" at ");
                self.full_expr(place);
                self.push(if *captures_stable { " captures_stable" } else { "" });
                if let Some(closure) = fallback_activity {
                    self.push(" fallback ");
                    self.full_expr(closure);
                }
            }
            _ => {}
        }
    }

    fn clocks(&mut self, clocks: &Clocks) {
        match clocks {
            Clocks::None => {}
            Clocks::Uncounted => self.push(" uncounted"),
            Clocks::Implicit => self.push(" clocked"),
            Clocks::Listed(list) => {
                self.push(" clocked");
                self.args(list);
            }
        }
    }
}
