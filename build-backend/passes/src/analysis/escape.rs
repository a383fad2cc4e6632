//! Interprocedural escape analysis (Choi and others, *Escape Analysis for Java*, OOPSLA 1999).
//!
//! A reference escapes a function that stores it, returns it, or passes it to a function in which it escapes.
//! Reads and writes of its fields and comparisons do not make it escape. Results are the least fixpoint over
//! all functions (docs/contributing/analyses/escape.md).

#[cfg(test)]
mod tests;

use apg_mir::*;

use super::call_targets::CallTargets;
use crate::values::{is_closure_parameter, is_host_code, strip_checks};

/// The escaping parameters and captures of all functions.
pub(crate) struct EscapeSummary {
    /// For each function, which of its parameters escape.
    params: Vec<Vec<bool>>,
    /// For each closure class, which captures escape when it runs.
    captures: Vec<Vec<bool>>,
    /// For each function, the closure classes whose code it is.
    closures: Vec<Vec<ClassId>>,
    /// Targets of indirect calls, and which arguments escape in at least one target.
    targets: CallTargets,
    indirect: Vec<Vec<bool>>,
}

impl EscapeSummary {
    /// Which arguments of a call escape; `None` if it is no call. Arguments beyond the end of the list
    /// escape.
    pub(crate) fn escaping_arguments(&self, call: &Expr) -> Option<&[bool]> {
        match &call.kind {
            ExprKind::Call { function, .. } => Some(&self.params[function.index()]),
            ExprKind::CallVirtual { .. } | ExprKind::CallInterface { .. } | ExprKind::CallClosure { .. } => {
                let group = self.targets.group_of(&call.kind, call.ty);
                Some(group.map_or(&[], |it| &self.indirect[it]))
            }
            _ => None,
        }
    }

    /// Joins the results of the targets of each indirect call.
    fn update_indirect_calls(&mut self) {
        for (indirect, functions) in self.indirect.iter_mut().zip(&self.targets.functions) {
            let all = functions.iter().map(|it| &self.params[it.index()]);
            // Arguments that some target lacks are unknown, and escape.
            let count = all.clone().map(Vec::len).min().unwrap_or(0);
            *indirect = (0..count).map(|index| all.clone().any(|it| it[index])).collect();
        }
    }
}

/// Analyses all functions.
pub(crate) fn analyze_escapes(program: &Program) -> EscapeSummary {
    // Starts from "nothing escapes": a reference that functions of a cycle only pass to each other does not
    // escape.
    let is_unknown = |function: &Function| !is_host_code(function) || function.body.is_empty();
    let params = program.functions.iter().map(|it| vec![is_unknown(it); it.params as usize]).collect();
    let mut captures = Vec::new();
    let mut closures = vec![Vec::new(); program.functions.len()];
    for (index, class) in program.classes.iter().enumerate() {
        let code = class.vtable.get(slot::CLOSURE_APPLY as usize).copied().flatten();
        let code = code.filter(|_| class.kind == ClassKind::Closure);
        captures
            .push(vec![code.is_none_or(|it| is_unknown(&program.functions[it.index()])); class.fields.len()]);
        if let Some(code) = code {
            let function = &program.functions[code.index()];
            debug_assert!(
                is_code_of_closure(function),
                "{} has the closure as its first parameter",
                function.name
            );
            closures[code.index()].push(ClassId(index as u32));
        }
    }
    let targets = CallTargets::new(program);
    let indirect = vec![Vec::new(); targets.functions.len()];
    let mut summary = EscapeSummary { params, captures, closures, targets, indirect };
    loop {
        let mut changed = false;
        summary.update_indirect_calls();
        for (index, function) in program.functions.iter().enumerate() {
            let all_escape = |flags: &[bool]| flags.iter().all(|it| *it);
            if all_escape(&summary.params[index])
                && summary.closures[index].iter().all(|class| all_escape(&summary.captures[class.index()]))
            {
                continue;
            }
            let uses = LocalUses::of(function, &function.body, &summary);
            let (escaped, captures_escape) = (uses.escaped, uses.captures_escape);
            for (param, escapes) in escaped.iter().take(function.params as usize).enumerate() {
                changed |= *escapes && !std::mem::replace(&mut summary.params[index][param], true);
            }
            for class in summary.closures[index].clone() {
                for (field, flag) in summary.captures[class.index()].iter_mut().enumerate() {
                    changed |= captures_escape.field(field) && !std::mem::replace(flag, true);
                }
            }
        }
        if !changed {
            return summary;
        }
    }
}

