//! The host's side of device constructs (OpenMP 5.2, chapter 13): a file whose directives about devices are
//! calls of the runtime, for the C compiler. A region is followed by its own text, which the host runs where
//! there is no device; all other text stays as it is.

mod deferred;
pub(crate) mod edits;
mod file_objects;
mod host_region;
mod host_text;
mod mapper;
mod mapping;
mod metadirective;
mod nested;
mod parallel;
mod static_objects;

use std::collections::BTreeSet;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    Clause, Construct, Directive, DirectiveId, ExprId, ExprKind, Item, Length, StmtId, Type, VariableId,
};
use apg_c_syntax::{Family, TextRange};

use self::deferred::{RegionCall, is_deferred};
use self::edits::{Edits, pragma};
pub use self::host_text::{host_choices, host_text};
use self::mapping::{Map, SourceText, map_kinds, type_kinds};
pub use self::parallel::ParallelKernels;
use crate::data::{Captured, Reference};
use crate::declare_target::{device_objects, used_variables};
use crate::default_map::{Behavior, behavior};
use crate::file::HostRegion;
use crate::literal::quoted;
use crate::region;
use crate::sources::{FileNumber, ReachedObject, Source, Sources};
use crate::spelling::{is_in_header, spelled_directive};
use crate::unsupported::{Lowered, Unsupported, unsupported};

/// What a file gets in place of its directives about devices.
#[derive(Clone, Copy, Debug)]
pub struct Offloaded<'a> {
    /// The file in messages.
    pub name: &'a str,
    /// Symbols of its regions' kernels, in the order of the source, without the regions `on_host`.
    pub kernels: &'a [String],
    /// Regions that have no kernel.
    pub on_host: &'a [HostRegion],
    /// Some file of the program has such regions.
    pub host_has_regions: bool,
    /// Parallel regions that run on devices.
    pub parallel: Option<ParallelKernels<'a>>,
    /// What regions of any file reach outside of themselves, but for what they name.
    pub objects: &'a BTreeSet<ReachedObject>,
    /// Messages with which regions of this file end the program.
    pub messages: &'a [String],
    /// They write to the standard output.
    pub print: bool,
    /// They check bounds.
    pub checks: bool,
}

/// The text of a file of a program with calls in place of its directives about devices; `None` if it has none
/// and regions need nothing of it.
///
/// # Errors
/// Directives that have no such form.
pub fn offload(
    files: &[Source<'_>],
    file: FileNumber,
    with: &Offloaded<'_>,
) -> Result<Option<String>, Vec<Unsupported>> {
    let sources = &Sources::with_library(files, with.checks);
    let Offloaded { name, on_host, host_has_regions, parallel, .. } = *with;
    let parsed = files[file].parsed;
    let (edits, print) = (Edits::of(parsed.text()), with.print);
    let mut host = Host {
        sources,
        file,
        parsed,
        name,
        on_host,
        host_has_regions,
        print,
        edits,
        is_changed: false,
        mapper_depth: std::cell::Cell::new(0),
    };
    let mut errors = nested::directives(parsed);
    let mut kernels = with.kernels.iter();
    for id in parsed.program.directive_ids() {
        let launched = parallel.map_or(Ok(false), |it| host.parallel(id, it));
        host.write_choice(parsed.program.directive(id), true);
        let edited = launched.and_then(|it| if it { Ok(()) } else { host.directive(id, &mut kernels) });
        errors.extend(edited.err());
    }
    let globals = kernel_addresses(with.kernels)
        + &host.globals()
        + &host.addresses(with.objects)
        + &host.messages(with.messages, with.objects);
    parallel.into_iter().for_each(|it| host.name_statics(it));
    let tables = parallel.map_or_else(String::new, |it| host.tables(it));
    let globals = globals + &tables;
    if !errors.is_empty() {
        return Err(errors);
    }
    let is_changed = host.is_changed || !globals.is_empty();
    Ok(is_changed.then(|| host.edits.apply(parsed.text(), name, &globals)))
}

struct Host<'a> {
    sources: &'a Sources<'a>,
    file: FileNumber,
    parsed: &'a Parsed,
    name: &'a str,
    on_host: &'a [HostRegion],
    host_has_regions: bool,
    /// Regions write to the standard output.
    print: bool,
    edits: Edits,
    is_changed: bool,
    /// How many mappers are around the object whose maps are made.
    mapper_depth: std::cell::Cell<u32>,
}

