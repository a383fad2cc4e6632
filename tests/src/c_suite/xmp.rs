//! The C programs with XcalableMP and XcalableACC of the Omni compiler's tests (`tests/XMP` and `tests/XACC`
//! of its repository). Their numbers of nodes and words of success, and how those of the former end with that
//! compiler, are in `tests/c-suite/xmp-programs.json` and `xacc-programs.json`.

use std::path::Path;

use serde_json::Value;

use super::Part;
use super::program::{Kind, Program, ProgramRun};
use super::report::Verdict;

/// Programs of which folder.
#[derive(Clone, Copy, Debug)]
pub(super) enum Language {
    /// `tests/XMP`
    XcalableMp,
    /// `tests/XACC`
    XcalableAcc,
}

impl Language {
    fn facts(self) -> &'static str {
        match self {
            Language::XcalableMp => include_str!("../../c-suite/xmp-programs.json"),
            Language::XcalableAcc => include_str!("../../c-suite/xacc-programs.json"),
        }
    }
}

/// The programs of a part.
pub(super) fn find(
    language: Language,
    home: &Path,
    part: Part,
    scratch: &Path,
) -> Result<Vec<Program>, String> {
    let tests = home.join(match language {
        Language::XcalableMp => "tests/XMP",
        Language::XcalableAcc => "tests/XACC",
    });
    let folder = match part {
        Part::Normal => "normal",
        Part::NotImplemented => "not-implemented",
        Part::Large => "large",
    };
    let suite: Value = serde_json::from_str(language.facts()).map_err(|error| error.to_string())?;
    let chosen = list(&suite["programs"]).iter().filter(|it| it["folder"] == folder);
    let main = scratch.join("main.c");
    std::fs::write(&main, "int main(void) { return 0; }\n").map_err(|error| error.to_string())?;
    chosen.map(|it| program(it, &tests, &main)).collect()
}

/// Options for a program that calls MPI itself, as `mpicc -show` tells them; none without MPI.
fn mpi_options() -> Vec<String> {
    let shown = std::process::Command::new("mpicc").arg("-show").output();
    let shown = shown.map_or_else(|_| String::new(), |it| String::from_utf8_lossy(&it.stdout).into_owned());
    shown
        .split_whitespace()
        .skip(1)
        .filter(|it| ["-I", "-L", "-l"].iter().any(|of| it.starts_with(of)))
        .map(str::to_owned)
        .collect()
}

/// A program: `path` is its file below `tests/XMP` without its extension, `with` are further sources. A file
/// that is to be compiled gets a `main`.
fn program(facts: &Value, tests: &Path, main: &Path) -> Result<Program, String> {
    let name = text(&facts["path"]);
    let file = tests.join(format!("{name}.c"));
    if !file.is_file() {
        return Err(format!("there is no file `{}`", file.display()));
    }
    let kind = match facts["kind"].as_str() {
        Some("compile" | "link") => Kind::Link,
        _ => Kind::Run,
    };
    let mut program = Program::new(name, file, kind);
    program.sources.extend(strings(&facts["with"]).iter().map(|it| tests.join(it)));
    program.options = strings(&facts["define"]).iter().map(|it| format!("-D{it}")).collect();
    program.options.push("-lm".to_owned());
    if facts["kind"] == "compile" {
        program.sources.push(main.to_path_buf());
    }
    if facts["mpi"] == true {
        program.options.extend(mpi_options());
    }
    program.runs = list(&facts["runs"]).iter().map(run).collect();
    program.recorded = Some(match facts["omni"].as_str() {
        Some("pass") => Verdict::Passed,
        Some("compile-error") => Verdict::NoBuild("a recorded result".to_owned()),
        Some(other) => Verdict::Wrong(format!("a recorded result: {other}")),
        None => Verdict::Wrong("no result is recorded".to_owned()),
    });
    Ok(program)
}

fn run(facts: &Value) -> ProgramRun {
    let variables = facts["env"].as_object().into_iter().flatten();
    ProgramRun {
        places: facts["nodes"].as_u64().and_then(|it| u32::try_from(it).ok()),
        environment: variables.map(|(name, value)| (name.clone(), text(value))).collect(),
        prints: strings(&facts["prints"]),
        never: strings(&facts["never"]),
    }
}

fn list(of: &Value) -> &[Value] {
    of.as_array().map_or(&[], Vec::as_slice)
}

fn text(of: &Value) -> String {
    of.as_str().unwrap_or_default().to_owned()
}

fn strings(of: &Value) -> Vec<String> {
    list(of).iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_name_each_program_once_with_its_runs() {
        check(Language::XcalableMp);
        check(Language::XcalableAcc);
    }

    #[track_caller]
    fn check(language: Language) {
        let suite: Value = serde_json::from_str(language.facts()).expect("JSON");
        let programs = list(&suite["programs"]);
        let names: std::collections::BTreeSet<_> = programs.iter().map(|it| text(&it["path"])).collect();
        assert_eq!(names.len(), programs.len());
        for program in programs {
            let runs: Vec<ProgramRun> = list(&program["runs"]).iter().map(run).collect();
            assert_eq!(program["kind"] == "run", !runs.is_empty(), "{program}");
            assert!(runs.iter().all(|it| it.places.is_some_and(|it| it > 0)), "{program}");
        }
    }

    #[test]
    fn words_of_success_decide() {
        let of = |text: &str| Vec::from([text.to_owned()]);
        let run = ProgramRun { prints: of("PASS"), never: of("ERROR"), ..ProgramRun::default() };
        assert_eq!(run.fault("PASS\n"), None);
        assert!(run.fault("").is_some_and(|it| it.contains("PASS")));
        assert!(run.fault("PASS\nERROR\n").is_some_and(|it| it.contains("ERROR")));
    }
}
