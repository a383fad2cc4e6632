//! Declarations with the type before the name, as in Java and C++: errors that say how X10 writes them.

use super::{Node, Path};
use crate::foreign_types::{INFERRED, type_name};
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind::{self, *};
use apg_source::TextRange;

/// What precedes the name and is meant as its type.
fn type_before_name<'a>(node: Node<'a>) -> Option<Node<'a>> {
    let first = node.nodes().find(|it| it.kind() != MODIFIER_LIST)?;
    let name = node.child(NAME)?;
    (first.start < name.start && first.kind() != POINT_PATTERN).then_some(first)
}

/// Whether a variable is declared that way.
pub(super) fn is_foreign(node: Node<'_>) -> bool {
    type_before_name(node).is_some()
}

fn text(node: Node<'_>) -> String {
    node.green.to_string().trim().to_owned()
}

/// The X10 type; none where X10 leaves it out.
fn x10_type(node: Node<'_>) -> Option<String> {
    let text = text(node);
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > 1 {
        words.retain(|it| *it != "const");
    }
    if words.len() == 1 && INFERRED.contains(&words[0]) || words == ["let", "mut"] {
        return None;
    }
    let is_plain = |it: &&str| it.chars().all(char::is_alphanumeric);
    if words.len() > 1 && words.iter().all(is_plain) {
        let last = words.iter().rev().find(|it| !matches!(**it, "int" | "unsigned" | "signed"));
        let ty = type_name(last.unwrap_or(&"int"));
        return Some(if words.contains(&"unsigned") { format!("U{ty}") } else { ty.to_owned() });
    }
    let written: String = words.concat();
    let written = written.trim_end_matches(['*', '&']);
    let element = written.trim_end_matches("[]");
    let mut ty = x10_names(element);
    for _ in 0..(written.len() - element.len()) / 2 {
        ty = format!("Rail[{ty}]");
    }
    Some(ty)
}

/// A type with the names and brackets of X10.
fn x10_names(text: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        out.push_str(type_name(word));
        out.push_str(&part[word.len()..].replace('<', "[").replace('>', "]"));
    }
    out
}

/// `name:Type`
fn x10_variable(node: Node<'_>) -> Option<String> {
    let (ty, name) = (type_before_name(node)?, node.child(NAME)?);
    Some(match x10_type(ty) {
        Some(ty) => format!("{}:{ty}", text(name)),
        None => text(name),
    })
}

fn report(errors: &mut Vec<SyntaxError>, range: TextRange, message: &str, meant: String) {
    let hint = format!("X10 writes `{meant}`");
    let error = SyntaxError::new(range, message).with_hint(hint);
    errors.push(error.replaced_by(meant));
}

/// The literal of that type that a number is meant as.
fn number(ty: Option<&str>, value: Node<'_>) -> Option<String> {
    let digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit() || it == b'_');
    let text = text(value);
    let suffix = match ty? {
        "Int" => "n",
        "Short" => "s",
        "Byte" => "y",
        "UInt" => "un",
        "UShort" => "us",
        "UByte" => "uy",
        "ULong" => "u",
        _ if !digits(&text) => return None,
        _ => "",
    };
    (value.kind() == LITERAL && digits(&text)).then(|| format!("{text}{suffix}"))
}

/// `name:Type = value` of a declarator without or with another type before its name.
fn of_type(node: Node<'_>, ty: &str) -> Option<String> {
    let name = node.child(NAME)?;
    let value = node.nodes().find(|it| it.start > name.start);
    Some(match value {
        Some(value) => {
            let value = number(Some(ty), value).unwrap_or_else(|| text(value));
            format!("{}:{ty} = {value}", text(name))
        }
        None => format!("{}:{ty}", text(name)),
    })
}

