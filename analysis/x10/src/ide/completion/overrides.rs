//! Completion in a class body: keywords of declarations, and inherited methods that could be overridden.

use apg_syntax::{TextRange, TextSize};

use super::CompletionKind;
use super::items::{Items, rank};
use super::snippets::{MEMBER_KEYWORDS, MEMBER_SNIPPETS};
use crate::ide::members::overridable;
use crate::ide::navigation_target::Symbol;
use crate::ide::stubs::stub;
use crate::ids::ClassId;
use crate::item_tree::source::Item;
use crate::relate::Context;
use crate::ty::Ty;

impl Items<'_> {
    /// The keywords and overridable methods in a class body.
    pub(super) fn declarations(&mut self, class: ClassId) {
        for keyword in MEMBER_KEYWORDS {
            self.add(*keyword, CompletionKind::Keyword, rank::KEYWORD);
        }
        for (label, detail, text) in MEMBER_SNIPPETS {
            let item = self.add(*label, CompletionKind::Snippet, rank::SNIPPET);
            item.detail = Some((*detail).to_owned());
            item.insert = (*text).to_owned();
            item.is_snippet = true;
        }
        self.overrides(class, None);
    }

    /// The inherited methods that could be overridden. `start` is the start of an incomplete declaration.
    pub(super) fn overrides(&mut self, class: ClassId, start: Option<TextSize>) {
        let begun = start.map(|start| TextRange::new(start, self.replace.end()));
        let text = begun.and_then(|it| self.file.text(self.db).get(std::ops::Range::<usize>::from(it)));
        let before = begun.zip(text).map(|(range, text)| {
            let typed = usize::from(self.replace.start() - range.start());
            (range, text[..typed].to_owned())
        });
        // The replaced range is on one line.
        let before = before.filter(|(_, text)| !text.contains('\n'));
        let context = Context::class(self.db, class);
        for found in overridable(&context, Ty::this_type(self.db, class)) {
            let Some(stub) = stub(self.db, found.member, found.owner) else { continue };
            // No operator follows `def`.
            if start.is_some() && stub.keyword != "def " {
                continue;
            }
            let label = format!("{}{}", stub.keyword, stub.head);
            let item = self.add(label, CompletionKind::Method, rank::MEMBER);
            item.detail = Some(format!("override of {}", found.member.class(context.db).name(context.db)));
            item.insert = format!("{} {{\n    $0\n}}", stub.declaration());
            item.is_snippet = true;
            item.symbol = Some(Symbol::Item(Item::Method(found.member)));
            if let Some((range, before)) = &before {
                let name = found.member.name(context.db);
                let access = stub.access;
                let (declared, typed) = match before.contains(access) {
                    true => (String::new(), String::new()),
                    false => (format!("{access}{before}"), before.clone()),
                };
                if !declared.is_empty() {
                    item.replace = *range;
                }
                item.insert = format!("{declared}{} {{\n    $0\n}}", stub.head);
                item.filter = Some(format!("{typed}{name}"));
            }
        }
    }
}
