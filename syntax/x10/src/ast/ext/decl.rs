//! Additions to declarations.

use smol_str::{SmolStr, format_smolstr};

use crate::ast::ext::operator::{BinaryOp, PrefixOp};
use crate::ast::ext::traits::HasModifiers;
use crate::ast::generated::enums::*;
use crate::ast::generated::nodes::*;
use crate::ast::node::AstNode;
use crate::ast::support::{child, token};
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxElement, SyntaxToken};

/// Which operand of an operator declaration is `this`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThisOperand {
    /// `operator this + (x:T)`: an instance method.
    Left,
    /// `operator (x:T) + this`: an instance method of the right operand.
    Right,
    /// `operator (x:T) + (y:T)`: a static method.
    None,
}

/// The form of an operator declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperatorKind {
    /// Between two operands.
    Binary(BinaryOp, ThisOperand),
    /// Before its operand, which is `this` (`Left`) or a formal (`None`).
    Prefix(PrefixOp, ThisOperand),
    /// `operator this(i:T)`
    Apply,
    /// `operator this(i:T) = (v:U)`
    Set,
    /// `operator (x:T) as U`, `operator (x:T) as ?`
    ExplicitConversion,
    /// `operator (x:T)`
    ImplicitConversion,
    /// `operator async(...)` and its like; the keyword.
    Keyword(SyntaxKind),
}

impl OperatorDecl {
    /// Its form; `None` in a broken tree.
    pub fn kind(&self) -> Option<OperatorKind> {
        let mut operands = Vec::new();
        let mut operator: Option<(SyntaxKind, usize)> = None;
        let mut after_keyword = false;
        for element in self.syntax().children_with_tokens() {
            match element {
                SyntaxElement::Token(it) if it.kind() == T![operator] => after_keyword = true,
                _ if !after_keyword => {}
                SyntaxElement::Token(it) if it.kind() == T![this] => operands.push(true),
                SyntaxElement::Node(it) if FormalList::can_cast(it.kind()) => operands.push(false),
                SyntaxElement::Token(it) if it.kind().is_trivia() => {}
                SyntaxElement::Node(it) if TypeParamList::can_cast(it.kind()) => {}
                SyntaxElement::Token(it) if operator.is_none() && is_operator(it.kind()) => {
                    operator = Some((it.kind(), operands.len()));
                }
                SyntaxElement::Token(it) if matches!(it.kind(), T![?]) => {}
                SyntaxElement::Node(it) if Type::can_cast(it.kind()) => {}
                _ => break,
            }
        }
        let this = match operands.as_slice() {
            [true, ..] => ThisOperand::Left,
            [false, true] => ThisOperand::Right,
            _ => ThisOperand::None,
        };
        Some(match (operator, operands.as_slice()) {
            (Some((T![as], _)), _) => OperatorKind::ExplicitConversion,
            (Some((T![=], _)), [true, ..]) => OperatorKind::Set,
            (Some((kind, 0)), _) if kind.is_keyword() => OperatorKind::Keyword(kind),
            (Some((kind, 0)), _) => OperatorKind::Prefix(PrefixOp::from_kind(kind)?, this),
            (Some((kind, _)), _) => OperatorKind::Binary(BinaryOp::from_kind(kind)?, this),
            (None, [true, ..]) => OperatorKind::Apply,
            (None, [false]) => OperatorKind::ImplicitConversion,
            (None, _) => return None,
        })
    }

    /// The name that calls and overriding use: `operator+`, `operator()`, `operator()=`, `operator as`,
    /// `operator implicit as`, `operator async`; unary and binary operators share theirs.
    pub fn method_name(&self) -> Option<SmolStr> {
        Some(match self.kind()? {
            OperatorKind::Binary(op, _) => format_smolstr!("operator{}", op.text()),
            OperatorKind::Prefix(op, _) => format_smolstr!("operator{}", op.text()),
            OperatorKind::Apply => SmolStr::new_static("operator()"),
            OperatorKind::Set => SmolStr::new_static("operator()="),
            OperatorKind::ExplicitConversion => SmolStr::new_static("operator as"),
            OperatorKind::ImplicitConversion => SmolStr::new_static("operator implicit as"),
            OperatorKind::Keyword(kind) => format_smolstr!("operator {}", kind.text()?),
        })
    }

