//! Mappers in directives without a region: the calls that take their place.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Toolchain};
use apg_c_syntax::Disk;
use apg_lower_c::{Offloaded, Source, offload};

/// The edited text of a directive in a function, or its errors.
fn edited(directive: &str) -> Result<String, Vec<String>> {
    let text = format!(
        "typedef struct {{ int n, *p, *q; }} vector;\n\
         #pragma omp declare mapper(vector v) map(v, v.p[0:v.n])\n\
         #pragma omp declare mapper(second: vector v) map(from: v.q[0:2])\n\
         vector *next(void);\nint *at;\nvoid f(vector v, vector *w) {{\n{directive}\n}}\n"
    );
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(Path::new("/x.c"), text.into(), &Arc::new(Toolchain::default()));
    let parsed = apg_c_analysis::parsed(host.database(), file);
    let with = Offloaded {
        name: "x.c",
        kernels: &[],
        on_host: &[],
        host_has_regions: false,
        parallel: None,
        objects: &BTreeSet::new(),
        messages: &[],
        print: false,
        checks: false,
    };
    let edited = offload(&[Source { parsed, path: Path::new("/x.c") }], 0, &with);
    let edited = edited.map_err(|errors| errors.into_iter().map(|it| it.message).collect::<Vec<_>>())?;
    let edited = edited.expect("it has directives");
    assert!(!edited.contains("declare mapper"), "{edited}");
    Ok(edited)
}

/// The addresses of the rows of a table, and their kinds.
fn rows(directive: &str) -> Vec<(String, String)> {
    let text = edited(directive).expect("a form");
    let table =
        text.split_once("apg_m_[] = {").expect("a table").1.split_once("{0, 0, 0, 0, 0}").expect("its end").0;
    let row = |it: &str| {
        let cells: Vec<&str> = it.split(", ").collect();
        (cells[1].replace("(void *)", ""), cells[cells.len() - 1].to_owned())
    };
    table.split_terminator("}, ").map(row).collect()
}

#[test]
fn updates_move_the_ranges_of_mappers() {
    let row = |address: &str, kinds: &str| (address.to_owned(), kinds.to_owned());
    let to = [row("&v", "APG_TO"), row("&v.p[(0)]", "APG_TO")];
    assert_eq!(rows("#pragma omp target update to(v)"), to);
    let from = [row("&(*w)", "APG_FROM"), row("&(*w).p[(0)]", "APG_FROM")];
    assert_eq!(rows("#pragma omp target update from(*w)"), from);
    let second = [row("&v.q[(0)]", "APG_FROM"), row("&at[(0)]", "APG_FROM")];
    assert_eq!(rows("#pragma omp target update from(mapper(second): v) from(at[0:4])"), second);
    assert_eq!(rows("#pragma omp target update to(mapper(second): v)"), []);
}

#[test]
fn mapped_objects_are_evaluated_more_than_once() {
    let repeated = ["the mapper of this item would evaluate its calls and assignments more than once"];
    for item in ["*next()", "*(w = &v)", "w++[0]"] {
        assert_eq!(edited(&format!("#pragma omp target update to({item})")).expect_err("an error"), repeated);
    }
    assert_eq!(edited("#pragma omp target enter data map(to: *next())").expect_err("an error"), repeated);
    let unknown = edited("#pragma omp target update to(mapper(third): v)").expect_err("an error");
    assert_eq!(unknown, ["no `declare mapper` in this file declares `third` for this type"]);
}

#[test]
fn directives_about_devices_in_functions_of_functions_are_refused() {
    let nested = |directive: &str| {
        edited(&format!(
            "#pragma omp target update to(v)\nvoid step(void) {{\n{directive}\nfor (int i = 0; i < 4; i++) at[i]++;\n}}\nstep();"
        ))
    };
    let refused = nested("#pragma omp target").expect_err("an error");
    assert_eq!(refused, ["`target` is in a function that is defined in another function"]);
    assert!(nested("#pragma omp parallel for").is_ok());
}
