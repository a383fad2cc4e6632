//! Calls that make an object which only another call looks at: `a.minus(b).length()`. They come in front of their statement, as a local's
//! value, where [`super::frame`] finds them.

use super::escape::Escapes;
use super::frame::maker;
use apg_mir::*;

/// Brings such calls of a function in front of their statements. What is evaluated before them comes with them, so that all that happens
/// happens in the order it did.
pub(super) fn bring(program: &Program, function: &mut Function, escapes: &Escapes) {
    let mut body = std::mem::take(&mut function.body);
    let mut front = Front { program, escapes, locals: &mut function.locals, out: Vec::new(), position: None };
    walk_mut::edit_bodies(&mut body, &mut |stmts| {
        for mut stmt in std::mem::take(stmts) {
            front.position = Some(stmt.position);
            front.stmt(&mut stmt.kind);
            stmts.append(&mut front.out);
            stmts.push(stmt);
        }
    });
    function.body = body;
}

struct Front<'a> {
    program: &'a Program,
    escapes: &'a Escapes,
    locals: &'a mut Vec<Local>,
    /// What comes in front of the statement.
    out: Vec<Stmt>,
    position: Option<Position>,
}

/// What is known of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    /// Perhaps not evaluated, or several times.
    Apart,
    /// Nothing keeps its value.
    Seen,
    /// Its value is used anyhow.
    Used,
}

impl Front<'_> {
    fn stmt(&mut self, kind: &mut StmtKind) {
        let known: &[Operand] = match kind {
            StmtKind::Set { .. }
            | StmtKind::SetStructField { .. }
            | StmtKind::Expr(_)
            | StmtKind::Return(Some(_))
            | StmtKind::If { .. }
            | StmtKind::Throw(_) => &[Operand::Used],
            StmtKind::SetField { .. } => &[Operand::Seen, Operand::Used],
            StmtKind::SetElement { .. } => &[Operand::Seen, Operand::Used, Operand::Used],
            _ => return,
        };
        self.all(walk_mut::operands(kind), known);
    }

    /// Operands in the order of evaluation.
    fn all(&mut self, operands: Vec<&mut Expr>, known: &[Operand]) {
        let last = operands.iter().zip(known).rposition(|(it, known)| self.has(it, *known));
        let Some(last) = last else { return };
        for (index, (operand, known)) in operands.into_iter().zip(known).enumerate().take(last + 1) {
            self.take(operand, *known);
            if index < last && !is_fixed(operand) {
                self.save(operand);
            }
        }
    }

    /// Whether a call in an operand can come in front.
    fn has(&self, expr: &Expr, known: Operand) -> bool {
        if known == Operand::Apart {
            return false;
        }
        let operands = walk::children(&expr.kind);
        self.is_wanted(expr, known)
            || operands.into_iter().zip(self.known(expr, known)).any(|(it, known)| self.has(it, known))
    }

    fn is_wanted(&self, expr: &Expr, known: Operand) -> bool {
        let ExprKind::Call { function, .. } = expr.kind else { return false };
        known == Operand::Seen
            && matches!(expr.ty, Ty::Ref(_) | Ty::Any)
            && maker(self.program, function).is_some()
    }

    fn take(&mut self, expr: &mut Expr, known: Operand) {
        if known == Operand::Apart {
            return;
        }
        let wanted = self.is_wanted(expr, known);
        let inner = self.known(expr, known);
        self.all(walk_mut::children(&mut expr.kind), &inner);
        if wanted {
            self.save(expr);
        }
    }

    /// Makes an expression the value of a new local.
    fn save(&mut self, expr: &mut Expr) {
        let Some(position) = self.position else { return };
        let local = LocalId(self.locals.len() as u32);
        let ty = expr.ty;
        self.locals.push(Local { name: format!("${}", local.0).into(), ty });
        let value = std::mem::replace(expr, Expr { ty, kind: ExprKind::Local(local), position: None });
        self.out.push(Stmt { position, kind: StmtKind::Set { local, value } });
    }

    /// What is known of the operands of an expression, of which itself `known` is.
    fn known(&self, expr: &Expr, known: Operand) -> Vec<Operand> {
        let count = walk::children(&expr.kind).len();
        match &expr.kind {
            ExprKind::Call { args, .. }
            | ExprKind::CallVirtual { args, .. }
            | ExprKind::CallInterface { args, .. }
            | ExprKind::CallClosure { args, .. } => {
                let escapes = self.escapes.of_call(expr).unwrap_or(&[]);
                let of =
                    |index| if escapes.get(index) == Some(&false) { Operand::Seen } else { Operand::Used };
                (0..args.len()).map(of).collect()
            }
            ExprKind::NonNull(_) | ExprKind::Cast { .. } => vec![known],
            ExprKind::Field { .. } | ExprKind::Length { .. } | ExprKind::InstanceOf { .. } => {
                vec![Operand::Seen]
            }
            ExprKind::Element { .. } => vec![Operand::Seen, Operand::Used],
            ExprKind::StructField { .. }
            | ExprKind::Operation { .. }
            | ExprKind::Runtime { .. }
            | ExprKind::MakeStruct(_)
            | ExprKind::MakeObject { .. }
            | ExprKind::AllocateRail { .. } => vec![Operand::Used; count],
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Select { .. } => {
                let mut all = vec![Operand::Apart; count];
                all[0] = Operand::Used;
                all
            }
            _ => vec![Operand::Apart; count],
        }
    }
}

/// An expression that is the same whenever it is evaluated.
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
