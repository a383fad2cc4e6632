//! Programs in C with directives about devices: their regions as kernels, and their sources with calls in
//! place of the directives.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_c_analysis::{Parsed, Toolchain};
use apg_diagnostics::render::Finding;
use apg_lower_c::{
    FileNumber, FunctionNames, HostRegion, Offloaded, ParallelKernels, ParallelRegions, PlacedRegions,
    PresumedLines, ReachedObject, Source,
};

use crate::build::{Options, Translated};
use crate::c::directive_macros::have_macros_with;
use crate::c::{AnalysedFile, EditedSources, is_source, read, toolchain};
use crate::load_failure::LoadFailure;

/// Where parallel regions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// On the host.
    Host,
    /// On the device, but for those that have no device form.
    Device,
}

/// Where the directives about devices of a program in C take effect.
#[derive(Debug)]
pub enum Placement {
    /// The host runs all of it: the program has no such directives, or some that cannot be edited, with the
    /// reasons as warnings.
    Host(Vec<Finding>),
    /// On devices.
    Devices(DeviceProgram),
}

/// The `target` regions of a program in C as kernels, and its sources with calls in place of its directives
/// about devices.
#[derive(Debug)]
pub struct DeviceProgram {
    /// The text of each source; `None` for a source without such directives.
    pub edited: Vec<Option<String>>,
    /// The regions of the sources that have some.
    pub regions: Vec<Translated>,
    /// Warnings of the regions that have no device form: the host runs them.
    pub on_host: Vec<Finding>,
}

/// The text of each source for a C compiler that rejects them as they are: without what it may not know of
/// directives about devices ([`apg_lower_c::host_text`]). Nothing if no source has such directives.
///
/// # Errors
/// A file cannot be read, or the C compiler refuses the flags.
pub fn simplified_sources(sources: &[PathBuf], flags: &[String]) -> Result<Vec<Option<String>>, LoadFailure> {
    edited_for_host(sources, flags, has_late_forms, apg_lower_c::host_text)
}

/// The text of each source with the directives that the host has in place of `metadirective`, as far as
/// that is known ([`apg_lower_c::host_choices`]). Nothing if no source has such directives.
///
/// # Errors
/// A file cannot be read, or the C compiler refuses the flags.
pub fn chosen_sources(sources: &[PathBuf], flags: &[String]) -> Result<Vec<Option<String>>, LoadFailure> {
    edited_for_host(sources, flags, has_metadirectives, apg_lower_c::host_choices)
}

