//! `@CUDA` functions: their own code, and what kernels reach through them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::Draft;
use super::facts::Facts;
use super::rules::{Code, Uses};
use super::violation::Violation;
use crate::body::parents::Parents;
use crate::body::{Body, ExprId, StmtId, StmtKind};
use crate::diagnostics::{Severity, cuda};
use crate::ids::MethodId;
use crate::item_tree::ClassKind;

/// What is known about one `@CUDA` function by itself.
pub(super) struct FunctionCode {
    /// Broken rules, ranges relative to the function.
    pub violations: Vec<Violation>,
    /// What it calls.
    pub calls: Vec<MethodId>,
    /// It has errors that others report.
    pub broken: bool,
}

/// Checks the code of one `@CUDA` function, not of those it calls.
pub(super) fn function_code(facts: &Facts, method: MethodId, body: &Body) -> FunctionCode {
    let Some(root) = body.root else {
        return FunctionCode { violations: Vec::new(), calls: Vec::new(), broken: false };
    };
    let parents = Parents::of(body);
    let mut draft = Draft::new(facts, body, &parents, root);
    draft.inner.extend(body.params.iter().copied());
    let class = method.class(facts.db);
    let this = !facts.is_static(method) && facts.class_kind(class) == ClassKind::Struct;
    let mut uses = Uses::default();
    // The constructor of a plain struct only sets its fields.
    if facts.is_constructor(method) {
        draft.constructor(root, &mut uses);
    } else {
        draft.device_code(root, Code::Function { this }, &mut uses);
    }
    let mut calls: Vec<MethodId> = Vec::new();
    for (callee, _) in &uses.calls {
        if !calls.contains(callee) {
            calls.push(*callee);
        }
    }
    let broken = draft.is_broken();
    FunctionCode { violations: draft.into_violations(), calls, broken }
}

impl Draft<'_> {
    fn constructor(&self, root: StmtId, uses: &mut Uses) {
        for stmt in self.statements(root) {
            match self.stmt(stmt).kind {
                StmtKind::Property { .. } | StmtKind::ConstructorCall { .. } => {}
                _ => self.device_code(stmt, Code::Function { this: true }, uses),
            }
        }
    }

    /// All functions that a kernel reaches, each once, in order of first call. What is wrong with one of
    /// them is reported at the call that leads there.
    pub(super) fn functions(&self, uses: &Uses) -> Vec<MethodId> {
        let mut reached = Vec::new();
        for (method, call) in &uses.calls {
            self.reach(*method, *call, &mut reached);
        }
        reached
    }

    fn reach(&self, method: MethodId, call: ExprId, reached: &mut Vec<MethodId>) {
        let mut codes = FxHashMap::default();
        let mut order = Vec::new();
        self.collect(method, &mut codes, &mut order);
        for found in &order {
            let code = &codes[found];
            if code.broken {
                self.mark_broken();
            }
            if let Some(first) =
                code.violations.iter().find(|violation| violation.severity == Severity::Error)
            {
                self.bad_callee(method, *found, call, first);
            }
            if !reached.contains(found) {
                reached.push(*found);
            }
        }
        if let Some(cycle) = recursive(&order, &codes) {
            let name = self.facts.method_name(cycle);
            let note = "a thread's stack is small and fixed: write the repetition as a loop";
            self.refuse(
                &cuda::recursion::RULE,
                self.expr(call).range,
                &format!("`{name}` calls itself, directly or through others"),
                note,
            );
        }
    }

    fn collect(
        &self,
        method: MethodId,
        codes: &mut FxHashMap<MethodId, FunctionCode>,
        order: &mut Vec<MethodId>,
    ) {
        let mut open = vec![method];
        while let Some(method) = open.pop() {
            if codes.contains_key(&method) {
                continue;
            }
            let body = self.facts.body(method);
            let code = function_code(self.facts, method, &body.body);
            open.extend(code.calls.iter().rev().copied());
            order.push(method);
            codes.insert(method, code);
        }
    }

    fn bad_callee(&self, called: MethodId, found: MethodId, call: ExprId, first: &Violation) {
        let name = self.facts.method_name(found);
        let through = if called == found {
            String::new()
        } else {
            format!(" through `{}`", self.facts.method_name(called))
        };
        self.report(
            self.violation(
                &cuda::bad_callee::RULE,
                self.expr(call).range,
                format!("a thread calls `{name}`{through}, which a device cannot run"),
            )
            .note(format!("{}: mend the function, or do without it here", first.message))
            .related(Some(found), first.range, first.message.clone()),
        );
    }
}

/// A function that can reach itself.
fn recursive(order: &[MethodId], codes: &FxHashMap<MethodId, FunctionCode>) -> Option<MethodId> {
    order.iter().copied().find(|start| {
        let mut seen = FxHashSet::default();
        let mut open: Vec<MethodId> = codes[start].calls.clone();
        while let Some(method) = open.pop() {
            if method == *start {
                return true;
            }
            if seen.insert(method) {
                open.extend(codes.get(&method).into_iter().flat_map(|code| code.calls.iter().copied()));
            }
        }
        false
    })
}
