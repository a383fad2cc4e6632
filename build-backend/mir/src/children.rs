//! Children of statements and expressions, for shared and mutable references.

/// `bodies`, `operands` and `children` of references, or of mutable ones.
macro_rules! children {
    ($iter:ident, $values:ident, $operands:ident $(, $mutable:tt)?) => {
        /// The statement lists in a statement.
        pub fn bodies(kind: &$($mutable)? StmtKind) -> Vec<&$($mutable)? Vec<Stmt>> {
            match kind {
                StmtKind::Block(body)
                | StmtKind::Outlined(body)
                | StmtKind::Labeled { body, .. }
                | StmtKind::Finish { body, .. }
                | StmtKind::Atomic(body) => vec![body],
                StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
                StmtKind::Loop { body, update, .. } => vec![body, update],
                StmtKind::Switch { cases, .. } => cases.$iter().map(|(_, body)| body).collect(),
                StmtKind::Try { body, catches, finally } => {
                    let mut all = vec![body];
                    all.extend(catches.$iter().map(|it| &$($mutable)? it.body));
                    all.push(finally);
                    all
                }
                StmtKind::When(branches) => {
                    branches.$iter().flat_map(|it| [&$($mutable)? it.setup, &$($mutable)? it.body]).collect()
                }
                _ => Vec::new(),
            }
        }

        /// The expressions of a statement itself.
        pub fn operands(kind: &$($mutable)? StmtKind) -> Vec<&$($mutable)? Expr> {
            match kind {
                StmtKind::Set { value, .. }
                | StmtKind::SetStructField { value, .. }
                | StmtKind::SetStatic { value, .. }
                | StmtKind::Expr(value)
                | StmtKind::Throw(value)
                | StmtKind::Return(Some(value))
                | StmtKind::Switch { value, .. } => vec![value],
                StmtKind::Store { place, value } => {
                    let mut all = place.$operands();
                    all.push(value);
                    all
                }
                StmtKind::SetField { object, value, .. } => vec![object, value],
                StmtKind::SetElement { rail, index, value, .. } => vec![rail, index, value],
                StmtKind::If { condition, .. } | StmtKind::Loop { condition, .. } => vec![condition],
                StmtKind::Async { closure, clocks } => with_clocks(vec![closure], clocks),
                StmtKind::AsyncAt { place, closure, clocks, .. } => with_clocks(vec![place, closure], clocks),
                StmtKind::At { place, closure } => vec![place, closure],
                StmtKind::When(branches) => {
                    branches.$iter().map(|it| &$($mutable)? it.condition).collect()
                }
                StmtKind::Native(native) => native.$values().collect(),
                StmtKind::Launch { place, captures, fallback_activity, .. } => {
                    let mut all = vec![place];
                    all.extend(captures);
                    all.extend(fallback_activity);
                    all
                }
                _ => Vec::new(),
            }
        }

        fn with_clocks<'a>(
            mut all: Vec<&'a $($mutable)? Expr>,
            clocks: &'a $($mutable)? Clocks,
        ) -> Vec<&'a $($mutable)? Expr> {
            if let Clocks::Listed(clocks) = clocks {
                all.extend(clocks);
            }
            all
        }

        /// The operands of an expression.
        pub fn children(kind: &$($mutable)? ExprKind) -> Vec<&$($mutable)? Expr> {
            match kind {
                ExprKind::Field { object: value, .. }
                | ExprKind::StructField { value, .. }
                | ExprKind::Length { rail: value, .. }
                | ExprKind::AllocateRail { length: value, .. }
                | ExprKind::NonNull(value)
                | ExprKind::Cast { value, .. }
                | ExprKind::InstanceOf { value, .. } => vec![value],
                ExprKind::Load(place) | ExprKind::AddressOf(place) => place.$operands(),
                ExprKind::CallPointer { callee, args } => {
                    [&$($mutable)? **callee].into_iter().chain(args).collect()
                }
                ExprKind::Element { rail: a, index: b, .. }
                | ExprKind::At { place: a, closure: b }
                | ExprKind::And(a, b)
                | ExprKind::Or(a, b) => vec![a, b],
                ExprKind::Select { condition, then, otherwise } => vec![condition, then, otherwise],
                ExprKind::Atomic { rail, index, values, .. } => {
                    [&$($mutable)? **rail, &$($mutable)? **index].into_iter().chain(values).collect()
                }
                ExprKind::MakeStruct(args)
                | ExprKind::Collective { args, .. }
                | ExprKind::MakeObject { fields: args, .. }
                | ExprKind::StackAllocate { fields: args, .. }
                | ExprKind::Call { args, .. }
                | ExprKind::CallVirtual { args, .. }
                | ExprKind::CallInterface { args, .. }
                | ExprKind::CallClosure { args, .. }
                | ExprKind::Operation { args, .. }
                | ExprKind::Runtime { args, .. } => args.$iter().collect(),
                _ => Vec::new(),
            }
        }
    };
}
pub(super) use children;
