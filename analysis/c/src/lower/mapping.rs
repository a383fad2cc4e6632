//! References of XcalableMP's directives to nodes, templates and arrays.

use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{SyntaxKind, SyntaxNode};
use smol_str::SmolStr;

use super::{Lowerer, range};
use crate::hir::{Entity, Mapping, Role, Spelling, Subscript, SubscriptKind};

impl Lowerer {
    pub(super) fn mapping(&mut self, reference: &ast::MappingRef) -> Mapping {
        let names: Vec<_> = reference.name_refs().collect();
        let words: Vec<String> = names.iter().map(|it| it.text()).collect();
        let lists: Vec<_> = reference.subscript_lists().collect();
        let spelling = lists.first().map(|it| match it.l_paren_token() {
            Some(_) => Spelling::Parentheses,
            None => Spelling::Brackets,
        });
        let subscripts: Vec<_> = lists.iter().flat_map(|it| it.subscripts()).collect();
        let variable = match &words[..] {
            [only] => match self.lookup(only) {
                Some(Entity::Variable(it)) => Some(*it),
                _ => None,
            },
            _ => None,
        };
        Mapping {
            name: SmolStr::new(words.join(".")),
            name_range: names.first().map_or_else(|| range(reference), range),
            variable,
            spelling,
            subscripts: subscripts.iter().map(|it| self.subscript(it)).collect(),
            role: role(reference.syntax()),
        }
    }

    fn subscript(&mut self, subscript: &ast::Subscript) -> Subscript {
        let (mut parts, mut colons, mut has_star) = ([None; 3], 0, false);
        for element in subscript.syntax().children_with_tokens() {
            match element.kind() {
                SyntaxKind::COLON => colons += 1,
                SyntaxKind::STAR => has_star = true,
                _ => {
                    if let Some(expr) = element.into_node().and_then(ast::Expr::cast) {
                        parts[colons.min(2)] = Some(self.expr(Some(expr)));
                    }
                }
            }
        }
        let kind = match (parts, colons) {
            ([lower, upper, _], 1..) => SubscriptKind::Bounds(lower, upper),
            ([Some(expr), ..], 0) => SubscriptKind::Expr(expr),
            _ if has_star => SubscriptKind::Star,
            _ => SubscriptKind::Missing,
        };
        Subscript { kind, text: text(subscript.syntax()), range: range(subscript) }
    }

    /// Notes the nodes and templates that a directive of a header declares.
    pub(super) fn header_mappings(&mut self, directive: &ast::Directive) {
        if matches!(directive.name().as_str(), "nodes" | "template") {
            let references = directive.syntax().descendants().filter_map(ast::MappingRef::cast);
            let names = references.flat_map(|it| it.name_refs().map(|it| SmolStr::new(it.text())));
            self.touches_file = true;
            self.program.header_mappings.extend(names.collect::<Vec<_>>());
        }
    }
}

/// The position of a reference, by the punctuation before it.
fn role(reference: &SyntaxNode) -> Role {
    let siblings = reference.parent().into_iter().flat_map(|it| it.children_with_tokens());
    let before: Vec<_> =
        siblings.take_while(|it| it.as_node() != Some(reference)).map(|it| it.kind()).collect();
    let before = |kind| before.contains(&kind);
    if before(SyntaxKind::COLON) {
        Role::Subject
    } else if before(SyntaxKind::EQ) {
        Role::Source
    } else {
        Role::Plain
    }
}

/// The text of a node without blanks and comments.
fn text(node: &SyntaxNode) -> SmolStr {
    let tokens = node.descendants_with_tokens().filter_map(|it| it.into_token());
    tokens.filter(|it| !it.kind().is_trivia()).map(|it| it.text().to_owned()).collect()
}
