//! Calls: of known functions, through vtables and interface tables, of closures, and of the runtime.

use super::code::{Code, Target};
use apg_mir::entries::{APPEND, JOIN};
use apg_mir::verify::EntrySignature;
use apg_mir::*;
use apg_runtime::abi;

/// The runtime entry that kernels may call too.
const FENCE_ENTRY: &str = "atomic_fence";

impl Code<'_> {
    /// A direct call.
    pub(crate) fn call(&mut self, function: FunctionId, args: &[Expr]) -> String {
        let symbol = self.function_symbol(function);
        let operands: Vec<&Expr> = args.iter().collect();
        let hidden = self.hidden_arguments();
        self.ordered(&operands, |code, text| {
            let all: Vec<String> = text.iter().cloned().chain(hidden).collect();
            code.with_stack_check(Some(function), format!("{symbol}({})", all.join(", ")))
        })
    }

    /// Wraps a call whose callee may be part of a recursion (or is unknown: `None`) in a check of the stack's
    /// capacity.
    pub(crate) fn with_stack_check(&self, function: Option<FunctionId>, call: String) -> String {
        let callee = function.map(|it| self.program.functions[it.index()].recursion.cycle);
        if self.cycle != 0 && callee.is_none_or(|it| it == self.cycle) {
            format!("(apg_stack_check(), {call})")
        } else {
            call
        }
    }

    /// A call through the receiver's vtable.
    pub(crate) fn call_virtual(&mut self, result: Ty, class: ClassId, slot: u32, args: &[Expr]) -> String {
        let names = self.names;
        if let Some(function) = args.first().and_then(|it| names.hierarchy.unique_in_class(class, slot, it)) {
            return self.call_checked(function, args);
        }
        self.indirect(result, args, |receiver| format!("apg_check({receiver})->type->vtable[{slot}]"))
    }

    /// A call through the receiver's interface table.
    pub(crate) fn call_interface(
        &mut self,
        result: Ty,
        interface: InterfaceId,
        slot: u32,
        args: &[Expr],
    ) -> String {
        let names = self.names;
        if let Some(function) =
            args.first().and_then(|it| names.hierarchy.unique_in_interface(interface, slot, it))
        {
            return self.call_checked(function, args);
        }
        let number = self.names.interfaces[interface.index()];
        self.indirect(result, args, |receiver| format!("apg_methods({receiver}, {number}u)[{slot}]"))
    }

    /// A direct call instead of one through a table; it checks the receiver for null.
    fn call_checked(&mut self, function: FunctionId, args: &[Expr]) -> String {
        if self.target.is_kernel() {
            return self.fail("a kernel can only call functions that are known when it is compiled".into());
        }
        let symbol = self.function_symbol(function);
        let mut args = args.to_vec();
        // As in a call through a table, the check precedes the other operands.
        if let Some(receiver) = args.first_mut() {
            let kind = ExprKind::NonNull(Box::new(receiver.clone()));
            *receiver = Expr::new(receiver.ty, kind);
        }
        let operands: Vec<&Expr> = args.iter().collect();
        self.ordered(&operands, |code, text| {
            code.with_stack_check(Some(function), format!("{symbol}({})", text.join(", ")))
        })
    }

    /// A call of a value of function type.
    pub(crate) fn call_closure(&mut self, result: Ty, interface: InterfaceId, args: &[Expr]) -> String {
        let number = self.names.interfaces.get(interface.index()).copied().unwrap_or(0);
        self.indirect(result, args, |receiver| format!("apg_function({receiver}, {number}u)"))
    }

    /// An indirect call of the function found by `method`, which also checks the receiver.
    fn indirect(&mut self, result: Ty, args: &[Expr], method: impl FnOnce(&str) -> String) -> String {
        if self.target.is_kernel() {
            return self.fail("a kernel can only call functions that are known when it is compiled".into());
        }
        let result = self.ty(result);
        let types: Vec<String> = args.iter().map(|it| self.ty(it.ty)).collect();
        let signature = format!("{result} (*)({})", types.join(", "));
        let simple = matches!(args.first().map(|it| &it.kind), Some(ExprKind::Local(_)));
        let operands: Vec<&Expr> = args.iter().collect();
        let receiver = format!("t{}", self.fresh());
        self.ordered(&operands, |code, text| {
            let Some((first, rest)) = text.split_first() else { return "0".into() };
            // The receiver is used twice.
            let name = if simple { first } else { &receiver };
            let mut all = vec![name.clone()];
            all.extend(rest.iter().cloned());
            let call = format!("(({signature}){})({})", method(name), all.join(", "));
            let call = code.with_stack_check(None, call);
            if simple { call } else { format!("({{ apg_object *{receiver} = {first}; {call}; }})") }
        })
    }

    /// A call of the runtime: only entries of its table, with the number of arguments they take.
    pub(crate) fn call_runtime(&mut self, entry: &str, result: Ty, args: &[Expr]) -> String {
        match self.target {
            Target::Cuda if entry == FENCE_ENTRY => return "__threadfence()".into(),
            Target::Cpu if entry == FENCE_ENTRY => return "apg_atomic_fence()".into(),
            Target::Cpu | Target::Cuda if entry == team::THREAD_END => return "apg_thread_end()".into(),
            Target::Cpu | Target::Cuda if entry == team::WALL_TIME => return "apg_wall_time()".into(),
            Target::Cpu | Target::Cuda if entry == team::STACK_IS_FULL => {
                return "apg_stack_is_full()".into();
            }
            Target::Cpu | Target::Cuda if team::entry(entry).is_some() => {
                self.used.has_team = true;
                let operands: Vec<&Expr> = args.iter().collect();
                return self.ordered(&operands, |_, text| format!("apg_{entry}({})", text.join(", ")));
            }
            Target::Cpu | Target::Cuda => {
                return self.fail(format!("a kernel cannot call the runtime entry `{entry}`"));
            }
            Target::Host => {}
        }
        if entry == JOIN {
            let operands: Vec<&Expr> = args.iter().collect();
            return self.ordered(&operands, |_, text| format!("apg_joined({})", text.join(", ")));
        }
        if entry == APPEND {
            let operands: Vec<&Expr> = args.iter().collect();
            return self.ordered(&operands, |_, text| format!("apg_appended({})", text.join(", ")));
        }
        let Some(found) = abi::entry(entry) else {
            return self.fail(format!("the runtime has no entry `{entry}`"));
        };
        if found.params.len() != args.len() {
            let message = format!(
                "the runtime entry `{entry}` takes {} arguments, not {}",
                found.params.len(),
                args.len()
            );
            return self.fail(message);
        }
        for ((name, ty), arg) in found.params.iter().zip(args) {
            if !fits(*ty, arg.ty) {
                let message =
                    format!("the runtime entry `{entry}` takes a {} as `{name}`, not {:?}", ty.c(), arg.ty);
                return self.fail(message);
            }
        }
        if result != Ty::Void && !fits(found.result, result) {
            let message = format!("the runtime entry `{entry}` gives a {}, not {result:?}", found.result.c());
            return self.fail(message);
        }
        let name = entry.trim_start_matches("r#").to_owned();
        let operands: Vec<&Expr> = args.iter().collect();
        let prefix = if FAST_PATH_ENTRIES.contains(&entry) { "apg_quick" } else { "apg" };
        self.ordered(&operands, |_, text| format!("{prefix}_{name}({})", text.join(", ")))
    }
}

