//! Skolem names for unnamed values: an argument `f(x)`, passed for a formal that the signature's
//! constraints mention, gets a name (`$v0`, `$v1`, ...) in the types of the call. It becomes a local
//! variable only if a run-time check needs it.

use smol_str::format_smolstr;

use crate::body::{ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::infer::call::overload::{Call, CallTarget};
use crate::infer::context::Infer;
use crate::members::Candidate;
use crate::rules::render::named_by_source;
use crate::signature::property::mentioned;
use crate::ty::{ConstraintTerm, Path};

impl Infer<'_> {
    /// The name of a value in constraints: its path, or a skolem name.
    pub(crate) fn name_value(&mut self, id: ExprId) -> Option<Path> {
        if let Some(path) = self.path_of(id) {
            return Some(path);
        }
        let ty = self.ty(id);
        if ty.is_error(self.db) || ty.is_void(self.db) || ty.is_null(self.db) {
            return None;
        }
        let name = format_smolstr!("$v{}", self.skolems.len());
        let range = self.range(id);
        let local = self.add_local(name, ty, false, LocalKind::Temporary, range);
        self.skolems.insert(id, local);
        self.note_local(local);
        if self.is_not_null(id)
            && let Some(path) = self.path_of(id)
        {
            self.learn(ConstraintTerm::NotEqual(path, Path::literal("null")));
        }
        self.path_of(id)
    }

    /// Names the arguments whose formals a candidate's constraints mention.
    pub(crate) fn name_arguments(&mut self, candidates: &[Candidate], call: &Call) {
        for candidate in candidates {
            for &index in &mentioned(self.db, candidate.method).formals {
                if let Some(&arg) = call.args.get(index as usize) {
                    self.name_value(arg);
                }
            }
        }
    }

    /// The name of the receiver, if a candidate's constraints mention `this`.
    pub(crate) fn receiver_path(&mut self, object: ExprId, candidates: &[Candidate]) -> Option<Path> {
        let spoken_of = candidates.iter().any(|candidate| mentioned(self.db, candidate.method).this);
        if spoken_of { self.name_value(object) } else { self.path_of(object) }
    }

    /// Whether a run-time check of this call mentions one of its unnamed values.
    fn checks_skolem(&self, picked: &CallTarget) -> bool {
        let nameless = |path: &Path| path.is_nameless();
        let of_guard = picked.unproved.terms.iter().flat_map(ConstraintTerm::paths).any(nameless);
        let checked =
            picked.conversions.iter().zip(&picked.params).filter(|(conversion, _)| conversion.checked);
        let mut of_params = false;
        for (_, param) in checked {
            param.visit_paths(self.db, &mut |path| of_params |= nameless(path));
        }
        of_guard || of_params
    }

    /// Makes the operands of a call locals, in order of evaluation, if a run-time check mentions an unnamed
    /// one. The declarations go to `stmts`.
    pub(crate) fn bind_skolems(
        &mut self,
        picked: &CallTarget,
        operands: &mut [ExprId],
        stmts: &mut Vec<StmtId>,
    ) {
        if self.in_kernel || !self.checks_skolem(picked) {
            return;
        }
        self.bind_operands(operands, stmts);
    }

    /// Makes these operands locals. The declarations go to `stmts`.
    pub(crate) fn bind_operands(&mut self, operands: &mut [ExprId], stmts: &mut Vec<StmtId>) {
        for operand in operands {
            let range = self.range(*operand);
            match self.skolems.get(operand).copied() {
                Some(local) => {
                    let init = Some(*operand);
                    stmts.push(self.alloc_stmt(StmtKind::Let { local, init }, range));
                    *operand = self.read(local, range);
                }
                None => *operand = self.reusable(*operand, stmts),
            }
        }
    }

    /// The local with the skolem name of a value.
    pub(crate) fn skolem_local(&self, id: ExprId) -> Option<LocalId> {
        self.skolems.get(&id).copied()
    }

    /// Whether a value is certainly not `null`: it was just made, or it is `this`.
    pub(crate) fn is_not_null(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::New { .. }
            | ExprKind::This
            | ExprKind::Outer(_)
            | ExprKind::Here
            | ExprKind::Closure(_)
            | ExprKind::RailLiteral { .. }
            | ExprKind::Concat { .. } => true,
            ExprKind::Literal(literal) => *literal != crate::body::Literal::Null,
            ExprKind::Coerce { value } | ExprKind::Box { value } => self.is_not_null(*value),
            ExprKind::Let { result, .. } => self.is_not_null(*result),
            _ => false,
        }
    }

    /// A term as messages show it: unnamed values by their source.
    pub(crate) fn shown_term(&self, term: &ConstraintTerm) -> String {
        self.with_sources(term.to_string())
    }

    /// A message with the source of unnamed values in place of their skolem names.
    pub(crate) fn with_sources(&self, message: String) -> String {
        named_by_source(message, &self.body, |range| self.source(range))
    }
}
