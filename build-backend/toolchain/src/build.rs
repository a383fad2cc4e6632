//! Incremental build: compiles the translation units that are not in the cache, and links them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use apg_codegen::{Unit, UnitKind};
use apg_runtime::base::limits;
use apg_runtime::cache::{self, Cache, CacheError, InUse};
use rayon::prelude::*;

use crate::compiler::{self, Compiler, find as find_compiler};
use crate::compiler_messages::is_out_of_memory;
use crate::error::BuildError;
use crate::native_options::NativeOptions;
use crate::{BuildObserver, Mode, Sanitizer, include_deps, thread_pool};

/// A shared object in the cache. It is not evicted while this value lives.
#[derive(Debug)]
pub struct SharedObject {
    /// Its path.
    pub path: PathBuf,
    /// Protects it from eviction.
    pub in_use: InUse,
}

/// Compiles the units that are not in the cache and links the shared object.
///
/// # Errors
/// See [`BuildError`].
pub fn build(
    units: &[Unit],
    headers: &[(&str, &str)],
    mode: Mode,
    native: &NativeOptions,
    cache: &Cache,
    observer: &dyn BuildObserver,
) -> Result<SharedObject, BuildError> {
    let build = Build { compiler: find_compiler()?, units, headers, mode, native, cache };
    let in_use = cache.acquire()?;
    let keys = build.unit_keys()?;
    let program = cache.path("programs", &build.program_key(&keys), "so");
    let is_cached = cache.contains(&program);
    tracing::debug!(program = %program.display(), is_cached, units = units.len(), "build");
    if !is_cached {
        let objects: Vec<PathBuf> = keys.iter().map(|key| cache.path("objects", key, "o")).collect();
        build.compile(&objects, observer)?;
        let _span = tracing::debug_span!("link").entered();
        build.link(&objects, &program)?;
    }
    Ok(SharedObject { path: program, in_use })
}

/// Compiles the units that are not in the cache: their objects, in the same order, for another link.
///
/// # Errors
/// See [`BuildError`].
pub fn compile_units(
    units: &[Unit],
    headers: &[(&str, &str)],
    mode: Mode,
    cache: &Cache,
    observer: &dyn BuildObserver,
) -> Result<Vec<PathBuf>, BuildError> {
    let native = &NativeOptions::default();
    let build = Build { compiler: find_compiler()?, units, headers, mode, native, cache };
    let objects: Vec<PathBuf> =
        build.unit_keys()?.iter().map(|key| cache.path("objects", key, "o")).collect();
    build.compile(&objects, observer)?;
    Ok(objects)
}

/// Libraries that objects of [`compile_units`] need.
///
/// # Errors
/// There is no compiler.
pub fn unit_libraries() -> Result<Vec<String>, BuildError> {
    let standard = "-lstdc++".to_owned();
    Ok(find_compiler()?.libraries().into_iter().chain([standard]).collect())
}

/// The inputs of a build.
struct Build<'a> {
    compiler: Compiler,
    units: &'a [Unit],
    headers: &'a [(&'a str, &'a str)],
    mode: Mode,
    native: &'a NativeOptions,
    cache: &'a Cache,
}

