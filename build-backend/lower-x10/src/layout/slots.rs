//! Methods of class instances and their slots in virtual tables.

use std::rc::Rc;

use apg_analysis::program::items::{FieldId, MethodId, TypeParamId};
use apg_analysis::program::items::{MethodKind, Modifiers};
use apg_analysis::program::items::{
    class_modifiers, field_is_static, fields, method_is_static, method_item, method_type_param_ids, methods,
};
use apg_analysis::program::ty::Ty;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::mono::types::Substitution;
use crate::{Callee, Lowerer};
use apg_mir::slot;

/// The identity of a method for overriding: name and concrete parameter types. A method's own type
/// parameters are replaced by numbered ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub name: SmolStr,
    /// Whether the right operand of an operator is the receiver: `this - x` and `x - this` have the same
    /// name.
    pub reversed: bool,
    pub type_params: usize,
    pub params: Vec<Ty>,
}

/// A method that every object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Universal {
    ToString,
    Equals,
    HashCode,
    TypeName,
}

impl Universal {
    pub(crate) const ALL: [Universal; 4] =
        [Universal::ToString, Universal::Equals, Universal::HashCode, Universal::TypeName];

    pub(crate) fn slot(self) -> u32 {
        match self {
            Universal::ToString => slot::TO_STRING,
            Universal::Equals => slot::EQUALS,
            Universal::HashCode => slot::HASH_CODE,
            Universal::TypeName => slot::TYPE_NAME,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Universal::ToString => "toString",
            Universal::Equals => "equals",
            Universal::HashCode => "hashCode",
            Universal::TypeName => "typeName",
        }
    }
}

/// The implementation of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Implementation {
    /// None: abstract.
    Abstract,
    /// The default of a universal method.
    Default(Universal),
    /// A method of the class or of a superclass.
    Method(Callee),
}

/// A slot of a class's table.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The class instance that introduced the slot; `None` for the universal ones.
    pub introduced_by: Option<Ty>,
    pub signature: Signature,
    pub implementation: Implementation,
}

/// The methods of a class or struct instance, inherited ones included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub slots: Vec<Slot>,
    pub by_signature: FxHashMap<Signature, u32>,
    /// Methods with type parameters of their own: they have no slots.
    pub generic: FxHashMap<Signature, Callee>,
}

impl<'db> Lowerer<'db> {
    /// The signature of `method` as a member of `owner`.
    pub(crate) fn signature(&mut self, method: MethodId, owner: Ty) -> Signature {
        let db = self.db;
        let own = method_type_param_ids(db, method);
        let numbered = own.iter().enumerate().map(|(i, it)| {
            let canonical = TypeParamId::new(db, self.any_class, None, i as u32, SmolStr::new_static("$"));
            (*it, Ty::param(db, canonical))
        });
        let numbered: Vec<_> = numbered.collect();
        let substitution = self.class_substitution(owner).with(numbered);
        let params = self.param_types(method);
        let reversed = method_item(db, method).is_some_and(|it| it.kind == MethodKind::BinaryRight);
        Signature {
            name: method.name(db).clone(),
            reversed,
            type_params: own.len(),
            params: self.concrete_all(&params, &substitution),
        }
    }

    /// The universal method with this signature.
    pub(crate) fn universal(&self, signature: &Signature) -> Option<Universal> {
        let matches = |it: &Universal| match it {
            Universal::Equals => signature.params == [Ty::any(self.db)],
            _ => signature.params.is_empty(),
        };
        Universal::ALL.into_iter().find(|it| it.name() == signature.name && matches(it))
    }

    /// The methods of instances of `ty`, a class or struct.
    pub(crate) fn layout(&mut self, ty: Ty) -> Rc<Layout> {
        if let Some(known) = self.layouts.get(&ty) {
            return known.clone();
        }
        let mut layout = match self.superclass(ty) {
            Some(superclass) if !self.too_deep(superclass) && superclass != ty => {
                (*self.layout(superclass)).clone()
            }
            _ => self.universal_layout(),
        };
        if let Some((class, _)) = ty.as_class(self.db) {
            for &method in methods(self.db, class) {
                self.add_method(&mut layout, method, ty);
            }
        }
        let layout = Rc::new(layout);
        self.layouts.insert(ty, layout.clone());
        layout
    }