/// Whether a function can be the code of a closure: its first parameter is the closure. [`CaptureEscapes`] of
/// other functions have no meaning.
fn is_code_of_closure(function: &Function) -> bool {
    function.params > 0 && function.locals.first().is_some_and(|it| matches!(it.ty, Ty::Ref(_)))
}

/// Which captures of the first parameter, a closure, escape.
#[derive(Default)]
struct CaptureEscapes {
    /// All of them.
    all: bool,
    fields: Vec<u32>,
}

impl CaptureEscapes {
    fn field(&self, index: usize) -> bool {
        self.all || self.fields.contains(&(index as u32))
    }
}

/// A statement that encloses another.
#[derive(Clone, Copy, PartialEq)]
enum Enclosing {
    /// A `finish`, by its number.
    Finish(u32),
    Loop,
}

/// How a function uses its locals.
pub(crate) struct LocalUses<'a> {
    escapes: &'a EscapeSummary,
    /// Whether the local's value escapes.
    pub escaped: Vec<bool>,
    /// Whether another local has the same value.
    pub aliased: Vec<bool>,
    /// The number of its assignments.
    pub sets: Vec<u32>,
    /// Copies, as source and target.
    copies: Vec<(LocalId, LocalId)>,
    /// Loads of captures, as field of the first parameter and target.
    loads: Vec<(u32, LocalId)>,
    captures_escape: CaptureEscapes,
    /// The statements that enclose the current one.
    enclosing: Vec<Enclosing>,
    finishes: u32,
    /// By local that is assigned inside a `finish`: the statements that enclose the assignment.
    assigned_in: Vec<Vec<Enclosing>>,
    /// Locals captured by activities of a `finish` that do not keep them.
    shared_with_activities: Vec<(LocalId, u32)>,
}

