//! Inlining of device functions into kernels.
//!
//! Device compilers inline as well. The analyses of code generation run before them (bounds checks,
//! uniformity) and see through inlined calls only.

use rustc_hash::FxHashMap;

use apg_mir::walk::{has_goto, visit_expr, visit_exprs, visit_stmts};
use apg_mir::walk_mut::{bodies, children, edit_expr, edit_exprs, edit_places, edit_stmts, operands};
use apg_mir::*;

use crate::analysis::expressions::is_speculatable;

/// Size of the largest function that is inlined.
const MAX_FUNCTION_EXPRESSIONS: usize = 160;
/// Number of expressions that inlining may add to a kernel.
const MAX_ADDED_EXPRESSIONS: usize = 2000;
/// Size of the largest argument that replaces several uses of its parameter.
const MAX_DUPLICATED_EXPRESSIONS: usize = 4;

/// Inlines functions into all kernels, expands thread indices and folds constants.
pub(crate) fn inline_into_kernels(program: &mut Program) {
    if program.kernels.is_empty() {
        return;
    }
    let thread_functions = find_thread_functions(&program.functions);
    let recursive_functions = find_recursive_functions(&program.functions);
    for index in 0..program.kernels.len() {
        let mut body = std::mem::take(&mut program.kernels[index].body);
        let locals = std::mem::take(&mut program.kernels[index].locals);
        let variables = std::mem::take(&mut program.kernels[index].variables);
        let mut next_label = 0;
        visit_stmts(&body, &mut |it| next_label = next_label.max(label_of(it).map_or(0, |it| it.0 + 1)));
        let mut inliner = Inliner {
            functions: &program.functions,
            thread_functions: &thread_functions,
            recursive_functions: &recursive_functions,
            locals,
            variables,
            next_label,
            // A debugger stops in calls. Functions with barriers are inlined in any case.
            budget: if program.debug { 0 } else { MAX_ADDED_EXPRESSIONS },
        };
        inliner.list(&mut body);
        let (locals, variables) = (inliner.locals, inliner.variables);
        expand_thread_indices(&program.kernels[index], &locals, &mut body);
        fold::fold_body(&mut body);
        program.kernels[index].body = body;
        program.kernels[index].locals = locals;
        program.kernels[index].variables = variables;
    }
}

fn label_of(stmt: &Stmt) -> Option<LabelId> {
    match stmt.kind {
        StmtKind::Loop { label, .. }
        | StmtKind::Switch { label, .. }
        | StmtKind::Labeled { label, .. }
        | StmtKind::Target(label) => Some(label),
        _ => None,
    }
}

/// The functions that must be inlined: they contain collective operations or thread indices, or call such
/// functions.
fn find_thread_functions(functions: &[Function]) -> Vec<bool> {
    let mut found = vec![false; functions.len()];
    loop {
        let mut more = false;
        for (index, function) in functions.iter().enumerate().filter(|it| it.1.kernel_only) {
            if found[index] {
                continue;
            }
            let mut is_one = false;
            visit_stmts(&function.body, &mut |it| is_one |= matches!(it.kind, StmtKind::Barrier));
            visit_exprs(&function.body, &mut |it, _| {
                is_one |= match it.kind {
                    ExprKind::Collective { .. } | ExprKind::ThreadIndex(_) => true,
                    ExprKind::Call { function, .. } => found.get(function.index()).copied().unwrap_or(false),
                    _ => false,
                };
            });
            found[index] = is_one;
            more |= is_one;
        }
        if !more {
            return found;
        }
    }
}

/// The functions that may call themselves, directly or through others: those from which a walk along calls
/// leads back.
fn find_recursive_functions(functions: &[Function]) -> Vec<bool> {
    let callees: Vec<Vec<usize>> = functions
        .iter()
        .map(|function| {
            let mut found = Vec::new();
            if function.kernel_only {
                visit_exprs(&function.body, &mut |it, _| {
                    if let ExprKind::Call { function, .. } = it.kind {
                        found.push(function.index());
                    }
                });
            }
            found
        })
        .collect();
    let returns_to = |start: usize| {
        let mut seen = vec![false; functions.len()];
        let mut open = callees[start].clone();
        while let Some(next) = open.pop() {
            if next == start {
                return true;
            }
            if seen.get(next) == Some(&false) {
                seen[next] = true;
                open.extend(&callees[next]);
            }
        }
        false
    };
    (0..functions.len()).map(|it| !callees[it].is_empty() && returns_to(it)).collect()
}

