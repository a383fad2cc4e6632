//! Find references.

use apg_syntax::{SyntaxKind, SyntaxToken, TextRange, TextSize};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::navigation_target::{Symbol, name_of, token_symbols, token_type};
use crate::check::{overridden, same_methods};
use crate::db::Db;
use crate::ids::{MethodId, SourceFile};
use crate::inputs::parse;
use crate::item_tree::items::{all_classes, method_is_static};
use crate::item_tree::source::{Item, item_ptr};

/// A reference to a symbol, or its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The file.
    pub file: SourceFile,
    /// The name.
    pub range: TextRange,
    /// The kind of access.
    pub access: Access,
}

/// The kind of access at a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is declared.
    Declaration,
    /// Its value is used.
    Read,
    /// It is assigned to.
    Write,
}

/// All places in `files` that name `symbol`.
pub fn references(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Vec<Reference> {
    let wanted = Wanted::new(db, files, symbol);
    files.iter().flat_map(|file| wanted.in_file(db, *file)).collect()
}

/// A search for references; several threads may search different files.
pub struct Wanted {
    family: Family,
    name: SmolStr,
    /// For a local or type parameter, the only range that can refer to it.
    local: Option<(SourceFile, TextRange)>,
}

impl Wanted {
    /// A search for `symbol`. For a method it includes the methods that it overrides or that override it in
    /// `files`, since a call may reach any of them.
    pub fn new(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Wanted {
        wanted(db, files, symbol)
    }

    /// The references in a file.
    pub fn in_file(&self, db: &dyn Db, file: SourceFile) -> Vec<Reference> {
        references_to(db, &[file], &self.family, &self.name, self.local)
    }
}

/// Those of `files` that may refer to `symbol`; the others need not be parsed.
pub fn files_naming(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Vec<SourceFile> {
    let (name, local) = (written_name(db, symbol), local_range(db, symbol));
    let may_name = |file: &SourceFile| {
        local.is_none_or(|(its, _)| its == *file) && file.text(db).contains(name.as_str())
    };
    files.iter().copied().filter(may_name).collect()
}

/// The name with which references name a symbol.
fn written_name(db: &dyn Db, symbol: &Symbol) -> SmolStr {
    match symbol {
        // A constructor is referred to by the name of its class.
        Symbol::Item(Item::Method(method)) if method.name(db) == "this" => method.class(db).name(db).clone(),
        symbol => name_of(db, symbol),
    }
}

fn wanted(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Wanted {
    let name = written_name(db, symbol);
    let local = local_range(db, symbol);
    let family = match symbol {
        // A class that unites two inherited methods without naming them matters to renames only.
        Symbol::Item(Item::Method(method)) => {
            Family::of_method(db, &files_naming(db, files, symbol), *method)
        }
        symbol => Family::of(*symbol),
    };
    Wanted { family, name, local }
}

/// The scope of a local or type parameter, the only range that is searched for it.
pub(super) fn local_range(db: &dyn Db, symbol: &Symbol) -> Option<(SourceFile, TextRange)> {
    let item: Item = match symbol {
        Symbol::Local { owner, .. } => (*owner).into(),
        Symbol::TypeParam(ty) => {
            let param = ty.as_param(db)?;
            param.method(db).map_or(Item::Class(param.class(db)), Item::Method)
        }
        Symbol::Item(_) => return None,
    };
    Some((item.file(db), item_ptr(db, item)?.range()))
}

/// The references to a family in `files`, or in one range of them.
pub(super) fn references_to(
    db: &dyn Db,
    files: &[SourceFile],
    family: &Family,
    name: &str,
    local: Option<(SourceFile, TextRange)>,
) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut add = |file: SourceFile, all: &[Use]| {
        let of_family = all.iter().filter(|u| u.means(family));
        found.extend(of_family.map(|u| Reference { file, range: u.range, access: u.access }));
    };
    let has_name = |file: &SourceFile| !name.is_empty() && file.text(db).contains(name);
    if let Some((file, range)) = local {
        if files.contains(&file) && has_name(&file) {
            let tokens =
                tokens(db, file, name).into_iter().filter(|it| range.contains_range(it.text_range()));
            let uses: Vec<Use> = tokens.map(|token| Use::of(db, file, token)).collect();
            add(file, &uses);
        }
        return found;
    }
    for file in files.iter().filter(|file| has_name(file)) {
        add(
            *file,
            if family.is_type() {
                type_uses(db, *file, SmolStr::new(name))
            } else {
                uses(db, *file, SmolStr::new(name))
            },
        );
    }
    found
}

/// An occurrence of a name in a file, with the symbols it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Use {
    range: TextRange,
    access: Access,
    symbols: Vec<Symbol>,
}

impl Use {
    fn of(db: &dyn Db, file: SourceFile, token: SyntaxToken) -> Use {
        Use { range: token.text_range(), access: access(&token), symbols: token_symbols(db, file, &token) }
    }

    fn means(&self, family: &Family) -> bool {
        self.symbols.iter().any(|symbol| family.contains(symbol))
    }
}

/// The occurrences of a name in a file. Cached, since a client asks again after each edit.
#[salsa::tracked(lru = 16384)]
fn uses(db: &dyn Db, file: SourceFile, name: SmolStr) -> Vec<Use> {
    let uses = tokens(db, file, &name).into_iter().map(|token| Use::of(db, file, token));
    uses.filter(|u| !u.symbols.is_empty()).collect()
}

/// As [`uses`], for a type: the body is not typed where the name can refer to nothing else.
#[salsa::tracked(lru = 16384)]
fn type_uses(db: &dyn Db, file: SourceFile, name: SmolStr) -> Vec<Use> {
    let tokens = tokens(db, file, &name);
    let has_variables = tokens.iter().any(declares_value);
    let of_token = |token: SyntaxToken| match token_type(db, file, &token, has_variables) {
        Some(symbol) => Use { range: token.text_range(), access: access(&token), symbols: vec![symbol] },
        None => Use::of(db, file, token),
    };
    tokens.into_iter().map(of_token).filter(|u| !u.symbols.is_empty()).collect()
}

/// Whether a token is the name in a declaration of a variable, field or method.
fn declares_value(token: &SyntaxToken) -> bool {
    use SyntaxKind::{CLASS_DECL, INTERFACE_DECL, NAME, STRUCT_DECL, TYPE_DEF, TYPE_PARAM};
    token.parent().filter(|name| name.kind() == NAME).and_then(|name| name.parent()).is_some_and(|declared| {
        !matches!(declared.kind(), CLASS_DECL | STRUCT_DECL | INTERFACE_DECL | TYPE_DEF | TYPE_PARAM)
    })
}

/// The tokens of a name in a file.
pub(super) fn tokens(db: &dyn Db, file: SourceFile, name: &str) -> Vec<SyntaxToken> {
    let text = file.text(db);
    let mut found: Vec<SyntaxToken> = Vec::new();
    if name.is_empty() || !text.contains(name) {
        return found;
    }
    let root = parse(db, file).syntax();
    for (at, _) in text.match_indices(name) {
        let Ok(at) = u32::try_from(at) else { break };
        let token = apg_syntax::token_at_offset(&root, TextSize::new(at)).right_biased();
        let named = |t: &SyntaxToken| t.text().trim_matches('`') == name && !t.kind().is_trivia();
        if let Some(token) = token.filter(named)
            && found.last() != Some(&token)
        {
            found.push(token);
        }
    }
    found
}

/// The symbols that are searched for, and renamed, together.
pub(super) struct Family {
    symbol: Symbol,
    /// The methods connected by overriding, including the symbol itself.
    pub(super) methods: FxHashSet<MethodId>,
}

impl Family {
    /// A symbol on its own.
    pub(super) fn of(symbol: Symbol) -> Family {
        Family { symbol, methods: FxHashSet::default() }
    }

    /// A method with the methods that it overrides, those that override it, and those that a class of `files`
    /// unites with it.
    pub(super) fn of_method(db: &dyn Db, files: &[SourceFile], method: MethodId) -> Family {
        let mut methods = FxHashSet::from_iter([method]);
        let family = |methods| Family { symbol: Symbol::Item(Item::Method(method)), methods };
        let is_alone = method.name(db) == "this" || method_is_static(db, method);
        if is_alone {
            return family(methods);
        }
        methods.extend(overridden(db, method.class(db), method).into_iter().map(|(other, _)| other));
        let classes = files.iter().flat_map(|file| all_classes(db, *file).iter().copied());
        let mut groups: Vec<Vec<MethodId>> = classes
            .flat_map(|class| same_methods(db, class, method.name(db)))
            .filter(|g| g.len() > 1)
            .collect();
        loop {
            let before = groups.len();
            groups.retain(|group| {
                let related = group.iter().any(|m| methods.contains(m));
                if related {
                    methods.extend(group.iter().copied());
                }
                !related
            });
            if groups.len() == before {
                return family(methods);
            }
        }
    }

    fn is_type(&self) -> bool {
        matches!(self.symbol, Symbol::Item(Item::Class(_) | Item::Typedef(_)))
    }

    fn contains(&self, other: &Symbol) -> bool {
        match other {
            Symbol::Item(Item::Method(method)) => *other == self.symbol || self.methods.contains(method),
            other => *other == self.symbol,
        }
    }
}

fn access(token: &SyntaxToken) -> Access {
    let Some(name) = token.parent() else { return Access::Read };
    if name.kind() == SyntaxKind::NAME || token.kind() != SyntaxKind::IDENT {
        return Access::Declaration;
    }
    let Some(e) = name.parent() else { return Access::Read };
    let written = e.parent().is_some_and(|around| match around.kind() {
        SyntaxKind::ASSIGN_EXPR => around.first_child().as_ref() == Some(&e),
        SyntaxKind::POSTFIX_EXPR => true,
        SyntaxKind::PREFIX_EXPR => around.first_token().is_some_and(|t| matches!(t.text(), "++" | "--")),
        _ => false,
    });
    if written { Access::Write } else { Access::Read }
}
