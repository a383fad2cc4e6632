//! Builder of one MIR function: locals, blocks, labels and the current span.

use std::rc::Rc;
use std::sync::Arc;

use apg_analysis::SourceFile;
use apg_analysis::program::body::BodyResult;
use apg_analysis::program::body::Owner;
use apg_analysis::program::body::{Body, Captured, ExprId, LabelId, LocalId, StmtId, StmtKind};
use apg_analysis::program::items::FieldId;
use apg_analysis::program::kernel::Recognised;
use apg_analysis::program::ty::Ty;
use apg_syntax::TextRange;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::builder::span::FileLines;
use crate::mono::types::Substitution;
use crate::{LowerError, Lowerer};
use apg_mir as mir;

/// A typed body, or none for synthesised functions.
#[derive(Clone, Default)]
pub(crate) struct Code(pub Option<Arc<BodyResult>>);

impl std::ops::Deref for Code {
    type Target = Body;

    fn deref(&self) -> &Body {
        static EMPTY: Body = Body {
            locals: Vec::new(),
            exprs: Vec::new(),
            stmts: Vec::new(),
            params: Vec::new(),
            root: None,
            fast: Vec::new(),
        };
        self.0.as_ref().map_or(&EMPTY, |it| &it.body)
    }
}

/// The source code of a function, shared with the closures inside it.
#[derive(Clone)]
pub(crate) struct Source {
    pub body: Code,
    pub substitution: Substitution,
    pub file: SourceFile,
    pub lines: Rc<FileLines>,
    /// The offset of the owning item, to which ranges in the body are relative.
    pub base: u32,
    /// The owner of the code; none for synthesised functions.
    pub owner: Option<Owner>,
    /// The class around the code.
    pub this: Option<Ty>,
    /// Variables that several activities share.
    pub shared: Rc<FxHashSet<LocalId>>,
    /// The kernels among its `at` statements.
    pub kernels: Arc<Vec<Recognised>>,
    /// A readable name for traces.
    pub name: SmolStr,
}

/// The storage of a source variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Variable {
    Local(mir::LocalId),
    /// In a heap cell.
    Cell(mir::LocalId, mir::ClassId),
}

/// The meaning of `return`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// Returns a value of this X10 type, or nothing.
    Value(Ty),
    /// Returns the struct under construction.
    This,
    /// Not allowed: the body of an `async` or `at` statement.
    Nothing,
}

/// Context of kernel code.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelCode {
    /// Static fields captured by the kernel.
    pub statics: FxHashMap<FieldId, mir::LocalId>,
    /// The index and the extent of each axis of the blocks, slowest first.
    pub blocks: Vec<(mir::Expr, mir::Expr)>,
    /// Those of the threads.
    pub threads: Vec<(mir::Expr, mir::Expr)>,
}

/// Builds one function.
pub(crate) struct Builder<'a, 'db> {
    pub lowerer: &'a mut Lowerer<'db>,
    pub source: Source,
    pub locals: Vec<mir::Local>,
    /// By local: assigned more than once.
    mutable: Vec<bool>,
    pub variables: FxHashMap<LocalId, Variable>,
    /// The local that holds `this`.
    pub this: Option<mir::LocalId>,
    /// `this` is a struct under construction: fields are stored in the local.
    pub constructs_struct: bool,
    blocks: Vec<Vec<mir::Stmt>>,
    labels: FxHashMap<LabelId, mir::LabelId>,
    /// The target of `continue` in a source loop that is lowered to several: the innermost.
    continues: FxHashMap<LabelId, mir::LabelId>,
    next_label: u32,
    pub span: mir::Span,
    /// Where the function begins.
    pub head: mir::Span,
    pub returns: Returns,
    /// Set while lowering the code of a kernel.
    pub kernel: Option<KernelCode>,
    /// Set while lowering launch configurations, which run on the host.
    pub before_launch: bool,
    /// Whether only kernels call the function.
    pub kernel_only: bool,
    /// Inlining that the declaration requests.
    pub inlining: mir::Inlining,
    /// The value of `@Unroll` on the next loop.
    pub unroll: Option<u32>,
    /// Whether the code is marked `@FastMath`.
    pub fast: bool,
    /// Coordinates of points whose loops are counted.
    pub points: FxHashMap<LocalId, Vec<mir::LocalId>>,
    /// Whether the current statements launch kernels and write to no rail until these have ended.
    pub captures_stable: bool,
    /// Number of loops around the current statement.
    pub loop_depth: u32,
}

