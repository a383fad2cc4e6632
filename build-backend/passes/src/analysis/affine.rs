//! Translation of integer expressions to affine forms (Aho, Lam, Sethi and Ullman, *Compilers*, 11.3;
//! docs/contributing/analyses/affine-forms.md).

use apg_mir::*;
use apg_symbolic::affine::Ring;
use apg_symbolic::slope::Slopes;
use apg_symbolic::{Affine, LinearForm};

use crate::analysis::constants::constant_value;

/// What a client knows of a subexpression.
pub(crate) enum Term<F> {
    /// Its form.
    Form(F),
    /// It is not affine, or unknown.
    Unknown,
    /// Its form follows from its operands.
    Compound,
}

impl<F> Term<F> {
    /// A form that may be unknown.
    pub(crate) fn of(form: Option<F>) -> Term<F> {
        form.map_or(Term::Unknown, Term::Form)
    }
}

/// An affine form whose coefficients are of a ring.
type FormIn<S, R> = Affine<S, <R as Ring>::Element>;

/// The affine form of an integer expression over a ring; `None` if it is not affine. `classify` gives the
/// forms of leaves.
pub(crate) fn affine_form<S: Ord + Clone, R: Ring>(
    expr: &Expr,
    ring: &mut R,
    classify: &dyn Fn(&Expr) -> Term<FormIn<S, R>>,
) -> Option<FormIn<S, R>> {
    match classify(expr) {
        Term::Form(form) => return Some(form),
        Term::Unknown => return None,
        Term::Compound => {}
    }
    let of = |expr: &Expr, ring: &mut R| affine_form(expr, ring, classify);
    match &expr.kind {
        ExprKind::Int(value) => Some(Affine::from_constant(ring.integer(*value))),
        ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
            (Operation::Convert, [value]) => of(value, ring),
            (Operation::Add | Operation::Sub, [a, b]) => {
                let (a, b) = (of(a, ring)?, of(b, ring)?);
                let factor = ring.integer(if *operation == Operation::Add { 1 } else { -1 });
                a.add_scaled_in(&factor, &b, ring)
            }
            (Operation::Mul, [a, b]) => of(a, ring)?.mul_in(&of(b, ring)?, ring),
            _ => None,
        },
        _ => None,
    }
}

/// The form of an expression over one variable; `None` if it is not affine. `classify` recognises the
/// variable, and expressions that do not depend on it.
pub(crate) fn linear_form(
    expr: &Expr,
    classify: &dyn Fn(&Expr) -> Term<LinearForm<()>>,
) -> Option<LinearForm<()>> {
    affine_form(expr, &mut Slopes, classify)
}

/// The form of an expression that the variable does not influence.
pub(crate) fn invariant_form(expr: &Expr) -> LinearForm<()> {
    LinearForm::invariant(constant_value(expr))
}
