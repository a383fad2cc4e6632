//! `type/no-operator`

use apg_syntax::TextRange;
use apg_syntax::ast::BinaryOp;

use crate::body::{ExprId, ExprKind};
use crate::diagnostics::{Diagnostic, Fix, Rule, Severity, TextEdit};
use crate::ids::FileOrigin;
use crate::members::Failure;
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conversion::{operand, replaced};
use crate::suggest::literal::literal_fix;
use crate::ty::Ty;

/// An operator that does not take these operands.
pub static RULE: Rule = Rule {
    code: "type/no-operator",
    severity: Severity::Error,
    summary: "An operator that does not take these operands.",
    explanation: r##"
An operator is a method of the class of one of its operands, or a static one of either class. `a + b` looks for `operator this + (...)` in the
class of `a`, for `operator (...) + this` in that of `b`, and for static operators in both; if none fits, one operand may be converted
implicitly to the type of the other. `+` with a `String` on either side concatenates.

Convert an operand with `as`, or declare the operator.
"##,
    failing: r##"
class Example {
    static def half(flag:Boolean) = flag / 2;
}
"##,
    fixed: r##"
class Example {
    static def half(number:Long) = number / 2;
}
"##,
};

/// An operator that takes no such operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoOperator {
    /// An operator between two values.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
        /// Why the operators that there are do not fit.
        failure: Failure,
        /// The operands can be compared by `compareTo`.
        compares: bool,
    },
    /// An operator before a value.
    Prefix {
        /// The operator.
        op: &'static str,
        /// The type of the operand.
        ty: Ty,
    },
    /// `x++` or `x--`.
    Step {
        /// `+` or `-`.
        op: &'static str,
        /// The type of the variable.
        ty: Ty,
    },
}

impl Render for NoOperator {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            NoOperator::Binary { op, left, right, failure, compares } => {
                let operation = Operation { op: *op, left: *left, right: *right, range };
                operation.render(failure, *compares, cx)
            }
            NoOperator::Prefix { op, ty } => {
                RULE.at(range, format!("no operator `{op}` takes `{}`", cx.show(*ty)))
            }
            NoOperator::Step { op, ty } => RULE
                .at(range, format!("no operator `{op}{op}` takes `{}`", cx.show(*ty)))
                .note("it adds or subtracts `1` converted to the type of the variable, and `1` cannot be converted"),
        }
    }
}

/// An operator between two values, at a range.
struct Operation {
    op: BinaryOp,
    left: ExprId,
    right: ExprId,
    range: TextRange,
}

impl Operation {
    fn render(&self, failure: &Failure, compares: bool, cx: &RenderContext<'_>) -> Diagnostic {
        let (op, range) = (self.op.text(), self.range);
        let (Some(left), Some(right)) = (cx.expr(self.left), cx.expr(self.right)) else {
            return RULE.at(range, format!("no operator `{op}` takes these operands"));
        };
        let (a, b) = (cx.show(left.ty), cx.show(right.ty));
        let diagnostic = RULE.at(range, format!("no operator `{op}` takes `{a}` and `{b}`"));
        if let Some(note) = foreign_operator(op) {
            return diagnostic.note(note);
        }
        if matches!(failure, Failure::Ambiguous(_)) {
            return failure.notes(cx.db).into_iter().fold(diagnostic, Diagnostic::note);
        }
        if let Some(fix) = self.closer_cast(cx) {
            let note = format!("`as` binds closer than `{op}`: put the operands in parentheses");
            return diagnostic.note(note).fix(fix);
        }
        let number = |ty: Ty| ty.primitive(cx.db).filter(|known| known.is_number());
        if let (Some(a), Some(b)) = (number(left.ty), number(right.ty))
            && a != b
        {
            let fix = literal_fix(cx, self.right, left.ty).or_else(|| literal_fix(cx, self.left, right.ty));
            let diagnostic = diagnostic.note("convert one operand to the type of the other with `as`");
            return fix.into_iter().fold(diagnostic, Diagnostic::fix);
        }
        if let Some(comparison) = self.comparison(cx).filter(|_| compares) {
            let note = format!("`Comparable` has no operators: compare by `{comparison}`");
            return replaced(diagnostic.note(note), range, comparison);
        }
        if let Some(fix) = self.bound_in_parens(cx) {
            let note = format!("`..` binds closer than `{op}`: put the bound in parentheses");
            return diagnostic.note(note).fix(fix);
        }
        let notes = self.operators_there(failure, left.ty, right.ty, cx);
        notes.into_iter().fold(diagnostic, Diagnostic::note)
    }

