//! Run-time checks of kernels. A failing check records the failure and ends the thread (on a device) or the
//! launch (on a CPU); the runtime raises an exception for the record.

use crate::code::{Code, PreloadedElement, RailSpelling, Target};
use apg_mir::*;
use apg_passes::analysis::induction_step::as_step;
use apg_passes::analysis::ranges::facts::CheckElimination;
use apg_passes::analysis::ranges::is_wide;

impl Code<'_> {
    /// Hidden parameters of a kernel's functions: where a failing check records its failure, and the
    /// environment if they use it.
    pub(crate) fn hidden_parameters(&self) -> Option<String> {
        self.hidden(&|ty, name| format!("{ty}{name}"))
    }

    /// Types of the hidden parameters.
    pub(crate) fn hidden_types(&self) -> Option<String> {
        self.hidden(&|ty, _| ty.to_owned())
    }

    /// The arguments for the hidden parameters.
    pub(crate) fn hidden_arguments(&self) -> Option<String> {
        self.hidden(&|_, name| name.to_owned())
    }

    fn hidden(&self, spell: &dyn Fn(&str, &str) -> String) -> Option<String> {
        let environment = format!("const {} &", self.environment_type);
        // Programs without objects have no failing checks.
        let mut all: Vec<(&str, &str)> = match self.target {
            Target::Cpu if self.program.has_object_heap() => vec![("apg_i64 ", "block_"), ("apg_i64 ", "r_")],
            Target::Cuda if self.program.has_object_heap() => vec![("apg_fault *", "fault_")],
            Target::Host | Target::Cpu | Target::Cuda => Vec::new(),
        };
        let uses_environment = !self.statics.is_empty() || !self.captured_globals.is_empty();
        if self.target == Target::Cuda && uses_environment {
            all.push((&environment, "env"));
        }
        let parameters: Vec<String> = all.into_iter().map(|(ty, name)| spell(ty, name)).collect();
        (!parameters.is_empty()).then(|| parameters.join(", "))
    }

    /// Where a failing check records its failure.
    fn record(&self) -> Option<&'static str> {
        match self.target {
            Target::Host => None,
            Target::Cpu => Some("block_, r_"),
            Target::Cuda => Some("fault_"),
        }
    }

    /// Arguments of a check: file, line and where to record.
    fn site(&self) -> String {
        let hidden = self.record().unwrap_or("0");
        format!("{}, {}, {hidden}", self.span.file.0, self.span.line())
    }

    /// Whether the check of an access, or of a division by its divisor, is needed.
    fn elimination_of(&self, index: &Expr) -> CheckElimination {
        match self.program.unchecked {
            true => CheckElimination::Inside,
            false => self.check_elimination.get(&index.id).copied().unwrap_or(CheckElimination::Unknown),
        }
    }

    /// Template argument of a check; `None` if no check is needed.
    fn check_argument(&self, elimination: CheckElimination) -> Option<String> {
        match elimination {
            CheckElimination::Inside => None,
            // On a device each access has its own conditions; the CPU form has one variant for all.
            CheckElimination::AtLaunch(conditions) if self.target == Target::Cuda => {
                Some(format!("(held_<{conditions}u>)"))
            }
            CheckElimination::AtLaunch(_) => Some("proven_".to_owned()),
            CheckElimination::Unknown => Some("false".to_owned()),
        }
    }

    /// An element of an array whose elements and length have names.
    pub(crate) fn kernel_element(&mut self, rail: &RailSpelling, index: &Expr) -> String {
        match self.preloaded.get(&index.id).cloned() {
            Some(PreloadedElement { name, when }) => {
                format!("({when} ? {name} : {})", self.kernel_access(rail, index))
            }
            None => self.kernel_access(rail, index),
        }
    }

    fn kernel_access(&mut self, rail: &RailSpelling, index: &Expr) -> String {
        if self.checked.contains(&index.id) {
            let is_counter = matches!(&index.kind, ExprKind::Operation { operation: Operation::Convert, args }
                if matches!(args.as_slice(), [Expr { kind: ExprKind::Local(_), .. }]));
            let index = if is_counter { self.wide_value(index) } else { self.expr(index) };
            return rail.element(&index);
        }
        let wide = self.widened.contains(&index.id).then(|| self.wide_value(index));
        let short = self.is_narrow(index).then(|| self.narrow_value(index));
        let elimination = self.elimination_of(index);
        let Some(proven) = self.check_argument(elimination) else {
            let index = self.expr(index);
            return rail.element(&match (short, wide) {
                (Some(short), _) => format!("(narrow_ ? (apg_i64)({short}) : (apg_i64)({index}))"),
                (None, Some(wide)) => format!("(proven_ ? {wide} : (apg_i64)({index}))"),
                (None, None) => index,
            });
        };
        // A comparison of 32 bits is faster than one of 64.
        let narrow = match &index.kind {
            ExprKind::Operation { operation: Operation::Convert, args } => {
                args.first().filter(|it| it.ty == Ty::I32)
            }
            _ => None,
        };
        let text = self.expr(narrow.unwrap_or(index));
        let RailSpelling { data, length, .. } = rail;
        let check = |proven: &str, index: &str| {
            format!("apg_index<{proven}>({index}, {length}, {data}, {})", self.site())
        };
        let checked = check(&proven, &text);
        rail.element(&match (wide, short) {
            (Some(wide), _) if elimination != CheckElimination::Unknown => {
                format!("(proven_ ? {wide} : {})", check("false", &text))
            }
            (_, Some(short)) => format!("(narrow_ ? {} : {checked})", check(&proven, &short)),
            _ => checked,
        })
    }

    /// Whether an index, comparison, division or assigned value is computed with 32 bits if the launch
    /// conditions hold.
    pub(crate) fn is_narrow(&self, expr: &Expr) -> bool {
        self.narrowed.values.contains(&expr.id)
    }

    /// Whether the operation itself is done with 32 bits, rather than only its result truncated.
    pub(crate) fn has_narrow_parts(&self, expr: &Expr) -> bool {
        self.narrowed.parts.contains(&expr.id)
    }

    /// An integer expression computed with signed 32 bits.
    pub(crate) fn narrow_value(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Int(value) => self.integer(*value, Ty::I32),
            _ if !self.has_narrow_parts(expr) => {
                format!("(apg_i32)({})", self.expr(expr))
            }
            ExprKind::Operation { operation, args } => {
                let text: Vec<String> = args.iter().map(|it| self.narrow_value(it)).collect();
                self.narrow_operation(*operation, &text)
            }
            ExprKind::Select { condition, then, otherwise } => {
                let condition = self.expr(condition);
                let (then, otherwise) = (self.narrow_value(then), self.narrow_value(otherwise));
                format!("({condition} ? {then} : {otherwise})")
            }
            _ => format!("(apg_i32)({})", self.expr(expr)),
        }
    }

    /// An operation whose operands and result fit 32 bits: nothing wraps, and divisors are positive.
    fn narrow_operation(&mut self, operation: Operation, text: &[String]) -> String {
        match (operation.wrapping(), text) {
            (Operation::Convert, [a]) => a.clone(),
            (Operation::Neg, [a]) => format!("(-{a})"),
            (Operation::Shl, [a, b]) => format!("({a} * (1 << {b}))"),
            (Operation::Min | Operation::Max, [a, b]) => {
                format!("apg_{}<apg_i32>({a}, {b})", operation.name())
            }
            (Operation::Shr, [a, b]) => format!("({a} >> {b})"),
            (operation, [a, b]) if let Some(symbol) = operation.symbol() => format!("({a} {symbol} {b})"),
            _ => self.fail(format!("operation {operation:?} with 32 bits")),
        }
    }

    /// The step of a counter that does not wrap, in signed arithmetic, from which the compiler derives the
    /// trip count.
    pub(crate) fn exact_step(&mut self, local: LocalId, value: &Expr) -> Option<String> {
        if !self.exact_steps.contains(&value.id) {
            return None;
        }
        let (by, minus) = as_step(value, local)?;
        let spelling = self.local(local);
        let ty = self.ty(spelling.ty);
        let by = self.expr(by);
        let any = self.expr(value);
        let sign = if minus { "-" } else { "+" };
        Some(format!("proven_ ? {0} {sign} ({ty}){by} : {any}", spelling.text))
    }

    /// Whether a value consists of locals, constants and operations that [`Self::wide_value`] widens.
    pub(crate) fn is_plain(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Local(_) => true,
            ExprKind::Operation { operation, args } => {
                is_wide(*operation, expr.ty, args) && args.iter().all(|it| self.is_plain(it))
            }
            _ => false,
        }
    }

    /// An integer expression computed with 64 bits; parts that cannot be widened are computed as the program
    /// says.
    pub(crate) fn wide_value(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Int(value) => self.integer(*value, Ty::I64),
            ExprKind::Local(local) if self.widened_locals.contains(local) => {
                format!("{}_w", self.local(*local).text)
            }
            ExprKind::Operation { operation, args } if is_wide(*operation, expr.ty, args) => {
                let args: Vec<String> = args.iter().map(|it| self.wide_value(it)).collect();
                match (operation, args.as_slice()) {
                    (Operation::Convert, [a]) => a.clone(),
                    (Operation::Neg, [a]) => format!("(-{a})"),
                    (operation, _) => {
                        let sign = match operation {
                            Operation::Add => " + ",
                            Operation::Sub => " - ",
                            _ => " * ",
                        };
                        format!("({})", args.join(sign))
                    }
                }
            }
            _ => format!("(apg_i64)({})", self.expr(expr)),
        }
    }

    /// An element of an array that is a pair of pointer and length.
    pub(crate) fn view_element(&mut self, view: &str, index: &Expr, text: &str) -> String {
        match self.elimination_of(index) {
            CheckElimination::Inside => format!("{view}.data[{text}]"),
            _ => format!("apg_at({view}, {text}, {})", self.site()),
        }
    }

    /// An integer division whose divisor may be zero.
    pub(crate) fn kernel_division(
        &self,
        operation: Operation,
        ty: &str,
        a: &str,
        b: &str,
        divisor: &Expr,
    ) -> String {
        let name = operation.name();
        match self.check_argument(self.elimination_of(divisor)) {
            None => format!("apg_{name}<{ty}>({a}, {b})"),
            Some(proven) => {
                format!("apg_{name}<{ty}>({a}, apg_divisor<{proven}, {ty}>({b}, {}))", self.site())
            }
        }
    }
}
