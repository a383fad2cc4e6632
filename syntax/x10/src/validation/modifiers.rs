//! Rules for modifiers.

use super::{Node, Path, error};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;

const ACCESS: &[SyntaxKind] = &[T![public], T![protected], T![private]];

/// The modifiers of a declaration of this kind, and what to call it.
fn allowed(owner: SyntaxKind) -> Option<(&'static str, &'static [SyntaxKind])> {
    use SyntaxKind::*;
    Some(match owner {
        CLASS_DECL | STRUCT_DECL => {
            ("a class or struct", &[T![abstract], T![final], T![static], T![clocked]])
        }
        INTERFACE_DECL => ("an interface", &[T![abstract], T![static], T![clocked]]),
        TYPE_DEF => ("a type definition", &[T![abstract], T![final], T![static]]),
        FIELD_DECL => ("a field", &[T![transient], T![clocked], T![static]]),
        METHOD_DECL | OPERATOR_DECL => {
            ("a method", &[T![abstract], T![atomic], T![final], T![native], T![static], T![property]])
        }
        CONSTRUCTOR_DECL => ("a constructor", &[T![native]]),
        LOCAL_DECL | FORMAL => ("a local variable", &[T![clocked]]),
        _ => return None,
    })
}

/// `final x = e`: of that the parser has complained.
fn is_final_only(local: Node<'_>) -> bool {
    let typed = |it: Node<'_>| it.token(T![:]).is_some() || it.token(T![<:]).is_some();
    local.kind() == SyntaxKind::LOCAL_DECL
        && local.token(T![val]).is_none()
        && local.token(T![var]).is_none()
        && local.child(SyntaxKind::DECLARATOR).is_some_and(|it| !typed(it))
}

pub(super) fn check(list: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    let Some((what, modifiers)) = path.parent().and_then(|it| allowed(it.kind())) else { return };
    let at_top = path.grandparent().is_some_and(|it| it.kind() == SyntaxKind::SOURCE_FILE);
    let local = what == "a local variable";
    let mut seen: Vec<SyntaxKind> = Vec::new();
    // `final int x` is reported as a whole.
    let foreign =
        path.parent().is_some_and(|it| it.nodes().any(super::foreign::is_foreign) || is_final_only(it));
    for token in list.tokens() {
        let kind = token.kind();
        // A misspelt one is reported as such.
        if kind == SyntaxKind::IDENT {
            continue;
        }
        if foreign && kind == T![final] {
            continue;
        }
        let text = kind.text().unwrap_or_default();
        if seen.contains(&kind) {
            error(errors, token.range(), format!("`{text}` is given twice"), "remove one of them");
        } else if at_top && kind == T![private] {
            let message = format!("what a file declares cannot be `{text}`");
            error(errors, token.range(), message, "without a modifier it is seen in its package alone");
        } else if !(modifiers.contains(&kind) || (!local && ACCESS.contains(&kind))) {
            error(errors, token.range(), format!("{what} cannot be `{text}`"), "remove the modifier");
        }
        seen.push(kind);
    }
}