impl<'a> Host<'a> {
    fn source(&self) -> SourceText<'a> {
        SourceText { parsed: self.parsed, object: None }
    }

    fn directive(&mut self, id: DirectiveId, kernels: &mut std::slice::Iter<'_, String>) -> Lowered<()> {
        let of = self.parsed.program.directive(id);
        if of.family != Family::OpenMp {
            return Ok(());
        }
        if region::is_region(&self.parsed.program, id) {
            self.simplify_clauses(of)?;
            if self.on_host.iter().any(|it| it.directive == id) {
                return self.host_region(id);
            }
            let Some(kernel) = kernels.next() else { return Ok(()) };
            return self.region(id, kernel);
        }
        match of.constructs.first() {
            Some(Construct::TargetData) => self.data(of),
            Some(Construct::TargetEnterData) => self.stand_alone(of, "enter", &["to", "alloc"]),
            Some(Construct::TargetExitData) => self.stand_alone(of, "exit", &["from", "release", "delete"]),
            Some(Construct::TargetUpdate) => self.stand_alone(of, "update", &[]),
            // Older compilers do not know all their forms; the runtime has the objects that they name.
            Some(Construct::DeclareTarget | Construct::BeginDeclareTarget | Construct::EndDeclareTarget) => {
                if self.is_in_header(of.range) {
                    return Ok(());
                }
                let at = self.spelled(of.range)?;
                self.edits.replace_lines(self.parsed.text(), at, "");
                Ok(())
            }
            _ => match of.name.as_str() {
                // The runtime has the ranges; not all compilers know the directive.
                "declare mapper" if !self.is_in_header(of.range) => {
                    let at = self.spelled(of.range)?;
                    self.edits.replace_lines(self.parsed.text(), at, "");
                    self.is_changed = true;
                    Ok(())
                }
                "requires" if of.clauses.iter().any(|it| it.name.starts_with("unified_")) => {
                    let message = "the program requires that host and device have one memory";
                    unsupported(of.range, message, "leave it out, and `map` what regions use")
                }
                _ => Ok(()),
            },
        }
    }

    /// Whether an included file contains a directive.
    fn is_in_header(&self, range: TextRange) -> bool {
        is_in_header(self.parsed, range)
    }

    /// Where a directive is written; one of a header or a macro cannot be changed.
    fn spelled(&self, range: TextRange) -> Lowered<std::ops::Range<usize>> {
        spelled_directive(self.parsed, range)
    }

    fn statement(&self, id: StmtId) -> std::ops::Range<usize> {
        self.parsed.spelled(self.parsed.program.stmt(id).range).unwrap_or_default().into()
    }

    /// Declares the place of a directive as `apg_s_`.
    fn site(&self, of: &Directive, at: usize) -> String {
        let line = self.edits.line(at);
        let (file, name) = (quoted(self.name), quoted(&of.name));
        format!("const struct apg_site apg_s_ = {{{file}, {name}, {line}}};")
    }

    /// The device of a directive.
    fn device(&self, of: &Directive) -> Lowered<String> {
        let mut device = "apg_default_device()".to_owned();
        if let Some(clause) = of.clause("device") {
            let is_number = clause.modifier().is_none_or(|it| it == "device_num");
            let number = clause.items.first().and_then(|it| it.expr).filter(|_| is_number);
            let Some(number) = number else {
                let message = "this is not the number of a device";
                return unsupported(clause.range, message, "write `device(N)`");
            };
            device = format!("(long)({})", self.source().expr(number));
        }
        let is_ours = |it: &&Clause| it.modifier().is_none_or(|it| it.starts_with("target"));
        match of.clauses_named("if").find(is_ours).and_then(|it| it.items.first()?.expr) {
            Some(condition) => {
                Ok(format!("apg_device_if(({}) != 0, {device})", self.source().expr(condition)))
            }
            None => Ok(device),
        }
    }

    /// Waits for the tasks that a directive depends on: what it does itself is done when it returns.
    fn dependences(&self, of: &Directive) -> String {
        match self.depend_clauses(of) {
            clauses if clauses.is_empty() => clauses,
            clauses => format!("{} ;", pragma(&format!("omp task if(0) {clauses}"))),
        }
    }

    fn depend_clauses(&self, of: &Directive) -> String {
        let clauses: Vec<String> = of.clauses_named("depend").map(|it| self.source().of(it.range)).collect();
        clauses.join(" ")
    }

    /// The table of maps as `apg_m_`.
    fn table(maps: &[Map]) -> String {
        let rows: Vec<String> = maps.iter().map(Map::row).chain(["{0, 0, 0, 0, 0}".to_owned()]).collect();
        format!("struct apg_map apg_m_[] = {{{}}};", rows.join(", "))
    }

    /// The maps of all clauses.
    fn maps(&self, of: &Directive, otherwise: &'static str, is_entry: bool) -> Lowered<Vec<Map>> {
        let mut maps = Vec::new();
        self.add_clauses(of, self.source(), &|clause| map_kinds(clause, otherwise), is_entry, &mut maps)?;
        Ok(maps)
    }

    /// `target enter data`, `target exit data`, `target update`.
    fn stand_alone(&mut self, of: &Directive, function: &str, types: &[&'static str]) -> Lowered<()> {
        let at = self.spelled(of.range)?;
        let mut maps = Vec::new();
        if types.is_empty() {
            for (name, kind) in [("to", "APG_TO"), ("from", "APG_FROM")] {
                for clause in of.clauses_named(name) {
                    self.add_update(clause, kind, &mut maps)?;
                }
            }
        } else {
            maps = self.maps(of, types[0], function == "enter")?;
        }
        let (wait, site, device) = (self.dependences(of), self.site(of, at.start), self.device(of)?);
        let table = Self::table(&maps);
        let call = format!("apg_target_{function}(&apg_s_, {device}, apg_m_, {});", maps.len());
        self.edits.replace_lines(self.parsed.text(), at, &format!("{{ {wait} {site} {table} {call} }}"));
        self.is_changed = true;
        Ok(())
    }

    /// `target data`, whose list items of `use_device_ptr` are objects with other values inside of it.
    fn data(&mut self, of: &Directive) -> Lowered<()> {
        let Some(body) = of.body else { return Ok(()) };
        let at = self.spelled(of.range)?;
        let maps = self.maps(of, "tofrom", true)?;
        let (site, device, table) = (self.site(of, at.start), self.device(of)?, Self::table(&maps));
        let count = maps.len();
        let mut start = format!(
            "{{ {site} const long apg_d_ = {device}; {table} apg_target_enter(&apg_s_, apg_d_, apg_m_, {count}); {{"
        );
        let (mut values, mut objects, mut uses) = (String::new(), String::new(), String::new());
        let names = ["use_device_ptr", "use_device_addr"];
        let items = of.clauses.iter().filter(|it| names.contains(&it.name.as_str())).flat_map(|it| &it.items);
        for (index, item) in items.enumerate() {
            let hir = &self.parsed.program;
            let Some(variable) = item.variable(hir).map(|it| hir.variable(it)) else { continue };
            let name = &variable.name;
            let ty = match &variable.ty {
                Type::Pointer(_) => format!("__typeof__({name})"),
                Type::Array(..) => format!("__typeof__(&{name}[0])"),
                _ => {
                    let message = format!("`{name}` is no pointer and no array");
                    return unsupported(item.range, message, "declare a pointer to it, and name that");
                }
            };
            values.push_str(&format!("{ty} apg_p{index}_ = ({ty})apg_device_pointer(apg_d_, {name}); "));
            objects.push_str(&format!("{ty} {name} = apg_p{index}_; "));
            uses.push_str(&format!("(void){name}; "));
        }
        if !values.is_empty() {
            start.push_str(&format!(" {values} {{ {objects}{uses}"));
        }
        let end = if values.is_empty() { "}" } else { "}}" };
        self.edits.replace_lines(self.parsed.text(), at, &start);
        let end = format!(" {end} apg_target_exit(&apg_s_, apg_d_, apg_m_, {count}); }}");
        let statement = self.statement(body);
        self.edits.insert_behind(statement, &end);
        self.is_changed = true;
        Ok(())
    }

    /// A region: a call that launches its kernel, and the region's own text for the host.
    fn region(&mut self, id: DirectiveId, kernel: &str) -> Lowered<()> {
        let hir = &self.parsed.program;
        let of = hir.directive(id);
        let Some(body) = of.body else { return Ok(()) };
        let at = self.spelled(of.range)?;
        let environment = region::environment(self.sources, self.file, id)?;
        let (chain, captured) = (environment.chain(), &environment.captured);
        let mut maps = self.maps(of, "tofrom", true)?;
        self.add_implicit_maps(chain, captured, &mut maps)?;
        let (mut values, mut rows) = (String::new(), Vec::new());
        for it in captured.iter().filter(|it| it.reference == Reference::Copy) {
            // Threads copy what a clause maps.
            if !maps.iter().any(|map| map.base == Some(it.variable)) {
                maps.push(self.copied_object(it.variable, &mut values));
            }
        }
        for (index, it) in captured.iter().filter(|it| it.reference != Reference::Private).enumerate() {
            rows.push(self.capture(chain, body, it, index, &maps, &mut values));
        }
        let declared = self.add_reached(&environment.objects, &mut maps, &mut rows);
        let written = if self.print { "apg_target_written(apg_n_); " } else { "" };
        let behind = &format!("{written}{}", self.ended(&environment.objects));
        let kernel_address = &format!("{kernel}_address()");
        let call = RegionCall { kernel: kernel_address, maps: maps.len(), captures: &rows, behind };
        // A region on the host writes back whole objects, which no task may change meanwhile.
        let may_defer = !self.host_has_regions;
        let (wait, site, call) = match may_defer && is_deferred(of, captured, &environment.objects) {
            true => {
                let site = format!("static {}", self.site(of, at.start));
                (String::new(), site, call.deferred(&self.depend_clauses(of)))
            }
            false => (self.dependences(of), self.site(of, at.start), call.at_once()),
        };
        let line = format!(
            "{{ if (__extension__ ({{ {declared} {wait} {site} {values} {table} {declared_kernel} \
             const long apg_n_ = {device}; {call}apg_r_; }})) {{}} else {{",
            table = Self::table(&maps),
            declared_kernel = declared_kernel(kernel),
            device = self.device(of)?,
        );
        self.edits.insert_line(self.parsed.text(), at.start, &line);
        self.share_globals(id);
        let statement = self.statement(body);
        self.edits.insert_behind(at.start..statement.end, " }}");
        self.is_changed = true;
        Ok(())
    }

    /// Keeps the numbers of `declare target`, which a region names, shared where the host runs it: without
    /// that directive, which is removed, each would be private to the region.
    fn share_globals(&mut self, id: DirectiveId) {
        let hir = &self.parsed.program;
        let of = hir.directive(id);
        let on_devices = device_objects(hir);
        let is_named = |variable| {
            of.clauses.iter().flat_map(|it| &it.items).any(|it| it.variable(hir) == Some(variable))
        };
        let used = hir.captured(id).into_iter().map(|it| it.0);
        let shared = used.filter(|it| on_devices.binary_search(it).is_ok() && !is_named(*it));
        let names: Vec<&str> = shared.map(|it| hir.variable(it).name.as_str()).collect();
        if !names.is_empty() {
            let name: std::ops::Range<usize> = self.parsed.spelled(of.name_range).unwrap_or_default().into();
            self.edits.insert(name.end, &format!(" map(tofrom: {})", names.join(", ")));
        }
    }

    /// A map of a copy of an array or struct that is `firstprivate`, which is declared in front of it: the
    /// object itself may have other values on the device.
    fn copied_object(&self, variable: VariableId, values: &mut String) -> Map {
        let name = &self.parsed.program.variable(variable).name;
        let copy = format!("apg_f_{name}");
        values.push_str(&format!(
            "__typeof__({name}) {copy}; __builtin_memcpy((void *)&{copy}, &{name}, sizeof({name})); "
        ));
        let mut map = Map::object(&copy, variable, vec!["APG_TO"]);
        map.is_copy = true;
        map
    }

    /// Maps what no clause names (OpenMP 5.2, section 5.8.1): arrays, structs, mapped scalars, reductions.
    fn add_implicit_maps(
        &self,
        chain: &[DirectiveId],
        captured: &[Captured],
        maps: &mut Vec<Map>,
    ) -> Lowered<()> {
        let hir = &self.parsed.program;
        for it in captured {
            let of = hir.variable(it.variable);
            let section = match it.reference {
                Reference::Reduction(_, section) | Reference::Updated(section) => section,
                _ => None,
            };
            if let (Some(section), true) = (section, it.reference.is_by_value(&of.ty)) {
                if !maps.iter().any(|map| map.base == Some(it.variable)) {
                    let item = Item { expr: Some(section), word: None, mapping: None, range: it.range };
                    self.source().add_item(&item, type_kinds("tofrom"), true, maps)?;
                }
                continue;
            }
            let is_object = match it.reference {
                Reference::Copy | Reference::Private => false,
                Reference::Value => matches!(of.ty, Type::Array(_, Length::Variable(_) | Length::Unknown)),
                _ => true,
            };
            if !is_object {
                continue;
            }
            let is_named =
                |map: &&mut Map| map.base == Some(it.variable) && !matches!(of.ty, Type::Pointer(_));
            let kinds = match it.reference {
                reference if reference.has_result() => type_kinds("tofrom").to_vec(),
                _ if of.is_const => vec!["APG_TO"],
                _ => implicit_kinds(hir.directive(chain[0]), &of.ty),
            };
            match maps.iter_mut().find(is_named) {
                // A struct that leads to a mapped member is copied back as well, as if it were named nowhere.
                Some(map) if !self.is_in_clause(chain[0], it.variable) => map.kinds = kinds,
                Some(_) => {}
                None if self.has_mapper(&of.ty) => self.add_mapped_variable(it.variable, &kinds, maps)?,
                None => maps.insert(0, Map::object(&of.name, it.variable, kinds)),
            }
        }
        Ok(())
    }

    /// Whether a `map` clause names a variable or a section of it, not a member.
    fn is_in_clause(&self, id: DirectiveId, variable: VariableId) -> bool {
        let hir = &self.parsed.program;
        let names = |mut expr: ExprId| loop {
            match hir.expr(expr).kind {
                ExprKind::Variable(it) => return it == variable,
                ExprKind::Section(base, ..) | ExprKind::Index(base, _) => expr = base,
                _ => return false,
            }
        };
        hir.directive(id).clauses_named("map").flat_map(|it| &it.items).filter_map(|it| it.expr).any(names)
    }

    /// A row of the table of captures; values are put in locals in front of it.
    fn capture(
        &self,
        chain: &[DirectiveId],
        body: StmtId,
        captured: &Captured,
        index: usize,
        maps: &[Map],
        values: &mut String,
    ) -> String {
        let hir = &self.parsed.program;
        let of = hir.variable(captured.variable);
        let name = &of.name;
        let map = maps.iter().position(|it| it.base == Some(captured.variable));
        let prefix = if map.is_some_and(|it| maps[it].is_copy) { "apg_f_" } else { "" };
        let is_object = !captured.reference.is_by_value(&of.ty);
        let clauses = chain.iter().flat_map(|it| &hir.directive(*it).clauses);
        let mut naming = clauses
            .filter(|it| it.items.iter().any(|it| it.variable(hir) == Some(captured.variable)))
            .peekable();
        let is_firstprivate =
            |it: &DirectiveId| matches!(behavior(hir.directive(*it), &of.ty), Some(Behavior::Firstprivate));
        let is_plain = match naming.peek() {
            None => map.is_none() && chain.iter().any(is_firstprivate),
            Some(_) => naming
                .any(|it| matches!(it.name.as_str(), "is_device_ptr" | "has_device_addr" | "firstprivate")),
        };
        let map = map.map_or(-1, |it| it as i64);
        if is_object {
            return format!("{{{}, (const void *)&{prefix}{name}, APG_OBJECT, {map}}}", quoted(name));
        }
        if matches!(of.ty, Type::Pointer(_) | Type::Array(..)) && !is_plain {
            let kind = match self.is_followed(body, captured.variable) {
                true => "APG_USED_POINTER",
                false => "APG_POINTER",
            };
            return format!("{{{}, (const void *){name}, {kind}, {map}}}", quoted(name));
        }
        values.push_str(&format!("__typeof__({name}) apg_v{index}_ = {name}; "));
        format!("{{{}, (const void *)&apg_v{index}_, APG_VALUE, -1}}", quoted(name))
    }

    /// Whether code uses what a pointer points to.
    fn is_followed(&self, body: StmtId, variable: VariableId) -> bool {
        let hir = &self.parsed.program;
        let is_it = |id: ExprId| hir.expr(id).kind == ExprKind::Variable(variable);
        let mut found = false;
        hir.walk_stmt(body, &mut |node| {
            if let Node::Expr(id) = node {
                found |= match hir.expr(id).kind {
                    ExprKind::Index(base, _) | ExprKind::Dereference(base) => is_it(base),
                    ExprKind::Member { base, is_arrow: true, .. } => is_it(base),
                    _ => false,
                };
            }
            true
        });
        found
    }

    /// Registers the objects of `declare target` (OpenMP 5.2, section 7.8).
    fn globals(&self) -> String {
        let hir = &self.parsed.program;
        let mut found = device_objects(hir);
        // A program need not have the objects of its headers. Another file registers what has no size here:
        // `extern int table[];`.
        let used = used_variables(hir);
        found.retain(|id| {
            let of = hir.variable(*id);
            let is_own = of.range.is_some_and(|it| !self.is_in_header(it));
            (is_own || used.contains(id)) && !matches!(of.ty, Type::Array(_, Length::Unknown))
        });
        if found.is_empty() {
            return String::new();
        }
        let mut text = String::new();
        let mut calls = String::new();
        for (index, id) in found.iter().enumerate() {
            let name = &hir.variable(*id).name;
            text.push_str(&format!(
                "static struct apg_global apg_g{index}_ = {{(void *)&{name}, sizeof({name}), 0}};\n"
            ));
            calls.push_str(&format!("apg_add_global(&apg_g{index}_); "));
        }
        format!("{text}__attribute__((constructor)) static void apg_add_globals_(void) {{ {calls}}}\n")
    }
}

