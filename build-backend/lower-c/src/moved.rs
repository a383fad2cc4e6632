//! Large arrays at file scope of a program whose parallel regions run on a device: the program uses each by a
//! pointer, so that the runtime can give it memory that moves to the device. An array stays where it is
//! unless all its uses are spelled in functions of the file.

use std::ops::Range;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{ExprId, ExprKind, Length, Program, Storage, Type, Variable, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Minimum size in bytes of an array that is moved: smaller ones are no faster.
const MIN_BYTES: u64 = 64 << 10;

/// An array that is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub variable: VariableId,
    /// Where it is used, in the text of the file.
    pub uses: Vec<Range<usize>>,
    /// The end of its declaration.
    pub declared: usize,
}

/// The pointer by which the program uses an array.
pub(crate) fn pointer_name(name: &str) -> String {
    format!("apg_at_{name}")
}

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Code,
    /// Behind `sizeof`, which reads nothing.
    Size,
    /// In a line of the preprocessor.
    Directive,
}

/// The arrays of a file that can be moved.
pub(crate) fn moved_arrays(parsed: &Parsed) -> Vec<Moved> {
    let (hir, text) = (&parsed.program, parsed.text());
    let candidates: FxHashMap<&str, VariableId> =
        (0..hir.variables.len()).map(VariableId::new).filter_map(|id| is_candidate(hir, id)).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let words = words(text, &|word| candidates.contains_key(word));
    // Constructors run before the runtime: they may keep addresses. Copies on devices are found by the
    // addresses of the objects themselves.
    let has_target = hir.directive_ids().any(|it| hir.directive(it).name.contains("target"));
    if has_target || text.contains("constructor") {
        return Vec::new();
    }
    let used = uses(parsed, &candidates);
    let constant = in_constants(hir);
    let mut found: Vec<Moved> = candidates
        .iter()
        .filter(|(_, id)| !constant.contains(id))
        .filter_map(|(name, id)| {
            let of = hir.variable(*id);
            let declared: Range<usize> = parsed.spelled(of.range?)?.into();
            let mut uses = used.get(id).cloned().unwrap_or_default();
            uses.sort_unstable();
            uses.dedup();
            let places = words.get(*name)?;
            let mut expected: Vec<usize> = uses.iter().copied().chain([declared.start]).collect();
            expected.sort_unstable();
            let is_all_known = places.iter().all(|it| it.1 != Place::Directive)
                && places.iter().filter(|it| it.1 == Place::Code).map(|it| it.0).eq(expected);
            let end = end_of_declaration(text, &declared)?;
            let uses = uses.into_iter().map(|at| at..at + name.len()).collect();
            is_all_known.then_some(Moved { variable: *id, uses, declared: end })
        })
        .collect();
    found.sort_by_key(|it| it.variable.index());
    found
}

/// A `static` array of a known size, by its name.
fn is_candidate(hir: &Program, id: VariableId) -> Option<(&str, VariableId)> {
    let of: &Variable = hir.variable(id);
    let is_array = matches!(of.ty, Type::Array(_, Length::Constant(_)));
    let is_large = hir.size_of(&of.ty).is_some_and(|it| it >= MIN_BYTES);
    let is_plain = of.storage == Storage::Global && of.function.is_none() && !of.is_const && !of.is_volatile;
    (is_array && is_large && is_plain && of.range.is_some() && !hir.is_threadprivate(id))
        .then_some((of.name.as_str(), id))
}

/// The offsets at which functions use the arrays, but in clauses.
fn uses(parsed: &Parsed, arrays: &FxHashMap<&str, VariableId>) -> FxHashMap<VariableId, Vec<usize>> {
    let hir = &parsed.program;
    let mut found: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
    for (_, body) in hir.defined_functions() {
        hir.walk_stmt(body, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Variable(id) = hir.expr(expr).kind
                && arrays.get(hir.variable(id).name.as_str()) == Some(&id)
                && let Some(range) = parsed.spelled(hir.expr(expr).range)
            {
                let range: Range<usize> = range.into();
                if parsed.text()[range.clone()] == *hir.variable(id).name {
                    found.entry(id).or_default().push(range.start);
                }
            }
            true
        });
    }
    found
}

/// The variables whose addresses constants have: a pointer is none.
fn in_constants(hir: &Program) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    let initializers =
        hir.variables.iter().filter(|it| it.has_static_storage()).filter_map(|it| it.initializer);
    for initializer in initializers {
        note_variables(hir, initializer, &mut found);
    }
    found
}

fn note_variables(hir: &Program, expr: ExprId, found: &mut FxHashSet<VariableId>) {
    hir.walk_expr(expr, &mut |node| {
        if let Node::Expr(it) = node
            && let ExprKind::Variable(id) = hir.expr(it).kind
        {
            found.insert(id);
        }
        true
    });
}

