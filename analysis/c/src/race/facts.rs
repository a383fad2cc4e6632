//! Facts of a program that do not depend on the flow of control: variables that are assigned, functions that
//! are called (side-effect summaries: Cooper and Kennedy, PLDI 1988).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::visit::Node;
use crate::hir::{Construct, DirectiveId, ExprId, ExprKind, FunctionId, Program, StmtId, VariableId};
use crate::sharing::Attribute;

/// What a statement does, with the functions that it calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// Variables that are assigned by name.
    pub(super) assigned: FxHashSet<VariableId>,
    /// Variables whose address is passed to a function or stored.
    pub(super) addressed: FxHashSet<VariableId>,
    /// Functions of the program that are called.
    pub(super) callees: FxHashSet<FunctionId>,
    /// Directives, those in called functions left out.
    pub(super) directives: Vec<DirectiveId>,
    /// It waits by means of its own: reads a flag atomically, takes locks.
    pub(super) synchronises: bool,
}

/// The variables that a region uses, with their attributes there.
type Environment = Rc<[(VariableId, Attribute)]>;

/// Facts of a program.
pub(super) struct Facts {
    pub(super) assigned: FxHashSet<VariableId>,
    pub(super) addressed: FxHashSet<VariableId>,
    pub(super) threadprivate: FxHashSet<VariableId>,
    /// Arrays of integers that keep the values of their initialisers.
    pub(super) tables: FxHashMap<VariableId, Arc<[i64]>>,
    pub(super) is_called: FxHashSet<FunctionId>,
    functions: FxHashMap<FunctionId, Effects>,
    environments: RefCell<FxHashMap<DirectiveId, Environment>>,
    summaries: RefCell<FxHashMap<StmtId, Rc<Effects>>>,
}

impl Facts {
    pub(super) fn new(program: &Program) -> Facts {
        let functions: FxHashMap<FunctionId, Effects> =
            program.defined_functions().map(|(id, body)| (id, effects(program, body))).collect();
        let all = |of: fn(&Effects) -> &FxHashSet<VariableId>| {
            functions.values().flat_map(|it| of(it).iter().copied()).collect()
        };
        let variables = program.variables.iter().enumerate().map(|it| VariableId::new(it.0));
        Facts {
            assigned: all(|it| &it.assigned),
            addressed: all(|it| &it.addressed),
            threadprivate: variables.filter(|it| program.is_threadprivate(*it)).collect(),
            tables: tables(program),
            is_called: functions.values().flat_map(|it| it.callees.iter().copied()).collect(),
            functions,
            environments: RefCell::default(),
            summaries: RefCell::default(),
        }
    }

    /// The variables that a region uses and declares outside, with their attributes there.
    pub(super) fn environment(&self, program: &Program, id: DirectiveId) -> Environment {
        if let Some(known) = self.environments.borrow().get(&id) {
            return known.clone();
        }
        let directive = program.directive(id);
        let mut variables: Vec<VariableId> = program.captured(id).into_iter().map(|it| it.0).collect();
        let items = directive.clauses.iter().flat_map(|it| &it.items);
        variables.extend(items.filter_map(|it| it.variable(program)));
        variables.sort_unstable();
        variables.dedup();
        let of = |it: VariableId| Some((it, program.sharing(id, it)?.attribute));
        let found: Rc<[_]> = variables.into_iter().filter_map(of).collect();
        self.environments.borrow_mut().insert(id, found.clone());
        found
    }

    /// The directives in a statement, those of called functions included.
    pub(super) fn directives_in(&self, program: &Program, stmt: StmtId) -> Vec<DirectiveId> {
        let total = self.with_callees(program, stmt);
        let callees = total.callees.iter().filter_map(|it| self.functions.get(it));
        callees.flat_map(|it| &it.directives).chain(&total.directives).copied().collect()
    }