pub(super) fn declarator(node: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    let Some(first) = type_before_name(node) else { return };
    let Some(variable) = x10_variable(node) else { return };
    let Some(owner) = path.parent() else { return };
    let list = owner.child(MODIFIER_LIST);
    let is_final = list.is_some_and(|it| it.token(SyntaxKind::FINAL_KW).is_some());
    let written = text(first);
    let is_const = written.starts_with("const ") || (x10_type(first).is_none() && !written.ends_with("mut"));
    let of_struct = owner.kind() == SyntaxKind::FIELD_DECL && path.class() == Some(SyntaxKind::STRUCT_DECL);
    // The variable that a loop counts by changes, whatever word was before it.
    let counts = !is_final
        && x10_type(first).is_none()
        && owner.kind() == LOCAL_DECL
        && path.grandparent().is_some_and(|it| it.kind() == FOR_INIT);
    let keyword = if (is_final || is_const || of_struct) && !counts { "val" } else { "var" };
    let mut range = first.range().cover(node.child(NAME).map_or(first.range(), Node::range));
    let mut meant = format!("{keyword} {variable}");
    // `final` goes; modifiers behind it stay.
    if let Some((list, token)) = list.and_then(|it| Some((it, it.token(SyntaxKind::FINAL_KW)?)))
        && list.nodes().next().is_none()
    {
        range = range.cover(token.range());
        let behind = list.tokens().filter(|it| it.range().start() > token.range().start());
        let kept: String = behind.map(|it| format!("{} ", it.green.text())).collect();
        meant.insert_str(0, &kept);
    }
    let value = node.nodes().last().filter(|it| it.kind() == LITERAL);
    if let Some(value) = value
        && let Some(number) = number(x10_type(first).as_deref(), value)
    {
        meant = format!("{meant} = {number}");
        range = range.cover(value.range());
    }
    // `int a, b = 2;`
    let others: Vec<Node<'_>> =
        owner.nodes().filter(|it| it.kind() == DECLARATOR && it.start > node.start).collect();
    if let (Some(last), Some(ty)) = (others.last(), x10_type(first)) {
        let all: Option<Vec<String>> =
            std::iter::once(node).chain(others.iter().copied()).map(|it| of_type(it, &ty)).collect();
        if let Some(all) = all {
            meant = format!("{keyword} {}", all.join(", "));
            range = range.cover(node.range()).cover(last.range());
        }
    }
    let message = "a variable is declared by `val` or `var`, and its type follows its name";
    report(errors, range, message, meant);
}

pub(super) fn formal(node: Node<'_>, path: &Path<'_>, errors: &mut Vec<SyntaxError>) {
    let of_loop = path.parent().is_some_and(|it| it.kind() == FOR_IN_STMT);
    let of_method = path.grandparent().is_some_and(|it| it.kind() == METHOD_DECL && result(it).is_some());
    if of_loop || of_method {
        return;
    }
    if let (Some(first), Some(meant)) = (type_before_name(node), x10_variable(node)) {
        let range = TextRange::new(first.start, node.range().end());
        report(errors, range, "the type of a formal follows its name", meant);
    }
}

/// `for (T x : xs)`
pub(super) fn loop_variable(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    let Some(formal) = node.child(FORMAL).filter(|it| is_foreign(*it)) else { return };
    let Some(name) = formal.child(NAME) else { return };
    let end = node.child(ERROR).map_or(formal.range(), Node::range);
    let message = "a loop over a collection has `in`, and finds the type of its variable";
    report(errors, formal.range().cover(end), message, format!("{} in", text(name)));
}

/// The result of a method that precedes its name.
fn result(method: Node<'_>) -> Option<Node<'_>> {
    let name = method.child(NAME)?;
    method.child(RESULT_TYPE).filter(|it| it.start < name.start)
}

pub(super) fn method(node: Node<'_>, errors: &mut Vec<SyntaxError>) {
    let (Some(result), Some(name), Some(list)) = (result(node), node.child(NAME), node.child(FORMAL_LIST))
    else {
        return;
    };
    let formals = list.nodes().filter(|it| it.kind() == FORMAL);
    let formals: Vec<String> = formals.map(|it| x10_variable(it).unwrap_or_else(|| text(it))).collect();
    let ty = result.nodes().next().and_then(x10_type);
    let result_text = ty.map(|it| format!(":{it}")).unwrap_or_default();
    let throws = node.child(SyntaxKind::THROWS_CLAUSE);
    let thrown = throws.map(|it| format!(" {}", text(it))).unwrap_or_default();
    let meant = format!("def {}({}){thrown}{result_text}", text(name), formals.join(", "));
    let message = "a method is declared by `def`, and its result follows its formals";
    let range = result.range().cover(list.range());
    report(errors, throws.map_or(range, |it| range.cover(it.range())), message, meant);
}
