//! Run-time checks of method guards that do not follow from the facts at a call, as far as their parts can
//! be named here.

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::body::{ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::infer::call::overload::{Call, CallTarget};
use crate::infer::constraint::residual::RequiredBy;
use crate::infer::context::Infer;
use crate::place::{is_here, required_home};
use crate::rules::Problem;
use crate::rules::place::remote_access;
use crate::ty::known::Known;
use crate::ty::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty, characters};

impl Infer<'_> {
    /// `call`, after `stmts` and a check of the unproved guard of `picked`. The guard of a home is checked by
    /// the object itself.
    pub(crate) fn guarded(&mut self, call: ExprId, picked: &CallTarget, mut stmts: Vec<StmtId>) -> ExprId {
        let range = self.range(call);
        self.check_guard(picked, range, &mut stmts);
        self.after_all(stmts, call)
    }

    /// `call`, after `stmts`.
    pub(crate) fn after_all(&mut self, stmts: Vec<StmtId>, call: ExprId) -> ExprId {
        if stmts.is_empty() {
            return call;
        }
        let (range, ty) = (self.range(call), self.ty(call));
        self.alloc(ExprKind::Let { stmts, result: call }, ty, range)
    }

    /// Statements that raise an exception unless the unproved guard of `picked` holds.
    pub(crate) fn check_guard(&mut self, picked: &CallTarget, range: TextRange, stmts: &mut Vec<StmtId>) {
        self.check_terms(&picked.unproved.terms, range, RequiredBy::Guard(picked.method), stmts);
    }

    /// Statements that raise an exception unless all of `terms` hold, which `need` requires.
    pub(crate) fn check_terms(
        &mut self,
        terms: &[ConstraintTerm],
        range: TextRange,
        need: RequiredBy,
        stmts: &mut Vec<StmtId>,
    ) {
        if terms.is_empty() {
            return;
        }
        let reported = |problem: &Problem| problem.breaks(&remote_access::RULE) && problem.range == range;
        if !self.problems.iter().any(reported) {
            let open: Vec<ConstraintTerm> =
                terms.iter().filter(|term| !self.home_was_tested(term)).cloned().collect();
            self.require_terms(&open, range, need);
        }
        if self.in_kernel {
            return;
        }
        // A guard may mention values that the caller cannot name: no problem of the caller's.
        let said = self.problems.len();
        for term in terms.iter().filter(|term| required_home(term).is_none()) {
            let refused = self.refutation(term, range).or_else(|| self.untrue(term, range));
            let Some(refused) = refused else { continue };
            let Some(exception) = self.failed_check(term, range) else { continue };
            let then = self.alloc_stmt(StmtKind::Throw(exception), range);
            stmts.push(self.alloc_stmt(StmtKind::If { condition: refused, then, otherwise: None }, range));
        }
        self.problems.truncate(said);
    }

    /// `new FailedDynamicCheckException("...")`
    fn failed_check(&mut self, term: &ConstraintTerm, range: TextRange) -> Option<ExprId> {
        let names = ["x10", "lang", "FailedDynamicCheckException"].map(SmolStr::new_static);
        let class = self.class_named(&names)?;
        let text = Literal::String(SmolStr::from(format!(
            "the condition {} of what is called does not hold",
            self.shown_term(term)
        )));
        let string = Ty::string(self.db);
        let text = self.alloc(ExprKind::Literal(text), string, range);
        let call = Call { args: vec![text], type_args: Vec::new(), through_super: false, at: range, range };
        let picked = self.resolve_constructor(class, Some(Vec::new()), None, &call).ok()?;
        let args = self.convert_args(&picked, call.args);
        let kind =
            ExprKind::New { outer: None, class, class_args: Vec::new(), constructor: picked.method, args };
        Some(self.alloc(kind, picked.result, range))
    }

    /// An expression that is true if the term does not hold.
    fn refutation(&mut self, term: &ConstraintTerm, range: TextRange) -> Option<ExprId> {
        let boolean = Ty::boolean(self.db);
        let (a, b, negated) = match term {
            ConstraintTerm::Equal(a, b) => (a, b, true),
            ConstraintTerm::NotEqual(a, b) => (a, b, false),
            ConstraintTerm::Holds(a) => {
                let left = self.path_value(a, None, range)?;
                let right = self.alloc(ExprKind::Literal(Literal::Bool(true)), boolean, range);
                return Some(self.alloc(ExprKind::Equal { negated: true, left, right }, boolean, range));
            }
            ConstraintTerm::Opaque(_) => return None,
        };
        let is_literal = |path: &Path| matches!(path.root, PathRoot::Literal(_));
        let (left, right) = if is_literal(a) {
            let right = self.path_value(b, None, range)?;
            (self.path_value(a, Some(self.ty(right)), range)?, right)
        } else {
            let left = self.path_value(a, None, range)?;
            (left, self.path_value(b, Some(self.ty(left)), range)?)
        };
        let same = self.ty(left).base(self.db) == self.ty(right).base(self.db)
            || self.is_subtype(self.ty(left), self.ty(right))
            || self.is_subtype(self.ty(right), self.ty(left));
        same.then(|| self.alloc(ExprKind::Equal { negated, left, right }, boolean, range))
    }

    /// Captures the variables in the constraint of a type that is checked at run time.
    pub(crate) fn uses_of_check(&mut self, ty: Ty) {
        let Some(constraint) = ty.constraint(self.db).filter(|_| !self.in_kernel) else { return };
        for path in constraint.terms.iter().flat_map(ConstraintTerm::paths) {
            match &path.root {
                PathRoot::Local { name, offset } => {
                    if let Some(local) = self.local_at(name, *offset) {
                        self.scopes.use_local(local, false);
                    }
                }
                PathRoot::This => self.scopes.use_this(),
                PathRoot::Static { what: Named::Around(_) | Named::Captured(_), .. } => {
                    self.scopes.use_this()
                }
                _ => {}
            }
        }
    }

    fn local_at(&self, name: &str, offset: u32) -> Option<LocalId> {
        let same =
            |local: &crate::body::Local| local.name == *name && u32::from(local.range.start()) == offset;
        self.body.locals.iter().position(same).map(|index| LocalId(index as u32))
    }

    /// The same for a term about values that only exist at run time: static fields, outer objects.
    fn untrue(&mut self, term: &ConstraintTerm, range: TextRange) -> Option<ExprId> {
        let found_then = |path: &Path| {
            let of_static = matches!(path.root, PathRoot::Static { what, .. } if what != Named::Nothing);
            of_static || path.fields.iter().any(|field| field.ends_with(".this"))
        };
        if !term.paths().any(found_then) {
            return None;
        }
        let boolean = Ty::boolean(self.db);
        let ty = boolean.constrained(self.db, Constraint { terms: vec![term.clone()] });
        let value = self.alloc(ExprKind::Literal(Literal::Bool(true)), boolean, range);
        let left = self.alloc(ExprKind::InstanceOf { value, ty }, boolean, range);
        let right = self.alloc(ExprKind::Literal(Literal::Bool(true)), boolean, range);
        Some(self.alloc(ExprKind::Equal { negated: true, left, right }, boolean, range))
    }

    /// The value that a path names; a literal is of type `like`.
    fn path_value(&mut self, path: &Path, like: Option<Ty>, range: TextRange) -> Option<ExprId> {
        if is_here(path) {
            let ours = path.root == PathRoot::Here || *path == self.here_path();
            let ty = Ty::place(self.db);
            return ours.then(|| self.alloc(ExprKind::Here, ty, range));
        }
        let mut value = match &path.root {
            PathRoot::Local { name, offset } => {
                let local = self.local_at(name, *offset)?;
                self.read(local, range)
            }
            PathRoot::This if !self.is_static => self.this_value(range),
            PathRoot::Literal(text) => {
                let ty = like?.base(self.db);
                let literal = self.literal_of(text, ty)?;
                self.alloc(ExprKind::Literal(literal), ty, range)
            }
            _ => return None,
        };
        for field in &path.fields {
            let ty = self.ty(value);
            let known = self.find_field(ty, field).is_some()
                || self.context().find_property_method(ty, field).is_some();
            if !known {
                return None;
            }
            value = self.member(value, field, range, range);
        }
        Some(value)
    }

    fn literal_of(&self, text: &str, ty: Ty) -> Option<Literal> {
        if text == "null" {
            return Some(Literal::Null);
        }
        match ty.primitive(self.db)? {
            Known::Boolean => text.parse().ok().map(Literal::Bool),
            Known::Float | Known::Double => {
                let number = text.trim_end_matches(['f', 'F', 'd', 'D']);
                number.parse::<f64>().ok().map(|value| Literal::Float(value.to_bits()))
            }
            Known::Char => characters(text)?.chars().next().map(Literal::Char),
            Known::ULong => text.parse::<u64>().ok().map(|value| Literal::Int(value as i64)),
            _ => text.parse().ok().map(Literal::Int),
        }
    }
}
