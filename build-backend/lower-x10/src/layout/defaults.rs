//! Default implementations of the universal methods: `toString`, `equals`, `hashCode`, `typeName`.

use apg_analysis::program::ty::Ty;

use crate::Lowerer;
use crate::builder::function::{Builder, Returns};
use crate::builder::operands::{bool, expr, int, operation};
use crate::layout::slots::Universal;
use crate::mono::types::Shape;
use apg_mir::{self as mir, ExprKind, Operation, StmtKind as Out, slot};

/// The multiplier that combines the hashes of a struct's fields.
const HASH_FACTOR: i64 = 31;

impl Lowerer<'_> {
    /// Builds the default of a universal method for a class, struct or closure type.
    pub(crate) fn write_default(&mut self, universal: Universal, ty: Ty, id: mir::FunctionId) {
        let machine = match self.shape(ty) {
            Shape::Value => self.machine(ty),
            _ => mir::Ty::Any,
        };
        let string = Ty::string(self.db);
        let result = match universal {
            Universal::ToString | Universal::TypeName => self.machine(string),
            Universal::Equals => mir::Ty::Bool,
            Universal::HashCode => mir::Ty::I32,
        };
        let source = self.synthetic(None, ty);
        let name = format!("{}.{}", self.short_name(ty), universal.name());
        let mut builder = Builder::new(self, source, Returns::Value(ty));
        let this = builder.new_local("this", machine, false);
        let mut params = 1;
        if universal == Universal::Equals {
            builder.new_local("that", mir::Ty::Any, false);
            params = 2;
        }
        let this = builder.local(this);
        let value = match (universal, builder.lowerer.shape(ty)) {
            // Shared by all classes: the class is read from the object.
            (Universal::TypeName, _) if builder.lowerer.is_any(ty) => {
                builder.runtime("object_type_name", vec![this], result)
            }
            (Universal::TypeName, _) => expr(result, ExprKind::String(builder.lowerer.type_name(ty).into())),
            (Universal::ToString, Shape::Value) => builder.struct_text(this, ty, result),
            (Universal::ToString, _) => builder.object_text(this, ty, result),
            (Universal::Equals, Shape::Value) => builder.struct_equals(this, ty),
            (Universal::Equals, _) => {
                let that = builder.local(mir::LocalId(1));
                operation(Operation::Eq, mir::Ty::Bool, vec![this, that])
            }
            (Universal::HashCode, Shape::Value) => builder.struct_hash(this, ty),
            (Universal::HashCode, _) => builder.runtime("identity_hash", vec![this], mir::Ty::I32),
        };
        builder.push(Out::Return(Some(value)));
        builder.finish(id, name, params, result);
    }
}

impl Builder<'_, '_> {
    /// "Type@hash", or the type of a function.
    fn object_text(&mut self, this: mir::Expr, ty: Ty, machine: mir::Ty) -> mir::Expr {
        if self.lowerer.is_any(ty) {
            return self.runtime("object_to_string", vec![this], machine);
        }
        expr(machine, ExprKind::String(self.lowerer.type_name(ty).into()))
    }

    /// "struct Type: a=1 b=2".
    fn struct_text(&mut self, this: mir::Expr, ty: Ty, machine: mir::Ty) -> mir::Expr {
        let name = format!("struct {}:", self.lowerer.type_name(ty));
        let mut parts = vec![expr(machine, ExprKind::String(name.into()))];
        for (index, field) in self.lowerer.own_fields(ty).into_iter().enumerate() {
            let field_ty = self.lowerer.field_of(field, ty);
            let label = format!(" {}=", field.name(self.lowerer.db));
            parts.push(expr(machine, ExprKind::String(label.into())));
            let value = self.load(this.clone(), ty, index as u32, field_ty, false);
            let text = self.string_of_value(value, field_ty);
            parts.push(self.save(text));
        }
        self.join(parts)
    }

    /// A value of the same struct with equal fields.
    fn struct_equals(&mut self, this: mir::Expr, ty: Ty) -> mir::Expr {
        let any = Ty::any(self.lowerer.db);
        let that = self.local(mir::LocalId(1));
        let is_same = self.instance_of(that.clone(), any, ty);
        let not = operation(Operation::Not, mir::Ty::Bool, vec![is_same]);
        let (then, ()) = self.nested(|it| it.push(Out::Return(Some(bool(false)))));
        self.push(Out::If { condition: not, then, otherwise: Vec::new() });
        let that = self.convert(that, any, ty);
        self.equal_values(this, ty, that, ty)
    }

    fn struct_hash(&mut self, this: mir::Expr, ty: Ty) -> mir::Expr {
        let mut hash = int(mir::Ty::I32, 1);
        for (index, field) in self.lowerer.own_fields(ty).into_iter().enumerate() {
            let field_ty = self.lowerer.field_of(field, ty);
            let value = self.load(this.clone(), ty, index as u32, field_ty, false);
            let own = self.hash_of(value, field_ty);
            let scaled = operation(Operation::Mul, mir::Ty::I32, vec![hash, int(mir::Ty::I32, HASH_FACTOR)]);
            hash = operation(Operation::Add, mir::Ty::I32, vec![scaled, own]);
            hash = self.save(hash);
        }
        hash
    }

    /// The hash of a field's value; 0 for null.
    fn hash_of(&mut self, value: mir::Expr, ty: Ty) -> mir::Expr {
        if self.lowerer.shape(ty) == Shape::Value {
            let layout = self.lowerer.layout(ty);
            let found = layout.slots[slot::HASH_CODE as usize].implementation.clone();
            if let crate::layout::slots::Implementation::Method(callee) = found {
                let result = self.lowerer.concrete_signature(&callee).1;
                return self.call_static(&callee, vec![value], result, Default::default());
            }
            let key = crate::FunctionKey::Default(Universal::HashCode, ty);
            let function = self.lowerer.function(key);
            return expr(mir::Ty::I32, ExprKind::Call { function, args: vec![value] });
        }
        let value = self.save(value);
        let value = self.as_any(value);
        let class = self.lowerer.root();
        self.lowerer.live_slots.insert((None, slot::HASH_CODE));
        let is_null =
            operation(Operation::Eq, mir::Ty::Bool, vec![value.clone(), expr(mir::Ty::Any, ExprKind::Null)]);
        let call = ExprKind::CallVirtual { class, slot: slot::HASH_CODE, args: vec![value] };
        let (then, otherwise) = (int(mir::Ty::I32, 0), expr(mir::Ty::I32, call));
        let (condition, then, otherwise) = (Box::new(is_null), Box::new(then), Box::new(otherwise));
        expr(mir::Ty::I32, ExprKind::Select { condition, then, otherwise })
    }
}
