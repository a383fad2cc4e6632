//! Keywords in place of a name.

use crate::parser::state::{Completed, Parser};
use crate::parser::token_set::TokenSet;
use crate::syntax_error::MistakeKind;
use crate::syntax_kind::SyntaxKind::{self, *};

/// What may follow a value, and neither an expression nor a statement starts with.
const AFTER_VALUE: TokenSet = TokenSet::new(&[
    T![.],
    T![=],
    T![+=],
    T![-=],
    T![*=],
    T![/=],
    T![%=],
    T![==],
    T![!=],
    T![<],
    T![>],
    T![<=],
    T![>=],
    T![&&],
    T![||],
    T![&],
    T![|],
    T![^],
    T![<<],
    T![>>],
    T![>>>],
    T![..],
    T![as],
    T![instanceof],
    T![?],
    T![,],
    T![')'],
    T![']'],
]);

/// What may follow a value; a prefix operator, or the end of an empty statement, too.
const PERHAPS_AFTER_VALUE: TokenSet =
    TokenSet::new(&[T![+], T![-], T![*], T![/], T![%], T![++], T![--], T![;]]);

/// What may follow a value, and no keyword that begins a declaration.
const INFIX: TokenSet = TokenSet::new(&[T![+], T![-], T![*], T![/], T![%], T![++], T![--]]);

/// Whether the keyword at `index` is used as the name of a value.
pub(crate) fn is_value(p: &Parser<'_>, index: usize) -> bool {
    let next = p.kind_at(index + 1);
    match p.kind_at(index) {
        T![in] | T![type] if next == T!['('] => true,
        T![as] if index > 0 && !after_operand(p.kind_at(index - 1)) => AFTER_VALUE.contains(next),
        T![at] | T![in] | T![when] | T![type] | T![property] => {
            AFTER_VALUE.contains(next) || PERHAPS_AFTER_VALUE.contains(next)
        }
        T![class] | T![struct] | T![interface] | T![switch] | T![package] | T![import] => {
            AFTER_VALUE.contains(next) || INFIX.contains(next)
        }
        T![offer] | T![async] | T![atomic] | T![finish] => {
            // `offer++;`, and not `offer ++x;`
            let counts = matches!(next, T![++] | T![--]) && matches!(p.kind_at(index + 2), T![;] | T![')']);
            AFTER_VALUE.contains(next) || matches!(next, T![*] | T![/] | T![%]) || counts
        }
        _ => false,
    }
}

/// Whether a value may end in a token of this kind.
fn after_operand(kind: SyntaxKind) -> bool {
    kind == IDENT
        || kind.is_literal()
        || matches!(kind, T![')'] | T![']'] | T!['}'] | T![this] | T![self] | T![here])
}

/// A keyword that is meant as a name.
pub(crate) fn name(p: &mut Parser<'_>) -> Completed {
    let word = p.current().text().unwrap_or_default();
    p.error(format!("`{word}` is a keyword, not a name"));
    if word == "in" && p.position > 1 && p.text(p.position - 2) == "System" {
        p.hint("X10 reads by `Console.IN`");
    } else {
        p.hint("write it in backquotes to use it as a name");
        p.mark_mistake(MistakeKind::Reserved);
        p.replace_by(format!("`{word}`"));
    }
    let m = p.start();
    p.bump();
    m.complete(p, ERROR)
}
