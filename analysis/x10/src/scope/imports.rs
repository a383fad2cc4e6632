//! Imports: diagnostics of unresolved imports, and the edit that adds an import.

use std::path::PathBuf;

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize, closest};
use smol_str::{SmolStr, format_smolstr};

use super::lookup::{Found, qualified_type};
use super::packages::{
    Folder, all_type_names, file_beside, misplaced_type, package_exists, package_of_folder, packages,
    source_root, type_in_package, types_named,
};
use super::problem::Problem;
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::ids::SourceFile;
use crate::inputs::parse;
use crate::item_tree::Import;
use crate::item_tree::items::{class_head, imports};
use crate::rules::name as name_rules;

/// The position of a new import, with the white space before and after it.
struct Insertion {
    range: TextRange,
    before: &'static str,
    after: &'static str,
}

/// The position of a new import: after the last import, else after the package declaration, else at the
/// start.
fn insertion(db: &dyn Db, file: SourceFile) -> Insertion {
    let tree: ast::SourceFile = parse(db, file).tree();
    let at = |end: TextSize| TextRange::empty(end);
    if let Some(import) = tree.import_decls().last() {
        return Insertion { range: at(import.syntax().text_range().end()), before: "\n", after: "" };
    }
    if let Some(package) = tree.package_decl() {
        return Insertion { range: at(package.syntax().text_range().end()), before: "\n\n", after: "" };
    }
    let start = tree.items().next().map_or(TextSize::from(0), |item| start_with_comments(item.syntax()));
    Insertion { range: at(start), before: "", after: "\n\n" }
}

/// The start of a declaration together with its documentation: the comments directly above it. A comment that
/// an empty line separates from the declaration belongs to the file.
fn start_with_comments(item: &SyntaxNode) -> TextSize {
    let mut start = item.text_range().start();
    let mut token = item.first_token().and_then(|token| token.prev_token());
    while let Some(before) = token.filter(|token| token.kind().is_trivia()) {
        match before.kind() {
            SyntaxKind::WHITESPACE if before.text().matches('\n').count() > 1 => break,
            SyntaxKind::WHITESPACE => {}
            _ => start = before.text_range().start(),
        }
        token = before.prev_token();
    }
    start
}

/// The edit that imports a type of this qualified name.
pub(crate) fn import_edit(db: &dyn Db, file: SourceFile, name: &str) -> TextEdit {
    let position = insertion(db, file);
    let text = format!("{}import {name};{}", position.before, position.after);
    TextEdit { file: Some(file), range: position.range, text }
}

/// The problems of the imports of a file.
#[salsa::tracked]
pub fn import_problems(db: &dyn Db, file: SourceFile) -> Vec<Problem> {
    let root = source_root(db, file);
    let mut problems = Vec::new();
    // [`package_problem`] reports the imports that the right package declaration would resolve.
    let elsewhere = wrong_package(db, file).as_ref().and_then(|it| root_of(db, file, it));
    for import in missing(db, file).filter(|it| !elsewhere.is_some_and(|root| is_below(db, root, it))) {
        let what = if import.on_demand { "package or class" } else { "type" };
        let message = format!("there is no {what} `{}` to import", import.path);
        let mut problem = Problem::new(&name_rules::unknown_import::RULE, import.at, message);
        let (package, simple) = import.path.rsplit_once('.').unwrap_or(("", &import.path));
        if let Some(beside) = file_beside(db, root, package, simple).filter(|_| !import.on_demand) {
            let name = beside.path(db).file_name().unwrap_or_default().to_string_lossy();
            problems.push(
                problem
                    .note(format!("`{name}` of `{package}` declares `{simple}`, but other packages find a type only in the file that is named after it"))
                    .note(format!("move `{simple}` to a file `{simple}.x10` beside `{name}`")),
            );
            continue;
        }
        let mut meant = meant(db, file, root, import);
        let around = qualified_type(db, file, package);
        if let (true, Some(why)) = (meant.is_empty(), misplaced(db, file, root, (package, simple))) {
            problem = problem.note(why);
        } else if let Some(near) = around.as_ref().and_then(|it| similar_member(db, it, simple)) {
            meant = vec![format_smolstr!("{package}.{near}")];
        } else if around.is_some() {
            let class = package.rsplit('.').next().unwrap_or(package);
            problem = problem.note(format!("`{class}` has no member type `{simple}`"));
        } else if super::java::is_root(import.path.split('.').next().unwrap_or_default()) {
            problem = problem.note(super::java::NO_PACKAGE);
            if let Some(advice) = super::java::advice(simple).filter(|_| meant.is_empty()) {
                problem = problem.note(advice);
            }
        } else if package == "x10.interop" {
            problem = problem.note("what connects X10 with Java is part of X10's back end for Java: this one compiles to machine code");
        } else if meant.is_empty() {
            problem =
                problem.note("check the spelling, or add the folder that holds it with `--source-path`");
        }
        for name in meant.iter().take(3) {
            problem = problem
                .note(format!("there is `{name}`"))
                .replace_by(format!("Import `{name}` instead"), name.as_str());
        }
        problems.push(problem);
    }
    problems
}