/// Expands thread indices, which come from inlined functions, for this kernel.
fn expand_thread_indices(kernel: &Kernel, locals: &[Local], body: &mut [Stmt]) {
    let axes = |axes: &[LocalId], extents: &[Expr]| -> Vec<(Expr, Expr)> {
        let index = |it: &LocalId| Expr::new(locals[it.index()].ty, ExprKind::Local(*it));
        axes.iter().map(index).zip(extents.iter().cloned()).collect()
    };
    let blocks = axes(&kernel.block_locals, &kernel.host.blocks);
    let threads = axes(&kernel.thread_locals, &kernel.host.threads);
    edit_exprs(body, &mut |it| {
        if let ExprKind::ThreadIndex(index) = it.kind {
            *it = index.expand(&blocks, &threads, it.ty);
        }
    });
}

struct Inliner<'f> {
    functions: &'f [Function],
    /// By function: it must be inlined.
    thread_functions: &'f [bool],
    /// By function: it may call itself, and is a function on devices, too.
    recursive_functions: &'f [bool],
    locals: Vec<Local>,
    variables: Vec<Local>,
    next_label: u32,
    /// Number of expressions that may still be added.
    budget: usize,
}

impl Inliner<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        let mut at = 0;
        while let Some(stmt) = stmts.get_mut(at) {
            for expr in operands(&mut stmt.kind) {
                edit_expr(expr, &mut |it| self.substitute(it));
            }
            let before = self.expand_first_call(stmt);
            if !before.is_empty() {
                // The inserted statements may contain calls.
                stmts.splice(at..at, before);
                continue;
            }
            for inner in bodies(&mut stmt.kind) {
                self.list(inner);
            }
            at += 1;
        }
    }

    /// A function that must be inlined, or is worth it and fits the budget.
    fn inlinable(&self, id: FunctionId) -> Option<&Function> {
        let function = self.functions.get(id.index())?;
        if self.recursive_functions[id.index()] {
            return None;
        }
        if self.thread_functions[id.index()] {
            return Some(function);
        }
        // In a kernel with variables and `goto` fewer passes apply.
        if function.inlining == Inlining::Never || !function.variables.is_empty() || has_goto(&function.body)
        {
            return None;
        }
        let size = count_expressions(&function.body);
        let fits = size <= MAX_FUNCTION_EXPRESSIONS.min(self.budget)
            && !function.body.is_empty()
            && function.stack_objects.is_empty();
        (fits && is_worth_inlining(function)).then_some(function)
    }

    /// Replaces a call of a function that only returns an expression by that expression.
    fn substitute(&mut self, expr: &mut Expr) {
        let ExprKind::Call { function, args } = &expr.kind else { return };
        let Some(function) = self.inlinable(*function) else { return };
        let Some(result) = single_expression(&function.body) else { return };
        let mut uses: FxHashMap<LocalId, usize> = FxHashMap::default();
        visit_expr(result, None, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                *uses.entry(local).or_default() += 1;
            }
        });
        let mut values = FxHashMap::default();
        for (index, arg) in args.iter().enumerate() {
            let local = LocalId(index as u32);
            let count = uses.get(&local).copied().unwrap_or(0);
            if !is_speculatable(arg) || count > 1 && count_subexpressions(arg) > MAX_DUPLICATED_EXPRESSIONS {
                return;
            }
            values.insert(local, arg.kind.clone());
        }
        let mut result = result.clone();
        self.budget = self.budget.saturating_sub(count_subexpressions(&result));
        edit_expr(&mut result, &mut |it| rename(it, &values));
        *expr = result;
    }

    /// Expands the first inlinable call of a statement. Returns the statements that compute its result in
    /// front of it.
    fn expand_first_call(&mut self, stmt: &mut Stmt) -> Vec<Stmt> {
        if matches!(stmt.kind, StmtKind::Loop { .. } | StmtKind::Launch { .. }) {
            return Vec::new();
        }
        let is_whole_statement = match &stmt.kind {
            StmtKind::Set { value, .. } | StmtKind::Expr(value) => match value.kind {
                ExprKind::Call { function, .. } => self.inlinable(function).is_some(),
                _ => false,
            },
            _ => false,
        };
        let span = stmt.span;
        if is_whole_statement {
            let (StmtKind::Set { value, .. } | StmtKind::Expr(value)) = &mut stmt.kind else {
                return Vec::new();
            };
            let target = (value.ty != Ty::Void).then(|| self.new_local(value.ty));
            let call = std::mem::replace(
                value,
                Expr::new(
                    target.map_or(Ty::I32, |_| value.ty),
                    target.map_or(ExprKind::Int(0), ExprKind::Local),
                ),
            );
            return self.expand(call, target, span);
        }
        let mut has_side_effects = false;
        for expr in operands(&mut stmt.kind) {
            visit_expr(expr, None, &mut |it, _| has_side_effects |= self.has_side_effects(it));
        }
        if has_side_effects {
            return Vec::new();
        }
        for expr in operands(&mut stmt.kind) {
            if let Some(call) = self.find_call(expr) {
                let ty = call.ty;
                let target = self.new_local(ty);
                let call = std::mem::replace(call, Expr::new(ty, ExprKind::Local(target)));
                return self.expand(call, Some(target), span);
            }
        }
        Vec::new()
    }

    /// Whether an expression may change what other operands of its statement read.
    fn has_side_effects(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Atomic { .. }
            | ExprKind::Collective { .. }
            | ExprKind::CallPointer { .. }
            | ExprKind::Runtime { .. } => true,
            ExprKind::Call { function, .. } => {
                self.functions.get(function.index()).is_none_or(|it| !self.is_pure(it, 8))
            }
            _ => false,
        }
    }

    /// Whether a function writes only its own locals.
    fn is_pure(&self, function: &Function, depth: u32) -> bool {
        let mut pure = depth > 0;
        visit_stmts(&function.body, &mut |it| {
            pure &= !matches!(
                it.kind,
                StmtKind::SetElement { .. }
                    | StmtKind::Store { .. }
                    | StmtKind::Barrier
                    | StmtKind::Native(_)
            )
        });
        visit_exprs(&function.body, &mut |it, _| match &it.kind {
            ExprKind::Atomic { .. }
            | ExprKind::Collective { .. }
            | ExprKind::CallPointer { .. }
            | ExprKind::Runtime { .. } => pure = false,
            ExprKind::Call { function, .. } if pure => {
                pure = self.functions.get(function.index()).is_some_and(|it| self.is_pure(it, depth - 1));
            }
            _ => {}
        });
        pure
    }

    /// The first inlinable call that is evaluated unconditionally.
    fn find_call<'e>(&self, expr: &'e mut Expr) -> Option<&'e mut Expr> {
        let always = match expr.kind {
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Select { .. } => 1,
            _ => usize::MAX,
        };
        let is_call =
            matches!(expr.kind, ExprKind::Call { function, .. } if self.inlinable(function).is_some());
        let inside = children(&mut expr.kind).into_iter().take(always);
        if inside.into_iter().any(|it| self.contains_call(it)) {
            let mut inside = children(&mut expr.kind).into_iter().take(always);
            return inside.find_map(|it| self.find_call(it));
        }
        is_call.then_some(expr)
    }

    fn contains_call(&self, expr: &mut Expr) -> bool {
        self.find_call(expr).is_some()
    }

    fn new_local(&mut self, ty: Ty) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: "".into(), ty });
        id
    }

    /// The statements of a call, with its result in `target`.
    fn expand(&mut self, call: Expr, target: Option<LocalId>, span: Span) -> Vec<Stmt> {
        let ExprKind::Call { function, args } = call.kind else { return Vec::new() };
        let functions = self.functions;
        let function = &functions[function.index()];
        self.budget = self.budget.saturating_sub(count_expressions(&function.body));
        let mut assigned = vec![false; function.locals.len()];
        visit_stmts(&function.body, &mut |it| {
            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &it.kind {
                assigned[local.index()] = true;
            }
        });
        let mut out = Vec::new();
        let mut values = FxHashMap::default();
        for (index, local) in function.locals.iter().enumerate() {
            let old = LocalId(index as u32);
            let arg = args.get(index).filter(|_| old.0 < function.params);
            if let Some(arg) = arg.filter(|it| !assigned[index] && is_invariant(it)) {
                values.insert(old, arg.kind.clone());
                continue;
            }
            let new = self.new_local(local.ty);
            self.locals[new.index()].name = local.name.clone();
            values.insert(old, ExprKind::Local(new));
            if let Some(arg) = arg {
                out.push(Stmt::new(span, StmtKind::Set { local: new, value: arg.clone() }));
            }
        }
        let mut body = function.body.clone();
        let mut labels: FxHashMap<LabelId, LabelId> = FxHashMap::default();
        visit_stmts(&body, &mut |it| {
            if let Some(label) = label_of(it) {
                labels.insert(label, LabelId(self.next_label));
                self.next_label += 1;
            }
        });
        edit_stmts(&mut body, &mut |stmt| {
            rename_stmt(stmt, &values, &labels);
            // A method of the class library: stack traces name the line of the program that calls it.
            if makes_slot_call(stmt) {
                stmt.span = span;
            }
        });
        edit_exprs(&mut body, &mut |it| rename(it, &values));
        if !function.variables.is_empty() {
            let first = self.variables.len() as u32;
            self.variables.extend(function.variables.iter().cloned());
            edit_places(&mut body, &mut |place| {
                if let PlaceKind::Variable(variable) = &mut place.kind {
                    variable.0 += first;
                }
            });
        }
        if returns_only_at_end(&body) {
            replace_returns(&mut body, target, None);
            out.extend(body);
        } else {
            let label = LabelId(self.next_label);
            self.next_label += 1;
            replace_returns(&mut body, target, Some(label));
            out.push(Stmt::new(span, StmtKind::Labeled { label, body }));
        }
        out
    }
}

