//! Bodies of kernels and functions while they are lowered: objects, temporaries, statements, labels.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{ExprId, ExprKind, StmtId, StmtKind, Type, VariableId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, LabelId, Local, LocalId, Operation, Place, PlaceKind, Span, Stmt, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::sources::{Definition, ReachedObject};
use crate::unit::Unit;
use crate::unsupported::{Lowered, unsupported};

/// Where the value of an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// In a local, which has no address.
    Local(LocalId),
    /// In the memory of the thread.
    Memory(mir::VariableId),
    /// Where the pointer in this local points to.
    Pointed(LocalId),
}

/// What a body is of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    /// A region.
    Region,
    /// A function that returns this.
    Function(Type),
}

/// The values of OpenMP's functions that ask for numbers of threads and teams.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ThreadNumbers {
    pub thread: Expr,
    pub threads: Expr,
    pub team: Expr,
    pub teams: Expr,
    /// How many parallel regions are around.
    pub level: Expr,
    /// 1 if one of them has several threads, otherwise 0.
    pub active: Expr,
    /// The most threads that a team may have, where the region can compute it.
    pub limit: Option<Expr>,
    /// The number of the thread in the outermost parallel region, and how many that has. Others have one.
    pub outermost: (Expr, Expr),
}

impl Default for ThreadNumbers {
    /// Those of a single thread.
    fn default() -> ThreadNumbers {
        let number = |value| int(Ty::I32, value);
        ThreadNumbers {
            thread: number(0),
            threads: number(1),
            team: number(0),
            teams: number(1),
            level: number(0),
            active: number(0),
            limit: None,
            outermost: (number(0), number(1)),
        }
    }
}

/// Targets of `break` and `continue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jumps {
    pub label: LabelId,
    /// `break` may leave it: it is not the loop of a directive.
    pub has_break: bool,
}

/// The threads that execute a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Threads {
    /// Those of teams that may have several.
    #[default]
    Several,
    /// The only thread of a team.
    One,
    /// Those of the team that a block is.
    Block(Box<BlockTeam>),
    /// The only thread of each team of a league: the number of its team, and how many there are.
    League(Box<(Expr, Expr)>),
}

/// The threads of a team that a block is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockTeam {
    /// The number of the thread, of 32 bits.
    pub thread: Expr,
    /// How many there are, of 64 bits.
    pub threads: Expr,
    /// The local with the number of the thread.
    pub local: LocalId,
    /// A loop of the region shows which thread executes an iteration: all obey their schedules.
    pub shows_threads: bool,
}

/// A variable of `lastprivate`, and the local with the address of the object that gets its last value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastValue {
    pub variable: VariableId,
    pub target: LocalId,
    /// Of `linear`: the local with the value from before, and the step.
    pub step: Option<(LocalId, i64)>,
}

/// What the code of a thread of a team knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TeamThread {
    /// The local with the address of the thread's state.
    pub state: LocalId,
}

/// Memory of an array of variable length that a function declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableArray {
    pub variable: VariableId,
    /// The local with its address, or null.
    pub memory: LocalId,
    /// The local with its size in bytes.
    pub capacity: LocalId,
}

