//! Facts of a program that do not depend on the flow of control: variables that are assigned, functions that
//! are called (side-effect summaries: Cooper and Kennedy, PLDI 1988).

use std::sync::{Arc, Mutex, PoisonError};

use apg_c_syntax::{Family, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::visit::Node;
use crate::hir::{
    Construct, DirectiveId, ExprId, ExprKind, FunctionId, Program, StmtId, StmtKind, Type, Variable,
    VariableId,
};
use crate::sharing::Attribute;

/// What a statement does, with the functions that it calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Variables that are assigned by name.
    pub(crate) assigned: FxHashSet<VariableId>,
    /// Variables whose address is passed to a function or stored.
    pub(crate) addressed: FxHashSet<VariableId>,
    /// Functions of the program that are called.
    pub(crate) callees: FxHashSet<FunctionId>,
    /// Directives, those in called functions left out.
    pub(crate) directives: Vec<DirectiveId>,
    /// It waits by means of its own: reads a flag atomically, takes locks.
    pub(crate) synchronises: bool,
}

/// The variables that a region uses, with their attributes there.
type Environment = Arc<[(VariableId, Attribute)]>;

/// An object with static storage that starts with a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Initial {
    pub(crate) variable: VariableId,
    pub(crate) value: i64,
    /// It keeps this value.
    pub(crate) is_fixed: bool,
}

/// Facts of a program.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) assigned: FxHashSet<VariableId>,
    pub(crate) addressed: FxHashSet<VariableId>,
    pub(crate) threadprivate: FxHashSet<VariableId>,
    /// Arrays of integers that keep the values of their initialisers.
    pub(crate) tables: FxHashMap<VariableId, Arc<[i64]>>,
    /// Arrays of pointers that keep the values of their initialisers.
    pub(crate) pointer_tables: FxHashSet<VariableId>,
    /// The variables that indices in those name.
    pub(crate) selects_pointers: FxHashSet<VariableId>,
    pub(crate) is_called: FxHashSet<FunctionId>,
    pub(crate) initials: Vec<Initial>,
    pub(crate) functions: FxHashMap<FunctionId, Effects>,
    events: Vec<(TextSize, Event)>,
    environments: Mutex<FxHashMap<DirectiveId, Environment>>,
    summaries: Mutex<FxHashMap<StmtId, Arc<Effects>>>,
}

impl Facts {
    pub(crate) fn new(program: &Program) -> Facts {
        let mut all_events = Vec::new();
        program.defined_functions().for_each(|it| events(program, it.1, &mut all_events));
        all_events.sort_by_key(|it| it.0);
        let functions: FxHashMap<FunctionId, Effects> =
            program.defined_functions().map(|(id, body)| (id, effects(program, &all_events, body))).collect();
        let all = |of: fn(&Effects) -> &FxHashSet<VariableId>| -> FxHashSet<VariableId> {
            functions.values().flat_map(|it| of(it).iter().copied()).collect()
        };
        let pointer_tables = pointer_tables(program);
        let variables = program.variables.iter().enumerate().map(|it| VariableId::new(it.0));
        let (assigned, addressed) = (all(|it| &it.assigned), all(|it| &it.addressed));
        Facts {
            initials: initials(program, |it| assigned.contains(it) || addressed.contains(it)),
            assigned,
            addressed,
            threadprivate: variables.filter(|it| program.is_threadprivate(*it)).collect(),
            tables: tables(program),
            selects_pointers: selecting(program, &pointer_tables),
            pointer_tables,
            is_called: functions.values().flat_map(|it| it.callees.iter().copied()).collect(),
            functions,
            events: all_events,
            environments: Mutex::default(),
            summaries: Mutex::default(),
        }
    }

