//! Call hierarchy: who calls a method, and what it calls.

use apg_analysis::ide::{self, Symbol};
use apg_analysis::ids::{MethodId, SourceFile};
use apg_analysis::item_tree::source::Item;
use apg_analysis::{Cancelled, db};
use apg_syntax::TextRange;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Position, Uri,
};

use super::structure::kind;
use crate::convert;
use crate::world::Snapshot;

/// Where a method stands, as plain data: what the database is asked for at once.
struct Placed {
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
    pub fn prepare_calls(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Vec<CallHierarchyItem>>, Cancelled> {
        let Some(symbol) = self.symbol(uri, position)? else { return Ok(None) };
        let Symbol::Item(item @ Item::Method(_)) = symbol else { return Ok(None) };
        let placed = self.analysis.with(|db| placed(db, item, Vec::new()))?;
        Ok(placed.and_then(|placed| self.call_item(&placed)).map(|item| vec![item]))
    }

    /// Whose code calls a method.
    pub fn incoming_calls(
        &self,
        item: &CallHierarchyItem,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>, Cancelled> {
        let files = self.analysis.user_files();
        let found = self.calls(item, |db, method| ide::incoming_calls(db, &files, method))?;
        let call = |placed: &Placed| {
            let calls = convert::locations(self, placed.calls.iter().map(|range| (placed.file, *range)));
            Some(CallHierarchyIncomingCall {
                from: self.call_item(placed)?,
                from_ranges: calls.into_iter().map(|call| call.range).collect(),
            })
        };
        Ok(found.map(|all| all.iter().filter_map(call).collect()))
    }

    /// What a method calls.
    pub fn outgoing_calls(
        &self,
        item: &CallHierarchyItem,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>, Cancelled> {
        let found = self.calls(item, ide::outgoing_calls)?;
        let caller = self.any_file(&item.uri);
        let call = |placed: &Placed| {
            let calls = placed.calls.iter().filter_map(|range| Some((caller?, *range)));
            let from_ranges = convert::locations(self, calls).into_iter().map(|call| call.range).collect();
            Some(CallHierarchyOutgoingCall { to: self.call_item(placed)?, from_ranges })
        };
        Ok(found.map(|all| all.iter().filter_map(call).collect()))
    }

    fn calls(
        &self,
        item: &CallHierarchyItem,
        of: impl FnOnce(&dyn db::Db, MethodId) -> Vec<ide::Calls>,
    ) -> Result<Option<Vec<Placed>>, Cancelled> {
        let Some(file) = self.any_file(&item.uri) else { return Ok(None) };
        let (_, text) = self.analysis.source(file);
        let offset = crate::position::LineText::new(text.clone())
            .offset(item.selection_range.start, self.settings.encoding);
        self.analysis.with(|db| {
            let (symbol, _) = ide::symbol_at(db, file, offset)?;
            let Symbol::Item(Item::Method(method)) = symbol else { return None };
            let all = of(db, method).into_iter();
            Some(all.filter_map(|calls| placed(db, calls.item, calls.ranges)).collect())
        })
    }

    fn call_item(&self, placed: &Placed) -> Option<CallHierarchyItem> {
        let all = convert::location(self, placed.file, placed.range)?;
        Some(CallHierarchyItem {
            name: placed.name.clone(),
            kind: placed.kind,
            tags: None,
            detail: Some(placed.detail.clone()),
            uri: all.uri,
            range: all.range,
            selection_range: convert::location(self, placed.file, placed.name_range)?.range,
            data: None,
        })
    }
}

fn placed(db: &dyn db::Db, item: Item, calls: Vec<TextRange>) -> Option<Placed> {
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
        // Those who make an object name its class.
        Item::Method(method) if method.name(db) == "this" => class.name(db).to_string(),
        _ => ide::name_of(db, &symbol).to_string(),
    };
    Some(Placed {
        name,
        detail: apg_analysis::item_tree::items::qualified_name(db, class).to_string(),
        kind: kind(db, &symbol),
        file,
        range,
        name_range,
        calls,
    })
}
