//! The completion list and its items: members, types and packages.

use apg_syntax::{TextRange, TextSize};
use smol_str::SmolStr;

use super::{Completion, CompletionKind};
use crate::db::Db;
use crate::diagnostics::TextEdit;
use crate::ide::members::{all_fields, all_methods};
use crate::ide::navigation_target::{Symbol, scope_at};
use crate::ide::receiver::{Receiver, context_at};
use crate::ide::shown;
use crate::ide::signature::{call_snippet, describe};
use crate::ids::{ClassId, FieldId, MethodId, SourceFile};
use crate::item_tree::items::{
    class_head, class_kind, field_is_static, imports, nested_classes, own_typedefs,
};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassKind, ClassPlace, MethodKind, Modifiers};
use crate::relate::Context;
use crate::scope::imports::import_edit;
use crate::scope::lookup::{Found, qualified_type};
use crate::scope::packages::{all_type_names, packages, source_root};
use crate::scope::type_scope::TypeScope;
use crate::signature::field_type;
use crate::ty::Ty;
use crate::ty::subst::Substitution;

/// The ranks, best first. Items of the expected type come before others of the same rank.
pub(super) mod rank {
    pub(crate) const LOCAL: u32 = 10;
    pub(crate) const MEMBER: u32 = 20;
    pub(crate) const TYPE: u32 = 40;
    pub(crate) const KEYWORD: u32 = 50;
    pub(crate) const SNIPPET: u32 = 52;
    pub(crate) const UNIVERSAL: u32 = 60;
    pub(crate) const PACKAGE: u32 = 70;
    pub(crate) const TO_IMPORT: u32 = 80;
}

/// Frequently used types of the class library.
const COMMON_TYPES: &[&str] = &[
    "Boolean",
    "Byte",
    "Char",
    "Double",
    "Exception",
    "Float",
    "GlobalRail",
    "GlobalRef",
    "Int",
    "Long",
    "Place",
    "PlaceLocalHandle",
    "Point",
    "Rail",
    "String",
];

/// The completion list at an offset.
pub(super) struct Items<'db> {
    pub(super) db: &'db dyn Db,
    pub(super) file: SourceFile,
    pub(super) offset: TextSize,
    pub(super) context: Context<'db>,
    pub(super) replace: TextRange,
    /// The typed prefix of the word.
    pub(super) typed: SmolStr,
    /// The expected type, if any.
    pub(super) expected: Option<Ty>,
    list: Vec<Completion>,
}

