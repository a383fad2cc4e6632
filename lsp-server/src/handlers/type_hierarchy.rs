//! Type hierarchy: supertypes and subtypes of a class.

use apg_analysis::ide::{self, Symbol};
use apg_analysis::program::items::ClassId;
use apg_analysis::program::items::Item;
use apg_analysis::program::items::qualified_name;
use apg_analysis::{Cancelled, Db};
use tower_lsp_server::ls_types::{Position, TypeHierarchyItem, Uri};

use super::symbols::symbol_kind;
use crate::lsp::to_proto;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// The class under the cursor, or the class of the value there.
    pub(crate) fn prepare_type_hierarchy(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Vec<TypeHierarchyItem>>, Cancelled> {
        let Some(symbol) = self.symbol_at(uri, position)? else { return Ok(None) };
        let class = self.analysis.with(|db| ide::type_of(db, &symbol))?;
        let Some(Symbol::Item(Item::Class(class))) = class else { return Ok(None) };
        Ok(Some(self.type_items(&[class])?))
    }

    /// The classes and interfaces that a class extends and implements.
    pub(crate) fn supertypes(
        &self,
        item: &TypeHierarchyItem,
    ) -> Result<Option<Vec<TypeHierarchyItem>>, Cancelled> {
        self.related(item, ide::supertypes)
    }

    /// The classes and interfaces that extend or implement a class.
    pub(crate) fn subtypes(
        &self,
        item: &TypeHierarchyItem,
    ) -> Result<Option<Vec<TypeHierarchyItem>>, Cancelled> {
        let files = self.analysis.all_files();
        self.related(item, |db, class| ide::subtypes(db, &files, class))
    }

    fn related(
        &self,
        item: &TypeHierarchyItem,
        query: impl FnOnce(&dyn Db, ClassId) -> Vec<ClassId>,
    ) -> Result<Option<Vec<TypeHierarchyItem>>, Cancelled> {
        let Some(file) = self.any_file(&item.uri) else { return Ok(None) };
        let text = crate::lsp::position::LineText::new(self.analysis.source(file).1.clone());
        let offset = text.offset(item.selection_range.start, self.config.encoding);
        let classes = self.analysis.with(|db| match ide::symbol_at(db, file, offset) {
            Some((Symbol::Item(Item::Class(class)), _)) => query(db, class),
            _ => Vec::new(),
        })?;
        Ok(Some(self.type_items(&classes)?))
    }

    fn type_items(&self, classes: &[ClassId]) -> Result<Vec<TypeHierarchyItem>, Cancelled> {
        let found = self.analysis.with(|db| {
            let item = |class: &ClassId| {
                let symbol = Symbol::Item(Item::Class(*class));
                let (file, range) = ide::full_range(db, &symbol)?;
                let (_, name) = ide::declaration(db, &symbol)?;
                Some((
                    class.name(db).to_string(),
                    qualified_name(db, *class).to_string(),
                    symbol_kind(db, &symbol),
                    file,
                    range,
                    name,
                ))
            };
            classes.iter().filter_map(item).collect::<Vec<_>>()
        })?;
        let item = |(name, detail, kind, file, range, name_range): (String, String, _, _, _, _)| {
            let all = to_proto::location(self, file, range)?;
            Some(TypeHierarchyItem {
                name,
                kind,
                tags: None,
                detail: Some(detail),
                uri: all.uri,
                range: all.range,
                selection_range: to_proto::location(self, file, name_range)?.range,
                data: None,
            })
        };
        Ok(found.into_iter().filter_map(item).collect())
    }
}
