//! The forms of one C file, which `--emit` prints and editors show: its regions as kernels, and the text that
//! the C compiler gets.

use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::Toolchain;
use apg_diagnostics::render::Finding;

use super::{AnalysedFile, toolchain};
use crate::build::{Options, Translated};
use crate::c_devices::{DeviceProgram, Parallel, Placement, translate_edited, translate_files};
use crate::load_failure::LoadFailure;

/// What a C file is translated to.
#[derive(Debug)]
pub struct FileForms {
    /// The `target` regions, then the parallel regions: each if there are some with a device form.
    pub regions: Vec<Translated>,
    /// The text that the C compiler gets.
    pub host_text: String,
    /// Warnings of regions and directives that stay with the host.
    pub on_host: Vec<Finding>,
}

/// Translates a C file of the disk. The inner result has its errors.
///
/// # Errors
/// The file cannot be read, or the C compiler refuses the flags.
pub fn translate_file_alone(
    path: &Path,
    flags: &[String],
    options: Options,
    parallel: Parallel,
) -> Result<Result<FileForms, Vec<Finding>>, LoadFailure> {
    let compiler = Toolchain { separates_own_headers: true, ..toolchain(flags)? };
    Ok(AnalysedFile::read(path, &Arc::new(compiler))?.forms(path, options, parallel))
}

impl AnalysedFile {
    /// Translates the file as a program of its own; `path` names it in messages. With XcalableMP its
    /// regions of accelerators are on devices.
    ///
    /// # Errors
    /// The errors of the file.
    pub fn forms(
        &self,
        path: &Path,
        options: Options,
        parallel: Parallel,
    ) -> Result<FileForms, Vec<Finding>> {
        if let Some(text) = self.distribute(&path.display().to_string(), true)?.text {
            let (paths, originals) = ([path.to_owned()], [self.text()]);
            let compiler = Toolchain { separates_own_headers: false, ..(*self.compiler).clone() };
            let found = translate_edited(&paths, vec![Some(text)], &originals, &Arc::new(compiler), options)?;
            let DeviceProgram { mut edited, regions, on_host } = found;
            let host_text = edited.pop().flatten().unwrap_or_default();
            return Ok(FileForms { regions, host_text, on_host });
        }
        let written = self.written_out();
        let files = std::slice::from_ref(written.as_ref().unwrap_or(self));
        let DeviceProgram { mut edited, mut regions, on_host } =
            match translate_files(files, &[path.to_owned()], &[true], options, parallel)? {
                Placement::Devices(program) => program,
                Placement::Host(on_host) => {
                    DeviceProgram { edited: Vec::new(), regions: Vec::new(), on_host }
                }
            };
        // `target` regions first.
        regions.reverse();
        let host_text = edited.pop().flatten().unwrap_or_else(|| self.text().to_string());
        Ok(FileForms { regions, host_text, on_host })
    }
}
