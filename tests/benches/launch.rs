//! An empty kernel through `finish async at (p) @CUDA`, and Black-Scholes, beside hand-written CUDA of the
//! same algorithm in the same run. Needs a GPU and nvcc; without them it says so. `tests/bench/gpu.sh` runs
//! this and everything else that needs a GPU.

use std::path::Path;
use std::process::Command;

use apg_tests::measure::machine;
use apg_tests::tools;

fn main() {
    let has_nvcc = Command::new("nvcc").arg("--version").output().is_ok();
    if !Path::new("/dev/nvidia0").exists() || !has_nvcc {
        println!("SKIPPED: launches and kernels beside CUDA need a GPU and nvcc");
        return;
    }
    println!("machine: {}", machine());
    let bench = tools::repository().join("tests/bench");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, arguments) in [("launch", &[""][..]), ("black_scholes", &["4000000", "64000000"])] {
        let peer = folder.path().join(name);
        let source = bench.join("cuda").join(name).with_extension("cu");
        run(Command::new("nvcc").args(["-O3", "-arch=native", "-o"]).arg(&peer).arg(source));
        for argument in arguments {
            let program = bench.join(name).with_extension("x10");
            let mut apg = Command::new(tools::apg());
            apg.arg("run").arg(program).args(["--accels", "0", "--release", "--"]);
            let mut peer = Command::new(&peer);
            if !argument.is_empty() {
                apg.arg(argument);
                peer.arg(argument);
            }
            run(&mut apg);
            run(&mut peer);
        }
    }
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
