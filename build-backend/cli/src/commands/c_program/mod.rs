//! C programs of `apg run` and `apg build`: the system's C compiler builds them, and `apg run` becomes the
//! program.

mod build;
mod inputs;
mod placement;
mod run;

use std::path::{Path, PathBuf};

use apg_diagnostics::Severity;
use apg_diagnostics::render::Finding;
use apg_project::c::{self as translation, FileForms};
use apg_runtime::device;
use apg_runtime::offload::TargetDevices;
use apg_toolchain::c::{CBuild, Form};
use apg_toolchain::{Profile, Sanitizer};

pub(crate) use self::build::build_failure;
pub(crate) use self::inputs::Inputs;
use super::c_devices;
use crate::c_command_line::COMPILE_ONLY;
use crate::failure::Failure;
use crate::options::{Parallel, ProgramOptions};
use crate::report::{self, MessageFormat};
use crate::run_events;

/// A C program and how it is built.
#[derive(Debug)]
pub(crate) struct CProgram {
    /// Its files.
    pub inputs: Inputs,
    /// Options of the build.
    pub program: ProgramOptions,
    /// For a debugger.
    pub is_debug: bool,
}

impl CProgram {
    /// Reports options of the command that have no meaning for C programs.
    pub(crate) fn check_options(&self, only_x10: &[(&'static str, bool)]) -> Result<(), Failure> {
        let only_x10 = only_x10.iter().copied().chain(self.program.only_x10());
        if let Some((option, _)) = only_x10.into_iter().find(|(_, is_set)| *is_set) {
            return Err(Failure::misuse(format!("{option} is for programs in X10, not in C")));
        }
        if self.program.sanitize == Some(Sanitizer::Thread) {
            return Err(Failure::misuse(
                "`--sanitize thread` reports races where OpenMP itself synchronises",
            )
            .hint("the OpenMP library is not instrumented; `address` and `undefined` work"));
        }
        Ok(())
    }

    /// The devices of the program on this machine.
    ///
    /// # Errors
    /// `--parallel` asks for one, and there is none.
    fn devices(&self, accels: Option<&str>) -> Result<Option<TargetDevices>, Failure> {
        let devices = c_devices::devices(accels)?;
        if self.program.parallel == Some(Parallel::Device) && devices.is_none() {
            let why = match device::count() {
                Err(error) => format!("there is none: {error}"),
                Ok(0) => "there is none".to_owned(),
                Ok(_) => "none is to be used".to_owned(),
            };
            return Err(Failure::new(format!(
                "`--parallel device` runs parallel regions on a GPU, but {why}"
            ))
            .hint("`--accels cpu` takes the CPUs as a device; `--parallel host` (the default) needs none")
            .hint("`apg doctor` tells what is there"));
        }
        Ok(devices)
    }

    /// Where parallel regions run.
    fn regions_on_device(&self) -> translation::Parallel {
        match self.program.parallel {
            Some(Parallel::Device) => translation::Parallel::Device,
            _ => translation::Parallel::Host,
        }
    }

    /// Its files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.inputs.sources.iter().chain(&self.inputs.objects).map(PathBuf::as_path)
    }

    /// Its translation units.
    pub(super) fn sources(&self) -> &[PathBuf] {
        &self.inputs.sources
    }

    /// Its files with the user's options and no others.
    pub(super) fn user_options(&self) -> CBuild {
        CBuild { options: self.program.c_options.clone(), ..self.request() }
    }

    pub(super) fn request(&self) -> CBuild {
        let mut options: Vec<Vec<String>> = Vec::new();
        let mut add = |words: &[&str]| options.extend(words.iter().map(|it| vec![(*it).to_owned()]));
        if self.program.release {
            add(&["-O3", "-march=native"]);
        }
        if self.is_debug {
            add(&["-O0", "-g"]);
        }
        if let Some(sanitizer) = self.program.sanitize {
            add(sanitizer.c_flags());
        }
        options.extend(self.program.c_options.iter().cloned());
        CBuild {
            sources: self.inputs.sources.clone(),
            objects: self.inputs.objects.clone(),
            options,
            form: Form::Executable,
            chosen: Vec::new(),
            simplified: Vec::new(),
            is_colored: report::is_colored() && self.is_for_people(),
            is_english: !self.is_for_people(),
        }
    }

    /// Translates the one file for `--emit`. `Err` is the status to end with: findings are printed.
    pub(crate) fn translate_alone(&self) -> Result<Result<FileForms, u8>, Failure> {
        let ([source], None) = (&self.inputs.sources[..], self.inputs.rest.first()) else {
            return Err(Failure::misuse("`--emit` prints what becomes of one C file")
                .hint("name each file in a command of its own"));
        };
        let options = self.program.request(Profile::Portable, self.is_debug).options;
        let forms = translation::translate_file_alone(
            source,
            &self.compile_flags(),
            options,
            self.regions_on_device(),
        )?;
        match forms {
            Ok(forms) => Ok(Ok(forms)),
            Err(findings) => {
                report::print(self.program.report.message_format, &findings)?;
                Ok(Err(1))
            }
        }
    }

    /// What its kernels are made of.
    pub(crate) fn region_name(&self) -> &'static str {
        match self.regions_on_device() {
            translation::Parallel::Host => "`target` region",
            translation::Parallel::Device => "`target` or `parallel` region that has a device form",
        }
    }

    /// Prints what stays with the host: as warnings that say so, or as errors.
    pub(crate) fn print_host_regions(
        &self,
        mut findings: Vec<Finding>,
        severity: Severity,
    ) -> Result<(), Failure> {
        for it in findings.iter_mut().filter(|_| severity == Severity::Error) {
            it.severity = severity;
            it.notes = vec!["it has no device code".to_owned()];
        }
        self.print_findings(&findings, false)
    }

    /// The compiler's options without those of the linker.
    pub(super) fn compile_flags(&self) -> Vec<String> {
        let is_of_linker =
            |words: &[String]| words.first().is_some_and(|it| it.starts_with("-l") || it.starts_with("-L"));
        let flags = self.program.c_options.iter().filter(|it| !is_of_linker(it) && it[..] != [COMPILE_ONLY]);
        flags.flatten().cloned().collect()
    }

    /// Prints findings, or puts them into the stream of events.
    fn print_findings(&self, findings: &[Finding], is_stream: bool) -> Result<(), Failure> {
        if is_stream {
            return run_events::print_findings(findings);
        }
        Ok(report::print(self.program.report.message_format, findings)?)
    }

    fn is_for_people(&self) -> bool {
        self.program.report.message_format == MessageFormat::Human
    }
}
