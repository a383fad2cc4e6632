//! `apg run --on` and `apg build --on` of programs in C: the sources, the program's own headers, objects and
//! libraries go to the remote machine, whose C compiler builds the program.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use apg_project::c;
use apg_remote::client::Submitted;
use apg_remote::config::{BuildPlace, Remote};
use apg_remote::manifest::Manifest;
use apg_remote::protocol::{CompilerLanguage, Job, ProductKind};

use super::command_line::{CommandLine, Paths};
use super::run::{ProductOption, add_arguments, attach, name_of, set_tree};
use super::{Printer, RemoteRunOptions, client, color_arguments, current_folder, find, follow, plain_job};
use crate::commands::c_program::{CProgram, build_failure};
use crate::failure::{Failure, Outcome};

/// The start of the names of OpenMP's variables, which a program finds as here.
const OPENMP_VARIABLES: &str = "OMP_";

/// How a program in C runs on a remote machine.
pub(crate) struct RemoteCRun<'a> {
    /// Options of remote runs.
    pub options: &'a RemoteRunOptions,
    /// The devices of the program, as of `--accels`.
    pub accels: Option<String>,
    /// Options of the command there.
    pub line: CommandLine,
    /// Arguments of the program.
    pub arguments: Vec<String>,
}

/// The files of a program.
fn collect(program: &CProgram) -> Result<Manifest, Failure> {
    let here = current_folder()?;
    let mut files = program.request().user_files(&here).map_err(|error| build_failure(&error))?;
    files.extend(c::own_headers(program.sources(), &program.compile_flags()));
    Manifest::of_files(&here, &files).map_err(Failure::new)
}

/// A job of `apg` with the files of a program. `line` are the options that concern its build or its run.
fn job_of(
    program: &CProgram,
    verb: &str,
    remote: &Remote,
    manifest: &Manifest,
    product: Option<&ProductOption>,
    mut line: CommandLine,
) -> Result<Job, Failure> {
    let here = current_folder()?;
    let paths = Paths { manifest, here: &here };
    let mut words = color_arguments();
    words.push(verb.to_owned());
    for file in program.files() {
        words.push(paths.translate(file)?);
    }
    // A folder without a file of the program is the remote machine's own.
    let options = program.user_options().options_with_paths(|path| match manifest.contains(path, &here) {
        true => paths.translate(path),
        false => Ok(path.display().to_string()),
    })?;
    words.extend(options.into_iter().flatten());
    let mut job = plain_job(remote, &name_of(program.files().next().unwrap_or(Path::new("program"))), words)?;
    line.flag("release", program.program.release).choice("sanitize", program.program.sanitize);
    line.choice("parallel", program.program.parallel);
    add_arguments(&mut job, product, line.into_words());
    set_tree(&mut job, manifest);
    let openmp =
        std::env::vars_os().filter(|(name, _)| name.as_bytes().starts_with(OPENMP_VARIABLES.as_bytes()));
    job.variables.extend(openmp.map(|(name, value)| (name.into_vec(), value.into_vec())));
    Ok(job)
}

/// Why a program is not built there.
fn no_compiler(on: &str, why: &str) -> Failure {
    Failure::new(format!("{on}: {why}"))
        .hint("a program in C is built where it runs: install a C compiler there (Debian, Ubuntu: `apt install gcc`)")
}

/// Runs a program on a remote machine.
pub(crate) fn run_c_on(on: &str, program: &CProgram, run: RemoteCRun<'_>) -> Outcome {
    let remote = find(on)?;
    if run.options.build_place(&remote) == BuildPlace::Here {
        return Err(Failure::misuse("a program in C is built where it runs, by the C compiler there")
            .hint("leave `--build here` out, or `build = \"here\"` in apg.toml"));
    }
    let printer = Printer::new(&remote.name, program.program.report.message_format);
    let manifest = collect(program)?;
    let mut line = run.line;
    line.option("accels", run.accels.or_else(|| remote.accels.clone()));
    let mut job = job_of(program, "run", &remote, &manifest, None, line)?;
    if !run.arguments.is_empty() {
        job.arguments.push("--".to_owned());
        job.arguments.extend(run.arguments);
    }
    job.launcher = remote.launcher.iter().flat_map(|it| it.split_whitespace()).map(str::to_owned).collect();
    job.has_input = !run.options.detach;
    job.detached = run.options.detached()?;
    job.needs_compiler = Some(CompilerLanguage::C);
    let client = client(&remote, &printer)?;
    match client.submit(&job, &manifest, &mut || true).map_err(Failure::new)? {
        Submitted::Started(follower) => attach(follower, run.options, None, &printer, &remote),
        Submitted::NoCompiler(why) => Err(no_compiler(on, &why)),
        Submitted::Cancelled => Ok(1),
    }
}

/// Builds a program on a remote machine; the result comes back to `output` unless a form is only printed.
pub(crate) fn build_c_on(
    on: &str,
    program: &CProgram,
    line: CommandLine,
    output: Option<PathBuf>,
) -> Outcome {
    let remote = find(on)?;
    let printer = Printer::new(&remote.name, program.program.report.message_format);
    let manifest = collect(program)?;
    let product = output.map(|path| ProductOption { kind: ProductKind::Program, option: "-o", path });
    let mut job = job_of(program, "build", &remote, &manifest, product.as_ref(), line)?;
    job.needs_compiler = product.is_some().then_some(CompilerLanguage::C);
    let client = client(&remote, &printer)?;
    match client.submit(&job, &manifest, &mut || true).map_err(Failure::new)? {
        Submitted::Started(mut follower) => {
            if let Some(ProductOption { kind, path, .. }) = product {
                follower.set_product(kind, path);
            }
            follow(follower, &printer)
        }
        Submitted::NoCompiler(why) => Err(no_compiler(on, &why)),
        Submitted::Cancelled => Ok(1),
    }
}
