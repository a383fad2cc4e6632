//! The OpenMP Validation Suite (Müller and others, *An OpenMP Validation Suite*, EWOMP 2003): templates in
//! `src/c` that give a test each, and an orphaned form where they mark parts that become functions.

use std::path::Path;

use super::program::{Kind, Program};
use super::tags::Tag;
use super::{c_files, name_below, read};

const ORPHAN: Tag = Tag("ompts:orphan");
const ORPHAN_VARIABLES: Tag = Tag("ompts:orphan:vars");
const FUNCTION: Tag = Tag("ompts:testcode:functionname");
/// In it the file of results is written.
const RESULTS: &str = "bin/c";

/// Writes the tests of all templates to `scratch`.
pub(super) fn find(home: &Path, scratch: &Path) -> Result<Vec<Program>, String> {
    let source = home.join("src");
    let folder = scratch.join("validation");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok::<_, String>(path)
    };
    let main = read(&source.join("ompts_standaloneProc.c"))?;
    let templates = source.join("c");
    let (mut programs, mut functions) = (Vec::new(), Vec::new());
    for file in c_files(&templates)? {
        let name = name_below(&templates, &file);
        let Some(template) = Template::new(&read(&file)?, &main) else { continue };
        let forms = [("test_", Some(template.normal())), ("orph_test_", template.orphaned())];
        for (prefix, form) in forms.into_iter().filter_map(|(prefix, form)| Some((prefix, form?))) {
            let function = format!("{prefix}{}", template.function);
            let path = write(&format!("{prefix}{name}.c"), &template.finish(&form, &function))?;
            functions.push(function);
            let mut program = Program::new(format!("{prefix}{name}"), path, Kind::Run);
            program.options = [&folder, &source, &templates].map(|it| format!("-I{}", it.display())).to_vec();
            program.options.push("-lm".to_owned());
            program.folders = vec![RESULTS.to_owned()];
            programs.push(program);
        }
    }
    let declarations: String =
        functions.iter().map(|function| format!("int {function} (FILE * logFile);\n")).collect();
    let header = format!("#pragma once\n{}\n{declarations}", read(&source.join("ompts-c.conf"))?);
    write("omp_testsuite.h", &header)?;
    Ok(programs)
}

/// A template without what only the crossed form has.
struct Template {
    /// The test and the main program, with the tags that forms differ in.
    code: String,
    /// Name of the test's function, without a prefix.
    function: String,
    directive: String,
    description: String,
}

impl Template {
    fn new(text: &str, main: &str) -> Option<Template> {
        let only = |tag: Tag| tag.contents(text).into_iter().next();
        let code = only(Tag("ompts:testcode"))? + main;
        let code = Tag("ompts:crosscheck").remove(&Tag("ompts:check").keep(&code));
        Some(Template {
            code,
            function: only(FUNCTION)?,
            directive: only(Tag("ompts:directive")).unwrap_or_default(),
            description: only(Tag("ompts:testdescription")).unwrap_or_default(),
        })
    }

    fn normal(&self) -> String {
        self.code.clone()
    }

    /// With the marked parts as functions, and the variables that they share at file scope.
    fn orphaned(&self) -> Option<String> {
        let name = |index: usize| format!("orph{}_{}", index + 1, self.function);
        let variables = ORPHAN_VARIABLES.contents(&self.code).concat();
        let code = ORPHAN_VARIABLES.remove(&self.code);
        let (mut declarations, mut definitions) = (String::new(), String::new());
        let code = ORPHAN.replace(&code, |body, index| {
            let head = format!("void {} (FILE * logFile)", name(index));
            declarations += &format!("{head};\n");
            definitions += &format!("{head} {{{body}\n}}\n");
            format!("{} (logFile);", name(index))
        });
        let has_parts = !definitions.is_empty();
        let text = format!("#include \"omp_testsuite.h\"\n{variables}\n{declarations}{code}\n{definitions}");
        has_parts.then_some(text)
    }

    /// A form as a file, with the names of the function and of what is tested.
    fn finish(&self, form: &str, function: &str) -> String {
        let text = ORPHAN.keep(&ORPHAN_VARIABLES.keep(form));
        let text = FUNCTION.replace(&text, |_, _| function.to_owned());
        let text = Tag("testfunctionname").replace(&text, |_, _| function.to_owned());
        let text = Tag("directive").replace(&text, |_, _| self.directive.clone());
        Tag("description").replace(&text, |_, _| self.description.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<ompts:directive>omp for</ompts:directive><ompts:testcode>\n\
        int <ompts:testcode:functionname>sum</ompts:testcode:functionname> (FILE * logFile) {\n\
        <ompts:orphan:vars>int a;</ompts:orphan:vars>\n\
        <ompts:orphan>\n<ompts:check>#pragma omp for</ompts:check>\
        <ompts:crosscheck>serial();</ompts:crosscheck></ompts:orphan>\n\
        }</ompts:testcode>";
    const MAIN: &str = "main <testfunctionname></testfunctionname> <directive></directive>";

    #[test]
    fn forms_of_a_template_differ_in_the_marked_parts() {
        let template = Template::new(TEXT, MAIN).expect("a template");
        let normal = template.finish(&template.normal(), "test_sum");
        assert!(normal.contains("int test_sum (FILE * logFile) {\nint a;\n\n#pragma omp for\n}"), "{normal}");
        assert!(normal.ends_with("main test_sum omp for"), "{normal}");
        let orphaned = template.finish(&template.orphaned().expect("a marked part"), "orph_test_sum");
        assert!(orphaned.contains("int a;\nvoid orph1_sum (FILE * logFile);"), "{orphaned}");
        assert!(orphaned.contains("orph1_sum (logFile);\n}"), "{orphaned}");
        assert!(orphaned.ends_with("void orph1_sum (FILE * logFile) {\n#pragma omp for\n}\n"), "{orphaned}");
    }
}
