//! Races after an edit: a root function is executed again if the text of a function that it executes has
//! changed, the effects of a callee, or what is known of objects of file scope. Results keep their
//! numbers of parts ([`Anchor`]) while functions in front of them grow.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::sync::Arc;

use apg_c_syntax::Family;
use apg_kernels::fork_join::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::roots::{Execution, execute, of_roots};
use super::{Origin, Races};
use crate::db::{Db, Parsed, SourceFile, parsed};
use crate::functions::{DefinedFunction, defined_functions};
use crate::hir::{Construct, DirectiveId, ExprId, FunctionId, VariableId};
use crate::lower::{Anchor, Layout};

/// What an execution knows of a function that it does not execute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    assigned: Vec<Anchor>,
    addressed: Vec<Anchor>,
    callees: Vec<FunctionId>,
    directives: Vec<Outline>,
    synchronises: bool,
}

/// A directive by its words.
type Outline = (Family, Vec<Construct>, Vec<SmolStr>);

/// What is known of an object of file scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    object: Anchor,
    is_changed: bool,
    is_threadprivate: bool,
    table: Option<Arc<[i64]>>,
    is_pointer_table: bool,
    selects_pointers: bool,
}

/// What an execution found, with numbers of parts that edits in other functions leave as they are.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Its numbers are those of the revision that executed it.
    races: Races,
    sites: Vec<Anchor>,
    origins: Vec<(Anchor, Option<Anchor>)>,
    counters: Vec<(Symbol, Anchor)>,
    met: Vec<Anchor>,
}

/// The effects of a function.
#[salsa::tracked(returns(ref))]
pub(crate) fn function_summary<'db>(db: &'db dyn Db, function: DefinedFunction<'db>) -> Summary {
    function.version(db);
    let current = function.parsed(db);
    let Some(effects) = current.race_facts().functions.get(&function.id(db)) else {
        return Summary::default();
    };
    let layout = current.layout();
    let variables = |all: &FxHashSet<VariableId>| {
        let is_global = |it: &VariableId| current.program.variable(*it).function.is_none();
        let mut found: Vec<Anchor> =
            all.iter().copied().filter(is_global).map(|it| layout.anchor_of(it)).collect();
        found.sort_unstable();
        found
    };
    let outline = |it: &DirectiveId| {
        let of = current.program.directive(*it);
        (of.family, of.constructs.clone(), of.clauses.iter().map(|it| it.name.clone()).collect())
    };
    let mut callees: Vec<FunctionId> = effects.callees.iter().copied().collect();
    callees.sort_unstable();
    Summary {
        assigned: variables(&effects.assigned),
        addressed: variables(&effects.addressed),
        callees,
        directives: effects.directives.iter().map(outline).collect(),
        synchronises: effects.synchronises,
    }
}

/// What is known of the objects of file scope, in the order of their declarations.
#[salsa::tracked(returns(ref))]
pub(crate) fn known_objects(db: &dyn Db, file: SourceFile) -> Vec<Known> {
    let parsed = parsed(db, file);
    let (facts, layout) = (parsed.race_facts(), parsed.layout());
    let of = |id: VariableId| Known {
        object: layout.anchor_of(id),
        is_changed: facts.assigned.contains(&id) || facts.addressed.contains(&id),
        is_threadprivate: facts.threadprivate.contains(&id),
        table: facts.tables.get(&id).cloned(),
        is_pointer_table: facts.pointer_tables.contains(&id),
        selects_pointers: facts.selects_pointers.contains(&id),
    };
    let all = parsed.program.variables.iter().enumerate();
    let of_file = all.filter(|it| it.1.function.is_none() && it.1.has_static_storage());
    of_file.map(|it| of(VariableId::new(it.0))).collect()
}

/// What the execution of a function finds.
#[salsa::tracked(returns(ref), no_eq)]
pub(crate) fn execution<'db>(db: &'db dyn Db, function: DefinedFunction<'db>) -> Kept {
    let file = function.file(db);
    function.version(db);
    known_objects(db, file);
    let current = function.parsed(db);
    let id = function.id(db);
    let Some(body) = current.program.function(id).body else { return Kept::default() };
    let found = execute(&current.program, current.race_facts(), id, body);
    let functions = defined_functions(db, file);
    for other in functions {
        if found.executed.contains(&other.id(db)) {
            other.version(db);
        }
        if found.summarized.contains(&other.id(db)) {
            function_summary(db, *other);
        }
    }
    Kept::new(found, current.layout())
}

/// The races of a file.
pub(crate) fn file_races(db: &dyn Db, file: SourceFile) -> Races {
    let parsed: &Parsed = parsed(db, file);
    let functions: FxHashMap<FunctionId, DefinedFunction<'_>> =
        defined_functions(db, file).iter().map(|it| (it.id(db), *it)).collect();
    let layout = parsed.layout();
    of_roots(&parsed.program, parsed.race_facts(), |root| {
        functions.get(&root).map(|it| execution(db, *it).in_layout(layout)).unwrap_or_default()
    })
}

impl Kept {
    fn new(found: Execution, layout: &Layout) -> Kept {
        let races = found.races;
        let origin = |it: &Origin| (layout.anchor_of(it.region), it.variable.map(|it| layout.anchor_of(it)));
        Kept {
            sites: races.accesses.iter().map(|it| layout.anchor_of(it.site)).collect(),
            origins: races.origins.iter().map(origin).collect(),
            counters: races.counters.iter().map(|it| (*it.0, layout.anchor_of(*it.1))).collect(),
            met: found.met.iter().map(|it| layout.anchor_of(*it)).collect(),
            races,
        }
    }

    /// The same with the numbers of another revision.
    fn in_layout(&self, layout: &Layout) -> Execution {
        let mut races = self.races.clone();
        for (access, site) in races.accesses.iter_mut().zip(&self.sites) {
            access.site = layout.at::<ExprId>(*site);
        }
        for (origin, (region, variable)) in races.origins.iter_mut().zip(&self.origins) {
            *origin = Origin { region: layout.at(*region), variable: variable.map(|it| layout.at(it)) };
        }
        races.counters = self.counters.iter().map(|it| (it.0, layout.at(it.1))).collect();
        let met = self.met.iter().map(|it| layout.at(*it)).collect();
        Execution { races, met, ..Execution::default() }
    }
}
