//! Call hierarchy: callers and callees of a method.

use apg_analysis::SourceFile;
use apg_analysis::ide::{self, Symbol};
use apg_analysis::program::items::Item;
use apg_analysis::program::items::MethodId;
use apg_analysis::{Cancelled, Db};
use apg_source::TextRange;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Position, Uri,
};

use super::symbols::symbol_kind;
use crate::lsp::to_proto;
use crate::snapshot::Snapshot;

/// An item of the hierarchy before its ranges are converted, as plain data that one query returns.
struct HierarchyItem {
    name: String,
    detail: String,
    kind: tower_lsp_server::ls_types::SymbolKind,
    file: SourceFile,
    range: TextRange,
    name_range: TextRange,
    calls: Vec<TextRange>,
}

impl Snapshot {
    /// The method under the cursor.
    pub(crate) fn prepare_call_hierarchy(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Vec<CallHierarchyItem>>, Cancelled> {
        let Some(symbol) = self.symbol_at(uri, position)? else { return Ok(None) };
        let Symbol::Item(item @ Item::Method(_)) = symbol else { return Ok(None) };
        let found = self.analysis.with(|db| hierarchy_item(db, item, Vec::new()))?;
        Ok(found.and_then(|item| self.call_item(&item)).map(|item| vec![item]))
    }

    /// The callers of a method.
    pub(crate) fn incoming_calls(
        &self,
        item: &CallHierarchyItem,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>, Cancelled> {
        let files = self.analysis.user_files();
        let found = self.calls(item, |db, method| ide::incoming_calls(db, &files, method))?;
        let call = |item: &HierarchyItem| {
            let calls = to_proto::locations(self, item.calls.iter().map(|range| (item.file, *range)));
            Some(CallHierarchyIncomingCall {
                from: self.call_item(item)?,
                from_ranges: calls.into_iter().map(|call| call.range).collect(),
            })
        };
        Ok(found.map(|all| all.iter().filter_map(call).collect()))
    }

    /// The callees of a method.
    pub(crate) fn outgoing_calls(
        &self,
        item: &CallHierarchyItem,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>, Cancelled> {
        let found = self.calls(item, ide::outgoing_calls)?;
        let caller = self.any_file(&item.uri);
        let call = |item: &HierarchyItem| {
            let calls = item.calls.iter().filter_map(|range| Some((caller?, *range)));
            let from_ranges = to_proto::locations(self, calls).into_iter().map(|call| call.range).collect();
            Some(CallHierarchyOutgoingCall { to: self.call_item(item)?, from_ranges })
        };
        Ok(found.map(|all| all.iter().filter_map(call).collect()))
    }

    fn calls(
        &self,
        item: &CallHierarchyItem,
        query: impl FnOnce(&dyn Db, MethodId) -> Vec<ide::Calls>,
    ) -> Result<Option<Vec<HierarchyItem>>, Cancelled> {
        let Some(file) = self.any_file(&item.uri) else { return Ok(None) };
        let (_, text) = self.analysis.source(file);
        let offset = crate::lsp::position::LineText::new(text.clone())
            .offset(item.selection_range.start, self.config.encoding);
        self.analysis.with(|db| {
            let (symbol, _) = ide::symbol_at(db, file, offset)?;
            let Symbol::Item(Item::Method(method)) = symbol else { return None };
            let all = query(db, method).into_iter();
            Some(all.filter_map(|calls| hierarchy_item(db, calls.item, calls.ranges)).collect())
        })
    }

    fn call_item(&self, item: &HierarchyItem) -> Option<CallHierarchyItem> {
        let all = to_proto::location(self, item.file, item.range)?;
        Some(CallHierarchyItem {
            name: item.name.clone(),
            kind: item.kind,
            tags: None,
            detail: Some(item.detail.clone()),
            uri: all.uri,
            range: all.range,
            selection_range: to_proto::location(self, item.file, item.name_range)?.range,
            data: None,
        })
    }
}

fn hierarchy_item(db: &dyn Db, item: Item, calls: Vec<TextRange>) -> Option<HierarchyItem> {
    let symbol = Symbol::Item(item);
    let (file, range) = ide::full_range(db, &symbol)?;
    let (_, name_range) = ide::declaration(db, &symbol)?;
    let class = match item {
        Item::Method(method) => method.class(db),
        Item::Field(field) => field.class(db),
        Item::Class(class) => class,
        Item::Typedef(_) => return None,
    };
    let name = match item {
        // A constructor is called by the name of its class.
        Item::Method(method) if method.name(db) == "this" => class.name(db).to_string(),
        _ => ide::name_of(db, &symbol).to_string(),
    };
    Some(HierarchyItem {
        name,
        detail: apg_analysis::program::items::qualified_name(db, class).to_string(),
        kind: symbol_kind(db, &symbol),
        file,
        range,
        name_range,
        calls,
    })
}
