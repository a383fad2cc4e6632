//! Code lenses. The editor implements their commands: two that every client has, and those that it announces.

use apg_analysis::Cancelled;
use apg_analysis::ide::{self, Access, LensKind};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CodeLens, Command, Location, Position, Uri};

use crate::handlers::remotes;
use crate::kernels::worker::mentions_kernels;
use crate::lsp::lens::{command_on, lens_of};
use crate::lsp::to_proto;
use crate::snapshot::Snapshot;

/// Commands on remote machines and their titles. The arguments are the document and the machine's name.
const ON_REMOTES: [(&str, &str); 2] = [("apg.runOn", "Run on"), ("apg.debugOn", "Debug on")];
const SHOW_REFERENCES: &str = "apg.showReferences";

impl Snapshot {
    /// *Run* above each `main`, *Show CUDA* above each kernel, and lenses of further commands that the client
    ///  has.
    pub(crate) fn code_lenses(&self, uri: &Uri) -> Result<Vec<CodeLens>, Cancelled> {
        if let Some((document, language)) = self.in_other_language(uri) {
            return language.code_lenses(self, document);
        }
        let Some((document, file)) = self.document(uri) else { return Ok(Vec::new()) };
        let counts_references = self.has_command(SHOW_REFERENCES);
        let lenses = self.analysis.with(|db| ide::lenses(db, file, counts_references))?;
        let has_kernel = mentions_kernels(&self.analysis);
        let mut all = Vec::new();
        for lens in lenses {
            let range = self.range(&document, lens.range);
            let command = |title: &str, command: &str, also: &[Value]| {
                lens_of(range, command_on(&document.uri, title, command, also))
            };
            let optional = |title: &str, name: &str, also: &[Value]| {
                self.has_command(name).then(|| command(title, name, also))
            };
            match lens.kind {
                LensKind::Run => {
                    all.push(command("▶ Run", "apg.run", &[]));
                    all.extend(optional("Debug", "apg.debug", &[]));
                    // Programs without kernels run in one way only.
                    if has_kernel {
                        all.extend(optional("Run at CPU", "apg.runAtCpu", &[]));
                        all.extend(optional("Run on GPU", "apg.runOnGpu", &[]));
                    }
                    all.extend(optional("Run with places…", "apg.runWithPlaces", &[]));
                    all.extend(self.remote_commands(uri, &document.uri).map(|it| lens_of(range, it)));
                    all.extend(optional("Show host code", "apg.showHostCode", &[]));
                }
                LensKind::ShowCuda => all.push(command("Show CUDA", "apg.showCuda", &[])),
                // Counting takes long: the client resolves the lenses that are visible.
                LensKind::References => all.push(CodeLens {
                    range,
                    command: None,
                    data: Some(json!({ "uri": document.uri, "position": range.start })),
                }),
            }
        }
        Ok(all)
    }

    /// The client's commands on the remote machines that a document's `apg.toml` names.
    pub(crate) fn remote_commands(&self, uri: &Uri, document: &Uri) -> impl Iterator<Item = Command> {
        let offered: Vec<_> = ON_REMOTES.into_iter().filter(|(name, _)| self.has_command(name)).collect();
        let remotes = if offered.is_empty() { Vec::new() } else { remotes::of_document(uri).remotes };
        let document = document.clone();
        remotes.into_iter().flat_map(move |remote| {
            let of_remote = offered.iter().map(|(name, title)| {
                command_on(&document, &format!("{title} {}", remote.name), name, &[json!(remote.name)])
            });
            of_remote.collect::<Vec<_>>()
        })
    }

    /// Whether the client implements a command.
    pub(crate) fn has_command(&self, name: &str) -> bool {
        self.config.commands.iter().any(|command| command == name)
    }

    /// Counts the references to the declaration of a lens.
    pub(crate) fn resolve_code_lens(&self, lens: CodeLens) -> Result<CodeLens, Cancelled> {
        let Some((uri, position)) = lens.data.as_ref().and_then(declaration_position) else {
            return Ok(lens);
        };
        let found = self.lens_references(&uri, position)?;
        let title = match found.len() {
            1 => "1 reference".to_owned(),
            n => format!("{n} references"),
        };
        let arguments = vec![json!(uri), json!(position), json!(found)];
        let command = Command { title, command: SHOW_REFERENCES.into(), arguments: Some(arguments) };
        Ok(CodeLens { command: Some(command), data: None, ..lens })
    }

    fn lens_references(&self, uri: &Uri, position: Position) -> Result<Vec<Location>, Cancelled> {
        let Some(symbol) = self.symbol_at(uri, position)? else { return Ok(Vec::new()) };
        let files = self.analysis.user_files();
        let found = self.analysis.with(|db| ide::references(db, &files, &symbol))?;
        let uses = found.into_iter().filter(|r| r.access != Access::Declaration);
        Ok(to_proto::locations(self, uses.map(|r| (r.file, r.range))))
    }
}

fn declaration_position(data: &Value) -> Option<(Uri, Position)> {
    let uri = serde_json::from_value(data.get("uri")?.clone()).ok()?;
    Some((uri, serde_json::from_value(data.get("position")?.clone()).ok()?))
}
