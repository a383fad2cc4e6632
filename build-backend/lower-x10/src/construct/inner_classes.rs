//! Inner, local and anonymous classes: hidden fields hold the enclosing object and captured variables.

use std::sync::Arc;

use apg_analysis::program::body::ExprId;
use apg_analysis::program::body::{CapturedVariable, class_captures};
use apg_analysis::program::items::{ClassId, FieldId};
use apg_analysis::program::ty::Ty;
use apg_syntax::TextRange;

use crate::builder::function::Builder;
use crate::mono::instances::{ObjectField, immutable_field};
use crate::{LowerError, Lowerer};
use apg_mir::{self as mir, ExprKind};

/// The name of the hidden field for the enclosing object.
const OUTER_FIELD: &str = "$outer";

impl Lowerer<'_> {
    /// Whether a nested class has no enclosing object.
    pub(crate) fn is_static_class(&self, class: ClassId) -> bool {
        apg_analysis::program::items::is_static_class(self.db, class)
    }

    /// The type of the enclosing object of an inner class.
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

    /// The variables that objects of a local class capture.
    fn captures(&self, ty: Ty) -> Arc<Vec<CapturedVariable>> {
        ty.as_class(self.db).map(|(class, _)| class_captures(self.db, class).clone()).unwrap_or_default()
    }

    /// The hidden fields of a class, after its own.
    pub(crate) fn hidden_fields(&mut self, ty: Ty) -> Vec<ObjectField> {
        let mut fields = Vec::new();
        if let Some(outer) = self.outer_type(ty) {
            fields.push(immutable_field(OUTER_FIELD, self.machine(outer)));
        }
        for variable in self.captures(ty).iter() {
            let kept = self.field_of(variable.field, ty);
            fields.push(immutable_field(variable.field.name(self.db), self.machine(kept)));
        }
        fields
    }

    /// The hidden parameters of constructors, which come first.
    pub(crate) fn hidden_types(&mut self, ty: Ty) -> Vec<Ty> {
        let mut types: Vec<Ty> = self.outer_type(ty).into_iter().collect();
        for variable in self.captures(ty).iter() {
            types.push(self.field_of(variable.field, ty));
        }
        types
    }

    /// The index of the hidden field of a captured variable.
    pub(crate) fn captured_field(&mut self, owner: Ty, field: FieldId) -> Option<u32> {
        let position = self.captures(owner).iter().position(|it| it.field == field)?;
        let before = self.own_fields(owner).len() + usize::from(self.outer_type(owner).is_some());
        Some((before + position) as u32)
    }

    /// The field of the enclosing object: its type, the class instance that declares it, and its index.
    pub(crate) fn outer_field(&mut self, ty: Ty) -> Option<(Ty, Ty, u32)> {
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
    /// The hidden arguments of `new`: the enclosing object, `outer` if given, and captured variables. With
    /// `own` they are for another constructor of the object under construction, which cannot be an enclosing
    /// object yet.
    pub(crate) fn hidden_arguments(
        &mut self,
        ty: Ty,
        outer: Option<ExprId>,
        own: bool,
        range: TextRange,
    ) -> Vec<mir::Expr> {
        let mut values = Vec::new();
        if let Some(around) = self.lowerer.outer_type(ty) {
            let machine = self.lowerer.machine(around);
            let value = match outer {
                Some(outer) => {
                    let value = self.value_as(outer, around);
                    Some(crate::builder::operands::expr(machine, ExprKind::NonNull(Box::new(value))))
                }
                None => self.enclosing(around, own),
            };
            if value.is_none() {
                let name = self.lowerer.type_name(around);
                let error = LowerError::new("build/no-outer", format!("there is no enclosing {name} here"));
                self.error(
                    error.note("make the class `static`, or create it inside an instance method"),
                    range,
                );
            }
            values.push(value.unwrap_or_else(|| crate::builder::operands::zero(machine)));
        }
        for variable in self.lowerer.captures(ty).iter() {
            let kept = self.lowerer.field_of(variable.field, ty);
            let value = self.captured(*variable, kept, range);
            values.push(value);
        }
        values
    }

    /// A captured variable: the variable itself, or the value captured by an enclosing object.
    fn captured(&mut self, variable: CapturedVariable, kept: Ty, range: TextRange) -> mir::Expr {
        if self.source.owner == Some(variable.owner)
            && let Some(value) = self.read_variable(variable.local)
        {
            let declared = self.variable_type(variable.local);
            return self.convert(value, declared, kept);
        }
        let mut around = self.source.this.zip(self.this.map(|this| self.local(this)));
        while let Some((ty, value)) = around {
            let same = |it: &&CapturedVariable| it.owner == variable.owner && it.local == variable.local;
            if let Some(found) = self.lowerer.captures(ty).iter().find(same)
                && let Some(index) = self.lowerer.captured_field(ty, found.field)
            {
                let declared = self.lowerer.field_of(found.field, ty);
                let value = self.load(value, ty, index, declared, false);
                return self.convert(value, declared, kept);
            }
            around = self.lowerer.outer_field(ty).map(|(next, owner, index)| {
                let value = self.load(value, owner, index, next, false);
                (next, value)
            });
        }
        let name = variable.field.name(self.lowerer.db).trim_start_matches('$').to_owned();
        let error = LowerError::new("build/unbound", format!("the variable {name} is not at hand here"));
        self.error(error.note("this is a defect of apg; please report the program"), range);
        let machine = self.lowerer.machine(kept);
        crate::builder::operands::zero(machine)
    }

    /// `this` or an enclosing object of type `outer`; with `own` only an enclosing one.
    fn enclosing(&mut self, outer: Ty, own: bool) -> Option<mir::Expr> {
        let (class, _) = outer.as_class(self.lowerer.db)?;
        let mut ty = self.source.this?;
        let mut value = self.local(self.this?);
        if own {
            let (next, owner, index) = self.lowerer.outer_field(ty)?;
            value = self.load(value, owner, index, next, false);
            ty = next;
        }
        while self.lowerer.as_instance_of(ty, class).is_none() {
            let (next, owner, index) = self.lowerer.outer_field(ty)?;
            value = self.load(value, owner, index, next, false);
            ty = next;
        }
        let machine = self.lowerer.machine(outer);
        Some(self.retype(value, machine))
    }

    /// Declares the hidden parameters of a constructor.
    pub(crate) fn declare_hidden(&mut self, owner: Ty) -> Vec<mir::LocalId> {
        let fields = self.lowerer.hidden_fields(owner);
        fields.into_iter().map(|(field, _)| self.new_local(field.name, field.ty, false)).collect()
    }

    /// Stores the hidden parameters in their fields.
    pub(crate) fn store_hidden(&mut self, owner: Ty, hidden: &[mir::LocalId]) {
        let first = self.lowerer.own_fields(owner).len() as u32;
        for (i, local) in hidden.iter().enumerate() {
            let value = self.local(*local);
            self.store_own_field(owner, first + i as u32, value);
        }
    }
}
