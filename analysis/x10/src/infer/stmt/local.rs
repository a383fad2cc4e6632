//! Declarations of local variables.

use apg_syntax::ast::{self, AstNode, HasModifiers};
use apg_syntax::{T, TextRange};
use smol_str::SmolStr;

use crate::body::{ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::constraint::Entailment;
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::relate::entailment::Question;
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::missing_type::MissingType;
use crate::rules::r#type::removed::Removed;
use crate::ty::known::Known;
use crate::ty::{ConstraintTerm, Path, Ty};

impl Infer<'_> {
    /// `val x = e, y:T;`: one statement a variable, or several for a pattern.
    pub(crate) fn local_decl(&mut self, decl: &ast::LocalDecl, out: &mut Vec<StmtId>) {
        let from = out.len();
        let is_var = decl.is_var();
        // The only variable of a declaration stands for all of it, so that a fix moves it whole.
        let whole = (decl.declarators().count() == 1).then(|| range_of(decl));
        for declarator in decl.declarators() {
            let range = whole.unwrap_or_else(|| range_of(&declarator));
            self.declarator(&declarator, is_var, range, out);
        }
        if decl.has_modifier(T![clocked]) {
            self.removed(range_of(decl), Removed::ClockedVariable);
        }
        let annotations: Vec<ast::Annotation> =
            decl.modifier_list().into_iter().flat_map(|list| list.annotations()).collect();
        let annotations = self.annotations(annotations.into_iter());
        if let Some(&first) = out.get(from) {
            self.body.stmts[first.0 as usize].annotations = annotations;
            // Of a single variable, the statement is the whole declaration: fixes move it as one.
            if out.len() == from + 1 {
                self.body.stmts[first.0 as usize].range = range_of(decl);
            }
        }
    }

    fn declarator(
        &mut self,
        declarator: &ast::Declarator,
        is_var: bool,
        range: TextRange,
        out: &mut Vec<StmtId>,
    ) {
        let own = declarator.name().map(|n| n.text());
        let written = declarator.ty().map(|ty| self.written_type_of(&ty, own.as_deref()));
        let init = match declarator.initializer() {
            Some(e) => Some(self.value(Some(&e), range, written)),
            // The parser reported the missing value: the variable is not reported again where it is read.
            None => declarator.eq_token().map(|_| self.error(range)),
        };
        let is_bound = declarator.is_bound();
        if is_bound && is_var {
            self.report_at(range, MissingType::BoundOfVar);
        }
        let ty = match (written, init) {
            (Some(ty), Some(init)) if is_bound => {
                if self.fits(init, ty) {
                    // With the conditions that are checked at run time.
                    self.ty(init).constrained(self.db, ty.constraint(self.db).cloned().unwrap_or_default())
                } else {
                    ty
                }
            }
            (Some(ty), _) => ty,
            (None, Some(init)) => self.variable_type(init, is_var),
            // The parser reported what is missing.
            (None, None) => Ty::error(self.db),
        };
        // No facts from a value that does not fit: contradicting facts prove anything.
        let fits = init.is_none_or(|init| self.fits(init, ty));
        let reported = self.problems.len();
        let init = init.map(|init| self.convert(init, ty, ConversionSite::Initialiser));
        if declarator.is_foreign() {
            // `int x = 3` was reported with what to write: `3n`.
            self.problems.truncate(reported);
        }
        let name = declarator.name();
        let at = name.as_ref().map_or(range, range_of);
        let pattern = declarator.point_pattern();
        let name = match name {
            Some(name) => name.text(),
            None if pattern.is_none() => return,
            None => SmolStr::new_static("$point"),
        };
        let local = self.add_local(name.clone(), ty, is_var, LocalKind::Declared, at);
        out.push(self.alloc_stmt(StmtKind::Let { local, init }, range));
        // Visible only now: an initialiser does not see its own variable.
        if !name.starts_with('$') {
            self.declare(local);
        }
        self.note_local(local);
        // Facts that a cast tested hold for the new variable alone.
        let is_cast =
            |init: &ExprId| matches!(self.body.expr(*init).kind, ExprKind::Cast { checked: true, .. });
        if let Some(init) = init.filter(|init| fits && !is_cast(init)) {
            self.note_value(local, init);
        }
        if let Some(pattern) = pattern {
            self.pattern(local, &pattern, is_var, range, out);
        }
    }

    /// Checks `<: T`: the inferred type of the value must be a subtype of `T`.
    pub(crate) fn check_bound(&mut self, value: ExprId, bound: Ty) {
        let found = self.ty(value);
        if found.mentions_error(self.db) || bound.mentions_error(self.db) || found.is_void(self.db) {
            return;
        }
        if self.context().convert(found, bound, self.path_of(value).as_ref()).is_none() {
            self.report_at(self.range(value), Mismatch::NotSubtype { found, bound });
        }
    }

    /// Reports a pattern with another number of components than the point has.
    fn check_rank(&mut self, point: LocalId, count: usize, range: TextRange) {
        let ty = self.body.local(point).ty;
        if !ty.is_known(self.db, Known::Point) {
            return;
        }
        let path = self.local_path(point);
        let stable = !self.body.local(point).mutable;
        let given = ty.constraint(self.db).map_or(&[][..], |given| &given.terms);
        let question =
            Question { given, self_ty: Some(ty.base(self.db)), value: Some(&path).filter(|_| stable) };
        let rank = Path::self_value().field("rank");
        let wanted = ConstraintTerm::Equal(rank, Path::literal(count.to_string()));
        if self.context().decide(question, &[wanted]) == Entailment::Refuted {
            self.report_at(range, Mismatch::Rank { count, ty });
        }
    }

    /// `[i, j]` of a variable or formal: `val i = p(0); val j = p(1);`.
    pub(crate) fn pattern(
        &mut self,
        point: LocalId,
        pattern: &ast::PointPattern,
        is_var: bool,
        range: TextRange,
        out: &mut Vec<StmtId>,
    ) {
        let names: Vec<ast::Name> = pattern.names().collect();
        let Some(first) = names.first() else { return };
        // The parser reported `(a, b)`: the types of these names are unknown.
        let is_tuple = pattern.syntax().first_token().is_some_and(|it| it.kind() == T!['(']);
        if !is_tuple {
            self.check_pattern(self.body.local(point).ty, range_of(first));
            self.check_rank(point, names.len(), range_of(pattern));
        }
        let long = if is_tuple { Ty::error(self.db) } else { Ty::long(self.db) };
        let components: Vec<LocalId> = names
            .iter()
            .map(|name| self.add_local(name.text(), long, is_var, LocalKind::Declared, range_of(name)))
            .collect();
        out.extend(self.component_lets(point, &components, range));
        components.into_iter().for_each(|local| self.declare(local));
    }

    /// The type of a variable that is declared without one.
    fn variable_type(&mut self, init: ExprId, is_var: bool) -> Ty {
        let ty = self.ty(init);
        if ty.is_null(self.db) {
            return Ty::any(self.db);
        }
        // A `var` will hold other values: only the plain type is kept.
        if is_var { ty.base(self.db) } else { ty }
    }
}
