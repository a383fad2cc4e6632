//! Cost analysis of closures: which bodies of `at` are non-blocking and of bounded cost.
//!
//! A place runs such a body in the handler of its message instead of in a new activity. A bounded body has no
//! loop, no recursion, no call of an unknown function, and neither waits nor starts activities.

use apg_mir::*;
use rustc_hash::FxHashMap;

use super::class_hierarchy::ClassHierarchy;

/// Limit of a body's cost, in statements and expressions including those of called functions.
const MAX_COST: u32 = 400;
/// Cost of a call of a bounded runtime entry.
const ENTRY_COST: u32 = 10;

/// Costs of the functions analysed so far.
pub struct BoundedCost<'p> {
    program: &'p Program,
    hierarchy: &'p ClassHierarchy,
    /// By function; `None` for an unbounded one, and during its analysis.
    costs: FxHashMap<FunctionId, Option<u32>>,
}

impl<'p> BoundedCost<'p> {
    /// An analysis without results.
    pub fn new(program: &'p Program, hierarchy: &'p ClassHierarchy) -> BoundedCost<'p> {
        BoundedCost { program, hierarchy, costs: FxHashMap::default() }
    }

    /// Whether the code of a closure is bounded; false for other classes.
    pub fn is_bounded(&mut self, class: &Class) -> bool {
        let code = class.vtable.get(slot::CLOSURE_APPLY as usize).copied().flatten();
        let code = code.filter(|_| class.kind == ClassKind::Closure);
        code.is_some_and(|code| self.program.functions[code.index()].params == 1 && self.cost(code).is_some())
    }

    fn cost(&mut self, id: FunctionId) -> Option<u32> {
        if let Some(known) = self.costs.get(&id) {
            return *known;
        }
        // A function that calls itself is unbounded.
        self.costs.insert(id, None);
        let program = self.program;
        let cost = self.stmts(&program.functions[id.index()].body, 1);
        self.costs.insert(id, cost);
        cost
    }

    fn stmts(&mut self, body: &[Stmt], mut cost: u32) -> Option<u32> {
        for stmt in body {
            match stmt.kind {
                StmtKind::Set { .. }
                | StmtKind::SetField { .. }
                | StmtKind::SetStructField { .. }
                | StmtKind::SetElement { .. }
                | StmtKind::Expr(_)
                | StmtKind::Block(_)
                | StmtKind::Outlined(_)
                | StmtKind::If { .. }
                | StmtKind::Switch { .. }
                | StmtKind::Labeled { .. }
                | StmtKind::Break(_)
                | StmtKind::Return(_)
                | StmtKind::Throw(_)
                | StmtKind::Try { .. } => {}
                _ => return None,
            }
            for operand in walk::operands(&stmt.kind) {
                cost = self.expr(operand, cost)?;
            }
            for inner in walk::bodies(&stmt.kind) {
                cost = self.stmts(inner, cost)?;
            }
            cost = add_cost(cost, 1)?;
        }
        Some(cost)
    }

    fn expr(&mut self, expr: &Expr, cost: u32) -> Option<u32> {
        let called = match &expr.kind {
            ExprKind::Call { function, .. } => self.cost(*function)?,
            ExprKind::CallVirtual { class, slot, args } => {
                let function = self.hierarchy.unique_in_class(*class, *slot, args.first()?)?;
                self.cost(function)?
            }
            ExprKind::CallInterface { interface, slot, args } => {
                let function = self.hierarchy.unique_in_interface(*interface, *slot, args.first()?)?;
                self.cost(function)?
            }
            ExprKind::Runtime { entry, .. } if entries::is_bounded(entry) => ENTRY_COST,
            ExprKind::Runtime { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::CallPointer { .. }
            | ExprKind::At { .. }
            | ExprKind::Static(_)
            | ExprKind::AllocateRail { .. }
            | ExprKind::TableRail { .. }
            | ExprKind::Collective { .. } => return None,
            _ => 1,
        };
        let mut cost = add_cost(cost, called)?;
        for inner in walk::children(&expr.kind) {
            cost = self.expr(inner, cost)?;
        }
        Some(cost)
    }
}

fn add_cost(cost: u32, more: u32) -> Option<u32> {
    Some(cost + more).filter(|it| *it <= MAX_COST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expr(kind: ExprKind) -> Expr {
        Expr::new(Ty::I64, kind)
    }

    fn function(params: u32, body: Vec<StmtKind>) -> Function {
        let span = Span::of_line(FileId(0), 1);
        let body = body.into_iter().map(|kind| Stmt::new(span, kind)).collect();
        Function {
            variables: Vec::new(),
            name: String::new(),
            span,
            locals: Vec::new(),
            params,
            result: Ty::Void,
            body,
            device: false,
            kernel_only: false,
            recursion: Recursion::default(),
            stack_objects: Vec::new(),
            inlining: Inlining::Free,
            role: FunctionRole::Plain,
        }
    }

    /// Whether a closure with this body is bounded, where function 1 is empty, 2 loops forever and 3 calls
    /// itself.
    fn is_bounded(body: Vec<StmtKind>) -> bool {
        let call =
            |index| StmtKind::Expr(expr(ExprKind::Call { function: FunctionId(index), args: Vec::new() }));
        let endless = StmtKind::Loop {
            label: LabelId(0),
            condition: expr(ExprKind::Int(1)),
            body: Vec::new(),
            update: Vec::new(),
            unroll: None,
            post_tested: false,
        };
        let functions = vec![
            function(1, body),
            function(0, vec![StmtKind::Return(None)]),
            function(0, vec![endless]),
            function(0, vec![call(3)]),
        ];
        let mut vtable = vec![None; slot::CLOSURE_APPLY as usize + 1];
        vtable[slot::CLOSURE_APPLY as usize] = Some(FunctionId(0));
        let class = Class {
            name: String::new(),
            kind: ClassKind::Closure,
            superclass: None,
            fields: Vec::new(),
            attributes: TypeAttributes::default(),
            vtable,
            interfaces: Vec::new(),
        };
        let program = Program { functions, classes: vec![class], ..Program::default() };
        let hierarchy = ClassHierarchy::new(&program);
        BoundedCost::new(&program, &hierarchy).is_bounded(&program.classes[0])
    }

    #[test]
    fn only_code_without_loops_recursion_and_waiting_is_bounded() {
        let call =
            |index| StmtKind::Expr(expr(ExprKind::Call { function: FunctionId(index), args: Vec::new() }));
        let entry =
            |name: &str| StmtKind::Expr(expr(ExprKind::Runtime { entry: name.into(), args: Vec::new() }));
        assert!(is_bounded(vec![]));
        assert!(is_bounded(vec![call(1), entry("atomic_add_i64")]));
        assert!(!is_bounded(vec![call(2)]), "a loop");
        assert!(!is_bounded(vec![call(3)]), "a recursion");
        assert!(!is_bounded(vec![call(0)]), "the same");
        assert!(!is_bounded(vec![entry("sleep")]));
        assert!(!is_bounded(vec![StmtKind::Atomic(Vec::new())]), "it may wait");
        assert!(!is_bounded((0..300).map(|_| call(1)).collect()), "too much");
        assert!(
            !is_bounded(vec![StmtKind::Expr(expr(ExprKind::Static(StaticId(0))))]),
            "its first use may wait"
        );
    }
}
