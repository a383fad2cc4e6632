//! Bit sets of token kinds.

use crate::syntax_kind::SyntaxKind;

/// A set of token kinds, as bits.
#[derive(Clone, Copy)]
pub(crate) struct TokenSet([u64; 3]);

impl TokenSet {
    pub(super) const EMPTY: TokenSet = TokenSet([0; 3]);

    pub(super) const fn new(kinds: &[SyntaxKind]) -> TokenSet {
        let mut set = TokenSet::EMPTY;
        let mut index = 0;
        while index < kinds.len() {
            let kind = kinds[index] as usize;
            set.0[kind / 64] |= 1 << (kind % 64);
            index += 1;
        }
        set
    }

    pub(super) const fn union(self, other: TokenSet) -> TokenSet {
        TokenSet([self.0[0] | other.0[0], self.0[1] | other.0[1], self.0[2] | other.0[2]])
    }

    pub(super) const fn contains(&self, kind: SyntaxKind) -> bool {
        let kind = kind as usize;
        kind < 192 && self.0[kind / 64] & (1 << (kind % 64)) != 0
    }
}
