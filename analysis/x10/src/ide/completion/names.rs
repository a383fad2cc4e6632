//! Completion of names of values and at the start of statements: locals, members of enclosing classes, types,
//! keywords.

use apg_syntax::SyntaxKind;

use super::CompletionKind;
use super::items::{Items, rank};
use super::snippets::{EXPRESSION_KEYWORDS, STATEMENT_KEYWORDS, STATEMENT_SNIPPETS};
use crate::ide::navigation_target::Symbol;
use crate::ide::shown;
use crate::ide::visible::visible_locals;
use crate::infer::owner_body;
use crate::inputs::parse;
use crate::item_tree::nesting::is_static_class;
use crate::ty::{Ty, TyKind};

impl Items<'_> {
    /// The names and keywords that an expression may start with; with `statement`, also those of statements.
    pub(super) fn expression(&mut self, statement: bool) {
        self.closure();
        self.locals();
        self.members_around();
        if !self.typed.is_empty() || self.expected.is_none() {
            self.types();
        }
        let is_here = self.fits(Ty::place(self.db));
        for keyword in EXPRESSION_KEYWORDS {
            let fits = is_here && *keyword == "here";
            self.add(*keyword, CompletionKind::Keyword, if fits { rank::LOCAL } else { rank::KEYWORD });
        }
        if !self.in_static_code() && self.context.class.is_some() {
            self.add("this", CompletionKind::Keyword, rank::KEYWORD);
            self.add("super", CompletionKind::Keyword, rank::KEYWORD);
        }
        if statement && self.is_in_switch() {
            self.add("case", CompletionKind::Keyword, rank::LOCAL);
            self.add("default", CompletionKind::Keyword, rank::LOCAL);
        }
        if statement {
            for keyword in STATEMENT_KEYWORDS {
                self.add(*keyword, CompletionKind::Keyword, rank::KEYWORD);
            }
            for (label, detail, text) in STATEMENT_SNIPPETS {
                let item = self.add(*label, CompletionKind::Snippet, rank::SNIPPET);
                item.detail = Some((*detail).to_owned());
                item.insert = (*text).to_owned();
                item.is_snippet = true;
            }
        }
    }

    /// A closure, where a function type is expected.
    fn closure(&mut self) {
        let db = self.db;
        let Some(TyKind::Function { params, .. }) = self.expected.map(|ty| ty.base(db).kind(db)) else {
            return;
        };
        if !self.typed.is_empty() {
            return;
        }
        let names = ["x", "y", "z", "u", "v", "w"];
        let name = |n: usize| names.get(n).map_or_else(|| format!("x{}", n + 1), |it| (*it).to_owned());
        let types: Vec<String> = params.iter().map(|ty| shown(db, *ty)).collect();
        let formals = |text: &dyn Fn(usize, &String) -> String| {
            types.iter().enumerate().map(|(n, ty)| text(n, ty)).collect::<Vec<_>>().join(", ")
        };
        let label = format!("({}) => ...", formals(&|n, ty| format!("{}:{ty}", name(n))));
        let insert = format!("({}) => $0", formals(&|n, ty| format!("${{{}:{}}}:{ty}", n + 1, name(n))));
        let item = self.add(label, CompletionKind::Snippet, rank::LOCAL - 6);
        item.detail = Some("a closure".to_owned());
        item.insert = insert;
        item.is_snippet = true;
    }

    /// Whether a `case` is allowed here.
    fn is_in_switch(&self) -> bool {
        let root = parse(self.db, self.file).syntax();
        let token = apg_syntax::token_at_offset(&root, self.replace.start()).left_biased();
        let blocks = token.into_iter().flat_map(|it| it.parent_ancestors());
        let mut blocks =
            blocks.filter(|it| matches!(it.kind(), SyntaxKind::BLOCK | SyntaxKind::SWITCH_BLOCK));
        blocks.next().is_some_and(|it| it.kind() == SyntaxKind::SWITCH_BLOCK)
    }

    fn locals(&mut self) {
        let db = self.db;
        for (nearness, local) in visible_locals(db, self.file, self.replace.start()).into_iter().enumerate() {
            let Symbol::Local { owner, local: id } = local.symbol else { continue };
            let ty = owner_body(db, owner).body.local(id).ty;
            let near = u32::try_from(nearness.min(4)).unwrap_or(4);
            let rank = rank::LOCAL + near - u32::from(self.fits(ty)) * 5;
            let item = self.add(local.name.as_str(), CompletionKind::Local, rank);
            item.detail = Some(shown(db, ty)).filter(|_| !ty.is_error(db));
            item.symbol = Some(local.symbol);
        }
    }

    /// The members of enclosing classes that can be named without a receiver.
    fn members_around(&mut self) {
        let db = self.db;
        let mut class = self.context.class;
        let mut has_instance = !self.in_static_code();
        while let Some(inner) = class {
            let this = Ty::this_type(db, inner);
            if has_instance {
                self.fields_of(this, false);
                self.methods_of(this, false);
            }
            self.fields_of(this, true);
            self.methods_of(this, true);
            has_instance &= !is_static_class(db, inner);
            class = inner.outer(db);
        }
    }
}