impl Build<'_> {
    fn headers_key(&self) -> String {
        let parts: Vec<&str> = self.headers.iter().flat_map(|(name, text)| [*name, *text]).collect();
        cache::key(&parts)
    }

    /// The key of each unit's object.
    fn unit_keys(&self) -> Result<Vec<String>, BuildError> {
        let headers = self.headers_key();
        let key = |unit: &Unit| {
            // Which of TRACE_FLAGS the compiler accepts is part of its identity.
            let flags = flags(&self.compiler, self.mode, self.native, unit.kind);
            let flags = [flags.join(" "), compiler::TRACE_FLAGS.join(" ")].join(" ");
            // Machines of a network may share the home folder and the cache in it.
            let machine = if flags.contains("-march=native") { compiler::cpu_identity() } else { "" };
            let included = include_deps::contents(&unit.includes, &self.native.include_folders)?;
            Ok(cache::key(&[&self.compiler.identity, &flags, machine, &headers, &unit.text, &included]))
        };
        self.units.iter().map(key).collect()
    }

    fn program_key(&self, unit_keys: &[String]) -> String {
        let link_flags = [self.native.before.join(" "), self.native.link_flags().join(" ")].join(" ");
        let units = unit_keys.join(" ");
        cache::key(&[&self.compiler.identity, &units, link_flags.trim(), &self.native.libraries_identity()])
    }

    /// Compiles the units whose objects are missing.
    fn compile(&self, objects: &[PathBuf], observer: &dyn BuildObserver) -> Result<(), BuildError> {
        let missing: Vec<(&Unit, &PathBuf)> =
            self.units.iter().zip(objects).filter(|(_, object)| !self.cache.contains(object)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let include = self.cache.root().join("include").join(self.headers_key());
        self.headers.iter().try_for_each(|(name, text)| self.cache.keep_text(&include.join(name), text))?;
        observer.compiling(missing.len());
        let trace_flags = self.compiler.trace_flags();
        let compile = |(unit, object): &(&Unit, &PathBuf)| {
            let _span = tracing::debug_span!("compile", unit = %unit.name).entered();
            self.compile_unit(unit, object, &include, trace_flags)?;
            observer.compiled(&unit.name);
            Ok(())
        };
        thread_pool::install(|| missing.par_iter().try_for_each(compile))
    }

    fn compile_unit(
        &self,
        unit: &Unit,
        object: &Path,
        include: &Path,
        trace_flags: &[&str],
    ) -> Result<(), BuildError> {
        let source = self.cache.temporary(&format!("{}.cpp", unit.name), unit.text.as_bytes())?;
        self.cache.produce(object, |output| {
            let mut command = Command::new(&self.compiler.path);
            command.args(flags(&self.compiler, self.mode, self.native, unit.kind)).args(trace_flags);
            command.arg("-I").arg(include).arg("-c").arg(source.path()).arg("-o").arg(output);
            command.args(include_deps::folder_options(&unit.includes));
            self.run(command, &format!("the unit `{}`", unit.name)).map_err(|error| {
                match (unit.kind, error) {
                    (UnitKind::Native, BuildError::Rejected { message, .. }) => {
                        BuildError::Native { message }
                    }
                    (_, error) => error,
                }
            })
        })
    }

    fn link(&self, objects: &[PathBuf], program: &Path) -> Result<(), BuildError> {
        let has_native = self.units.iter().any(|it| it.kind == UnitKind::Native);
        let sanitizer = self.mode.sanitizer;
        self.cache.produce(program, |output| {
            let mut command = Command::new(&self.compiler.path);
            command.args(["-shared", "-fPIC", "-Wl,--build-id=none"]);
            if has_native && sanitizer.is_none() && !cfg!(target_vendor = "apple") {
                // Generated code needs no symbol of the runtime. Symbols that C++ code lacks are reported
                // now.
                command.arg("-Wl,--no-undefined");
            }
            command.args(sanitizer.map(Sanitizer::link_flag)).args(&self.native.before).args(objects);
            command.arg("-o").arg(output).args(self.native.link_flags());
            command.arg("-Wl,--as-needed").args(self.compiler.libraries());
            self.run(command, "linking").map_err(|error| match error {
                BuildError::Rejected { message, .. } if has_native || self.native.has_link_options() => {
                    BuildError::NativeLink { message }
                }
                error => error,
            })
        })
    }

    fn run(&self, mut command: Command, what: &str) -> Result<(), BuildError> {
        // English messages: they are for a report, and are searched below.
        let output = command
            .env("LC_ALL", "C")
            .output()
            .map_err(|error| BuildError::Rejected { what: what.to_owned(), message: error.to_string() })?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let full = [
            ("No space left on device", io::ErrorKind::StorageFull),
            ("Disk quota exceeded", io::ErrorKind::QuotaExceeded),
        ];
        if let Some((_, kind)) = full.into_iter().find(|(text, _)| message.contains(text)) {
            return Err(CacheError::new(self.cache.root(), kind.into()).into());
        }
        let what = what.to_owned();
        if is_out_of_memory(&message, limits::address_space() != usize::MAX) {
            return Err(BuildError::OutOfMemory { what });
        }
        Err(BuildError::Rejected { what, message })
    }
}

/// All options for compiling a unit.
fn flags(compiler: &Compiler, mode: Mode, native: &NativeOptions, kind: UnitKind) -> Vec<String> {
    let mut flags = compiler.flags(mode, kind);
    if kind == UnitKind::Native {
        flags.extend(native.compile_flags());
    }
    flags
}

#[cfg(test)]
mod tests {
    use crate::{Profile, SilentObserver};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Counter(AtomicUsize);

    impl BuildObserver for Counter {
        fn compiling(&self, _: usize) {}
        fn compiled(&self, _: &str) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn unit(name: &str, text: &str) -> Unit {
        Unit { name: name.into(), kind: UnitKind::Code, text: text.into(), includes: Vec::new() }
    }

    #[test]
    fn only_changed_units_are_compiled() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let header = [("number.h", "#define NUMBER 42\n")];
        let mut units = vec![
            unit(
                "a",
                "#include \"number.h\"\nint b();\nextern \"C\" __attribute__((visibility(\"default\"))) int a() { return b() + NUMBER; }",
            ),
            unit("b", "int b() { return 1; }"),
        ];
        let compiled = |units: &[Unit], header: &[(&str, &str)]| {
            let counter = Counter::default();
            let path = build(units, header, Profile::Dev.into(), &NativeOptions::default(), &cache, &counter)
                .unwrap()
                .path;
            (path, counter.0.into_inner())
        };
        let (first, count) = compiled(&units, &header);
        assert_eq!(count, 2);
        // SAFETY: the object was compiled from the text above.
        let value = unsafe {
            let library = libloading::Library::new(&first).unwrap();
            library.get::<extern "C" fn() -> i32>(b"a").unwrap()()
        };
        assert_eq!(value, 43);
        assert_eq!(compiled(&units, &header), (first.clone(), 0));
        units[1].text = "int b() { return 2; }".into();
        let (second, count) = compiled(&units, &header);
        assert_eq!(count, 1);
        assert_ne!(first, second);
        assert_eq!(compiled(&units, &[("number.h", "#define NUMBER 43\n")]).1, 2);
    }

    #[test]
    fn compiler_errors_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let bad = unit("bad", "#line 7 \"program.x10\"\nint f() { return nonsense; }");
        let native = NativeOptions::default();
        let error = build(&[bad], &[], Profile::Dev.into(), &native, &cache, &SilentObserver)
            .unwrap_err()
            .to_string();
        assert!(error.contains("program.x10:7") && error.contains("fault of apg"), "{error}");
    }
}
