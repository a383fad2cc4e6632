//! `switch` statements (C17 6.8.4.2): those whose labels are at the top of the body, and all others by jumps.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{CaseLabel, ExprId, StmtId, StmtKind, VariableId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Stmt, Ty};

use crate::body::{Body, binary, int};
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
        let lowered = match self.is_structured(stmts) {
            true => self.cases(stmts).map(|cases| mir::StmtKind::Switch { label, value, cases }),
            false => self.jumps(&value, body, label).map(|body| mir::StmtKind::Labeled { label, body }),
        };
        self.switches.pop();
        self.push(lowered?);
        Ok(())
    }

    /// A `switch` whose labels stand anywhere in its body: jumps to targets in the body.
    fn jumps(&mut self, value: &Expr, body: StmtId, end: mir::LabelId) -> Lowered<Vec<Stmt>> {
        let hir = self.unit.hir;
        let mut labels = Vec::new();
        hir.walk_stmt(body, &mut |node| match node {
            Node::Stmt(id) => {
                if let StmtKind::Case(label, _) = hir.stmt(id).kind {
                    labels.push((id, label));
                }
                !matches!(hir.stmt(id).kind, StmtKind::Switch(..))
            }
            _ => true,
        });
        let (stmts, ()) = self.nested(|it| {
            let mut default = mir::StmtKind::Break(end);
            for (id, label) in labels {
                let target = it.label();
                it.case_labels.insert(id, target);
                let range = hir.stmt(id).range;
                let condition = match label {
                    CaseLabel::Default => {
                        default = mir::StmtKind::Goto(target);
                        continue;
                    }
                    CaseLabel::Value(expr) => {
                        let constant = int(value.ty, it.label_value(expr, range)?);
                        binary(Ty::Bool, Operation::Eq, value.clone(), constant)
                    }
                    CaseLabel::Range(first, last) => {
                        let [low, high] = [it.label_value(first, range)?, it.label_value(last, range)?];
                        let low = binary(Ty::Bool, Operation::Ge, value.clone(), int(value.ty, low));
                        let high = binary(Ty::Bool, Operation::Le, value.clone(), int(value.ty, high));
                        Expr::new(Ty::Bool, mir::ExprKind::And(Box::new(low), Box::new(high)))
                    }
                    CaseLabel::Missing => {
                        return unsupported(range, "a label of `switch` has no value", "write a constant");
                    }
                };
                let jump = vec![Stmt::new(it.span, mir::StmtKind::Goto(target))];
                it.push(mir::StmtKind::If { condition, then: jump, otherwise: Vec::new() });
            }
            it.push(default);
            it.stmt(body);
            Ok(())
        })?;
        Ok(stmts)
    }

    /// A label of a `switch` as a target of jumps, and its statement.
    pub(crate) fn case_label(&mut self, id: StmtId, inner: Option<StmtId>, range: TextRange) -> Lowered<()> {
        let Some(target) = self.case_labels.get(&id).copied() else {
            return unsupported(range, "a label outside of `switch`", "leave it out");
        };
        self.push(mir::StmtKind::Target(target));
        inner.into_iter().for_each(|it| self.stmt(it));
        Ok(())
    }

    fn cases(&mut self, stmts: &[StmtId]) -> Lowered<Vec<Case>> {
        let hir = self.unit.hir;
        let mut cases: Vec<Case> = Vec::new();
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

    /// Whether all labels stand at the top of the body, have one value each, and no statement names an object
    /// of another case.
    fn is_structured(&self, stmts: &[StmtId]) -> bool {
        let hir = self.unit.hir;
        let mut declared = Vec::new();
        let mut case = 0;
        for stmt in stmts {
            let mut rest = Some(*stmt);
            while let Some(StmtKind::Case(label, inner)) = rest.map(|it| &hir.stmt(it).kind) {
                if matches!(label, CaseLabel::Range(..) | CaseLabel::Missing) {
                    return false;
                }
                case += 1;
                rest = *inner;
            }
            let Some(stmt) = rest else { continue };
            if !self.is_of_one_case(stmt, case, &declared) {
                return false;
            }
            if let StmtKind::Declaration(variables) = &hir.stmt(stmt).kind {
                declared.extend(variables.iter().map(|it| (*it, case)));
            }
        }
        true
    }

    /// Whether a statement has no label of the `switch` inside, and names no object of another case.
    fn is_of_one_case(&self, stmt: StmtId, case: usize, declared: &[(VariableId, usize)]) -> bool {
        let hir = self.unit.hir;
        let mut is_of_one = true;
        let mut of_others = Vec::new();
        hir.walk_stmt(stmt, &mut |node| {
            match node {
                Node::Stmt(id) => match hir.stmt(id).kind {
                    StmtKind::Switch(_, inner) => hir.walk_stmt(inner, &mut |node| {
                        if let Node::Stmt(id) = node {
                            of_others.push(id);
                        }
                        true
                    }),
                    StmtKind::Case(..) => is_of_one &= of_others.contains(&id),
                    // Jumps enter and leave cases.
                    StmtKind::Label(..) => is_of_one = false,
                    _ => {}
                },
                Node::Expr(id) => {
                    let variable = hir.base_variable(id);
                    is_of_one &= !declared.iter().any(|it| Some(it.0) == variable && it.1 != case);
                }
                Node::Directive(_) => {}
            }
            true
        });
        is_of_one
    }

    fn case_value(&self, label: CaseLabel, range: TextRange) -> Lowered<Option<i64>> {
        match label {
            CaseLabel::Value(expr) => self.label_value(expr, range).map(Some),
            _ => Ok(None),
        }
    }

    fn label_value(&self, expr: ExprId, range: TextRange) -> Lowered<i64> {
        match self.unit.hir.constant(expr) {
            Some(value) => Ok(value as i64),
            None => unsupported(range, "the value of this label is not known", "write a constant"),
        }
    }
}