impl<'a> LocalUses<'a> {
    /// Analyses the body of a function.
    pub(crate) fn of(function: &Function, body: &[Stmt], escapes: &'a EscapeSummary) -> LocalUses<'a> {
        let count = function.locals.len();
        let (escaped, aliased, sets) = (vec![false; count], vec![false; count], vec![0; count]);
        let mut uses = LocalUses {
            escapes,
            escaped,
            aliased,
            sets,
            copies: Vec::new(),
            loads: Vec::new(),
            captures_escape: CaptureEscapes::default(),
            enclosing: Vec::new(),
            finishes: 0,
            assigned_in: vec![Vec::new(); count],
            shared_with_activities: Vec::new(),
        };
        uses.stmts(body);
        // An object assigned in a loop inside the `finish` may still be used by an activity of an earlier
        // iteration.
        for (local, finish) in std::mem::take(&mut uses.shared_with_activities) {
            let enclosing = &uses.assigned_in[local.index()];
            let inside = enclosing.iter().skip_while(|it| **it != Enclosing::Finish(finish));
            uses.escaped[local.index()] |= inside.into_iter().any(|it| *it == Enclosing::Loop);
        }
        uses.propagate_copies();
        uses.captures_escape.all |= count > 0 && (uses.escaped[0] || uses.aliased[0] || uses.sets[0] > 0);
        for (field, local) in &uses.loads {
            if uses.escaped[local.index()] {
                uses.captures_escape.fields.push(*field);
            }
        }
        uses
    }

    fn propagate_copies(&mut self) {
        // A local escapes if a copy of it does.
        loop {
            let mut changed = false;
            for (from, to) in &self.copies {
                let escapes = self.escaped[to.index()];
                changed |= escapes && !std::mem::replace(&mut self.escaped[from.index()], true);
            }
            if !changed {
                return;
            }
        }
    }

    fn stmts(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(&stmt.kind);
            let enclosing = match stmt.kind {
                StmtKind::Finish { .. } => {
                    self.finishes += 1;
                    Some(Enclosing::Finish(self.finishes))
                }
                StmtKind::Loop { .. } => Some(Enclosing::Loop),
                _ => None,
            };
            self.enclosing.extend(enclosing);
            walk::bodies(&stmt.kind).into_iter().for_each(|it| self.stmts(it));
            self.enclosing.truncate(self.enclosing.len() - usize::from(enclosing.is_some()));
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Set { local, value } => {
                self.sets[local.index()] += 1;
                if self.finishes > 0 {
                    self.assigned_in[local.index()].clone_from(&self.enclosing);
                }
                match &strip_checks(value).kind {
                    ExprKind::Local(from) => {
                        self.aliased[from.index()] = true;
                        self.copies.push((*from, *local));
                    }
                    ExprKind::Field { object, field, .. } if is_closure_parameter(object) => {
                        self.loads.push((*field, *local));
                    }
                    _ => self.expr(value, false),
                }
            }
            StmtKind::Async { closure, clocks: Clocks::None } => self.activity(closure),
            StmtKind::SetField { object, value, .. } => {
                self.expr(object, true);
                self.expr(value, false);
            }
            StmtKind::SetElement { rail, index, value, .. } => {
                self.expr(rail, true);
                self.expr(index, false);
                self.expr(value, false);
            }
            StmtKind::Expr(value) => self.expr(value, true),
            StmtKind::Try { catches, .. } => {
                catches.iter().for_each(|it| self.sets[it.local.index()] += 1);
            }
            other => walk::operands(other).into_iter().for_each(|it| self.expr(it, false)),
        }
    }

    /// A new activity. If its `finish` is in this function, the activity ends before the function does.
    fn activity(&mut self, closure: &Expr) {
        let finish = self.enclosing.iter().rev().find_map(|it| match it {
            Enclosing::Finish(number) => Some(*number),
            Enclosing::Loop => None,
        });
        let (Some(finish), ExprKind::MakeObject { class, fields }) = (finish, &strip_checks(closure).kind)
        else {
            return self.expr(closure, false);
        };
        for (index, value) in fields.iter().enumerate() {
            let keeps = self.escapes.captures[class.index()].get(index) != Some(&false);
            match strip_checks(value).kind {
                ExprKind::Local(local) if !keeps => self.shared_with_activities.push((local, finish)),
                _ => self.expr(value, false),
            }
        }
    }

    /// `is_read_only`: the context does not keep the value of the expression.
    fn expr(&mut self, expr: &Expr, is_read_only: bool) {
        match &expr.kind {
            ExprKind::Local(local) => self.escaped[local.index()] |= !is_read_only,
            ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => self.expr(value, is_read_only),
            ExprKind::Field { object, field, .. } if !is_read_only && is_closure_parameter(object) => {
                self.captures_escape.fields.push(*field);
            }
            ExprKind::InstanceOf { value, .. }
            | ExprKind::Field { object: value, .. }
            | ExprKind::Length { rail: value, .. } => self.expr(value, true),
            ExprKind::Element { rail, index, .. } => {
                self.expr(rail, true);
                self.expr(index, true);
            }
            ExprKind::Operation { args, .. } => args.iter().for_each(|it| self.expr(it, true)),
            ExprKind::Call { args, .. }
            | ExprKind::CallVirtual { args, .. }
            | ExprKind::CallInterface { args, .. }
            | ExprKind::CallClosure { args, .. } => {
                let escapes = self.escapes.escaping_arguments(expr).unwrap_or(&[]);
                for (index, arg) in args.iter().enumerate() {
                    self.expr(arg, escapes.get(index) == Some(&false));
                }
            }
            other => walk::children(other).into_iter().for_each(|it| self.expr(it, false)),
        }
    }
}
