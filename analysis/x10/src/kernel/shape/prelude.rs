//! Prelude of a kernel: automatic configuration and constant memory, before the block loop.

use crate::body::{ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, text};
use crate::kernel::{Prelude, PreludeKind, limits};
use crate::rules::cuda;
use crate::rules::cuda::misplaced_shared_memory::MisplacedSharedMemory;
use crate::rules::cuda::prelude_value::PreludeValue;

impl KernelContext<'_> {
    /// Matches a statement before the blocks: auto-configuration or constant memory.
    pub(in crate::kernel) fn match_prelude_value(&self, stmt: StmtId, found: &mut Vec<Prelude>) {
        let range = self.stmt(stmt).range;
        let (local, init) = match self.stmt(stmt).kind {
            StmtKind::Error => return self.mark_broken(),
            StmtKind::Let { local, init: Some(init) } => (local, init),
            _ => {
                let fix = self.is_movable_print(stmt).then(|| self.move_out_of_at(stmt, false)).flatten();
                let violation = self.violation(range, cuda::prelude_statement::PreludeStatement).fix(fix);
                return self.report(violation);
            }
        };
        if self.local(local).mutable {
            return self.report_at(range, cuda::var_in_prelude::VarInPrelude { local });
        }
        if let Some(kind) = self.prelude_auto(init) {
            match found.iter().find(|prelude| prelude.kind == kind) {
                Some(first) => self.report_duplicate_auto(stmt, local, first.local),
                None => {
                    let choices = self.auto_choices(init, &kind).unwrap_or_default();
                    found.push(Prelude { local, kind, choices });
                }
            }
            return;
        }
        if self.has_errors(init) {
            return;
        }
        if self.constant_rail_call(init).is_some() {
            return;
        }
        if self.new_rail(self.strip_coercions(init)).is_some() {
            return self.report_misplaced_shared_memory(stmt, MisplacedSharedMemory::OutsideBlocks);
        }
        let violation = self.violation(self.expr(init).range, PreludeValue::Other(local));
        self.report(violation.fix(self.move_value_before_at(stmt, local, init)));
    }

    fn report_duplicate_auto(&self, stmt: StmtId, local: LocalId, first: LocalId) {
        let name = &self.local(first).name;
        let uses = self.body.exprs.iter().filter(|expr| expr.kind == ExprKind::Local(local));
        let mut edits: Vec<EditTemplate> =
            uses.map(|expr| EditTemplate { range: expr.range, text: vec![text(name.as_str())] }).collect();
        edits.push(EditTemplate { range: self.stmt(stmt).range, text: Vec::new() });
        edits.dedup();
        let alone = !self.is_in_multi_declaration(stmt);
        let fix = alone.then(|| FixTemplate::edits(vec![text(format!("Use `{name}` instead"))], edits));
        self.report(self.violation(self.stmt(stmt).range, cuda::auto_twice::AutoTwice { first }).fix(fix));
    }

    /// How a `val` before the blocks is computed.
    pub(crate) fn prelude_auto(&self, init: ExprId) -> Option<PreludeKind> {
        let init = self.strip_coercions(init);
        if let Some(rail) = self.constant_rail_call(init) {
            return self.constant_rail(rail);
        }
        let ExprKind::Call { method, .. } = self.expr(init).kind else { return None };
        let is_of_library = |name| self.semantics.is_method(method, "x10.util.CUDAUtilities", name);
        let kind = if is_of_library("autoBlocks") || is_of_library("residentBlocks") {
            PreludeKind::AutoBlocks
        } else if is_of_library("autoThreads") {
            PreludeKind::AutoThreads
        } else {
            return None;
        };
        Some(kind)
    }

    /// The choices of `autoThreads([256n, 128n])`.
    fn auto_choices(&self, init: ExprId, kind: &PreludeKind) -> Option<Vec<i32>> {
        let ExprKind::Call { args, .. } = &self.expr(self.strip_coercions(init)).kind else { return None };
        let most = match kind {
            PreludeKind::AutoThreads => limits::MAX_THREADS_PER_BLOCK,
            PreludeKind::AutoBlocks => i64::from(i32::MAX),
            PreludeKind::ConstantRail { .. } => return None,
        };
        let [choices] = args[..] else { return None };
        let number = |it: &ExprId| {
            let value = self.constant(*it).filter(|it| (1..=most).contains(it))?;
            i32::try_from(value).ok()
        };
        let numbers = match &self.expr(self.strip_coercions(choices)).kind {
            ExprKind::RailLiteral { items, .. } => items.iter().map(number).collect::<Option<Vec<i32>>>(),
            _ => None,
        };
        let numbers = numbers.filter(|it| !it.is_empty());
        if numbers.is_none() && !self.has_errors(choices) {
            self.report_at(self.expr(choices).range, PreludeValue::Choices { max: most });
        }
        numbers
    }

    /// The argument of `CUDAConstantRail(rail)`.
    fn constant_rail_call(&self, init: ExprId) -> Option<ExprId> {
        let (class, args) = match &self.expr(self.strip_coercions(init)).kind {
            ExprKind::New { class, args, .. } => (*class, args),
            ExprKind::Call { method, args, .. } => (method.class(self.semantics.db), args),
            _ => return None,
        };
        (self.semantics.is_class(class, "x10.lang.CUDAConstantRail") && args.len() == 1).then(|| args[0])
    }

    fn constant_rail(&self, rail: ExprId) -> Option<PreludeKind> {
        use crate::kernel::device_semantics::TypeCategory;
        let expr = self.expr(self.strip_coercions(rail));
        let category = self.semantics.category(expr.ty);
        if let (TypeCategory::Rail(element), ExprKind::Local(local)) = (category, &expr.kind)
            && !self.inner.contains(local)
            && !self.local(*local).mutable
        {
            return Some(PreludeKind::ConstantRail { rail, element });
        }
        if category == TypeCategory::Unknown {
            self.mark_broken();
            return None;
        }
        let is_movable = matches!(category, TypeCategory::Rail(_))
            && !matches!(expr.kind, ExprKind::Local(_))
            && self.is_movable(rail);
        let fix = is_movable.then(|| self.hoist_before_at(expr.range, "constants"));
        self.report(self.violation(expr.range, cuda::constant_rail_source::ConstantRailSource).fix(fix));
        None
    }
}
