//! Builds a C program, or its objects, into files.

use std::io::Write;
use std::path::PathBuf;

use apg_project::build::c_compiler_findings;
use apg_project::c as translation;
use apg_runtime::cache::Cache;
use apg_runtime::offload::TargetDevices;
use apg_toolchain::c::{self, CBuildError, Executable};
use apg_toolchain::{Language, write_bundle};

use super::CProgram;
use super::placement::Kind;
use crate::c_command_line::COMPILE_ONLY;
use crate::commands::remote::{self, CommandLine};
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;

/// A built program.
pub(super) struct Built {
    pub(super) program: Executable,
    pub(super) kind: Kind,
}

impl CProgram {
    /// Builds it and prints what the compiler says. `Err` is the status to end with.
    pub(super) fn build_program(
        &self,
        devices: Option<&TargetDevices>,
    ) -> Result<Result<Built, u8>, Failure> {
        let progress = Progress::default();
        let request = self.request_for(devices, &progress, false);
        let (request, kind) = match request {
            Ok(Ok(request)) => request,
            Ok(Err(status)) => return Ok(Err(status)),
            Err(failure) => {
                progress.finish();
                return Err(failure);
            }
        };
        let built = c::build(&request, &Cache::default(), &progress);
        progress.finish();
        match built {
            Ok(program) => {
                self.print_messages(&program.messages)?;
                Ok(Ok(Built { program, kind }))
            }
            Err(error) => self.report(&error).map(Err),
        }
    }

    /// Prints what the compiler says of the user's files, and returns the status to end with; other errors
    /// are failures.
    fn report(&self, error: &CBuildError) -> Outcome {
        match error {
            CBuildError::Rejected { output } => {
                self.print_messages(output)?;
                Ok(1)
            }
            error => {
                // The linker's words are not about places in the source.
                error.output().map_or(Ok(()), |output| std::io::stderr().write_all(output.as_bytes()))?;
                Err(build_failure(error))
            }
        }
    }

    /// Prints the compiler's messages: as they are for people, as findings for tools.
    fn print_messages(&self, messages: &str) -> Result<(), Failure> {
        if self.is_for_people() {
            return Ok(std::io::stderr().write_all(messages.as_bytes())?);
        }
        self.print_findings(&c_compiler_findings(messages), false)
    }

    /// Reports words that name no file.
    fn check_words(&self) -> Result<(), Failure> {
        match self.inputs.rest.first() {
            None => Ok(()),
            Some(word) => Err(Failure::misuse(format!("`{}` is no file of a C program", word.display()))
                .hint("sources end in `.c`, objects in `.o`, libraries in `.a` or `.so`")),
        }
    }

    /// Where the program goes.
    fn output_file(&self, named: Option<PathBuf>) -> Result<PathBuf, Failure> {
        let output = named.unwrap_or_else(|| self.request().program_name());
        match output.is_dir() {
            true => Err(Failure::new(format!("`{}` is a folder", output.display()))
                .hint("name the program with `-o`")),
            false => Ok(output),
        }
    }

    /// Builds the program on a remote machine into a file here; with `emitted` prints that form instead.
    pub(crate) fn build_on(mut self, on: &str, output: Option<PathBuf>, emitted: CommandLine) -> Outcome {
        self.check_words()?;
        if self.take_compile_only() {
            return Err(Failure::misuse(
                "`-c` with `--on`: objects are linked on the machine where they are",
            )
            .hint("`apg build FILE... --on REMOTE` builds the whole program there"));
        }
        let is_printed = !emitted.is_empty();
        let mut line = emitted;
        line.flag("debug", self.is_debug);
        let output = if is_printed { None } else { Some(self.output_file(output)?) };
        remote::build_c_on(on, &self, line, output)
    }

    /// Builds the program, or with `-c` the objects, into files.
    pub(crate) fn build(mut self, output: Option<PathBuf>) -> Outcome {
        self.check_words()?;
        if self.take_compile_only() {
            return self.build_objects(output);
        }
        let output = self.output_file(output)?;
        let devices = self.devices(None)?;
        let built = match self.build_program(devices.as_ref())? {
            Ok(built) => built,
            Err(status) => return Ok(status),
        };
        let written = match built.kind {
            Kind::Executable => built.program.copy_to(&output),
            Kind::Offloaded | Kind::Distributed => write_bundle(&built.program.path, Language::C, &output),
        };
        written.map_err(|error| Failure::new(format!("cannot write `{}`: {error}", output.display())))?;
        Ok(0)
    }

    /// Removes `-c` from the compiler's options; whether it was there.
    pub(super) fn take_compile_only(&mut self) -> bool {
        let options = &mut self.program.c_options;
        let count = options.len();
        options.retain(|words| !matches!(words.as_slice(), [word] if word == COMPILE_ONLY));
        options.len() < count
    }

    /// Compiles each source into an object: the named file, or `NAME.o` in the current folder.
    fn build_objects(&self, output: Option<PathBuf>) -> Outcome {
        let sources = &self.inputs.sources;
        if output.is_some() && sources.len() > 1 {
            return Err(Failure::misuse("`-o` names one object, but there are several sources"));
        }
        let flags = self.compile_flags();
        match translation::distribute_program(sources, &flags, false)? {
            Ok(None) => {}
            Ok(Some(_)) => {
                return Err(Failure::misuse(
                    "`-c` is for programs without XcalableMP: its directives are those of all files together",
                )
                .hint("`apg build FILE...` builds the whole program"));
            }
            Err(findings) => {
                self.print_findings(&findings, false)?;
                return Ok(1);
            }
        }
        let mut request = self.request();
        self.simplify(&mut request)?;
        let progress = Progress::default();
        let compiled = c::compile(&request, &Cache::default(), &progress);
        progress.finish();
        let objects = match compiled {
            Ok(objects) => objects,
            Err(error) => return self.report(&error),
        };
        self.print_messages(&objects.messages)?;
        for (source, object) in sources.iter().zip(&objects.paths) {
            let name = PathBuf::from(source.file_name().unwrap_or_default()).with_extension("o");
            let to = output.clone().unwrap_or(name);
            objects
                .copy_to(object, &to)
                .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", to.display())))?;
        }
        Ok(0)
    }
}

pub(crate) fn build_failure(error: &CBuildError) -> Failure {
    let failure = Failure::new(error.to_string());
    error.hint().into_iter().fold(failure, Failure::hint)
}
