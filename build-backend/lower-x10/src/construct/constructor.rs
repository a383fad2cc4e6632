//! Construction of objects and structs: constructors, field initialisers, properties.

use apg_analysis::program::body::{ExprId, StmtId, StmtKind};
use apg_analysis::program::items::MethodKind;
use apg_analysis::program::items::{FieldId, MethodId};
use apg_analysis::program::items::{method_item, methods};
use apg_analysis::program::ty::Ty;
use apg_syntax::TextRange;

use crate::builder::function::{Builder, Returns};
use crate::builder::operands::{expr, zero};
use crate::mono::types::Shape;
use crate::{Callee, FunctionKey, Lowerer};
use apg_mir::{self as mir, ExprKind};

impl Builder<'_, '_> {
    /// `new C[T](args)` and `S[T](args)`; `ty` is the type of the expression.
    pub(crate) fn construct(
        &mut self,
        ty: Ty,
        outer: Option<ExprId>,
        constructor: MethodId,
        args: &[ExprId],
        range: TextRange,
    ) -> mir::Expr {
        let callee = Callee { method: constructor, owner: ty, type_args: Vec::new() };
        let (params, _) = self.lowerer.concrete_signature(&callee);
        let first = self.hidden_arguments(ty, outer, false, range);
        let operands: Vec<_> = args.iter().copied().zip(params).collect();
        self.at(range);
        let args = self.operands_after(first, &operands);
        self.at(range);
        if let Some(factory) = self.lowerer.factory(&callee) {
            let result = self.lowerer.concrete_signature(&factory).1;
            let value = self.call_static(&factory, args, result, range);
            return self.convert(value, result, ty);
        }
        let machine = self.lowerer.machine(ty);
        let key = if self.lowerer.shape(ty) == Shape::Value {
            FunctionKey::Constructor(callee)
        } else {
            let class = self.lowerer.class_of(ty);
            self.lowerer.instantiate(class);
            FunctionKey::Creation(callee)
        };
        let function = self.lowerer.function(key);
        expr(machine, ExprKind::Call { function, args })
    }

    /// The code of a constructor; `this` and the formals are declared.
    pub(crate) fn constructor_body(&mut self, owner: Ty, root: StmtId) {
        let stmts = self.top_statements(root);
        let delegates = stmts.iter().any(|it| {
            matches!(self.source.body.stmt(*it).kind, StmtKind::ConstructorCall { is_super: false, .. })
        });
        let calls = stmts
            .iter()
            .position(|it| matches!(self.source.body.stmt(*it).kind, StmtKind::ConstructorCall { .. }));
        let sets_properties =
            stmts.iter().position(|it| matches!(self.source.body.stmt(*it).kind, StmtKind::Property { .. }));
        if calls.is_none() {
            self.implicit_super_call(owner);
        }
        // Initialisers run after the superclass's constructor and the property assignment, which they may
        // use.
        let fields_after = sets_properties.or(calls);
        if !delegates && fields_after.is_none() {
            self.start_fields(owner);
        }
        for (i, stmt) in stmts.into_iter().enumerate() {
            self.stmt(stmt);
            if !delegates && fields_after == Some(i) {
                self.start_fields(owner);
            }
        }
    }

    /// The statements of a body, with its outermost blocks flattened.
    fn top_statements(&self, root: StmtId) -> Vec<StmtId> {
        match &self.source.body.stmt(root).kind {
            StmtKind::Block(stmts) => match stmts.as_slice() {
                [one] => self.top_statements(*one),
                _ => stmts.clone(),
            },
            _ => vec![root],
        }
    }

    fn implicit_super_call(&mut self, owner: Ty) {
        if self.lowerer.shape(owner) != Shape::Class {
            return;
        }
        let Some(superclass) = self.lowerer.superclass(owner) else { return };
        let Some(constructor) = self.lowerer.default_constructor(superclass) else { return };
        let hidden = self.hidden_arguments(superclass, None, true, Default::default());
        self.call_constructor(superclass, constructor, hidden);
    }

