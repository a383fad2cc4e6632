//! Directives by name and family, clauses by name.

use crate::ast::support::{child, children};
use crate::ast::{
    AstChildren, AstNode, Clause, ClauseItem, ClauseModifier, Directive, DirectiveArgument, DirectiveName,
};
use crate::parser::directive_table::Family;

/// The clauses of a directive.
pub type ClauseList = AstChildren<Clause>;

impl Directive {
    /// The specification that it belongs to.
    pub fn family(&self) -> Family {
        match self.sentinel().map(|it| it.syntax().text().to_string()).as_deref() {
            Some("acc") => Family::OpenAcc,
            Some("xmp") => Family::XcalableMp,
            _ => Family::OpenMp,
        }
    }

    /// Its name, with single spaces between the words: `parallel for`. Empty if it is not known.
    pub fn name(&self) -> String {
        self.directive_name().map_or_else(String::new, |it| it.text())
    }

    /// All clauses of a name.
    pub fn clauses_named<'a>(&self, name: &'a str) -> impl Iterator<Item = Clause> + use<'a> {
        self.clauses().filter(move |it| it.name() == name)
    }
}

impl DirectiveName {
    /// The words, with single spaces between them.
    pub fn text(&self) -> String {
        self.words().map(|it| it.text()).collect::<Vec<_>>().join(" ")
    }
}

impl DirectiveArgument {
    /// The items of its list.
    pub fn items(&self) -> AstChildren<ClauseItem> {
        children(self.syntax())
    }
}

impl Clause {
    /// Its name.
    pub fn name(&self) -> String {
        self.word().map_or_else(String::new, |it| it.text())
    }

    /// Its items, without modifiers.
    pub fn items(&self) -> AstChildren<ClauseItem> {
        children(self.syntax())
    }
}

impl ClauseModifier {
    /// The items in its parentheses, or the expression that it is.
    pub fn arguments(&self) -> AstChildren<ClauseItem> {
        children(self.syntax())
    }

    /// Its word, the operator of a reduction, or nothing.
    pub fn text(&self) -> Option<String> {
        let word = self.word().map(|it| it.text());
        word.or_else(|| self.reduction_operator().map(|it| it.syntax().text().to_string()))
    }
}

impl ClauseItem {
    /// The name or word that the item is, if it is one alone.
    pub fn word(&self) -> Option<String> {
        match self {
            ClauseItem::KeywordItem(it) => it.word().map(|it| it.text()),
            ClauseItem::Expr(crate::ast::Expr::NameExpr(it)) => {
                child::<crate::ast::NameRef>(it.syntax()).map(|it| it.text())
            }
            _ => None,
        }
    }
}
