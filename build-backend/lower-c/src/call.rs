//! Calls of functions of the program, which have device forms of their own. Behind its parameters such a
//! function takes the addresses of the objects of file scope that it or those that it calls name.

use apg_c_analysis::hir::{ExprId, Length, Type};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, Expr, LocalId, Ty};

use crate::body::{Body, Storage, local_value};
use crate::sources::{Definition, ReachedObject};
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    /// A call of a function that the program defines.
    pub(crate) fn call_function(
        &mut self,
        function: Definition,
        name: &str,
        arguments: &[ExprId],
        result: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        let (file, id) = function;
        let hir = self.unit.sources.hir(file);
        let item = hir.function(id);
        if item.parameters.len() != arguments.len() {
            let message =
                format!("`{name}` takes {} arguments, not {}", item.parameters.len(), arguments.len());
            return unsupported(range, message, "pass one argument for each parameter");
        }
        let mut args = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&item.parameters) {
            let value = self.value(*argument)?;
            let ty = &hir.variable(*parameter).ty;
            let ty = self.unit.in_file(file, |unit| unit.ty(ty, range))?;
            args.push(self.convert_to(value, ty, range)?);
        }
        args.splice(..0, self.state());
        if self.team.is_none() {
            for object in self.unit.sources.objects_of(function).iter() {
                args.push(self.object_address(*object, range)?);
            }
        }
        let returned = self.unit.in_file(file, |unit| unit.ty(&item.result, range))?;
        let function = self.unit.device_function(function, range);
        let call = Expr::new(returned, mir::ExprKind::Call { function, args });
        if returned == Ty::Void {
            return Ok(call);
        }
        // Calls happen in the order of the source.
        let value = self.temporary(call);
        match result {
            Type::Unknown | Type::Void => Ok(value),
            result => self.convert(value, result, range),
        }
    }

    /// The address of an object that code reaches.
    pub(crate) fn object_address(&mut self, object: ReachedObject, range: TextRange) -> Lowered<Expr> {
        if let Some(local) = self.file_addresses.get(&object) {
            return Ok(local_value(*local, self.locals[local.index()].ty));
        }
        let name = self.unit.sources.name(object);
        let message = format!("`{name}`, which this function names, is not in the memory of the device");
        unsupported(range, message, format!("pass `{name}` as an argument"))
    }

    /// A local for the address of an object that code reaches.
    pub(crate) fn file_address(&mut self, object: ReachedObject, range: TextRange) -> Lowered<(LocalId, Ty)> {
        let is_first_element = |ty: &Type| matches!(ty, Type::Array(_, Length::Unknown));
        let pointee = match object {
            ReachedObject::Ending => Ty::I32,
            ReachedObject::OfFile((file, variable)) => {
                let of = self.unit.sources.hir(file).variable(variable);
                self.unit.in_file(file, |unit| match &of.ty {
                    // `extern double table[];`: the address of its first element.
                    Type::Array(element, Length::Unknown) => unit.ty(element, range),
                    ty => unit.ty(ty, range),
                })?
            }
        };
        let ty = self.unit.program.types.pointer_to(pointee, AddressSpace::Generic);
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
