//! What is built of a C program: an executable, or a shared object whose regions run on devices or that runs
//! at several places.

use apg_diagnostics::Severity;
use apg_diagnostics::render::Finding;
use apg_project::build::Options;
use apg_project::c::{self as translation, DeviceProgram, Placement};
use apg_runtime::offload::TargetDevices;
use apg_toolchain::c::{CBuild, Form, SharedForm};
use apg_toolchain::{BuildObserver, Profile};

use super::CProgram;
use crate::commands::{c_devices, c_places};
use crate::failure::Failure;

/// What a built program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An executable.
    Executable,
    /// A shared object, which a process of apg becomes: its regions run on devices.
    Offloaded,
    /// A shared object that runs at several places.
    Distributed,
}

impl CProgram {
    /// What is built: for devices, if the program has directives about them, else for the host alone. `Err`
    /// is the status to end with: findings are printed.
    pub(super) fn request_for(
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
            self.simplify(&mut request)?;
            return Ok(Ok((request, Kind::Executable)));
        }
        let options = self.device_options();
        let found = translation::translate_program(sources, &flags, options, self.regions_on_device())?;
        let DeviceProgram { edited, regions, on_host } = match found {
            Ok(Placement::Devices(program)) => program,
            Ok(Placement::Host(reasons)) => {
                self.simplify(&mut request)?;
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

    /// Adds edited sources for a compiler that does not know all their directives.
    pub(super) fn simplify(&self, request: &mut CBuild) -> Result<(), Failure> {
        let (sources, flags) = (&self.inputs.sources, self.compile_flags());
        request.chosen = translation::chosen_sources(sources, &flags)?;
        request.simplified = translation::simplified_sources(sources, &flags)?;
        Ok(())
    }

    /// Options of the translation of what devices run.
    fn device_options(&self) -> Options {
        let profile = if self.is_debug { Profile::Dev } else { Profile::Portable };
        self.program.request(profile, self.is_debug).options
    }

    /// The parts of a program of places: with kernels for the regions of its devices. `None` if findings are
    /// printed.
    fn distributed_form(
        &self,
        edited: translation::EditedSources,
        observer: &dyn BuildObserver,
        is_stream: bool,
    ) -> Result<Option<SharedForm>, Failure> {
        let options = self.device_options();
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
}
