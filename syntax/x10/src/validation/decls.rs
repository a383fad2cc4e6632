//! Rules for declarations.

use super::{Node, Path, error};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind::{self, *};

/// The package comes first, then the imports, then the declarations.
pub(super) fn order(file: Node<'_>, errors: &mut Vec<SyntaxError>) {
    let mut seen = None;
    // One misplaced token before them makes all imports late: the first says enough.
    let mut late_import = false;
    for node in file.nodes() {
        let message = match (node.kind(), seen) {
            (PACKAGE_DECL, Some(PACKAGE_DECL)) => "a file has only one `package` declaration",
            (PACKAGE_DECL, Some(_)) => "the `package` declaration stands before all else",
            (IMPORT_DECL, Some(CLASS_DECL)) => "imports stand before all declarations",
            _ => "",
        };
        let again = late_import && node.kind() == IMPORT_DECL;
        if !message.is_empty() && !again {
            error(errors, node.range(), message, "move it up");
            late_import |= node.kind() == IMPORT_DECL;
        }
        seen = match node.kind() {
            PACKAGE_DECL => Some(PACKAGE_DECL),
            IMPORT_DECL if seen != Some(CLASS_DECL) => Some(IMPORT_DECL),
            ERROR => seen,
            _ => Some(CLASS_DECL),
        };
    }
}

/// `extends` and `implements`.
pub(super) fn heritage(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    let mut extends = node.nodes().filter(|it| it.kind() == EXTENDS_CLAUSE);
    let mut implements = node.nodes().filter(|it| it.kind() == IMPLEMENTS_CLAUSE);
    let (first, clause) = (extends.next(), implements.next());
    for more in extends.chain(implements) {
        error(errors, more.range(), "this clause is given twice", "put all types into one clause");
    }
    match (node.kind(), first, clause) {
        (STRUCT_DECL, Some(it), _) => {
            let hint = "write `implements` if it is an interface";
            error(errors, it.range(), "a struct extends nothing", hint);
        }
        (CLASS_DECL, Some(it), _) => {
            if let Some(second) = it.nodes().filter(|it| is_type(it.kind())).nth(1) {
                error(
                    errors,
                    second.range(),
                    "a class extends only one class",
                    "interfaces follow `implements`",
                );
            }
        }
        (INTERFACE_DECL, _, Some(it)) => {
            error(errors, it.range(), "an interface implements nothing", "write `extends`");
        }
        _ => {}
    }
    if let (Some(first), Some(clause)) = (first, clause)
        && clause.start < first.start
    {
        error(errors, first.range(), "`extends` comes before `implements`", "");
    }
}

fn is_type(kind: SyntaxKind) -> bool {
    matches!(kind, NAMED_TYPE | FUNCTION_TYPE | VOID_TYPE | ANNOTATED_TYPE | PAREN_TYPE)
}

/// `+T`, `-T`
pub(super) fn variance(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    if let Some(sign) = node.tokens().find(|it| matches!(it.kind(), T![+] | T![-])) {
        let message = "X10 no longer has covariant and contravariant type parameters";
        error(errors, sign.range(), message, "remove the sign");
    }
}

pub(super) fn type_def(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    let formals = node.child(FORMAL_LIST).into_iter().flat_map(|it| it.nodes());
    for keyword in formals.filter_map(|it| it.token(T![var])) {
        error(errors, keyword.range(), "a formal of a type definition cannot be `var`", "remove `var`");
    }
}

pub(super) fn field(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    for pattern in node.nodes().filter_map(|it| it.child(POINT_PATTERN)) {
        error(errors, pattern.range(), "only a local variable or a formal can take a point apart", "");
    }
}

pub(super) fn local(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    for declarator in node.nodes().filter(|it| it.kind() == DECLARATOR) {
        if let Some(pattern) = declarator.child(POINT_PATTERN)
            && declarator.token(T![=]).is_none()
        {
            let message = "a variable that takes a point apart needs an initial value";
            error(errors, pattern.range(), message, "add `= point`");
        }
    }
}

pub(super) fn loop_variable(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    if let Some(keyword) = node.child(FORMAL).and_then(|it| it.token(T![var])) {
        let hint = "remove `var`; to change the variable in the body, copy it to one declared there";
        error(errors, keyword.range(), "the variable of this loop cannot be `var`", hint);
    }
}

pub(super) fn catch(node: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    let of_statement = path.parent().is_some_and(|it| it.kind() == TRY_STMT);
    let count = node.nodes().filter(|it| it.kind() == FORMAL).count();
    if of_statement && count > 1 {
        error(errors, node.range(), "a `catch` has exactly one formal", "");
    }
    if of_statement && count == 0 && node.token(T!['(']).is_some() {
        error(
            errors,
            node.range(),
            "a `catch` has a formal",
            "write `catch (e:CheckedThrowable)` to catch everything",
        );
    }
}

/// A constructor is called only at the start of another.
pub(super) fn constructor_call(node: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    let Some(block) = path.parent() else { return };
    let allowed = match block.kind() {
        CALL_BODY => true,
        BLOCK => {
            let in_constructor = path.grandparent().is_none_or(|it| it.kind() == CONSTRUCTOR_DECL);
            in_constructor && block.nodes().next().is_some_and(|it| it.start == node.start)
        }
        ERROR => true,
        _ => false,
    };
    if !allowed {
        let message = "a constructor is called only in the first statement of a constructor";
        error(errors, node.range(), message, "");
    }
}
