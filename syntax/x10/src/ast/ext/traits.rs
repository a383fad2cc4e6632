//! Traits of nodes with common parts: names, modifiers, formals, bodies.

use smol_str::SmolStr;

use crate::ast::generated::enums::*;
use crate::ast::generated::nodes::*;
use crate::ast::node::AstNode;
use crate::ast::support::{AstChildren, child, children, token};
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxElement, SyntaxToken};

/// The name without the backquotes that it may be written in.
fn plain(token: SyntaxToken) -> SmolStr {
    let text = token.text();
    SmolStr::new(text.strip_prefix('`').and_then(|it| it.strip_suffix('`')).unwrap_or(text))
}

impl Name {
    /// The name, without backquotes; empty in a broken tree.
    pub fn text(&self) -> SmolStr {
        self.ident_token().map(plain).unwrap_or_default()
    }
}

impl NameRef {
    /// The name, without backquotes; empty in a broken tree.
    pub fn text(&self) -> SmolStr {
        self.ident_token().map(plain).unwrap_or_default()
    }
}

/// Nodes that declare a name.
pub trait HasName: AstNode {
    /// The name.
    fn name(&self) -> Option<Name> {
        child(self.syntax())
    }
    /// Its text.
    fn name_text(&self) -> Option<SmolStr> {
        self.name().map(|it| it.text())
    }
}

/// Declarations with modifiers and annotations.
pub trait HasModifiers: AstNode {
    /// The modifiers and annotations before the declaration.
    fn modifier_list(&self) -> Option<ModifierList> {
        child(self.syntax())
    }
    /// Whether it has this modifier: `has_modifier(T![static])`.
    fn has_modifier(&self, kind: SyntaxKind) -> bool {
        self.modifier_list().is_some_and(|it| token(it.syntax(), kind).is_some())
    }
}

impl ModifierList {
    /// The modifiers that are words, misspelt ones too.
    pub fn modifiers(&self) -> impl Iterator<Item = SyntaxToken> {
        self.0
            .children_with_tokens()
            .filter_map(SyntaxElement::into_token)
            .filter(|it| it.kind().is_keyword() || it.kind() == SyntaxKind::IDENT)
    }
}

/// Anything that may be annotated.
pub trait HasAnnotations: AstNode {
    /// The annotations, of the modifier list or the node itself.
    fn annotations(&self) -> AstChildren<Annotation> {
        match child::<ModifierList>(self.syntax()) {
            Some(list) => children(list.syntax()),
            None => children(self.syntax()),
        }
    }
    /// Whether it has an annotation whose type's last name is `name`.
    fn has_annotation(&self, name: &str) -> bool {
        self.annotations().any(|it| it.simple_name().is_some_and(|it| it == name))
    }
}

impl Annotation {
    /// The last name of its type: `CUDA` of `@x10.compiler.CUDA`.
    pub fn simple_name(&self) -> Option<SmolStr> {
        Some(self.named_type()?.name_ref()?.text())
    }
    /// Its arguments.
    pub fn arg_list(&self) -> Option<ArgList> {
        self.named_type()?.arg_list()
    }
}

/// Declarations with type parameters.
pub trait HasTypeParams: AstNode {
    /// `[T, U]`
    fn type_param_list(&self) -> Option<TypeParamList> {
        child(self.syntax())
    }
    /// The type parameters.
    fn type_params(&self) -> impl Iterator<Item = TypeParam> {
        self.type_param_list().into_iter().flat_map(|it| it.type_params())
    }
}

/// Declarations with formals, a guard, a result type, ...
pub trait HasFormals: AstNode {
    /// All formals, of all lists, in order.
    fn formals(&self) -> impl Iterator<Item = Formal> {
        children::<FormalList>(self.syntax()).flat_map(|it| it.formals())
    }
    /// The guard.
    fn guard(&self) -> Option<Guard> {
        child(self.syntax())
    }
    /// The declared exceptions.
    fn throws_clause(&self) -> Option<ThrowsClause> {
        child(self.syntax())
    }
    /// The result type.
    fn result_type(&self) -> Option<ResultType> {
        child(self.syntax())
    }
}

/// Declarations with code.
pub trait HasBody: AstNode {
    /// The code; `None` if abstract or native.
    fn body(&self) -> Option<Body> {
        child(self.syntax())
    }
}

/// Declarations that a `/** ... */` comment may describe.
pub trait HasDocComments: AstNode {
    /// The documentation comment just before the declaration. It stands outside the node, so a detached
    /// tree has none.
    fn doc_comment(&self) -> Option<SyntaxToken> {
        let mut before = self.syntax().prev_sibling_or_token();
        while let Some(SyntaxElement::Token(token)) = before {
            match token.kind() {
                SyntaxKind::DOC_COMMENT => return Some(token),
                kind if kind.is_trivia() => before = token.prev_sibling_or_token(),
                _ => return None,
            }
        }
        None
    }
    /// Its text without the comment's frame of stars.
    fn doc_text(&self) -> Option<String> {
        let token = self.doc_comment()?;
        let text = token.text().trim_start_matches("/**").trim_end_matches("*/");
        let lines = text.lines().map(|line| {
            let line = line.trim();
            line.strip_prefix('*').map_or(line, |it| it.strip_prefix(' ').unwrap_or(it))
        });
        Some(lines.collect::<Vec<_>>().join("\n").trim().to_string())
    }
}

macro_rules! implement {
    ($trait:ident: $($node:ident)*) => { $(impl $trait for $node {})* };
}

implement!(HasName: ClassDecl StructDecl InterfaceDecl TypeDef TypeParam Property Declarator MethodDecl Formal LabeledStmt);
implement!(HasModifiers: ClassDecl StructDecl InterfaceDecl TypeDef FieldDecl MethodDecl ConstructorDecl OperatorDecl
    Formal LocalDecl Item Member);
implement!(HasAnnotations: PackageDecl ClassDecl StructDecl InterfaceDecl TypeDef FieldDecl MethodDecl ConstructorDecl
    OperatorDecl Property Formal LocalDecl Block AnnotatedExpr AnnotatedType AtExpr Stmt Item Member
    EmptyStmt ExprStmt TrailingClosureStmt KeywordCallStmt PropertyCallStmt IfStmt SwitchStmt WhileStmt DoStmt ForStmt
    ForInStmt AtEachStmt LabeledStmt BreakStmt ContinueStmt ReturnStmt ThrowStmt TryStmt AssertStmt AsyncStmt FinishStmt
    AtStmt AtomicStmt WhenStmt OfferStmt);
implement!(HasTypeParams: ClassDecl StructDecl InterfaceDecl TypeDef MethodDecl ConstructorDecl OperatorDecl
    FunctionType ClosureExpr);
implement!(HasFormals: TypeDef MethodDecl ConstructorDecl OperatorDecl ClosureExpr FunctionType);
implement!(HasBody: MethodDecl ConstructorDecl OperatorDecl);
implement!(HasDocComments: ClassDecl StructDecl InterfaceDecl TypeDef FieldDecl MethodDecl ConstructorDecl OperatorDecl
    Item Member);

impl Formal {
    /// Whether it is only a type, as in a function type or an unused formal.
    pub fn is_bare_type(&self) -> bool {
        self.name().is_none() && self.point_pattern().is_none()
    }
    /// `var`: may be assigned.
    pub fn is_var(&self) -> bool {
        token(self.syntax(), T![var]).is_some()
    }
}
