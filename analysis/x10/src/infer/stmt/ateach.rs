//! `ateach (p in d) S`: at each place of a distribution, an activity for each of its points there:
//! `for (place in d.places()) async at (place) for (p in d.get(here)) async S`.

use apg_syntax::TextRange;
use apg_syntax::ast;
use smol_str::SmolStr;

use crate::body::{Capture, Clocked, ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::infer::call::overload::Call;
use crate::infer::context::{Infer, range_of};
use crate::infer::scopes::FrameKind;
use crate::rules::r#type::mismatch::Mismatch;
use crate::ty::Ty;
use crate::ty::known::Known;

impl Infer<'_> {
    pub(crate) fn at_each(&mut self, s: &ast::AtEachStmt) -> StmtKind {
        let range = range_of(s);
        let clocks: Vec<ast::Expr> = s
            .clocked_clause()
            .and_then(|clause| clause.arg_list())
            .into_iter()
            .flat_map(|list| list.exprs())
            .collect();
        let clocked = self.clocked(false, s.clocked_clause().is_some(), &clocks);
        let written = self.value(s.distribution().as_ref(), range, None);
        if self.in_kernel {
            return self.at_each_in_kernel(s, clocked, written, range);
        }
        let distribution = self.distribution(written);
        if self.is_error(distribution) {
            self.scoped(|infer| {
                infer.loop_variable(s.formal().as_ref(), Ty::error(infer.db), range);
                infer.stmt(s.body().as_ref(), range)
            });
            return StmtKind::Error;
        }
        self.scoped(|infer| infer.over_places(s, clocked, distribution, range))
    }

    /// The distribution: a `Dist`, or that of a `DistArray`.
    fn distribution(&mut self, value: ExprId) -> ExprId {
        let (ty, range) = (self.ty(value), self.range(value));
        let dist = Ty::known(self.db, Known::Dist);
        if self.is_error(value) || (!dist.is_error(self.db) && self.is_subtype(ty, dist)) {
            return value;
        }
        if let Some((field, owner)) = self.find_field(ty, "dist")
            && self.is_subtype(crate::signature::field_type(self.db, field), dist)
        {
            return self.field_of(value, field, owner, range);
        }
        self.report_at(range, Mismatch::NoDistribution { ty });
        self.error(range)
    }

    fn over_places(
        &mut self,
        s: &ast::AtEachStmt,
        clocked: Clocked,
        distribution: ExprId,
        range: TextRange,
    ) -> StmtKind {
        let mut stmts = Vec::new();
        let distribution = self.kept(distribution, &mut stmts);
        let clocks = match clocked {
            Clocked::Clocks(clocks) => {
                Some(clocks.into_iter().map(|clock| self.kept(clock, &mut stmts)).collect::<Vec<_>>())
            }
            Clocked::No | Clocked::Implicit => None,
        };
        let of_dist = self.read(distribution, range);
        let call = Call { args: Vec::new(), type_args: Vec::new(), through_super: false, at: range, range };
        let places = self.call_method(of_dist, "places", call);
        let (places, iteration, place) = self.iteration(places);
        let Some(iteration) = iteration else { return StmtKind::Error };
        let label = self.scopes.enter_target(false, false);
        let local = self.add_local(SmolStr::new_static("$place"), place, false, LocalKind::Loop, range);
        let clocked = self.clocks_again(clocks.as_deref(), range);
        self.scopes.enter_frame(FrameKind::AtEach);
        let body = self.at_place(s, local, distribution, clocks.as_deref(), range);
        let captures = self.scopes.leave_frame();
        let body = self.alloc_stmt(StmtKind::Async { clocked, body, captures }, range);
        self.scopes.leave_target();
        let all = StmtKind::ForIn { label, local, components: Vec::new(), iterable: places, iteration, body };
        stmts.push(self.alloc_stmt(all, range));
        StmtKind::Block(stmts)
    }

    /// `at (place) for (p in d.get(here)) async S`
    fn at_place(
        &mut self,
        s: &ast::AtEachStmt,
        place: LocalId,
        distribution: LocalId,
        clocks: Option<&[LocalId]>,
        range: TextRange,
    ) -> StmtId {
        let place = self.read(place, range);
        let known = self.known.len();
        self.scopes.enter_frame(FrameKind::At);
        let outer = self.enter_place(Some(place), range);
        let body = self.over_points(s, distribution, clocks, range);
        self.leave_place(outer);
        let captures = self.scopes.leave_frame();
        self.forget(known);
        self.alloc_stmt(StmtKind::At { place, body, captures }, range)
    }

    fn over_points(
        &mut self,
        s: &ast::AtEachStmt,
        distribution: LocalId,
        clocks: Option<&[LocalId]>,
        range: TextRange,
    ) -> StmtId {
        let of_dist = self.read(distribution, range);
        let place = Ty::place(self.db);
        let here = self.alloc(ExprKind::Here, place, range);
        let call = Call { args: vec![here], type_args: Vec::new(), through_super: false, at: range, range };
        let points = self.call_method(of_dist, "get", call);
        let (points, iteration, point) = self.iteration(points);
        let Some(iteration) = iteration else { return self.alloc_stmt(StmtKind::Error, range) };
        let label = self.scopes.enter_target(false, false);
        let kind = self.scoped(|infer| {
            let (local, components) = infer.loop_variable(s.formal().as_ref(), point, range);
            let clocked = infer.clocks_again(clocks, range);
            infer.scopes.enter_frame(FrameKind::AtEach);
            let body = infer.stmt(s.body().as_ref(), range);
            let captures = infer.scopes.leave_frame();
            let body = infer.alloc_stmt(StmtKind::Async { clocked, body, captures }, range);
            StmtKind::ForIn { label, local, components, iterable: points, iteration, body }
        });
        self.scopes.leave_target();
        self.alloc_stmt(kind, range)
    }

    /// Stores a value in a temporary.
    fn kept(&mut self, value: ExprId, stmts: &mut Vec<StmtId>) -> LocalId {
        let (stmt, local) = self.temporary(value);
        stmts.push(stmt);
        local
    }

    fn clocks_again(&mut self, clocks: Option<&[LocalId]>, range: TextRange) -> Clocked {
        match clocks {
            Some(clocks) => Clocked::Clocks(clocks.iter().map(|clock| self.read(*clock, range)).collect()),
            None => Clocked::No,
        }
    }

    /// In a kernel the loop is typed only to be rejected.
    fn at_each_in_kernel(
        &mut self,
        s: &ast::AtEachStmt,
        clocked: Clocked,
        distribution: ExprId,
        range: TextRange,
    ) -> StmtKind {
        self.scopes.enter_frame(FrameKind::AtEach);
        let outer = self.enter_place(None, range);
        let (local, body) = self.scoped(|infer| {
            let point = Ty::known(infer.db, Known::Point);
            let formal = s.formal();
            let (local, components) = infer.loop_variable(formal.as_ref(), point, range);
            let mut body = infer.stmt(s.body().as_ref(), range);
            if !components.is_empty() {
                body = infer.with_components(local, &components, body, range);
            }
            (formal.is_some().then_some(local), body)
        });
        self.leave_place(outer);
        let captures: Vec<Capture> = self.scopes.leave_frame();
        StmtKind::AtEach { clocked, local, distribution, body, captures }
    }
}
