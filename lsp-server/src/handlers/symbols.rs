//! Document symbols, folding ranges, selection ranges and workspace symbols.

use apg_analysis::ide::{self, Symbol};
use apg_analysis::program::items::ClassKind;
use apg_analysis::program::items::Item;
use apg_analysis::program::items::{class_kind, method_item};
use apg_analysis::{Cancelled, parse};
use apg_syntax::services;
use tower_lsp_server::ls_types::{
    DocumentSymbol, FoldingRange, FoldingRangeKind, Position, SelectionRange, SymbolInformation, SymbolKind,
    Uri,
};

use crate::document::Document;
use crate::lsp::to_proto;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// The outline of a document.
    pub(crate) fn document_symbols(&self, uri: &Uri) -> Result<Option<Vec<DocumentSymbol>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let symbols = self.analysis.with(|db| services::document_symbols(&parse(db, file).tree()))?;
        Ok(Some(symbols.iter().map(|symbol| self.document_symbol(&document, symbol)).collect()))
    }

    fn document_symbol(&self, document: &Document, symbol: &services::Symbol) -> DocumentSymbol {
        let children: Vec<_> = symbol.children.iter().map(|s| self.document_symbol(document, s)).collect();
        #[expect(deprecated, reason = "the type has no default and a deprecated field")]
        DocumentSymbol {
            name: symbol.name.to_string(),
            detail: symbol.detail.clone(),
            kind: match symbol.kind {
                services::SymbolKind::Class => SymbolKind::CLASS,
                services::SymbolKind::Struct => SymbolKind::STRUCT,
                services::SymbolKind::Interface => SymbolKind::INTERFACE,
                services::SymbolKind::TypeDef => SymbolKind::TYPE_PARAMETER,
                services::SymbolKind::Property => SymbolKind::PROPERTY,
                services::SymbolKind::Field => SymbolKind::FIELD,
                services::SymbolKind::Method => SymbolKind::METHOD,
                services::SymbolKind::Constructor => SymbolKind::CONSTRUCTOR,
                services::SymbolKind::Operator => SymbolKind::OPERATOR,
            },
            tags: None,
            deprecated: None,
            range: self.range(document, symbol.range),
            selection_range: self.range(document, symbol.name_range),
            children: (!children.is_empty()).then_some(children),
        }
    }

    /// The folding ranges of a document.
    pub(crate) fn folding_ranges(&self, uri: &Uri) -> Result<Option<Vec<FoldingRange>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let folds = self.analysis.with(|db| services::folding_ranges(&parse(db, file).syntax()))?;
        let fold = |fold: services::Fold| {
            let range = self.range(&document, fold.range);
            FoldingRange {
                start_line: range.start.line,
                start_character: Some(range.start.character),
                end_line: range.end.line,
                end_character: Some(range.end.character),
                kind: Some(match fold.kind {
                    services::FoldKind::Comment => FoldingRangeKind::Comment,
                    services::FoldKind::Imports => FoldingRangeKind::Imports,
                    services::FoldKind::Region => FoldingRangeKind::Region,
                }),
                collapsed_text: None,
            }
        };
        Ok(Some(folds.into_iter().map(fold).collect()))
    }

    /// The ranges that selections at these positions grow through.
    pub(crate) fn selection_ranges(
        &self,
        uri: &Uri,
        at: &[Position],
    ) -> Result<Option<Vec<SelectionRange>>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(None) };
        let parse = self.analysis.with(|db| parse(db, file).clone())?;
        let selection = |position: &Position| {
            let offset = document.text.offset(*position, self.config.encoding);
            let ranges = services::selection_ranges(&parse.syntax(), offset);
            let outward = ranges.iter().rev().fold(None, |parent, range| {
                Some(Box::new(SelectionRange { range: self.range(&document, *range), parent }))
            });
            // The protocol demands one answer for each position.
            let empty = || self.range(&document, apg_source::TextRange::empty(offset));
            outward.map_or_else(|| SelectionRange { range: empty(), parent: None }, |found| *found)
        };
        Ok(Some(at.iter().map(selection).collect()))
    }

    /// Classes and members of the workspace by name; with a query, of the class library too.
    pub(crate) fn workspace_symbols(&self, query: &str) -> Result<Vec<SymbolInformation>, Cancelled> {
        let files = if query.is_empty() { self.analysis.user_files() } else { self.analysis.all_files() };
        let found = self.analysis.with(|db| {
            let all = ide::workspace_symbols(db, &files, query);
            let declared = all.into_iter().filter_map(|listed| {
                let (file, range) = ide::declaration(db, &listed.symbol)?;
                Some((listed.name, listed.container, symbol_kind(db, &listed.symbol), file, range))
            });
            declared.collect::<Vec<_>>()
        })?;
        let symbol = |(name, container, kind, file, range): (String, String, SymbolKind, _, _)| {
            #[expect(deprecated, reason = "the type has no default and a deprecated field")]
            Some(SymbolInformation {
                name,
                kind,
                tags: None,
                deprecated: None,
                location: to_proto::location(self, file, range)?,
                container_name: Some(container).filter(|name| !name.is_empty()),
            })
        };
        Ok(found.into_iter().filter_map(symbol).collect())
    }
}

/// The protocol's kind of a symbol.
pub(super) fn symbol_kind(db: &dyn apg_analysis::Db, symbol: &Symbol) -> SymbolKind {
    match symbol {
        Symbol::Item(Item::Class(class)) => match class_kind(db, *class) {
            Some(ClassKind::Struct) => SymbolKind::STRUCT,
            Some(ClassKind::Interface) => SymbolKind::INTERFACE,
            _ => SymbolKind::CLASS,
        },
        Symbol::Item(Item::Method(method)) => match method_item(db, *method).map(|m| m.kind) {
            Some(kind) if kind.is_constructor() => SymbolKind::CONSTRUCTOR,
            _ if method.name(db).starts_with("operator") => SymbolKind::OPERATOR,
            _ => SymbolKind::METHOD,
        },
        Symbol::Item(Item::Field(_)) => SymbolKind::FIELD,
        Symbol::Item(Item::Typedef(_)) | Symbol::TypeParam(_) => SymbolKind::TYPE_PARAMETER,
        Symbol::Local { .. } => SymbolKind::VARIABLE,
    }
}