    /// `0..n-1` is `(0..n)-1`, which was hardly meant: `0..(n-1)`.
    fn bound_in_parens(&self, cx: &RenderContext<'_>) -> Option<Fix> {
        let left = cx.expr(self.left)?;
        let call = match &left.kind {
            ExprKind::Let { result, .. } => cx.expr(*result)?,
            _ => left,
        };
        let ExprKind::Call { method, args, .. } = &call.kind else { return None };
        let bound = cx.expr(*args.last()?)?.range;
        // In parentheses it was meant as it stands.
        let is_plain =
            left.range.start() == self.range.start() && cx.expr(self.right)?.range.end() == self.range.end();
        if method.name(cx.db) != "operator.." || !is_plain {
            return None;
        }
        Some(in_parens("Put the bound in parentheses", TextRange::new(bound.start(), self.range.end())))
    }

    /// `a + b as T` is `a + (b as T)`, which was hardly meant where `a` has the type that `b` had before.
    fn closer_cast(&self, cx: &RenderContext<'_>) -> Option<Fix> {
        let value = match cx.expr(self.right)?.kind {
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } | ExprKind::Box { value } => value,
            _ => return None,
        };
        let (left, value) = (cx.expr(self.left)?, cx.expr(value)?);
        let tail = cx.source(TextRange::new(value.range.end(), self.range.end()))?;
        let is_plain = left.range.start() == self.range.start();
        if !is_plain || !tail.trim_start().starts_with("as ") || self.op == BinaryOp::Range {
            return None;
        }
        let operands = TextRange::new(self.range.start(), value.range.end());
        let alike = left.ty.base(cx.db) == value.ty.base(cx.db);
        alike.then(|| in_parens("Put the operands in parentheses", operands))
    }

    /// `a < b` of values that can be compared, but have no operators, as it is written:
    /// `a.compareTo(b) < 0n`.
    fn comparison(&self, cx: &RenderContext<'_>) -> Option<String> {
        let (a, b) = (cx.source(cx.expr(self.left)?.range)?, cx.source(cx.expr(self.right)?.range)?);
        Some(format!("{}.compareTo({b}) {} 0n", operand(&a), self.op.text()))
    }

    /// Which operators there are for the left operand, or how there could be one.
    fn operators_there(&self, failure: &Failure, left: Ty, right: Ty, cx: &RenderContext<'_>) -> Vec<String> {
        let (db, op) = (cx.db, self.op);
        let (ty, other) = (left.base(db), right.base(db));
        if let Some(param) = ty.as_param(db).or_else(|| other.as_param(db)) {
            let interface = match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => "Arithmetic",
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => "x10.util.Ordered",
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => "Bitwise",
                _ => return Vec::new(),
            };
            let name = param.name(db);
            return vec![format!(
                "`{name}` may be any type: bound it by an interface that has the operator, `{{{name} <: {interface}[{name}]}}`"
            )];
        }
        let Some((class, _)) = ty.as_class(db).filter(|_| ty.primitive(db).is_none()) else {
            return Vec::new();
        };
        match failure {
            _ if class.name(db).starts_with("Atomic") => {
                vec!["its value is `x.get()`, and `x.addAndGet(n)` adds to it".to_owned()]
            }
            Failure::NoneFits(_) => failure.notes(db),
            _ if op == BinaryOp::Range || class.file(db).origin(db) == FileOrigin::Library => Vec::new(),
            _ => {
                let (shown, other) = (cx.show(ty), cx.show(other));
                vec![format!("`{shown}` can declare it: `operator this {} (that:{other}) = ...`", op.text())]
            }
        }
    }
}

/// Puts `range` in parentheses.
fn in_parens(title: &str, range: TextRange) -> Fix {
    let insert = |at, text: &str| TextEdit::replace(TextRange::empty(at), text);
    Fix { title: title.to_owned(), edits: vec![insert(range.start(), "("), insert(range.end(), ")")] }
}

/// What to write for an operator that means something else in other languages, where nothing declares it.
fn foreign_operator(op: &str) -> Option<&'static str> {
    Some(match op {
        "**" => "powers are computed by `Math.pow(x, y)`",
        "->" => "a closure is written `(x:Type) => value`; a member is selected by `.`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    #[test]
    fn bound_of_a_range_in_parentheses() {
        check_fix(
            &RULE,
            "class A { def f(n:Long) { for (i in 0..n-1) f(i); } }",
            "class A { def f(n:Long) { for (i in 0..(n-1)) f(i); } }",
        );
    }

    #[test]
    fn foreign_operator_for_powers() {
        check(&RULE, "class A { def f(n:Long) = $0n ** 2$0; }", "no operator `**` takes `Long` and `Long`");
    }

    #[test]
    fn operator_of_the_class() {
        check_none(&RULE, "class A { operator this + (that:A):A = that; def f(a:A) = a + a; }");
    }
}
