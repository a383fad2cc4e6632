//! Values without a name that constraints speak of: an argument `f(x)` of a method whose signature mentions the
//! formal stands for itself in the types of the call. Only where a check at run time asks for it, it becomes a
//! local variable.

use smol_str::format_smolstr;

use crate::body::{ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::infer::call::overload::{Call, Picked};
use crate::infer::context::Infer;
use crate::members::Candidate;
use crate::rules::render::named_by_source;
use crate::signature::property::mentioned;
use crate::ty::{ConstraintTerm, Path};

impl Infer<'_> {
    /// What a value is called in constraints: its path, or a name of its own.
    pub(crate) fn named(&mut self, id: ExprId) -> Option<Path> {
        if let Some(path) = self.path_of(id) {
            return Some(path);
        }
        let ty = self.ty(id);
        if ty.is_error(self.db) || ty.is_void(self.db) || ty.is_null(self.db) {
            return None;
        }
        let name = format_smolstr!("$v{}", self.nameless.len());
        let range = self.range(id);
        let local = self.add_local(name, ty, false, LocalKind::Temporary, range);
        self.nameless.insert(id, local);
        self.note_local(local);
        if self.is_not_null(id)
            && let Some(path) = self.path_of(id)
        {
            self.learn(ConstraintTerm::NotEqual(path, Path::literal("null")));
        }
        self.path_of(id)
    }

    /// Names the arguments that the signature of a candidate speaks of.
    pub(crate) fn name_arguments(&mut self, candidates: &[Candidate], call: &Call) {
        for candidate in candidates {
            for &index in &mentioned(self.db, candidate.method).formals {
                if let Some(&arg) = call.args.get(index as usize) {
                    self.named(arg);
                }
            }
        }
    }

    /// What the receiver is called, if the signature of a candidate speaks of it.
    pub(crate) fn receiver_path(&mut self, object: ExprId, candidates: &[Candidate]) -> Option<Path> {
        let spoken_of = candidates.iter().any(|candidate| mentioned(self.db, candidate.method).this);
        if spoken_of { self.named(object) } else { self.path_of(object) }
    }

    /// Whether a check at run time of this call speaks of one of its nameless values.
    fn checks_nameless(&self, picked: &Picked) -> bool {
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

    /// The operands of a call, in order of evaluation, as locals if a check at run time speaks of one that has no
    /// name; what makes the locals goes to `stmts`.
    pub(crate) fn bind_nameless(
        &mut self,
        picked: &Picked,
        operands: &mut [ExprId],
        stmts: &mut Vec<StmtId>,
    ) {
        if self.in_kernel || !self.checks_nameless(picked) {
            return;
        }
        self.bind_operands(operands, stmts);
    }

    /// These operands as locals; what makes the locals goes to `stmts`.
    pub(crate) fn bind_operands(&mut self, operands: &mut [ExprId], stmts: &mut Vec<StmtId>) {
        for operand in operands {
            let range = self.range(*operand);
            match self.nameless.get(operand).copied() {
                Some(local) => {
                    let init = Some(*operand);
                    stmts.push(self.alloc_stmt(StmtKind::Let { local, init }, range));
                    *operand = self.read(local, range);
                }
                None => *operand = self.reusable(*operand, stmts),
            }
        }
    }

    /// The local that a nameless value would be.
    pub(crate) fn nameless_local(&self, id: ExprId) -> Option<LocalId> {
        self.nameless.get(&id).copied()
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

    /// A term as a person reads it: values without a name as their text in the program.
    pub(crate) fn shown_term(&self, term: &ConstraintTerm) -> String {
        self.with_sources(term.to_string())
    }

    /// A message with the text of values without a name in place of what they are called here.
    pub(crate) fn with_sources(&self, message: String) -> String {
        named_by_source(message, &self.body, |range| self.source(range))
    }
}