/// The unresolved imports of a file.
fn missing(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = &Import> {
    let root = source_root(db, file);
    imports(db, file).iter().filter(move |import| {
        let exists = || qualified_type(db, file, &import.path).is_some();
        let is_package = || import.on_demand && package_exists(db, root, &import.path);
        !import.path.is_empty() && !exists() && !is_package()
    })
}

/// The package of the file's folder, if the file declares another package and the folder's package would
/// resolve some of the file's unresolved imports.
#[salsa::tracked]
pub fn wrong_package(db: &dyn Db, file: SourceFile) -> Option<SmolStr> {
    let missing: Vec<&Import> = missing(db, file).collect();
    if missing.is_empty() {
        return None;
    }
    let wanted: Vec<PathBuf> =
        missing.iter().map(|it| PathBuf::from(format!("{}.x10", it.path.replace('.', "/")))).collect();
    let package = package_of_folder(db, file, &wanted)?;
    let root = root_of(db, file, &package)?;
    missing.iter().any(|it| is_below(db, root, it)).then_some(package)
}

/// The root folder of packages, if `file` belongs to `package`.
fn root_of(db: &dyn Db, file: SourceFile, package: &str) -> Option<Folder> {
    let depth = package.split('.').count();
    let root = file.path(db).parent()?.ancestors().nth(depth)?;
    Some(Folder::new(db, root.to_path_buf()))
}

fn is_below(db: &dyn Db, root: Folder, import: &Import) -> bool {
    let (package, simple) = import.path.rsplit_once('.').unwrap_or(("", &import.path));
    type_in_package(db, root, package, simple).is_some()
        || import.on_demand && package_exists(db, root, &import.path)
}

/// The diagnostic of a package declaration that leaves imports of the file unresolved; see [`wrong_package`].
pub(crate) fn package_problem(db: &dyn Db, file: SourceFile) -> Option<Diagnostic> {
    let meant = wrong_package(db, file).as_ref()?;
    let tree: ast::SourceFile = parse(db, file).tree();
    let line = format!("package {meant};");
    let note = "packages are searched from the root folder of the program, which follows from the package that the file states";
    let rule = &name_rules::unknown_import::RULE;
    let (diagnostic, range, text) = match tree.package_decl() {
        Some(written) => {
            let range = written.syntax().text_range();
            let said = crate::item_tree::items::package(db, file);
            let message =
                format!("the file is in the folder of `{meant}`, not of `{said}`: its imports are not found");
            (rule.at(range, message), range, line.clone())
        }
        None => {
            let first = tree.import_decls().next()?.syntax().text_range();
            let message = format!(
                "the file is in the folder of `{meant}` and says no package: its imports are not found"
            );
            (rule.at(first, message), TextRange::empty(first.start()), format!("{line}\n"))
        }
    };
    let edits = vec![TextEdit { file: None, range, text }];
    Some(diagnostic.note(note).fix(Fix { title: format!("Write `{line}`"), edits }))
}

/// Suggestions for an unresolved import: the qualified names of the types or packages closest to it.
fn meant(db: &dyn Db, file: SourceFile, root: Folder, import: &Import) -> Vec<SmolStr> {
    let path = &import.path;
    if import.on_demand {
        let packages = packages(db, root);
        return closest(path, packages.iter().map(SmolStr::as_str)).map(SmolStr::new).into_iter().collect();
    }
    // The imported file exists: `misplaced` explains better than another name why it is not found.
    if all_type_names(db, root).contains(path) {
        return Vec::new();
    }
    let (package, simple) = path.rsplit_once('.').unwrap_or(("", path));
    let named = types_named(db, root, simple);
    if !named.is_empty() {
        return named;
    }
    let member = || {
        let of = format_smolstr!("{}.{simple}", similar(db, root, package)?);
        qualified_type(db, file, &of).is_some().then_some(of)
    };
    similar(db, root, path).or_else(member).into_iter().collect()
}

/// Why an import is unresolved although its file exists: the importing or the imported file declares a
/// package other than its folder's.
fn misplaced(db: &dyn Db, file: SourceFile, root: Folder, imported: (&str, &str)) -> Option<String> {
    let own = package_of_folder(db, file, &[]).map(|folder| {
        format!("packages are looked for from the folders that hold them, and this file is in that of `{folder}`: write `package {folder};`")
    });
    own.or_else(|| misplaced_type(db, root, imported))
}

/// The member type of the class `around` whose name is closest to `name`.
fn similar_member(db: &dyn Db, around: &Found, name: &str) -> Option<SmolStr> {
    let Found::Class(class) = around else { return None };
    let item = class_head(db, *class).as_ref()?;
    let nested = item.nested.iter().map(|it| it.name.as_str());
    closest(name, nested.chain(item.typedefs.iter().map(|it| it.name.as_str()))).map(SmolStr::new)
}

/// The type of the same package whose name is closest. A file need not declare the type it is named after, so
/// a candidate is looked up before it is suggested; other files are not read.
fn similar(db: &dyn Db, root: Folder, path: &str) -> Option<SmolStr> {
    let (package, simple) = path.rsplit_once('.')?;
    let in_package = |name: &'_ SmolStr| name.rsplit_once('.').is_some_and(|(of, _)| of == package);
    let names = all_type_names(db, root);
    let neighbours = names.iter().filter(|name| in_package(name)).filter_map(|name| name.rsplit('.').next());
    let mut neighbours: Vec<&str> = neighbours.collect();
    while let Some(near) = closest(simple, neighbours.iter().copied()) {
        if type_in_package(db, root, package, near).is_some() {
            return Some(format_smolstr!("{package}.{near}"));
        }
        neighbours.retain(|it| *it != near);
    }
    None
}
