//! Checks in kernels, as they are printed. A failing one records what it found and ends the thread (on a device) or the launch
//! (on the processor); the runtime turns the record into an exception.

use super::super::code::{Code, Target};
use super::Proof;
use crate::mir::*;

impl Code<'_> {
    /// What functions of a kernel get besides their parameters: where a failing check leaves its record.
    pub fn hidden_parameters(&self) -> Option<String> {
        match self.target {
            Target::Host => None,
            Target::Cpu => Some("apg_i64 block_, apg_i64 r_".to_owned()),
            Target::Cuda if self.statics.is_empty() => Some("apg_fault *fault_".to_owned()),
            Target::Cuda => Some(format!("apg_fault *fault_, const {} &env", self.environment_type)),
        }
    }

    /// The arguments for them.
    pub fn hidden_arguments(&self) -> Option<String> {
        let record = self.record()?;
        Some(if self.statics.is_empty() { record.to_owned() } else { format!("{record}, env") })
    }

    /// Where a failing check leaves its record.
    fn record(&self) -> Option<&'static str> {
        match self.target {
            Target::Host => None,
            Target::Cpu => Some("block_, r_"),
            Target::Cuda => Some("fault_"),
        }
    }

    /// File, line and the rest of what a check records.
    fn site(&self) -> String {
        let hidden = self.record().unwrap_or("0");
        format!("{}, {}, {hidden}", self.position.file.0, self.position.line)
    }

    /// Whether and how an access is checked: the template argument of the check, none if it needs none.
    fn check_of(&self, index: &Expr) -> Option<&'static str> {
        if self.program.unchecked {
            return None;
        }
        match self.proofs.get(&std::ptr::from_ref(index)).copied().unwrap_or(Proof::Unknown) {
            Proof::Inside => None,
            Proof::AtLaunch => Some("proven_"),
            Proof::Unknown => Some("false"),
        }
    }

    /// An element of a rail whose first element and length are known by name.
    pub fn kernel_element(&mut self, data: &str, length: &str, index: &Expr) -> String {
        let Some(proven) = self.check_of(index) else {
            let index = self.expr(index);
            return format!("{data}[{index}]");
        };
        // 32 bits are compared faster than 64.
        let narrow = match &index.kind {
            ExprKind::Operation { operation: Operation::Convert, args } => {
                args.first().filter(|it| it.ty == Ty::I32)
            }
            _ => None,
        };
        let text = self.expr(narrow.unwrap_or(index));
        format!("{data}[apg_index<{proven}>({text}, {length}, {data}, {})]", self.site())
    }

    /// An element of a rail that is a pair of address and length.
    pub fn view_element(&mut self, view: &str, index: &Expr, text: &str) -> String {
        match self.check_of(index) {
            None => format!("{view}.data[{text}]"),
            Some(_) => format!("apg_at({view}, {text}, {})", self.site()),
        }
    }

    /// A division of integers by what may be zero.
    pub fn kernel_division(&self, operation: Operation, ty: &str, a: &str, b: &str) -> String {
        let name = operation.name();
        if self.program.unchecked {
            return format!("apg_{name}<{ty}>({a}, {b})");
        }
        format!("apg_{name}<{ty}>({a}, apg_divisor<{ty}>({b}, {}))", self.site())
    }
}
