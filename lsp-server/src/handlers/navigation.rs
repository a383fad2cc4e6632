//! Navigation: hover, definitions, implementations, references and highlights.

use apg_analysis::SourceFile;
use apg_analysis::ide::{self, Access, Symbol};
use apg_analysis::{Analysis, Cancelled, Db};
use apg_source::TextRange;
use rayon::prelude::*;
use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, Hover, HoverContents, Location, MarkupContent, MarkupKind,
    Position, Uri,
};

use crate::lsp::to_proto;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// The description of the symbol, or the launch of the kernel, under the cursor.
    pub(crate) fn hover(&self, uri: &Uri, position: Position) -> Result<Option<Hover>, Cancelled> {
        if let Some((document, language)) = self.in_other_language(uri) {
            return language.hover(self, document, position);
        }
        let Some((document, file, offset)) = self.resolve(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| ide::hover(db, file, offset))?;
        let kernels = self.kernel_usage(&document, file)?;
        let usage =
            |range| kernels.iter().find(|(head, _)| *head == range).map(|(_, usage)| usage.markdown());
        Ok(found.map(|hover| Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: hover.markdown + &usage(hover.range).unwrap_or_default(),
            }),
            range: Some(self.range(&document, hover.range)),
        }))
    }

    /// Where the name under the cursor is declared, in the class library too.
    pub(crate) fn definition(&self, uri: &Uri, position: Position) -> Result<Option<Location>, Cancelled> {
        if let Some((document, file, offset)) = self.resolve(uri, position)
            && let Some(uses) = self.analysis.with(|db| ide::label_uses(db, file, offset))?
        {
            let range = uses.first().map(|range| self.range(&document, *range));
            return Ok(range.map(|range| Location { uri: document.uri.clone(), range }));
        }
        self.declaration(uri, position, |_, symbol| Some(symbol))
    }

    /// Where the type of what is under the cursor is declared.
    pub(crate) fn type_definition(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Location>, Cancelled> {
        self.declaration(uri, position, |db, symbol| ide::type_of(db, &symbol))
    }

    fn declaration(
        &self,
        uri: &Uri,
        position: Position,
        target: impl FnOnce(&dyn Db, Symbol) -> Option<Symbol>,
    ) -> Result<Option<Location>, Cancelled> {
        let Some((_, file, offset)) = self.resolve(uri, position) else { return Ok(None) };
        let found = self.analysis.with(|db| {
            let (symbol, _) = ide::defined_at(db, file, offset)?;
            ide::declaration(db, &target(db, symbol)?)
        })?;
        Ok(found.and_then(|(file, range)| to_proto::location(self, file, range)))
    }

    /// The subclasses of the class, or the overriders of the method, under the cursor.
    pub(crate) fn implementations(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Vec<Location>>, Cancelled> {
        let Some(symbol) = self.symbol_at(uri, position)? else { return Ok(None) };
        let files = self.analysis.all_files();
        let files = self.analysis.with(|db| ide::files_below(db, &files, &symbol))?;
        self.prime_supertypes(&files)?;
        let found = self.analysis.with(|db| {
            let all = ide::implementations(db, &files, &symbol);
            all.iter().filter_map(|symbol| ide::declaration(db, symbol)).collect::<Vec<_>>()
        })?;
        Ok(Some(self.locations(found)))
    }

    /// Computes the supertypes of all classes of these files on several threads, which takes long the first
    /// time.
    fn prime_supertypes(&self, files: &[SourceFile]) -> Result<(), Cancelled> {
        let of_file =
            |analysis: &mut Analysis, file: &SourceFile| analysis.with(|db| ide::prime_supertypes(db, *file));
        files.par_iter().map_with(self.analysis.clone(), of_file).collect()
    }

    /// All references to the symbol under the cursor.
    pub(crate) fn references(
        &self,
        uri: &Uri,
        position: Position,
        with_declaration: bool,
    ) -> Result<Option<Vec<Location>>, Cancelled> {
        if let Some((_, file, offset)) = self.resolve(uri, position)
            && let Some(uses) = self.analysis.with(|db| ide::label_uses(db, file, offset))?
        {
            let uses = uses.into_iter().skip(usize::from(!with_declaration));
            return Ok(Some(self.locations(uses.map(|range| (file, range)))));
        }
        let Some(symbol) = self.symbol_at(uri, position)? else { return Ok(None) };
        let files = self.analysis.user_files();
        let naming = self.analysis.with(|db| ide::files_naming(db, &files, &symbol))?;
        self.prime_supertypes(&naming)?;
        let search = self.analysis.with(|db| ide::Wanted::new(db, &naming, &symbol))?;
        // In parallel, because most of the time is spent on typing code that was never typed before.
        let found: Result<Vec<_>, Cancelled> = naming
            .par_iter()
            .map_with(self.analysis.clone(), |analysis, file| analysis.with(|db| search.in_file(db, *file)))
            .collect();
        let references =
            found?.into_iter().flatten().filter(|r| with_declaration || r.access != Access::Declaration);
        Ok(Some(self.locations(references.map(|r| (r.file, r.range)))))
    }

    fn locations(&self, found: impl IntoIterator<Item = (SourceFile, TextRange)>) -> Vec<Location> {
        to_proto::locations(self, found)
    }

    /// The references in the same document.
    pub(crate) fn document_highlights(
        &self,
        uri: &Uri,
        position: Position,
    ) -> Result<Option<Vec<DocumentHighlight>>, Cancelled> {
        let Some((document, file, offset)) = self.resolve(uri, position) else { return Ok(None) };
        if let Some(uses) = self.analysis.with(|db| ide::label_uses(db, file, offset))? {
            let highlight = |range| DocumentHighlight { range: self.range(&document, range), kind: None };
            return Ok(Some(uses.into_iter().map(highlight).collect()));
        }
        let Some(symbol) = self.symbol_at(uri, position)? else { return Ok(None) };
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