/// Whether the value of a statement is that of a slot's call.
fn makes_slot_call(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Set { value, .. } | StmtKind::Expr(value) | StmtKind::Return(Some(value)) => {
            matches!(&value.kind, ExprKind::Collective { operation, .. } if operation.slot_call().is_some())
        }
        _ => false,
    }
}

/// Whether analyses of the kernel profit from the body of a function: it accesses arrays, or its result is an
/// index or condition.
fn is_worth_inlining(function: &Function) -> bool {
    let mut reveals = matches!(function.result, Ty::I32 | Ty::I64 | Ty::Bool);
    let mut is_supported = true;
    visit_stmts(&function.body, &mut |it| {
        reveals |= matches!(it.kind, StmtKind::SetElement { .. });
        is_supported &= !matches!(
            it.kind,
            StmtKind::Native(_) | StmtKind::Try { .. } | StmtKind::Throw(_) | StmtKind::Barrier
        );
    });
    visit_exprs(&function.body, &mut |it, _| {
        reveals |= matches!(it.kind, ExprKind::Element { .. } | ExprKind::Length { .. });
        is_supported &= !matches!(
            it.kind,
            ExprKind::AllocateRail { .. } | ExprKind::TableRail { .. } | ExprKind::Collective { .. }
        );
    });
    reveals && is_supported
}

