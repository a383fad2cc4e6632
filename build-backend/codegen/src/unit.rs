//! Division of a program into translation units. Functions of one source file stay together, so that an edit
//! changes one unit; source files are spread over a number of units that grows with the program.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Code, Target, Used};
use super::names::{Names, hash};
use super::{EmitError, cross_unit_inline, kernel, native};
use crate::translation_unit::{Unit, UnitKind};
use apg_mir::*;
use apg_passes::kernel_ir::KernelIr;
use apg_passes::pipeline::schedule_kernel;

/// A program as C++ and CUDA C++.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// Host code.
    pub units: Vec<Unit>,
    /// The kernel IR of each kernel, in the order of [`Program::kernels`].
    pub kernels: Vec<KernelIr>,
    /// Device code of each kernel, in the same order.
    pub cuda: Vec<String>,
    /// The symbol of each kernel's descriptor (`apg_kernel`), in the same order.
    pub symbols: Vec<String>,
}

/// Beginning of units without C++ code of the program.
pub(crate) fn prelude(program: &Program) -> &'static str {
    match program.has_object_heap() {
        true => "#include \"apg_program.h\"\n",
        false if program.kernels.is_empty() => "#include \"apg_core.h\"\n",
        false => "#include \"apg_kernel.h\"\n",
    }
}

/// Upper limit of statements in a unit before another one is started.
const MAX_UNIT_STATEMENTS: usize = 1500;

/// Generates the code of a program. `single` keeps all functions in one unit, for whole-program optimisation.
pub fn emit(program: &Program, single: bool) -> Result<Emitted, Vec<EmitError>> {
    let names = Names::new(program);
    let mut errors = Vec::new();
    let mut used = Used::default();
    let mut bodies = Vec::new();
    for (name, functions) in groups(program, single) {
        let mut code = Code::new(program, &names, Target::Host);
        for id in &functions {
            code.function(*id, "");
        }
        let own = code.out.take();
        let copies =
            if single { String::new() } else { cross_unit_inline::print_copies(&mut code, &functions) };
        let mine = std::mem::take(&mut code.used);
        bodies.push((name, functions, mine.clone(), format!("{copies}{own}")));
        used.absorb(mine);
        errors.append(&mut code.errors);
    }
    let schedule = |it: &Kernel| schedule_kernel(program, it);
    let kernels: Vec<KernelIr> = program.kernels.iter().map(schedule).collect();
    let mut device_code = Vec::new();
    for (index, ir) in kernels.iter().enumerate() {
        let (code, mut found) = kernel::print_cuda_source(program, &names, KernelId(index as u32), ir);
        device_code.push(code);
        errors.append(&mut found);
    }
    let mut others = Vec::new();
    let mut called = BTreeSet::new();
    if !program.kernels.is_empty() {
        let mut code = Code::new(program, &names, Target::Host);
        let text = kernel::print_host_unit(&mut code, &kernels);
        let mine = std::mem::take(&mut code.used);
        called.extend(mine.functions.iter().copied());
        used.absorb(mine);
        errors.append(&mut code.errors);
        others.push(Unit { name: "kernels".into(), kind: UnitKind::Kernels, text, includes: Vec::new() });
    }
    let mut code = Code::new(program, &names, Target::Host);
    let text = code.print_metadata(&used, &device_code);
    errors.append(&mut code.errors);
    called.extend(code.used.functions);
    others.push(Unit { name: "tables".into(), kind: UnitKind::Tables, text, includes: Vec::new() });
    let mut units = native::sources(program);
    for (name, functions, mine, body) in &bodies {
        let mut code = Code::new(program, &names, Target::Host);
        // Functions that only their own unit calls are local to it.
        let elsewhere = |id: FunctionId| {
            let called = bodies.iter().any(|it| it.0 != *name && it.2.functions.contains(&id));
            called || functions.binary_search(&id).is_err()
        };
        let storage = |id: FunctionId| {
            let outside = !single || called.contains(&id) || elsewhere(id);
            let small = single
                && functions.binary_search(&id).is_ok()
                && cross_unit_inline::is_inlinable(program, id);
            match (outside, small) {
                (false, false) => "static ",
                (false, true) => "static inline ",
                (true, false) => "",
                // Other units use its code too.
                (true, true) => "inline __attribute__((used)) ",
            }
        };
        let declarations = code.declarations(mine, &storage);
        errors.append(&mut code.errors);
        let first = functions.first().map(|it| &program.functions[it.index()]);
        let file = first.filter(|it| native::is_native(it)).map(|it| it.span.file);
        let prelude = file.map_or_else(|| prelude(program).to_owned(), |file| native::prelude(program, file));
        units.push(Unit {
            name: name.clone(),
            kind: if file.is_some() { UnitKind::Native } else { UnitKind::Code },
            text: format!("{prelude}{declarations}{body}"),
            includes: file.map_or_else(Vec::new, |file| native::included_files(program, file)),
        });
    }
    units.append(&mut others);
    let cuda = device_code.into_iter().map(|it| it.source).collect();
    if errors.is_empty() { Ok(Emitted { units, kernels, cuda, symbols: names.kernels }) } else { Err(errors) }
}

/// Divides functions into units.
fn groups(program: &Program, single: bool) -> BTreeMap<String, Vec<FunctionId>> {
    let size: usize = program.functions.iter().map(|it| count(&it.body)).sum();
    // A power of two, so that a small change of size does not move every function.
    let buckets = (size / MAX_UNIT_STATEMENTS).next_power_of_two() as u64;
    let main = program.main.map(|id| program.functions[id.index()].span.file);
    let mut groups: BTreeMap<String, Vec<FunctionId>> = BTreeMap::new();
    for (index, function) in program.functions.iter().enumerate() {
        if function.kernel_only {
            continue;
        }
        let file = function.span.file;
        let name = if native::is_native(function) {
            // The headers that it includes are its own.
            let path = program.files.get(file.index()).map_or("", String::as_str);
            format!("native{:x}", hash(path) as u32)
        } else if single {
            "program".to_owned()
        } else if Some(file) == main {
            "main".to_owned()
        } else {
            let path = program.files.get(file.index()).map_or("", String::as_str);
            format!("part{}", hash(path) % buckets)
        };
        groups.entry(name).or_default().push(FunctionId(index as u32));
    }
    groups
}

/// Number of statements, inner ones included.
fn count(body: &[Stmt]) -> usize {
    body.iter()
        .map(|stmt| {
            1 + match &stmt.kind {
                StmtKind::Block(body)
                | StmtKind::Outlined(body)
                | StmtKind::Labeled { body, .. }
                | StmtKind::Finish { body, .. }
                | StmtKind::Atomic(body) => count(body),
                StmtKind::If { then, otherwise, .. } => count(then) + count(otherwise),
                StmtKind::Loop { body, update, .. } => count(body) + count(update),
                StmtKind::Switch { cases, .. } => cases.iter().map(|(_, body)| count(body)).sum(),
                StmtKind::Try { body, catches, finally } => {
                    count(body) + count(finally) + catches.iter().map(|it| count(&it.body)).sum::<usize>()
                }
                StmtKind::When(branches) => {
                    branches.iter().map(|it| count(&it.setup) + count(&it.body)).sum()
                }
                _ => 0,
            }
        })
        .sum()
}
