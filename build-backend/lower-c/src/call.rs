//! Calls of functions of the program, which have device forms of their own. Behind its parameters such a
//! function takes the addresses of the objects of file scope that it or those that it calls name.

use apg_c_analysis::hir::{ExprId, ExprKind, Length, Type};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, Expr, LocalId, Ty};

use crate::body::{Body, Storage, local_value};
use crate::c_library::has_effects;
use crate::sources::{Definition, ReachedObject};
use crate::unsupported::{Lowered, unsupported};
use crate::variants::Callee;

impl Body<'_, '_> {
    /// A call, whose value is used if `is_used`.
    pub(crate) fn call(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
        result: &Type,
        is_used: bool,
        range: TextRange,
    ) -> Lowered<Expr> {
        let hir = self.unit.hir;
        let Some(name) = hir.callee_name(callee) else {
            return self.call_pointer(callee, arguments, result, range);
        };
        self.check_variant(callee, name, range)?;
        if let Some(function) = self.unit.sources.definition(self.unit.file, callee) {
            return self.call_function(function, name, arguments, result, range);
        }
        if let ExprKind::Function(id) = hir.expr(callee).kind
            && hir.function(id).is_nested
        {
            let message = format!("a region calls `{name}`, which is defined in another function");
            return unsupported(range, message, format!("move `{name}` out of that function"));
        }
        if self.team.is_some() {
            return self.team_call(callee, arguments, result, range);
        }
        if has_effects(name) {
            let value = self.c_library_call(name, arguments, is_used, range)?;
            return if is_used { self.convert(value, result, range) } else { Ok(value) };
        }
        if name.starts_with("omp_") && !self.has_library_function(name) {
            let message = format!("`{name}` has no device form");
            return unsupported(range, message, "call it in front of the region or behind it");
        }
        if !self.has_library_function(name) {
            let message = format!("a region calls `{name}`, which no file of the program defines");
            return unsupported(range, message, "name its file, too, or call it outside of the region");
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value(*argument)?);
        }
        self.library_call(name, values, range)
    }

    /// Refuses a call of which it is not known what it calls, and of a variant that is not there.
    fn check_variant(&self, callee: ExprId, name: &str, range: TextRange) -> Lowered<()> {
        let (sources, file) = (self.unit.sources, self.unit.file);
        match sources.variant(file, callee) {
            Some(Callee::Unknown(what)) => {
                let message = format!(
                    "the variant of `{name}` that a region calls depends on `{what}`, which the compiler does not know"
                );
                unsupported(
                    range,
                    message,
                    "select variants by `construct`, `kind`, `arch` or constant conditions",
                )
            }
            Some(Callee::Variant(variant)) if sources.definition(file, callee).is_none() => {
                let message =
                    format!("a region calls `{variant}` for `{name}`, and no file of the program defines it");
                unsupported(range, message, "name its file, too, or call it outside of the region")
            }
            _ => Ok(()),
        }
    }

    /// A call of a function that the program defines.
    fn call_function(
        &mut self,
        function: Definition,
        name: &str,
        arguments: &[ExprId],
        result: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        let parameters = self.unit.sources.hir(function.0).function(function.1).parameters.len();
        if parameters != arguments.len() {
            let message = format!("`{name}` takes {parameters} arguments, not {}", arguments.len());
            return unsupported(range, message, "pass one argument for each parameter");
        }
        let mut values = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let value = self.value(*argument)?;
            values.push(self.convert_argument(function, index, value, range)?);
        }
        let call = self.call_with(function, values, range)?;
        if call.ty == Ty::Void {
            return Ok(call);
        }
        // Calls happen in the order of the source.
        let value = self.temporary(call);
        match result {
            Type::Unknown | Type::Void => Ok(value),
            result => self.convert(value, result, range),
        }
    }

    /// An argument as a value of the type of its parameter.
    pub(crate) fn convert_argument(
        &mut self,
        function: Definition,
        index: usize,
        value: Expr,
        range: TextRange,
    ) -> Lowered<Expr> {
        let hir = self.unit.sources.hir(function.0);
        let ty = &hir.variable(hir.function(function.1).parameters[index]).ty;
        let ty = self.unit.in_file(function.0, |unit| unit.ty(ty, range))?;
        self.convert_to(value, ty, range)
    }

    /// A call of a function with values of the types of its parameters.
    pub(crate) fn call_with(
        &mut self,
        function: Definition,
        mut args: Vec<Expr>,
        range: TextRange,
    ) -> Lowered<Expr> {
        self.check_stack(function, range)?;
        args.splice(..0, self.state());
        if self.team.is_none() {
            for object in self.unit.sources.objects_of(function).iter() {
                args.push(self.object_address(*object, range)?);
            }
        }
        let result = &self.unit.sources.hir(function.0).function(function.1).result;
        let returned = self.unit.in_file(function.0, |unit| unit.ty(result, range))?;
        let function = self.unit.device_function(function, range);
        Ok(Expr::new(returned, mir::ExprKind::Call { function, args }))
    }

    /// The address of an object that code reaches, or the word that it is.
    pub(crate) fn object_address(&mut self, object: ReachedObject, range: TextRange) -> Lowered<Expr> {
        if let ReachedObject::Threads(word) = object {
            return self.thread_word(word, range);
        }
        if let Some(local) = self.file_addresses.get(&object) {
            return Ok(local_value(*local, self.locals[local.index()].ty));
        }
        let name = self.unit.sources.name(object);
        let message = format!("`{name}`, which this function names, is not in the memory of the device");
        unsupported(range, message, format!("pass `{name}` as an argument"))
    }

    /// A local for the address of an object that code reaches, or for the word that it is.
    pub(crate) fn file_address(&mut self, object: ReachedObject, range: TextRange) -> Lowered<(LocalId, Ty)> {
        let is_first_element = |ty: &Type| matches!(ty, Type::Array(_, Length::Unknown));
        let pointee = match object {
            ReachedObject::Ending => Ty::I32,
            ReachedObject::Function(_) => Ty::Void,
            ReachedObject::Ranges
            | ReachedObject::Device
            | ReachedObject::Number(_)
            | ReachedObject::Threads(_) => Ty::I64,
            ReachedObject::OfFile((file, variable)) => {
                let of = self.unit.sources.hir(file).variable(variable);
                self.unit.in_file(file, |unit| match &of.ty {
                    // `extern double table[];`: the address of its first element.
                    Type::Array(element, Length::Unknown) => unit.ty(element, range),
                    ty => unit.ty(ty, range),
                })?
            }
        };
        let ty = match object {
            ReachedObject::Device | ReachedObject::Number(_) | ReachedObject::Threads(_) => pointee,
            _ => self.unit.program.types.pointer_to(pointee, AddressSpace::Generic),
        };
        let local = self.local(&self.unit.sources.name(object), ty);
        self.file_addresses.insert(object, local);
        if let ReachedObject::OfFile((file, variable)) = object
            && file == self.unit.file
        {
            let storage = match is_first_element(&self.unit.hir.variable(variable).ty) {
                true => Storage::Local(local),
                false => Storage::Pointed(local),
            };
            self.objects.entry(variable).or_insert(storage);
        }
        Ok((local, ty))
    }
}
