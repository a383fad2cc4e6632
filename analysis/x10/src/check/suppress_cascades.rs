//! Suppression of cascading errors: problems that are likely consequences of a syntax error (Dragon Book,
//! 4.1.3).

use apg_syntax::{SyntaxNode, TextRange};
use smol_str::SmolStr;

use super::error_regions::{ErrorRegions, names_around, names_within};
use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::ids::SourceFile;
use crate::inputs::parse;
use crate::scope::packages::{all_type_names, source_root, types_named};

/// Drops consequences of syntax errors: problems of the erroneous statement or declaration and of those that
/// use its names, of names that it may declare, and of control flow in its member. If braces do not match,
/// only syntax errors remain.
pub(super) fn suppress_cascades(db: &dyn Db, file: SourceFile, all: &mut Vec<Diagnostic>) {
    let parse = parse(db, file);
    let Some(first) = parse.syntax_errors().iter().map(|error| error.range.start()).min() else { return };
    let root = parse.syntax();
    if !parse.has_all_braces() {
        let is_syntax =
            |found: &Diagnostic| found.code.starts_with("syntax/") || found.code.starts_with("internal/");
        all.retain(|found| {
            is_syntax(found) && (found.range.start() == first || !is_between_members(&root, found))
        });
        return;
    }
    let errors = parse.syntax_errors();
    let regions = ErrorRegions::new(&root, errors);
    let is_error =
        |found: &Diagnostic| errors.iter().any(|it| it.range == found.range && it.message == found.message);
    all.retain(|found| match found.code.split('/').next() {
        Some("internal") => true,
        Some("syntax") => is_error(found) || !is_in_any(&regions.fragments, found.range),
        family => {
            let family = family.unwrap_or_default();
            !is_cascade(&root, &regions, family, found)
                && !may_need_broken_import(db, file, &root, &regions.imports, family, found)
        }
    });
}

fn is_in_any(ranges: &[TextRange], range: TextRange) -> bool {
    ranges.iter().any(|it| it.contains_range(range))
}

fn is_cascade(root: &SyntaxNode, regions: &ErrorRegions, family: &str, found: &Diagnostic) -> bool {
    let range = found.range;
    if is_in_any(&regions.fragments, range) || regions.errors.iter().any(|it| range.contains_range(*it)) {
        return true;
    }
    match found.code {
        "name/unresolved" | "name/unknown-type" if regions.may_declare(range) => return true,
        // Constructors with syntax errors assign nothing.
        "flow/field-not-assigned" if is_in_any(&regions.classes, range) => return true,
        _ if matches!(family, "flow" | "cuda" | "hoist" | "slots")
            && is_in_any(&regions.member_ranges, range) =>
        {
            return true;
        }
        _ => {}
    }
    regions.is_named_in(root, range)
}

/// Whether an erroneous import may provide the name that an error is about.
fn may_need_broken_import(
    db: &dyn Db,
    file: SourceFile,
    root: &SyntaxNode,
    imports: &[String],
    family: &str,
    found: &Diagnostic,
) -> bool {
    if imports.is_empty() {
        return false;
    }
    let names = match family {
        "name" => names_within(root, found.range),
        "type" | "constraint" => names_around(root, found.range),
        _ => return false,
    };
    let folder = source_root(db, file);
    let all = all_type_names(db, folder);
    let brings = |name: &SmolStr| {
        types_named(db, folder, name).iter().any(|it| imports.iter().any(|import| it.starts_with(&**import)))
    };
    // Members of a type are not listed.
    let is_type = |import: &String| all.iter().any(|it| *it == import.trim_end_matches('.'));
    imports.iter().any(is_type) || names.iter().any(brings)
}

/// Whether an error is where members or classes are expected, as after a superfluous brace.
fn is_between_members(root: &SyntaxNode, found: &Diagnostic) -> bool {
    use apg_syntax::SyntaxKind::{CLASS_BODY, ERROR, SOURCE_FILE};
    let token = apg_syntax::token_at_offset(root, found.range.start()).right_biased();
    let around = token.and_then(|token| {
        let aside = token.parent_ancestors().filter(|node| node.kind() == ERROR).last();
        aside.map_or_else(|| token.parent(), |node| node.parent())
    });
    around.is_none_or(|node| matches!(node.kind(), CLASS_BODY | SOURCE_FILE))
}
