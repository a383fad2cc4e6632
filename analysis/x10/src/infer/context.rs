//! State of the type inference of one body: the typed code that it builds, facts, scopes and problems.

use std::sync::Arc;

use apg_syntax::TextRange;
use apg_syntax::ast::AstNode;
use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use crate::body::Owner;
use crate::body::enclosing_owner;
use crate::body::local_class_env::{LocalClassEnv, SuperCall, Visible};
use crate::body::local_class_env::{captured_path, outer_path};
use crate::body::{Body, Expr, ExprId, ExprKind, Local, LocalId, LocalKind, Stmt, StmtId, StmtKind};
use crate::constraint::facts::Facts;
use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::ids::ClassId;
use crate::infer::local_class_env::{self};
use crate::infer::scopes::Scopes;
use crate::inputs::Checks;
use crate::rules::name::duplicate_local::DuplicateLocal;
use crate::rules::r#type::mismatch::Mismatch;
use crate::rules::r#type::removed::Removed;
use crate::rules::{Problem, ProblemData};
use crate::scope::lookup::Found;
use crate::ty::known::Known;
use crate::ty::{ConstraintTerm, Path, PathRoot, Ty};

pub(crate) struct Infer<'db> {
    pub(crate) db: &'db dyn Db,
    pub(crate) owner: Owner,
    /// The class that the body belongs to.
    pub(crate) class: ClassId,
    /// No `this` here.
    pub(crate) is_static: bool,
    pub(crate) is_constructor: bool,
    pub(crate) body: Body,
    pub(crate) scopes: Scopes,
    pub(crate) problems: Vec<Problem>,
    /// Facts that hold here: guards of the class and method, then constraints of `val`s.
    pub(crate) known: Arc<Facts>,
    /// Conditions that hold because of tests around this point (narrowing).
    pub(crate) assumptions: Vec<ConstraintTerm>,
    /// The types of the locals that the facts mention.
    pub(crate) typed: Arc<FxHashMap<PathRoot, Ty>>,
    /// The name of `here` in constraints at this point.
    pub(crate) here: Path,
    /// The innermost `finish` of this code is clocked.
    pub(crate) in_clocked_finish: bool,
    /// The collector that `offer` adds to, and the type of its values.
    pub(crate) collector: Option<(LocalId, Ty)>,
    /// Inside an `at` marked `@CUDA`.
    pub(crate) in_kernel: bool,
    /// Classes declared by statements, innermost last.
    pub(crate) local_types: Vec<(SmolStr, Found)>,
    /// A member name in a later line than its dot, and the dot: the member may be being typed.
    pub(crate) distant_name: Option<(TextRange, TextRange)>,
    /// The locals with skolem names, by value.
    pub(crate) skolems: FxHashMap<ExprId, LocalId>,
    /// How constraints are checked here.
    pub(crate) checks: Checks,
    /// The condition of this method is inferred.
    pub(crate) infers_guard: bool,
    /// The condition inferred so far.
    pub(crate) required: Vec<ConstraintTerm>,
    /// Typing ends at this class, whose environment is computed.
    pub(crate) environment_of: Option<ClassId>,
    /// The environment of that class.
    pub(crate) environment: Option<LocalClassEnv>,
    /// Statements before the code: components of formals with patterns.
    pub(crate) prologue: Vec<StmtId>,
    next_temporary: u32,
}

