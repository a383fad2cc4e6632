//! Generated files that tests compare: one command that runs their generators.

use std::path::Path;
use std::process::Command;

/// A generator: a test that writes its expected files when an environment variable is set.
struct Generator {
    name: &'static str,
    writes: &'static str,
    /// Arguments of `cargo test`.
    test: &'static [&'static str],
    variable: &'static str,
    /// A generator that fails when it has written something succeeds at the second attempt.
    attempts: u32,
}

const GENERATORS: &[Generator] = &[
    Generator {
        name: "syntax",
        writes: "syntax nodes and tokens from the grammar",
        test: &["-p", "apg-syntax", "-p", "apg-c-syntax", "--test", "sourcegen"],
        variable: "APG_BLESS",
        attempts: 2,
    },
    Generator {
        name: "trees",
        writes: "syntax/x10/test_data/**/*.tree",
        test: &["-p", "apg-syntax", "--test", "parser_data"],
        variable: "APG_BLESS",
        attempts: 1,
    },
    Generator {
        name: "passes",
        writes: "results in build-backend/passes/tests/*/*.mir",
        test: &["-p", "apg-passes", "--test", "text"],
        variable: "APG_BLESS",
        attempts: 1,
    },
    Generator {
        name: "kernel-ir",
        writes: "results in build-backend/passes/tests/kernel-ir/*/*.mir",
        test: &["-p", "apg-passes", "--test", "kernel_ir"],
        variable: "APG_BLESS",
        attempts: 1,
    },
    Generator {
        name: "printed",
        writes: "results in build-backend/codegen/tests/printed/*.mir",
        test: &["-p", "apg-codegen", "--test", "printed"],
        variable: "APG_BLESS",
        attempts: 1,
    },
    Generator {
        name: "pages",
        writes: "docs/diagnostics and their entries in docs/SUMMARY.md",
        test: &["-p", "apg-analysis", "-p", "apg-c-analysis", "--test", "diagnostic_pages"],
        variable: "APG_UPDATE",
        attempts: 1,
    },
    Generator {
        name: "header",
        writes: "runtime/include/apg.h",
        test: &["-p", "apg-runtime", "--lib", "header"],
        variable: "UPDATE",
        attempts: 1,
    },
    Generator {
        name: "sessions",
        writes: "tests/sessions: answers of the language server",
        test: &["-p", "apg-tests", "--test", "replay"],
        variable: "APG_UPDATE",
        attempts: 1,
    },
];

/// Whether a generator has this name.
pub(crate) fn is_known(name: &str) -> bool {
    GENERATORS.iter().any(|generator| generator.name == name)
}

/// Prints names of generators and what they write.
pub(crate) fn print_names() {
    for generator in GENERATORS {
        println!("{:<10}{}", generator.name, generator.writes);
    }
}

/// Runs the generators of these names; without names, all of them.
pub(crate) fn run(root: &Path, names: &[&str]) -> Result<(), String> {
    let chosen = GENERATORS.iter().filter(|it| names.is_empty() || names.contains(&it.name));
    let mut failed = Vec::new();
    for generator in chosen {
        println!("bless: {} ({})", generator.name, generator.writes);
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root).args(["test", "--quiet"]).args(generator.test).env(generator.variable, "1");
        if !succeeds(&mut command, generator.attempts)? {
            failed.push(generator.name);
        }
        if generator.name == "pages" {
            crate::summary::write(root)?;
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("these generators failed: {}", failed.join(", "))),
    }
}

fn succeeds(command: &mut Command, attempts: u32) -> Result<bool, String> {
    for _ in 0..attempts {
        if command.status().map_err(|error| format!("cargo test: {error}"))?.success() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_name_tests_that_read_their_variable() {
        let root = crate::repository();
        for generator in GENERATORS.iter().filter(|it| it.name != "syntax") {
            let folder = match generator.test[1] {
                "apg-syntax" => "syntax/x10/tests",
                "apg-analysis" => "analysis/x10/tests",
                "apg-runtime" => "runtime/src",
                "apg-passes" => "build-backend/passes/tests",
                "apg-codegen" => "build-backend/codegen/tests",
                _ => "tests/tests",
            };
            let wanted = format!("\"{}\"", generator.variable);
            let files = crate::files_below(&root.join(folder), "rs").unwrap();
            let reads = |file: &std::path::PathBuf| crate::read(file).unwrap().contains(&wanted);
            assert!(files.iter().any(reads), "no test in {folder} reads {wanted}");
        }
    }
}
