//! The sub-commands, one file each.

pub(crate) mod build;
pub(crate) mod c_devices;
mod c_places;
pub(crate) mod c_program;
pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
mod fix;
pub(crate) mod fmt;
pub(crate) mod hosts;
mod launch;
pub(crate) mod places;
pub(crate) mod remote;
mod resources;
pub(crate) mod run;
mod stats;
