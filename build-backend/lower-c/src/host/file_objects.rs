//! Objects of file scope that functions name which a region calls. The region may not see them by their
//! names: another file has them, or the name is that of another object there. So the file that names an
//! object gives its address to all (C17 6.2.2), by a function: a directive around the region with
//! `default(none)` would want the name of an object in its clauses.

use std::collections::BTreeSet;

use apg_c_analysis::hir::{Length, Type};

use super::mapping::Map;
use super::{Host, device_objects};
use crate::literal::quoted;
use crate::sources::{FileNumber, FileObject, ReachedObject};

/// The function that gives the address of an object.
fn symbol(object: FileObject, name: &str) -> String {
    format!("apg_object_{}_{name}", object.0)
}

/// The function that gives the address of a function.
fn function_symbol(file: FileNumber, name: &str) -> String {
    format!("apg_function_{file}_{name}")
}

/// The declaration of a [`symbol`].
fn declared(symbol: &str) -> String {
    format!("extern const struct apg_object_of_file *{symbol}(void); ")
}

/// The definition of a [`symbol`] for an object or a function with this address and size.
fn defined(symbol: &str, address: &str, bytes: &str) -> String {
    format!(
        "__attribute__((visibility(\"hidden\"))) const struct apg_object_of_file *{symbol}(void) \
         {{ static const struct apg_object_of_file apg_of_ = {{{address}, {bytes}}}; return &apg_of_; }}\n"
    )
}

impl Host<'_> {
    /// Adds rows of captures for objects that functions name, and maps of those that devices do not have
    /// anyway; declarations of their addresses.
    pub(super) fn add_reached(
        &self,
        objects: &[ReachedObject],
        maps: &mut Vec<Map>,
        rows: &mut Vec<String>,
    ) -> String {
        let mut text = String::new();
        for object in objects {
            if let ReachedObject::Function((file, function)) = object {
                let name = &self.sources.hir(*file).function(*function).name;
                let symbol = function_symbol(*file, name);
                text.push_str(&declared(&symbol));
                let address = format!("(const void *)&{symbol}()->address");
                rows.push(format!("{{{}, {address}, APG_VALUE, -1}}", quoted(name)));
                continue;
            }
            if *object == ReachedObject::Ranges {
                rows.push("{\"the memory of the device\", 0, APG_RANGES, -1}".to_owned());
                continue;
            }
            if *object == ReachedObject::Device {
                rows.push("{\"the number of the device\", 0, APG_DEVICE, -1}".to_owned());
                continue;
            }
            if let ReachedObject::Number(expr) = object {
                // The name is that of a value in this row.
                let name = format!("apg_v{}_", rows.len());
                text.push_str(&format!("long {name} = (long)({}); ", self.source().expr(*expr)));
                rows.push(format!("{{\"the number of a clause\", (const void *)&{name}, APG_VALUE, -1}}"));
                continue;
            }
            if matches!(object, ReachedObject::Threads(_)) {
                continue;
            }
            let ReachedObject::OfFile(object) = object else {
                let map = maps.len();
                let bytes = "sizeof(apg_e_)".to_owned();
                let kinds = vec!["APG_TO", "APG_FROM", "APG_ALWAYS"];
                maps.push(Map::range("the end of the program", "apg_e_".to_owned(), bytes, kinds));
                rows.push(format!("{{\"the end of the program\", apg_e_, APG_OBJECT, {map}}}"));
                text.push_str(&format!(
                    "int apg_e_[8] __attribute__((aligned(8))) = {{0}}; extern const char *const *{}(void); ",
                    self.messages_symbol()
                ));
                continue;
            };
            let hir = self.sources.hir(object.0);
            let of = hir.variable(object.1);
            let symbol = symbol(*object, &of.name);
            text.push_str(&declared(&symbol));
            let is_on_device = device_objects(hir).binary_search(&object.1).is_ok();
            // A clause of the directive says how the object is mapped.
            let is_named = |it: &Map| object.0 == self.file && it.base == Some(object.1);
            let named = maps.iter().position(is_named);
            let map = match named {
                Some(map) => map as i64,
                None if is_on_device => -1,
                None => maps.len() as i64,
            };
            if map == maps.len() as i64 {
                let kinds = if of.is_const { vec!["APG_TO"] } else { vec!["APG_TO", "APG_FROM"] };
                let (address, bytes) = (format!("{symbol}()->address"), format!("{symbol}()->bytes"));
                maps.push(Map::range(&of.name, address, bytes, kinds));
            }
            rows.push(format!("{{{}, {symbol}()->address, APG_OBJECT, {map}}}", quoted(&of.name)));
        }
        text
    }

    /// Definitions of the addresses of objects that the functions of this file name, at its end.
    pub(super) fn addresses(&self, objects: &BTreeSet<ReachedObject>) -> String {
        let hir = &self.parsed.program;
        let mut text = String::new();
        for object in objects {
            if let ReachedObject::Function((file, function)) = object
                && *file == self.file
            {
                let name = &hir.function(*function).name;
                let address = format!("__extension__ (void *)&{name}");
                text.push_str(&defined(&function_symbol(*file, name), &address, "0"));
            }
            let ReachedObject::OfFile(object) = object else { continue };
            if object.0 != self.file {
                continue;
            }
            let of = hir.variable(object.1);
            let (name, symbol) = (&of.name, symbol(*object, &of.name));
            let bytes = match of.ty {
                // Another file knows how many elements there are.
                Type::Array(_, Length::Unknown) => "0".to_owned(),
                _ => format!("sizeof({name})"),
            };
            text.push_str(&defined(&symbol, &format!("(void *)&{name}"), &bytes));
        }
        text
    }

    /// The function that gives the messages with which regions of this file end the program.
    fn messages_symbol(&self) -> String {
        format!("apg_messages_{}", self.file)
    }

    /// What follows the launch of a region: the end of the program, if its code has requested it.
    pub(super) fn ended(&self, objects: &[ReachedObject]) -> String {
        match objects.contains(&ReachedObject::Ending) {
            true => format!("apg_target_ended(apg_e_, {}()); ", self.messages_symbol()),
            false => String::new(),
        }
    }

    /// The definition of the messages with which regions of this file end the program.
    pub(super) fn messages(&self, messages: &[String], objects: &BTreeSet<ReachedObject>) -> String {
        if !objects.contains(&ReachedObject::Ending) {
            return String::new();
        }
        // Messages name the file as the compiler does.
        let path = self.sources.file(self.file).path.display().to_string();
        let named = |text: &String| match text.strip_prefix(&path) {
            Some(rest) => quoted(&format!("{}{rest}", self.name)),
            None => quoted(text),
        };
        let messages: Vec<String> = messages.iter().map(named).chain(["0".to_owned()]).collect();
        format!(
            "__attribute__((visibility(\"hidden\"))) const char *const *{}(void) \
             {{ static const char *const apg_of_[] = {{{}}}; return apg_of_; }}\n",
            self.messages_symbol(),
            messages.join(", ")
        )
    }
}
