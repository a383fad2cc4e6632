//! What the tests of this folder share: the commands under test, optional tools, whole programs.

pub mod baselines;
pub mod c_suite;
pub mod editors;
pub mod hostile_clients;
pub mod hosts_lab;
pub mod jobs;
pub mod lab;
pub mod limited_process;
pub mod lsp;
pub mod measure;
pub mod network_emulator;
pub mod processes;
pub mod programs;
pub mod remote_lab;
pub mod requests;
pub mod session;
pub mod slurm;
pub mod sources;
pub mod tools;
pub mod waiting;
pub mod x10_suite;
