//! Distribution: an archive of the optimised command and server, and the extension for VS Code where npm is
//! installed.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of the repository that go into the archive beside the programs.
const DOCUMENTS: &[&str] = &["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"];
const PROGRAMS: &[&str] = &["apg", "apg-lsp"];

/// Builds `target/dist/apg-VERSION-TARGET.tar.gz`, and `target/dist/*.vsix`.
pub(crate) fn build(root: &Path) -> Result<(), String> {
    run(Command::new("cargo")
        .args(["build", "--release", "--locked", "--bin", "apg", "--bin", "apg-lsp"])
        .current_dir(root))?;
    let name = format!("apg-{}-{}", version(root)?, host()?);
    let dist = root.join("target/dist");
    let folder = dist.join(&name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for program in PROGRAMS {
        let program = format!("{program}{}", std::env::consts::EXE_SUFFIX);
        copy(&root.join("target/release").join(&program), &folder.join(&program))?;
    }
    for document in DOCUMENTS {
        copy(&root.join(document), &folder.join(document))?;
    }
    let archive = dist.join(format!("{name}.tar.gz"));
    run(Command::new("tar").arg("-C").arg(&dist).arg("-czf").arg(&archive).arg(&name))?;
    crate::say(&format!("dist: {}", archive.display()));
    package_extension(root, &dist)
}

/// Packages the extension for VS Code with the tool that its package installs.
fn package_extension(root: &Path, dist: &Path) -> Result<(), String> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    if Command::new(npm).arg("--version").output().is_err() {
        crate::say("SKIPPED: npm is not installed, so the extension for VS Code is not packaged");
        return Ok(());
    }
    let extension = root.join("editors/vscode");
    run(Command::new(npm).args(["install", "--no-audit", "--no-fund", "--silent"]).current_dir(&extension))?;
    run(Command::new(npm).args(["run", "--silent", "package"]).current_dir(&extension))?;
    for package in crate::files_below(&extension, "vsix")? {
        let target = dist.join(package.file_name().unwrap_or_default());
        copy(&package, &target)?;
        crate::say(&format!("dist: {}", target.display()));
    }
    Ok(())
}

/// `workspace.package.version` of the root manifest.
fn version(root: &Path) -> Result<String, String> {
    let manifest = crate::read(&root.join("Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = "));
    line.map(|it| it.trim_matches('"').to_owned()).ok_or_else(|| "Cargo.toml has no version".to_owned())
}

/// The target triple that rustc compiles for.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}

fn copy(from: &PathBuf, to: &PathBuf) -> Result<(), String> {
    std::fs::copy(from, to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
}

/// Runs a command to its end; an exit status other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_named_by_version_and_target() {
        let version = version(&crate::repository()).expect("a version");
        assert!(version.split('.').count() == 3, "{version}");
        assert!(host().expect("a target").contains('-'));
    }
}
