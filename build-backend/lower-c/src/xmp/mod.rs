//! Programs with XcalableMP directives (specification 1.4): a file whose directives are calls of the runtime,
//! for the C compiler. Each place runs `main`.
//!
//! A global array is a pointer to the local block, and its elements are reached by global indices through a
//! descriptor that the runtime fills in. Loops get the bounds of their node, which are computed once. All
//! other text stays as it is, with macros expanded: so directives and accesses may come from macros and
//! headers.

mod accelerators;
mod aliases;
mod arrays;
mod coarrays;
mod communication;
mod declarations;
mod edits;
mod items;
mod loops;
mod members;
mod positions;
mod print;
mod references;
mod sections;

use std::ops::Range;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::{Directive, Program, VariableId};
use apg_c_analysis::xmp::{self, Model};
use apg_c_syntax::ast::{self, AstNode as _};
use apg_c_syntax::{Family, TextRange};

use self::edits::Edits;
use crate::host::edits::line_number;
use crate::literal::quoted;
use crate::unsupported::{Lowered, Unsupported, unsupported};

/// The text of a file with calls in place of its XcalableMP directives; `None` if it has none. `name` is the
/// file in messages. With devices, regions of accelerators are `target` regions; else the host executes them.
///
/// # Errors
/// Directives that have no such form.
pub fn distribute(
    parsed: &Parsed,
    name: &str,
    has_devices: bool,
) -> Result<Option<String>, Vec<Unsupported>> {
    let has_coarrays = || {
        let root = parsed.syntax.main.syntax();
        let mut declarators = root.descendants().filter_map(ast::InitDeclarator::cast);
        declarators.any(|it| it.codimensions().is_some())
    };
    if xmp::directives(&parsed.program).next().is_none() && !has_coarrays() {
        return Ok(None);
    }
    let text = parsed.syntax.main.syntax().text().to_string();
    let program = members::with_member_variables(&parsed.program);
    let model = Model::of(&program);
    let mut unit = Unit {
        parsed,
        hir: &program,
        regions: accelerators::regions(&program, &model),
        model,
        has_devices,
        text,
        name,
        edits: Edits::default(),
        setup: String::new(),
        names: 0,
        member_layouts: Vec::new(),
        errors: Vec::new(),
    };
    unit.refuse_nested_functions();
    unit.edit_arrays();
    unit.edit_coarrays();
    for directive in xmp::directives(&program) {
        if let Err(error) = unit.directive(directive) {
            unit.errors.push(error);
        }
    }
    unit.allocate_members();
    let openacc = program.directive_ids().map(|it| program.directive(it));
    for directive in openacc.filter(|it| it.family == Family::OpenAcc) {
        if let Err(error) = unit.openacc(directive) {
            unit.errors.push(error);
        }
    }
    unit.edit_assignments();
    unit.edit_regions();
    if !unit.errors.is_empty() {
        unit.errors.sort_by_key(|it| it.range.start());
        return Err(unit.errors);
    }
    Ok(Some(print::print(parsed, &unit.text, unit.edits, name, &setup_function(&unit.setup))))
}

/// The function that executes the declarations of a file, which the runtime calls in front of `main`.
fn setup_function(declarations: &str) -> String {
    match declarations.is_empty() {
        true => String::new(),
        false => format!(
            "static void apg_xmp_setup_(void) {{\n{declarations}}}\n\
             static struct apg_xmp_file apg_xmp_file_ = {{apg_xmp_setup_, 0}};\n\
             __attribute__((constructor)) static void apg_xmp_register_(void) \
             {{ apg_xmp_add_file(&apg_xmp_file_); }}\n"
        ),
    }
}

/// A file that is translated.
struct Unit<'a> {
    parsed: &'a Parsed,
    hir: &'a Program,
    model: Model,
    regions: Vec<accelerators::Region>,
    has_devices: bool,
    /// The text of the tree, whose ranges are those of the program.
    text: String,
    name: &'a str,
    edits: Edits,
    /// What is done in front of `main`.
    setup: String,
    /// How many names have been made.
    names: usize,
    /// For each member of a struct that is a global array the calls that lay it out, from a descriptor and
    /// the address of the member.
    member_layouts: Vec<(VariableId, MemberLayout)>,
    errors: Vec<Unsupported>,
}

/// The calls that lay a member out, from a descriptor and the address of the member.
type MemberLayout = Box<dyn Fn(&str, &str) -> String>;

impl<'a> Unit<'a> {
    /// GNU's functions in functions keep their accesses of global arrays and their directives: their bodies
    /// are not in the program.
    fn refuse_nested_functions(&mut self) {
        for function in self.hir.functions.iter().filter(|it| it.is_nested) {
            self.errors.push(Unsupported {
                range: function.range.unwrap_or_default(),
                message: format!("`{}` is defined in a function of a file with XcalableMP", function.name),
                advice: format!("move `{}` out of the function around it", function.name),
            });
        }
    }

