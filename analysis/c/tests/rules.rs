//! The examples of all rules: what each reports, what its fixes do, and what a compiler says.

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use apg_c_analysis::rules::rules;
use apg_diagnostics::{Rule, Severity, example_files};
use support::{compiler_accepts, diagnostics_of, fixed, toolchain};

/// The text of an example, which has one file.
fn example(text: &str) -> String {
    let files = example_files(text);
    let [(_, text)] = &files[..] else { panic!("an example of C is one file") };
    text.clone()
}

fn codes(text: &str) -> BTreeSet<&'static str> {
    diagnostics_of(Path::new("example.c"), text, &toolchain()).iter().map(|it| it.code).collect()
}

#[test]
fn failing_examples_have_their_code_alone_and_fixed_ones_none() {
    for rule in rules() {
        assert_eq!(codes(&example(rule.failing)), BTreeSet::from([rule.code]), "{}: failing", rule.code);
        assert_eq!(codes(&example(rule.fixed)), BTreeSet::new(), "{}: fixed", rule.code);
    }
}

#[test]
fn fixes_leave_nothing_to_report() {
    for rule in rules() {
        let text = example(rule.failing);
        for diagnostic in diagnostics_of(Path::new("example.c"), &text, &toolchain()) {
            if let Some(repaired) = fixed(&text, &diagnostic) {
                assert_eq!(codes(&repaired), BTreeSet::new(), "{}: {repaired}", rule.code);
            }
        }
    }
}

#[test]
fn compilers_refuse_what_is_an_error_and_accept_the_rest() {
    let folder = std::env::temp_dir().join(format!("apg-c-rules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let accepts = |rule: &Rule, text: &str| {
        let file = folder.join(format!("{}.c", rule.name()));
        std::fs::write(&file, example(text)).unwrap();
        compiler_accepts(&file)
    };
    for rule in rules() {
        let Some(is_accepted) = accepts(rule, rule.failing) else {
            println!("skipped: no C compiler");
            break;
        };
        // A limit of the parser here is none of a compiler.
        let is_limit = rule.code == "omp/nesting-limit";
        assert_eq!(is_accepted, is_limit || rule.severity != Severity::Error, "{}: failing", rule.code);
        assert_eq!(accepts(rule, rule.fixed), Some(true), "{}: fixed", rule.code);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn elements_that_pointers_lead_to_need_their_critical_region() {
    let text = "struct view { double *p; int n; };\nvoid total(double *sums, int n) {\n\
        #pragma omp parallel\n{\nstruct view v = { sums, n };\ndouble *rows[2] = { sums, sums };\n\
        #pragma omp critical\n{ for (int i = 0; i < 64; i++) v.p[i] += 1; }\n\
        #pragma omp critical\n{ for (int i = 0; i < 64; i++) rows[0][i] += 1; }\n}\n}\n";
    assert_eq!(codes(text), BTreeSet::new());
}

#[test]
fn functions_of_the_file_are_not_those_of_the_library() {
    let text = "static int crypt(int x) { return x * 31; }\nvoid all(int *a, int n) {\n\
        #pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = crypt(a[i]);\n}\n";
    assert_eq!(codes(text), BTreeSet::new());
    assert_eq!(codes(&text.replace("{ return x * 31; }", ";")), BTreeSet::from(["omp/unsafe-call"]));
}

#[test]
fn constants_are_objects_not_what_pointers_point_to() {
    let program = |declared: &str| {
        format!(
            "int f(int i) {{\n{declared}\nint r = 0;\n\
             #pragma omp parallel for default(none) reduction(+ : r)\n\
             for (int k = 0; k < 4; k++) r += p[k] != 0;\nreturn r + i;\n}}\n"
        )
    };
    for constant in ["static int *const p[4];", "int *const p = 0;", "const int p[4] = {1};"] {
        assert_eq!(codes(&program(constant)), BTreeSet::new(), "{constant}");
    }
    for changed in ["const int *p = 0;", "static const int *p[4];"] {
        assert_eq!(codes(&program(changed)), BTreeSet::from(["omp/default-none"]), "{changed}");
    }
}

#[test]
fn every_rule_is_documented_and_has_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    for family in ["omp", "xmp"] {
        let entries = std::fs::read_dir(folder.join(family)).unwrap();
        let files =
            entries.map(|it| it.unwrap().path().file_stem().unwrap().to_string_lossy().replace('_', "-"));
        let files: BTreeSet<String> = files.filter(|it| it != "mod").collect();
        let names = rules().filter(|it| it.family() == family).map(|it| it.name().to_owned());
        let names: BTreeSet<String> = names.collect();
        assert_eq!(files, names, "left: files below src/rules/{family}, right: codes in RULES");
    }
    let sorted: Vec<&str> = rules().map(|it| it.code).collect();
    assert!(sorted.is_sorted(), "{sorted:?}");
    for Rule { code, summary, explanation, .. } in rules() {
        assert!(summary.ends_with('.') && !summary.contains('\n'), "{code}: the summary is one sentence");
        assert!(explanation.trim().len() > 80, "{code}: say what, why, and what to write instead");
    }
}
