//! Serialisation policies: types with custom serialisation, transient fields that are restored, and types
//! that refuse.

use apg_analysis::program::items::RESTORER;
use apg_analysis::program::items::{ClassId, FieldId, MethodId};
use apg_analysis::program::items::{own_methods, qualified_name};
use apg_analysis::program::ty::Ty;

use crate::builder::function::{Builder, Returns};
use crate::builder::operands::expr;
use crate::mono::types::Shape;
use crate::{Callee, ClassKey, FunctionKey, Lowerer};
use apg_mir::{self as mir, Serialization};

impl Lowerer<'_> {
    /// Sets the serialisation of all classes and structs.
    pub(crate) fn custom_types(&mut self) {
        let (Some(own), Some(refused)) =
            (self.library_class("x10.io.CustomSerialization"), self.library_class("x10.io.Unserializable"))
        else {
            return;
        };
        for index in 0..self.class_data.len() {
            if let (ClassKey::Instance(ty), true) =
                (self.class_data[index].key.clone(), self.class_data[index].instantiated)
            {
                self.program.classes[index].attributes.serialization = self.custom_of(ty, own, refused);
            }
        }
        let structs: Vec<_> = self.structs.iter().map(|(ty, id)| (*ty, *id)).collect();
        for (ty, id) in structs {
            let custom = self.custom_of(ty, own, refused);
            let mut attributes = self.program.attributes_of_struct(id);
            attributes.serialization = custom;
            self.program.set_attributes_of_struct(id, attributes);
            if matches!(custom, Serialization::Custom(_)) {
                // The runtime calls its code through the interface.
                let boxed = self.box_of(ty);
                self.instantiate(boxed);
            }
        }
    }

    fn custom_of(&mut self, ty: Ty, own: ClassId, refused: ClassId) -> Serialization {
        if self.as_instance_of(ty, own).is_some() {
            self.require_serializer();
            Serialization::Custom(self.restorer(ty))
        } else if self.as_instance_of(ty, refused).is_some() {
            Serialization::NotSerializable
        } else if ty
            .as_class(self.db)
            .is_some_and(|(class, _)| &*qualified_name(self.db, class) == "x10.lang.GlobalObject")
        {
            Serialization::GlobalRef
        } else if self.restored_fields(ty).is_empty() {
            Serialization::FieldByField
        } else {
            Serialization::RestoreTransient(self.function(FunctionKey::RestoreTransient(ty)))
        }
    }

    /// Transient fields with `@TransientInitExpr` of a class and its superclasses, inherited first: the
    /// declaring class instance, the index of the field, and the code.
    fn restored_fields(&mut self, ty: Ty) -> Vec<(Ty, u32, FieldId, MethodId)> {
        let mut owners = vec![ty];
        while let Some(superclass) = owners.last().and_then(|last| self.superclass(*last)) {
            owners.push(superclass);
        }
        let mut found = Vec::new();
        for owner in owners.into_iter().rev() {
            let Some((class, _)) = owner.as_class(self.db) else { continue };
            for (index, field) in self.own_fields(owner).into_iter().enumerate() {
                let name = format!("{RESTORER}{}", field.name(self.db));
                let code = own_methods(self.db, class, &name).first();
                found.extend(code.map(|code| (owner, index as u32, field, *code)));
            }
        }
        found
    }

    /// Builds the function that sets transient fields after deserialisation.
    pub(crate) fn write_restore(&mut self, ty: Ty, id: mir::FunctionId) {
        let is_struct = self.shape(ty) == Shape::Value;
        let machine = self.machine(ty);
        let source = self.synthetic(None, ty);
        let name = format!("{} arrives", self.short_name(ty));
        let fields = self.restored_fields(ty);
        let mut builder = Builder::new(self, source, Returns::Value(ty));
        let this = builder.new_local("this", machine, is_struct);
        builder.this = Some(this);
        for (owner, index, field, method) in fields {
            let declared = builder.lowerer.field_of(field, owner);
            let callee = Callee { method, owner, type_args: Vec::new() };
            let result = builder.lowerer.concrete_signature(&callee).1;
            let function = builder.lowerer.function(FunctionKey::Method(callee));
            let object = builder.local(this);
            let owner_machine = builder.lowerer.machine(owner);
            let args = vec![if is_struct { object } else { builder.retype(object, owner_machine) }];
            let kind = mir::ExprKind::Call { function, args };
            let value = expr(builder.lowerer.machine(result), kind);
            let value = builder.convert(value, result, declared);
            builder.store_own_field(owner, index, value);
        }
        if is_struct {
            let value = builder.local(this);
            builder.push(mir::StmtKind::Return(Some(value)));
        }
        builder.finish(id, name, 1, if is_struct { machine } else { mir::Ty::Void });
    }

    /// The constructor that takes a Deserializer. An inner class has none: there is no object around the
    /// copy.
    fn restorer(&mut self, ty: Ty) -> Option<apg_mir::FunctionId> {
        let deserializer = Ty::class(self.db, self.library_class("x10.io.Deserializer")?, Vec::new());
        let (class, _) = ty.as_class(self.db)?;
        if !self.hidden_types(ty).is_empty() {
            return None;
        }
        let candidates = own_methods(self.db, class, "this").to_vec();
        let substitution = self.class_substitution(ty);
        let method = candidates.into_iter().find(|it| {
            let params = self.param_types(*it);
            self.concrete_all(&params, &substitution) == [deserializer]
        })?;
        Some(self.function(FunctionKey::Constructor(Callee { method, owner: ty, type_args: Vec::new() })))
    }

    /// Requests the library functions that the runtime calls for custom serialisation.
    fn require_serializer(&mut self) {
        if self.program.serialize_hook.is_none() {
            self.program.serialize_hook = self.library_function("x10.io.Serializer", "saved");
            self.program.deserialize_hook = self.library_function("x10.io.Deserializer", "over");
        }
    }

    /// A static method of the class library, for the runtime.
    fn library_function(&mut self, class: &str, name: &str) -> Option<apg_mir::FunctionId> {
        let class = self.library_class(class)?;
        let method: MethodId = *own_methods(self.db, class, name).first()?;
        let owner = Ty::class(self.db, class, Vec::new());
        Some(self.function(FunctionKey::Method(Callee { method, owner, type_args: Vec::new() })))
    }
}
