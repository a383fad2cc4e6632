//! Symbols. They depend on names and signatures of the program only, never on indices, so that the code of a
//! translation unit stays the same, and its object is found in the cache, when an unrelated part of the
//! program changes.

use apg_mir::{Field, Function, Program, Ty};
use apg_passes::analysis::class_hierarchy::ClassHierarchy;
use rustc_hash::FxHashSet;

/// The symbols of a program's items, by index.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Type descriptors of classes; the layout struct is this with `L` in front.
    pub classes: Vec<String>,
    /// Structs; the descriptor is this with `D` in front.
    pub structs: Vec<String>,
    /// Functions.
    pub functions: Vec<String>,
    /// Storage of static fields; the accessor is this with `get_` in front.
    pub statics: Vec<String>,
    /// Kernels: the symbol of the device function and the stem of the host ones.
    pub kernels: Vec<String>,
    /// Globals.
    pub globals: Vec<String>,
    /// External functions, as the code names them.
    pub externals: Vec<String>,
    /// Numbers of interfaces in interface tables.
    pub interfaces: Vec<u32>,
    /// Class hierarchy, for calls through tables that have one target.
    pub hierarchy: ClassHierarchy,
}

impl Names {
    /// Assigns symbols to all items.
    pub(crate) fn new(program: &Program) -> Names {
        let mut taken = Taken::default();
        let mut names = Names { hierarchy: ClassHierarchy::new(program), ..Names::default() };
        for class in &program.classes {
            names.classes.push(taken.symbol("T", &class.name, &class.name));
        }
        for item in &program.structs {
            names.structs.push(taken.symbol("S", &item.name, &item.name));
        }
        for function in &program.functions {
            let key = signature(program, function);
            names.functions.push(taken.symbol("F", &function.name, &key));
        }
        for item in &program.statics {
            names.statics.push(taken.symbol("V", &item.name, &item.name));
        }
        for kernel in &program.kernels {
            names.kernels.push(taken.symbol("K", &kernel.name, &kernel.name));
        }
        for global in &program.globals {
            names.globals.push(taken.symbol("G", &global.name, &global.name));
        }
        for external in &program.externals {
            names.externals.push(taken.symbol("C", &external.name, &external.name));
        }
        let mut numbers = FxHashSet::default();
        for interface in &program.interfaces {
            let mut number = hash(&interface.name) as u32;
            while !numbers.insert(number) {
                number = number.wrapping_add(1);
            }
            names.interfaces.push(number);
        }
        names
    }
}

#[derive(Default)]
struct Taken {
    symbols: FxHashSet<String>,
}

impl Taken {
    /// A unique symbol: kind, readable part, and a hash of the key.
    fn symbol(&mut self, kind: &str, name: &str, key: &str) -> String {
        let readable = readable(name);
        let mut salt = 0;
        loop {
            let key = if salt == 0 { hash(key) } else { hash(&format!("{key}#{salt}")) };
            let symbol = format!("{kind}_{readable}_{:08x}", (key ^ (key >> 32)) as u32);
            if self.symbols.insert(symbol.clone()) {
                return symbol;
            }
            salt += 1;
        }
    }
}

/// Key of a function among functions of the same name: its file and the types of its signature.
fn signature(program: &Program, function: &Function) -> String {
    let file = program.files.get(function.span.file.index()).map_or("", String::as_str);
    let mut key = format!("{}@{file}:{}", function.name, ty(program, function.result));
    for local in function.locals.iter().take(function.params as usize) {
        key.push(',');
        key.push_str(&ty(program, local.ty));
    }
    key
}

fn ty(program: &Program, ty: Ty) -> String {
    if let Some(pointer) = program.types.pointer(ty) {
        return format!("*{}", self::ty(program, pointer.pointee));
    }
    if let Ty::Function(id) = ty
        && let Some(signature) = program.types.signature(id)
    {
        let params: Vec<String> = signature.params.iter().map(|it| self::ty(program, *it)).collect();
        return format!("({}){}", params.join(","), self::ty(program, signature.result));
    }
    if let Some(array) = program.types.array(ty) {
        return format!("{}[{}]", self::ty(program, array.element), array.length);
    }
    match ty {
        Ty::Ref(id) => program.classes[id.index()].name.clone(),
        Ty::Struct(id) => program.structs[id.index()].name.clone(),
        other => format!("{other:?}"),
    }
}

/// Letters and digits of a name, at most 48: `__` for `_`, and `_` for characters that symbols cannot have.
fn readable(name: &str) -> String {
    let mut out = String::new();
    let mut separated = true;
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            out.push(c);
            out.extend((c == '_').then_some(c));
            separated = false;
        } else if !separated {
            out.push('_');
            separated = true;
        }
        if out.len() >= 48 {
            break;
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// FNV-1a, 64 bits.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// The C++ name of a field: its index keeps it unique and away from keywords.
pub(crate) fn field(index: usize, field: &Field) -> String {
    let readable = readable(&field.name);
    format!("m{index}_{readable}")
}

/// The C++ name of a variable in memory.
pub(crate) fn variable(index: usize, name: &str) -> String {
    format!("x{}", &local(index, name)[1..])
}

/// The C++ name of a local.
pub(crate) fn local(index: usize, name: &str) -> String {
    let readable = readable(name);
    if readable.is_empty() { format!("v{index}") } else { format!("v{index}_{readable}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_readable_and_differ() {
        let mut taken = Taken::default();
        let first = taken.symbol("F", "Main.main", "Main.main");
        let second = taken.symbol("F", "Main.main", "Main.main");
        assert!(first.starts_with("F_Main_main_"), "{first}");
        assert_ne!(first, second);
        assert_eq!(readable("two_words.f_"), "two__words_f");
        assert_eq!(readable("x10.util.ArrayList[x10.lang.Long]"), "x10_util_ArrayList_x10_lang_Long");
    }
}
