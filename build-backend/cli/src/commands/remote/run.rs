//! `apg run --on` and `apg build --on`: the program's files go to the remote machine, which builds it with
//! its own compiler; where it has none, the program is built here and sent.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use apg_diagnostics::render::Finding;
use apg_project::sources;
use apg_project::{build, session};
use apg_remote::client::Submitted;
use apg_remote::config::{BuildPlace, Remote};
use apg_remote::manifest::Manifest;
use apg_remote::protocol::Job;
use apg_runtime::base::output_tag;
use apg_toolchain::{Mode, Profile};

use super::command_line::{CommandLine, Paths};
use super::{Printer, RemoteRunOptions, client, color_arguments, current_folder, find, follow, plain_job};
use crate::commands::build::{self as build_command, Request};
use crate::failure::{Failure, Outcome};
use crate::report;
use crate::run_events;

/// The name of a program that was built here, in its tree.
const SENT_PROGRAM: &str = "program.so";

/// The folders and files of a request that belong to the program.
fn collect(request: &Request<'_>, here: &Path) -> Result<Manifest, Failure> {
    let source_path = &request.sources.source_path;
    let found = sources::load(std::slice::from_ref(request.file), source_path)
        .map_err(|error| Failure::new(error.to_string()))?;
    let files: Vec<PathBuf> = found.files.into_keys().collect();
    let folders: Vec<PathBuf> = request.native.include.iter().chain(source_path).cloned().collect();
    Manifest::collect(here, &files, &folders).map_err(Failure::new)
}

/// The errors of a program, found while ssh connects.
struct LocalCheck(mpsc::Receiver<Vec<Finding>>);

