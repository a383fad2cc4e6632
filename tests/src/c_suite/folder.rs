//! A folder of programs of one file each that check themselves.

use std::path::Path;

use super::program::{Kind, Program};
use super::{c_files, name_below};

/// All C files of the folder.
pub(super) fn find(home: &Path) -> Result<Vec<Program>, String> {
    let program = |file: std::path::PathBuf| {
        let mut program = Program::new(name_below(home, &file), file, Kind::Run);
        program.options = vec!["-lm".to_owned()];
        program
    };
    Ok(c_files(home)?.into_iter().map(program).collect())
}
