//! Loops: `while`, `do`, `for` in all its forms.

use apg_syntax::TextRange;
use apg_syntax::ast;
use smol_str::SmolStr;

use crate::body::{ExprId, Iteration, LocalId, LocalKind, StmtKind};
use crate::ids::MethodId;
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::not_iterable::NotIterable;
use crate::ty::Ty;
use crate::ty::known::{Known, known_class};
use crate::ty::subst::Substitution;

impl Infer<'_> {
    pub(crate) fn while_loop(&mut self, s: &ast::WhileStmt) -> StmtKind {
        let range = range_of(s);
        let label = self.scopes.enter_target(true, false);
        let condition = self.condition(s.condition().as_ref(), range);
        let body = self.stmt_if(condition, true, s.body().as_ref(), range);
        self.scopes.leave_target();
        StmtKind::While { label, condition, body }
    }

    pub(crate) fn do_loop(&mut self, s: &ast::DoStmt) -> StmtKind {
        let range = range_of(s);
        let label = self.scopes.enter_target(true, false);
        let body = self.stmt(s.body().as_ref(), range);
        self.scopes.leave_target();
        let condition = self.condition(s.condition().as_ref(), range);
        StmtKind::DoWhile { label, body, condition }
    }

    pub(crate) fn for_loop(&mut self, s: &ast::ForStmt) -> StmtKind {
        let range = range_of(s);
        let label = self.scopes.enter_target(true, false);
        let kind = self.scoped(|infer| {
            let mut init = Vec::new();
            if let Some(first) = s.for_init() {
                if let Some(decl) = first.local_decl() {
                    infer.local_decl(&decl, &mut init);
                } else {
                    for e in first.initializers() {
                        let value = infer.effect(&e);
                        init.push(infer.alloc_stmt(StmtKind::Expr(value), range_of(&e)));
                    }
                }
            }
            let condition = s.condition().map(|e| infer.condition(Some(&e), range));
            let updates: Vec<ast::Expr> = s.for_update().into_iter().flat_map(|u| u.exprs()).collect();
            let update = updates.iter().map(|e| infer.effect(e)).collect();
            if let Some(condition) = condition {
                infer.assume(condition, true);
            }
            let body = infer.stmt(s.body().as_ref(), range);
            StmtKind::For { label, init, condition, update, body }
        });
        self.scopes.leave_target();
        kind
    }

    /// `for (x in e)`, `for ([i, j] in e)`, `for (p[i, j] in e)`, `for (e)`.
    pub(crate) fn for_in(&mut self, s: &ast::ForInStmt) -> StmtKind {
        let range = range_of(s);
        let iterable = self.value(s.iterable().as_ref(), range, None);
        let label = self.scopes.enter_target(true, false);
        let kind = self.scoped(|infer| {
            let (iterable, iteration, element) = infer.iteration(iterable);
            let (local, mut components) = infer.loop_variable(s.formal().as_ref(), element, range);
            // Coordinates of points are numbers; other components have their own types.
            let point = Ty::known(infer.db, Known::Point);
            let ty = infer.body.local(local).ty;
            let asked = !components.is_empty() && !infer.is_subtype(ty, point) && infer.takes_index(ty);
            let mut first = Vec::new();
            if asked {
                first = infer.component_lets(local, &components, range);
                components = Vec::new();
            }
            let mut body = infer.stmt(s.body().as_ref(), range);
            if asked {
                first.push(body);
                body = infer.alloc_stmt(StmtKind::Block(first), range);
            }
            match iteration {
                Some(iteration) => StmtKind::ForIn { label, local, components, iterable, iteration, body },
                None => StmtKind::Block(vec![infer.alloc_stmt(StmtKind::Expr(iterable), range), body]),
            }
        });
        self.scopes.leave_target();
        kind
    }

    /// The iterable value, the way of iteration, and the element type.
    pub(crate) fn iteration(&mut self, iterable: ExprId) -> (ExprId, Option<Iteration>, Ty) {
        let db = self.db;
        let ty = self.ty(iterable);
        let range = self.range(iterable);
        if ty.is_error(db) {
            return (iterable, None, ty);
        }
        if ty.is_known(db, Known::IntRange) {
            return (iterable, Some(Iteration::IntRange), Ty::int(db));
        }
        if ty.is_known(db, Known::LongRange) {
            return (iterable, Some(Iteration::LongRange), Ty::long(db));
        }
        if let Some(element) = ty.rail_element(db) {
            return (iterable, Some(Iteration::Rail), element);
        }
        let found = known_class(db, Known::Iterable)
            .and_then(|class| self.as_super(ty, class))
            .and_then(|iterable| iterable.as_class(db)?.1.first().copied());
        let Some(element) = found else {
            if self.context().is_open(ty) {
                return (iterable, None, Ty::error(db));
            }
            let methods = self.iterable_methods(iterable);
            self.report_at(range, NotIterable { value: iterable, ty, methods });
            return (iterable, None, Ty::error(db));
        };
        let methods = (|| {
            let iterator_ty = Ty::known_with(db, Known::Iterator, vec![element]);
            Some(Iteration::Iterable {
                iterator: self.library_method(Known::Iterable, "iterator")?,
                has_next: self.library_method(Known::Iterator, "hasNext")?,
                next: self.library_method(Known::Iterator, "next")?,
                iterator_ty,
            })
        })();
        let wanted = Ty::known_with(db, Known::Iterable, vec![element]);
        // `this` in the element type is the iterated object.
        let this = self.path_of(iterable);
        let element = Substitution::types(&[], &[]).with_paths(this, Vec::new()).apply(db, element);
        let iterable = self.convert(iterable, wanted, ConversionSite::Receiver);
        (iterable, methods, element)
    }

    /// The first method of that name in a library class.
    fn library_method(&self, known: Known, name: &str) -> Option<MethodId> {
        let class = known_class(self.db, known)?;
        crate::item_tree::items::own_methods(self.db, class, name).first().copied()
    }

    /// Declares the variable of a loop and the components of its pattern.
    pub(crate) fn loop_variable(
        &mut self,
        formal: Option<&ast::Formal>,
        element: Ty,
        range: TextRange,
    ) -> (LocalId, Vec<LocalId>) {
        let pattern = formal.and_then(|f| f.point_pattern());
        let names: Vec<ast::Name> = pattern.into_iter().flat_map(|p| p.names()).collect();
        let mut name = formal.and_then(|f| f.name());
        // `[i]` over a range: the one component is the element itself.
        let is_number = element.primitive(self.db).is_some_and(Known::is_integer);
        let whole = name.is_none() && is_number && names.len() == 1;
        if whole {
            name = names.first().cloned();
        }
        let at = name.as_ref().map(range_of).or(formal.map(range_of)).unwrap_or(range);
        let mut ty = element;
        if let Some(written) = formal.and_then(|f| f.ty()) {
            let declared = self.written_type(&written);
            let bound = formal.is_some_and(|f| f.subtype_token().is_some());
            if !self.is_assignable(element, declared) {
                self.mismatch(range_of(&written), element, declared);
            } else if !bound {
                ty = declared;
            }
        }
        let name = name.map_or(SmolStr::new_static("$element"), |n| n.text());
        let local = self.add_local(name.clone(), ty, false, LocalKind::Loop, at);
        if !name.starts_with('$') {
            self.declare(local);
        }
        self.note_local(local);
        if whole {
            return (local, Vec::new());
        }
        if !names.is_empty() {
            self.check_pattern(ty, range_of(&names[0]));
        }
        let mut components = Vec::new();
        for name in names {
            let local =
                self.add_local(name.text(), Ty::long(self.db), false, LocalKind::Loop, range_of(&name));
            self.declare(local);
            components.push(local);
        }
        (local, components)
    }

    /// Whether a value of this type is applied to an index, as points, rails and arrays are.
    fn takes_index(&self, ty: Ty) -> bool {
        let long = crate::members::Arg::of(Ty::long(self.db));
        self.context().resolve_method(ty, None, "operator()", &[], &[long]).is_ok()
    }

    /// Reports a value of a type that `[i, j]` cannot split.
    pub(crate) fn check_pattern(&mut self, ty: Ty, range: TextRange) {
        let point = Ty::known(self.db, Known::Point);
        if ty.is_error(self.db) || point.is_error(self.db) || self.is_subtype(ty, point) {
            return;
        }
        if self.takes_index(ty) {
            return;
        }
        self.report_at(range, Mismatch::NoPoint { ty });
    }
}