impl<'db> Infer<'db> {
    pub(crate) fn new(db: &'db dyn Db, owner: Owner, is_static: bool, is_constructor: bool) -> Infer<'db> {
        let class = match owner {
            Owner::Method(method) => method.class(db),
            Owner::Field(field) => field.class(db),
        };
        let checks = crate::inputs::checks(db, class.file(db));
        let infers_guard = match owner {
            Owner::Method(method) => crate::signature::inferred::infers_guard(db, method),
            Owner::Field(_) => false,
        };
        let mut known = Facts::default();
        if enclosing_owner(db, class).is_some() {
            local_class_env::local_class_env(db, class)
                .known
                .iter()
                .for_each(|term| known.push(term.clone()));
        };
        Infer {
            db,
            owner,
            class,
            is_static,
            is_constructor,
            body: Body::default(),
            scopes: Scopes::default(),
            problems: Vec::new(),
            known: Arc::new(known),
            assumptions: Vec::new(),
            typed: Arc::default(),
            here: crate::place::here_of_body(),
            in_clocked_finish: false,
            collector: None,
            in_kernel: false,
            local_types: Vec::new(),
            distant_name: None,
            skolems: FxHashMap::default(),
            checks,
            infers_guard,
            required: Vec::new(),
            environment_of: None,
            environment: None,
            prologue: Vec::new(),
            next_temporary: 0,
        }
    }

    // ---- construction of the body

    pub(crate) fn alloc(&mut self, kind: ExprKind, ty: Ty, range: TextRange) -> ExprId {
        match kind {
            ExprKind::Cast { checked: true, .. } => self.uses_of_check(ty),
            ExprKind::InstanceOf { ty: tested, .. } => self.uses_of_check(tested),
            _ => {}
        }
        self.body.exprs.push(Expr { kind, ty, range });
        ExprId(self.body.exprs.len() as u32 - 1)
    }

    pub(crate) fn alloc_stmt(&mut self, kind: StmtKind, range: TextRange) -> StmtId {
        self.body.stmts.push(Stmt { kind, range, annotations: Vec::new() });
        StmtId(self.body.stmts.len() as u32 - 1)
    }

    /// An expression with an error that is reported already.
    pub(crate) fn error(&mut self, range: TextRange) -> ExprId {
        self.alloc(ExprKind::Error, Ty::error(self.db), range)
    }

    pub(crate) fn add_local(
        &mut self,
        name: SmolStr,
        ty: Ty,
        mutable: bool,
        kind: LocalKind,
        range: TextRange,
    ) -> LocalId {
        self.body.locals.push(Local { name, ty, mutable, kind, range });
        self.scopes.made(mutable);
        LocalId(self.body.locals.len() as u32 - 1)
    }

    /// Makes a local visible; reports it if it hides another local of the same code.
    pub(crate) fn declare(&mut self, local: LocalId) {
        let Local { name, range, .. } = self.body.local(local);
        let (name, range) = (name.clone(), *range);
        if name.is_empty() {
            return;
        }
        if self.scopes.declare(&name, local).is_some() {
            self.report_at(range, DuplicateLocal { name });
        }
    }

    /// `val $n = value;` and the local.
    pub(crate) fn temporary(&mut self, value: ExprId) -> (StmtId, LocalId) {
        let range = self.range(value);
        let ty = self.ty(value);
        let name = format_smolstr!("${}", self.next_temporary);
        self.next_temporary += 1;
        let local = self.add_local(name, ty, false, LocalKind::Temporary, range);
        self.note_local(local);
        self.note_value(local, value);
        (self.alloc_stmt(StmtKind::Let { local, init: Some(value) }, range), local)
    }

    /// A use of a local's value.
    pub(crate) fn read(&mut self, local: LocalId, range: TextRange) -> ExprId {
        self.scopes.use_local(local, false);
        let ty = self.body.local(local).ty;
        self.alloc(ExprKind::Local(local), ty, range)
    }

    /// Whether evaluating it twice does no more than once: a local or literal.
    pub(crate) fn is_simple(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => !self.body.local(*local).mutable,
            ExprKind::Literal(_) | ExprKind::This | ExprKind::Here | ExprKind::Error => true,
            ExprKind::Coerce { value } => self.is_simple(*value),
            _ => false,
        }
    }

    /// `id`, to be used several times: through a temporary unless it is simple.
    pub(crate) fn reusable(&mut self, id: ExprId, stmts: &mut Vec<StmtId>) -> ExprId {
        if self.is_simple(id) {
            return id;
        }
        let range = self.range(id);
        let (stmt, local) = self.temporary(id);
        stmts.push(stmt);
        self.read(local, range)
    }

