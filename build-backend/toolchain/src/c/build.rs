//! Incremental build of a C program: compiles the sources whose objects are not in the cache, in parallel,
//! and links them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::UNIX_EPOCH;

use apg_runtime::base::limits;
use apg_runtime::cache::{self, Cache, CacheError, InUse, Temporary};
use rayon::prelude::*;

use super::compiler::{CCompiler, find};
use super::dependencies::{Digests, MAX_FILE_BYTES, parse_rule};
use super::error::CBuildError;
use super::options::{CBuild, Form, Support};
use crate::compiler_messages::is_out_of_memory;
use crate::regular_file;
use crate::{BuildObserver, include_deps, thread_pool};

/// An executable in the cache. It is not evicted while this value lives.
#[derive(Debug)]
pub struct Executable {
    /// Its path.
    pub path: PathBuf,
    /// Warnings of the compiler for sources that were compiled now, and of the linker.
    pub messages: String,
    in_use: InUse,
    cache: Cache,
}

impl Executable {
    /// Writes a copy that is a program by itself.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn copy_to(&self, to: &Path) -> io::Result<()> {
        copy_entry(&self.cache, &self.path, to, 0o777)
    }

    /// Keeps the entry until the result is dropped.
    pub fn into_in_use(self) -> InUse {
        self.in_use
    }
}

/// Objects in the cache, in the order of the sources. They are not evicted while this value lives.
#[derive(Debug)]
pub struct Objects {
    /// Their paths.
    pub paths: Vec<PathBuf>,
    /// Warnings of the compiler for sources that were compiled now.
    pub messages: String,
    _in_use: InUse,
    cache: Cache,
}

impl Objects {
    /// Writes a copy of an object.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn copy_to(&self, object: &Path, to: &Path) -> io::Result<()> {
        copy_entry(&self.cache, object, to, 0o666)
    }
}

/// Writes the content of an entry to a file with this mode, less the umask.
fn copy_entry(cache: &Cache, entry: &Path, to: &Path, mode: u32) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the entry of the build cache is damaged");
    let bytes = cache.load(entry).ok_or_else(damaged)?;
    if std::fs::metadata(to).is_ok_and(|data| !data.is_file()) {
        return std::fs::write(to, bytes);
    }
    let folder = to.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".apg-").tempfile_in(folder)?;
    let _unfinished = apg_runtime::base::temp_files::Unfinished::new(file.path());
    std::fs::write(file.path(), bytes)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode & !current_umask()))?;
    file.persist(to).map(|_| ()).map_err(|error| error.error)
}

/// The process's file mode creation mask.
fn current_umask() -> u32 {
    // SAFETY: plain system calls; no other thread creates files between them, since the build has ended.
    unsafe {
        let mask = libc::umask(0o077);
        libc::umask(mask);
        mask
    }
}

/// Compiles the sources that are not in the cache and links the program.
///
/// # Errors
/// See [`CBuildError`].
pub fn build(
    request: &CBuild,
    cache: &Cache,
    observer: &dyn BuildObserver,
) -> Result<Executable, CBuildError> {
    let in_use = cache.acquire()?;
    let build = Build::new(request, cache)?;
    let (mut objects, mut messages) = build.compile_sources(observer)?;
    if let Form::SharedObject(shared) = &request.form {
        for support in &shared.supports {
            objects.push(build.support(support)?);
        }
        objects.extend(shared.objects.iter().cloned());
    }
    let program = cache.path("c-programs", &build.program_key(&objects)?, "out");
    let is_cached = cache.contains(&program);
    tracing::debug!(program = %program.display(), is_cached, units = objects.len(), "build C");
    if !is_cached {
        let _span = tracing::debug_span!("link").entered();
        messages += &build.link(&objects, &program)?;
    }
    Ok(Executable { path: program, messages, in_use, cache: cache.clone() })
}

