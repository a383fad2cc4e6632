//! Names of types in other languages, which the parser recognises and the validation reports.

/// Words that other languages write in place of a type.
pub(crate) const INFERRED: &[&str] = &["auto", "let", "const"];

/// The X10 type for a type of another language.
pub(crate) fn type_name(text: &str) -> &str {
    match text {
        "int" | "signed" | "Integer" => "Int",
        "unsigned" => "UInt",
        "long" | "size_t" => "Long",
        "short" => "Short",
        "byte" => "Byte",
        "char" => "Char",
        "float" => "Float",
        "double" => "Double",
        "boolean" | "bool" => "Boolean",
        "string" => "String",
        other => other,
    }
}