    fn directive(&mut self, of: &'a Directive) -> Lowered<()> {
        match of.name.as_str() {
            "nodes" => self.nodes(of),
            "template" => self.template(of),
            "distribute" => self.distribute(of),
            "template_fix" => self.template_fix(of),
            "align" => self.align(of),
            "shadow" => self.shadow(of),
            "loop" => self.loop_construct(of),
            "task" => self.task(of),
            "tasks" => {
                self.remove(of);
                Ok(())
            }
            "barrier" => self.barrier(of),
            "reduction" => self.reduction(of),
            "bcast" => self.bcast(of),
            "reflect" => self.reflect(of, "reflect"),
            "reflect_init" => self.reflect(of, "reflect_init"),
            "reduce_shadow" => self.reflect(of, "reduce_shadow"),
            "reflect_do" => self.reflect_do(of),
            "wait_async" => self.wait_async(of),
            "gmove" => self.gmove(of),
            "array" => self.array(of),
            "local_alias" => self.local_alias(of),
            "acc replicate" => self.replicate(of),
            "acc replicate_sync" => self.replicate_sync(of),
            "coarray" => {
                self.remove(of);
                Ok(())
            }
            "post" => self.post(of),
            "wait" => self.wait(of),
            "lock" => self.lock(of, 0),
            "unlock" => self.lock(of, 1),
            "sync_all" => self.replace(of, "apg_xmp_sync_all();".to_owned()),
            "sync_memory" => self.replace(of, "apg_xmp_sync_memory();".to_owned()),
            // Its arrays are found where they are aligned.
            "static_desc" => {
                self.remove(of);
                Ok(())
            }
            other => {
                let message = format!("`{other}` is not supported");
                unsupported(of.name_range, message, "write the program without it")
            }
        }
    }

    /// The number of a new name.
    fn number(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn range(range: TextRange) -> Range<usize> {
        range.into()
    }

    /// The new text of a range.
    fn edited(&self, range: TextRange) -> String {
        self.edited_range(range.into())
    }

    fn edited_range(&self, range: Range<usize>) -> String {
        self.edits.text(&self.text, range)
    }

    fn remove(&mut self, of: &Directive) {
        let text = if of.function.is_some() && of.body.is_none() { ";" } else { "" };
        self.edits.replace(of.range.into(), text);
    }

    /// Puts a statement in place of a directive.
    fn replace(&mut self, of: &Directive, statement: String) -> Lowered<()> {
        if of.function.is_none() {
            let message = format!("`{}` stands outside of all functions", of.name);
            return unsupported(of.range, message, "write it where the program executes it");
        }
        self.edits.replace(of.range.into(), statement);
        Ok(())
    }

    /// The place of a directive, for messages.
    fn site(&self, of: &Directive) -> String {
        self.site_of(of.range, &of.name)
    }

    /// The line of a range in its file.
    fn line(&self, range: TextRange) -> usize {
        let span = self.parsed.syntax.main.span(&self.parsed.unit, range);
        span.map_or(1, |it| line_number(&self.parsed.unit.file(it.file).text, it.start as usize))
    }

    fn site_of(&self, range: TextRange, name: &str) -> String {
        let main = &self.parsed.syntax.main;
        let span = main.span(&self.parsed.unit, range);
        let (file, line) = span.map_or((self.name.to_owned(), 1), |span| {
            let file = self.parsed.unit.file(span.file);
            let line = line_number(&file.text, span.start as usize);
            let is_main = span.file == apg_c_syntax::FileId::MAIN;
            (if is_main { self.name.to_owned() } else { file.path.display().to_string() }, line)
        });
        format!("&(const struct apg_xmp_site){{{}, {}, {line}}}", quoted(&file), quoted(name))
    }

    /// The variable that a name means in a directive.
    fn variable(&self, name: &str, of: &Directive) -> Option<VariableId> {
        let is_it = |index: &usize| {
            let it = &self.hir.variables[*index];
            it.name == name && (it.function.is_none() || it.function == of.function)
        };
        let mut all = (0..self.hir.variables.len()).filter(is_it);
        let before =
            |index: &usize| self.hir.variables[*index].range.is_none_or(|it| it.start() < of.range.start());
        let found: Vec<usize> = all.by_ref().filter(before).collect();
        let local = found.iter().rev().find(|it| self.hir.variables[**it].function.is_some());
        local.or(found.last()).copied().map(VariableId::new)
    }
}

/// A list in braces as an array constant of C.
fn constants(ty: &str, values: &[String]) -> String {
    format!("(const {ty}[]){{{}}}", values.join(", "))
}