/// Compiles the sources that are not in the cache.
///
/// # Errors
/// See [`CBuildError`].
pub fn compile(
    request: &CBuild,
    cache: &Cache,
    observer: &dyn BuildObserver,
) -> Result<Objects, CBuildError> {
    let in_use = cache.acquire()?;
    let (paths, messages) = Build::new(request, cache)?.compile_sources(observer)?;
    Ok(Objects { paths, messages, _in_use: in_use, cache: cache.clone() })
}

/// Variables by which compilers and linkers find files.
const VARIABLES: [&str; 7] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_RUN_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "SOURCE_DATE_EPOCH",
];

/// What is in front of the user's options.
const DEFAULT_OPTIONS: [&str; 2] = ["-O2", "-fopenmp"];

/// The compiler's own offloading is off: the regions that it compiles are those of the host.
const NO_OFFLOAD: &str = "-foffload=disable";

struct Build<'a> {
    compiler: CCompiler,
    request: &'a CBuild,
    cache: &'a Cache,
    digests: Digests,
}

/// What names a static object in assembler code, in an edited source.
const NAME_IN_ASSEMBLER: &str = " __asm__(\"apg_static";

/// A source and where the list of its dependencies is.
struct Unit<'a> {
    source: &'a Path,
    /// What is compiled in place of the source.
    text: Option<&'a str>,
    /// What is compiled where the compiler rejects it.
    simplified: Option<&'a str>,
    key: String,
    list: PathBuf,
}

impl<'a> Build<'a> {
    fn new(request: &'a CBuild, cache: &'a Cache) -> Result<Self, CBuildError> {
        let compiler = find()?;
        compiler.check_openmp(cache)?;
        Ok(Self { compiler, request, cache, digests: Digests::default() })
    }

