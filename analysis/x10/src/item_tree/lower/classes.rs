//! Lowering of classes, structs, interfaces and type definitions.

use std::sync::Arc;

use apg_syntax::ast::{
    self, AstNode, HasAnnotations, HasFormals, HasModifiers, HasName, HasTypeParams, Member,
};
use apg_syntax::{SyntaxKind, SyntaxNode, WalkEvent};
use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use super::members;
use super::types::TypeLowering;
use crate::item_tree::cfg::is_left_out;
use crate::item_tree::{
    BodyPosition, ClassHead, ClassItem, ClassKind, ClassPlace, ConstraintRef, FieldItem, MethodItem,
    MethodKind, Modifiers, TypeParamItem, TypedefItem,
};

/// A node that declares a class.
pub(super) enum ClassNode {
    Class(ast::ClassDecl),
    Struct(ast::StructDecl),
    Interface(ast::InterfaceDecl),
    Anonymous(ast::NewExpr),
}

impl ClassNode {
    pub(super) fn cast(node: &SyntaxNode) -> Option<ClassNode> {
        Some(match node.kind() {
            SyntaxKind::CLASS_DECL => ClassNode::Class(ast::ClassDecl::cast(node.clone())?),
            SyntaxKind::STRUCT_DECL => ClassNode::Struct(ast::StructDecl::cast(node.clone())?),
            SyntaxKind::INTERFACE_DECL => ClassNode::Interface(ast::InterfaceDecl::cast(node.clone())?),
            SyntaxKind::NEW_EXPR => {
                let new = ast::NewExpr::cast(node.clone())?;
                new.class_body()?;
                ClassNode::Anonymous(new)
            }
            _ => return None,
        })
    }
    pub(super) fn syntax(&self) -> &SyntaxNode {
        match self {
            ClassNode::Class(it) => it.syntax(),
            ClassNode::Struct(it) => it.syntax(),
            ClassNode::Interface(it) => it.syntax(),
            ClassNode::Anonymous(it) => it.syntax(),
        }
    }
    pub(super) fn properties(&self) -> Vec<ast::Property> {
        let list = match self {
            ClassNode::Class(it) => it.property_list(),
            ClassNode::Struct(it) => it.property_list(),
            ClassNode::Interface(it) => it.property_list(),
            ClassNode::Anonymous(_) => None,
        };
        list.into_iter().flat_map(|list| list.properties().collect::<Vec<_>>()).collect()
    }
    /// The members, without those excluded by conditional compilation.
    pub(super) fn members(&self) -> impl Iterator<Item = Member> {
        let body = match self {
            ClassNode::Class(it) => it.class_body(),
            ClassNode::Struct(it) => it.class_body(),
            ClassNode::Interface(it) => it.class_body(),
            ClassNode::Anonymous(it) => it.class_body(),
        };
        body.into_iter().flat_map(|body| body.members()).filter(|member| !is_left_out(member))
    }
}

/// A class without its members.
pub(super) fn lower_class_header(node: &ClassNode, lowering: &mut TypeLowering) -> ClassHead {
    let mut item = ClassHead {
        name: SmolStr::default(),
        nth: 0,
        kind: ClassKind::Class,
        place: ClassPlace::Member,
        body: None,
        modifiers: Modifiers::default(),
        type_params: Vec::new(),
        guard: None,
        extends: None,
        implements: Vec::new(),
        nested: Vec::new(),
        typedefs: Vec::new(),
        annotations: Vec::new(),
        at: 0,
    };
    match node {
        ClassNode::Class(it) => {
            declared_header(it, it.guard(), &mut item, lowering);
            item.extends = it.extends_clause().and_then(|c| c.types().next()).map(|t| lowering.ty(&t));
            item.implements = lower_types(it.implements_clause().map(|c| c.types()), lowering);
        }
        ClassNode::Struct(it) => {
            item.kind = ClassKind::Struct;
            declared_header(it, it.guard(), &mut item, lowering);
            item.implements = lower_types(it.implements_clause().map(|c| c.types()), lowering);
        }
        ClassNode::Interface(it) => {
            item.kind = ClassKind::Interface;
            declared_header(it, it.guard(), &mut item, lowering);
            item.implements = lower_types(it.extends_clause().map(|c| c.types()), lowering);
        }
        ClassNode::Anonymous(it) => {
            item.place = ClassPlace::Anonymous;
            let named = it.named_type();
            item.at =
                lowering.mark(named.as_ref().map_or(it.syntax().text_range(), |n| n.syntax().text_range()));
            item.extends = named.map(|n| lowering.named(&n));
        }
    }
    item
}

