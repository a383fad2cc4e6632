//! Files and options of the build of a C program.

use std::path::{Path, PathBuf};

/// What a C program is built from. Paths may be relative to the current folder, where the compiler runs.
#[derive(Clone, Debug, Default)]
pub struct CBuild {
    /// Translation units.
    pub sources: Vec<PathBuf>,
    /// Objects and libraries named by their paths.
    pub objects: Vec<PathBuf>,
    /// Options of the compiler and the linker, in the user's order. Each is one word, or two for an option
    /// whose value stands apart.
    pub options: Vec<Vec<String>>,
    /// What is built.
    pub form: Form,
    /// What is compiled in place of a source of an executable; `None` or nothing for a source that stays as
    /// it is.
    pub chosen: Vec<Option<String>>,
    /// What is compiled where the compiler rejects a source of an executable; `None` or nothing for a source
    /// without such a text.
    pub simplified: Vec<Option<String>>,
    /// Messages of the compiler have colours.
    pub is_colored: bool,
    /// Messages of the compiler are in English, for tools.
    pub is_english: bool,
}

/// What a C program is built into.
#[derive(Clone, Debug, Default)]
pub enum Form {
    /// An executable, from the user's sources as they are, or [`CBuild::chosen`].
    #[default]
    Executable,
    /// A shared object, from edited sources.
    SharedObject(SharedForm),
}

/// The parts of a shared object besides the user's.
#[derive(Clone, Debug, Default)]
pub struct SharedForm {
    /// What is compiled in place of each source; `None` for a source that stays as it is.
    pub edited: Vec<Option<String>>,
    /// What connects the sources with the runtime.
    pub supports: Vec<Support>,
    /// Further objects.
    pub objects: Vec<PathBuf>,
    /// Options for linking that these need, behind the objects.
    pub libraries: Vec<String>,
}

/// A unit that connects edited sources with the runtime.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    /// Name and text of a header that each source in C includes first.
    pub header: (&'static str, &'static str),
    /// Further headers, for the source alone.
    pub own_headers: &'static [(&'static str, &'static str)],
    /// A further source, which includes them.
    pub source: &'static str,
}

/// Which step an option is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Compile,
    Link,
    Both,
}

/// The step of an option by its start; others are for both.
const STEPS: [(&str, Step); 19] = [
    ("-I", Step::Compile),
    ("-D", Step::Compile),
    ("-U", Step::Compile),
    ("-std=", Step::Compile),
    ("-include", Step::Compile),
    ("-isystem", Step::Compile),
    ("-iquote", Step::Compile),
    ("-idirafter", Step::Compile),
    ("-Wl,", Step::Link),
    ("-W", Step::Compile),
    ("-w", Step::Compile),
    ("-pedantic", Step::Compile),
    ("-ansi", Step::Compile),
    ("-L", Step::Link),
    ("-l", Step::Link),
    ("-static", Step::Link),
    ("-rdynamic", Step::Link),
    ("-no-pie", Step::Link),
    ("-Xlinker", Step::Link),
];

/// Folders that linkers search by default.
const SYSTEM_LIBRARY_FOLDERS: [&str; 4] = ["/usr/local/lib", "/usr/lib", "/usr/lib64", "/lib"];

fn step(option: &str) -> Step {
    STEPS.iter().find(|(start, _)| option.starts_with(start)).map_or(Step::Both, |(_, step)| *step)
}

impl CBuild {
    /// Options for compiling, after the defaults `-O2` and `-fopenmp`, which they override.
    pub(super) fn compile_options(&self) -> Vec<String> {
        self.options_of(Step::Compile)
    }

    /// Options for linking that stand before the objects.
    pub(super) fn link_options(&self) -> Vec<String> {
        let mut options = self.options_of(Step::Link);
        options.retain(|it| !it.starts_with("-l"));
        if let Form::SharedObject(_) = self.form {
            options.retain(|it| !matches!(it.as_str(), "-pie" | "-no-pie" | "-fPIE" | "-fpie"));
            // The program's own names go before those of the process that loads it.
            options.extend(["-shared", "-fPIC", "-Wl,-Bsymbolic", "-Wl,--no-undefined"].map(str::to_owned));
        }
        options
    }