    /// The objects of all sources, and what the compiler says of those that it compiles.
    fn compile_sources(&self, observer: &dyn BuildObserver) -> Result<(Vec<PathBuf>, String), CBuildError> {
        let edited: &'a [Option<String>] = match &self.request.form {
            Form::SharedObject(shared) => &shared.edited,
            Form::Executable => &self.request.chosen,
        };
        let sources = self.request.sources.iter().enumerate();
        let text = |of: &'a [Option<String>], index: usize| of.get(index).and_then(Option::as_deref);
        let units = sources
            .map(|(index, it)| self.unit(it, text(edited, index), text(&self.request.simplified, index)));
        self.compile(&units.collect::<Result<Vec<_>, _>>()?, observer)
    }

    /// The object of a further source of a shared object.
    fn support(&self, support: &Support) -> Result<PathBuf, CBuildError> {
        let headers = || support.own_headers.iter().chain([&support.header]);
        let parts = headers().map(|it| it.1).chain([support.source, self.compiler.identity()]);
        let key = cache::key(&parts.collect::<Vec<_>>());
        let object = self.cache.path("c-objects", &key, "o");
        if !self.cache.contains(&object) {
            let source = self.cache.temporary("support.c", support.source.as_bytes())?;
            let headers = headers().map(|it| self.keep_header(*it)).collect::<Result<Vec<_>, _>>()?;
            self.cache.produce(&object, |to| {
                let mut command = self.compiler.command();
                command.args(DEFAULT_OPTIONS).arg("-fPIC");
                for header in &headers {
                    command.arg("-I").arg(header.parent().unwrap_or(header));
                }
                command.arg("-c").arg(source.path()).arg("-o").arg(to);
                let output = self.run(command)?;
                match output.status.success() {
                    true => Ok(()),
                    false => {
                        let output = String::from_utf8_lossy(&output.stderr).into_owned();
                        Err(CBuildError::Rejected { output })
                    }
                }
            })?;
        }
        Ok(object)
    }

    /// Writes a header to the cache: its path.
    fn keep_header(&self, (name, text): (&str, &str)) -> Result<PathBuf, CBuildError> {
        let path = self.cache.root().join("include").join(cache::key(&[text])).join(name);
        self.cache.keep_text(&path, text)?;
        Ok(path)
    }

    /// The option against offloading by the compiler, if it knows it and another may do it.
    fn no_offload(&self) -> Result<Option<OsString>, CBuildError> {
        let is_shared = matches!(self.request.form, Form::SharedObject(_));
        Ok((is_shared && self.compiler.takes(NO_OFFLOAD, self.cache)?).then(|| NO_OFFLOAD.into()))
    }

    /// Options for compiling a text in place of a source: headers are found from the source's folder, and the
    /// object can be a part of a shared object.
    fn shared_options(&self, source: &Path) -> Result<Vec<OsString>, CBuildError> {
        let Form::SharedObject(shared) = &self.request.form else { return Ok(Vec::new()) };
        let mut options: Vec<OsString> = vec!["-fPIC".into(), "-iquote".into(), folder_of(source).into()];
        options.extend(self.no_offload()?);
        if source.extension().is_some_and(|it| it == "c") {
            for support in &shared.supports {
                options.extend(["-include".into(), self.keep_header(support.header)?.into()]);
            }
        }
        Ok(options)
    }

    /// Reads a source. Its key has all that decides on its object except for headers.
    fn unit<'s>(
        &self,
        source: &'s Path,
        text: Option<&'s str>,
        simplified: Option<&'s str>,
    ) -> Result<Unit<'s>, CBuildError> {
        let file_error = |why| CBuildError::File { file: source.to_owned(), why };
        let bytes = regular_file::read(source, MAX_FILE_BYTES).map_err(file_error)?;
        if let Some(at) = bytes.iter().position(|it| *it == 0) {
            let line = bytes[..at].iter().filter(|it| **it == b'\n').count() + 1;
            return Err(CBuildError::NotText { file: source.to_owned(), line });
        }
        let folder = std::env::current_dir().unwrap_or_default();
        let mut parts = vec![self.compiler.identity().to_owned(), folder.display().to_string()];
        parts.push(source.display().to_string());
        parts.extend(self.request.compile_options());
        parts.extend(VARIABLES.iter().map(|name| std::env::var(name).unwrap_or_default()));
        // Machines of a network may share the home folder and the cache in it.
        let is_native = parts.iter().any(|it| it.contains("=native"));
        parts.extend(is_native.then(|| crate::compiler::cpu_identity().to_owned()));
        parts.push(cache::key(&[bytes]));
        parts.extend(text.map(str::to_owned));
        if let Form::SharedObject(shared) = &self.request.form {
            parts.extend(shared.supports.iter().map(|it| it.header.1.to_owned()));
        }
        parts.extend(simplified.map(str::to_owned));
        let key = cache::key(&parts);
        let list = self.cache.path("c-dependencies", &key, "txt");
        Ok(Unit { source, text, simplified, key, list })
    }

    /// The object of a unit, if the files that it was last compiled from make a cached one.
    fn cached_object(&self, unit: &Unit<'_>) -> Option<PathBuf> {
        let list = std::fs::read_to_string(&unit.list).ok()?;
        let files: Vec<PathBuf> = list.lines().map(PathBuf::from).collect();
        let object = self.object_path(unit, &files)?;
        self.cache.contains(&object).then_some(object)
    }

    /// Where the object of a unit with these dependencies is.
    fn object_path(&self, unit: &Unit<'_>, files: &[PathBuf]) -> Option<PathBuf> {
        let mut folders = vec![unit.source.parent().unwrap_or(Path::new("")).to_owned()];
        folders.extend(self.request.include_folders());
        let contents = self.digests.key(files, &folders)?;
        Some(self.cache.path("c-objects", &cache::key(&[&unit.key, &contents]), "o"))
    }

    /// The objects of all units, and what the compiler said of those that it compiled.
    fn compile(
        &self,
        units: &[Unit<'_>],
        observer: &dyn BuildObserver,
    ) -> Result<(Vec<PathBuf>, String), CBuildError> {
        let cached: Vec<Option<PathBuf>> = units.iter().map(|it| self.cached_object(it)).collect();
        let missing: Vec<usize> = (0..units.len()).filter(|it| cached[*it].is_none()).collect();
        if missing.is_empty() {
            return Ok((cached.into_iter().flatten().collect(), String::new()));
        }
        observer.compiling(missing.len());
        let compile = |index: &usize| {
            let unit = &units[*index];
            let _span = tracing::debug_span!("compile", unit = %unit.source.display()).entered();
            let compiled = self.compile_unit(unit);
            observer.compiled(&unit.source.display().to_string());
            (*index, compiled)
        };
        let compiled: BTreeMap<usize, _> = match missing.as_slice() {
            [one] => [compile(one)].into(),
            several => thread_pool::install(|| several.par_iter().map(compile).collect()),
        };
        let mut objects: BTreeMap<usize, PathBuf> =
            cached.into_iter().enumerate().filter_map(|(index, it)| Some((index, it?))).collect();
        // The errors of all files, as when one command compiles them.
        let (mut messages, mut is_rejected) = (String::new(), false);
        for (index, result) in compiled {
            match result {
                Ok((object, output)) => {
                    messages += &output;
                    objects.insert(index, object);
                }
                Err(CBuildError::Rejected { output }) => {
                    messages += &output;
                    is_rejected = true;
                }
                Err(error) => return Err(error),
            }
        }
        match is_rejected {
            true => Err(CBuildError::Rejected { output: messages }),
            false => Ok((objects.into_values().collect(), messages)),
        }
    }

    /// Compiles a unit; its object and the compiler's messages.
    fn compile_unit(&self, unit: &Unit<'_>) -> Result<(PathBuf, String), CBuildError> {
        // The compiler would read some files without end.
        include_deps::sources(&[unit.source.to_owned()], &self.request.include_folders())?;
        let compiled = self.cache.temporary("unit.o", b"")?;
        let rule = self.cache.temporary("unit.d", b"")?;
        let (mut output, mut edited) = self.compile_text(unit.source, unit.text, [&compiled, &rule])?;
        if let Some(text) = unit.simplified.filter(|_| !output.status.success()) {
            (output, edited) = self.compile_text(unit.source, Some(text), [&compiled, &rule])?;
        }
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(CBuildError::Rejected { output: messages });
        }
        self.remove_offload_sections(compiled.path());
        let failed = |error| CBuildError::from(CacheError::new(&unit.list, error));
        let mut files = parse_rule(&std::fs::read_to_string(rule.path()).map_err(failed)?);
        // The text in place of the source is a part of the unit's key.
        files.retain(|it| edited.as_ref().is_none_or(|edited| it != edited.path()));
        let list: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
        // A file that is removed just now: the object is used this once.
        let object = self.object_path(unit, &files).unwrap_or_else(|| {
            self.cache.path("c-objects", &cache::key(&[&unit.key, &list.join("\n")]), "o")
        });
        self.cache.produce(&object, |to| {
            std::fs::copy(compiled.path(), to).map(|_| ()).map_err(|error| CacheError::new(to, error))
        })?;
        self.cache.keep_text(&unit.list, &list.join("\n"))?;
        Ok((object, messages))
    }

    /// Compiles a source, or a text in its place, into an object and the rule of its dependencies: what the
    /// compiler says, and the file with the text.
    fn compile_text(
        &self,
        source: &Path,
        text: Option<&str>,
        [compiled, rule]: [&Temporary; 2],
    ) -> Result<(Output, Option<Temporary>), CBuildError> {
        let mut command = self.compiler.command();
        command.args(DEFAULT_OPTIONS).args(self.request.compile_options()).arg(self.color_option());
        command.args(self.shared_options(source)?);
        // Optimisation at link time would divide the file where it names objects in assembler code.
        command.args(text.filter(|it| it.contains(NAME_IN_ASSEMBLER)).map(|_| "-fno-lto"));
        command.arg("-MD").arg("-MF").arg(rule.path());
        let edited = match text {
            Some(text) => Some(self.cache.temporary("unit.c", text.as_bytes())?),
            None => None,
        };
        if let (Some(_), Form::Executable) = (&edited, &self.request.form) {
            command.arg("-iquote").arg(folder_of(source));
        }
        command.arg("-c").arg(edited.as_ref().map_or(source, |it| it.path())).arg("-o").arg(compiled.path());
        Ok((self.run(command)?, edited))
    }

    /// Removes the code for devices of the compiler's own, which makes the linker start the compiler again.
    fn remove_offload_sections(&self, object: &Path) {
        if matches!(self.request.form, Form::SharedObject(_)) {
            // Without the tool, linking takes longer.
            let _ = Command::new("objcopy").args(["-w", "-R", ".gnu.offload_lto_*"]).arg(object).output();
            // Ctrl-C ends the tool as well, which may leave a part of the object.
            apg_runtime::base::interrupt::wait_for_end();
        }
    }

    fn color_option(&self) -> &'static str {
        if self.request.is_colored { "-fdiagnostics-color=always" } else { "-fdiagnostics-color=never" }
    }

    /// The key of the program: its objects, options, and the files that the linker may read.
    fn program_key(&self, objects: &[PathBuf]) -> Result<String, CBuildError> {
        let mut parts = vec![self.compiler.identity().to_owned()];
        parts.extend(objects.iter().map(|it| it.display().to_string()));
        parts.extend(self.request.link_options());
        parts.extend(self.request.libraries());
        parts.extend(VARIABLES.iter().map(|name| std::env::var(name).unwrap_or_default()));
        for file in self.request.linked_files() {
            let is_named = self.request.objects.contains(&file);
            let data = match std::fs::metadata(&file) {
                Ok(data) if data.is_file() => data,
                _ if is_named => return Err(irregular(&file)),
                _ => continue,
            };
            let modified = data.modified().ok().and_then(|it| it.duration_since(UNIX_EPOCH).ok());
            let modified = modified.map_or(0, |it| it.as_nanos());
            parts.push(format!("{} {} {modified}", file.display(), data.len()));
        }
        Ok(cache::key(&parts))
    }

    /// Links the program; the linker's warnings.
    fn link(&self, objects: &[PathBuf], program: &Path) -> Result<String, CBuildError> {
        let mut messages = String::new();
        let no_offload = self.no_offload()?;
        self.cache.produce(program, |to| {
            let mut command = self.compiler.command();
            command
                .args(DEFAULT_OPTIONS)
                .args(&no_offload)
                .args(self.request.link_options())
                .arg(self.color_option());
            command.args(objects).args(&self.request.objects).arg("-o").arg(to);
            command.args(self.request.libraries());
            let output = self.run(command)?;
            messages = String::from_utf8_lossy(&output.stderr).into_owned();
            if !output.status.success() {
                return Err(CBuildError::Unlinked { output: std::mem::take(&mut messages) });
            }
            let executable = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(to, executable)
                .map_err(|error| CBuildError::from(CacheError::new(to, error)))
        })?;
        Ok(messages)
    }

    /// Runs the compiler or linker to its end.
    fn run(&self, mut command: Command) -> Result<Output, CBuildError> {
        if self.request.is_english {
            command.env("LC_ALL", "C");
        }
        let output = command.output().map_err(|error| CBuildError::cannot_start(&self.compiler, &error))?;
        // Ctrl-C ends the compiler as well: its failure then means nothing.
        apg_runtime::base::interrupt::wait_for_end();
        if output.status.success() {
            return Ok(output);
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let full = [
            ("No space left on device", io::ErrorKind::StorageFull),
            ("Disk quota exceeded", io::ErrorKind::QuotaExceeded),
        ];
        if let Some((_, kind)) = full.into_iter().find(|(text, _)| message.contains(text)) {
            return Err(CacheError::new(self.cache.root(), kind.into()).into());
        }
        if is_out_of_memory(&message, limits::address_space() != usize::MAX) {
            return Err(CBuildError::OutOfMemory);
        }
        Ok(output)
    }
}

/// The folder of a source, from which its headers are found.
fn folder_of(source: &Path) -> &Path {
    source.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The error of an object or library that is no regular file.
fn irregular(file: &Path) -> CBuildError {
    match regular_file::read(file, MAX_FILE_BYTES) {
        Err(why) => CBuildError::File { file: file.to_owned(), why },
        // It has come to be since.
        Ok(_) => CBuildError::Unlinked { output: format!("{} has changed\n", file.display()) },
    }
}

#[cfg(test)]
mod tests;