impl<'db> Items<'db> {
    pub(super) fn new(db: &'db dyn Db, file: SourceFile, offset: TextSize, replace: TextRange) -> Items<'db> {
        let typed = file.text(db).get(usize::from(replace.start())..usize::from(offset)).unwrap_or_default();
        Items {
            db,
            file,
            offset,
            context: context_at(db, file, offset),
            replace,
            typed: SmolStr::new(typed),
            expected: crate::ide::expected::expected_type(db, file, replace.start()),
            list: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<Completion> {
        self.list
    }

    pub(super) fn scope(&self) -> TypeScope<'db> {
        scope_at(self.db, self.file, TextRange::empty(self.offset))
    }

    /// Adds an item; the caller sets what differs from a plain word.
    pub(super) fn add(
        &mut self,
        label: impl Into<String>,
        kind: CompletionKind,
        rank: u32,
    ) -> &mut Completion {
        let label = label.into();
        self.list.push(Completion {
            insert: label.clone(),
            label,
            kind,
            detail: None,
            is_snippet: false,
            replace: self.replace,
            filter: None,
            also: Vec::new(),
            rank,
            symbol: None,
        });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Changes all items, and removes those for which `change` returns false.
    pub(super) fn change(&mut self, change: impl FnMut(&mut Completion) -> bool) {
        self.list.retain_mut(change);
    }

    pub(super) fn has(&self, label: &str) -> bool {
        self.list.iter().any(|item| item.label == label)
    }

    /// Whether a value of this type has the expected type.
    pub(super) fn fits(&self, ty: Ty) -> bool {
        let wanted = |expected: &Ty| {
            !ty.is_error(self.db)
                && !ty.is_void(self.db)
                && self.context.is_subtype(ty.base(self.db), expected.base(self.db))
        };
        self.expected.as_ref().is_some_and(wanted)
    }

    /// The members after a dot.
    pub(super) fn members(&mut self, receiver: &Receiver) {
        let (ty, is_static) = match receiver {
            Receiver::Value(ty) => (*ty, false),
            Receiver::Type(ty) => (*ty, true),
            Receiver::Package(package) => return self.package(&package.clone()),
        };
        self.fields_of(ty, is_static);
        self.methods_of(ty, is_static);
        if let (Receiver::Type(ty), Some((class, _))) = (receiver, ty.as_class(self.db)) {
            self.types_in(class);
            if self.context.class.is_some_and(|c| Ty::this_type(self.db, c) == *ty) {
                self.add("this", CompletionKind::Keyword, rank::KEYWORD);
            }
        }
    }

    /// The member types of a class.
    fn types_in(&mut self, class: ClassId) {
        let db = self.db;
        let member =
            |c: &&ClassId| class_head(db, **c).as_ref().is_some_and(|i| i.place == ClassPlace::Member);
        for nested in nested_classes(db, class).iter().filter(member) {
            self.class(*nested, rank::TYPE);
        }
        let typedefs = class_head(db, class).as_ref().map_or(&[][..], |head| &head.typedefs);
        for typedef in typedefs.iter().filter(|it| it.nth == 0) {
            let found = Found::Typedefs(own_typedefs(db, class, &typedef.name));
            self.found(&typedef.name, &found, rank::TYPE);
        }
    }

    /// The member types of the type with this name.
    pub(super) fn member_types(&mut self, qualifier: &str) {
        let names: Vec<SmolStr> = qualifier.split('.').map(SmolStr::new).collect();
        if let Some(class) = self.scope().find_class(&names) {
            self.types_in(class);
        }
    }

    pub(super) fn fields_of(&mut self, ty: Ty, is_static: bool) {
        for found in all_fields(&self.context.clone(), ty, is_static) {
            self.field(found.member, found.owner, found.distance);
        }
    }

    fn field(&mut self, field: FieldId, owner: Ty, distance: usize) {
        let db = self.db;
        let ty = match owner.as_class(db) {
            Some((class, args)) if !field_is_static(db, field) => {
                Substitution::class(db, class, args).apply(db, field_type(db, field))
            }
            _ => field_type(db, field),
        };
        let rank = self.member_rank(owner, distance) - u32::from(self.fits(ty)) * 5;
        let item = self.add(field.name(db).as_str(), CompletionKind::Field, rank);
        item.detail = Some(shown(db, ty));
        item.symbol = Some(Symbol::Item(Item::Field(field)));
    }

    pub(super) fn methods_of(&mut self, ty: Ty, is_static: bool) {
        for found in all_methods(&self.context.clone(), ty, is_static) {
            self.method(found.member, found.owner, found.distance);
        }
    }

    fn method(&mut self, method: MethodId, owner: Ty, distance: usize) {
        let db = self.db;
        let described = describe(db, method, Some(owner));
        let fits = described.result.is_some_and(|ty| self.fits(ty));
        let rank = self.member_rank(owner, distance) + 1 - u32::from(fits) * 5;
        let is_property = crate::item_tree::items::method_item(db, method)
            .is_some_and(|m| m.kind == MethodKind::Property && m.params.is_empty());
        // Overloads are distinguished by their signatures.
        let called = self.text_follows('(');
        let item = self.add(method.name(db).as_str(), CompletionKind::Method, rank);
        item.detail = Some(described.tail());
        item.symbol = Some(Symbol::Item(Item::Method(method)));
        if !is_property && !called {
            item.insert = call_snippet(method.name(db), &described);
            item.is_snippet = true;
        }
    }

    /// The rank of a member. Members of `Any` are rarely wanted and come late.
    fn member_rank(&self, owner: Ty, distance: usize) -> u32 {
        if owner == Ty::any(self.db) {
            return rank::UNIVERSAL;
        }
        rank::MEMBER + u32::try_from(distance.min(8)).unwrap_or(8)
    }

    /// Whether this character follows the word directly.
    pub(super) fn text_follows(&self, c: char) -> bool {
        let text = self.file.text(self.db);
        text.get(usize::from(self.replace.end())..).is_some_and(|rest| rest.starts_with(c))
    }

    pub(super) fn class(&mut self, class: ClassId, rank: u32) {
        let db = self.db;
        let own = Ty::this_type(db, class).display(db).to_string();
        let kind = match class_kind(db, class) {
            Some(ClassKind::Struct) => CompletionKind::Struct,
            Some(ClassKind::Interface) => CompletionKind::Interface,
            _ => CompletionKind::Class,
        };
        let item = self.add(class.name(db).as_str(), kind, rank);
        item.detail = Some(own);
        item.symbol = Some(Symbol::Item(Item::Class(class)));
    }

    /// Adds a type by the resolution of its name.
    pub(super) fn found(&mut self, name: &str, found: &Found, rank: u32) {
        match found {
            Found::Class(class) => self.class(*class, rank),
            Found::Param(_) => {
                self.add(name, CompletionKind::TypeParam, rank);
            }
            Found::Typedefs(typedefs) => {
                let symbol = typedefs.first().map(|t| Symbol::Item(Item::Typedef(*t)));
                self.add(name, CompletionKind::TypeDef, rank).symbol = symbol;
            }
        }
    }

    /// The types and packages in a package.
    pub(super) fn package(&mut self, package: &SmolStr) {
        self.sub_packages(package);
        let prefix = format!("{package}.");
        let root = source_root(self.db, self.file);
        let names: Vec<SmolStr> = all_type_names(self.db, root).clone();
        for qualified in names.iter().filter(|n| n.starts_with(&prefix) && !n[prefix.len()..].contains('.')) {
            if let Some(found) = qualified_type(self.db, self.file, qualified) {
                self.found(&qualified[prefix.len()..], &found, rank::TYPE);
            }
        }
    }

    fn sub_packages(&mut self, package: &str) {
        let prefix = if package.is_empty() { String::new() } else { format!("{package}.") };
        let all: Vec<SmolStr> = packages(self.db, source_root(self.db, self.file)).to_vec();
        for other in all {
            let Some(rest) = other.strip_prefix(&prefix) else { continue };
            let name = rest.split('.').next().unwrap_or(rest);
            if !name.is_empty() && !self.has(name) {
                self.add(name, CompletionKind::Package, rank::PACKAGE);
            }
        }
    }

    /// The packages and types for an import.
    pub(super) fn import(&mut self, package: &SmolStr) {
        if package.is_empty() {
            self.types_without_package();
            return self.sub_packages("");
        }
        self.package(package);
        self.add("*", CompletionKind::Keyword, rank::PACKAGE + 1);
    }

    /// The user's types without a package.
    fn types_without_package(&mut self) {
        let names: Vec<SmolStr> = all_type_names(self.db, source_root(self.db, self.file)).clone();
        for name in names.iter().filter(|name| !name.contains('.')) {
            if let Some(found) = qualified_type(self.db, self.file, name) {
                self.found(name, &found, rank::PACKAGE + 1);
            }
        }
    }

    /// The types in scope, and those that could be imported.
    pub(super) fn types(&mut self) {
        let scope = self.scope();
        let mut names = scope.visible_names();
        names.sort();
        names.dedup();
        let imported: Vec<&str> = imports(self.db, self.file)
            .iter()
            .filter(|import| !import.on_demand)
            .filter_map(|import| import.path.rsplit('.').next())
            .collect();
        for name in names.iter().filter(|n| is_plain(n)) {
            if let Some(found) = scope.find_type(name) {
                let near = match &found {
                    Found::Class(class) if class.file(self.db) == self.file => rank::TYPE - 2,
                    Found::Param(_) => rank::TYPE - 3,
                    // A type imported by name is likely.
                    _ if imported.contains(&name.as_str()) => rank::TYPE - 2,
                    _ if COMMON_TYPES.contains(&name.as_str()) => rank::TYPE - 1,
                    _ => rank::TYPE,
                };
                self.found(name, &found, near);
            }
        }
        self.add("void", CompletionKind::Keyword, rank::KEYWORD);
        self.importable(|_| true);
        self.sub_packages("");
    }

    /// Types of other packages that start with the typed prefix; choosing one adds its import.
    pub(super) fn importable(&mut self, fits: impl Fn(&Found) -> bool) {
        if self.typed.is_empty() {
            return;
        }
        let root = source_root(self.db, self.file);
        let typed = self.typed.to_lowercase();
        let names: Vec<SmolStr> = all_type_names(self.db, root).clone();
        for qualified in names {
            let Some((package, simple)) = qualified.rsplit_once('.') else { continue };
            if !simple.to_lowercase().starts_with(&typed) || self.has(simple) || !is_plain(simple) {
                continue;
            }
            let Some(found) = qualified_type(self.db, self.file, &qualified).filter(&fits) else { continue };
            let import: TextEdit = import_edit(self.db, self.file, &qualified);
            let package = package.to_owned();
            self.found(simple, &found, rank::TO_IMPORT);
            if let Some(item) = self.list.last_mut() {
                item.detail = Some(format!("import {package}.{}", item.label));
                item.also = vec![import];
            }
        }
    }

    /// The annotations, after `@`.
    pub(super) fn annotations(&mut self) {
        let scope = self.scope();
        let db = self.db;
        let is_annotation = |found: &Found| match found {
            Found::Class(class) => {
                let supers = crate::signature::supertypes::all_supertypes(db, *class).iter();
                supers
                    .skip(1)
                    .any(|t| t.as_class(db).is_some_and(|(c, _)| c.name(db).ends_with("Annotation")))
            }
            _ => false,
        };
        for name in scope.visible_names() {
            if let Some(found) = scope.find_type(&name).filter(is_annotation)
                && !self.has(&name)
            {
                self.found(&name, &found, rank::TYPE);
            }
        }
        self.sub_packages("");
        let root = source_root(db, self.file);
        let names: Vec<SmolStr> = all_type_names(db, root).clone();
        let of_compiler =
            |n: &&SmolStr| n.strip_prefix("x10.compiler.").is_some_and(|rest| !rest.contains('.'));
        for qualified in names.iter().filter(of_compiler) {
            let simple = qualified.rsplit('.').next().unwrap_or_default();
            if self.has(simple) {
                continue;
            }
            if let Some(found) = qualified_type(db, self.file, qualified).filter(is_annotation) {
                let import = import_edit(db, self.file, qualified);
                self.found(simple, &found, rank::TO_IMPORT);
                if let Some(item) = self.list.last_mut() {
                    item.detail = Some(format!("import {qualified}"));
                    item.also = vec![import];
                }
            }
        }
    }

    /// Whether the surrounding code is static, without `this`.
    pub(super) fn in_static_code(&self) -> bool {
        let item = self.context.method.and_then(|m| crate::item_tree::items::method_item(self.db, m));
        item.is_some_and(|m| m.modifiers.has(Modifiers::STATIC))
    }
}

/// Whether a name is written in source, not generated by the compiler.
fn is_plain(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_alphabetic)
}
