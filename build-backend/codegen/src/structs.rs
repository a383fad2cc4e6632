//! Structs and unions: declarations, layouts, and comparisons of values.

use std::collections::BTreeMap;

use super::code::{Code, Target};
use super::names;
use apg_mir::*;

impl Code<'_> {
    /// Prints the structs in use, members first, with their comparisons.
    pub(crate) fn structs(&mut self) {
        let (order, bodies) = self.struct_bodies();
        let mut compared = Vec::new();
        for id in self.used.equality.clone() {
            self.equality_order(id, &mut compared);
        }
        let inline = match self.target {
            Target::Cuda => "__device__ __forceinline__",
            _ => "inline",
        };
        for id in &order {
            if self.is_pointed_to(*id) {
                let line = format!("{} {};", self.struct_word(*id), self.names.structs[id.index()]);
                self.out.line(line);
            }
        }
        for id in order {
            let name = self.names.structs[id.index()].clone();
            let Some(body) = bodies.get(&id) else { continue };
            self.out.line(body);
            if compared.contains(&id) {
                let test = self.equality(id);
                self.out
                    .line(format!("static {inline} bool eq_{name}({name} a, {name} b) {{ return {test}; }}"));
            }
        }
    }

    /// The type of a field: in kernels references inside structs are opaque.
    fn stored(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Ref(_) | Ty::Any if self.target.is_kernel() => "void *".into(),
            _ => self.ty(ty),
        }
    }

    fn struct_order(&self, id: StructId, order: &mut Vec<StructId>) {
        if order.contains(&id) {
            return;
        }
        for field in &self.program.structs[id.index()].fields {
            if let Ty::Struct(inner) = self.program.types.innermost(field.ty) {
                self.struct_order(inner, order);
            }
        }
        order.push(id);
    }

    fn equality_order(&self, id: StructId, compared: &mut Vec<StructId>) {
        if compared.contains(&id) {
            return;
        }
        compared.push(id);
        for field in &self.program.structs[id.index()].fields {
            if let Ty::Struct(inner) = field.ty {
                self.equality_order(inner, compared);
            }
        }
    }

    fn equality(&self, id: StructId) -> String {
        let mut tests = Vec::new();
        for (index, field) in self.program.structs[id.index()].fields.iter().enumerate() {
            let member = names::field(index, field);
            tests.push(match field.ty {
                Ty::Struct(inner) => {
                    format!("eq_{}(a.{member}, b.{member})", self.names.structs[inner.index()])
                }
                _ => format!("a.{member} == b.{member}"),
            });
        }
        if tests.is_empty() { "true".into() } else { tests.join(" && ") }
    }

    /// All structs that the code needs, members first, and their declarations.
    fn struct_bodies(&mut self) -> (Vec<StructId>, BTreeMap<StructId, String>) {
        let mut order = Vec::new();
        let mut bodies = BTreeMap::new();
        // Members name further structs, which they point to.
        loop {
            let wanted: Vec<StructId> =
                self.used.structs.iter().chain(&self.used.equality).copied().collect();
            wanted.into_iter().for_each(|it| self.struct_order(it, &mut order));
            let missing: Vec<StructId> =
                order.iter().copied().filter(|it| !bodies.contains_key(it)).collect();
            if missing.is_empty() {
                return (order, bodies);
            }
            for id in missing {
                let body = self.struct_body(id);
                bodies.insert(id, body);
            }
        }
    }

    /// Whether the program has a pointer type to a struct: members may name it before its declaration.
    fn is_pointed_to(&self, id: StructId) -> bool {
        let types = &self.program.types;
        let functions = types.signatures().iter().flat_map(|it| it.params.iter().copied().chain([it.result]));
        types.pointed().chain(functions).any(|it| types.innermost(it) == Ty::Struct(id))
    }

    fn struct_word(&self, id: StructId) -> &'static str {
        let layout = self.program.structs[id.index()].layout.as_ref();
        if layout.is_some_and(|it| it.is_union) { "union" } else { "struct" }
    }

    /// Whether the declaration of a struct has explicit gaps between its members.
    pub(crate) fn has_gaps(&self, id: StructId) -> bool {
        let item = &self.program.structs[id.index()];
        item.layout.as_ref().is_some_and(|layout| {
            Layouts::new(self.program).natural(item, layout.is_union).as_ref() != Some(layout)
        })
    }

    /// The declaration of a struct. One with a layout of its own has explicit gaps.
    fn struct_body(&mut self, id: StructId) -> String {
        let program = self.program;
        let item = &program.structs[id.index()];
        let name = self.names.structs[id.index()].clone();
        let word = self.struct_word(id);
        let types: Vec<String> = item.fields.iter().map(|it| self.stored(it.ty)).collect();
        let member =
            |index: usize| format!(" {} {};", types[index], names::field(index, &item.fields[index]));
        let Some(layout) = &item.layout else {
            let members: String = (0..types.len()).map(member).collect();
            return format!("{word} {name} {{{members} }};");
        };
        let mut layouts = Layouts::new(program);
        let is_natural = !self.has_gaps(id);
        let mut members = String::new();
        let mut attributes = "";
        if is_natural && !types.is_empty() {
            members.extend((0..types.len()).map(member));
        } else {
            attributes = "__attribute__((packed)) ";
            let mut end = 0;
            for (index, offset) in layout.offsets.iter().enumerate() {
                if *offset > end {
                    members.push_str(&format!(" apg_u8 gap{index}_[{}];", offset - end));
                }
                members.push_str(&member(index));
                let size = item.fields.get(index).and_then(|it| layouts.size(it.ty));
                end = if layout.is_union { 0 } else { offset + size.map_or(0, |it| it.size) };
            }
            if layout.size.size > end || types.is_empty() {
                members.push_str(&format!(" apg_u8 gap_[{}];", layout.size.size - end));
            }
        }
        let SizeAlign { size, align } = layout.size;
        let mut text = format!(
            "{word} {attributes}__attribute__((aligned({align}))) {name} {{{members} }};\nstatic_assert(sizeof({name}) == {size});"
        );
        // Device compilers have no `offsetof`.
        let checked = if self.target == Target::Cuda { &[] } else { layout.offsets.as_slice() };
        for (index, offset) in checked.iter().enumerate() {
            let member = names::field(index, &item.fields[index]);
            text.push_str(&format!("\nstatic_assert(__builtin_offsetof({name}, {member}) == {offset});"));
        }
        text
    }
}