/// What an edit makes of each source whose text it concerns.
fn edited_for_host(
    sources: &[PathBuf],
    flags: &[String],
    is_concerned: impl Fn(&str) -> bool,
    edit: impl Fn(Source<'_>, &str) -> Option<String>,
) -> Result<Vec<Option<String>>, LoadFailure> {
    let mut concerned: Vec<Option<Arc<str>>> = Vec::new();
    for path in sources {
        let text = if is_source(path) { Some(read(path)?.1) } else { None };
        concerned.push(text.filter(|it| is_concerned(it)));
    }
    if concerned.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let compiler = Arc::new(toolchain(flags)?);
    let edited = sources.iter().zip(concerned).map(|(path, text)| {
        let file = AnalysedFile::of_text(path, text?, &compiler).with_written_directives();
        let parsed = file.parsed().ok()?;
        edit(Source { parsed, path: &file.path }, &path.display().to_string())
    });
    Ok(edited.collect())
}

fn has_metadirectives(text: &str) -> bool {
    text.contains("metadirective")
}

/// Whether two words are those of a directive that moves data.
fn moves_data((first, second): (&str, &str)) -> bool {
    matches!(first, "enter" | "exit") && second.starts_with("data")
}

/// Whether a text may have directives about devices, or clauses of them, that not all compilers know.
fn has_late_forms(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    has("declare mapper")
        || has("begin declare target")
        || has("declare target") && ["enter", "local", "indirect"].iter().any(|it| has(it))
        || has("defaultmap")
        || has("nowait")
        || text.split_whitespace().zip(text.split_whitespace().skip(1)).any(moves_data)
}

/// Translates the directives about devices of a program in C. The inner result has the errors of its files.
///
/// # Errors
/// A file cannot be read, or the C compiler refuses the flags.
pub fn translate_program(
    sources: &[PathBuf],
    flags: &[String],
    options: Options,
    parallel: Parallel,
) -> Result<Result<Placement, Vec<Finding>>, LoadFailure> {
    let names_devices = |path: &PathBuf| -> Result<bool, LoadFailure> {
        let text = if is_source(path) { read(path)?.1 } else { Arc::default() };
        let words: &[&str] = if parallel == Parallel::Device { &["target", "parallel"] } else { &["target"] };
        Ok(words.iter().any(|it| text.contains(it)) || have_macros_with(path, &text, flags, words))
    };
    let mut is_of_devices = sources.iter().map(names_devices).collect::<Result<Vec<bool>, _>>()?;
    if !is_of_devices.contains(&true) {
        return Ok(Ok(Placement::Host(Vec::new())));
    }
    // What is chosen is written into all files.
    for (path, is_of_devices) in sources.iter().zip(&mut is_of_devices).filter(|it| is_source(it.0)) {
        *is_of_devices |= has_metadirectives(&read(path)?.1);
    }
    let compiler = Arc::new(Toolchain { separates_own_headers: true, ..toolchain(flags)? });
    // Regions may call functions of all files.
    let mut files = Vec::new();
    for (number, path) in sources.iter().enumerate().filter(|it| is_source(it.1)) {
        let mut file = AnalysedFile::read(path, &compiler)?;
        file.number = number;
        files.push(if is_of_devices[number] { file.with_written_directives() } else { file });
    }
    let errors = files.iter().filter(|it| is_of_devices[it.number]).filter_map(|it| it.parsed().err());
    let errors: Vec<Finding> = errors.flatten().collect();
    if !errors.is_empty() {
        return Ok(Err(errors));
    }
    files.retain(|it| it.parsed().is_ok());
    Ok(translate_files(&files, sources, &is_of_devices, options, parallel))
}

/// Translates files of a program with directives about devices; those with errors have been reported.
pub(crate) fn translate_files(
    files: &[AnalysedFile],
    sources: &[PathBuf],
    is_of_devices: &[bool],
    options: Options,
    parallel: Parallel,
) -> Result<Placement, Vec<Finding>> {
    let parsed: Vec<&Parsed> = files.iter().filter_map(|it| it.parsed().ok()).collect();
    let units: Vec<Source<'_>> =
        files.iter().zip(&parsed).map(|(file, parsed)| Source { parsed, path: &file.path }).collect();
    let with_openmp = match parallel {
        Parallel::Device if files.len() > 1 => apg_lower_c::functions_with_openmp(parsed.iter().copied()),
        _ => FunctionNames::new(),
    };
    let teams = (parallel == Parallel::Device).then_some(&with_openmp);
    let mut translated = Vec::new();
    let mut errors = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let found = match is_of_devices[file.number] {
            true => file.translate(&units, index, options, teams),
            false => Ok(TranslatedFile::default()),
        };
        match found {
            Ok(found) => translated.push(found),
            Err(more) => errors.extend(more),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let shared = Shared::of(translated.iter());
    let mut found =
        DeviceProgram { edited: vec![None; sources.len()], regions: Vec::new(), on_host: Vec::new() };
    let mut obstacles = Vec::new();
    for ((index, file), of) in files.iter().enumerate().zip(translated) {
        match file.edit(&sources[file.number], &units, index, &of, &shared) {
            Ok(text) => found.edited[file.number] = text,
            Err(reasons) => obstacles.extend(reasons),
        }
        found.on_host.extend(of.on_host);
        let regions = [of.parallel.map(|it| it.translated), of.translated];
        found.regions.extend(regions.into_iter().flatten().filter(|it| !it.mir.kernels.is_empty()));
    }
    let is_edited = obstacles.is_empty() && found.edited.iter().any(Option::is_some);
    Ok(match is_edited {
        true => Placement::Devices(found),
        false => Placement::Host(found.on_host.into_iter().chain(obstacles).collect()),
    })
}

/// Translates the directives about devices of the files of [`crate::c::distribute_program`]. The inner result
/// has the errors of its files.
///
/// # Errors
/// The C compiler refuses the flags.
pub fn translate_distributed(
    sources: &[PathBuf],
    distributed: EditedSources,
    flags: &[String],
    options: Options,
) -> Result<Result<DeviceProgram, Vec<Finding>>, LoadFailure> {
    let compiler = Arc::new(toolchain(flags)?);
    let original = |(path, text): (&PathBuf, &Option<String>)| match text {
        Some(_) => read(path).map(|it| it.1),
        None => Ok(Arc::default()),
    };
    let originals = sources.iter().zip(&distributed).map(original).collect::<Result<Vec<_>, _>>()?;
    Ok(translate_edited(sources, distributed, &originals, &compiler, options))
}

/// Translates the directives about devices of edited sources; `originals` are those of the user, or empty of
/// what is not edited.
pub(crate) fn translate_edited(
    sources: &[PathBuf],
    mut distributed: EditedSources,
    originals: &[Arc<str>],
    compiler: &Arc<Toolchain>,
    options: Options,
) -> Result<DeviceProgram, Vec<Finding>> {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for (number, (path, text)) in sources.iter().zip(&distributed).enumerate() {
        let Some(text) = text.as_ref().filter(|it| it.contains("#pragma omp target")) else { continue };
        let mut file = AnalysedFile::of_text(path, text.as_str().into(), compiler);
        file.number = number;
        match file.parsed() {
            Ok(_) => files.push((file, &originals[number])),
            Err(more) => errors.extend(moved_to_source(more, text, &originals[number])),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let parsed: Vec<&Parsed> = files.iter().filter_map(|it| it.0.parsed().ok()).collect();
    let units: Vec<Source<'_>> =
        files.iter().zip(&parsed).map(|(file, parsed)| Source { parsed, path: &file.0.path }).collect();
    let (mut translated, mut regions, mut on_host) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (file, source)) in files.iter().enumerate() {
        match file.translate(&units, index, options, None) {
            Ok(found) => translated.push(found),
            Err(more) => errors.extend(moved_to_source(more, parsed[index].text(), source)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let shared = Shared::of(translated.iter());
    for ((index, (file, source)), of) in files.iter().enumerate().zip(translated) {
        let text = parsed[index].text();
        match file.edit(&sources[file.number], &units, index, &of, &shared) {
            Ok(Some(edited)) => distributed[file.number] = Some(edited),
            Ok(None) => {}
            Err(reasons) => errors.extend(moved_to_source(reasons, text, source)),
        }
        on_host.extend(moved_to_source(of.on_host, text, source));
        regions.extend(of.translated.filter(|it| !it.mir.kernels.is_empty()));
    }
    let found = DeviceProgram { edited: distributed, regions, on_host };
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// Findings in an edited text at the same lines of its source.
fn moved_to_source(mut findings: Vec<Finding>, edited: &str, source: &Arc<str>) -> Vec<Finding> {
    let lines = PresumedLines::new(edited);
    for finding in &mut findings {
        // Lines count from 1, but `#line 0` of the user makes one.
        let line = lines.line(finding.span.range.start).max(1);
        let start: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let text = source[start..].lines().next().unwrap_or_default();
        let blanks = text.len() - text.trim_start().len();
        finding.span.range = start + blanks..start + text.trim_end().len().max(blanks);
        finding.span.text = Arc::clone(source);
        (finding.related, finding.fixes) = (Vec::new(), Vec::new());
    }
    findings
}

/// A file whose regions are translated.
#[derive(Default)]
struct TranslatedFile {
    translated: Option<Translated>,
    /// Its parallel regions.
    parallel: Option<Teams>,
    /// Regions that have no device form.
    refused: Vec<HostRegion>,
    /// Warnings of these.
    on_host: Vec<Finding>,
    /// What its regions reach outside of themselves, but for what they name.
    objects: BTreeSet<ReachedObject>,
    /// Messages with which they end the program.
    messages: Vec<String>,
    /// They write to the standard output.
    print: bool,
    /// They check bounds.
    checks: bool,
}

/// What files of a program share.
struct Shared {
    /// What their regions reach.
    objects: BTreeSet<ReachedObject>,
    /// The host runs some of their regions.
    host_has_regions: bool,
}

impl Shared {
    fn of<'a>(translated: impl Iterator<Item = &'a TranslatedFile> + Clone) -> Shared {
        let objects = translated.clone().flat_map(|it| &it.objects).copied().collect();
        Shared { objects, host_has_regions: translated.into_iter().any(|it| !it.refused.is_empty()) }
    }
}

impl AnalysedFile {
    /// Translates the regions of this file, which is one of the units of a program. Its parallel regions run
    /// on devices if the functions of the program that use OpenMP are given.
    fn translate(
        &self,
        units: &[Source<'_>],
        index: FileNumber,
        options: Options,
        with_openmp: Option<&FunctionNames>,
    ) -> Result<TranslatedFile, Vec<Finding>> {
        let mut placed = apg_lower_c::place_regions(units, index, options.checks_c);
        // Kernels of all files have names of their own.
        let prefix = format!("file{}_", self.number);
        for kernel in &mut placed.program.kernels {
            kernel.name.insert_str(0, &prefix);
        }
        let translated = self.generate_code(std::mem::take(&mut placed.program), options)?;
        let parallel = with_openmp
            .map(|with_openmp| {
                let (parsed, checks) = (units[index].parsed, options.checks_c);
                let regions = apg_lower_c::lower_parallel(parsed, &self.path, with_openmp, checks);
                self.generate_parallel(regions, options, &prefix)
            })
            .transpose()?;
        let reasons = placed.on_host.iter().flat_map(|it| it.reasons.clone()).collect();
        let mut on_host =
            self.findings(reasons, Some("the host runs the region, on the data that the device has"));
        if let Some(teams) = &parallel {
            let refused = teams.regions.refused.clone();
            on_host.extend(self.findings(refused, Some("the host runs the parallel region around this")));
        }
        let PlacedRegions { on_host: refused, objects, messages, print, .. } = placed;
        let translated = Some(translated);
        let checks = options.checks_c;
        Ok(TranslatedFile { translated, parallel, refused, on_host, objects, messages, print, checks })
    }

    /// The text of this file with calls in place of directives about devices, if it has some; or why they
    /// cannot be edited.
    fn edit(
        &self,
        path: &Path,
        units: &[Source<'_>],
        index: FileNumber,
        of: &TranslatedFile,
        shared: &Shared,
    ) -> Result<Option<String>, Vec<Finding>> {
        let parallel = of.parallel.as_ref();
        let parallel = parallel
            .map(|it| ParallelKernels { regions: &it.regions, symbols: &it.translated.emitted.symbols });
        let kernels = of.translated.as_ref().map_or(&[][..], |it| &it.emitted.symbols);
        let name = &path.display().to_string();
        let (messages, print, checks) = (&of.messages, of.print, of.checks);
        let Shared { objects, host_has_regions } = shared;
        let (on_host, host_has_regions) = (&of.refused[..], *host_has_regions);
        let with = Offloaded {
            name,
            kernels,
            on_host,
            host_has_regions,
            parallel,
            objects,
            messages,
            print,
            checks,
        };
        apg_lower_c::offload(units, index, &with)
            .map_err(|reasons| self.findings(reasons, Some("the host runs the whole program")))
    }
}

/// The parallel regions of a file, and their code.
struct Teams {
    regions: ParallelRegions,
    translated: Translated,
}

impl AnalysedFile {
    /// Generates code of parallel regions; `prefix` is in front of the names of their kernels.
    fn generate_parallel(
        &self,
        mut regions: ParallelRegions,
        options: Options,
        prefix: &str,
    ) -> Result<Teams, Vec<Finding>> {
        let mut program = std::mem::take(&mut regions.program);
        for kernel in &mut program.kernels {
            kernel.name.insert_str(0, &format!("{prefix}parallel_"));
        }
        let translated = self.generate_code(program, options)?;
        Ok(Teams { regions, translated })
    }
}