/// Runtime entries with a fast path in `apg_program.h`.
const FAST_PATH_ENTRIES: [&str; 7] = [
    "string_length",
    "string_char_at",
    "string_equals",
    "string_hash",
    "string_copy_bytes",
    "rail_copy",
    "place_local_get",
];

/// A runtime entry in types of MIR; `None` for an entry that is unknown, or that takes or returns pointers.
pub fn entry_signature(name: &str) -> Option<EntrySignature> {
    if let Some((params, result)) = team::entry(name) {
        return Some(EntrySignature { params: params.to_vec(), result });
    }
    let entry = abi::entry(name)?;
    let params = entry.params.iter().map(|(_, ty)| value_type(*ty)).collect::<Option<Vec<Ty>>>()?;
    Some(EntrySignature { params, result: value_type(entry.result)? })
}

/// The type of MIR for a type of the ABI.
fn value_type(ty: abi::Ty) -> Option<Ty> {
    Some(match ty {
        abi::Ty::Void => Ty::Void,
        abi::Ty::Bool => Ty::Bool,
        abi::Ty::I8 => Ty::I8,
        abi::Ty::I16 => Ty::I16,
        abi::Ty::I32 => Ty::I32,
        abi::Ty::I64 => Ty::I64,
        abi::Ty::U8 => Ty::U8,
        abi::Ty::U16 => Ty::U16,
        abi::Ty::U32 => Ty::U32,
        abi::Ty::U64 => Ty::U64,
        abi::Ty::F32 => Ty::F32,
        abi::Ty::F64 => Ty::F64,
        abi::Ty::Char => Ty::Char,
        abi::Ty::Ref => Ty::Any,
        abi::Ty::Pointer(_) => return None,
    })
}

/// Whether a value of a MIR type can be passed as a type of the ABI.
fn fits(entry: abi::Ty, ty: Ty) -> bool {
    let plain = if matches!(ty, Ty::Ref(_)) { Ty::Any } else { ty };
    value_type(entry) == Some(plain)
}
