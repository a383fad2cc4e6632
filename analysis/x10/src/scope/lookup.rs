//! Name lookup: resolves simple and dotted names to classes, type definitions and type parameters.

use apg_syntax::closest;
use smol_str::{SmolStr, format_smolstr};

use super::ancestors::ancestors;
use super::packages::{
    TypeItem, misplaced_type, named_files, package_exists, source_root, type_beside, type_in_file,
    type_in_package, types_named,
};
use super::problem::Problem;
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Fix};
use crate::ids::{ClassId, SourceFile, TypedefId};
use crate::item_tree::items::{
    body_typedefs, class_head, imports, own_member_class, own_typedefs, package, top_level_classes,
    type_param_ids, typedef_item,
};
use crate::item_tree::{ClassHead, NameSegment};
use crate::rules::name as name_rules;
use crate::scope::problem::unknown_type;
use crate::scope::type_scope::TypeScope;
use crate::ty::Ty;

/// The resolution of a type name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A type parameter, or what is substituted for one.
    Param(Ty),
    /// A class, struct or interface.
    Class(ClassId),
    /// Type definitions of that name, overloaded by numbers of arguments.
    Typedefs(Vec<TypedefId>),
}

impl From<TypeItem> for Found {
    fn from(item: TypeItem) -> Found {
        match item {
            TypeItem::Class(class) => Found::Class(class),
            TypeItem::Typedefs(typedefs) => Found::Typedefs(typedefs),
        }
    }
}

/// An ambiguous name: imports on demand provide several types of that name, listed here qualified.
struct Ambiguous(Vec<SmolStr>);