/// The expression of a body that only returns it.
fn single_expression(body: &[Stmt]) -> Option<&Expr> {
    match body {
        [Stmt { kind: StmtKind::Block(inner), .. }] => single_expression(inner),
        [Stmt { kind: StmtKind::Return(Some(result)), .. }] => Some(result),
        _ => None,
    }
}

fn count_expressions(body: &[Stmt]) -> usize {
    let mut count = 0;
    visit_exprs(body, &mut |_, _| count += 1);
    count
}

fn count_subexpressions(expr: &Expr) -> usize {
    let mut count = 0;
    visit_expr(expr, None, &mut |_, _| count += 1);
    count
}

/// Whether an argument is invariant during the call. The function does not assign the caller's locals.
fn is_invariant(arg: &Expr) -> bool {
    matches!(arg.kind, ExprKind::Local(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero)
}

fn rename(expr: &mut Expr, values: &FxHashMap<LocalId, ExprKind>) {
    if let ExprKind::Local(local) = &expr.kind
        && let Some(value) = values.get(local)
    {
        expr.kind = value.clone();
    }
}

fn rename_stmt(stmt: &mut Stmt, values: &FxHashMap<LocalId, ExprKind>, labels: &FxHashMap<LabelId, LabelId>) {
    match &mut stmt.kind {
        StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } => {
            if let Some(ExprKind::Local(new)) = values.get(local) {
                *local = *new;
            }
        }
        StmtKind::Loop { label, .. }
        | StmtKind::Switch { label, .. }
        | StmtKind::Labeled { label, .. }
        | StmtKind::Break(label)
        | StmtKind::Continue(label)
        | StmtKind::Goto(label)
        | StmtKind::Target(label) => {
            if let Some(new) = labels.get(label) {
                *label = *new;
            }
        }
        _ => {}
    }
}

/// Whether a body returns at its end only.
fn returns_only_at_end(body: &[Stmt]) -> bool {
    let mut count = 0;
    visit_stmts(body, &mut |it| count += usize::from(matches!(it.kind, StmtKind::Return(_))));
    count == 0 || count == 1 && ends_in_return(body)
}

fn ends_in_return(body: &[Stmt]) -> bool {
    match body.last().map(|it| &it.kind) {
        Some(StmtKind::Block(inner)) => ends_in_return(inner),
        Some(StmtKind::Return(_)) => true,
        _ => false,
    }
}

/// Replaces returns: results are assigned to `target`, and control leaves the block `label`, if there is one.
fn replace_returns(body: &mut Vec<Stmt>, target: Option<LocalId>, label: Option<LabelId>) {
    let mut at = 0;
    while let Some(stmt) = body.get_mut(at) {
        for inner in bodies(&mut stmt.kind) {
            replace_returns(inner, target, label);
        }
        if let StmtKind::Return(value) = &mut stmt.kind {
            let span = stmt.span;
            let mut instead = Vec::new();
            match (value.take(), target) {
                (Some(value), Some(local)) => instead.push(Stmt::new(span, StmtKind::Set { local, value })),
                (Some(value), None) => instead.push(Stmt::new(span, StmtKind::Expr(value))),
                (None, _) => {}
            }
            instead.extend(label.map(|it| Stmt::new(span, StmtKind::Break(it))));
            let count = instead.len();
            body.splice(at..=at, instead);
            at += count;
        } else {
            at += 1;
        }
    }
}
