//! Facts about a loop as a whole: what it assigns, and whether its statements allow a second version.

use apg_mir::*;
use rustc_hash::FxHashSet;

/// Size of the largest loop that is versioned, in statements and expressions.
const MAX_NODES: usize = 1000;

/// Facts about a loop.
#[derive(Debug, Default)]
pub(super) struct LoopFacts {
    /// Variables that the loop assigns, those declared in it included.
    pub assigned: FxHashSet<LocalId>,
    /// The loop contains loops.
    pub is_nest: bool,
    /// No reference is stored into an array, neither directly nor by a call.
    pub keeps_rails: bool,
    has_checks: bool,
}

impl LoopFacts {
    /// The facts about a loop; `None` if it cannot have two versions, or needs none: it contains activities
    /// or closures, is too large, or has no bounds checks.
    pub(super) fn of(program: &Program, stmt: &Stmt) -> Option<LoopFacts> {
        let mut facts = LoopFacts { keeps_rails: true, ..LoopFacts::default() };
        let (mut is_plain, mut nodes) = (true, 0);
        let mut loops = 0;
        walk::visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
            nodes += 1;
            loops += usize::from(matches!(stmt.kind, StmtKind::Loop { .. }));
            is_plain &= facts.note_stmt(program, &stmt.kind);
        });
        if !is_plain || nodes > MAX_NODES {
            return None;
        }
        walk::visit_exprs(std::slice::from_ref(stmt), &mut |expr, _| {
            nodes += 1;
            is_plain &= facts.note_expr(program, expr);
        });
        facts.is_nest = loops > 1;
        facts.keeps_rails &= !facts.is_nest;
        (is_plain && facts.has_checks && nodes <= MAX_NODES).then_some(facts)
    }

    /// Notes a statement; false if it prevents versioning.
    fn note_stmt(&mut self, program: &Program, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } => {
                self.assigned.insert(*local);
            }
            // A constructor: the field is not yet immutable.
            StmtKind::SetField { class, field, .. } => {
                return !program.classes[class.index()].field_attributes(*field).immutable;
            }
            StmtKind::SetElement { element, checked, .. } => {
                self.has_checks |= checked;
                self.keeps_rails &= !is_reference_or_struct(*element);
            }
            StmtKind::Expr(_)
            | StmtKind::SetStatic { .. }
            | StmtKind::Block(_)
            | StmtKind::If { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Labeled { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(_)
            | StmtKind::Throw(_) => {}
            _ => return false,
        }
        true
    }

    /// Notes an expression; false if it prevents versioning.
    fn note_expr(&mut self, program: &Program, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::At { .. } => return false,
            ExprKind::MakeObject { class, .. }
                if program.classes[class.index()].kind == ClassKind::Closure =>
            {
                return false;
            }
            ExprKind::Element { checked, .. } => self.has_checks |= checked,
            ExprKind::Call { function, .. } => {
                let role = &program.functions[function.index()].role;
                self.has_checks |= matches!(role, FunctionRole::Indexing(_) | FunctionRole::CharAt);
                self.keeps_rails &=
                    matches!(role, FunctionRole::Tuple | FunctionRole::Property | FunctionRole::CharAt);
            }
            ExprKind::Runtime { entry, .. } => {
                self.has_checks |= entry == entries::CHAR_AT;
                self.keeps_rails &= entries::reads_strings_only(entry);
            }
            ExprKind::CallVirtual { .. }
            | ExprKind::CallInterface { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::CallPointer { .. }
            | ExprKind::Allocate(_)
            | ExprKind::MakeObject { .. }
            | ExprKind::StackAllocate { .. }
            | ExprKind::AllocateRail { .. }
            | ExprKind::TableRail { .. }
            | ExprKind::Static(_)
            | ExprKind::Cast { checked: true, .. } => self.keeps_rails = false,
            _ => {}
        }
        true
    }
}

fn is_reference_or_struct(ty: Ty) -> bool {
    matches!(ty, Ty::Ref(_) | Ty::Any | Ty::Struct(_) | Ty::Void)
}