/// A body.
pub(crate) struct Body<'u, 'a> {
    pub unit: &'u mut Unit<'a>,
    pub role: Role,
    /// What routines give that ask for threads and teams. A function knows those that it asks for.
    pub numbers: ThreadNumbers,
    /// Locals, captures or parameters first.
    pub locals: Vec<Local>,
    /// Objects in memory.
    pub variables: Vec<Local>,
    /// The objects that are known.
    pub objects: FxHashMap<VariableId, Storage>,
    /// Objects that need an address.
    pub addressed: FxHashSet<VariableId>,
    /// Objects that the body changes, or may change through their addresses.
    pub changed: FxHashSet<VariableId>,
    /// Objects whose declarations have no device form.
    pub undeclared: FxHashSet<VariableId>,
    /// The statements of the innermost block so far.
    pub stmts: Vec<Stmt>,
    /// Loops around, the innermost last.
    pub jumps: Vec<Jumps>,
    /// `switch` statements around, the innermost last: the label, and the number of loops around.
    pub switches: Vec<(LabelId, usize)>,
    /// Conditions and loops around.
    pub control_depth: u32,
    /// The labels of `goto`.
    pub labels: FxHashMap<SmolStr, LabelId>,
    /// The labels of `switch` statements that are reached by `goto`.
    pub case_labels: FxHashMap<StmtId, LabelId>,
    pub span: Span,
    /// The threads that execute the statements.
    pub threads: Threads,
    /// A parallel region inside of this one runs on one thread, as there are many that do so.
    pub may_open_team: bool,
    /// Several threads execute the parallel region around, each with a team of its own.
    pub has_siblings: bool,
    /// Objects of `lastprivate` of the loop that all threads share.
    pub last_values: Vec<LastValue>,
    /// Captures by value.
    pub value_locals: FxHashMap<VariableId, LocalId>,
    /// Arrays whose elements threads update for a reduction.
    pub updated: FxHashSet<VariableId>,
    /// In code of teams: the thread that executes the statements.
    pub team: Option<TeamThread>,
    /// The function whose body it is.
    pub definition: Option<Definition>,
    /// The value of `__func__`.
    pub function_name: SmolStr,
    /// The thread that has entered the function.
    pub function_team: Option<TeamThread>,
    /// Objects of file scope that functions name: the locals with their addresses.
    pub file_addresses: FxHashMap<ReachedObject, LocalId>,
    /// Objects of the file whose addresses the prologue computes.
    pub file_objects: FxHashMap<VariableId, Storage>,
    /// Statements at the start of the function or kernel.
    pub prologue: Vec<Stmt>,
    /// Arrays of variable length.
    pub arrays: Vec<VariableArray>,
    /// The lengths of arrays and rows where they are declared.
    pub array_lengths: FxHashMap<ExprId, Expr>,
    next_label: u32,
}

impl<'u, 'a> Body<'u, 'a> {
    pub(crate) fn new(unit: &'u mut Unit<'a>, role: Role, span: Span) -> Body<'u, 'a> {
        Body {
            unit,
            role,
            numbers: ThreadNumbers::default(),
            locals: Vec::new(),
            variables: Vec::new(),
            objects: FxHashMap::default(),
            addressed: FxHashSet::default(),
            changed: FxHashSet::default(),
            undeclared: FxHashSet::default(),
            stmts: Vec::new(),
            jumps: Vec::new(),
            switches: Vec::new(),
            control_depth: 0,
            labels: FxHashMap::default(),
            case_labels: FxHashMap::default(),
            span,
            threads: Threads::default(),
            may_open_team: true,
            has_siblings: false,
            last_values: Vec::new(),
            value_locals: FxHashMap::default(),
            updated: FxHashSet::default(),
            team: None,
            definition: None,
            function_name: SmolStr::default(),
            function_team: None,
            file_addresses: FxHashMap::default(),
            file_objects: FxHashMap::default(),
            prologue: Vec::new(),
            arrays: Vec::new(),
            array_lengths: FxHashMap::default(),
            next_label: 0,
        }
    }

    pub(crate) fn label(&mut self) -> LabelId {
        self.next_label += 1;
        LabelId(self.next_label - 1)
    }

