//! Let-insertion for allocating calls nested in expressions, such as `a.minus(b)` in `a.minus(b).length()`.
//!
//! Such a call is bound to a local in front of its statement, where [`super::stack_alloc`] finds it.

use apg_mir::*;

use super::stack_alloc::constructor_body;
use crate::analysis::escape::EscapeSummary;

/// Binds nested allocating calls of a function to locals. Operands that are evaluated earlier are bound as
/// well, which keeps the order of evaluation.
pub(crate) fn hoist_allocating_calls(program: &Program, function: &mut Function, escapes: &EscapeSummary) {
    let mut body = std::mem::take(&mut function.body);
    let locals = &mut function.locals;
    let mut hoister = Hoister { program, escapes, locals, hoisted: Vec::new(), span: None };
    walk_mut::edit_bodies(&mut body, &mut |stmts| {
        for mut stmt in std::mem::take(stmts) {
            hoister.span = Some(stmt.span);
            hoister.stmt(&mut stmt.kind);
            stmts.append(&mut hoister.hoisted);
            stmts.push(stmt);
        }
    });
    function.body = body;
}

struct Hoister<'a> {
    program: &'a Program,
    escapes: &'a EscapeSummary,
    locals: &'a mut Vec<Local>,
    /// Statements in front of the current one.
    hoisted: Vec<Stmt>,
    span: Option<Span>,
}

/// What happens to the value of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandUse {
    /// The operand may not be evaluated, or several times.
    Conditional,
    /// The value is read and not kept.
    Inspected,
    /// The value is kept or passed on.
    Escaping,
}

impl Hoister<'_> {
    fn stmt(&mut self, kind: &mut StmtKind) {
        let uses: &[OperandUse] = match kind {
            StmtKind::Set { .. }
            | StmtKind::SetStructField { .. }
            | StmtKind::Expr(_)
            | StmtKind::Return(Some(_))
            | StmtKind::If { .. }
            | StmtKind::Throw(_) => &[OperandUse::Escaping],
            StmtKind::SetField { .. } => &[OperandUse::Inspected, OperandUse::Escaping],
            StmtKind::SetElement { .. } => {
                &[OperandUse::Inspected, OperandUse::Escaping, OperandUse::Escaping]
            }
            _ => return,
        };
        self.hoist_from(walk_mut::operands(kind), uses);
    }

    /// Hoists from operands, which are in the order of evaluation.
    fn hoist_from(&mut self, operands: Vec<&mut Expr>, uses: &[OperandUse]) {
        let last = operands.iter().zip(uses).rposition(|(it, usage)| self.contains_hoistable(it, *usage));
        let Some(last) = last else { return };
        for (index, (operand, usage)) in operands.into_iter().zip(uses).enumerate().take(last + 1) {
            self.hoist(operand, *usage);
            if index < last && !is_fixed(operand) {
                self.bind(operand);
            }
        }
    }

    /// Whether an operand contains a call that can be hoisted.
    fn contains_hoistable(&self, expr: &Expr, usage: OperandUse) -> bool {
        if usage == OperandUse::Conditional {
            return false;
        }
        let operands = walk::children(&expr.kind);
        self.is_hoistable(expr, usage)
            || operands
                .into_iter()
                .zip(self.operand_uses(expr, usage))
                .any(|(it, usage)| self.contains_hoistable(it, usage))
    }

    fn is_hoistable(&self, expr: &Expr, usage: OperandUse) -> bool {
        let ExprKind::Call { function, .. } = expr.kind else { return false };
        usage == OperandUse::Inspected
            && matches!(expr.ty, Ty::Ref(_) | Ty::Any)
            && constructor_body(self.program, function).is_some()
    }

    fn hoist(&mut self, expr: &mut Expr, usage: OperandUse) {
        if usage == OperandUse::Conditional {
            return;
        }
        let is_hoistable = self.is_hoistable(expr, usage);
        let inner = self.operand_uses(expr, usage);
        self.hoist_from(walk_mut::children(&mut expr.kind), &inner);
        if is_hoistable {
            self.bind(expr);
        }
    }

    /// Binds an expression to a new local.
    fn bind(&mut self, expr: &mut Expr) {
        let Some(span) = self.span else { return };
        let local = LocalId(self.locals.len() as u32);
        let ty = expr.ty;
        self.locals.push(Local { name: format!("${}", local.0).into(), ty });
        let value = std::mem::replace(expr, Expr::new(ty, ExprKind::Local(local)));
        self.hoisted.push(Stmt::new(span, StmtKind::Set { local, value }));
    }

    /// The uses of the operands of an expression that is itself used so.
    fn operand_uses(&self, expr: &Expr, own: OperandUse) -> Vec<OperandUse> {
        let count = walk::children(&expr.kind).len();
        match &expr.kind {
            ExprKind::Call { args, .. }
            | ExprKind::CallVirtual { args, .. }
            | ExprKind::CallInterface { args, .. }
            | ExprKind::CallClosure { args, .. } => {
                let escapes = self.escapes.escaping_arguments(expr).unwrap_or(&[]);
                let of = |index| {
                    if escapes.get(index) == Some(&false) {
                        OperandUse::Inspected
                    } else {
                        OperandUse::Escaping
                    }
                };
                (0..args.len()).map(of).collect()
            }
            ExprKind::NonNull(_) | ExprKind::Cast { .. } => vec![own],
            ExprKind::Field { .. } | ExprKind::Length { .. } | ExprKind::InstanceOf { .. } => {
                vec![OperandUse::Inspected]
            }
            ExprKind::Element { .. } => vec![OperandUse::Inspected, OperandUse::Escaping],
            ExprKind::StructField { .. }
            | ExprKind::Operation { .. }
            | ExprKind::Runtime { .. }
            | ExprKind::MakeStruct(_)
            | ExprKind::MakeObject { .. }
            | ExprKind::AllocateRail { .. } => vec![OperandUse::Escaping; count],
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Select { .. } => {
                let mut uses = vec![OperandUse::Conditional; count];
                uses[0] = OperandUse::Escaping;
                uses
            }
            _ => vec![OperandUse::Conditional; count],
        }
    }
}

/// Whether an expression has the same value whenever it is evaluated.
fn is_fixed(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Local(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Null
            | ExprKind::Zero
            | ExprKind::Here
    )
}