/// Where some words stand in a text, without its comments and strings.
fn words<'t>(text: &'t str, is_wanted: &dyn Fn(&str) -> bool) -> FxHashMap<&'t str, Vec<(usize, Place)>> {
    let mut found: FxHashMap<&str, Vec<(usize, Place)>> = FxHashMap::default();
    let (mut is_directive, mut is_line_start, mut before) = (false, true, "");
    for (at, token) in tokens(text) {
        match token {
            "\n" => (is_directive, is_line_start) = (false, true),
            "#" if is_line_start => is_directive = true,
            _ => {}
        }
        if token != "\n" {
            is_line_start = false;
        }
        if is_wanted(token) {
            let place = match before {
                _ if is_directive => Place::Directive,
                "sizeof" => Place::Size,
                _ => Place::Code,
            };
            found.entry(token).or_default().push((at, place));
        }
        if !(before == "sizeof" && token == "(") && token != "\n" {
            before = token;
        }
    }
    found
}

/// The words and other characters of a text, and the ends of its lines, without comments, strings, spaces and
/// lines that are continued.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..).filter(|it| !it.is_empty())?;
            let start = at;
            if let Some(length) = skipped(rest) {
                at += length;
                continue;
            }
            let is_word = |it: char| it.is_alphanumeric() || it == '_';
            let length = match rest.find(|it: char| !is_word(it)).unwrap_or(rest.len()) {
                0 => rest.chars().next().map_or(1, char::len_utf8),
                length => length,
            };
            at += length;
            return Some((start, &rest[..length]));
        }
    })
}

/// The length of what stands between tokens: spaces but the end of a line, continued lines, comments; of
/// strings and characters.
fn skipped(rest: &str) -> Option<usize> {
    if let Some(continued) = ["\\\n", "\\\r\n"].iter().find(|it| rest.starts_with(**it)) {
        return Some(continued.len());
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        return Some(comment.find("*/").map_or(rest.len(), |it| it + 4));
    }
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    let first = rest.chars().next()?;
    if first == '"' || first == '\'' {
        let mut is_escaped = false;
        let end = rest[1..].find(|it: char| {
            let is_end = !is_escaped && (it == first || it == '\n');
            is_escaped = !is_escaped && it == '\\';
            is_end
        });
        return Some(end.map_or(rest.len(), |it| it + 2));
    }
    (first.is_whitespace() && first != '\n').then(|| first.len_utf8())
}

/// The end of the declaration of a name, if it says `static`.
fn end_of_declaration(text: &str, name: &Range<usize>) -> Option<usize> {
    let (mut is_static, mut depth, mut end) = (false, 0_i32, None);
    // A brace ends the declaration of a function, but not an initialiser.
    let mut has_initialiser = false;
    let mut is_line_start = true;
    let mut is_directive = false;
    for (at, token) in tokens(text) {
        is_directive = token != "\n" && (is_directive || is_line_start && token == "#");
        is_line_start = token == "\n";
        if is_directive {
            // Of the declaration as well: it may have several forms.
            if at > name.start {
                return None;
            }
            is_static = false;
            continue;
        }
        match token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            "static" if depth == 0 => is_static = true,
            "=" if depth == 0 => has_initialiser = true,
            ";" if depth == 0 && at > name.start => {
                end = Some(at + 1);
                break;
            }
            _ => {}
        }
        if at < name.start && depth == 0 && (token == ";" || token == "}" && !has_initialiser) {
            (is_static, has_initialiser) = (false, false);
        }
    }
    end.filter(|_| is_static)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_code() {
        let text = "a b /* a */ \"a\" sizeof a + sizeof(a)\n#define x a \\\n a\n'\\'' a // a";
        let places: Vec<Place> = words(text, &|it| it == "a")["a"].iter().map(|it| it.1).collect();
        assert_eq!(
            places,
            [Place::Code, Place::Size, Place::Size, Place::Directive, Place::Directive, Place::Code]
        );
    }

    #[test]
    fn declarations_end_behind_all_their_names() {
        let text = "int x; static int a[2] = {1, 2}, b[3]; int c[4]; struct s { int i; } d[9];";
        let end = |name: &str| {
            let at = text.find(name).expect("a name");
            end_of_declaration(text, &(at..at + 1)).map(|it| &text[..it])
        };
        assert_eq!(end("a[2]"), Some("int x; static int a[2] = {1, 2}, b[3];"));
        assert_eq!(end("b[3]"), end("a[2]"));
        assert_eq!((end("c[4]"), end("d[9]")), (None, None));
    }
}
