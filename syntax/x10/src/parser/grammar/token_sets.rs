//! Token sets that several constructs share.

use crate::parser::token_set::TokenSet;

/// Modifiers of declarations; `clocked` and `atomic` also start statements.
pub(super) const MODIFIERS: TokenSet = TokenSet::new(&[
    T![public],
    T![protected],
    T![private],
    T![static],
    T![abstract],
    T![final],
    T![native],
    T![transient],
    T![atomic],
    T![clocked],
]);

/// Declarations of types.
pub(super) const TYPE_DECL: TokenSet = TokenSet::new(&[T![class], T![struct], T![interface], T![type]]);

/// Tokens that only a statement starts with.
pub(super) const STMT_KEYWORDS: TokenSet = TokenSet::new(&[
    T![if],
    T![switch],
    T![while],
    T![do],
    T![for],
    T![ateach],
    T![break],
    T![continue],
    T![return],
    T![throw],
    T![try],
    T![assert],
    T![async],
    T![atomic],
    T![clocked],
    T![when],
    T![offer],
    T![val],
    T![var],
]);

/// Tokens that only a member starts with, when they stand among statements.
pub(super) const MEMBER_KEYWORDS: TokenSet = TokenSet::new(&[T![def]]);

/// Where the search for the rest of a broken construct ends.
pub(super) const STOP: TokenSet =
    TokenSet::new(&[T!['}'], T!['{'], T![;], T![')'], T![']'], T![,], T![def], T![class], T![struct]])
        .union(STMT_KEYWORDS);

/// What may follow a guard or the result type of a method, besides its body in braces.
pub(super) const SIGNATURE: TokenSet = TokenSet::new(&[T![=], T![throws], T![offers], T![:], T![<:]]);