fn lower_types(
    types: Option<impl Iterator<Item = ast::Type>>,
    lowering: &mut TypeLowering,
) -> Vec<crate::item_tree::TypeRef> {
    types.into_iter().flatten().map(|t| lowering.ty(&t)).collect()
}

fn declared_header<N: HasName + HasModifiers + HasAnnotations + HasTypeParams>(
    node: &N,
    guard: Option<ast::Guard>,
    item: &mut ClassHead,
    lowering: &mut TypeLowering,
) {
    let name = node.name();
    item.at = lowering.mark(name.as_ref().map_or(node.syntax().text_range(), |n| n.syntax().text_range()));
    item.name = name.map(|n| n.text()).unwrap_or_default();
    item.modifiers = members::modifiers(node.modifier_list());
    item.annotations = members::annotations(node.annotations(), lowering);
    item.type_params = type_params(node);
    item.guard = lower_guard(guard, lowering);
}

pub(super) fn lower_guard(guard: Option<ast::Guard>, lowering: &mut TypeLowering) -> Option<ConstraintRef> {
    guard.map(|g| lowering.constraint(g.exprs()))
}

pub(super) fn type_params(node: &impl HasTypeParams) -> Vec<TypeParamItem> {
    node.type_params().map(|p| TypeParamItem { name: p.name_text().unwrap_or_default() }).collect()
}

/// A type definition.
pub(crate) fn lower_typedef(node: &ast::TypeDef, nth: u32, lowering: &mut TypeLowering) -> TypedefItem {
    let name = node.name();
    let at = lowering.mark(name.as_ref().map_or(node.syntax().text_range(), |n| n.syntax().text_range()));
    let params = members::params(node.formals(), lowering);
    let guard = lower_guard(HasFormals::guard(node), lowering);
    let target = lowering.ty_or_error(node.ty(), node.syntax());
    TypedefItem {
        name: name.map(|n| n.text()).unwrap_or_default(),
        nth,
        body: None,
        modifiers: members::modifiers(node.modifier_list()),
        type_params: type_params(node),
        params,
        guard,
        target,
        at,
    }
}

/// A class item whose members are being collected.
struct Draft {
    head: ClassHead,
    fields: Vec<Arc<FieldItem>>,
    methods: Vec<Arc<MethodItem>>,
    classes: Vec<Arc<ClassItem>>,
    /// Number of methods of each name so far.
    overloads: FxHashMap<SmolStr, u32>,
}

/// Lowers a class with its members; `position` is that of a local or anonymous class in its body.
pub(super) fn lower_class(node: &ClassNode, position: Option<BodyPosition>, items: &mut Vec<Arc<ClassItem>>) {
    let mut head = lower_class_header(node, &mut TypeLowering::default());
    if head.place == ClassPlace::Anonymous {
        let number = items.iter().filter(|c| c.place == ClassPlace::Anonymous).count() + 1;
        head.name = format_smolstr!("${number}");
    } else if position.is_some() {
        head.place = ClassPlace::Local;
    }
    head.body = position;
    head.nth = items.iter().filter(|c| c.name == head.name).count() as u32;
    let mut draft = Draft {
        head,
        fields: Vec::new(),
        methods: Vec::new(),
        classes: Vec::new(),
        overloads: FxHashMap::default(),
    };
    for property in node.properties() {
        draft.fields.push(Arc::new(members::lower_property(&property, &mut TypeLowering::default())));
    }
    for member in node.members() {
        draft.member(&member);
    }
    items.push(Arc::new(draft.finish()));
}

impl Draft {
    fn member(&mut self, member: &Member) {
        match member {
            Member::FieldDecl(field) => {
                for declarator in field.declarators() {
                    let lowered = members::lower_declarator(field, &declarator, &mut TypeLowering::default());
                    let owner = lowered.name.clone();
                    self.fields.push(Arc::new(lowered));
                    self.body_classes(declarator.syntax(), owner.clone(), 0);
                    if let Some(annotation) = members::restoring_annotation(field) {
                        let method =
                            members::lower_restorer(&annotation, &owner, &mut TypeLowering::default());
                        let name = method.name.clone();
                        self.methods.push(Arc::new(method));
                        self.body_classes(annotation.syntax(), name, 0);
                    }
                }
            }
            Member::MethodDecl(_) | Member::ConstructorDecl(_) | Member::OperatorDecl(_) => {
                let lowered = members::lower_member_node(member.syntax(), &mut TypeLowering::default());
                let Some(mut method) = lowered else { return };
                let count = self.overloads.entry(method.name.clone()).or_default();
                method.nth = *count;
                *count += 1;
                if self.head.kind == ClassKind::Interface && !method.has_body {
                    method.modifiers = method.modifiers.with(Modifiers::ABSTRACT);
                }
                let (owner, nth) = (method.name.clone(), method.nth);
                self.methods.push(Arc::new(method));
                self.body_classes(member.syntax(), owner, nth);
            }
            Member::TypeDef(typedef) => self.typedef(typedef, None),
            Member::ClassDecl(_) | Member::StructDecl(_) | Member::InterfaceDecl(_) => {
                let Some(node) = ClassNode::cast(member.syntax()) else { return };
                lower_class(&node, None, &mut self.classes);
            }
            Member::EmptyDecl(_) => {}
        }
    }

