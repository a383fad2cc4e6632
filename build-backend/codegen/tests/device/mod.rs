//! Compiles device code by NVRTC, where it is installed.

use libtest_mimic::Failed;

/// Compiles device code in all its variants, if this machine has NVRTC, which needs no GPU.
pub(crate) fn compile_device_code(sources: &[String]) -> Result<(), Failed> {
    if let Err(missing) = apg_runtime::device::compiler_version() {
        assert!(std::env::var("APG_REQUIRE").is_err(), "APG_REQUIRE is set, but {missing}");
        return Ok(());
    }
    let proven = "#define APG_PROVEN\n#define APG_NARROW\n#define APG_PIPELINED\n";
    for (source, head) in
        sources.iter().flat_map(|it| ["", "#define APG_OVERLAP\n", proven].map(|head| (it, head)))
    {
        let text = format!("{head}{source}");
        apg_runtime::device::compile_for(&text, "kernel.cu", (9, 0)).map_err(|error| error.message)?;
    }
    Ok(())
}
