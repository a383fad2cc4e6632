//! `apg/generatedCode`: what a document is compiled to.

use apg_analysis::Cancelled;
use apg_build::build::{self, Failure};
use tower_lsp_server::ls_types::Uri;

use crate::world::Snapshot;

impl Snapshot {
    /// The CUDA C++, host C++ or MIR, or what kernels need of a multiprocessor, of the program whose `main` is in a document; a comment that says why if there is none.
    pub fn generated_code(&self, uri: &Uri, kind: &str) -> Result<String, Cancelled> {
        let Some((_, file)) = self.document(uri) else { return Ok("// This document is not open.\n".into()) };
        // Translating asks the database; a change meanwhile unwinds to here.
        let translated = Cancelled::catch(std::panic::AssertUnwindSafe(|| {
            build::translate(&self.analysis, file, None, build::Options::default())
        }))?;
        let translated = match translated {
            Ok(translated) => translated,
            Err(Failure::Findings(findings)) => {
                let mut text = String::from("// There is no generated code while the program has errors:\n");
                for finding in findings {
                    text.push_str(&format!(
                        "// [{}] {}\n",
                        finding.code,
                        finding.message.replace('\n', "\n// ")
                    ));
                }
                return Ok(text);
            }
            Err(Failure::Driver(error)) => return Ok(format!("// {error}\n")),
        };
        Ok(match kind {
            "resources" => resources(&translated),
            "mir" => apg_build::mir::print::print(&translated.mir),
            "cpp" => translated
                .emitted
                .units
                .iter()
                .map(|unit| format!("// ---- {}\n{}\n", unit.name, unit.text))
                .collect(),
            _ if translated.emitted.cuda.is_empty() => "// This program has no @CUDA kernel.\n".into(),
            _ => translated.emitted.cuda.join("\n"),
        })
    }
}

/// What each kernel needs on each architecture, or why that is not known.
fn resources(translated: &build::Translated) -> String {
    match apg_build::resources::kernels(translated, &apg_runtime::device::architectures()) {
        Ok(kernels) if kernels.is_empty() => "// This program has no @CUDA kernel.\n".into(),
        Ok(kernels) => kernels.iter().map(|kernel| kernel.describe() + "\n").collect(),
        Err(why) => format!("// {why}\n"),
    }
}
