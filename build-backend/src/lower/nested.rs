//! Inner classes: objects that know the object around them, in a hidden last field.

use apg_analysis::ids::ClassId;
use apg_analysis::ty::Ty;
use apg_syntax::TextRange;

use super::function::Builder;
use super::program::field;
use super::{LowerError, Lowerer};
use crate::mir;

/// The name of the hidden field.
const OUTER: &str = "$outer";

impl Lowerer<'_> {
    /// Whether objects of a nested class stand alone.
    pub(super) fn is_static_class(&self, class: ClassId) -> bool {
        apg_analysis::members::is_static_class(self.db, class)
    }

    /// The type of the object around objects of an inner class.
    fn outer_type(&mut self, ty: Ty) -> Option<Ty> {
        let db = self.db;
        let (class, _) = ty.as_class(db)?;
        if self.is_static_class(class) {
            return None;
        }
        let outer = Ty::this_type(db, class.outer(db)?);
        let substitution = self.class_substitution(ty);
        Some(self.concrete(outer, &substitution))
    }

    /// The hidden fields of a class, after its own.
    pub(super) fn hidden_fields(&mut self, ty: Ty) -> Vec<mir::Field> {
        match self.outer_type(ty) {
            Some(outer) => vec![field(OUTER, self.machine(outer))],
            None => Vec::new(),
        }
    }

    /// What constructors of the class take first.
    pub(super) fn hidden_types(&mut self, ty: Ty) -> Vec<Ty> {
        self.outer_type(ty).into_iter().collect()
    }

    /// The object around an inner one: its type, and the class instance and index of the field that holds it.
    pub(super) fn outer_field(&mut self, ty: Ty) -> Option<(Ty, Ty, u32)> {
        let mut owner = ty;
        loop {
            if let Some(outer) = self.outer_type(owner) {
                return Some((outer, owner, self.own_fields(owner).len() as u32));
            }
            owner = self.superclass(owner)?;
        }
    }
}

impl Builder<'_, '_> {
    /// The hidden arguments of `new` for an inner class: the enclosing object.
    pub(super) fn hidden_arguments(&mut self, ty: Ty, range: TextRange) -> Vec<mir::Expr> {
        let Some(outer) = self.lowerer.outer_type(ty) else { return Vec::new() };
        match self.enclosing(outer) {
            Some(value) => vec![value],
            None => {
                let name = self.lowerer.type_name(outer);
                let error = LowerError::new("build/no-outer", format!("there is no enclosing {name} here"));
                self.error(
                    error.note("make the class `static`, or create it inside an instance method"),
                    range,
                );
                let machine = self.lowerer.machine(outer);
                vec![super::operands::zero(machine)]
            }
        }
    }

    /// The hidden arguments of a call of another constructor of the same object.
    pub(super) fn hidden_parameters(&mut self, owner: Ty) -> Vec<mir::Expr> {
        let Some(outer) = self.lowerer.outer_type(owner) else { return Vec::new() };
        self.enclosing(outer).into_iter().collect()
    }

    /// The object of type `outer` at or around `this`.
    fn enclosing(&mut self, outer: Ty) -> Option<mir::Expr> {
        let (class, _) = outer.as_class(self.lowerer.db)?;
        let mut ty = self.source.this?;
        let mut value = self.local(self.this?);
        while self.lowerer.as_instance_of(ty, class).is_none() {
            let (next, owner, index) = self.lowerer.outer_field(ty)?;
            value = self.load(value, owner, index, next, false);
            ty = next;
        }
        let machine = self.lowerer.machine(outer);
        Some(self.retype(value, machine))
    }

    /// Declares the hidden parameters of a constructor and stores them; gives their number.
    pub(super) fn declare_hidden(&mut self, owner: Ty) -> u32 {
        let Some(outer) = self.lowerer.outer_type(owner) else { return 0 };
        let machine = self.lowerer.machine(outer);
        let local = self.new_local(OUTER, machine, false);
        let value = self.local(local);
        let index = self.lowerer.own_fields(owner).len() as u32;
        self.store_own_field(owner, index, value);
        1
    }
}
