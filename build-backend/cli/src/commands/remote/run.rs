//! `apg run --on` and `apg build --on`: the program's files go to the remote machine, which builds it with
//! its own compiler; where it has none, the program is built here and sent.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use apg_diagnostics::render::Finding;
use apg_project::sources;
use apg_project::{build, session};
use apg_remote::client::{Client, Follower, Submitted};
use apg_remote::config::{BuildPlace, Remote};
use apg_remote::manifest::Manifest;
use apg_remote::protocol::{CompilerLanguage, Job, Product, ProductKind};
use apg_runtime::base::output_tag;
use apg_runtime::profile;
use apg_toolchain::{Mode, Profile};

use super::command_line::{CommandLine, Paths};
use super::{Printer, RemoteRunOptions, client, color_arguments, current_folder, find, follow, plain_job};
use crate::commands::build as build_command;
use crate::commands::hosts::HostOptions;
use crate::commands::launch::LaunchOptions;
use crate::failure::{Failure, Outcome};
use crate::options::Request;
use crate::report;
use crate::run_events;

/// The name of a program that was built here, in its tree.
const SENT_PROGRAM: &str = "program.so";

/// The folders and files of a request that belong to the program.
fn collect(request: &Request<'_>, here: &Path) -> Result<Manifest, Failure> {
    let program = request.program;
    let source_path = &program.sources.source_path;
    let found = sources::load(std::slice::from_ref(&program.file), source_path)
        .map_err(|error| Failure::new(error.to_string()))?;
    let files: Vec<PathBuf> = found.files.into_keys().collect();
    let folders: Vec<PathBuf> = program.native.include.iter().chain(source_path).cloned().collect();
    Manifest::collect(here, &files, &folders).map_err(Failure::new)
}

/// The errors of a program, found while ssh connects.
struct LocalCheck(mpsc::Receiver<Vec<Finding>>);

impl LocalCheck {
    fn start(request: &Request<'_>) -> Result<LocalCheck, Failure> {
        let (sender, receiver) = mpsc::channel();
        let (file, settings) = (request.program.file.clone(), request.program.sources.settings());
        let check = move || {
            // What cannot be checked here is an error there.
            let findings =
                session::check(&[file], &settings).map(|checked| checked.findings).unwrap_or_default();
            let _ = sender.send(findings);
        };
        std::thread::Builder::new()
            .name("apg-check".to_owned())
            .spawn(check)
            .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        Ok(LocalCheck(receiver))
    }

    /// Whether the program has no errors. Prints them if it has, and other findings as events.
    fn passes(&self, request: &Request<'_>, printer: &Printer) -> Result<bool, Failure> {
        let mut findings = self.0.recv().unwrap_or_default();
        let has_errors = findings.iter().any(|it| it.severity == apg_diagnostics::Severity::Error);
        if printer.is_json() {
            run_events::print_findings(&findings)?;
        } else if has_errors {
            printer.progress().finish();
            findings.retain(|finding| finding.severity == apg_diagnostics::Severity::Error);
            report::print(request.program.report.message_format, &findings)?;
        }
        Ok(!has_errors)
    }
}

/// A program for a remote machine.
pub(crate) struct RemoteProgram<'a> {
    /// What is built.
    pub request: &'a Request<'a>,
    /// Options of the command before those of the sources.
    pub options: CommandLine,
    /// Arguments of the program.
    pub arguments: &'a [String],
}

/// How a program runs on a remote machine.
pub(crate) struct RemoteRun<'a> {
    /// Options of remote runs.
    pub options: &'a RemoteRunOptions,
    /// How its places are launched.
    pub launch: &'a LaunchOptions,
    /// Hosts behind the machine.
    pub hosts: &'a HostOptions,
    /// Where its profile goes.
    pub profile: Option<PathBuf>,
}

impl RemoteRun<'_> {
    /// The options of the launch there.
    fn launch_line(&self, remote: &Remote) -> CommandLine {
        let mut line = CommandLine::default();
        line.launch(self.launch, self.hosts, remote);
        line
    }
}

/// The file that a job makes, as an option of `apg`.
pub(super) struct ProductOption {
    pub(super) kind: ProductKind,
    pub(super) option: &'static str,
    pub(super) path: PathBuf,
}

/// Adds the option of a file to make to a job's arguments, which go on with `rest`.
pub(super) fn add_arguments(job: &mut Job, product: Option<&ProductOption>, rest: Vec<String>) {
    if let Some(ProductOption { kind, option, path }) = product {
        job.arguments.push((*option).to_owned());
        job.product = u32::try_from(job.arguments.len()).ok().map(|at| Product { argument: at, kind: *kind });
        // The name here, for lists of jobs.
        job.arguments.push(path.display().to_string());
    }
    job.arguments.extend(rest);
}

