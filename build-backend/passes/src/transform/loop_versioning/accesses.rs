//! Bounds guards of accesses: to arrays, to characters of strings, and to objects with functions of
//! [`FunctionRole::Indexing`].

use apg_mir::*;

use super::expressions::{compare, expr, int, length, long, not_null};
use super::state::{Form, Invariant, Known, Scan};

/// An object that is accessed.
struct Accessed {
    object: Expr,
    /// Guards that must hold before it can be computed, and that it is not null.
    guards: Vec<Expr>,
    /// It is loaded before the loop.
    is_hoisted: bool,
}

impl Scan<'_> {
    /// Visits an expression, operands first.
    pub(super) fn visit_expr(&mut self, value: &mut Expr) {
        for operand in walk_mut::children(&mut value.kind) {
            self.visit_expr(operand);
        }
        if let Some(local) = self.hoisted_value(value) {
            value.kind = ExprKind::Local(local);
            return;
        }
        let is_character = match &value.kind {
            ExprKind::Runtime { entry, .. } => entry == entries::CHAR_AT,
            ExprKind::Call { function, .. } => {
                matches!(self.program.functions[function.index()].role, FunctionRole::CharAt)
            }
            _ => false,
        };
        if let ExprKind::Element { rail, index, checked: checked @ true } = &mut value.kind
            && self.cover_element(rail, index)
        {
            *checked = false;
        }
        match &mut value.kind {
            ExprKind::Runtime { args, .. } | ExprKind::Call { args, .. } if is_character => {
                if let Some(byte) = self.cover_character(args) {
                    value.kind = ExprKind::Operation { operation: Operation::Convert, args: vec![byte] };
                }
            }
            ExprKind::Call { function, args } => {
                if let Some((unchecked, args)) = self.cover_call(*function, args) {
                    value.kind = ExprKind::Call { function: unchecked, args };
                }
            }
            _ => {}
        }
    }

    /// Covers the access to an element of an array; false if that is not possible.
    pub(super) fn cover_element(&mut self, rail: &mut Expr, index: &Expr) -> bool {
        if !self.is_rail(rail.ty) {
            return false;
        }
        let hoisted = self.hoisted.len();
        let covered = self.element_guards(rail, index);
        match covered {
            Some((tests, hoisted)) => {
                self.require(tests);
                self.covered += 1;
                if let Some(local) = hoisted {
                    rail.kind = ExprKind::Local(local);
                }
                true
            }
            None => {
                // No guard covers their existence.
                self.hoisted.truncate(hoisted);
                false
            }
        }
    }

    fn element_guards(&mut self, rail: &Expr, index: &Expr) -> Option<(Vec<Expr>, Option<LocalId>)> {
        let index = self.affine(index).filter(|_| index.ty == Ty::I64)?;
        let hoisted = self.hoist(rail);
        let accessed = match hoisted {
            Some(local) => self.accessed(&self.local(local))?,
            None => self.accessed(rail)?,
        };
        let mut tests = accessed.guards;
        let length = length(accessed.object);
        self.guard_index(index, length, accessed.is_hoisted, &mut tests)?;
        Some((possible(tests)?, hoisted))
    }

    /// An access to a character, without checks: strings are stored as bytes.
    fn cover_character(&mut self, args: &[Expr]) -> Option<Expr> {
        let [text, index] = args else { return None };
        let accessed = self.accessed(text)?;
        let mut tests = accessed.guards;
        let kind = ExprKind::Runtime { entry: entries::STRING_LENGTH.into(), args: vec![accessed.object] };
        let length = long(expr(Ty::I32, kind));
        let form = self.exact(index).filter(|_| index.ty == Ty::I32)?;
        self.guard_index(form, length, false, &mut tests)?;
        let tests = possible(tests)?;
        self.require(tests);
        self.covered += 1;
        let (rail, index) = (Box::new(text.clone()), Box::new(long(index.clone())));
        Some(expr(Ty::U8, ExprKind::Element { rail, index, checked: false }))
    }

    /// The function without checks, and its arguments.
    fn cover_call(&mut self, function: FunctionId, args: &[Expr]) -> Option<(FunctionId, Vec<Expr>)> {
        let FunctionRole::Indexing(forms) = &self.program.functions[function.index()].role else {
            return None;
        };
        let (object, rest) = args.split_first()?;
        let mut indices = Vec::new();
        let mut unchecked = vec![object.clone()];
        let form = if rest.first()?.ty == Ty::I64 {
            let form = forms.first()?;
            for index in rest.get(..form.rank as usize)? {
                indices.push(self.affine(index)?);
            }
            unchecked.extend(rest.iter().cloned());
            form
        } else {
            let ExprKind::Local(local) = rest.first()?.kind else { return None };
            let Some(Known::Tuple(components)) = self.state.get(&local) else { return None };
            for (index, value) in components {
                indices.push(index.clone());
                unchecked.push(value.clone());
            }
            unchecked.extend(rest.iter().skip(1).cloned());
            forms.iter().find(|it| it.rank as usize == indices.len())?
        };
        let Accessed { object, guards: mut tests, .. } = self.accessed(object)?;
        if !indices.iter().any(Form::varies) {
            return None;
        }
        let receiver = expr(object.ty, ExprKind::NonNull(Box::new(object)));
        let mut limits = vec![receiver];
        for index in indices {
            let (least, greatest) = index.interval(self, &mut tests);
            limits.extend([least, greatest]);
        }
        tests.push(expr(Ty::Bool, ExprKind::Call { function: form.covers, args: limits }));
        let tests = possible(tests)?;
        self.require(tests);
        self.covered += 1;
        Some((form.unchecked, unchecked))
    }

    /// An invariant object, with guards that it exists.
    fn accessed(&self, object: &Expr) -> Option<Accessed> {
        let Invariant { value, mut guards } = self.invariant(object)?;
        guards.push(not_null(&value));
        let is_hoisted = self.is_hoisted(&value);
        Some(Accessed { object: value, guards, is_hoisted })
    }

    /// Adds the guards that an index is in bounds in all iterations.
    fn guard_index(&self, index: Form, length: Expr, is_hoisted: bool, tests: &mut Vec<Expr>) -> Option<()> {
        // An access at an invariant index is checked only once, unless its array is an element of an array.
        if !index.varies() && !is_hoisted {
            return None;
        }
        let (least, greatest) = index.interval(self, tests);
        tests.push(compare(Operation::Ge, &least, &int(0)));
        tests.push(compare(Operation::Le, &least, &greatest));
        tests.push(compare(Operation::Lt, &greatest, &length));
        Some(())
    }
}

/// The tests that are not known to hold; `None` if one is known to fail.
fn possible(mut tests: Vec<Expr>) -> Option<Vec<Expr>> {
    tests.retain(|test| !matches!(test.kind, ExprKind::Int(1)));
    let fails = tests.iter().any(|test| matches!(test.kind, ExprKind::Int(0)));
    (!fails).then_some(tests)
}
