//! `@Profile(prof) at (p) ...`: `prof` records how much is sent to the place, and how long that takes.

use apg_syntax::{TextRange, ast};
use smol_str::SmolStr;

use crate::body::{Annotation, Capture, Captured, ExprId, ExprKind, Stmt, StmtId, StmtKind};
use crate::ids::ClassId;
use crate::infer::call::overload::Call;
use crate::infer::context::Infer;
use crate::infer::context::range_of;
use crate::infer::expr::convert::ConversionSite;
use crate::ty::Ty;
use crate::ty::known::{Known, known_class};

/// The statements around code that runs elsewhere.
struct Around {
    before: Vec<StmtId>,
    after: StmtId,
}

impl Infer<'_> {
    /// A statement with its annotations: one with `@Profile` that changes the place becomes a block that
    /// measures it.
    pub(crate) fn profile_stmt(&mut self, id: StmtId) {
        let Stmt { kind, range, annotations } = &self.body.stmts[id.0 as usize];
        let Some(index) = annotations.iter().position(|it| self.is_profile(it.class)) else { return };
        let at = match kind {
            StmtKind::Async { body, .. } => &self.body.stmt(*body).kind,
            kind => kind,
        };
        let (&[prof], StmtKind::At { captures, .. }) = (&annotations[index].args[..], at) else { return };
        let (kind, range, captures) = (kind.clone(), *range, captures.clone());
        let mut annotations: Vec<Annotation> = annotations.clone();
        annotations.remove(index);
        let Some(Around { mut before, after }) = self.measure(prof, &captures, range) else { return };
        let inner = self.alloc_stmt(kind, range);
        self.body.stmts[inner.0 as usize].annotations = annotations;
        before.extend([inner, after]);
        self.body.stmts[id.0 as usize] =
            Stmt { kind: StmtKind::Block(before), range, annotations: Vec::new() };
    }

    /// The value of an `at` expression: `@Profile(prof) at (p) e` measures it.
    pub(crate) fn profile_expr(&mut self, e: &ast::AtExpr, value: ExprId) -> ExprId {
        let ExprKind::At { captures, .. } = &self.body.expr(value).kind else { return value };
        let captures = captures.clone();
        let found = e.annotations().find(|it| it.simple_name().is_some_and(|name| name == "Profile"));
        let Some(annotation) = found else { return value };
        let class = self.annotation_class(&annotation);
        let args: Vec<ast::Expr> = annotation.arg_list().into_iter().flat_map(|it| it.exprs()).collect();
        let ([prof], true) = (&args[..], self.is_profile(class)) else { return value };
        let prof = self.value(Some(prof), range_of(prof), None);
        let range = self.range(value);
        let Some(Around { mut before, after }) = self.measure(prof, &captures, range) else { return value };
        let ty = self.ty(value);
        if ty.is_void(self.db) {
            let inner = self.alloc_stmt(StmtKind::Expr(value), range);
            before.push(inner);
            let StmtKind::Expr(last) = self.body.stmt(after).kind else { return value };
            return self.alloc(ExprKind::Let { stmts: before, result: last }, ty, range);
        }
        let (inner, local) = self.temporary(value);
        before.extend([inner, after]);
        let result = self.read(local, range);
        self.alloc(ExprKind::Let { stmts: before, result }, ty, range)
    }

    fn is_profile(&self, class: Option<ClassId>) -> bool {
        class.is_some() && class == known_class(self.db, Known::Profile)
    }

    /// `val $1 = prof; val $2 = $1.beginAt([captured values]);` and `$1.endAt($2);`
    fn measure(&mut self, prof: ExprId, captures: &[Capture], range: TextRange) -> Option<Around> {
        let db = self.db;
        let property = known_class(db, Known::Profile)
            .and_then(|class| crate::item_tree::items::properties(db, class).first().copied())?;
        let wanted = crate::signature::field_type(db, property).base(db);
        let prof = self.convert(prof, wanted, ConversionSite::Argument);
        if self.is_error(prof) {
            return None;
        }
        let (set, prof) = self.temporary(prof);
        let any = Ty::any(db);
        let items = captures.iter().map(|capture| {
            let value = match capture.what {
                Captured::Local(local) => self.read(local, range),
                Captured::This => self.this_value(range),
            };
            self.convert(value, any, ConversionSite::Element)
        });
        let items = items.collect();
        let rail = Ty::known_with(db, Known::Rail, vec![any]);
        let rail = self.alloc(ExprKind::RailLiteral { element: any, items }, rail, range);
        let call = |args| Call { args, type_args: Vec::new(), through_super: false, at: range, range };
        let object = self.read(prof, range);
        let begin = self.call_method(object, &SmolStr::new_static("beginAt"), call(vec![rail]));
        let (started, start) = self.temporary(begin);
        let (object, start) = (self.read(prof, range), self.read(start, range));
        let end = self.call_method(object, &SmolStr::new_static("endAt"), call(vec![start]));
        let after = self.alloc_stmt(StmtKind::Expr(end), range);
        Some(Around { before: vec![set, started], after })
    }
}
