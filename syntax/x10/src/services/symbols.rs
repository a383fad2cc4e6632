//! Document symbols: the outline of a file.

use smol_str::SmolStr;

use crate::ast::{
    AstNode, ConstructorDecl, FieldDecl, HasFormals, HasName, HasTypeParams, Member, MethodDecl, Name,
    OperatorDecl, PointPattern, Property, SourceFile,
};
use crate::syntax_node::SyntaxNode;
use apg_source::TextRange;

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name; `this` of a constructor, `operator+` of an operator.
    pub name: SmolStr,
    /// Its signature, as written.
    pub detail: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it.
    pub range: TextRange,
    /// Its name.
    pub name_range: TextRange,
    /// Its members.
    pub children: Vec<Symbol>,
}

/// What a symbol declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after X10's constructs")]
pub enum SymbolKind {
    Class,
    Struct,
    Interface,
    TypeDef,
    Property,
    Field,
    Method,
    Constructor,
    Operator,
}

/// The declarations of a file, nested as they are.
pub fn document_symbols(file: &SourceFile) -> Vec<Symbol> {
    file.syntax().children().filter_map(Member::cast).flat_map(symbols).collect()
}

fn symbols(member: Member) -> Vec<Symbol> {
    match member {
        Member::ClassDecl(it) => type_symbol(&it, SymbolKind::Class, it.properties(), it.members()),
        Member::StructDecl(it) => type_symbol(&it, SymbolKind::Struct, it.properties(), it.members()),
        Member::InterfaceDecl(it) => type_symbol(&it, SymbolKind::Interface, it.properties(), it.members()),
        Member::TypeDef(it) => {
            let detail = it.ty().map(|it| it.to_string());
            it.name().map(|name| symbol(it.syntax(), name, detail, SymbolKind::TypeDef)).into_iter().collect()
        }
        Member::FieldDecl(it) => fields(&it),
        Member::MethodDecl(it) => method(&it).into_iter().collect(),
        Member::ConstructorDecl(it) => constructor(&it).into_iter().collect(),
        Member::OperatorDecl(it) => operator(&it).into_iter().collect(),
        Member::EmptyDecl(_) => Vec::new(),
    }
}

fn symbol(node: &SyntaxNode, name: Name, detail: Option<String>, kind: SymbolKind) -> Symbol {
    Symbol {
        name: name.text(),
        detail,
        kind,
        range: node.text_range(),
        name_range: name.range(),
        children: Vec::new(),
    }
}

fn type_symbol<N: HasName + HasTypeParams>(
    node: &N,
    kind: SymbolKind,
    properties: impl Iterator<Item = Property>,
    members: impl Iterator<Item = Member>,
) -> Vec<Symbol> {
    let Some(name) = node.name() else { return Vec::new() };
    let detail = node.type_param_list().map(|it| it.to_string());
    let mut result = symbol(node.syntax(), name, detail, kind);
    result.children.extend(properties.filter_map(|it| {
        let detail = it.ty().map(|it| it.to_string());
        Some(symbol(it.syntax(), it.name()?, detail, SymbolKind::Property))
    }));
    result.children.extend(members.flat_map(symbols));
    vec![result]
}

fn fields(field: &FieldDecl) -> Vec<Symbol> {
    let declarators = field.declarators();
    declarators
        .flat_map(|it| {
            let detail = it.ty().map(|it| it.to_string());
            let names: Vec<Name> = it
                .name()
                .into_iter()
                .chain(it.point_pattern().iter().flat_map(PointPattern::names))
                .collect();
            names
                .into_iter()
                .map(move |name| symbol(field.syntax(), name, detail.clone(), SymbolKind::Field))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// `(x:T):U`
fn signature(node: &impl HasFormals) -> Option<String> {
    let formals: Vec<_> = node.formals().map(|it| it.to_string()).collect();
    let result = node.result_type().map(|it| it.to_string()).unwrap_or_default();
    Some(format!("({}){result}", formals.join(", ")))
}

fn method(it: &MethodDecl) -> Option<Symbol> {
    Some(symbol(it.syntax(), it.name()?, signature(it), SymbolKind::Method))
}

fn constructor(it: &ConstructorDecl) -> Option<Symbol> {
    Some(Symbol {
        name: SmolStr::new_static("this"),
        detail: signature(it),
        kind: SymbolKind::Constructor,
        range: it.range(),
        name_range: it.this_token()?.text_range(),
        children: Vec::new(),
    })
}

fn operator(it: &OperatorDecl) -> Option<Symbol> {
    Some(Symbol {
        name: it.method_name()?,
        detail: signature(it),
        kind: SymbolKind::Operator,
        range: it.range(),
        name_range: it.name_token()?.text_range(),
        children: Vec::new(),
    })
}