impl LocalCheck {
    fn start(request: &Request<'_>) -> Result<LocalCheck, Failure> {
        let (sender, receiver) = mpsc::channel();
        let (file, settings) = (request.file.clone(), request.sources.settings());
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
            report::print(request.report.message_format, &findings)?;
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

/// The command line there, seen from the tree.
fn arguments(program: &RemoteProgram<'_>, verb: &str, paths: &Paths<'_>) -> Result<Vec<String>, Failure> {
    let request = program.request;
    let mut line = CommandLine::default();
    line.sources(request.sources, paths)?.native(request.native, paths)?;
    line.option("main", request.main);
    let mut words = color_arguments();
    words.extend([verb.to_owned(), paths.translate(request.file)?]);
    words.extend(program.options.clone().into_words());
    words.extend(line.into_words());
    if !program.arguments.is_empty() {
        words.push("--".to_owned());
        words.extend(program.arguments.iter().cloned());
    }
    Ok(words)
}

/// The name of a program for its jobs.
fn name_of(file: &Path) -> String {
    file.file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Runs a program on a remote machine.
pub(crate) fn run_on(
    on: &str,
    program: &RemoteProgram<'_>,
    options: &RemoteRunOptions,
    launch: &dyn Fn(&Remote) -> CommandLine,
) -> Outcome {
    let remote = find(on)?;
    let printer = Printer::new(&remote.name, program.request.report.message_format);
    let here = current_folder()?;
    let manifest = collect(program.request, &here)?;
    let with_launch = RemoteProgram {
        options: {
            let mut line = launch(&remote);
            for word in program.options.clone().into_words() {
                line.word(word);
            }
            line
        },
        ..*program
    };
    let paths = Paths { manifest: &manifest, here: &here };
    let mut job =
        plain_job(&remote, &name_of(program.request.file), arguments(&with_launch, "run", &paths)?)?;
    job.files.clone_from(&manifest.entries);
    job.start_folder.clone_from(&manifest.start_folder);
    job.launcher = remote.launcher.iter().flat_map(|it| it.split_whitespace()).map(str::to_owned).collect();
    job.has_input = !options.detach;
    job.detached = options.detached()?;
    if printer.is_json() {
        job.variables.push((output_tag::VARIABLE.into(), b"1".to_vec()));
    }
    let check = LocalCheck::start(program.request)?;
    if options.build_place(&remote) != BuildPlace::Here {
        job.needs_compiler = true;
        let mut failed = None;
        let mut is_wanted = || match check.passes(program.request, &printer) {
            Ok(passes) => passes,
            Err(failure) => {
                failed = Some(failure);
                false
            }
        };
        let client = client(&remote, &printer)?;
        let submitted = client.submit(&job, &manifest, &mut is_wanted);
        if let Some(failure) = failed {
            return Err(failure);
        }
        match submitted.map_err(Failure::new)? {
            Submitted::Started(follower) => return attach(follower, options, &printer, &remote),
            Submitted::Cancelled => return ended_by_errors(&printer),
            Submitted::NoCompiler(why) if options.build_place(&remote) == BuildPlace::There => {
                return Err(Failure::new(format!("{on}: {why}"))
                    .hint("`--build here` builds the program on this machine and sends it"));
            }
            Submitted::NoCompiler(_) => {}
        }
    } else if !check.passes(program.request, &printer)? {
        return ended_by_errors(&printer);
    }
    printer.progress().stage("building here");
    run_built_here(&remote, program, job, launch(&remote), options, &printer)
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
    launch: CommandLine,
    options: &RemoteRunOptions,
    printer: &Printer,
) -> Outcome {
    // For any processor of this kind.
    let mode = Mode { profile: Profile::Portable, ..program.request.options.mode };
    let request = Request { options: build::Options { mode, ..program.request.options }, ..*program.request };
    let translated = match build_command::translate(&request, printer.progress())? {
        Ok(translated) => translated,
        Err(status) => return Ok(status),
    };
    let built = match build_command::compile(&translated, &request, printer.progress())? {
        Ok(built) => built,
        Err(status) => return Ok(status),
    };
    let manifest = Manifest::of_file(&built.path, SENT_PROGRAM).map_err(Failure::new)?;
    job.files.clone_from(&manifest.entries);
    job.start_folder.clear();
    job.needs_compiler = false;
    job.arguments = vec![crate::commands::run::BUILT_COMMAND.to_owned(), SENT_PROGRAM.to_owned()];
    job.arguments.extend(launch.into_words());
    job.arguments.push("--".to_owned());
    job.arguments.extend(program.arguments.iter().cloned());
    let client = client(remote, printer)?;
    match client.submit(&job, &manifest, &mut || true).map_err(Failure::new)? {
        Submitted::Started(follower) => attach(follower, options, printer, remote),
        Submitted::NoCompiler(why) => Err(Failure::new(why)),
        Submitted::Cancelled => Ok(1),
    }
}

/// Follows a job that has started, or says how to.
fn attach(
    follower: apg_remote::client::Follower<'_>,
    options: &RemoteRunOptions,
    printer: &Printer,
    remote: &Remote,
) -> Outcome {
    if options.detach {
        let job = follower.job().to_owned();
        follower.detach();
        printer.remark(&format!("job `{job}` runs; `apg attach {job} --on {}` follows it", remote.name))?;
        return Ok(0);
    }
    follower
        .send_standard_input()
        .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
    follow(follower, printer)
}

/// Builds a program on a remote machine; the result comes back to `output` unless a form is only printed.
pub(crate) fn build_on(on: &str, program: &RemoteProgram<'_>, output: Option<PathBuf>) -> Outcome {
    let remote = find(on)?;
    let printer = Printer::new(&remote.name, program.request.report.message_format);
    let here = current_folder()?;
    let manifest = collect(program.request, &here)?;
    let paths = Paths { manifest: &manifest, here: &here };
    let mut job = plain_job(&remote, &name_of(program.request.file), arguments(program, "build", &paths)?)?;
    job.files.clone_from(&manifest.entries);
    job.start_folder.clone_from(&manifest.start_folder);
    job.makes_product = output.is_some();
    job.needs_compiler = job.makes_product;
    let check = LocalCheck::start(program.request)?;
    let client = client(&remote, &printer)?;
    let mut failed = None;
    let submitted = client.submit(&job, &manifest, &mut || {
        check.passes(program.request, &printer).unwrap_or_else(|failure| {
            failed = Some(failure);
            false
        })
    });
    if let Some(failure) = failed {
        return Err(failure);
    }
    match submitted.map_err(Failure::new)? {
        Submitted::Started(mut follower) => {
            if let Some(path) = output {
                follower.set_product(path);
            }
            follow(follower, &printer)
        }
        Submitted::Cancelled => ended_by_errors(&printer),
        Submitted::NoCompiler(why) => Err(Failure::new(format!("{on}: {why}"))
            .hint("without `--on` the program is built here; `apg run --on` sends it there")),
    }
}
