//! String interner for the spellings of tokens. A frozen interner can be the base of another one, so that the
//! spellings of a preamble are shared.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::lexer::KEYWORD_SPELLINGS;
use crate::syntax_kind::SyntaxKind;

/// An interned spelling, valid in the interner that made it and in those based on that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// The keyword that this is. Keywords are the first symbols of every interner.
    pub(crate) fn keyword(self) -> Option<SyntaxKind> {
        KEYWORD_SPELLINGS.get(self.0 as usize).map(|(_, kind)| *kind)
    }
}

/// Spellings by number.
#[derive(Clone, Debug)]
pub struct Interner {
    base: Option<Arc<Interner>>,
    base_len: u32,
    numbers: FxHashMap<Arc<str>, u32>,
    spellings: Vec<Arc<str>>,
}

impl Default for Interner {
    fn default() -> Interner {
        let mut interner =
            Interner { base: None, base_len: 0, numbers: FxHashMap::default(), spellings: Vec::new() };
        for (spelling, _) in KEYWORD_SPELLINGS.iter() {
            interner.intern(spelling);
        }
        // Known in every interner, so that a preamble without headers has them too.
        interner.intern("__builtin_va_list");
        interner.intern("__builtin_ms_va_list");
        interner
    }
}

impl Interner {
    /// An interner that has the symbols of `base`.
    pub fn based_on(base: Arc<Interner>) -> Interner {
        let base_len = base.len();
        Interner { base: Some(base), base_len, numbers: FxHashMap::default(), spellings: Vec::new() }
    }

    fn len(&self) -> u32 {
        self.base_len + self.spellings.len() as u32
    }

    /// The symbol of a spelling.
    pub fn intern(&mut self, spelling: &str) -> Symbol {
        if let Some(symbol) = self.find(spelling) {
            return symbol;
        }
        let number = self.len();
        let spelling: Arc<str> = spelling.into();
        self.numbers.insert(spelling.clone(), number);
        self.spellings.push(spelling);
        Symbol(number)
    }

    /// The symbol of a spelling, if it has one.
    pub fn find(&self, spelling: &str) -> Option<Symbol> {
        let in_base = self.base.as_ref().and_then(|it| it.find(spelling));
        in_base.or_else(|| self.numbers.get(spelling).copied().map(Symbol))
    }

    /// The spelling of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        match &self.base {
            Some(base) if symbol.0 < self.base_len => base.text(symbol),
            _ => &self.spellings[(symbol.0 - self.base_len) as usize],
        }
    }
}