    fn universal_layout(&self) -> Layout {
        let mut layout = Layout::default();
        for universal in Universal::ALL {
            let params = if universal == Universal::Equals { vec![Ty::any(self.db)] } else { Vec::new() };
            let name = SmolStr::new_static(universal.name());
            let signature = Signature { name, reversed: false, type_params: 0, params };
            layout.by_signature.insert(signature.clone(), universal.slot());
            let implementation = Implementation::Default(universal);
            layout.slots.push(Slot { introduced_by: None, signature, implementation });
        }
        layout
    }

    fn add_method(&mut self, layout: &mut Layout, method: MethodId, owner: Ty) {
        let db = self.db;
        let Some(item) = method_item(db, method) else { return };
        if item.kind.is_constructor() || method_is_static(db, method) {
            return;
        }
        let signature = self.signature(method, owner);
        let is_abstract = item.modifiers.has(Modifiers::ABSTRACT)
            || (!item.has_body && !item.modifiers.has(Modifiers::NATIVE));
        let callee = Callee { method, owner, type_args: Vec::new() };
        if signature.type_params > 0 {
            layout.generic.insert(signature, callee);
            return;
        }
        let implementation =
            if is_abstract { Implementation::Abstract } else { Implementation::Method(callee) };
        match layout.by_signature.get(&signature) {
            Some(&at) => {
                let slot = &mut layout.slots[at as usize];
                // An abstract redeclaration keeps the definition of a superclass or `Any`.
                if !is_abstract {
                    slot.implementation = implementation;
                }
            }
            None => {
                layout.by_signature.insert(signature.clone(), layout.slots.len() as u32);
                layout.slots.push(Slot { introduced_by: Some(owner), signature, implementation });
            }
        }
    }

    /// The implementation of a method, declared anywhere above, in a class or struct instance.
    pub(crate) fn implementation(&mut self, ty: Ty, signature: &Signature) -> Option<Implementation> {
        let layout = self.layout(ty);
        if let Some(&at) = layout.by_signature.get(signature) {
            return Some(layout.slots[at as usize].implementation.clone());
        }
        layout.generic.get(signature).cloned().map(Implementation::Method)
    }

    /// Whether calls of this instance method are direct because nothing can override it.
    pub(crate) fn is_final(&self, method: MethodId) -> bool {
        let db = self.db;
        let class = class_modifiers(db, method.class(db));
        method_item(db, method).is_some_and(|it| {
            it.modifiers.has(Modifiers::PRIVATE)
                || it.modifiers.has(Modifiers::FINAL)
                || class.has(Modifiers::FINAL)
        })
    }

    /// The instance fields that a class or struct declares itself, in memory order.
    pub(crate) fn own_fields(&self, ty: Ty) -> Vec<FieldId> {
        let db = self.db;
        let Some((class, _)) = ty.as_class(db) else { return Vec::new() };
        fields(db, class).iter().copied().filter(|it| !field_is_static(db, *it)).collect()
    }

    /// The concrete type of a field of `owner` (an instance of the class that declares it).
    pub(crate) fn field_of(&mut self, field: FieldId, owner: Ty) -> Ty {
        let substitution = self.class_substitution(owner);
        let ty = self.field_type(field);
        self.concrete(ty, &substitution)
    }

    /// The location of a field: the supertype of `object` that declares it, and its index among that class's
    /// own fields.
    pub(crate) fn locate_field(&mut self, object: Ty, field: FieldId) -> Option<(Ty, u32)> {
        let class = field.class(self.db);
        let owner = self.as_instance_of(object, class)?;
        let own = self.own_fields(owner);
        if let Some(index) = own.iter().position(|it| *it == field) {
            return Some((owner, index as u32));
        }
        self.captured_field(owner, field).map(|index| (owner, index))
    }

    /// The substitution inside a method of `owner` with these type arguments.
    pub(crate) fn method_substitution(&mut self, callee: &Callee) -> Substitution {
        let params = method_type_param_ids(self.db, callee.method);
        let substitution = self.class_substitution(callee.owner);
        substitution.with(params.iter().copied().zip(callee.type_args.iter().copied()))
    }
}