impl TypeScope<'_> {
    /// Resolves a dotted name. Also returns the index of its last segment.
    pub(crate) fn find(
        &self,
        segments: &[NameSegment],
        values: usize,
        problems: &mut Vec<Problem>,
    ) -> Option<(Found, usize)> {
        let db = self.db;
        let first = &segments[0];
        let arity = (segments.len() == 1).then_some((first.args.len(), values));
        let mut found = match self.find_simple(&first.name, arity) {
            Ok(found) => found,
            Err(Ambiguous(names)) => {
                let list = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" and ");
                let message = format!("`{}` may be {list}: several imports provide it", first.name);
                problems.push(
                    Problem::new(&name_rules::ambiguous_type::RULE, first.at, message)
                        .note(format!("import the one you mean by name: `import {};`", names[0])),
                );
                return None;
            }
        };
        let mut next = 1;
        if found.is_none() {
            // A package, then a class in it.
            let root = source_root(db, self.file);
            for end in 1..segments.len() {
                let package = segments[..end].iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(".");
                if let Some(item) = type_in_package(db, root, &package, &segments[end].name) {
                    found = Some(item.into());
                    next = end + 1;
                    break;
                }
            }
        }
        let Some(mut found) = found else {
            // An unresolved import of that name has been reported already.
            let name = segments[0].name.as_str();
            let imported = |path: &str| {
                let simple = path.rsplit('.').next().unwrap_or(path);
                let is_misspelt = || closest(name, std::iter::once(simple)).is_some();
                // The first segment of a longer name was meant as a package, so a misspelt import is no
                // explanation.
                simple == name
                    || segments.len() == 1 && is_misspelt() && qualified_type(db, self.file, path).is_none()
            };
            let imports = imports(db, self.file);
            if !imports.iter().any(|it| !it.on_demand && imported(&it.path)) {
                problems.push(self.unknown(segments));
            }
            return None;
        };
        for segment in &segments[next..] {
            let class = match &found {
                Found::Class(class) => Some(*class),
                Found::Typedefs(typedefs) => self.class_behind(typedefs),
                Found::Param(_) => None,
            };
            let Some(class) = class else {
                problems.push(unknown_type(segment.at, &segment.name).note("only classes have member types"));
                return None;
            };
            match self.member_type(class, &segment.name) {
                Some(member) => found = member,
                None => {
                    let message = format!("`{}` has no member type `{}`", class.name(db), segment.name);
                    problems.push(Problem::new(&name_rules::unknown_type::RULE, segment.at, message));
                    return None;
                }
            }
        }
        Some((found, segments.len() - 1))
    }

    /// Resolves a simple type name.
    pub(crate) fn find_type(&self, name: &str) -> Option<Found> {
        self.find_simple(name, None).ok().flatten()
    }

    /// Resolves the dotted name of a class. For expressions, in which the first segments may be a package.
    pub(crate) fn find_class(&self, names: &[SmolStr]) -> Option<ClassId> {
        let segment = |name: &SmolStr| NameSegment { name: name.clone(), args: Vec::new(), at: 0 };
        let segments: Vec<_> = names.iter().map(segment).collect();
        match self.find(&segments, 0, &mut Vec::new())?.0 {
            Found::Class(class) => Some(class),
            Found::Param(_) => None,
            Found::Typedefs(_) => {
                let kind = crate::item_tree::TypeRefKind::Named { segments, args: Vec::new() };
                let ty = self.resolve(&crate::item_tree::TypeRef { at: 0, kind }, &mut Vec::new());
                ty.as_class(self.db).map(|(class, _)| class)
            }
        }
    }

    /// The problem of a dotted name that resolves to no class; `at` is the index of its range.
    pub(crate) fn missing_class(&self, names: &[SmolStr], at: u32) -> Option<Problem> {
        let segment = |name: &SmolStr| NameSegment { name: name.clone(), args: Vec::new(), at };
        let segments: Vec<_> = names.iter().map(segment).collect();
        let mut problems = Vec::new();
        self.find(&segments, 0, &mut problems).is_none().then(|| problems.into_iter().next()).flatten()
    }

    /// Whether a dotted name is a package or a prefix of one.
    pub(crate) fn is_package(&self, name: &str) -> bool {
        package_exists(self.db, source_root(self.db, self.file), name)
    }

    /// Resolves a simple name from the innermost scope outwards. `arity` is the number of type arguments and
    /// of value arguments; a type definition of another arity does not shadow names of outer scopes.
    fn find_simple(&self, name: &str, arity: Option<(usize, usize)>) -> Result<Option<Found>, Ambiguous> {
        let mut hidden = None;
        let fits = |found: &Found| match (found, arity) {
            (Found::Typedefs(typedefs), Some((types, values))) => {
                typedefs.iter().any(|t| self.takes(*t, types, values))
            }
            _ => true,
        };
        if let Some((_, ty)) = self.type_params.iter().rev().find(|(n, _)| n == name) {
            return Ok(Some(Found::Param(*ty)));
        }
        for (_, found) in self.local_types.iter().rev().filter(|(n, _)| n == name) {
            if fits(found) {
                return Ok(Some(found.clone()));
            }
            hidden = hidden.or(Some(found.clone()));
        }
        let mut class = self.class;
        while let Some(inner) = class {
            match self.in_class(inner, name).or_else(|| self.beside(inner, name)) {
                Some(found) if fits(&found) => return Ok(Some(found)),
                Some(found) => hidden = hidden.or(Some(found)),
                None => {}
            }
            class = inner.outer(self.db);
        }
        Ok(self.in_file(name)?.or(hidden))
    }

    /// Whether a type definition has these numbers of type parameters and formals.
    pub(crate) fn takes(&self, typedef: TypedefId, types: usize, values: usize) -> bool {
        typedef_item(self.db, typedef)
            .as_ref()
            .is_some_and(|t| t.type_params.len() == types && t.params.len() == values)
    }

    /// A type parameter or member type of `class`, or the class itself.
    fn in_class(&self, class: ClassId, name: &str) -> Option<Found> {
        let db = self.db;
        if let Some(param) = type_param_ids(db, class).iter().find(|p| p.name(db) == name) {
            return Some(Found::Param(Ty::param(db, *param)));
        }
        if let Some(found) = self.member_type(class, name) {
            return Some(found);
        }
        (class.name(db) == name).then_some(Found::Class(class))
    }

    /// A class or type definition declared in the same body as the local or anonymous class `class`.
    fn beside(&self, class: ClassId, name: &str) -> Option<Found> {
        let db = self.db;
        let body = class_head(db, class).as_ref()?.body.as_ref()?;
        let outer = class.outer(db)?;
        let siblings = &class_head(db, outer).as_ref()?.nested;
        let same = |c: &&std::sync::Arc<ClassHead>| {
            c.name == name && c.body.as_ref().is_some_and(|b| b.owner == body.owner && b.nth == body.nth)
        };
        let Some(found) = siblings.iter().find(same) else {
            let mut typedefs = body_typedefs(db, outer, &body.owner, body.nth);
            typedefs.retain(|t| t.name(db) == name);
            return (!typedefs.is_empty()).then_some(Found::Typedefs(typedefs));
        };
        Some(Found::Class(ClassId::new(db, outer.file(db), Some(outer), found.name.clone(), found.nth)))
    }

    /// The member type `name` of `class`, declared or inherited.
    pub(crate) fn member_type(&self, class: ClassId, name: &str) -> Option<Found> {
        let db = self.db;
        let own = |class: ClassId| {
            if let Some(member) = own_member_class(db, class, name) {
                return Some(Found::Class(member));
            }
            let typedefs = own_typedefs(db, class, name);
            (!typedefs.is_empty()).then_some(Found::Typedefs(typedefs))
        };
        if let Some(found) = own(class) {
            return Some(found);
        }
        if self.header_of == Some(class) {
            return None;
        }
        ancestors(db, class).iter().copied().find_map(own)
    }

    fn in_file(&self, name: &str) -> Result<Option<Found>, Ambiguous> {
        let db = self.db;
        let root = source_root(db, self.file);
        for import in imports(db, self.file).iter().filter(|i| !i.on_demand) {
            if import.path.rsplit('.').next() == Some(name)
                && let Some(found) = qualified_type(db, self.file, &import.path)
            {
                return Ok(Some(found));
            }
        }
        if let Some(item) = type_in_file(db, self.file, name) {
            return Ok(Some(item.into()));
        }
        if let Some(item) = type_in_package(db, root, package(db, self.file), name) {
            return Ok(Some(item.into()));
        }
        let mut all: Vec<(SmolStr, Found)> = Vec::new();
        for import in imports(db, self.file).iter().filter(|i| i.on_demand) {
            let item = type_in_package(db, root, &import.path, name).map(Found::from);
            let item = item.or_else(|| match qualified_type(db, self.file, &import.path)? {
                Found::Class(class) => self.member_type(class, name),
                _ => None,
            });
            if let Some(found) = item
                && all.iter().all(|(_, other)| *other != found)
            {
                all.push((format_smolstr!("{}.{name}", import.path), found));
            }
        }
        match all.len() {
            0 => {}
            1 => return Ok(all.pop().map(|(_, found)| found)),
            _ => return Err(Ambiguous(all.into_iter().map(|(name, _)| name).collect())),
        }
        if let Some(item) = type_in_package(db, root, "x10.lang", name) {
            return Ok(Some(item.into()));
        }
        // The static member types of the class `_` of `x10.lang` are visible everywhere.
        let alias = match type_in_package(db, root, "x10.lang", "_") {
            Some(TypeItem::Class(aliases)) => self.member_type(aliases, name),
            _ => None,
        };
        Ok(alias.or_else(|| type_beside(db, root, package(db, self.file), name).map(Found::from)))
    }

    /// The qualified names of the types `name` of all packages.
    pub(crate) fn types_elsewhere(&self, name: &str) -> Vec<SmolStr> {
        types_named(self.db, source_root(self.db, self.file), name)
    }

    /// The problem of an unresolved dotted name, with suggestions.
    pub(crate) fn unknown(&self, segments: &[NameSegment]) -> Problem {
        let last = &segments[segments.len() - 1];
        let whole = segments.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(".");
        let mut problem = unknown_type(last.at, &whole);
        if segments.len() == 1
            && let Some(diagnostic) = self.with_imports(&problem.diagnostic, &last.name)
        {
            problem.diagnostic = diagnostic;
            return problem;
        }
        if segments.len() > 1 && super::java::is_root(&segments[0].name) {
            let name = &last.name;
            let there = self.types_elsewhere(name).into_iter().next();
            let ours = super::java::same_class(name).map(SmolStr::new).or(there);
            let problem = problem.note(super::java::NO_PACKAGE);
            return match (ours, super::java::advice(name)) {
                (_, Some(advice)) => problem.note(advice),
                (Some(ours), None) => problem.note(format!("X10 has `{ours}`")),
                (None, None) => problem,
            };
        }
        if segments.len() > 1 {
            let package =
                segments[..segments.len() - 1].iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(".");
            return match self.is_package(&package) {
                true => {
                    let problem =
                        problem.note(format!("the package `{package}` has no type `{}`", last.name));
                    let there = self.types_elsewhere(&last.name);
                    there.iter().take(3).fold(problem, |it, name| it.note(format!("there is `{name}`")))
                }
                false => problem.note(format!("there is no class and no package `{package}` either")),
            };
        }
        let here = (package(self.db, self.file).as_str(), last.name.as_str());
        if let Some(why) = misplaced_type(self.db, source_root(self.db, self.file), here) {
            return problem.note(why);
        }
        if let Some(advice) =
            crate::scope::outdated_names::type_advice(&last.name).or_else(|| super::java::advice(&last.name))
        {
            return problem.note(advice);
        }
        let names = self.visible_names();
        let ours = type_elsewhere(&last.name);
        match ours.or_else(|| closest(&last.name, names.iter().map(SmolStr::as_str))) {
            Some(near) => problem
                .note(format!("did you mean `{near}`?"))
                .replace_by(format!("Replace by `{near}`"), near),
            None => match self.almost(&last.name) {
                Some(near) => problem
                    .note(format!("did you mean `{near}`?"))
                    .replace_by(format!("Replace by `{near}`"), near),
                None if last.name.starts_with(char::is_lowercase) => problem.note(format!(
                    "declare it, or import it from its package; if it is to name a variable, a type follows it: `{}:Type`",
                    last.name
                )),
                None => problem.note("declare it, or import it from its package"),
            },
        }
    }

    /// Adds notes and import fixes to the diagnostic of an unresolved name, for types of that name in other
    /// packages; `None` if there are none.
    pub(crate) fn with_imports(&self, diagnostic: &Diagnostic, name: &str) -> Option<Diagnostic> {
        let elsewhere = types_named(self.db, source_root(self.db, self.file), name);
        let add = |diagnostic: Diagnostic, name: &SmolStr| {
            let note = format!("there is `{name}`: import it with `import {name};`");
            diagnostic.note(note).fix(self.import_fix(name))
        };
        let former = crate::scope::outdated_names::import_advice(name);
        let diagnostic = former.into_iter().fold(diagnostic.clone(), Diagnostic::note);
        (!elsewhere.is_empty()).then(|| elsewhere.iter().take(3).fold(diagnostic, add))
    }

    /// The type of any package whose simple name differs from `name` only in case, else by few letters;
    /// `None` if several types do. Qualified.
    fn almost(&self, name: &str) -> Option<SmolStr> {
        let root = source_root(self.db, self.file);
        let all = super::packages::all_type_names(self.db, root).iter();
        let simple = |it: &'_ SmolStr| SmolStr::new(it.rsplit('.').next().unwrap_or_default());
        let named = |wanted: &dyn Fn(&str) -> bool| {
            let mut alike = all.clone().filter(|it| wanted(&simple(it)));
            let first = alike.next()?;
            alike.next().is_none().then(|| first.clone())
        };
        named(&|it| it.eq_ignore_ascii_case(name)).or_else(|| {
            let names: Vec<SmolStr> = all.clone().map(simple).collect();
            let near = closest(name, names.iter().map(SmolStr::as_str))?;
            named(&|it| it == near)
        })
    }

    /// The fix that imports a type.
    fn import_fix(&self, name: &str) -> Fix {
        let edit = super::imports::import_edit(self.db, self.file, name);
        Fix { title: format!("Import `{name}`"), edits: vec![edit] }
    }

    /// The simple names of types in scope, for suggestions.
    pub(crate) fn visible_names(&self) -> Vec<SmolStr> {
        let db = self.db;
        let mut names: Vec<SmolStr> = self.type_params.iter().map(|(n, _)| n.clone()).collect();
        names.extend(self.local_types.iter().map(|(n, _)| n.clone()));
        let mut class = self.class;
        while let Some(inner) = class {
            names.extend(type_param_ids(db, inner).iter().map(|p| p.name(db).clone()));
            if let Some(item) = class_head(db, inner) {
                names.extend(item.nested.iter().map(|c| c.name.clone()));
                names.extend(item.typedefs.iter().map(|t| t.name.clone()));
            }
            class = inner.outer(db);
        }
        let imports = imports(db, self.file);
        names.extend(top_level_classes(db, self.file).iter().map(|c| c.name(db).clone()));
        names.extend(
            imports
                .iter()
                .filter(|i| !i.on_demand)
                .filter_map(|i| Some(SmolStr::new(i.path.rsplit('.').next()?))),
        );
        let here = package(db, self.file);
        let in_scope =
            |p: &str| p == "x10.lang" || p == here || imports.iter().any(|i| i.on_demand && i.path == p);
        let root = source_root(db, self.file);
        if let Some(TypeItem::Class(aliases)) = type_in_package(db, root, "x10.lang", "_")
            && let Some(item) = class_head(db, aliases)
        {
            names.extend(item.typedefs.iter().map(|t| t.name.clone()));
        }
        for qualified in super::packages::all_type_names(db, root) {
            let (package, simple) = qualified.rsplit_once('.').unwrap_or(("", qualified));
            if in_scope(package) {
                names.push(SmolStr::new(simple));
            }
        }
        let named = named_files(db, root, here).flat_map(|file| top_level_classes(db, file));
        names.extend(named.map(|class| class.name(db).clone()));
        names
    }
}