    /// The operator, `as` or keyword; `this` of an application; else `operator`. What a name would be
    /// elsewhere.
    pub fn name_token(&self) -> Option<SyntaxToken> {
        let mut tokens = self.syntax().children_with_tokens().filter_map(SyntaxElement::into_token);
        let keyword = tokens.find(|it| it.kind() == T![operator]);
        let operator = tokens.find(|it| is_operator(it.kind()));
        operator.or_else(|| token(self.syntax(), T![this])).or(keyword)
    }
}

fn is_operator(kind: SyntaxKind) -> bool {
    BinaryOp::from_kind(kind).is_some()
        || PrefixOp::from_kind(kind).is_some()
        || matches!(kind, T![as] | T![=])
        || is_keyword_operator(kind)
}

/// The keywords that a class may define a meaning for.
pub(crate) fn is_keyword_operator(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        T![for]
            | T![if]
            | T![try]
            | T![throw]
            | T![async]
            | T![atomic]
            | T![when]
            | T![finish]
            | T![at]
            | T![continue]
            | T![break]
            | T![ateach]
            | T![while]
            | T![do]
    )
}

impl MethodDecl {
    /// A property method: usable in constraints, and without parentheses.
    pub fn is_property(&self) -> bool {
        self.property_token().is_some() || self.has_modifier(T![property])
    }
}

impl FieldDecl {
    /// `var`: may be assigned again. Without `val` and `var` a field is a `val`.
    pub fn is_var(&self) -> bool {
        // `T x` of a struct can only be a `val`.
        let of_struct = || self.syntax().ancestors().any(|it| StructDecl::can_cast(it.kind()));
        self.var_token().is_some() || is_foreign_var(self, self.declarators().next()) && !of_struct()
    }
}

impl LocalDecl {
    /// `var`: may be assigned again.
    pub fn is_var(&self) -> bool {
        self.var_token().is_some() || is_foreign_var(self, self.declarators().next())
    }
}

/// `T x`, which varies unless it is `final`.
fn is_foreign_var(declaration: &impl HasModifiers, first: Option<Declarator>) -> bool {
    first.is_some_and(|it| it.is_foreign()) && !declaration.has_modifier(T![final])
}

impl Declarator {
    /// `T x`, the type before the name: an error that has been reported.
    pub fn is_foreign(&self) -> bool {
        let first = self.syntax().children().next();
        self.name().is_some()
            && first.is_some_and(|it| !Name::can_cast(it.kind()) && !PointPattern::can_cast(it.kind()))
    }

    /// Whether the type is an upper bound (`<:`).
    pub fn is_bound(&self) -> bool {
        self.subtype_token().is_some()
    }
    /// The expression after `=`.
    pub fn initializer(&self) -> Option<Expr> {
        child(self.syntax())
    }
}

impl ResultType {
    /// Whether the type is an upper bound (`<:`).
    pub fn is_bound(&self) -> bool {
        self.subtype_token().is_some()
    }
}

impl ImportDecl {
    /// `import p.*;`
    pub fn is_on_demand(&self) -> bool {
        self.star_token().is_some()
    }
}

impl QualifiedName {
    /// The names, outermost first.
    pub fn segments(&self) -> Vec<NameRef> {
        let mut segments: Vec<NameRef> = Vec::new();
        let mut here = Some(self.clone());
        while let Some(name) = here {
            segments.extend(name.name_ref());
            here = name.qualifier();
        }
        segments.reverse();
        segments
    }

    /// The names joined by dots.
    pub fn text(&self) -> SmolStr {
        let segments: Vec<_> = self.segments().iter().map(|it| it.text()).collect();
        SmolStr::from(segments.join("."))
    }
}

impl TypeParam {
    /// The sign of a covariant or contravariant parameter, which X10 2.6 no longer has.
    pub fn variance_token(&self) -> Option<SyntaxToken> {
        self.plus_token().or_else(|| self.minus_token())
    }
}

/// `ClassDecl`, `StructDecl` and `InterfaceDecl`, when the difference does not matter.
macro_rules! type_declarations {
    ($($node:ident)*) => { $(
        impl $node {
            /// The members.
            pub fn members(&self) -> impl Iterator<Item = Member> {
                self.class_body().into_iter().flat_map(|it| it.members())
            }
            /// The properties.
            pub fn properties(&self) -> impl Iterator<Item = Property> {
                self.property_list().into_iter().flat_map(|it| it.properties())
            }
        }
    )* };
}
type_declarations!(ClassDecl StructDecl InterfaceDecl);
