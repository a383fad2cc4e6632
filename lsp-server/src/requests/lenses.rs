//! Code lenses. The editor carries their commands out: two that every client of ours has, and those that it says it has.

use apg_analysis::Cancelled;
use apg_analysis::ide::{self, Access, LensKind};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CodeLens, Command, Location, Position, Uri};

use crate::convert;
use crate::kernels::mentions_kernels;
use crate::world::Snapshot;

const SHOW_REFERENCES: &str = "apg.showReferences";

impl Snapshot {
    /// *Run* above each `main`, *Show CUDA* above each kernel; and what else the client has commands for.
    pub fn code_lenses(&self, uri: &Uri) -> Result<Vec<CodeLens>, Cancelled> {
        let Some((document, file)) = self.document(uri) else { return Ok(Vec::new()) };
        let counted = self.has_command(SHOW_REFERENCES);
        let lenses = self.analysis.with(|db| ide::lenses(db, file, counted))?;
        let has_kernel = mentions_kernels(&self.analysis);
        let mut all = Vec::new();
        for lens in lenses {
            let range = self.range(&document, lens.range);
            let command = |title: &str, command: &str, also: &[Value]| {
                let mut arguments = vec![json!(document.uri)];
                arguments.extend(also.iter().cloned());
                let command =
                    Command { title: title.into(), command: command.into(), arguments: Some(arguments) };
                CodeLens { range, command: Some(command), data: None }
            };
            let optional = |title: &str, name: &str, also: &[Value]| {
                self.has_command(name).then(|| command(title, name, also))
            };
            match lens.kind {
                LensKind::Run => {
                    all.push(command("▶ Run", "apg.run", &[]));
                    all.extend(optional("Debug", "apg.debug", &[]));
                    // Without a kernel, in whatever file, there is nothing to choose between.
                    if has_kernel {
                        all.extend(optional("Run at CPU", "apg.runAtCpu", &[]));
                        all.extend(optional("Run on GPU", "apg.runOnGpu", &[]));
                    }
                    all.extend(optional("Run with places…", "apg.runWithPlaces", &[]));
                    all.extend(optional("Show host code", "apg.showHostCode", &[]));
                }
                LensKind::ShowCuda => all.push(command("Show CUDA", "apg.showCuda", &[])),
                // Counting takes long: it is done when the lens is in sight.
                LensKind::References => all.push(CodeLens {
                    range,
                    command: None,
                    data: Some(json!({ "uri": document.uri, "position": range.start })),
                }),
            }
        }
        Ok(all)
    }

    fn has_command(&self, name: &str) -> bool {
        self.settings.commands.iter().any(|command| command == name)
    }

    /// How often the declaration of a lens is named, and where.
    pub fn resolve_lens(&self, lens: CodeLens) -> Result<CodeLens, Cancelled> {
        let Some((uri, position)) = lens.data.as_ref().and_then(place) else { return Ok(lens) };
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
        let Some(symbol) = self.symbol(uri, position)? else { return Ok(Vec::new()) };
        let files = self.analysis.user_files();
        let found = self.analysis.with(|db| ide::references(db, &files, &symbol))?;
        let uses = found.into_iter().filter(|r| r.access != Access::Declaration);
        Ok(convert::locations(self, uses.map(|r| (r.file, r.range))))
    }
}

fn place(data: &Value) -> Option<(Uri, Position)> {
    let uri = serde_json::from_value(data.get("uri")?.clone()).ok()?;
    Some((uri, serde_json::from_value(data.get("position")?.clone()).ok()?))
}