    fn call_constructor(&mut self, owner: Ty, constructor: MethodId, args: Vec<mir::Expr>) {
        let Some(this) = self.this else { return };
        let callee = Callee { method: constructor, owner, type_args: Vec::new() };
        let function = self.lowerer.function(FunctionKey::Constructor(callee));
        if self.lowerer.shape(owner) == Shape::Value {
            let machine = self.lowerer.machine(owner);
            self.set(this, expr(machine, ExprKind::Call { function, args }));
            return;
        }
        let machine = self.lowerer.machine(owner);
        let object = self.local(this);
        let mut all = vec![self.retype(object, machine)];
        all.extend(args);
        self.push(mir::StmtKind::Expr(expr(mir::Ty::Void, ExprKind::Call { function, args: all })));
    }

    /// `this(...)` and `super(...)`.
    pub(crate) fn constructor_call(
        &mut self,
        is_super: bool,
        outer: Option<ExprId>,
        constructor: MethodId,
        args: &[ExprId],
        range: TextRange,
    ) {
        let Some(own) = self.source.this else { return };
        let owner = if is_super { self.lowerer.superclass(own).unwrap_or(own) } else { own };
        let callee = Callee { method: constructor, owner, type_args: Vec::new() };
        let (params, _) = self.lowerer.concrete_signature(&callee);
        let operands: Vec<_> = args.iter().copied().zip(params).collect();
        let first = self.hidden_arguments(owner, outer, true, range);
        let all = self.operands_after(first, &operands);
        self.call_constructor(owner, constructor, all);
    }

    /// `property(a, b)`.
    pub(crate) fn set_properties(&mut self, fields: &[FieldId], values: &[ExprId]) {
        let Some(own) = self.source.this else { return };
        let mut places = Vec::new();
        let mut operands = Vec::new();
        for (field, value) in fields.iter().zip(values) {
            let Some((owner, index)) = self.lowerer.locate_field(own, *field) else { continue };
            let ty = self.lowerer.field_of(*field, owner);
            places.push((owner, index));
            operands.push((*value, ty));
        }
        let values = self.operands(&operands);
        for ((owner, index), value) in places.into_iter().zip(values) {
            self.store_own_field(owner, index, value);
        }
    }

    /// Runs the initialisers of the fields that the class itself declares.
    fn start_fields(&mut self, owner: Ty) {
        for (index, field) in self.lowerer.own_fields(owner).into_iter().enumerate() {
            if !self.lowerer.has_initializer(field) {
                continue;
            }
            let ty = self.lowerer.field_of(field, owner);
            let machine = self.lowerer.machine(ty);
            if self.lowerer.shape(ty) == Shape::Value
                && let Some(literal) = self.lowerer.literal_initialiser(field)
            {
                let value = self.literal(&literal, ty);
                // Fields are zero already.
                if !matches!(value.kind, ExprKind::Int(0)) {
                    self.store_own_field(owner, index as u32, value);
                }
                continue;
            }
            let function = self.lowerer.function(FunctionKey::FieldInitializer(field, owner));
            let Some(this) = self.this else { return };
            let args = vec![self.local(this)];
            let value = expr(machine, ExprKind::Call { function, args });
            self.store_own_field(owner, index as u32, value);
        }
    }
}