impl<'a, 'db> Builder<'a, 'db> {
    pub(crate) fn new(lowerer: &'a mut Lowerer<'db>, source: Source, returns: Returns) -> Builder<'a, 'db> {
        let span = source.lines.span_at(source.base);
        Builder {
            lowerer,
            source,
            locals: Vec::new(),
            mutable: Vec::new(),
            variables: FxHashMap::default(),
            this: None,
            constructs_struct: false,
            blocks: vec![Vec::new()],
            labels: FxHashMap::default(),
            continues: FxHashMap::default(),
            next_label: 0,
            span,
            head: span,
            returns,
            kernel: None,
            before_launch: false,
            kernel_only: false,
            inlining: mir::Inlining::Free,
            unroll: None,
            fast: false,
            points: FxHashMap::default(),
            captures_stable: false,
            loop_depth: 0,
        }
    }

    /// The finished function.
    pub(crate) fn finish(mut self, id: mir::FunctionId, name: String, params: u32, result: mir::Ty) {
        let mut body = self.blocks.pop().unwrap_or_default();
        if self.kernel_only {
            mir::fold::fold_body(&mut body);
        }
        let function = mir::Function {
            name,
            span: self.head,
            locals: self.locals,
            variables: Vec::new(),
            params,
            result,
            body,
            device: self.kernel_only,
            kernel_only: self.kernel_only,
            recursion: mir::Recursion::default(),
            stack_objects: Vec::new(),
            inlining: self.inlining,
            role: mir::FunctionRole::Plain,
        };
        self.lowerer.program.functions[id.index()] = function;
    }

    /// Whether this is code that a device may run.
    pub(crate) fn is_device_code(&self) -> bool {
        self.kernel.is_some() || self.kernel_only
    }

    /// The locals and statements so far, for code that is not a function (kernels).
    pub(crate) fn into_parts(mut self) -> (Vec<mir::Local>, Vec<mir::Stmt>) {
        (self.locals, self.blocks.pop().unwrap_or_default())
    }

    // ---- locals ----

    pub(crate) fn new_local(&mut self, name: impl Into<SmolStr>, ty: mir::Ty, mutable: bool) -> mir::LocalId {
        let id = mir::LocalId(self.locals.len() as u32);
        self.locals.push(mir::Local { name: name.into(), ty });
        self.mutable.push(mutable);
        id
    }

    /// A temporary that is assigned once.
    pub(crate) fn temporary(&mut self, ty: mir::Ty) -> mir::LocalId {
        self.new_local(SmolStr::new_static("$"), ty, false)
    }

    pub(crate) fn is_mutable(&self, id: mir::LocalId) -> bool {
        self.mutable[id.index()]
    }

    pub(crate) fn local(&self, id: mir::LocalId) -> mir::Expr {
        mir::Expr::new(self.locals[id.index()].ty, mir::ExprKind::Local(id))
    }

    /// Saves a value in a temporary.
    pub(crate) fn save(&mut self, value: mir::Expr) -> mir::Expr {
        if self.is_constant(&value) {
            return value;
        }
        let local = self.temporary(value.ty);
        self.set(local, value);
        self.local(local)
    }

    /// The concrete type of a variable of the source.
    pub(crate) fn variable_type(&mut self, id: LocalId) -> Ty {
        let ty = self.source.body.local(id).ty;
        self.concrete(ty)
    }

    /// A new variable for one of the source, not yet set.
    pub(crate) fn declare(&mut self, id: LocalId) -> Variable {
        let ty = self.variable_type(id);
        let (name, mutable) = {
            let local = self.source.body.local(id);
            (local.name.clone(), local.mutable)
        };
        let variable = if self.source.shared.contains(&id) {
            let class = self.lowerer.cell_of(ty);
            Variable::Cell(self.new_local(name, mir::Ty::Ref(class), false), class)
        } else {
            let machine = self.lowerer.machine(ty);
            Variable::Local(self.new_local(name, machine, mutable))
        };
        self.variables.insert(id, variable);
        variable
    }

    /// Gives a declared variable its first value.
    pub(crate) fn initialise(&mut self, variable: Variable, value: mir::Expr) {
        match variable {
            Variable::Local(local) => self.set(local, value),
            Variable::Cell(local, class) => {
                let kind = mir::ExprKind::MakeObject { class, fields: vec![value] };
                self.set(local, mir::Expr::new(mir::Ty::Ref(class), kind));
            }
        }
    }

    /// Marks a `val` that is assigned after its declaration (definite assignment).
    pub(crate) fn note_reassigned(&mut self, id: mir::LocalId) {
        self.mutable[id.index()] = true;
    }

    /// Declares the formals as parameters; shared ones move into cells.
    pub(crate) fn declare_params(&mut self, params: &[LocalId]) {
        let mut shared = Vec::new();
        for &param in params {
            let ty = self.variable_type(param);
            let machine = self.lowerer.machine(ty);
            let (name, mutable) = {
                let local = self.source.body.local(param);
                (local.name.clone(), local.mutable)
            };
            let local = self.new_local(name, machine, mutable);
            self.variables.insert(param, Variable::Local(local));
            if self.source.shared.contains(&param) {
                shared.push((param, local));
            }
        }
        for (param, local) in shared {
            let value = self.local(local);
            let variable = self.declare(param);
            self.initialise(variable, value);
        }
    }

