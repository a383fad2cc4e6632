//! Facade over the analysis: signatures, bodies, annotations and constants, with concrete types.

use std::rc::Rc;

use apg_analysis::program::body::Owner;
use apg_analysis::program::body::constant;
use apg_analysis::program::body::{Body, ExprKind, Literal, LocalId, StmtKind};
use apg_analysis::program::items::{ClassId, FieldId, MethodId};
use apg_analysis::program::items::{Item, item_offset, name_range};
use apg_analysis::program::items::{Modifiers, annotation_string};
use apg_analysis::program::items::{class_header, field_type, method_signature};
use apg_analysis::program::items::{field_item, method_item, qualified_name};
use apg_analysis::program::kernel::kernels;
use apg_analysis::program::ty::Ty;
use smol_str::SmolStr;

use crate::builder::function::{Code, Source, shared_variables};
use crate::mono::types::Substitution;
use crate::{Callee, LowerError, Lowerer};

impl Lowerer<'_> {
    /// The declared supertypes of a class in terms of its own parameters, the superclass first.
    pub(crate) fn supertypes_of(&self, class: ClassId) -> Vec<Ty> {
        class_header(self.db, class).supers.clone()
    }

    /// The types of a method's formals, in terms of its and its class's parameters.
    pub(crate) fn param_types(&self, method: MethodId) -> Vec<Ty> {
        method_signature(self.db, method).params.iter().map(|it| it.ty).collect()
    }

    /// Concrete types of formals and result. The result of a constructor is the object.
    pub(crate) fn concrete_signature(&mut self, callee: &Callee) -> (Vec<Ty>, Ty) {
        let substitution = self.method_substitution(callee);
        let params = self.param_types(callee.method);
        let params = self.concrete_all(&params, &substitution);
        if method_item(self.db, callee.method).is_some_and(|it| it.kind.is_constructor()) {
            return (params, callee.owner);
        }
        let result = apg_analysis::program::items::result_type(self.db, callee.method);
        (params, self.concrete(result, &substitution))
    }

    /// The declared or inferred type of a field.
    pub(crate) fn field_type(&self, field: FieldId) -> Ty {
        field_type(self.db, field)
    }

    /// The concrete type of a static field.
    pub(crate) fn static_type(&mut self, field: FieldId) -> Ty {
        let ty = self.field_type(field);
        self.concrete(ty, &Substitution::default())
    }

    pub(crate) fn has_initializer(&self, field: FieldId) -> bool {
        field_item(self.db, field).is_some_and(|it| it.has_initializer)
    }

    /// The value of a constant static `val`.
    pub(crate) fn constant(&self, field: FieldId) -> Option<Literal> {
        if field_item(self.db, field)?.mutable {
            return None;
        }
        self.literal_initialiser(field).or_else(|| constant::field_value(self.db, field).filter(is_plain))
    }

    /// The value of a constant `val` of a body.
    pub(crate) fn constant_local(&self, body: &Body, local: LocalId) -> Option<Literal> {
        constant::local_value(self.db, body, local).filter(is_plain)
    }

    /// The initialiser of a field, if it is a literal other than a string.
    pub(crate) fn literal_initialiser(&self, field: FieldId) -> Option<Literal> {
        if !self.has_initializer(field) {
            return None;
        }
        let code = apg_analysis::program::body::field_init_body(self.db, field)?;
        let body = &code.body;
        let mut stmt = body.root?;
        loop {
            match &body.stmt(stmt).kind {
                StmtKind::Block(stmts) => match stmts.as_slice() {
                    [one] => stmt = *one,
                    _ => return None,
                },
                StmtKind::Return(Some(value)) => match &body.expr(*value).kind {
                    ExprKind::Literal(literal) if is_plain(literal) => return Some(literal.clone()),
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// The name in `@Intrinsic("...")`.
    pub(crate) fn intrinsic(&self, method: MethodId) -> Option<SmolStr> {
        let item = method_item(self.db, method)?;
        if !item.modifiers.has(Modifiers::NATIVE) {
            return None;
        }
        annotation_string(&item.annotations, "Intrinsic").cloned()
    }

    /// The code of a method or constructor.
    pub(crate) fn method_source(&mut self, callee: &Callee) -> Source {
        let body = Code(Some(apg_analysis::program::body::body(self.db, callee.method)));
        let owner = Owner::Method(callee.method);
        let substitution = self.method_substitution(callee);
        let name = format!("{}.{}", callee.owner_name(self), callee.method.name(self.db));
        self.source(owner, body, substitution, Some(callee.owner), name)
    }

    /// The initialiser of a field.
    pub(crate) fn field_source(&mut self, field: FieldId, owner: Option<Ty>) -> Source {
        let body = Code(apg_analysis::program::body::field_init_body(self.db, field));
        let substitution = owner.map(|it| self.class_substitution(it)).unwrap_or_default();
        let name = format!("{}.{}", field.class(self.db).name(self.db), field.name(self.db));
        self.source(Owner::Field(field), body, substitution, owner, name)
    }

    fn source(
        &mut self,
        owner: Owner,
        body: Code,
        substitution: Substitution,
        this: Option<Ty>,
        name: String,
    ) -> Source {
        let item = match owner {
            Owner::Method(method) => Item::Method(method),
            Owner::Field(field) => Item::Field(field),
        };
        let file = item.file(self.db);
        let shared = Rc::new(shared_variables(&body));
        Source {
            substitution,
            file,
            lines: self.lines(file),
            base: item_offset(self.db, item).into(),
            owner: Some(owner),
            this,
            shared,
            kernels: kernels(self.db, owner).clone(),
            name: SmolStr::new(name),
            body,
        }
    }

    /// The position of a function without code in the source: that of `method`, else of the class.
    pub(crate) fn synthetic(&mut self, method: Option<MethodId>, ty: Ty) -> Source {
        let class = ty.as_class(self.db).map_or(self.any_class, |it| it.0);
        let item = method.map_or(Item::Class(class), Item::Method);
        let file = item.file(self.db);
        Source {
            body: Default::default(),
            substitution: Substitution::default(),
            file,
            lines: self.lines(file),
            base: item_offset(self.db, item).into(),
            owner: None,
            this: Some(ty),
            shared: Default::default(),
            kernels: Default::default(),
            name: self.short_name(ty),
        }
    }

    /// An error at the name of the class of a type.
    pub(crate) fn at_class(&self, error: LowerError, ty: Ty) -> LowerError {
        match ty.as_class(self.db) {
            Some((class, _)) => {
                let item = Item::Class(class);
                error.at(item.file(self.db), name_range(self.db, item))
            }
            None => error,
        }
    }

    /// An error at the name of a method.
    pub(crate) fn at_method(&self, error: LowerError, method: MethodId) -> LowerError {
        let item = Item::Method(method);
        error.at(item.file(self.db), name_range(self.db, item))
    }
}

impl Callee {
    fn owner_name(&self, lowerer: &Lowerer<'_>) -> SmolStr {
        let class = self.method.class(lowerer.db);
        qualified_name(lowerer.db, class)
    }
}

/// Whether a literal is a constant.
fn is_plain(literal: &Literal) -> bool {
    !matches!(literal, Literal::String(_) | Literal::Null)
}