impl Lowerer<'_> {
    /// Builds the function that allocates an object and calls a constructor.
    pub(crate) fn write_create(&mut self, callee: &Callee, id: mir::FunctionId) {
        let owner = callee.owner;
        let (mut params, _) = self.concrete_signature(callee);
        let mut hidden = self.hidden_types(owner);
        hidden.append(&mut params);
        let initialise = self.function(FunctionKey::Constructor(callee.clone()));
        let class = self.class_of(owner);
        let machine = mir::Ty::Ref(class);
        let source = self.synthetic(Some(callee.method), owner);
        let name = format!("new {}", self.short_name(owner));
        let mut builder = Builder::new(self, source, Returns::Value(owner));
        let mut args = Vec::new();
        for (i, ty) in hidden.iter().enumerate() {
            let machine = builder.lowerer.machine(*ty);
            let local = builder.new_local(format!("p{i}"), machine, false);
            args.push(builder.local(local));
        }
        let this = builder.temporary(machine);
        builder.set(this, expr(machine, ExprKind::Allocate(class)));
        args.insert(0, builder.local(this));
        let call = expr(mir::Ty::Void, ExprKind::Call { function: initialise, args });
        builder.push(mir::StmtKind::Expr(call));
        let value = builder.local(this);
        builder.push(mir::StmtKind::Return(Some(value)));
        builder.finish(id, name, hidden.len() as u32, machine);
    }

    /// Builds a constructor. For a class it fills its first parameter; for a struct it returns the struct.
    pub(crate) fn write_initialise(&mut self, callee: &Callee, id: mir::FunctionId) {
        let owner = callee.owner;
        let is_struct = self.shape(owner) == Shape::Value;
        let returns = if is_struct { Returns::This } else { Returns::Value(Ty::void(self.db)) };
        let source = self.method_source(callee);
        let name = format!("{}.this", self.short_name(owner));
        let machine = self.machine(owner);
        let body = source.body.clone();
        let mut builder = Builder::new(self, source, returns);
        let mut count = body.params.len() as u32;
        if !is_struct {
            builder.this = Some(builder.new_local("this", machine, false));
            count += 1;
        }
        let hidden = builder.declare_hidden(owner);
        count += hidden.len() as u32;
        builder.declare_params(&body.params);
        if is_struct {
            let this = builder.new_local("this", machine, true);
            builder.this = Some(this);
            builder.constructs_struct = true;
            builder.set(this, zero(machine));
        }
        builder.store_hidden(owner, &hidden);
        match body.root {
            Some(root) => builder.constructor_body(owner, root),
            None => builder.automatic_constructor(owner, callee.method),
        }
        let result = if is_struct { machine } else { mir::Ty::Void };
        if let (true, Some(this)) = (is_struct, builder.this) {
            let value = builder.local(this);
            builder.push(mir::StmtKind::Return(Some(value)));
        }
        builder.finish(id, name, count, result);
    }

    /// The constructor without parameters.
    fn default_constructor(&mut self, owner: Ty) -> Option<MethodId> {
        let (class, _) = owner.as_class(self.db)?;
        let found = methods(self.db, class).iter().copied().find(|it| {
            method_item(self.db, *it).is_some_and(|it| it.kind.is_constructor() && it.params.is_empty())
        })?;
        let automatic =
            method_item(self.db, found).is_some_and(|it| it.kind == MethodKind::AutomaticConstructor);
        let properties = apg_analysis::program::items::properties(self.db, class);
        (!automatic || properties.is_empty()).then_some(found)
    }

    /// The static method that replaces a constructor marked `@Factory`.
    fn factory(&mut self, callee: &Callee) -> Option<Callee> {
        let db = self.db;
        let item = method_item(db, callee.method)?;
        let name = apg_analysis::program::items::annotation_string(&item.annotations, "Factory")?;
        let (class, args) = callee.owner.as_class(db)?;
        let wanted = self.param_types(callee.method);
        let own = apg_analysis::program::items::type_param_ids(db, class).to_vec();
        let args = args[..own.len().min(args.len())].to_vec();
        let candidates = apg_analysis::program::items::own_methods(db, class, name).to_vec();
        candidates.into_iter().find_map(|method| {
            // Compared before the arguments are known: `T` of the class against `T` of the method.
            let params = apg_analysis::program::items::method_type_param_ids(db, method).to_vec();
            let same = params.iter().copied().zip(own.iter().map(|it| Ty::param(db, *it)));
            let substitution = crate::mono::types::Substitution::new(same);
            let types = self.param_types(method);
            let types = self.concrete_all(&types, &substitution);
            let plain = self.concrete_all(&wanted, &Default::default());
            (types == plain).then(|| Callee {
                method,
                owner: Ty::class(db, class, Vec::new()),
                type_args: args[..params.len().min(args.len())].to_vec(),
            })
        })
    }
}

impl Builder<'_, '_> {
    /// The implicit constructor of a class without one, which sets its properties.
    fn automatic_constructor(&mut self, owner: Ty, _constructor: MethodId) {
        self.implicit_super_call(owner);
        let Some((class, _)) = owner.as_class(self.lowerer.db) else { return };
        let params: Vec<_> = self.source.body.params.clone();
        for (field, param) in
            apg_analysis::program::items::properties(self.lowerer.db, class).into_iter().zip(params)
        {
            let Some((owner, index)) = self.lowerer.locate_field(owner, field) else { continue };
            let declared = self.lowerer.field_of(field, owner);
            let from = self.variable_type(param);
            if let Some(value) = self.read_variable(param) {
                let value = self.convert(value, from, declared);
                self.store_own_field(owner, index, value);
            }
        }
        self.start_fields(owner);
    }
}