    /// A further use of an expression made by [`Infer::reusable`].
    pub(crate) fn again(&mut self, id: ExprId) -> ExprId {
        let Expr { kind, ty, range } = self.body.expr(id).clone();
        match kind {
            ExprKind::Local(local) => self.read(local, range),
            ExprKind::Coerce { value } => {
                let value = self.again(value);
                self.alloc(ExprKind::Coerce { value }, ty, range)
            }
            kind => self.alloc(kind, ty, range),
        }
    }

    // ---- environments of local classes

    /// Whether typing ends here; then records the environment.
    pub(crate) fn records_environment(&mut self, class: ClassId, superclass: Option<SuperCall>) -> bool {
        if self.environment_of != Some(class) || self.environment.is_some() {
            return false;
        }
        let db = self.db;
        let visible = self.scopes.visible();
        let path = |path: &Path| {
            let root = match &path.root {
                PathRoot::Local { name, offset } => {
                    let same = |local: LocalId| u32::from(self.body.local(local).range.start()) == *offset;
                    visible.iter().find(|(n, local)| n == name && same(*local))?;
                    captured_path(db, class, name).root
                }
                PathRoot::This => outer_path(db, self.class).root,
                PathRoot::Here => return None,
                _ => path.root.clone(),
            };
            Some(Path { root, fields: path.fields.clone() })
        };
        let local = |(name, local): &(SmolStr, LocalId)| {
            let Local { ty, mutable, .. } = self.body.local(*local);
            let ty = local_class_env::seen_by_class(db, *ty, &path);
            Visible { name: name.clone(), local: *local, ty, mutable: *mutable }
        };
        let locals = visible.iter().map(local).collect();
        let known =
            self.known.terms().iter().filter_map(|term| local_class_env::term_seen(term, &path)).collect();
        self.environment = Some(LocalClassEnv { locals, known, superclass });
        true
    }

    // ---- types and ranges

    pub(crate) fn ty(&self, id: ExprId) -> Ty {
        self.body.expr(id).ty
    }

    pub(crate) fn range(&self, id: ExprId) -> TextRange {
        self.body.expr(id).range
    }

    pub(crate) fn is_error(&self, id: ExprId) -> bool {
        self.ty(id).is_error(self.db)
    }

    pub(crate) fn show(&self, ty: Ty) -> String {
        ty.display(self.db).to_string()
    }

    pub(crate) fn is_string(&self, ty: Ty) -> bool {
        ty.is_known(self.db, Known::String)
    }

    // ---- reporting

    /// Reports a problem whose rule writes the diagnostic here: it has no data yet.
    pub(crate) fn report(&mut self, mut diagnostic: Diagnostic) {
        diagnostic.message = self.with_sources(diagnostic.message);
        diagnostic.notes = diagnostic.notes.into_iter().map(|note| self.with_sources(note)).collect();
        self.push_problem(diagnostic.into());
    }

    /// Reports a broken rule.
    pub(crate) fn report_at(&mut self, range: TextRange, data: impl Into<ProblemData>) {
        self.push_problem(Problem::new(range, data));
    }

    /// Adds a problem, unless the same rule is broken in the same range.
    pub(crate) fn push_problem(&mut self, problem: Problem) {
        let is_same = |old: &Problem| old.code() == problem.code() && old.range == problem.range;
        if !self.problems.iter().any(is_same) {
            self.problems.push(problem);
        }
    }

    /// Reports a construct that X10 no longer has.
    pub(crate) fn removed(&mut self, range: TextRange, construct: Removed) -> ExprId {
        self.report_at(range, construct);
        self.error(range)
    }

    pub(crate) fn mismatch(&mut self, range: TextRange, needed: Ty, found: Ty) {
        if needed.mentions_error(self.db) || found.mentions_error(self.db) {
            return;
        }
        self.report_at(range, Mismatch::Types { needed, found });
    }
}

/// The range of a node without the white space and comments around it.
pub(crate) fn range_of(node: &impl AstNode) -> TextRange {
    node.range()
}