    pub(crate) fn local(&mut self, name: &str, ty: Ty) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let name = if name.is_empty() { SmolStr::from(format!("${}", id.0)) } else { name.into() };
        self.locals.push(Local { name, ty });
        id
    }

    pub(crate) fn memory(&mut self, name: &str, ty: Ty) -> mir::VariableId {
        let id = mir::VariableId(self.variables.len() as u32);
        self.variables.push(Local { name: name.into(), ty });
        id
    }

    pub(crate) fn push(&mut self, kind: mir::StmtKind) {
        self.stmts.push(Stmt::new(self.span, kind));
    }

    pub(crate) fn set(&mut self, local: LocalId, value: Expr) {
        self.push(mir::StmtKind::Set { local, value });
    }

    pub(crate) fn store(&mut self, place: Place, value: Expr) {
        self.push(mir::StmtKind::Store { place, value });
    }

    /// A new local with this value.
    pub(crate) fn temporary(&mut self, value: Expr) -> Expr {
        let ty = value.ty;
        let local = self.local("", ty);
        self.set(local, value);
        local_value(local, ty)
    }

    /// The statements that `lower` makes, and its result.
    pub(crate) fn nested<T>(
        &mut self,
        lower: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<(Vec<Stmt>, T)> {
        let around = std::mem::take(&mut self.stmts);
        let result = lower(self);
        let inside = std::mem::replace(&mut self.stmts, around);
        Ok((inside, result?))
    }

    /// A new object, in a local if it has no address.
    pub(crate) fn declare(&mut self, variable: VariableId, range: TextRange) -> Lowered<Storage> {
        let of = self.unit.hir.variable(variable);
        let ty = self.unit.ty(&of.ty, range).inspect_err(|_| {
            self.undeclared.insert(variable);
        })?;
        let is_aggregate = matches!(of.ty, Type::Array(..) | Type::Record(_));
        let storage = if is_aggregate || self.addressed.contains(&variable) {
            Storage::Memory(self.memory(&of.name, ty))
        } else {
            Storage::Local(self.local(&of.name, ty))
        };
        self.objects.insert(variable, storage);
        Ok(storage)
    }

    /// Stores the first value of an object.
    pub(crate) fn initialize(&mut self, storage: Storage, value: Expr) {
        match storage {
            Storage::Local(local) => self.set(local, value),
            Storage::Memory(id) => {
                let place = Place::new(self.variables[id.index()].ty, PlaceKind::Variable(id));
                self.store(place, value);
            }
            Storage::Pointed(_) => {}
        }
    }

    /// Notes the labels of a statement that `goto` may lead to: no jump enters or leaves it.
    pub(crate) fn note_labels(&mut self, stmt: StmtId) {
        let hir = self.unit.hir;
        let mut found = Vec::new();
        hir.walk_stmt(stmt, &mut |node| {
            if let Node::Stmt(id) = node
                && let StmtKind::Label(name, _) = &hir.stmt(id).kind
            {
                found.push(name.clone());
            }
            true
        });
        for name in found {
            let label = self.label();
            self.labels.insert(name, label);
        }
    }

    /// Notes the objects that a statement changes, and those whose address it takes.
    pub(crate) fn note_objects(&mut self, stmt: StmtId) {
        let hir = self.unit.hir;
        let (mut addressed, mut assigned) = (Vec::new(), Vec::new());
        hir.walk_stmt(stmt, &mut |node| {
            let Node::Expr(expr) = node else { return true };
            match hir.expr(expr).kind {
                ExprKind::AddressOf(operand) => addressed.extend(self.object_of(operand)),
                ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => {
                    assigned.extend(self.object_of(target));
                }
                _ => {}
            }
            true
        });
        self.changed.extend(addressed.iter().chain(&assigned));
        self.addressed.extend(addressed);
    }

    /// The object that an lvalue is a part of, if it is not behind a pointer.
    fn object_of(&self, expr: ExprId) -> Option<VariableId> {
        let hir = self.unit.hir;
        match &hir.expr(expr).kind {
            ExprKind::Variable(it) => Some(*it),
            ExprKind::Index(base, _) if matches!(hir.expr(*base).ty, Type::Array(..)) => {
                self.object_of(*base)
            }
            ExprKind::Member { base, is_arrow: false, .. } => self.object_of(*base),
            _ => None,
        }
    }

    /// The statement inside of blocks that contain nothing else.
    pub(crate) fn only_statement(&self, mut stmt: StmtId) -> StmtId {
        while let StmtKind::Block(stmts) = &self.unit.hir.stmt(stmt).kind {
            match stmts[..] {
                [only] => stmt = only,
                _ => break,
            }
        }
        stmt
    }
}

/// The value of a local.
pub(crate) fn local_value(local: LocalId, ty: Ty) -> Expr {
    Expr::new(ty, mir::ExprKind::Local(local))
}

/// An integer constant.
pub(crate) fn int(ty: Ty, value: i64) -> Expr {
    Expr::new(ty, mir::ExprKind::Int(value))
}

/// An operation.
pub(crate) fn operation(ty: Ty, operation: Operation, args: Vec<Expr>) -> Expr {
    Expr::new(ty, mir::ExprKind::Operation { operation, args })
}

/// An operation on two values.
pub(crate) fn binary(ty: Ty, op: Operation, left: Expr, right: Expr) -> Expr {
    operation(ty, op, vec![left, right])
}

/// What a region or function does with an object that it cannot reach.
pub(crate) fn unreachable_object<T>(range: TextRange, name: &str) -> Lowered<T> {
    let message = format!("`{name}` is not in the memory of the device");
    unsupported(range, message, format!("pass `{name}` as an argument"))
}
