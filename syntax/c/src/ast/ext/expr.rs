//! Operands and operators of expressions, values of literals, bounds of sections.

use crate::ast::support::children;
use crate::ast::{
    ArgumentList, AssignExpr, AstChildren, AstNode, Attribute, AttributeArgument, BinExpr, Expr, Literal,
    Name, NameRef, StringLiteral, Subscript, Word,
};
use crate::literal;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxNode, SyntaxToken};

fn operator(node: &SyntaxNode) -> Option<SyntaxToken> {
    node.children_with_tokens().filter_map(|it| it.into_token()).find(|it| it.kind().is_punct())
}

impl BinExpr {
    /// The left operand.
    pub fn lhs(&self) -> Option<Expr> {
        children(self.syntax()).next()
    }

    /// The right operand.
    pub fn rhs(&self) -> Option<Expr> {
        children(self.syntax()).nth(1)
    }

    /// The operator.
    pub fn op_token(&self) -> Option<SyntaxToken> {
        operator(self.syntax())
    }
}

impl AssignExpr {
    /// What is assigned to.
    pub fn lhs(&self) -> Option<Expr> {
        children(self.syntax()).next()
    }

    /// The value.
    pub fn rhs(&self) -> Option<Expr> {
        children(self.syntax()).nth(1)
    }

    /// `=` or a compound assignment.
    pub fn op_token(&self) -> Option<SyntaxToken> {
        operator(self.syntax())
    }
}

impl crate::ast::PrefixExpr {
    /// The operator, `__real__` and `__imag__` too.
    pub fn op_token(&self) -> Option<SyntaxToken> {
        self.syntax().first_token()
    }
}

impl ArgumentList {
    /// The arguments; types, which some built-in functions take, are left out.
    pub fn arguments(&self) -> AstChildren<Expr> {
        children(self.syntax())
    }
}

impl Attribute {
    /// The arguments.
    pub fn arguments(&self) -> AstChildren<AttributeArgument> {
        children(self.syntax())
    }
}

impl Subscript {
    fn bound(&self, index: usize) -> Option<Expr> {
        let mut colons = 0;
        for element in self.syntax().children_with_tokens() {
            match element {
                rowan::NodeOrToken::Token(it) if it.kind() == SyntaxKind::COLON => colons += 1,
                rowan::NodeOrToken::Node(node) if colons == index => return Expr::cast(node),
                _ => {}
            }
        }
        None
    }

    /// The lower bound, or the only subscript.
    pub fn lower(&self) -> Option<Expr> {
        self.bound(0)
    }

    /// What follows the first colon: a length in brackets, an upper bound in parentheses.
    pub fn extent(&self) -> Option<Expr> {
        self.bound(1)
    }

    /// What follows the second colon.
    pub fn stride(&self) -> Option<Expr> {
        self.bound(2)
    }
}

impl Literal {
    /// The token.
    pub fn token(&self) -> Option<SyntaxToken> {
        self.syntax().first_token()
    }

    /// The value of an integer or character constant.
    pub fn integer(&self) -> Option<i128> {
        let token = self.token()?;
        match token.kind() {
            SyntaxKind::INT_NUMBER => Some(literal::integer(token.text())?.value as i128),
            SyntaxKind::CHAR => Some(i128::from(literal::character(token.text()))),
            _ => None,
        }
    }
}

impl StringLiteral {
    /// The bytes or wide characters of all its parts.
    pub fn units(&self) -> Vec<u32> {
        let tokens = self.syntax().children_with_tokens().filter_map(|it| it.into_token());
        let strings = tokens.filter(|it| it.kind() == SyntaxKind::STRING);
        let mut units = Vec::new();
        for token in strings {
            let text = token.text();
            let is_wide = text.starts_with(['L', 'U']) || text.starts_with("u\"");
            let inside = text.split_once('"').map_or("", |(_, rest)| rest.strip_suffix('"').unwrap_or(rest));
            units.extend(literal::string_units(inside, is_wide));
        }
        units
    }
}

impl Name {
    /// The name.
    pub fn text(&self) -> String {
        self.syntax().text().to_string()
    }
}

impl NameRef {
    /// The name.
    pub fn text(&self) -> String {
        self.syntax().text().to_string()
    }
}

impl Word {
    /// The word.
    pub fn text(&self) -> String {
        self.syntax().text().to_string()
    }
}
