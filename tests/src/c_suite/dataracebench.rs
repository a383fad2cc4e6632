//! DataRaceBench (Liao and others, *DataRaceBench: A Benchmark Suite for Systematic Evaluation of Data Race
//! Detection Tools*, SC 2017): programs in `micro-benchmarks`, some with PolyBench's support file.

use std::path::Path;

use super::program::{Kind, Program};
use super::{name_below, read};

/// The programs `DRB*.c`.
pub(super) fn find(home: &Path) -> Result<Vec<Program>, String> {
    let folder = home.join("micro-benchmarks");
    let support = folder.join("utilities");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut programs = Vec::new();
    for entry in entries {
        let file = entry.map_err(|error| error.to_string())?.path();
        let name = name_below(&folder, &file);
        if !name.starts_with("DRB") || file.extension().is_none_or(|it| it != "c") {
            continue;
        }
        let uses_polybench = read(&file)?.contains("polybench");
        let mut program = Program::new(name, file, Kind::Run);
        program.options = vec!["-std=c99".to_owned(), "-lm".to_owned()];
        if uses_polybench {
            program.sources.push(support.join("polybench.c"));
            let options = ["-DPOLYBENCH_NO_FLUSH_CACHE", "-DPOLYBENCH_TIME", "-D_POSIX_C_SOURCE=200112L"];
            program.options.extend(options.map(str::to_owned));
            program.options.extend([&folder, &support].map(|it| format!("-I{}", it.display())));
        }
        programs.push(program);
    }
    Ok(programs)
}