    /// Lowers the local and anonymous classes in the body of a member.
    fn body_classes(&mut self, node: &SyntaxNode, owner: SmolStr, nth: u32) {
        for (index, class) in local_class_nodes(node).iter().enumerate() {
            let Some(class) = ClassNode::cast(class) else { continue };
            let position = BodyPosition { owner: owner.clone(), nth, index: index as u32 };
            lower_class(&class, Some(position), &mut self.classes);
        }
        for (index, typedef) in local_typedef_nodes(node).into_iter().enumerate() {
            let Some(typedef) = ast::TypeDef::cast(typedef) else { continue };
            let position = BodyPosition { owner: owner.clone(), nth, index: index as u32 };
            self.typedef(&typedef, Some(position));
        }
    }

    fn typedef(&mut self, typedef: &ast::TypeDef, body: Option<BodyPosition>) {
        let name = typedef.name_text().unwrap_or_default();
        let nth = self.head.typedefs.iter().filter(|t| t.name == name).count() as u32;
        let lowered = lower_typedef(typedef, nth, &mut TypeLowering::default());
        self.head.typedefs.push(Arc::new(TypedefItem { body, ..lowered }));
    }

    fn finish(mut self) -> ClassItem {
        let declares_one = self.methods.iter().any(|m| m.kind.is_constructor());
        if !declares_one && self.head.kind != ClassKind::Interface {
            self.methods.push(Arc::new(automatic_constructor(&self.fields)));
        }
        self.head.nested = self.classes.iter().map(|class| class.head.clone()).collect();
        let Draft { head, fields, methods, classes, .. } = self;
        ClassItem { head: Arc::new(head), fields, methods, classes }
    }
}

/// The automatic constructor of a class or struct: its formals are the properties.
fn automatic_constructor(fields: &[Arc<FieldItem>]) -> MethodItem {
    let params = fields.iter().filter(|f| f.is_property).map(|p| crate::item_tree::ParamItem {
        name: Some(p.name.clone()),
        ty: p.ty.clone(),
        mutable: false,
        at: p.at,
    });
    MethodItem {
        name: SmolStr::new_static("this"),
        nth: 0,
        kind: MethodKind::AutomaticConstructor,
        modifiers: Modifiers::PUBLIC,
        type_params: Vec::new(),
        params: params.collect(),
        guard: None,
        result: None,
        offers: None,
        throws: Vec::new(),
        has_body: false,
        annotations: Vec::new(),
        at: 0,
    }
}

fn is_left_out_stmt(node: &SyntaxNode) -> bool {
    ast::Stmt::cast(node.clone()).is_some_and(|stmt| is_left_out(&stmt))
}

/// The nodes below `node` that declare a local or anonymous class, in source order, without those inside such
/// a class. [`BodyPosition::index`] is an index into this list.
pub(crate) fn local_class_nodes(node: &SyntaxNode) -> Vec<SyntaxNode> {
    // Fast path: most members declare none, and green nodes are much faster to search.
    if !apg_syntax::declares(&node.green()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut walk = node.preorder();
    while let Some(event) = walk.next() {
        let WalkEvent::Enter(inner) = event else { continue };
        if inner == *node {
            continue;
        }
        if is_left_out_stmt(&inner) {
            walk.skip_subtree();
        } else if ClassNode::cast(&inner).is_some() {
            found.push(inner);
            walk.skip_subtree();
        }
    }
    found
}

/// The type definition statements below `node`, in source order, without those inside a local or anonymous
/// class.
pub(crate) fn local_typedef_nodes(node: &SyntaxNode) -> Vec<SyntaxNode> {
    if !apg_syntax::declares(&node.green()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut walk = node.preorder();
    while let Some(event) = walk.next() {
        let WalkEvent::Enter(inner) = event else { continue };
        if inner == *node {
            continue;
        }
        if ClassNode::cast(&inner).is_some() || is_left_out_stmt(&inner) {
            walk.skip_subtree();
        } else if inner.kind() == SyntaxKind::TYPE_DEF {
            found.push(inner);
        }
    }
    found
}