    /// The effects of a statement, those of called functions included.
    pub(super) fn with_callees(&self, program: &Program, stmt: StmtId) -> Rc<Effects> {
        if let Some(known) = self.summaries.borrow().get(&stmt) {
            return known.clone();
        }
        let mut total = effects(program, stmt);
        let mut open: Vec<FunctionId> = total.callees.iter().copied().collect();
        while let Some(function) = open.pop() {
            let Some(of) = self.functions.get(&function) else { continue };
            total.assigned.extend(&of.assigned);
            total.addressed.extend(&of.addressed);
            total.synchronises |= of.synchronises;
            open.extend(of.callees.iter().copied().filter(|it| total.callees.insert(*it)));
        }
        let total = Rc::new(total);
        self.summaries.borrow_mut().insert(stmt, total.clone());
        total
    }

    /// The directives in a statement that start threads or lanes, those of called functions included.
    pub(super) fn parallel_regions_in(&self, program: &Program, stmt: StmtId) -> Vec<DirectiveId> {
        let all = self.directives_in(program, stmt).into_iter();
        let is_parallel = |it: &DirectiveId| {
            let directive = program.directive(*it);
            [Construct::Parallel, Construct::Teams, Construct::Simd].iter().any(|it| directive.has(*it))
        };
        all.filter(is_parallel).collect()
    }
}

/// The variable that an expression names alone.
fn named(program: &Program, expr: ExprId) -> Option<VariableId> {
    match program.expr(expr).kind {
        ExprKind::Variable(it) => Some(it),
        _ => None,
    }
}

fn effects(program: &Program, stmt: StmtId) -> Effects {
    let mut found = Effects::default();
    program.walk_stmt(stmt, &mut |node| {
        match node {
            Node::Expr(expr) => match &program.expr(expr).kind {
                ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => {
                    found.assigned.extend(named(program, *target));
                }
                ExprKind::AddressOf(of) => found.addressed.extend(named(program, *of)),
                ExprKind::Call(callee, _) => {
                    if let ExprKind::Function(function) = program.expr(*callee).kind {
                        found.callees.insert(function);
                    }
                    found.synchronises |= program.callee_name(*callee).is_some_and(|it| {
                        matches!(
                            it,
                            "omp_set_lock" | "omp_test_lock" | "omp_set_nest_lock" | "omp_test_nest_lock"
                        )
                    });
                }
                _ => {}
            },
            Node::Directive(directive) => {
                found.directives.push(directive);
                let of = program.directive(directive);
                found.synchronises |= of.has(Construct::Critical)
                    || of.has(Construct::Flush)
                    || (of.has(Construct::Atomic) && of.clause("read").or(of.clause("capture")).is_some());
            }
            Node::Stmt(_) => {}
        }
        true
    });
    found
}

/// Arrays with constant initialisers of which only elements are read.
fn tables(program: &Program) -> FxHashMap<VariableId, Arc<[i64]>> {
    let constants = |list: ExprId| -> Option<Arc<[i64]>> {
        let ExprKind::List(values) = &program.expr(list).kind else { return None };
        values.iter().map(|it| i64::try_from(program.constant(*it)?).ok()).collect()
    };
    let mut found: FxHashMap<VariableId, Arc<[i64]>> = FxHashMap::default();
    for (number, variable) in program.variables.iter().enumerate().filter(|it| it.1.range.is_some()) {
        if let Some(values) = variable.initializer.and_then(constants) {
            found.insert(VariableId::new(number), values);
        }
    }
    if found.is_empty() {
        return found;
    }
    // Uses besides those as the array of an index.
    let mut uses: FxHashMap<VariableId, i64> = FxHashMap::default();
    for expr in &program.exprs {
        match expr.kind {
            ExprKind::Variable(variable) => *uses.entry(variable).or_default() += 1,
            ExprKind::Index(base, _) => {
                if let Some(variable) = named(program, base) {
                    *uses.entry(variable).or_default() -= 1;
                }
            }
            ExprKind::Assign(_, target, _)
            | ExprKind::Increment { target, .. }
            | ExprKind::AddressOf(target) => {
                if let Some(variable) = program.base_variable(target) {
                    found.remove(&variable);
                }
            }
            _ => {}
        }
    }
    found.retain(|it, _| uses.get(it).is_none_or(|count| *count == 0));
    found
}
