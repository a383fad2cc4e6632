//! Rules of the tables of a program: types, statics, and the functions that the runtime calls.

use super::{Rule, Verifier, is_compatible};
use crate::*;

impl Verifier<'_> {
    pub(super) fn check_tables(&mut self) {
        let program = self.program;
        for (index, item) in program.structs.iter().enumerate() {
            self.check_fields(&item.name, &item.fields);
            if self.contains_itself(StructId(index as u32)) {
                let message = "the struct contains itself".to_owned();
                self.report(Rule::AcyclicTypes, &item.name, None, message);
            }
        }
        for (id, attributes) in &program.struct_attributes {
            match program.structs.get(id.index()) {
                Some(item) => self.check_attributes(&item.name, attributes, item.fields.len()),
                None => {
                    let message = format!("there is no struct {}", id.0);
                    self.report(Rule::KnownItem, "struct_attributes", None, message);
                }
            }
        }
        for id in program.textures.iter().filter(|it| it.index() >= program.structs.len()) {
            self.report(Rule::KnownItem, "textures", None, format!("there is no struct {}", id.0));
        }
        for (index, class) in program.classes.iter().enumerate() {
            self.check_class(index, class);
        }
        for (from, to) in &program.closure_versions {
            if from.index().max(to.index()) >= program.classes.len() {
                self.report(Rule::KnownItem, "closure_versions", None, "there is no such class".to_owned());
            }
        }
        for item in &program.statics {
            self.check_ty(&item.name, item.ty);
            self.check_signature(&item.name, item.init, &[], Some(item.ty));
        }
        if self.errors.is_empty() {
            self.check_memory();
        }
        self.check_roots();
    }

    /// Fills in [`Verifier::slots`].
    pub(super) fn count_slots(&mut self) {
        let classes = &self.program.classes;
        self.slots = classes.iter().map(|it| it.vtable.len()).collect();
        // Superclasses precede their subclasses; the first class is the root.
        for (index, class) in classes.iter().enumerate().skip(1).rev() {
            let superclass = class.superclass.map_or(0, ClassId::index);
            self.slots[superclass] = self.slots[superclass].max(self.slots[index]);
        }
    }

    /// The functions that the runtime calls.
    fn check_roots(&mut self) {
        let program = self.program;
        if let Some(main) = program.main {
            self.check_main(main);
        }
        for function in &program.runtime_exceptions {
            self.check_signature("runtime_exceptions", *function, &[Ty::Any], Some(Ty::Any));
        }
        for hook in program.serialize_hook.iter().chain(&program.deserialize_hook) {
            self.check_signature("serialisation", *hook, &[Ty::Any], Some(Ty::Any));
        }
        for file in &program.library {
            if file.index() >= program.files.len() {
                self.report(Rule::KnownItem, "library", None, format!("there is no file {}", file.0));
            }
        }
    }

    /// `main` takes a rail, or what that of C takes.
    fn check_main(&mut self, main: FunctionId) {
        if self.program.has_object_heap() {
            return self.check_signature("main", main, &[Ty::Any], Some(Ty::Void));
        }
        let has_params = self.program.functions.get(main.index()).is_some_and(|it| it.params > 0);
        let types = &self.program.types;
        let strings = types
            .find_pointer_to(Ty::I8, AddressSpace::Generic)
            .and_then(|it| types.find_pointer_to(it, AddressSpace::Generic));
        match strings.filter(|_| has_params) {
            Some(strings) => self.check_signature("main", main, &[Ty::I32, strings], Some(Ty::I32)),
            None => self.check_signature("main", main, &[], Some(Ty::I32)),
        }
    }

    fn check_class(&mut self, index: usize, class: &Class) {
        let name = &class.name;
        self.check_fields(name, &class.fields);
        self.check_attributes(name, &class.attributes, class.fields.len());
        match class.kind {
            ClassKind::Rail { element: ty }
            | ClassKind::Boxed { value: ty }
            | ClassKind::Cell { value: ty } => {
                self.check_ty(name, ty);
            }
            ClassKind::Object | ClassKind::String | ClassKind::Closure => {}
        }
        if class.superclass.is_some_and(|it| it.index() >= index) {
            self.report(Rule::AcyclicTypes, name, None, "its superclass does not precede it".to_owned());
        }
        for function in class.vtable.iter().flatten() {
            self.check_function(name, *function);
        }
        for (interface, table) in &class.interfaces {
            let slots = self.program.interfaces.get(interface.index()).map(|it| it.slots as usize);
            if slots.is_none() {
                self.report(Rule::KnownItem, name, None, format!("there is no interface {}", interface.0));
            } else if slots != Some(table.len()) {
                let message = format!("the table of interface {} has {} slots", interface.0, table.len());
                self.report(Rule::KnownSlot, name, None, message);
            }
            for function in table.iter().flatten() {
                self.check_function(name, *function);
            }
        }
    }

    fn check_fields(&mut self, item: &str, fields: &[Field]) {
        for field in fields {
            self.check_ty(item, field.ty);
            if field.ty == Ty::Void {
                self.report(
                    Rule::OperandType,
                    item,
                    None,
                    format!("the field `{}` has no value", field.name),
                );
            }
        }
    }

    fn check_attributes(&mut self, item: &str, attributes: &TypeAttributes, fields: usize) {
        if let Serialization::Custom(Some(function)) | Serialization::RestoreTransient(function) =
            attributes.serialization
        {
            self.check_function(item, function);
        }
        if attributes.field_count() > fields {
            let message =
                format!("field {} has attributes, of {fields} fields", attributes.field_count() - 1);
            self.report(Rule::KnownItem, item, None, message);
        }
    }

    pub(super) fn check_ty(&mut self, item: &str, ty: Ty) {
        if !self.is_known(ty) {
            self.report(Rule::KnownItem, item, None, format!("there is no type {ty:?}"));
        }
    }

    fn check_function(&mut self, item: &str, id: FunctionId) -> bool {
        let exists = id.index() < self.program.functions.len();
        if !exists {
            self.report(Rule::KnownItem, item, None, format!("there is no function {}", id.0));
        }
        exists
    }

    fn check_signature(&mut self, item: &str, id: FunctionId, params: &[Ty], result: Option<Ty>) {
        if !self.check_function(item, id) {
            return;
        }
        let function = &self.program.functions[id.index()];
        let found = function.locals.get(..function.params as usize).unwrap_or_default();
        if found.len() != params.len() || function.params as usize != params.len() {
            let message = format!("`{}` has {} parameters, not {}", function.name, found.len(), params.len());
            self.report(Rule::OperandCount, item, None, message);
        } else if !found.iter().zip(params).all(|(local, ty)| is_compatible(local.ty, *ty)) {
            let message = format!("`{}` has parameters of other types", function.name);
            self.report(Rule::OperandType, item, None, message);
        }
        if result.is_some_and(|it| !is_compatible(function.result, it)) {
            let message = format!("`{}` gives a {:?}", function.name, function.result);
            self.report(Rule::ResultType, item, None, message);
        }
    }

    /// Whether a struct has a field of its own type, directly or in fields of structs.
    fn contains_itself(&self, id: StructId) -> bool {
        let mut seen = vec![false; self.program.structs.len()];
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            let Some(item) = self.program.structs.get(next.index()) else { continue };
            for field in &item.fields {
                let Ty::Struct(inner) = self.program.types.innermost(field.ty) else { continue };
                if inner == id {
                    return true;
                }
                if seen.get(inner.index()) == Some(&false) {
                    seen[inner.index()] = true;
                    open.push(inner);
                }
            }
        }
        false
    }
}
