//! C programs of `apg run` and `apg build`: the system's C compiler builds them, and `apg run` becomes the
//! program.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use apg_diagnostics::Severity;
use apg_diagnostics::render::Finding;
use apg_project::build::c_compiler_findings;
use apg_project::c::{self as translation, DeviceProgram, FileForms, Placement};
use apg_runtime::cache::Cache;
use apg_runtime::device;
use apg_runtime::offload::TargetDevices;
use apg_runtime::run::{Carrier, Image};
use apg_toolchain::c::{self, CBuild, CBuildError, Executable, Form, SharedForm};
use apg_toolchain::{BuildObserver, Language, Profile, Sanitizer, SilentObserver, write_bundle};

use super::c_places::Destination;
use super::hosts::HostOptions;
use super::launch::{LaunchOptions, enter_run_folder};
use super::remote::{self, CommandLine, RemoteCRun};
use super::{c_devices, c_places};
use crate::c_command_line::{COMPILE_ONLY, has_extension, is_c_file, is_c_input, is_c_program};
use crate::debugger::Debugger;
use crate::failure::{Failure, Outcome};
use crate::options::{Parallel, ProgramOptions};
use crate::progress::Progress;
use crate::report::{self, MessageFormat};
use crate::run_events;

/// The words of a command line that name a C program, and the rest, which are arguments of the program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Translation units.
    sources: Vec<PathBuf>,
    /// Objects and libraries.
    objects: Vec<PathBuf>,
    /// Words behind them.
    rest: Vec<OsString>,
}

impl Inputs {
    /// The files of a C program at the start of the words; `None` if they name a program in X10.
    ///
    /// # Errors
    /// The words name files of both languages.
    pub(crate) fn take(words: &[OsString]) -> Result<Option<Inputs>, Failure> {
        if !is_c_program(words) {
            return Ok(None);
        }
        let x10 = words.iter().find(|it| has_extension(it, &["x10"]));
        match (words.iter().find(|it| is_c_file(it)), x10) {
            (Some(c), Some(x10)) => {
                let (c, x10) = (c.display(), x10.display());
                Err(Failure::misuse(format!("`{x10}` is X10 and `{c}` is C: a program is in one of them"))
                    .hint("an argument of the program stands behind `--`"))
            }
            _ => {
                let count = words.iter().position(|it| !is_c_input(it)).unwrap_or(words.len());
                let (inputs, rest) = words.split_at(count);
                let (sources, objects): (Vec<&OsString>, _) =
                    inputs.iter().partition(|it| has_extension(it, &["c", "i", "s", "S"]));
                let paths = |words: Vec<&OsString>| words.into_iter().map(PathBuf::from).collect();
                Ok(Some(Inputs { sources: paths(sources), objects: paths(objects), rest: rest.to_vec() }))
            }
        }
    }
}

/// A built program.
struct Built {
    program: Executable,
    kind: Kind,
}

