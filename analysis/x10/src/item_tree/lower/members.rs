//! Lowering of fields, methods, constructors and operators.

use apg_syntax::ast::{
    self, AstNode, HasAnnotations, HasBody, HasFormals, HasModifiers, HasName, HasTypeParams, LiteralValue,
    OperatorKind, ThisOperand,
};
use apg_syntax::{SyntaxNode, TextRange};
use smol_str::{SmolStr, format_smolstr};

use super::classes::{lower_guard, type_params};
use super::types::{TypeLowering, text_of};
use crate::item_tree::{
    AnnotationItem, FieldItem, MethodItem, MethodKind, Modifiers, ParamItem, RESTORER, TypeRef,
};

pub(super) fn modifiers(list: Option<ast::ModifierList>) -> Modifiers {
    let words = list.into_iter().flat_map(|l| l.modifiers().collect::<Vec<_>>());
    // A misspelt one is an error of the syntax, and meant all the same.
    const WORDS: [&str; 8] =
        ["public", "protected", "private", "static", "abstract", "final", "native", "transient"];
    let meant = |word: &str| {
        Modifiers::from_keyword(word)
            .or_else(|| apg_syntax::closest(word, WORDS.into_iter()).and_then(Modifiers::from_keyword))
    };
    words.filter_map(|t| meant(t.text())).fold(Modifiers::default(), Modifiers::with)
}

pub(super) fn annotations(
    list: impl Iterator<Item = ast::Annotation>,
    lowering: &mut TypeLowering,
) -> Vec<AnnotationItem> {
    list.filter_map(|annotation| {
        let named = annotation.named_type()?;
        let name = match named.qualified_name() {
            Some(names) => names.iter().map(|n| n.text()).collect::<Vec<_>>().join(".").into(),
            None => text_of(named.name_ref()?.syntax()),
        };
        let strings =
            annotation.arg_list().into_iter().flat_map(|l| l.exprs()).map(|arg| constant_text(&arg));
        let at = lowering.mark(named.name_ref()?.syntax().text_range());
        Some(AnnotationItem { name, at, strings: strings.collect() })
    })
    .collect()
}

/// The value of a string literal, or of a concatenation of string literals.
fn constant_text(expr: &ast::Expr) -> Option<SmolStr> {
    // `+` is left-associative: a loop from the last operand to the first avoids recursion.
    let mut parts = Vec::new();
    let mut at = expr.clone();
    loop {
        match at {
            ast::Expr::BinExpr(sum) if matches!(sum.op(), Some(ast::BinaryOp::Add)) => {
                let Some(ast::Expr::Literal(right)) = sum.rhs() else { return None };
                parts.push(right);
                at = sum.lhs()?;
            }
            ast::Expr::Literal(first) => {
                parts.push(first);
                break;
            }
            _ => return None,
        }
    }
    let text = |literal: &ast::Literal| match literal.value() {
        Some(LiteralValue::String(text)) => Some(text),
        _ => None,
    };
    match parts.as_slice() {
        [one] => text(one),
        _ => Some(parts.iter().rev().map(text).collect::<Option<Vec<_>>>()?.concat().into()),
    }
}

pub(super) fn params(
    formals: impl Iterator<Item = ast::Formal>,
    lowering: &mut TypeLowering,
) -> Vec<ParamItem> {
    formals
        .map(|formal| {
            let name = formal.name();
            let at = lowering
                .mark(name.as_ref().map_or(formal.syntax().text_range(), |n| n.syntax().text_range()));
            ParamItem {
                name: name.map(|n| n.text()),
                ty: formal.ty().map(|t| lowering.ty(&t)),
                mutable: formal.is_var(),
                at,
            }
        })
        .collect()
}

pub(super) fn lower_property(property: &ast::Property, lowering: &mut TypeLowering) -> FieldItem {
    let at = lowering.mark(name_range(property));
    FieldItem {
        name: property.name_text().unwrap_or_default(),
        is_property: true,
        mutable: false,
        modifiers: Modifiers::PUBLIC.with(Modifiers::FINAL),
        ty: Some(lowering.ty_or_error(property.ty(), property.syntax())),
        has_initializer: false,
        annotations: annotations(property.annotations(), lowering),
        at,
    }
}

fn name_range(node: &impl HasName) -> TextRange {
    node.name().map_or(node.syntax().text_range(), |n| n.syntax().text_range())
}

pub(super) fn lower_declarator(
    field: &ast::FieldDecl,
    declarator: &ast::Declarator,
    lowering: &mut TypeLowering,
) -> FieldItem {
    let at = lowering.mark(name_range(declarator));
    FieldItem {
        name: declarator.name_text().unwrap_or_default(),
        is_property: false,
        mutable: field.is_var(),
        modifiers: modifiers(field.modifier_list()),
        ty: declarator.ty().map(|t| lowering.ty(&t)),
        has_initializer: declarator.initializer().is_some(),
        annotations: annotations(field.annotations(), lowering),
        at,
    }
}

/// The `@TransientInitExpr` annotation of a transient field.
pub(super) fn restoring_annotation(field: &ast::FieldDecl) -> Option<ast::Annotation> {
    let transient = modifiers(field.modifier_list()).has(Modifiers::TRANSIENT);
    field.annotations().filter(|_| transient).find(|it| {
        let name = it.named_type().and_then(|named| named.qualified_name());
        name.and_then(|name| name.iter().last().map(|last| last.text() == "TransientInitExpr"))
            .unwrap_or(false)
    })
}

