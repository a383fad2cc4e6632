//! The function being lowered: its locals, blocks, labels and current position.

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

use crate::builder::position::FileLines;
use crate::mono::types::Substitution;
use crate::{LowerError, Lowerer};
use apg_mir as mir;

/// A typed body, or none for functions that no source stands behind.
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

/// The code that a function is made from, shared with the closures inside it.
#[derive(Clone)]
pub(crate) struct Source {
    pub body: Code,
    pub substitution: Substitution,
    pub file: SourceFile,
    pub lines: Rc<FileLines>,
    /// Where the owning item starts: ranges in the body are relative to it.
    pub base: u32,
    /// Whose code it is; none for functions that no source stands behind.
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

/// Where a variable of the source is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Variable {
    Local(mir::LocalId),
    /// In a heap cell.
    Cell(mir::LocalId, mir::ClassId),
}

/// What `return` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// Gives a value of this X10 type (or none).
    Value(Ty),
    /// Gives the struct under construction.
    This,
    /// Not allowed: the body of an `async` or `at` statement.
    Nothing,
}

/// Where the code runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelCode {
    /// Static fields that travel with the kernel.
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
    /// Where `continue` goes in loops that are several: the innermost.
    continues: FxHashMap<LabelId, mir::LabelId>,
    next_label: u32,
    pub position: mir::Position,
    /// The expression being lowered, or one around it, stands on another line than their statement.
    pub apart: bool,
    /// Where the function begins.
    pub head: mir::Position,
    pub returns: Returns,
    /// Set while lowering the code of a kernel.
    pub kernel: Option<KernelCode>,
    /// Set while lowering what the host computes before the launch of the kernel: it calls functions of the host.
    pub before_launch: bool,
    /// The function is called by kernels only.
    pub kernel_only: bool,
    /// What its declaration says of calls of it.
    pub inlining: mir::Inlining,
    /// The value of `@Unroll` on the next loop.
    pub unroll: Option<u32>,
    /// Code marked `@FastMath` is being lowered.
    pub fast: bool,
    /// Accesses to elements that are known to exist.
    pub proved: FxHashSet<ExprId>,
    /// The coordinates of points that loops count.
    pub points: FxHashMap<LocalId, Vec<mir::LocalId>>,
    /// Rails in rails that a loop does not change, and the locals that hold them meanwhile.
    pub hoisted: Vec<(ExprId, mir::LocalId)>,
    /// The statements being lowered start kernels and change no rail until these have ended.
    pub captures_stable: bool,
    /// A nest of loops around turned out to need tests: only innermost loops are tested beforehand.
    pub innermost_only: bool,
}

impl<'a, 'db> Builder<'a, 'db> {
    pub(crate) fn new(lowerer: &'a mut Lowerer<'db>, source: Source, returns: Returns) -> Builder<'a, 'db> {
        let position = source.lines.position(source.base);
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
            position,
            apart: false,
            head: position,
            returns,
            kernel: None,
            before_launch: false,
            kernel_only: false,
            inlining: mir::Inlining::Free,
            unroll: None,
            fast: false,
            proved: FxHashSet::default(),
            points: FxHashMap::default(),
            hoisted: Vec::new(),
            captures_stable: false,
            innermost_only: false,
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
            position: self.head,
            locals: self.locals,
            params,
            result,
            body,
            device: self.kernel_only,
            kernel_only: self.kernel_only,
            recursion: mir::Recursion::default(),
            stack_objects: Vec::new(),
            inlining: self.inlining,
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

    /// A temporary that is set once.
    pub(crate) fn temporary(&mut self, ty: mir::Ty) -> mir::LocalId {
        self.new_local(SmolStr::new_static("$"), ty, false)
    }

    pub(crate) fn is_mutable(&self, id: mir::LocalId) -> bool {
        self.mutable[id.index()]
    }

    pub(crate) fn local(&self, id: mir::LocalId) -> mir::Expr {
        mir::Expr { ty: self.locals[id.index()].ty, kind: mir::ExprKind::Local(id), position: None }
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
                self.set(local, mir::Expr { ty: mir::Ty::Ref(class), kind, position: None });
            }
        }
    }

    /// Marks a variable as assigned again, though the source calls it a `val` (definite assignment).
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
        let stmt = mir::Stmt { position: self.position, kind };
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

    /// Runs `build` with a fresh block and gives the block.
    pub(crate) fn nested<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> (Vec<mir::Stmt>, R) {
        let position = self.position;
        self.blocks.push(Vec::new());
        let result = build(self);
        // What follows the block belongs to the statement around it.
        self.position = position;
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

    /// Where `continue` goes, if not where `break` does.
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

    // ---- positions and errors ----

    pub(crate) fn at(&mut self, range: TextRange) {
        self.position = self.source.lines.position(self.source.base + u32::from(range.start()));
        self.lowerer.writing.1 = Some(self.position);
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