/// Declares what gives the address of a kernel: `default(none)` of a region around it demands that its
/// variables are named, and the user cannot name a kernel.
fn declared_kernel(kernel: &str) -> String {
    format!("extern const char *{kernel}_address(void);")
}

/// The functions of [`declared_kernel`].
fn kernel_addresses(kernels: &[String]) -> String {
    let function = |it: &String| format!("extern const char {it}[]; {}", address_function("char", it));
    kernels.iter().map(function).collect()
}

/// A function that gives the address of an array. Code calls it by a name that is that of the symbol alone:
/// GCC compiles for devices what functions name that regions call, as far as it sees their definitions.
fn address_function(element: &str, array: &str) -> String {
    format!(
        "const {element} *{array}_of_host(void) __asm__(\"{array}_address\") __attribute__((visibility(\"hidden\"))); \
         const {element} *{array}_of_host(void) {{ return {array}; }}\n"
    )
}

/// How an object is mapped that no clause names.
fn implicit_kinds(directive: &Directive, ty: &Type) -> Vec<&'static str> {
    match behavior(directive, ty) {
        Some(Behavior::Mapped("present")) => [type_kinds("tofrom"), &["APG_PRESENT"]].concat(),
        Some(Behavior::Mapped(of)) => type_kinds(of).to_vec(),
        _ => type_kinds("tofrom").to_vec(),
    }
}