/// The options there, seen from the tree, and the program's arguments.
fn options(program: &RemoteProgram<'_>, paths: &Paths<'_>) -> Result<Vec<String>, Failure> {
    let options = program.request.program;
    let mut line = program.options.clone();
    line.flag("release", options.release).choice("checks", options.checks);
    line.choice("sanitize", options.sanitize).option("main", options.main.as_ref());
    line.sources(&options.sources, paths)?.native(&options.native, paths)?;
    Ok(with_program_arguments(line, program))
}

fn with_program_arguments(line: CommandLine, program: &RemoteProgram<'_>) -> Vec<String> {
    let mut words = line.into_words();
    if !program.arguments.is_empty() {
        words.push("--".to_owned());
        words.extend(program.arguments.iter().cloned());
    }
    words
}

/// A job of `apg` with the files of a program.
fn job_of(
    program: &RemoteProgram<'_>,
    verb: &str,
    remote: &Remote,
    paths: &Paths<'_>,
    product: Option<&ProductOption>,
) -> Result<Job, Failure> {
    let file = &program.request.program.file;
    let mut words = color_arguments();
    words.extend([verb.to_owned(), paths.translate(file)?]);
    let mut job = plain_job(remote, &name_of(file), words)?;
    add_arguments(&mut job, product, options(program, paths)?);
    set_tree(&mut job, paths.manifest);
    Ok(job)
}

/// Gives a job the files of a program.
pub(super) fn set_tree(job: &mut Job, manifest: &Manifest) {
    job.files.clone_from(&manifest.entries);
    job.start_folder.clone_from(&manifest.start_folder);
    let up = "../".repeat(job.start_folder.split('/').filter(|part| !part.is_empty()).count());
    if !up.is_empty() {
        // Files above the working folder are named there as here.
        job.variables.push((sources::ROOT_VARIABLE.into(), up.into_bytes()));
    }
}

/// The name of a program for its jobs.
pub(super) fn name_of(file: &Path) -> String {
    file.file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Runs a program on a remote machine.
pub(crate) fn run_on(on: &str, program: &RemoteProgram<'_>, run: &RemoteRun<'_>) -> Outcome {
    let remote = find(on)?;
    let (build, needs_compiler) = (run.options.build_place(&remote), compiler_option(program));
    if let Some(option) = needs_compiler.filter(|_| build == BuildPlace::Here) {
        return Err(Failure::misuse(format!("{option} is for programs that are built where they run"))
            .hint("leave `--build here` out, or `build = \"here\"` in apg.toml"));
    }
    if run.options.detach && run.profile.is_some() {
        return Err(Failure::misuse("with --detach nothing is here to receive the profile")
            .hint("`--keep` lets the program run on when this command ends"));
    }
    let printer = Printer::new(&remote.name, program.request.program.report.message_format);
    let here = current_folder()?;
    let manifest = collect(program.request, &here)?;
    let launched =
        RemoteProgram { options: run.launch_line(&remote).followed_by(&program.options), ..*program };
    let paths = Paths { manifest: &manifest, here: &here };
    let product = run.profile.clone().map(|path| ProductOption {
        kind: ProductKind::Profile,
        option: "--profile",
        path,
    });
    let mut job = job_of(&launched, "run", &remote, &paths, product.as_ref())?;
    if let Some(product) = &product {
        let name = product.path.as_os_str().as_encoded_bytes().to_vec();
        job.variables.push((profile::NAME_VARIABLE.into(), name));
    }
    job.launcher = remote.launcher.iter().flat_map(|it| it.split_whitespace()).map(str::to_owned).collect();
    job.has_input = !run.options.detach;
    job.detached = run.options.detached()?;
    if printer.is_json() {
        job.variables.push((output_tag::VARIABLE.into(), b"1".to_vec()));
    }
    let check = LocalCheck::start(program.request)?;
    if build != BuildPlace::Here {
        job.needs_compiler = Some(CompilerLanguage::Cpp);
        match submit_checked(&client(&remote, &printer)?, &job, &manifest, &check, program, &printer)? {
            Some(Submitted::Started(follower)) => {
                return attach(follower, run.options, run.profile.as_deref(), &printer, &remote);
            }
            Some(Submitted::NoCompiler(why)) => refuse_to_build_here(on, &why, build, needs_compiler)?,
            Some(Submitted::Cancelled) | None => return ended_by_errors(&printer),
        }
    } else if !check.passes(program.request, &printer)? {
        return ended_by_errors(&printer);
    }
    printer.progress().stage("building here");
    run_built_here(&remote, program, job, product.as_ref(), run, &printer)
}

/// The option of a program that needs a C++ compiler also where it runs, or what it brings.
fn compiler_option(program: &RemoteProgram<'_>) -> Option<&'static str> {
    let mode = program.request.options.mode;
    match mode.sanitizer {
        Some(_) => Some("--sanitize"),
        None => mode.debug.then_some("--debugger"),
    }
}

/// An error if a program may not be built here for a machine without C++ compiler.
fn refuse_to_build_here(
    on: &str,
    why: &str,
    build: BuildPlace,
    needs_compiler: Option<&str>,
) -> Result<(), Failure> {
    let failure = Failure::new(format!("{on}: {why}"));
    match (needs_compiler, build) {
        (Some(option), _) => Err(failure.hint(format!("{option} needs one on the machine where it runs"))),
        (None, BuildPlace::There) => {
            Err(failure.hint("`--build here` builds the program on this machine and sends it"))
        }
        (None, _) => Ok(()),
    }
}

/// Submits a job while the program is checked here. `None` if the program has errors, which are printed.
fn submit_checked<'a>(
    client: &'a Client<'a>,
    job: &Job,
    manifest: &Manifest,
    check: &LocalCheck,
    program: &RemoteProgram<'_>,
    printer: &Printer,
) -> Result<Option<Submitted<'a>>, Failure> {
    let mut failed = None;
    let submitted = client.submit(job, manifest, &mut || {
        check.passes(program.request, printer).unwrap_or_else(|failure| {
            failed = Some(failure);
            false
        })
    });
    match failed {
        Some(failure) => Err(failure),
        None => submitted.map(Some).map_err(Failure::new),
    }
}