/// The argument of the annotation, as a method that computes the field's value.
pub(super) fn lower_restorer(
    annotation: &ast::Annotation,
    field: &SmolStr,
    lowering: &mut TypeLowering,
) -> MethodItem {
    MethodItem {
        name: format_smolstr!("{RESTORER}{field}"),
        nth: 0,
        kind: MethodKind::Restorer,
        modifiers: Modifiers::PRIVATE.with(Modifiers::FINAL),
        type_params: Vec::new(),
        params: Vec::new(),
        guard: None,
        result: None,
        offers: None,
        throws: Vec::new(),
        has_body: true,
        annotations: Vec::new(),
        at: lowering.mark(annotation.syntax().text_range()),
    }
}

/// A method, constructor or operator. A `Property` or `Declarator` is lowered only for its ranges.
pub(super) fn lower_member_node(node: &SyntaxNode, lowering: &mut TypeLowering) -> Option<MethodItem> {
    if let Some(method) = ast::MethodDecl::cast(node.clone()) {
        let kind = if method.is_property() { MethodKind::Property } else { MethodKind::Method };
        let name = method.name_text().unwrap_or_default();
        return Some(lower_method(&method, name, kind, name_range(&method), lowering));
    }
    if let Some(constructor) = ast::ConstructorDecl::cast(node.clone()) {
        let range = constructor.this_token().map_or(node.text_range(), |t| t.text_range());
        let name = SmolStr::new_static("this");
        return Some(lower_method(&constructor, name, MethodKind::Constructor, range, lowering));
    }
    if let Some(operator) = ast::OperatorDecl::cast(node.clone()) {
        return lower_operator(&operator, lowering);
    }
    if let Some(annotation) = ast::Annotation::cast(node.clone()) {
        return Some(lower_restorer(&annotation, &SmolStr::default(), lowering));
    }
    if let Some(property) = ast::Property::cast(node.clone()) {
        lower_property(&property, lowering);
    } else if let Some(declarator) = ast::Declarator::cast(node.clone()) {
        lowering.mark(name_range(&declarator));
        if let Some(ty) = declarator.ty() {
            lowering.ty(&ty);
        }
    }
    None
}

fn lower_operator(operator: &ast::OperatorDecl, lowering: &mut TypeLowering) -> Option<MethodItem> {
    let range = operator.name_token().map_or(operator.syntax().text_range(), |t| t.text_range());
    let form = operator.kind()?;
    let (kind, is_static) = match form {
        OperatorKind::Binary(_, ThisOperand::Right) => (MethodKind::BinaryRight, false),
        OperatorKind::Binary(_, this) => (MethodKind::Binary, this == ThisOperand::None),
        OperatorKind::Prefix(_, this) => (MethodKind::Unary, this == ThisOperand::None),
        OperatorKind::Apply => (MethodKind::Apply, false),
        OperatorKind::Set => (MethodKind::Set, false),
        OperatorKind::ExplicitConversion => (MethodKind::ExplicitConversion, true),
        OperatorKind::ImplicitConversion => (MethodKind::ImplicitConversion, true),
        OperatorKind::Keyword(_) => (MethodKind::Keyword, false),
    };
    let mut item = lower_method(operator, operator.method_name()?, kind, range, lowering);
    if is_static {
        if !item.modifiers.has(Modifiers::STATIC) {
            item.modifiers = item.modifiers.with(Modifiers::LACKS_STATIC);
        }
        item.modifiers = item.modifiers.with(Modifiers::STATIC);
    }
    // `operator (x:T) as U`: U is the result, unless one is given after it.
    if kind == MethodKind::ExplicitConversion
        && let Some(target) = operator.target()
    {
        let target = lowering.ty(&target);
        item.result.get_or_insert(target);
    }
    Some(item)
}

/// Property methods are implicitly public: constraints may name them wherever the type is visible.
fn method_modifiers(kind: MethodKind, written: Modifiers) -> Modifiers {
    match kind {
        MethodKind::Property => {
            written.without(Modifiers::PRIVATE.with(Modifiers::PROTECTED)).with(Modifiers::PUBLIC)
        }
        _ => written,
    }
}

fn lower_method<N>(
    node: &N,
    name: SmolStr,
    kind: MethodKind,
    range: TextRange,
    lowering: &mut TypeLowering,
) -> MethodItem
where
    N: HasModifiers + HasAnnotations + HasTypeParams + HasFormals + HasBody,
{
    let at = lowering.mark(range);
    let params = params(node.formals(), lowering);
    let guard = lower_guard(node.guard(), lowering);
    let result = node.result_type().and_then(|r| r.ty()).map(|t| lowering.ty(&t));
    let offers = node.syntax().children().find_map(ast::OffersClause::cast).and_then(|c| c.ty());
    let offers = offers.map(|t| lowering.ty(&t));
    let throws: Vec<TypeRef> =
        node.throws_clause().into_iter().flat_map(|c| c.types()).map(|t| lowering.ty(&t)).collect();
    MethodItem {
        name,
        nth: 0,
        kind,
        modifiers: method_modifiers(kind, modifiers(node.modifier_list())),
        type_params: type_params(node),
        params,
        guard,
        result,
        offers,
        throws,
        has_body: node.body().is_some(),
        annotations: annotations(node.annotations(), lowering),
        at,
    }
}
