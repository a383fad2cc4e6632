//! Code that ends soon, whatever its operands are: no loops, no calls of what is not known, nothing that waits or starts activities. A place
//! runs such a body of an `at` right where its message is read.

use rustc_hash::FxHashMap;

use super::only::Only;
use super::*;

/// The most statements and expressions, with those of all functions called.
const MOST: u32 = 400;

/// Entries of the runtime that end soon: names, or how they begin. None makes anything long.
const ENTRIES: &[&str] = &[
    "atomic_load",
    "atomic_store",
    "atomic_swap",
    "atomic_add",
    "atomic_compare",
    "atomic_fence",
    "char_",
    "global_ref_get",
    "identity_hash",
    "nano_time",
    "place_count",
    "place_local_get",
    "raise",
    "string_char_at",
    "string_from_bool",
    "string_from_char",
    "string_from_f",
    "string_from_i",
    "string_from_u",
    "string_length",
    "string_literal",
];

/// What is known of functions so far.
pub struct Brief<'p> {
    program: &'p Program,
    only: &'p Only,
    /// How much each of them does; `None` for too much, or while it is looked at.
    costs: FxHashMap<FunctionId, Option<u32>>,
}

impl<'p> Brief<'p> {
    /// Nothing, of that program.
    pub fn new(program: &'p Program, only: &'p Only) -> Brief<'p> {
        Brief { program, only, costs: FxHashMap::default() }
    }

    /// Whether the code of a closure is brief; of other classes it does not matter.
    pub fn is_brief(&mut self, class: &Class) -> bool {
        let code = class.vtable.get(slot::CLOSURE_APPLY as usize).copied().flatten();
        let code = code.filter(|_| class.kind == ClassKind::Closure);
        code.is_some_and(|code| self.program.functions[code.index()].params == 1 && self.cost(code).is_some())
    }

    fn cost(&mut self, id: FunctionId) -> Option<u32> {
        if let Some(known) = self.costs.get(&id) {
            return *known;
        }
        // What calls itself is not brief.
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
            cost = spent(cost, 1)?;
        }
        Some(cost)
    }

    fn expr(&mut self, expr: &Expr, cost: u32) -> Option<u32> {
        let called = match &expr.kind {
            ExprKind::Call { function, .. } => self.cost(*function)?,
            ExprKind::CallVirtual { class, slot, args } => {
                let function = self.only.in_class(*class, *slot, args.first()?)?;
                self.cost(function)?
            }
            ExprKind::CallInterface { interface, slot, args } => {
                let function = self.only.in_interface(*interface, *slot, args.first()?)?;
                self.cost(function)?
            }
            ExprKind::Runtime { entry, .. } if ENTRIES.iter().any(|it| entry.starts_with(it)) => 10,
            ExprKind::Runtime { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::At { .. }
            | ExprKind::Static(_)
            | ExprKind::AllocateRail { .. }
            | ExprKind::TableRail { .. }
            | ExprKind::Collective { .. } => return None,
            _ => 1,
        };
        let mut cost = spent(cost, called)?;
        for inner in walk::children(&expr.kind) {
            cost = self.expr(inner, cost)?;
        }
        Some(cost)
    }
}

fn spent(cost: u32, more: u32) -> Option<u32> {
    Some(cost + more).filter(|it| *it <= MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expr(kind: ExprKind) -> Expr {
        Expr { ty: Ty::I64, kind, position: None }
    }

    fn function(params: u32, body: Vec<StmtKind>) -> Function {
        let position = Position { file: FileId(0), line: 1 };
        let body = body.into_iter().map(|kind| Stmt { position, kind }).collect();
        Function {
            name: String::new(),
            position,
            locals: Vec::new(),
            params,
            result: Ty::Void,
            body,
            device: false,
            kernel_only: false,
            recursion: Recursion::default(),
            stack_objects: Vec::new(),
            inlining: Inlining::Free,
        }
    }

    /// Whether a closure with this code is brief, where function 1 is brief, 2 has a loop and 3 calls itself.
    fn is_brief(body: Vec<StmtKind>) -> bool {
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
            serialization: Serialization::default(),
            vtable,
            interfaces: Vec::new(),
        };
        let program = Program { functions, classes: vec![class], ..Program::default() };
        let only = Only::new(&program);
        Brief::new(&program, &only).is_brief(&program.classes[0])
    }

    #[test]
    fn brief_is_what_has_an_end_in_sight() {
        let call =
            |index| StmtKind::Expr(expr(ExprKind::Call { function: FunctionId(index), args: Vec::new() }));
        let entry =
            |name: &str| StmtKind::Expr(expr(ExprKind::Runtime { entry: name.into(), args: Vec::new() }));
        assert!(is_brief(vec![]));
        assert!(is_brief(vec![call(1), entry("atomic_add_i64")]));
        assert!(!is_brief(vec![call(2)]), "a loop");
        assert!(!is_brief(vec![call(3)]), "a recursion");
        assert!(!is_brief(vec![call(0)]), "the same");
        assert!(!is_brief(vec![entry("sleep")]));
        assert!(!is_brief(vec![StmtKind::Atomic(Vec::new())]), "it may wait");
        assert!(!is_brief((0..300).map(|_| call(1)).collect()), "too much");
        assert!(
            !is_brief(vec![StmtKind::Expr(expr(ExprKind::Static(StaticId(0))))]),
            "its first use may wait"
        );
    }
}