    /// The variables that a region uses and declares outside, with their attributes there.
    pub(crate) fn environment(&self, program: &Program, id: DirectiveId) -> Environment {
        if let Some(known) = self.environments.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return known.clone();
        }
        let directive = program.directive(id);
        let mut variables: Vec<VariableId> = program.captured(id).into_iter().map(|it| it.0).collect();
        let items = directive.clauses.iter().flat_map(|it| &it.items);
        variables.extend(items.filter_map(|it| it.variable(program)));
        variables.sort_unstable();
        variables.dedup();
        let of = |it: VariableId| Some((it, program.sharing(id, it)?.attribute));
        let found: Arc<[_]> = variables.into_iter().filter_map(of).collect();
        self.environments.lock().unwrap_or_else(PoisonError::into_inner).insert(id, found.clone());
        found
    }

    /// The directives in a statement, those of called functions included.
    pub(crate) fn directives_in(&self, program: &Program, stmt: StmtId) -> Vec<DirectiveId> {
        let total = self.with_callees(program, stmt);
        let callees = total.callees.iter().filter_map(|it| self.functions.get(it));
        callees.flat_map(|it| &it.directives).chain(&total.directives).copied().collect()
    }

    /// The effects of a statement, those of called functions included.
    pub(crate) fn with_callees(&self, program: &Program, stmt: StmtId) -> Arc<Effects> {
        if let Some(known) = self.summaries.lock().unwrap_or_else(PoisonError::into_inner).get(&stmt) {
            return known.clone();
        }
        let mut total = effects(program, &self.events, stmt);
        let mut open: Vec<FunctionId> = total.callees.iter().copied().collect();
        while let Some(function) = open.pop() {
            let Some(of) = self.functions.get(&function) else { continue };
            total.assigned.extend(&of.assigned);
            total.addressed.extend(&of.addressed);
            total.synchronises |= of.synchronises;
            open.extend(of.callees.iter().copied().filter(|it| total.callees.insert(*it)));
        }
        let total = Arc::new(total);
        self.summaries.lock().unwrap_or_else(PoisonError::into_inner).insert(stmt, total.clone());
        total
    }

    /// Whether a statement or a function that it calls has directives that start threads or lanes.
    pub(crate) fn has_parallel_regions(&self, program: &Program, stmt: StmtId) -> bool {
        self.directives_in(program, stmt).iter().any(|it| starts_threads(program, *it))
    }

    /// Whether a function or a function that it calls has a parallel region that is not among some.
    pub(crate) fn has_region_besides(
        &self,
        program: &Program,
        function: FunctionId,
        met: &FxHashSet<DirectiveId>,
    ) -> bool {
        let mut seen = FxHashSet::from_iter([function]);
        let mut open = vec![function];
        while let Some(function) = open.pop() {
            let Some(of) = self.functions.get(&function) else { continue };
            if of.directives.iter().any(|it| !met.contains(it) && starts_threads(program, *it)) {
                return true;
            }
            open.extend(of.callees.iter().copied().filter(|it| seen.insert(*it)));
        }
        false
    }
}

/// Whether a directive starts threads or lanes.
fn starts_threads(program: &Program, directive: DirectiveId) -> bool {
    let directive = program.directive(directive);
    directive.family != Family::OpenAcc
        && [Construct::Parallel, Construct::Teams, Construct::Simd].iter().any(|it| directive.has(*it))
}

/// The objects with static storage that start with a constant.
fn initials(program: &Program, changes: impl Fn(&VariableId) -> bool) -> Vec<Initial> {
    let all = program.variables.iter().enumerate().filter(|it| it.1.has_static_storage());
    let of = |(number, variable): (usize, &Variable)| {
        let id = VariableId::new(number);
        let value = i64::try_from(program.constant(variable.initializer?)?).ok()?;
        Some(Initial { variable: id, value, is_fixed: !changes(&id) })
    };
    all.filter_map(of).collect()
}

/// The variable that an expression names alone.
fn named(program: &Program, expr: ExprId) -> Option<VariableId> {
    match program.expr(expr).kind {
        ExprKind::Variable(it) => Some(it),
        _ => None,
    }
}

/// What an expression or directive does.
#[derive(Clone, Copy, Debug)]
enum Event {
    Assigns(VariableId),
    Addresses(VariableId),
    Calls(FunctionId),
    Directive(DirectiveId),
    Synchronises,
}

