//! From a name to where it is declared, used, implemented.

use apg_analysis::ide::{self, Access, Symbol};
use apg_analysis::ids::SourceFile;
use apg_analysis::{Analysis, Cancelled, db};
use apg_syntax::TextRange;
use rayon::prelude::*;
use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, Hover, HoverContents, Location, MarkupContent, MarkupKind,
    Position, Uri,
};

use crate::convert;
use crate::world::Snapshot;

impl Snapshot {
    /// What is under the cursor: for a kernel, how it will launch.
    pub fn hover(&self, uri: &Uri, position: Position) -> Result<Option<Hover>, Cancelled> {
        let Some((document, file, offset)) = self.at(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| ide::hover(db, file, offset))?;
        let kernels = self.known_kernels(&document, file)?;
        let needs =
            |range| kernels.iter().find(|(head, _)| *head == range).map(|(_, needs)| needs.markdown());
        Ok(found.map(|hover| Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: hover.markdown + &needs(hover.range).unwrap_or_default(),
            }),
            range: Some(self.range(&document, hover.range)),
        }))
    }

    /// Where the name under the cursor is declared, in the class library too.
    pub fn definition(&self, uri: &Uri, position: Position) -> Result<Option<Location>, Cancelled> {
        if let Some((document, file, offset)) = self.at(uri, position)
            && let Some(uses) = self.analysis.with(|db| ide::label_uses(db, file, offset))?
        {
            let range = uses.first().map(|range| self.range(&document, *range));
            return Ok(range.map(|range| Location { uri: document.uri.clone(), range }));
        }
        self.declared(uri, position, |_, symbol| Some(symbol))
    }

    /// Where the type of what is under the cursor is declared.
    pub fn type_definition(&self, uri: &Uri, position: Position) -> Result<Option<Location>, Cancelled> {
        self.declared(uri, position, |db, symbol| ide::type_of(db, &symbol))
    }

    fn declared(
        &self,
        uri: &Uri,
        position: Position,
        of: impl FnOnce(&dyn db::Db, Symbol) -> Option<Symbol>,
    ) -> Result<Option<Location>, Cancelled> {
        let Some((_, file, offset)) = self.at(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| {
            let (symbol, _) = ide::defined_at(db, file, offset)?;
            ide::declaration(db, &of(db, symbol)?)
        })?;
        Ok(found.and_then(|(file, range)| convert::location(self, file, range)))
    }

    /// The classes that extend, or methods that override, what is under the cursor.
    pub fn implementations(&self, uri: &Uri, position: Position) -> Result<Option<Vec<Location>>, Cancelled> {
        let Some(symbol) = self.symbol(uri, position)? else { return Ok(None) };
        let files = self.analysis.all_files();
        let files = self.analysis.with(|db| ide::files_below(db, &files, &symbol))?;
        self.find_supertypes(&files)?;
        let found = self.analysis.with(|db| {
            let all = ide::implementations(db, &files, &symbol);
            all.iter().filter_map(|symbol| ide::declaration(db, symbol)).collect::<Vec<_>>()
        })?;
        Ok(Some(self.locations(found)))
    }

    /// Finds what the classes of these files extend and implement, which takes a while the first time, on several threads.
    fn find_supertypes(&self, files: &[SourceFile]) -> Result<(), Cancelled> {
        let of_file =
            |analysis: &mut Analysis, file: &SourceFile| analysis.with(|db| ide::find_supertypes(db, *file));
        files.par_iter().map_with(self.analysis.clone(), of_file).collect()
    }

    /// All places that name what is under the cursor.
    pub fn references(
        &self,
        uri: &Uri,
        position: Position,
        with_declaration: bool,
    ) -> Result<Option<Vec<Location>>, Cancelled> {
        if let Some((_, file, offset)) = self.at(uri, position)
            && let Some(uses) = self.analysis.with(|db| ide::label_uses(db, file, offset))?
        {
            let wanted = uses.into_iter().skip(usize::from(!with_declaration));
            return Ok(Some(self.locations(wanted.map(|range| (file, range)))));
        }
        let Some(symbol) = self.symbol(uri, position)? else { return Ok(None) };
        let files = self.analysis.user_files();
        let naming = self.analysis.with(|db| ide::files_naming(db, &files, &symbol))?;
        self.find_supertypes(&naming)?;
        let wanted = self.analysis.with(|db| ide::Wanted::new(db, &naming, &symbol))?;
        // Each thread has a snapshot of its own: most of the time goes into code that was never typed before.
        let found: Result<Vec<_>, Cancelled> = naming
            .par_iter()
            .map_with(self.analysis.clone(), |analysis, file| analysis.with(|db| wanted.in_file(db, *file)))
            .collect();
        let wanted =
            found?.into_iter().flatten().filter(|r| with_declaration || r.access != Access::Declaration);
        Ok(Some(self.locations(wanted.map(|r| (r.file, r.range)))))
    }

    fn locations(&self, found: impl IntoIterator<Item = (SourceFile, TextRange)>) -> Vec<Location> {
        convert::locations(self, found)
    }

    /// The same name in the same document.
    pub fn highlights(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Vec<DocumentHighlight>>, Cancelled> {
        let Some((document, file, offset)) = self.at(uri, position) else { return Ok(None) };
        if let Some(uses) = self.analysis.with(|db| ide::label_uses(db, file, offset))? {
            let highlight = |range| DocumentHighlight { range: self.range(&document, range), kind: None };
            return Ok(Some(uses.into_iter().map(highlight).collect()));
        }
        let Some(symbol) = self.symbol(uri, position)? else { return Ok(None) };
        let found = self.analysis.with(|db| ide::references(db, &[file], &symbol))?;
        let highlight = |reference: ide::Reference| DocumentHighlight {
            range: self.range(&document, reference.range),
            kind: Some(match reference.access {
                Access::Write => DocumentHighlightKind::WRITE,
                Access::Read => DocumentHighlightKind::READ,
                Access::Declaration => DocumentHighlightKind::TEXT,
            }),
        };
        Ok(Some(found.into_iter().map(highlight).collect()))
    }
}
