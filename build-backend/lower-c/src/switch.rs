//! `switch` statements (C17 6.8.4.2), whose labels stand at the top of the body.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{CaseLabel, ExprId, StmtId, StmtKind};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Stmt, Ty};

use crate::body::Body;
use crate::unsupported::{Lowered, unsupported};

/// Labels, and the statements behind them up to the next label.
type Case = (Vec<Option<i64>>, Vec<Stmt>);

impl Body<'_, '_> {
    pub(crate) fn switch(&mut self, value: ExprId, body: StmtId, range: TextRange) -> Lowered<()> {
        let hir = self.unit.hir;
        let value = self.value(value)?;
        let value = match value.ty {
            Ty::I32 | Ty::U32 | Ty::I64 | Ty::U64 => value,
            _ => self.convert_to(value, Ty::I32, range)?,
        };
        let value = self.temporary(value);
        let stmts = match &hir.stmt(body).kind {
            StmtKind::Block(stmts) => &stmts[..],
            _ => &[body],
        };
        let label = self.label();
        self.switches.push((label, self.jumps.len()));
        let cases = self.cases(stmts);
        self.switches.pop();
        self.push(mir::StmtKind::Switch { label, value, cases: cases? });
        Ok(())
    }

    fn cases(&mut self, stmts: &[StmtId]) -> Lowered<Vec<Case>> {
        let hir = self.unit.hir;
        let mut cases: Vec<Case> = Vec::new();
        let mut declared = Vec::new();
        for stmt in stmts {
            let (mut labels, mut rest) = (Vec::new(), Some(*stmt));
            while let Some(StmtKind::Case(label, inner)) = rest.map(|it| &hir.stmt(it).kind) {
                labels.push(self.case_value(*label, hir.stmt(*stmt).range)?);
                rest = *inner;
            }
            if !labels.is_empty() {
                match cases.last_mut().filter(|it| it.1.is_empty()) {
                    Some(case) => case.0.extend(labels),
                    None => cases.push((labels, Vec::new())),
                }
            }
            let Some(stmt) = rest else { continue };
            self.check_case(stmt, cases.len(), &declared)?;
            if let StmtKind::Declaration(variables) = &hir.stmt(stmt).kind {
                declared.extend(variables.iter().map(|it| (*it, cases.len())));
            }
            // No label leads to what is in front of the first.
            let (lowered, ()) = self.nested(|it| {
                it.stmt(stmt);
                Ok(())
            })?;
            if let Some(case) = cases.last_mut() {
                case.1.extend(lowered);
            }
        }
        Ok(cases)
    }

    /// Checks that no label of the `switch` stands inside of a statement, and that the statement names no
    /// object of another case.
    fn check_case(
        &self,
        stmt: StmtId,
        case: usize,
        declared: &[(apg_c_analysis::hir::VariableId, usize)],
    ) -> Lowered<()> {
        let hir = self.unit.hir;
        let mut problem = None;
        hir.walk_stmt(stmt, &mut |node| {
            match node {
                Node::Stmt(id) => match hir.stmt(id).kind {
                    StmtKind::Switch(..) => return false,
                    StmtKind::Case(..) => {
                        problem =
                            Some((hir.stmt(id).range, "a label of `switch` inside of another statement"));
                    }
                    _ => {}
                },
                Node::Expr(id) => {
                    let variable = hir.base_variable(id);
                    if declared.iter().any(|it| Some(it.0) == variable && it.1 != case) {
                        problem = Some((hir.expr(id).range, "an object of another case of `switch`"));
                    }
                }
                Node::Directive(_) => {}
            }
            true
        });
        match problem {
            None => Ok(()),
            Some((range, what)) => {
                unsupported(range, format!("{what} has no device form"), "write `if` and `else if`")
            }
        }
    }

    fn case_value(&self, label: CaseLabel, range: TextRange) -> Lowered<Option<i64>> {
        match label {
            CaseLabel::Default => Ok(None),
            CaseLabel::Value(expr) => match self.unit.hir.constant(expr) {
                Some(value) => Ok(Some(value as i64)),
                None => unsupported(range, "the value of this label is not known", "write a constant"),
            },
            CaseLabel::Range => {
                unsupported(range, "a range of labels has no device form", "write each value")
            }
        }
    }
}
