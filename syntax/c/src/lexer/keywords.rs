//! Keywords of C17 and GNU C with their other spellings.

use crate::syntax_kind::SyntaxKind;

/// Spellings of keywords beside the first one, which [`SyntaxKind::text`] gives.
const OTHER_SPELLINGS: &[(&str, SyntaxKind)] = &[
    ("__inline", SyntaxKind::INLINE_KW),
    ("__inline__", SyntaxKind::INLINE_KW),
    ("__const", SyntaxKind::CONST_KW),
    ("__const__", SyntaxKind::CONST_KW),
    ("__volatile", SyntaxKind::VOLATILE_KW),
    ("__volatile__", SyntaxKind::VOLATILE_KW),
    ("__restrict", SyntaxKind::RESTRICT_KW),
    ("__restrict__", SyntaxKind::RESTRICT_KW),
    ("__signed", SyntaxKind::SIGNED_KW),
    ("__signed__", SyntaxKind::SIGNED_KW),
    ("__asm", SyntaxKind::ASM_KW),
    ("__asm__", SyntaxKind::ASM_KW),
    ("__typeof", SyntaxKind::TYPEOF_KW),
    ("__typeof__", SyntaxKind::TYPEOF_KW),
    ("__attribute", SyntaxKind::__ATTRIBUTE___KW),
    ("__alignof", SyntaxKind::_ALIGNOF_KW),
    ("__alignof__", SyntaxKind::_ALIGNOF_KW),
    ("__complex", SyntaxKind::_COMPLEX_KW),
    ("__complex__", SyntaxKind::_COMPLEX_KW),
    ("__real", SyntaxKind::__REAL___KW),
    ("__imag", SyntaxKind::__IMAG___KW),
    ("__thread", SyntaxKind::_THREAD_LOCAL_KW),
    ("__float128", SyntaxKind::_FLOAT128_KW),
];

/// All spellings with their kinds.
pub(crate) static KEYWORD_SPELLINGS: std::sync::LazyLock<Vec<(&'static str, SyntaxKind)>> =
    std::sync::LazyLock::new(|| {
        let first = (0..SyntaxKind::LAST as u16).map(SyntaxKind::from_raw).filter(|it| it.is_keyword());
        first.filter_map(|it| Some((it.text()?, it))).chain(OTHER_SPELLINGS.iter().copied()).collect()
    });