/// What a function does, in the order of the source.
fn events(program: &Program, body: StmtId, found: &mut Vec<(TextSize, Event)>) {
    program.walk_stmt(body, &mut |node| {
        match node {
            Node::Expr(expr) => {
                let at = program.expr(expr).range.start();
                let mut add = |event: Event| found.push((at, event));
                match &program.expr(expr).kind {
                    ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => {
                        named(program, *target).into_iter().for_each(|it| add(Event::Assigns(it)));
                    }
                    ExprKind::AddressOf(of) => {
                        named(program, *of).into_iter().for_each(|it| add(Event::Addresses(it)));
                    }
                    ExprKind::Call(callee, _) => {
                        if let ExprKind::Function(function) = program.expr(*callee).kind {
                            add(Event::Calls(function));
                        }
                        if program.callee_name(*callee).is_some_and(takes_lock) {
                            add(Event::Synchronises);
                        }
                    }
                    _ => {}
                }
            }
            Node::Directive(directive) => {
                let of = program.directive(directive);
                found.push((of.range.start(), Event::Directive(directive)));
                if of.has(Construct::Critical)
                    || of.has(Construct::Flush)
                    || (of.has(Construct::Atomic) && of.clause("read").or(of.clause("capture")).is_some())
                {
                    found.push((of.range.start(), Event::Synchronises));
                }
            }
            Node::Stmt(_) => {}
        }
        true
    });
}

fn takes_lock(function: &str) -> bool {
    matches!(function, "omp_set_lock" | "omp_test_lock" | "omp_set_nest_lock" | "omp_test_nest_lock")
}

/// What a statement does, given the events of all functions in the order of the source.
fn effects(program: &Program, events: &[(TextSize, Event)], stmt: StmtId) -> Effects {
    let mut found = Effects::default();
    let stmt = program.stmt(stmt);
    // A statement that is missing has the range of what is around it.
    if stmt.kind == StmtKind::Empty {
        return found;
    }
    let first = events.partition_point(|it| it.0 < stmt.range.start());
    for (_, event) in events[first..].iter().take_while(|it| it.0 < stmt.range.end()) {
        match *event {
            Event::Assigns(it) => {
                found.assigned.insert(it);
            }
            Event::Addresses(it) => {
                found.addressed.insert(it);
            }
            Event::Calls(it) => {
                found.callees.insert(it);
            }
            Event::Directive(it) => found.directives.push(it),
            Event::Synchronises => found.synchronises = true,
        }
    }
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

/// The array whose element an expression is.
fn array_of_element(program: &Program, expr: ExprId) -> Option<VariableId> {
    match program.expr(expr).kind {
        ExprKind::Index(base, _) => named(program, base),
        _ => None,
    }
}

/// Arrays of pointers with an initialiser of which only elements are read.
fn pointer_tables(program: &Program) -> FxHashSet<VariableId> {
    let is_list = |it: ExprId| matches!(program.expr(it).kind, ExprKind::List(_));
    let is_table = |it: &Variable| {
        matches!(&it.ty, Type::Array(element, _) if matches!(**element, Type::Pointer(_)))
            && it.initializer.is_some_and(is_list)
    };
    let declared = program.variables.iter().enumerate().filter(|it| is_table(it.1));
    let mut found: FxHashSet<VariableId> = declared.map(|it| VariableId::new(it.0)).collect();
    if found.is_empty() {
        return found;
    }
    let bases: FxHashSet<ExprId> = program
        .exprs
        .iter()
        .filter_map(|it| match it.kind {
            ExprKind::Index(base, _) => Some(base),
            _ => None,
        })
        .collect();
    for (number, expr) in program.exprs.iter().enumerate() {
        let changed = match expr.kind {
            ExprKind::Variable(it) if !bases.contains(&ExprId::new(number)) => Some(it),
            ExprKind::Assign(_, target, _)
            | ExprKind::Increment { target, .. }
            | ExprKind::AddressOf(target) => array_of_element(program, target),
            _ => None,
        };
        if let Some(variable) = changed {
            found.remove(&variable);
        }
    }
    found
}

/// The variables that indices in some arrays name.
fn selecting(program: &Program, arrays: &FxHashSet<VariableId>) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    if arrays.is_empty() {
        return found;
    }
    for expr in &program.exprs {
        if let ExprKind::Index(base, index) = expr.kind
            && named(program, base).is_some_and(|it| arrays.contains(&it))
        {
            program.walk_expr(index, &mut |node| {
                if let Node::Expr(it) = node {
                    found.extend(named(program, it));
                }
                true
            });
        }
    }
    found
}