    // ---- types ----

    pub(crate) fn concrete(&mut self, ty: Ty) -> Ty {
        self.lowerer.concrete(ty, &self.source.substitution)
    }

    pub(crate) fn concrete_all(&mut self, types: &[Ty]) -> Vec<Ty> {
        self.lowerer.concrete_all(types, &self.source.substitution)
    }

    /// The concrete type of an expression.
    pub(crate) fn type_of(&mut self, id: ExprId) -> Ty {
        let ty = self.source.body.expr(id).ty;
        self.concrete(ty)
    }

    // ---- statements ----

    pub(crate) fn push(&mut self, kind: mir::StmtKind) {
        let stmt = mir::Stmt::new(self.span, kind);
        self.block().push(stmt);
    }

    pub(crate) fn block(&mut self) -> &mut Vec<mir::Stmt> {
        if self.blocks.is_empty() {
            self.blocks.push(Vec::new());
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    pub(crate) fn set(&mut self, local: mir::LocalId, value: mir::Expr) {
        self.push(mir::StmtKind::Set { local, value });
    }

    /// Runs `build` with a new block and returns the block.
    pub(crate) fn nested<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> (Vec<mir::Stmt>, R) {
        let span = self.span;
        self.blocks.push(Vec::new());
        let result = build(self);
        // Statements after the block have the span of the enclosing statement.
        self.span = span;
        (self.blocks.pop().unwrap_or_default(), result)
    }

    /// A block with the lowered statement.
    pub(crate) fn nested_stmt(&mut self, stmt: StmtId) -> Vec<mir::Stmt> {
        self.nested(|builder| builder.stmt(stmt)).0
    }

    // ---- labels ----

    pub(crate) fn new_label(&mut self) -> mir::LabelId {
        self.next_label += 1;
        mir::LabelId(self.next_label)
    }

    /// The label of a loop, switch or labelled statement that begins.
    pub(crate) fn begin_label(&mut self, label: LabelId) -> mir::LabelId {
        let id = self.new_label();
        self.labels.insert(label, id);
        id
    }

    /// Sets the target of `continue` if it differs from that of `break`.
    pub(crate) fn continue_at(&mut self, label: LabelId, target: mir::LabelId) {
        self.continues.insert(label, target);
    }

    /// The target of a `continue`; an error if it is outside this function.
    pub(crate) fn continue_target(&mut self, label: LabelId, range: TextRange) -> Option<mir::LabelId> {
        self.continues.get(&label).copied().or_else(|| self.target(label, range))
    }

    /// The target of a jump; an error if it is outside this function.
    pub(crate) fn target(&mut self, label: LabelId, range: TextRange) -> Option<mir::LabelId> {
        let target = self.labels.get(&label).copied();
        if target.is_none() {
            self.error(
                LowerError::new("build/jump-out", "a jump leaves the body of an `async`, `at` or closure")
                    .note("the body may run as another activity or at another place; set a variable and test it after"),
                range,
            );
        }
        target
    }

    // ---- spans and errors ----

    pub(crate) fn at(&mut self, range: TextRange) {
        self.span = self.source.span(range);
        self.lowerer.current.1 = Some(self.span);
    }

    pub(crate) fn error(&mut self, error: LowerError, range: TextRange) {
        let base = apg_syntax::TextSize::new(self.source.base);
        let error = error.at(self.source.file, range + base);
        if !self.lowerer.errors.contains(&error) {
            self.lowerer.errors.push(error);
        }
    }

    /// Reports a construct that this compiler cannot build.
    pub(crate) fn unsupported(&mut self, what: &str, range: TextRange) {
        self.error(LowerError::new("build/unsupported", format!("{what} cannot be built yet")), range);
    }
}

/// Variables captured by reference anywhere in a body.
pub(crate) fn shared_variables(body: &Body) -> FxHashSet<LocalId> {
    let mut shared = FxHashSet::default();
    let mut note = |captures: &[apg_analysis::program::body::Capture]| {
        for capture in captures {
            if let (Captured::Local(local), true) = (capture.what, capture.by_reference) {
                shared.insert(local);
            }
        }
    };
    for stmt in &body.stmts {
        if let StmtKind::Async { captures, .. }
        | StmtKind::At { captures, .. }
        | StmtKind::AtEach { captures, .. } = &stmt.kind
        {
            note(captures);
        }
    }
    for expr in &body.exprs {
        match &expr.kind {
            apg_analysis::program::body::ExprKind::Closure(closure) => note(&closure.captures),
            apg_analysis::program::body::ExprKind::At { captures, .. } => note(captures),
            _ => {}
        }
    }
    shared
}