fn ended_by_errors(printer: &Printer) -> Outcome {
    printer.exit(1)?;
    Ok(1)
}

/// Builds a program here, and runs it on the remote machine.
fn run_built_here(
    remote: &Remote,
    program: &RemoteProgram<'_>,
    mut job: Job,
    product: Option<&ProductOption>,
    run: &RemoteRun<'_>,
    printer: &Printer,
) -> Outcome {
    // For any processor of this kind.
    let mode = Mode { profile: Profile::Portable, ..program.request.options.mode };
    let request = Request { options: build::Options { mode, ..program.request.options }, ..*program.request };
    let built = match build_command::build(&request, printer.progress())? {
        Ok(built) => built,
        Err(status) => return Ok(status),
    };
    let manifest = Manifest::of_file(&built.path, SENT_PROGRAM).map_err(Failure::new)?;
    job.files.clone_from(&manifest.entries);
    job.start_folder.clear();
    job.needs_compiler = None;
    job.arguments = vec![crate::commands::run::BUILT_COMMAND.to_owned(), SENT_PROGRAM.to_owned()];
    add_arguments(&mut job, product, with_program_arguments(run.launch_line(remote), program));
    let client = client(remote, printer)?;
    match client.submit(&job, &manifest, &mut || true).map_err(Failure::new)? {
        Submitted::Started(follower) => {
            attach(follower, run.options, run.profile.as_deref(), printer, remote)
        }
        Submitted::NoCompiler(why) => Err(Failure::new(why)),
        Submitted::Cancelled => Ok(1),
    }
}

/// Follows a job that has started, or says how to.
pub(super) fn attach(
    mut follower: Follower<'_>,
    options: &RemoteRunOptions,
    profile: Option<&Path>,
    printer: &Printer,
    remote: &Remote,
) -> Outcome {
    if options.detach {
        let job = follower.job().to_owned();
        follower.detach();
        printer.remark(&format!("job `{job}` runs; `apg attach {job} --on {}` follows it", remote.name))?;
        return Ok(0);
    }
    if let Some(path) = profile {
        follower.set_product(ProductKind::Profile, path.to_owned());
    }
    follower
        .send_standard_input()
        .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
    follow(follower, printer)
}

/// Builds a program on a remote machine; the result comes back to `output` unless a form is only printed.
pub(crate) fn build_on(on: &str, program: &RemoteProgram<'_>, output: Option<PathBuf>) -> Outcome {
    let remote = find(on)?;
    let printer = Printer::new(&remote.name, program.request.program.report.message_format);
    let here = current_folder()?;
    let manifest = collect(program.request, &here)?;
    let paths = Paths { manifest: &manifest, here: &here };
    let product = output.map(|path| ProductOption { kind: ProductKind::Program, option: "-o", path });
    let mut job = job_of(program, "build", &remote, &paths, product.as_ref())?;
    job.needs_compiler = product.is_some().then_some(CompilerLanguage::Cpp);
    let check = LocalCheck::start(program.request)?;
    let client = client(&remote, &printer)?;
    match submit_checked(&client, &job, &manifest, &check, program, &printer)? {
        Some(Submitted::Started(mut follower)) => {
            if let Some(ProductOption { kind, path, .. }) = product {
                follower.set_product(kind, path);
            }
            follow(follower, &printer)
        }
        Some(Submitted::Cancelled) | None => ended_by_errors(&printer),
        Some(Submitted::NoCompiler(why)) => Err(Failure::new(format!("{on}: {why}"))
            .hint("without `--on` the program is built here; `apg run --on` sends it there")),
    }
}