/// What a built program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An executable.
    Executable,
    /// A shared object, which a process of apg becomes: its regions run on devices.
    Offloaded,
    /// A shared object that runs at several places.
    Distributed,
}

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

    /// What is built: for devices, if the program has directives about them, else for the host alone. `Err`
    /// is the status to end with: findings are printed.
    fn request_for(
        &self,
        devices: Option<&TargetDevices>,
        observer: &dyn BuildObserver,
        is_stream: bool,
    ) -> Result<Result<(CBuild, Kind), u8>, Failure> {
        let mut request = self.request();
        let (sources, flags) = (&self.inputs.sources, self.compile_flags());
        match translation::distribute_program(sources, &flags, devices.is_some())? {
            Ok(Some(edited)) => {
                if self.program.sanitize.is_some() {
                    return Err(Failure::misuse("`--sanitize` is for programs of one place"));
                }
                let Some(form) = self.distributed_form(edited, observer, is_stream)? else {
                    return Ok(Err(1));
                };
                c_places::distribute(&mut request, form);
                return Ok(Ok((request, Kind::Distributed)));
            }
            Ok(None) => {}
            Err(findings) => {
                self.print_findings(&findings, is_stream)?;
                return Ok(Err(1));
            }
        }
        if devices.is_none() {
            return Ok(Ok((request, Kind::Executable)));
        }
        let profile = if self.is_debug { Profile::Dev } else { Profile::Portable };
        let options = self.program.request(profile, self.is_debug).options;
        let found = translation::translate_program(
            &self.inputs.sources,
            &self.compile_flags(),
            options,
            self.regions_on_device(),
        )?;
        let DeviceProgram { edited, regions, on_host } = match found {
            Ok(Placement::Devices(program)) => program,
            Ok(Placement::Host(reasons)) => {
                let is_built = self.report_host_regions(reasons, is_stream)?;
                return Ok(if is_built { Ok((request, Kind::Executable)) } else { Err(1) });
            }
            Err(findings) => {
                self.print_findings(&findings, is_stream)?;
                return Ok(Err(1));
            }
        };
        if !self.report_host_regions(on_host, is_stream)? {
            return Ok(Err(1));
        }
        if self.program.sanitize.is_some() {
            return Err(Failure::misuse("`--sanitize` is for programs whose regions run on the host")
                .hint("set OMP_TARGET_OFFLOAD=disabled"));
        }
        let mut form = c_devices::shared_form(edited, &regions, options.mode, observer)?;
        if self.regions_on_device() == translation::Parallel::Device {
            c_devices::add_heap(&mut form);
        }
        request.form = Form::SharedObject(form);
        Ok(Ok((request, Kind::Offloaded)))
    }

    /// The parts of a program of places: with kernels for the regions of its devices. `None` if findings are
    /// printed.
    fn distributed_form(
        &self,
        edited: translation::EditedSources,
        observer: &dyn BuildObserver,
        is_stream: bool,
    ) -> Result<Option<SharedForm>, Failure> {
        let profile = if self.is_debug { Profile::Dev } else { Profile::Portable };
        let options = self.program.request(profile, self.is_debug).options;
        let (sources, flags) = (&self.inputs.sources, self.compile_flags());
        match translation::translate_distributed(sources, edited, &flags, options)? {
            Ok(DeviceProgram { edited, regions, on_host }) => {
                if !self.report_host_regions(on_host, is_stream)? {
                    return Ok(None);
                }
                match regions.is_empty() {
                    true => Ok(Some(c_devices::host_form(edited))),
                    false => c_devices::shared_form(edited, &regions, options.mode, observer).map(Some),
                }
            }
            Err(findings) => {
                self.print_findings(&findings, is_stream)?;
                Ok(None)
            }
        }
    }

    /// Reports what the host runs in place of a device; false if the program demands a device.
    fn report_host_regions(&self, mut reasons: Vec<Finding>, is_stream: bool) -> Result<bool, Failure> {
        let is_refused = !reasons.is_empty() && c_devices::is_mandatory();
        if is_refused {
            reasons.iter_mut().for_each(|it| {
                it.severity = Severity::Error;
                it.notes = vec!["OMP_TARGET_OFFLOAD is `mandatory`: no region runs on the host".to_owned()];
            });
        }
        self.print_findings(&reasons, is_stream)?;
        Ok(!is_refused)
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

    /// Builds it and prints what the compiler says. `Err` is the status to end with.
    fn build_program(&self, devices: Option<&TargetDevices>) -> Result<Result<Built, u8>, Failure> {
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

    /// Builds and runs the program on a remote machine.
    pub(crate) fn run_on(mut self, on: &str, mut run: RemoteCRun<'_>) -> Outcome {
        if self.take_compile_only() {
            return Err(only_objects());
        }
        if !matches!(self.program.report.message_format, MessageFormat::Human | MessageFormat::Json) {
            return Err(run_events::wrong_format());
        }
        let rest = self.inputs.rest.iter().map(|it| it.to_string_lossy().into_owned());
        run.arguments = rest.chain(run.arguments).collect();
        remote::run_c_on(on, &self, run)
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
    fn take_compile_only(&mut self) -> bool {
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
        match translation::distribute_program(sources, &self.compile_flags(), false)? {
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
        let progress = Progress::default();
        let compiled = c::compile(&self.request(), &Cache::default(), &progress);
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

    /// Builds the program, and replaces this process by it: its input, output, signals and exit status are
    /// the program's own.
    pub(crate) fn run(
        mut self,
        launch: &LaunchOptions,
        hosts: &HostOptions,
        debugger: Option<Debugger>,
        arguments: &[String],
    ) -> Outcome {
        if self.take_compile_only() {
            return Err(only_objects());
        }
        let is_stream = match self.program.report.message_format {
            MessageFormat::Human => false,
            MessageFormat::Json => true,
            _ => return Err(run_events::wrong_format()),
        };
        let carrier = launch.transport.clone().unwrap_or_default();
        let mut cluster = None;
        let mut places = None;
        if self.is_of_places()? {
            self.check_carrier(&carrier)?;
            match c_places::find_target(hosts, launch.places, &carrier)? {
                Destination::Ended(outcome) => return outcome,
                Destination::Here(number) => places = number,
                Destination::Cluster(found) => cluster = Some(found),
            }
        } else if let Some(option) = place_option(launch, hosts) {
            return Err(only_places(option));
        }
        if cluster.is_some() && debugger.is_some() {
            return Err(Failure::misuse("--debugger is for places of one machine, not of several hosts"));
        }
        let devices = self.devices(launch.accels.as_deref())?;
        let built = match (is_stream, self.build_for_run(devices.as_ref(), is_stream)?) {
            (_, Ok(built)) => built,
            (false, Err(status)) => return Ok(status),
            (true, Err(status)) => return run_events::print_exit(i32::from(status)),
        };
        let words = self.inputs.rest.iter().cloned().chain(arguments.iter().map(OsString::from));
        let cannot = |error| Failure::new(format!("cannot start the program: {error}"));
        let name = self.request().program_name();
        let name_and_words = || [name.clone().into_os_string()].into_iter().chain(words.clone()).collect();
        if let Some(cluster) = cluster {
            if is_stream {
                return run_events::follow_command();
            }
            enter_run_folder()?;
            let line = c_devices::CommandLine {
                devices: c_devices::selection_text(launch.accels.as_deref()),
                places: None,
                carrier,
                words: name_and_words(),
            };
            return c_places::run_on_hosts(*cluster, Image::File(built.program.path.clone()), &line);
        }
        let (executable, words) = match built.kind {
            Kind::Executable => (built.program.path.clone(), words.clone().collect::<Vec<_>>()),
            Kind::Offloaded | Kind::Distributed => {
                let own = std::env::current_exe().map_err(cannot)?;
                let devices = devices.unwrap_or(TargetDevices::Gpus(Vec::new()));
                let line = c_devices::CommandLine {
                    devices: c_devices::devices_text(&devices),
                    places: (built.kind == Kind::Distributed).then(|| places.unwrap_or(1)),
                    carrier,
                    words: name_and_words(),
                };
                let own_words = [c_devices::COMMAND.into(), built.program.path.clone().into_os_string()];
                (own, own_words.into_iter().chain(line.arguments()).collect())
            }
        };
        if let Some(debugger) = debugger {
            enter_run_folder()?;
            return debugger.start_program(&executable, words.into_iter());
        }
        let mut command = Command::new(&executable);
        if built.kind == Kind::Executable {
            command.arg0(name);
        }
        command.args(words);
        command.envs(launch.threads.map(|count| ("OMP_NUM_THREADS", count.to_string())));
        enter_run_folder()?;
        let _in_use = built.program.into_in_use();
        if is_stream {
            return run_events::follow(command);
        }
        Err(cannot(command.exec()))
    }

    /// Whether it is a program of places. What is wrong with its directives is reported when it is built.
    fn is_of_places(&self) -> Result<bool, Failure> {
        let found = apg_project::c::distribute_program(&self.inputs.sources, &self.compile_flags(), false)?;
        Ok(!matches!(found, Ok(None)))
    }

    /// Refuses a transport within one process.
    fn check_carrier(&self, carrier: &Carrier) -> Result<(), Failure> {
        match carrier {
            Carrier::InProcess(_) => {
                Err(Failure::misuse("`--transport in-process` is for programs in X10, not in C")
                    .hint("each place of a program in C is a process: leave it out"))
            }
            _ => Ok(()),
        }
    }

    /// Builds the program; a stream of events gets the findings as events.
    fn build_for_run(
        &self,
        devices: Option<&TargetDevices>,
        is_stream: bool,
    ) -> Result<Result<Built, u8>, Failure> {
        if !is_stream {
            return self.build_program(devices);
        }
        let (request, kind) = match self.request_for(devices, &SilentObserver, true)? {
            Ok(request) => request,
            Err(status) => return Ok(Err(status)),
        };
        let built = c::build(&request, &Cache::default(), &SilentObserver);
        let messages = match &built {
            Ok(program) => &program.messages,
            Err(error) => error.output().unwrap_or_default(),
        };
        run_events::print_findings(&c_compiler_findings(messages))?;
        match built {
            Ok(program) => Ok(Ok(Built { program, kind })),
            Err(CBuildError::Rejected { .. }) => Ok(Err(1)),
            Err(error) => {
                run_events::print_exit(1)?;
                Err(build_failure(&error))
            }
        }
    }
}

/// An option that only programs of places have.
fn place_option(launch: &LaunchOptions, hosts: &HostOptions) -> Option<&'static str> {
    let options = [
        ("--places", launch.places.is_some_and(|it| it > 1)),
        ("--transport", launch.transport.is_some()),
        ("--hosts", hosts.hosts.is_some()),
        ("--hostfile", hosts.hostfile.is_some()),
    ];
    options.into_iter().find(|it| it.1).map(|it| it.0)
}

fn only_places(option: &str) -> Failure {
    Failure::misuse(format!("{option} is for programs with XcalableMP directives, or in X10"))
        .hint("directives such as `#pragma xmp nodes p[*]` make a program in C one of several places")
}

fn only_objects() -> Failure {
    Failure::misuse("`-c` makes objects, which do not run: `apg build -c` builds them")
}

pub(crate) fn build_failure(error: &CBuildError) -> Failure {
    let failure = Failure::new(error.to_string());
    error.hint().into_iter().fold(failure, Failure::hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(words: &str) -> Result<Option<Inputs>, Failure> {
        Inputs::take(&words.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn files_of_a_c_program_stand_before_its_arguments() {
        let inputs = take("a.c b.o c.s 10 d.c").expect("one language").expect("C");
        assert_eq!(inputs.sources, [PathBuf::from("a.c"), "c.s".into()]);
        assert_eq!(inputs.objects, [PathBuf::from("b.o")]);
        assert_eq!(inputs.rest, ["10", "d.c"]);
        assert_eq!(take("a.x10 b").expect("one language"), None);
    }

    #[test]
    fn programs_in_two_languages_are_misuse() {
        let failure = take("a.x10 b.c").expect_err("two languages");
        assert_eq!(failure.status, 2);
        assert!(failure.message.contains("`a.x10` is X10 and `b.c` is C"), "{}", failure.message);
    }
}
