//! Operators and their binding powers.

use crate::syntax_kind::SyntaxKind::{self, *};

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $kind:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each is named after its token")]
        pub enum $name { $($variant,)* }
        impl $name {
            /// The operator whose token is `kind`.
            pub fn from_kind(kind: SyntaxKind) -> Option<$name> {
                match kind {
                    $($kind => Some($name::$variant),)*
                    _ => None,
                }
            }
            /// Its token.
            pub fn kind(self) -> SyntaxKind {
                match self { $($name::$variant => $kind,)* }
            }
            /// How it is written.
            pub fn text(self) -> &'static str {
                self.kind().text().expect("operators have one text")
            }
        }
    };
}

operators!(
    /// The operators that stand between two expressions. `&&` and `||` are among them; assignment,
    /// `as`, `instanceof`, `<:` and `:>` have nodes of their own.
    BinaryOp {
        Range = DOT2,
        Mul = STAR,
        Div = SLASH,
        Rem = PERCENT,
        Power = STAR2,
        Add = PLUS,
        Sub = MINUS,
        Shl = SHL,
        Shr = SHR,
        Ushr = USHR,
        Arrow = THIN_ARROW,
        LeftArrow = LARROW,
        Funnel = FUNNEL,
        LeftFunnel = LFUNNEL,
        Bang = BANG,
        Diamond = DIAMOND,
        Bowtie = BOWTIE,
        Lt = LT,
        Gt = GT,
        Le = LTEQ,
        Ge = GTEQ,
        Eq = EQ2,
        Ne = NEQ,
        Tilde = TILDE,
        NotTilde = NTILDE,
        And = AMP,
        Xor = CARET,
        Or = PIPE,
        AndAnd = AMP2,
        OrOr = PIPE2,
    }
);

operators!(
    /// The operators that stand before an expression.
    PrefixOp {
        Plus = PLUS,
        Minus = MINUS,
        Not = BANG,
        Tilde = TILDE,
        Caret = CARET,
        Pipe = PIPE,
        Amp = AMP,
        Star = STAR,
        Slash = SLASH,
        Percent = PERCENT,
        Increment = PLUS2,
        Decrement = MINUS2,
    }
);

operators!(
    /// `++` and `--` after an expression.
    PostfixOp {
        Increment = PLUS2,
        Decrement = MINUS2,
    }
);

operators!(
    /// Assignments.
    AssignOp {
        Assign = EQ,
        Add = PLUSEQ,
        Sub = MINUSEQ,
        Mul = STAREQ,
        Div = SLASHEQ,
        Rem = PERCENTEQ,
        Power = STAR2EQ,
        And = AMPEQ,
        Or = PIPEEQ,
        Xor = CARETEQ,
        Shl = SHLEQ,
        Shr = SHREQ,
        Ushr = USHREQ,
        Range = DOT2EQ,
        Arrow = THIN_ARROWEQ,
        LeftArrow = LARROWEQ,
        Funnel = FUNNELEQ,
        LeftFunnel = LFUNNELEQ,
        Diamond = DIAMONDEQ,
        Bowtie = BOWTIEEQ,
        Tilde = TILDEEQ,
    }
);

impl AssignOp {
    /// `+` of `+=`; `None` for `=`.
    pub fn binary(self) -> Option<BinaryOp> {
        Some(match self {
            AssignOp::Assign => return None,
            AssignOp::Add => BinaryOp::Add,
            AssignOp::Sub => BinaryOp::Sub,
            AssignOp::Mul => BinaryOp::Mul,
            AssignOp::Div => BinaryOp::Div,
            AssignOp::Rem => BinaryOp::Rem,
            AssignOp::Power => BinaryOp::Power,
            AssignOp::And => BinaryOp::And,
            AssignOp::Or => BinaryOp::Or,
            AssignOp::Xor => BinaryOp::Xor,
            AssignOp::Shl => BinaryOp::Shl,
            AssignOp::Shr => BinaryOp::Shr,
            AssignOp::Ushr => BinaryOp::Ushr,
            AssignOp::Range => BinaryOp::Range,
            AssignOp::Arrow => BinaryOp::Arrow,
            AssignOp::LeftArrow => BinaryOp::LeftArrow,
            AssignOp::Funnel => BinaryOp::Funnel,
            AssignOp::LeftFunnel => BinaryOp::LeftFunnel,
            AssignOp::Diamond => BinaryOp::Diamond,
            AssignOp::Bowtie => BinaryOp::Bowtie,
            AssignOp::Tilde => BinaryOp::Tilde,
        })
    }
}
