//! Declarations of nodes, templates and distributions (specification 1.4, chapter 4).

use apg_c_analysis::hir::{Directive, Mapping, Role, Spelling, Subscript, SubscriptKind};
use apg_c_analysis::xmp;

use super::references::{grid_name, ordered};
use super::{Unit, constants};
use crate::literal::quoted;
use crate::unsupported::{Lowered, unsupported};

/// Lower bounds and sizes of a template's axes.
struct Extent {
    lower: String,
    size: String,
}

impl Unit<'_> {
    pub(super) fn nodes(&mut self, of: &Directive) -> Lowered<()> {
        let source = xmp::mappings(of).find(|it| it.role == Role::Source);
        let part = match source {
            Some(source) => self.on(source)?,
            None => "0".to_owned(),
        };
        self.declare_grids(of, |unit, name, subscripts, spelling| {
            let mut sizes = Vec::new();
            for subscript in subscripts {
                sizes.push(match subscript.kind {
                    SubscriptKind::Star => "-1".to_owned(),
                    _ => unit.extent(subscript, spelling)?.map_or_else(|| "-1".to_owned(), |it| it.size),
                });
            }
            let sizes = constants("long", &ordered(sizes, Some(spelling)));
            let (site, rank, style) = (unit.site(of), subscripts.len(), style(spelling));
            Ok(format!("apg_xmp_nodes({site}, {}, {style}, {rank}, {sizes}, {part})", quoted(name)))
        })
    }

    pub(super) fn template(&mut self, of: &Directive) -> Lowered<()> {
        self.declare_grids(of, |unit, name, subscripts, spelling| {
            let bounds = unit.bounds(subscripts, spelling)?;
            let (site, rank, style) = (unit.site(of), subscripts.len(), style(spelling));
            Ok(format!("apg_xmp_template({site}, {}, {style}, {rank}, {bounds})", quoted(name)))
        })
    }

    /// Declares all nodes or templates of a directive.
    fn declare_grids(
        &mut self,
        of: &Directive,
        create: impl Fn(&Self, &str, &[Subscript], Spelling) -> Lowered<String>,
    ) -> Lowered<()> {
        let (mut declarations, mut statements) = (String::new(), String::new());
        for (subject, subscripts, spelling) in xmp::subjects(of) {
            let name = &subject.name;
            let Some(spelling) = spelling else {
                let message = format!("`{name}` has no sizes");
                return unsupported(subject.name_range, message, format!("write `{name}[N]`"));
            };
            let (variable, value) = (grid_name(name), create(self, name, subscripts, spelling)?);
            if of.function.is_none() || self.is_static(of, name) {
                declarations.push_str(&format!("static apg_xmp_grid *{variable} __attribute__((unused));"));
                statements.push_str(&format!("if (!{variable}) {variable} = {value}; "));
            } else {
                statements.push_str(&format!(
                    "apg_xmp_grid *{variable} __attribute__((unused, cleanup(apg_xmp_drop_grid))) = {value}; "
                ));
            }
        }
        self.declare(of, &declarations, &statements)
    }

    /// Whether a `static_desc` directive names a descriptor of a function.
    pub(super) fn is_static(&self, of: &Directive, name: &str) -> bool {
        let same =
            xmp::directives(self.hir).filter(|it| it.name == "static_desc" && it.function == of.function);
        same.flat_map(xmp::mappings).any(|it| it.name == name)
    }

    /// The lower bound and the size of an axis; `None` if it is fixed later.
    fn extent(&self, subscript: &Subscript, spelling: Spelling) -> Lowered<Option<Extent>> {
        let parts = self.parts(subscript);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Ok(Some(match (spelling, &parts[..]) {
            (_, ["", ""]) => return Ok(None),
            (Spelling::Brackets, [size]) => Extent { lower: "0".to_owned(), size: (*size).to_owned() },
            (Spelling::Parentheses, [size]) => Extent { lower: "1".to_owned(), size: (*size).to_owned() },
            (Spelling::Brackets, [lower, size]) => {
                Extent { lower: (*lower).to_owned(), size: (*size).to_owned() }
            }
            (Spelling::Parentheses, [lower, upper]) => {
                Extent { lower: (*lower).to_owned(), size: format!("(long)({upper}) - ({lower}) + 1") }
            }
            _ => return unsupported(subscript.range, "these are no bounds", "write a size"),
        }))
    }

    /// Lower bounds and sizes of axes as two arguments; null if one is fixed later.
    fn bounds(&self, subscripts: &[Subscript], spelling: Spelling) -> Lowered<String> {
        let (mut lower, mut sizes) = (Vec::new(), Vec::new());
        for subscript in subscripts {
            let Some(extent) = self.extent(subscript, spelling)? else { return Ok("0, 0".to_owned()) };
            lower.push(extent.lower);
            sizes.push(extent.size);
        }
        let list = |it| constants("long", &ordered(it, Some(spelling)));
        Ok(format!("{}, {}", list(lower), list(sizes)))
    }

    pub(super) fn distribute(&mut self, of: &Directive) -> Lowered<()> {
        let Some(nodes) = xmp::target(of, "onto") else {
            return unsupported(of.range, "the nodes are missing", "write `onto` with their name");
        };
        let nodes = grid_name(&nodes.name);
        let mut statements = String::new();
        for (subject, formats, spelling) in xmp::subjects(of) {
            let formats = self.formats(formats, spelling);
            let (site, template) = (self.site(of), grid_name(&subject.name));
            let call = format!("apg_xmp_distribute({site}, {template}, {nodes}, {formats}); ");
            match self.is_static(of, &subject.name) {
                true => statements.push_str(&format!(
                    "{{ static int apg_once_; if (!apg_once_) {{ apg_once_ = 1; {call}}} }} "
                )),
                false => statements.push_str(&call),
            }
        }
        self.declare(of, "", &statements)
    }

    /// The formats of a distribution in C's order.
    fn formats(&self, subscripts: &[Subscript], spelling: Option<Spelling>) -> String {
        let format = |it: &Subscript| {
            let text = it.text.as_str();
            let argument = text.find('(').map(|at| text[at + 1..].trim_end_matches(')'));
            let name = text.split('(').next().unwrap_or_default().to_ascii_lowercase();
            match (name.as_str(), argument) {
                ("gblock", Some("*") | None) => "{APG_XMP_GBLOCK, 0, 0}".to_owned(),
                ("gblock", Some(map)) => format!("{{APG_XMP_GBLOCK, 0, {map}}}"),
                ("cyclic", width) => format!("{{APG_XMP_CYCLIC, {}, 0}}", width.unwrap_or("1")),
                ("block", width) => format!("{{APG_XMP_BLOCK, {}, 0}}", width.unwrap_or("0")),
                _ => "{APG_XMP_DUPLICATED, 0, 0}".to_owned(),
            }
        };
        let formats = subscripts.iter().map(format).collect();
        constants("struct apg_xmp_format", &ordered(formats, spelling))
    }

    pub(super) fn template_fix(&mut self, of: &Directive) -> Lowered<()> {
        let all: Vec<&Mapping> = xmp::mappings(of).collect();
        let formats = all.iter().find(|it| it.name.is_empty());
        let Some(template) = all.iter().find(|it| !it.name.is_empty()) else {
            return unsupported(of.range, "the template is missing", "write its name behind the formats");
        };
        let formats = formats.map_or_else(|| "0".to_owned(), |it| self.formats(&it.subscripts, it.spelling));
        let bounds = match template.spelling {
            Some(spelling) => self.bounds(&template.subscripts, spelling)?,
            None => "0, 0".to_owned(),
        };
        let (site, name) = (self.site(of), grid_name(&template.name));
        self.replace(of, format!("apg_xmp_template_fix({site}, {name}, {formats}, {bounds});"))
    }
}

/// How nodes and templates are declared: what inquiry functions count from.
fn style(spelling: Spelling) -> u8 {
    u8::from(spelling == Spelling::Parentheses)
}
