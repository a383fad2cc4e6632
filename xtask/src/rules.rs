//! Registration of diagnostic rules: `cargo xtask rules` writes the lists of a family's rules and the enum of
//! their problems from the files `FAMILY/CODE.rs` below [`FOLDER`].

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the rules are.
const FOLDER: &str = "analysis/x10/src/rules";

/// Separates the part of a family's `mod.rs` that is written by hand, its documentation, from the generated
/// part.
const GENERATED: &str = "// The rest is written by `cargo xtask rules` from the files of this folder.";

/// The macro that makes the type of all problems from their list: an enum whose variants convert from their
/// data.
const PROBLEM_ENUM: &str = "\
macro_rules! problem_enum {
    ($($(#[$documentation:meta])* $variant:ident($data:path),)*) => {
        /// The data of a problem of any rule.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum ProblemData {
            $($(#[$documentation])* $variant($data),)*
        }

        impl ProblemData {
            /// The rule that is broken, and its words.
            pub fn data(&self) -> &dyn Render {
                match self {
                    $(ProblemData::$variant(data) => data,)*
                }
            }
        }

        $(impl From<$data> for ProblemData {
            fn from(data: $data) -> ProblemData {
                ProblemData::$variant(data)
            }
        })*
    };
}
";

/// The longest line that rustfmt leaves as it is, with its line end.
const MAX_LINE_LENGTH: usize = 111;

/// The file of one rule.
struct RuleFile {
    /// The module: the name of the file.
    module: String,
    /// The type that implements `Render`, if the rule's problems are data.
    problem: Option<String>,
}

/// The rules in one folder.
struct Family {
    name: String,
    rules: Vec<RuleFile>,
}

/// Writes the lists of rules.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    for (path, text) in expected(root)? {
        if crate::read(&path).ok().as_ref() != Some(&text) {
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Fails when a list of rules is not what `write` would write.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    match expected(root)?.into_iter().find(|(path, text)| crate::read(path).ok().as_ref() != Some(text)) {
        Some((path, _)) => Err(format!("{} is stale: run `cargo xtask rules`", path.display())),
        None => Ok(()),
    }
}

/// The generated files and their contents.
fn expected(root: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let folder = root.join(FOLDER);
    let families = families(&folder)?;
    let mut files = vec![(folder.join("registry.rs"), registry(&families))];
    for family in &families {
        let path = folder.join(&family.name).join("mod.rs");
        let old = crate::read(&path)?;
        let documentation: Vec<&str> = old.lines().take_while(|line| line.starts_with("//!")).collect();
        files.push((path, family_module(family, &documentation)));
    }
    Ok(files)
}

/// The families in alphabetical order.
fn families(folder: &Path) -> Result<Vec<Family>, String> {
    let mut families: Vec<Family> = Vec::new();
    for path in crate::files_below(folder, "rs")? {
        let relative = path.strip_prefix(folder).map_err(|error| error.to_string())?;
        let names: Vec<String> = relative.iter().map(|it| it.to_string_lossy().into_owned()).collect();
        let [family, file] = &names[..] else { continue };
        if file == "mod.rs" {
            continue;
        }
        let rule = RuleFile {
            module: file.trim_end_matches(".rs").to_owned(),
            problem: problem_type(&crate::read(&path)?).map(str::to_owned),
        };
        match families.last_mut() {
            Some(last) if last.name == *family => last.rules.push(rule),
            _ => families.push(Family { name: family.clone(), rules: vec![rule] }),
        }
    }
    Ok(families)
}

/// The type in `impl Render for TYPE`.
fn problem_type(source: &str) -> Option<&str> {
    let implementation = source.lines().find_map(|line| line.strip_prefix("impl Render for "))?;
    Some(implementation.split([' ', '{']).next().unwrap_or(implementation))
}

/// A module's name as Rust writes it.
fn identifier(name: &str) -> String {
    if matches!(name, "async" | "type") { format!("r#{name}") } else { name.to_owned() }
}

fn family_module(family: &Family, documentation: &[&str]) -> String {
    let mut text = String::new();
    for line in documentation {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "\n{GENERATED}\n");
    for rule in &family.rules {
        let _ = writeln!(text, "pub mod {};", identifier(&rule.module));
    }
    text.push_str(
        "\nuse crate::diagnostics::Rule;\n\n/// The rules of this family, in alphabetical order.\n",
    );
    let rules: Vec<String> =
        family.rules.iter().map(|it| format!("&{}::RULE", identifier(&it.module))).collect();
    let list = format!("pub static RULES: &[&Rule] = &[{}];\n", rules.join(", "));
    if list.len() <= MAX_LINE_LENGTH {
        text.push_str(&list);
    } else {
        let _ = writeln!(text, "pub static RULES: &[&Rule] = &[\n    {},\n];", rules.join(",\n    "));
    }
    text
}

fn registry(families: &[Family]) -> String {
    let mut text = String::from(
        "//! All rules by family, and one type for the problems of all of them. Written by `cargo xtask rules`.\n\n",
    );
    text.push_str("use super::render::Render;\n");
    let mut names: Vec<String> = families.iter().map(|family| identifier(&family.name)).collect();
    names.sort_by_key(|name| name.trim_start_matches("r#").to_owned());
    let _ = writeln!(text, "use super::{{{}}};", names.join(", "));
    text.push_str("use crate::diagnostics::Rule;\n\n");
    text.push_str("/// The rules of each family, families in alphabetical order.\n");
    let _ = writeln!(text, "pub(super) static FAMILIES: [&[&Rule]; {}] = [", families.len());
    for name in &names {
        let _ = writeln!(text, "    {name}::RULES,");
    }
    text.push_str("];\n\n");
    text.push_str(PROBLEM_ENUM);
    text.push_str("\nproblem_enum! {\n");
    for (variant, path, code) in families.iter().flat_map(problems) {
        let _ = writeln!(text, "    /// `{code}`\n    {variant}({path}),");
    }
    text.push_str("}\n");
    text
}

/// The variant, the type and the code of each problem of a family that is data.
fn problems(family: &Family) -> impl Iterator<Item = (String, String, String)> + '_ {
    family.rules.iter().filter_map(|rule| {
        let problem = rule.problem.as_ref()?;
        let path = format!("{}::{}::{problem}", identifier(&family.name), identifier(&rule.module));
        let variant = format!("{}{}", camel_case(&family.name), camel_case(&rule.module));
        Some((variant, path, format!("{}/{}", family.name, rule.module.replace('_', "-"))))
    })
}

fn camel_case(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|it| !it.is_empty()).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_rules_are_up_to_date() {
        check(&crate::repository()).unwrap();
    }

    #[test]
    fn a_problem_is_registered_by_its_implementation_of_render() {
        assert_eq!(problem_type("struct A;\nimpl Render for UnusedValue {\n"), Some("UnusedValue"));
        assert_eq!(problem_type("pub static RULE: Rule = Rule {\n"), None);
        assert_eq!(camel_case("unused_value"), "UnusedValue");
    }
}