/// The X10 counterpart of a type name of other languages.
pub(crate) fn type_elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" | "Bool" => "Boolean",
        "str" | "string" => "String",
        "i32" | "int32" | "int32_t" => "Int",
        "i64" | "int64" | "int64_t" | "isize" | "ptrdiff_t" | "size_t" | "usize" => "Long",
        "i16" | "int16" | "int16_t" => "Short",
        "i8" | "int8" | "int8_t" => "Byte",
        "u64" | "uint64" | "uint64_t" => "ULong",
        "u32" | "uint32" | "uint32_t" | "unsigned" | "uint" => "UInt",
        "u16" | "uint16" | "uint16_t" => "UShort",
        "u8" | "uint8" | "uint8_t" => "UByte",
        "f32" | "float32" => "Float",
        "f64" | "float64" | "real" => "Double",
        "object" | "any" => "Any",
        "Void" | "Unit" | "unit" => "void",
        "ValRail" => "Rail",
        "Vector" | "vector" => "x10.util.ArrayList",
        "Dictionary" | "dict" | "unordered_map" => "x10.util.HashMap",
        _ => return super::java::same_class(name),
    })
}

/// Resolves a qualified name to a type of a package or a member type of one.
pub(crate) fn qualified_type(db: &dyn Db, file: SourceFile, path: &str) -> Option<Found> {
    let root = source_root(db, file);
    let names: Vec<&str> = path.split('.').collect();
    for end in (0..names.len()).rev() {
        let package = names[..end].join(".");
        let Some(item) = type_in_package(db, root, &package, names[end]) else { continue };
        let mut found = Found::from(item);
        for member in &names[end + 1..] {
            let Found::Class(class) = found else { return None };
            found = TypeScope::file(db, file).member_type(class, member)?;
        }
        return Some(found);
    }
    None
}
