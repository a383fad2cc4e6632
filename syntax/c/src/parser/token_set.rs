//! Bit sets of token kinds.

use crate::syntax_kind::SyntaxKind;

/// A set of token kinds, as bits.
#[derive(Clone, Copy)]
pub(crate) struct TokenSet(u128);

impl TokenSet {
    pub(super) const fn new(kinds: &[SyntaxKind]) -> TokenSet {
        let mut set = 0;
        let mut index = 0;
        while index < kinds.len() {
            set |= 1 << kinds[index] as usize;
            index += 1;
        }
        TokenSet(set)
    }

    pub(super) const fn union(self, other: TokenSet) -> TokenSet {
        TokenSet(self.0 | other.0)
    }

    pub(super) const fn contains(&self, kind: SyntaxKind) -> bool {
        let kind = kind as usize;
        kind < 128 && self.0 & (1 << kind) != 0
    }
}
