//! Printing of fragments of a kernel's code, for representations that contain MIR.

use super::*;
use crate::text::INDENT;
use crate::text::types::capture_elements;

/// Prints statements, expressions and locals of a kernel, without positions.
pub struct FragmentPrinter<'a>(Printer<'a>);

impl<'a> FragmentPrinter<'a> {
    /// A printer for the code of `kernel`, a kernel of `program` or a transformed copy.
    pub fn new(program: &'a Program, kernel: &'a Kernel) -> FragmentPrinter<'a> {
        let mut printer = Printer::new(program, SpanDetail::None);
        printer.set_locals(&kernel.locals, &kernel.variables, capture_elements(&kernel.captures));
        FragmentPrinter(printer)
    }

    /// Statements, a line each at least, `depth` levels deep.
    pub fn stmts(&mut self, stmts: &[Stmt], depth: usize) -> String {
        self.0.indent = depth;
        self.0.stmts(stmts);
        std::mem::take(&mut self.0.out)
    }

    /// An expression.
    pub fn expr(&mut self, expr: &Expr) -> String {
        self.0.full_expr(expr);
        std::mem::take(&mut self.0.out)
    }

    /// The name of a local.
    pub fn local(&mut self, local: LocalId) -> String {
        self.0.local(local);
        std::mem::take(&mut self.0.out)
    }

    /// Blanks that a line `depth` levels deep begins with.
    pub fn indentation(depth: usize) -> String {
        " ".repeat(depth * INDENT)
    }
}
