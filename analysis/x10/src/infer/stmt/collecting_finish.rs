//! Collecting `finish`: `finish (r) { ... offer e; ... }`. The values go to an object of
//! `x10.compiler.Collector`, which the code inside captures like any variable, and methods with an `offers`
//! clause take as a further argument.

use apg_syntax::TextRange;
use apg_syntax::ast;
use smol_str::SmolStr;

use crate::body::walk::Node;
use crate::body::{Clocked, Dispatch, ExprId, ExprKind, LocalKind, StmtId, StmtKind};
use crate::infer::call::overload::{Call, CallTarget};
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::rules::r#async::offer_outside::OfferOutside;
use crate::rules::r#type::mismatch::Mismatch;

use crate::body::Owner;
use crate::ids::{ClassId, FileOrigin};
use crate::item_tree::items::{method_is_static, method_type_param_ids};
use crate::item_tree::nesting::all_type_params;
use crate::signature::{COLLECTOR, method_signature};
use crate::ty::Ty;
use crate::ty::known::{Known, known_class};
use crate::ty::subst::Substitution;

impl Infer<'_> {
    /// `finish (r) { ... }`: what was offered inside, combined by `r`.
    pub(crate) fn collecting_finish(&mut self, e: &ast::FinishExpr) -> ExprId {
        let range = range_of(e);
        let reducer = self.value(e.reducer().as_ref(), range, None);
        let element = known_class(self.db, Known::Reducible)
            .and_then(|class| self.as_super(self.ty(reducer), class))
            .and_then(|ty| ty.as_class(self.db)?.1.first().copied());
        if element.is_none() && !self.is_error(reducer) {
            self.report_at(self.range(reducer), Mismatch::NoReducer { ty: self.ty(reducer) });
        }
        let element = element.unwrap_or_else(|| Ty::error(self.db));
        let reducible = Ty::known_with(self.db, Known::Reducible, vec![element]);
        let reducer = self.convert(reducer, reducible, ConversionSite::Argument);
        let made = self.new_collector(element, reducer, range);
        self.scoped(|infer| {
            let ty = infer.ty(made);
            let name = SmolStr::new_static(COLLECTOR);
            let local = infer.add_local(name, ty, false, LocalKind::Temporary, range);
            let set = infer.alloc_stmt(StmtKind::Let { local, init: Some(made) }, range);
            let around = infer.collector.replace((local, element));
            let clocked = std::mem::take(&mut infer.in_clocked_finish);
            let mut body = infer.opt_block(e.block(), range);
            if !element.is_error(infer.db) && infer.may_offer_by_calls(body) {
                let collector = infer.read(local, range);
                let call =
                    Call { args: Vec::new(), type_args: Vec::new(), through_super: false, at: range, range };
                let enter = infer.call_method(collector, "enter", call);
                let enter = infer.alloc_stmt(StmtKind::Expr(enter), range);
                body = infer.alloc_stmt(StmtKind::Block(vec![enter, body]), range);
            }
            infer.in_clocked_finish = clocked;
            infer.collector = around;
            let finish = infer.alloc_stmt(StmtKind::Finish { clocked: Clocked::No, body }, range);
            let collector = infer.read(local, range);
            let call =
                Call { args: Vec::new(), type_args: Vec::new(), through_super: false, at: range, range };
            let result = match element.is_error(infer.db) {
                true => infer.error(range),
                false => infer.call_method(collector, "result", call),
            };
            let ty = infer.ty(result);
            infer.alloc(ExprKind::Let { stmts: vec![set, finish], result }, ty, range)
        })
    }

    fn new_collector(&mut self, element: Ty, reducer: ExprId, range: TextRange) -> ExprId {
        let class = known_class(self.db, Known::Collector).filter(|_| !element.is_error(self.db));
        let Some(class) = class else { return self.error(range) };
        self.construct(class, Some(vec![element]), None, vec![reducer], range, range)
    }

    /// `offer e;`
    pub(crate) fn offer(&mut self, s: &ast::OfferStmt) -> StmtKind {
        let range = range_of(s);
        let Some((collector, element)) = self.collector else {
            self.value(s.expr().as_ref(), range, None);
            self.report_at(range, OfferOutside::Offer);
            return StmtKind::Error;
        };
        let value = self.value(s.expr().as_ref(), range, Some(element));
        if element.is_error(self.db) {
            return StmtKind::Error;
        }
        let value = self.convert(value, element, ConversionSite::Argument);
        let collector = self.read(collector, range);
        let call = Call { args: vec![value], type_args: Vec::new(), through_super: false, at: range, range };
        StmtKind::Expr(self.call_method(collector, "add", call))
    }

    /// Whether code calls methods that may call a method with an `offers` clause, without a collector as an
    /// argument.
    fn may_offer_by_calls(&self, body: StmtId) -> bool {
        let db = self.db;
        let of_program = |class: ClassId| class.file(db).origin(db) != FileOrigin::Library;
        let mut found = false;
        self.body.walk(Node::Stmt(body), &mut |node| {
            found |= match node {
                Node::Expr(id) => match &self.body.expr(id).kind {
                    ExprKind::ClosureCall { .. } => true,
                    ExprKind::New { class, .. } => of_program(*class),
                    ExprKind::Call { method, dispatch, .. } => {
                        *dispatch == Dispatch::Virtual || of_program(method.class(db))
                    }
                    _ => false,
                },
                Node::Stmt(_) => false,
            };
            !found
        });
        found
    }

    /// Whether this is the code of a program's `main`, which no collecting `finish` is around.
    fn is_main(&self) -> bool {
        let Owner::Method(method) = self.owner else { return false };
        self.scopes.frame_depth() == 0 && method.name(self.db) == "main" && method_is_static(self.db, method)
    }

    fn current_collector(&mut self, offered: Ty, range: TextRange) -> ExprId {
        let class = known_class(self.db, Known::Collector).filter(|_| !offered.mentions_error(self.db));
        let Some(class) = class else { return self.error(range) };
        let ty = Ty::class(self.db, class, vec![offered]);
        let call =
            Call { args: Vec::new(), type_args: vec![offered], through_super: false, at: range, range };
        self.call_static(ty, "current", range, call)
    }

    /// The arguments of a call, and the collector if the method offers values.
    pub(crate) fn with_collector(
        &mut self,
        picked: &CallTarget,
        mut args: Vec<ExprId>,
        call: &Call,
    ) -> Vec<ExprId> {
        let db = self.db;
        let Some(offered) = method_signature(db, picked.method).offers else { return args };
        let class = all_type_params(db, picked.method.class(db));
        let own = method_type_param_ids(db, picked.method);
        let types = Substitution::types(class, &picked.class_args).with_types(own, &picked.type_args);
        let offered = types.apply(db, offered);
        let name = picked.method.name(db).clone();
        match self.collector {
            Some((local, element)) if self.context().is_same(element, offered) => {
                let collector = self.read(local, call.range);
                args.push(collector);
            }
            Some((_, element)) => {
                self.report_at(call.at, Mismatch::Offers { name, offered, element });
            }
            None if self.is_main() => self.report_at(call.at, OfferOutside::Call { name }),
            // The finish that waits for this code takes the values: it is found at run time.
            None => {
                let collector = self.current_collector(offered, call.range);
                args.push(collector);
            }
        }
        args
    }
}
