//! C programs whose `target` regions run on devices: the choice of devices (OpenMP 5.2, section 21.2.7), the
//! build as a shared object, and the process that becomes the program.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use apg_project::build::Translated;
use apg_runtime::cache::Cache;
use apg_runtime::cluster::agent;
use apg_runtime::net::bootstrap::connect;
use apg_runtime::offload::{self, TargetDevices};
use apg_runtime::run::Carrier;
use apg_runtime::topology::Selection;
use apg_runtime::{device, profile, program};
use apg_toolchain::c::{SharedForm, Support};
use apg_toolchain::{BuildObserver, Language, Mode};

use super::c_places::{self, Start};
use super::hosts::{HostOptions, environment_variable};
use super::launch::{carrier_text, parse_transport};
use crate::exit;
use crate::failure::{Failure, Outcome, build_failure};

/// First argument of a process that becomes a program in C; those of a [`CommandLine`] follow.
pub(super) const COMMAND: &str = "__c-program";

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
    if selection_text(accels) == CPUS {
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

/// What each place selects its devices by: `accels`, the value of `--accels`, or else the variable.
pub(super) fn selection_text(accels: Option<&str>) -> String {
    let text = accels.map(str::to_owned).or_else(|| environment_variable("X10RT_ACCELS"));
    text.map_or_else(|| "auto".to_owned(), |it| it.trim().to_ascii_lowercase())
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
    Ok(SharedForm { edited, supports: vec![SUPPORT], objects, libraries })
}

/// The parts of a program without regions of devices.
pub(super) fn host_form(edited: Vec<Option<String>>) -> SharedForm {
    SharedForm { edited, supports: vec![SUPPORT], objects: Vec::new(), libraries: Vec::new() }
}

/// Gives a program the heap that its parallel regions on a device reach.
pub(super) fn add_heap(form: &mut SharedForm) {
    form.supports.push(HEAP);
    form.libraries.extend(offload::HEAP_WRAPPED.iter().map(|it| format!("-Wl,--wrap={it}")));
}

/// That heap.
const HEAP: Support =
    Support { header: ("apg_heap.h", offload::HEAP_HEADER), own_headers: &[], source: offload::HEAP };

/// What connects a program with its devices.
pub(super) const SUPPORT: Support =
    Support { header: ("apg_target.h", offload::HEADER), own_headers: &[], source: offload::SUPPORT };

/// What a process becomes.
#[derive(Debug)]
pub(super) struct CommandLine {
    /// Its devices: `cpu`, or what [`Selection::parse`] takes.
    pub devices: String,
    /// Its places; `None` for a program that has none.
    pub places: Option<u32>,
    /// What carries messages between them.
    pub carrier: Carrier,
    /// The name of the program, and its arguments.
    pub words: Vec<OsString>,
}

impl CommandLine {
    /// As arguments behind [`COMMAND`] and the path of the shared object. More words may follow, as an agent
    /// adds one.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let (places, count) = (self.places.unwrap_or(0).to_string(), self.words.len().to_string());
        let own = [self.devices.clone().into(), places.into(), carrier_text(&self.carrier), count.into()];
        own.into_iter().chain(self.words.iter().cloned()).collect()
    }

    fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<CommandLine> {
        let mut text = || arguments.next().map(|it| it.to_string_lossy().into_owned());
        let (devices, places, carrier, count) = (text()?, text()?, text()?, text()?);
        Some(CommandLine {
            devices,
            places: places.parse().ok().filter(|it| *it > 0),
            carrier: parse_transport(&carrier).ok()?,
            words: arguments.take(count.parse().ok()?).collect(),
        })
    }
}

/// Devices as text.
pub(super) fn devices_text(devices: &TargetDevices) -> String {
    match devices {
        TargetDevices::Cpus => CPUS.to_owned(),
        TargetDevices::Gpus(list) => list.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
    }
}

/// Becomes a program in C if this process was started as one, or has one appended. Nothing else has begun:
/// signals, threads and the standard streams are as the program expects them.
pub(crate) fn run_as_c_program() -> Option<Outcome> {
    let mut words = std::env::args_os();
    let own = words.next().unwrap_or_default();
    let first = words.next();
    if first.as_deref() == Some(OsStr::new(COMMAND)) {
        let object = PathBuf::from(words.next()?);
        let line = CommandLine::parse(words)?;
        let devices = match line.devices.as_str() {
            CPUS => Ok(Some(TargetDevices::Cpus)),
            list => Selection::parse(list)
                .and_then(|it| it.resolve(&device::count))
                .map_or_else(|error| Err(Failure::new(error)), |list| Ok(Some(TargetDevices::Gpus(list)))),
        };
        return Some(devices.and_then(|it| become_program(&object, it, line)));
    }
    if first.as_deref().is_some_and(|it| it == agent::COMMAND || it == agent::IDENTITY_COMMAND) {
        return None;
    }
    let object = match apg_toolchain::appended_program(Language::C) {
        Ok(object) => object?,
        Err(error) => return Some(Err(Failure::new(error.to_string()))),
    };
    let words: Vec<OsString> = [own].into_iter().chain(first).chain(words).collect();
    let started = program::memory_file(&object).map_err(Failure::new).and_then(|(file, path)| {
        // Debuggers read it.
        std::mem::forget(file);
        let mut line =
            CommandLine { devices: selection_text(None), places: None, carrier: Carrier::default(), words };
        if c_places::is_distributed(&path) {
            line.places = Some(match connect::is_invited() {
                // The others know how many there are.
                true => 1,
                false => match c_places::start_elsewhere(&HostOptions::default(), None, &line, &object)? {
                    Start::Here(places) => places.unwrap_or(1),
                    Start::Ended(status) => return Ok(status),
                },
            });
        }
        become_program(&path, devices(None)?, line)
    });
    Some(started)
}

/// Loads a program and runs its `main`; the process ends with it.
fn become_program(object: &Path, devices: Option<TargetDevices>, line: CommandLine) -> Outcome {
    let devices = devices.unwrap_or(TargetDevices::Gpus(Vec::new()));
    let node = line.places.map(|it| c_places::join(object, it, line.carrier)).transpose()?;
    let devices = match &node {
        Some(node) => node.device(devices),
        None => devices,
    };
    if node.is_none()
        && let Some(file) = environment_variable(profile::VARIABLE)
    {
        // Absolute, since the program may change the current folder.
        let file = std::path::absolute(&file)
            .map_err(|error| Failure::misuse(format!("{}={file}: {error}", profile::VARIABLE)))?;
        profile::start_program(file);
    }
    let main = offload::load(object, &devices, Some(Cache::default()), end_by_error).map_err(Failure::new)?;
    let main = match node {
        Some(node) => node.attach()?,
        None => main,
    };
    let mut values = Vec::new();
    for word in line.words {
        // Words of a process have no zero bytes.
        values.push(CString::new(word.into_vec()).unwrap_or_default().into_raw());
    }
    let count = values.len();
    values.push(std::ptr::null_mut());
    let status = exit::run_main(main, count, values.leak());
    // The functions that `exit` calls wait for the other places.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_all_hosts_get_the_devices_in_one_form() {
        assert_eq!(selection_text(Some(" CPU ")), CPUS);
        assert_eq!(selection_text(Some("CUDA0,CUDA1")), "cuda0,cuda1");
    }
}
