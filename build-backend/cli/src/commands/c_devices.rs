//! C programs whose `target` regions run on devices: the choice of devices (OpenMP 5.2, section 21.2.7), the
//! build as a shared object, and the process that becomes the program.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use apg_project::build::Translated;
use apg_runtime::cache::Cache;
use apg_runtime::offload::{self, TargetDevices};
use apg_runtime::topology::Selection;
use apg_runtime::{device, program};
use apg_toolchain::c::SharedForm;
use apg_toolchain::{BuildObserver, Language, Mode};

use super::hosts::environment_variable;
use crate::exit;
use crate::failure::{Failure, Outcome, build_failure};

/// First argument of a process that becomes a program in C: the shared object, its devices, its name and its
/// arguments follow.
const COMMAND: &str = "__c-program";

/// Whether regions run on devices.
const OFFLOAD: &str = "OMP_TARGET_OFFLOAD";

/// The value of `--accels` for the CPUs with memory of their own.
const CPUS: &str = "cpu";

/// Whether regions of devices may not run on the host.
pub(super) fn is_mandatory() -> bool {
    environment_variable(OFFLOAD).is_some_and(|it| it.trim().eq_ignore_ascii_case("mandatory"))
}

/// The devices of a program; `None` if all of it runs on the host. `accels` is the value of `--accels`.
pub(super) fn devices(accels: Option<&str>) -> Result<Option<TargetDevices>, Failure> {
    let policy = environment_variable(OFFLOAD).map(|it| it.trim().to_ascii_lowercase());
    let is_mandatory = match policy.as_deref() {
        Some("disabled") => return Ok(None),
        Some("mandatory") => true,
        None | Some("default") => false,
        Some(other) => {
            let message = format!("{OFFLOAD} is `{other}`");
            return Err(Failure::misuse(message).hint("write `default`, `mandatory` or `disabled`"));
        }
    };
    if accels.is_some_and(|it| it.trim().eq_ignore_ascii_case(CPUS)) {
        return Ok(Some(TargetDevices::Cpus));
    }
    let selection = Selection::choose(accels, 0, &environment_variable).map_err(Failure::misuse)?;
    let found = selection.resolve(&device::count).map_err(Failure::new)?;
    if found.is_empty() && is_mandatory {
        let why = device::count().err().unwrap_or_else(|| "there is none".to_owned());
        return Err(Failure::new(format!("{OFFLOAD} is `mandatory`, but no GPU can be used: {why}"))
            .hint("`apg doctor` tells what this machine has"));
    }
    Ok((!found.is_empty()).then_some(TargetDevices::Gpus(found)))
}

/// The parts of the shared object besides the compiled sources.
pub(super) fn shared_form(
    edited: Vec<Option<String>>,
    regions: &[Translated],
    mode: Mode,
    observer: &dyn BuildObserver,
) -> Result<SharedForm, Failure> {
    let mut objects = Vec::new();
    for translated in regions {
        let (units, headers) = (&translated.emitted.units, &apg_project::build::HEADERS);
        let compiled = apg_toolchain::compile_units(units, headers, mode, &Cache::default(), observer);
        objects.extend(compiled.map_err(|error| build_failure(&error))?);
    }
    let libraries = apg_toolchain::unit_libraries().map_err(|error| build_failure(&error))?;
    Ok(SharedForm {
        edited,
        header: ("apg_target.h", offload::HEADER),
        support: offload::SUPPORT,
        objects,
        libraries,
    })
}

/// The arguments of the process that becomes a program.
pub(super) fn arguments(
    object: &Path,
    devices: &TargetDevices,
    name: &Path,
    words: impl Iterator<Item = OsString>,
) -> Vec<OsString> {
    let devices = match devices {
        TargetDevices::Cpus => CPUS.to_owned(),
        TargetDevices::Gpus(list) => list.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
    };
    let own = [COMMAND.into(), object.into(), devices.into(), name.into()];
    own.into_iter().chain(words).collect()
}

/// Becomes a program in C if this process was started as one, or has one appended. Nothing else has begun:
/// signals, threads and the standard streams are as the program expects them.
pub(crate) fn run_as_c_program() -> Option<Outcome> {
    let mut words = std::env::args_os();
    let own = words.next().unwrap_or_default();
    let first = words.next();
    if first.as_deref() == Some(OsStr::new(COMMAND)) {
        let (object, devices) = (PathBuf::from(words.next()?), words.next()?);
        let devices = devices.to_string_lossy().into_owned();
        let devices = match devices.as_str() {
            CPUS => Ok(Some(TargetDevices::Cpus)),
            list => Selection::parse(list)
                .and_then(|it| it.resolve(&device::count))
                .map_or_else(|error| Err(Failure::new(error)), |list| Ok(Some(TargetDevices::Gpus(list)))),
        };
        return Some(devices.and_then(|it| become_program(&object, it, words.collect())));
    }
    let object = match apg_toolchain::appended_program(Language::C) {
        Ok(object) => object?,
        Err(error) => return Some(Err(Failure::new(error.to_string()))),
    };
    let words: Vec<OsString> = [own].into_iter().chain(first).chain(words).collect();
    let started = program::memory_file(&object).map_err(Failure::new).and_then(|(file, path)| {
        // Debuggers read it.
        std::mem::forget(file);
        let accels = environment_variable("X10RT_ACCELS");
        become_program(&path, devices(accels.as_deref())?, words)
    });
    Some(started)
}

/// Loads a program and runs its `main`; the process ends with it.
fn become_program(object: &Path, devices: Option<TargetDevices>, words: Vec<OsString>) -> Outcome {
    let devices = devices.unwrap_or(TargetDevices::Gpus(Vec::new()));
    let main = offload::load(object, &devices, Some(Cache::default()), end_by_error).map_err(Failure::new)?;
    let mut values = Vec::new();
    for word in words {
        // Words of a process have no zero bytes.
        values.push(CString::new(word.into_vec()).unwrap_or_default().into_raw());
    }
    let count = values.len();
    values.push(std::ptr::null_mut());
    let status = exit::run_main(main, count, values.leak());
    exit::end_with(status)
}

/// Ends the program by an error of a device construct.
fn end_by_error(message: &str, hint: Option<&str>) -> ! {
    let failure = Failure::new(message);
    let mut failure = hint.into_iter().fold(failure, Failure::hint);
    // The status says it where nothing can be written.
    let _ = failure.print();
    exit::end_with(1)
}