    /// Options for linking that stand behind the objects: libraries. Those in named folders are found when
    /// the program runs, too.
    pub(super) fn libraries(&self) -> Vec<String> {
        let folders = self.values("-L").into_iter().filter_map(|it| std::path::absolute(it).ok());
        let run_time = folders.map(|it| format!("-Wl,-rpath,{}", it.display()));
        let named = self.values("-l").into_iter().map(|it| format!("-l{it}"));
        let own = match &self.form {
            Form::SharedObject(shared) => shared.libraries.clone(),
            Form::Executable => Vec::new(),
        };
        run_time.chain(named).chain(own).collect()
    }

    fn options_of(&self, wanted: Step) -> Vec<String> {
        let kept = self.options.iter().filter(|words| {
            let step = words.first().map_or(Step::Both, |it| step(it));
            step == wanted || step == Step::Both
        });
        kept.flatten().cloned().collect()
    }

    /// The values of an option: `-IDIR` or `-I DIR`.
    pub(super) fn values(&self, name: &str) -> Vec<&str> {
        let value = |words: &'_ Vec<String>| -> Option<usize> {
            let first = words.first()?;
            first.starts_with(name).then_some(usize::from(first == name))
        };
        let found = self.options.iter().filter_map(|words| {
            let at = value(words)?;
            let word = words.get(at)?;
            Some(if at == 0 { &word[name.len()..] } else { word.as_str() })
        });
        found.collect()
    }

    /// Folders in which the user's headers are.
    pub(super) fn include_folders(&self) -> Vec<PathBuf> {
        ["-I", "-isystem", "-iquote", "-idirafter"]
            .iter()
            .flat_map(|name| self.values(name))
            .map(PathBuf::from)
            .collect()
    }

    /// The files that the linker may read besides objects of sources.
    pub(super) fn linked_files(&self) -> Vec<PathBuf> {
        let folders: Vec<PathBuf> = self.values("-L").into_iter().map(PathBuf::from).collect();
        let system = SYSTEM_LIBRARY_FOLDERS.map(PathBuf::from);
        let multiarch = PathBuf::from(format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH));
        let folders: Vec<&PathBuf> = folders.iter().chain(&system).chain([&multiarch]).collect();
        let named = self.values("-l").into_iter().flat_map(|name| {
            let names = library_files(name);
            folders.iter().flat_map(move |folder| names.clone().into_iter().map(|it| folder.join(it)))
        });
        self.objects.iter().cloned().chain(named.collect::<Vec<_>>()).collect()
    }

    /// The name of the program: that of the first file without its extension.
    pub fn program_name(&self) -> PathBuf {
        self.sources
            .first()
            .or(self.objects.first())
            .map(|it| it.as_path())
            .unwrap_or(Path::new("a.out"))
            .with_extension("")
    }
}

/// The names of files that `-lNAME` can mean.
fn library_files(name: &str) -> Vec<String> {
    match name.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        None => vec![format!("lib{name}.so"), format!("lib{name}.a"), format!("lib{name}.dylib")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(options: &[&[&str]]) -> CBuild {
        let options = options.iter().map(|words| words.iter().map(|it| (*it).to_owned()).collect()).collect();
        CBuild { options, ..CBuild::default() }
    }

    #[test]
    fn options_go_to_their_step_in_the_users_order() {
        let all: &[&[&str]] =
            &[&["-UA"], &["-D", "A=1"], &["-O3"], &["-lm"], &["-Wl,-z,now"], &["-Wall"], &["-static"]];
        let build = build(all);
        assert_eq!(build.compile_options(), ["-UA", "-D", "A=1", "-O3", "-Wall"]);
        assert_eq!(build.link_options(), ["-O3", "-Wl,-z,now", "-static"]);
        assert_eq!(build.libraries(), ["-lm"]);
    }

    #[test]
    fn values_stand_in_the_word_or_behind_it() {
        let build = build(&[&["-Ione"], &["-I", "two"], &["-L/three"], &["-l", "four"], &["-I"]]);
        assert_eq!(build.values("-I"), ["one", "two"]);
        assert_eq!(build.libraries(), ["-Wl,-rpath,/three", "-lfour"]);
        assert!(build.linked_files().contains(&PathBuf::from("/three/libfour.a")));
    }
}
