//! Device code: functions that kernels call, and checks of types that a device can hold.
//!
//! The kernel rules check types in the source. Only types that replace type parameters are checked here.

use apg_analysis::program::body::{ExprId, ExprKind as Source, LocalId};
use apg_analysis::program::items::MethodId;
use apg_analysis::program::items::has_annotation;
use apg_analysis::program::items::method_item;
use apg_analysis::program::ty::Ty;
use apg_syntax::TextRange;
use rustc_hash::FxHashSet;

use crate::builder::function::{Builder, Variable};
use crate::builder::operands::{expr, int, operation};
use crate::{LowerError, Lowerer};
use apg_mir::fold::fold;
use apg_mir::{self as mir, ClassKind, ExprKind, KernelCaptureKind, Operation, walk};

impl Lowerer<'_> {
    /// Whether device memory can hold values of a type.
    fn is_plain(&self, ty: mir::Ty) -> bool {
        match ty {
            mir::Ty::Ref(_) | mir::Ty::Any => false,
            mir::Ty::Struct(id) => {
                self.program.structs[id.index()].fields.iter().all(|field| self.is_plain(field.ty))
            }
            _ => true,
        }
    }

    /// Whether a variable of a kernel can have this type, which may be a rail.
    fn is_for_kernels(&self, ty: mir::Ty) -> bool {
        match ty {
            mir::Ty::Ref(class) => match self.program.classes[class.index()].kind {
                ClassKind::Rail { element } => self.is_plain(element),
                _ => false,
            },
            ty => self.is_plain(ty),
        }
    }

    /// Marks the functions reached from kernels.
    pub(crate) fn mark_device_functions(&mut self) {
        let mut pending = Vec::new();
        for kernel in &self.program.kernels {
            walk::visit_exprs(&kernel.body, &mut |it, _| note(it, &mut pending));
            for shared in &kernel.shared {
                match &shared.init {
                    mir::SharedInit::Function { setup, value, .. } => {
                        walk::visit_exprs(setup, &mut |it, _| note(it, &mut pending));
                        note_value(value, &mut pending);
                    }
                    mir::SharedInit::Value(value) => note_value(value, &mut pending),
                    mir::SharedInit::Zero | mir::SharedInit::Copy(_) => {}
                }
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let function = &mut self.program.functions[id.index()];
            function.device = true;
            walk::visit_exprs(&function.body, &mut |it, _| note(it, &mut pending));
        }
    }
}

fn note(expr: &mir::Expr, calls: &mut Vec<mir::FunctionId>) {
    if let ExprKind::Call { function, .. } = &expr.kind {
        calls.push(*function);
    }
}

fn note_value(value: &mir::Expr, calls: &mut Vec<mir::FunctionId>) {
    note(value, calls);
    for child in walk::children(&value.kind) {
        note_value(child, calls);
    }
}

impl Builder<'_, '_> {
    /// Reports the first variable of a kernel, with captures first, that a device cannot hold.
    pub(crate) fn check_kernel_types(
        &mut self,
        captures: &[mir::KernelCapture],
        locals: &[mir::Local],
        range: TextRange,
    ) {
        let elements = captures.iter().filter_map(|it| match it.kind {
            KernelCaptureKind::Scalar(_) => None,
            KernelCaptureKind::Buffer { element }
            | KernelCaptureKind::ConstantBuffer { element }
            | KernelCaptureKind::GlobalBuffer { element } => Some((it.name.as_str(), element)),
        });
        let bad_element = elements
            .into_iter()
            .find(|(_, ty)| !self.lowerer.is_plain(*ty))
            .map(|(name, ty)| (name, ty, ", with elements"));
        let bad_local = || {
            let bad = locals.iter().find(|it| !self.lowerer.is_for_kernels(it.ty))?;
            Some((bad.name.as_str(), bad.ty, ""))
        };
        let Some((name, ty, elements)) = bad_element.or_else(bad_local) else { return };
        let shown = match ty {
            mir::Ty::Ref(class) => self.lowerer.program.classes[class.index()].name.as_str(),
            mir::Ty::Struct(id) => self.lowerer.program.structs[id.index()].name.as_str(),
            _ => "x10.lang.Any",
        };
        let what = if name.starts_with('$') { "a value".to_owned() } else { format!("`{name}`") };
        let message = format!("a kernel cannot use {what}{elements} of type `{shown}`");
        let note = "code with type parameters is built for each of their types, here for a type that a device cannot hold: \
                    it can hold numbers, `Boolean`, `Char`, structs of these, and rails of such elements";
        self.instance_error(message, note, range);
    }

    /// Reports an error of an instance, with the call that requested it.
    fn instance_error(&mut self, message: String, note: &str, range: TextRange) {
        let mut error = LowerError::new("build/kernel-type", message).note(note);
        let lowerer = &self.lowerer;
        if let Some(call) = lowerer.current.0.and_then(|it| lowerer.first_requests.get(&it)) {
            let file = &lowerer.program.files[call.file.index()];
            error = error.note(format!("these types come from {file}:{}", call.line()));
        }
        self.error(error, range);
    }

    /// Length and element of `new Rail[T](n, value)` in a kernel, which is on the thread's stack.
    pub(crate) fn filled_rail(&self, init: ExprId) -> Option<(ExprId, ExprId)> {
        if !self.is_device_code() {
            return None;
        }
        let body = &self.source.body;
        match &body.expr(init).kind {
            Source::Coerce { value } | Source::Cast { value, .. } => self.filled_rail(*value),
            Source::New { args, .. } if body.expr(init).ty.rail_element(self.lowerer.db).is_some() => {
                match args[..] {
                    [length, value] => Some((length, value)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Declares a rail on the stack, each element with that value.
    pub(crate) fn stack_rail(&mut self, local: LocalId, ty: Ty, length: ExprId, value: ExprId) {
        let element = ty.rail_element(self.lowerer.db).unwrap_or(ty);
        let class = self.lowerer.class_of(ty);
        self.lowerer.instantiate(class);
        let long = Ty::long(self.lowerer.db);
        let mut length = self.value_as(length, long);
        fold(&mut length);
        let value = self.value_as(value, element);
        let value = if self.is_constant(&value) { value } else { self.save(value) };
        let variable = self.declare(local);
        let made = ExprKind::AllocateRail { class, length: Box::new(length.clone()), zeroed: true };
        self.initialise(variable, expr(mir::Ty::Ref(class), made));
        let Variable::Local(rail) = variable else { return };
        let last = operation(Operation::Sub, mir::Ty::I64, vec![length, int(mir::Ty::I64, 1)]);
        self.counted_loop(int(mir::Ty::I64, 0), last, |it, index| {
            let (rail, index) = (it.local(rail), it.local(index));
            let (element, value) = (value.ty, value.clone());
            it.push(mir::StmtKind::SetElement { rail, element, index, value, checked: false });
            it.new_label()
        });
    }

    /// Reports a call of an operator promised by a type parameter, of a type that is no number.
    pub(crate) fn check_kernel_call(&mut self, method: MethodId, range: TextRange) {
        let Some(item) = method_item(self.lowerer.db, method) else { return };
        if has_annotation(&item.annotations, "CUDA") {
            return;
        }
        let class = method.class(self.lowerer.db).name(self.lowerer.db);
        let message = format!(
            "`{class}.{}` is not marked `@CUDA`, so a kernel cannot call it",
            method.name(self.lowerer.db)
        );
        let note = "code with type parameters is built for each type that they stand for: where that is no number, its operators must be \
                    functions for devices";
        self.instance_error(message, note, range);
    }
}
