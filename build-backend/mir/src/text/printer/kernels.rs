//! Printing of kernels.

use super::*;
use crate::text::names::write_name;
use crate::text::types::capture_elements;

impl<'a> Printer<'a> {
    pub(super) fn kernel(&mut self, id: KernelId) {
        let kernel = &self.program.kernels[id.index()];
        self.set_locals(&kernel.locals, &kernel.variables, capture_elements(&kernel.captures));
        self.push("kernel ");
        self.kernel_name(id);
        for (word, is_set) in [
            (" direct_params", kernel.direct_params),
            (" fast_math", kernel.fast_math),
            (" has_barrier", kernel.has_barrier),
        ] {
            self.push(if is_set { word } else { "" });
        }
        self.declared_span(kernel.span);
        self.open();
        self.variable_declarations();
        self.local_declarations(0);
        kernel.captures.iter().for_each(|capture| self.capture(capture));
        let host = &kernel.host;
        for (word, locals, extents) in
            [("block", &kernel.block_locals, &host.blocks), ("thread", &kernel.thread_locals, &host.threads)]
        {
            for (local, extent) in locals.iter().zip(extents) {
                self.begin();
                self.push(word);
                self.push(" ");
                self.local(*local);
                self.push(" < ");
                self.full_expr(extent);
                self.push(";");
                self.end();
            }
        }
        for (words, local, choices) in [
            (["auto_blocks", "block_choices"], kernel.auto_blocks, &kernel.block_choices),
            (["auto_threads", "thread_choices"], kernel.auto_threads, &kernel.thread_choices),
        ] {
            if let Some(local) = local {
                self.begin();
                self.push(words[0]);
                self.push(" ");
                self.local(local);
                self.push(";");
                self.end();
            }
            if !choices.is_empty() {
                self.line(&format!("{} {choices:?};", words[1]));
            }
        }
        for (array, length) in kernel.shared.iter().zip(&host.shared_lengths) {
            self.shared_array(array, length);
        }
        self.begin();
        self.push("body");
        self.open();
        self.stmts(&kernel.body);
        self.close();
        self.close();
        self.span = None;
    }

    fn capture(&mut self, capture: &KernelCapture) {
        self.begin();
        self.push("capture ");
        write_name(&mut self.out, &capture.name, 0, false);
        self.push(": ");
        let (word, ty) = match capture.kind {
            KernelCaptureKind::Scalar(ty) => ("", ty),
            KernelCaptureKind::Buffer { element } => ("buffer of ", element),
            KernelCaptureKind::ConstantBuffer { element } => ("constant buffer of ", element),
            KernelCaptureKind::GlobalBuffer { element } => ("global buffer of ", element),
        };
        self.push(word);
        self.ty(ty);
        if let Some(id) = capture.static_field {
            self.push(" static ");
            self.static_name(id);
        }
        if let Some(id) = capture.global {
            self.push(" global ");
            self.globals.write(&mut self.out, id.index(), "@");
        }
        if let Some(value) = &capture.derived_from {
            self.push(" = ");
            self.full_expr(value);
        }
        self.push(";");
        self.end();
    }

    fn shared_array(&mut self, array: &SharedArray, length: &Expr) {
        self.begin();
        self.push("shared ");
        self.local(array.local);
        self.push(": ");
        self.ty(array.element);
        self.push(" length ");
        self.full_expr(length);
        match &array.init {
            SharedInit::Zero => {}
            SharedInit::Value(value) => {
                self.push(" = ");
                self.full_expr(value);
            }
            SharedInit::Copy(from) => {
                self.push(" = copy ");
                self.local(*from);
            }
            SharedInit::Function { index, setup, value } => {
                self.push(" = function ");
                self.local(*index);
                self.open();
                self.stmts(setup);
                self.close_and_continue("value ");
                self.full_expr(value);
            }
        }
        self.push(";");
        self.end();
    }
}
