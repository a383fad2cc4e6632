//! Monomorphisation work list (the collector of rustc): lowers requested functions, then fills tables of
//! classes, which request more.

use apg_analysis::program::items::has_annotation;
use apg_analysis::program::items::method_item;
use apg_analysis::program::ty::{Ty, TyKind};
use smol_str::SmolStr;

use crate::builder::function::{Builder, Returns};
use crate::builder::operands::zero;
use crate::layout::equality::BOXES_EQUAL;
use crate::layout::slots::{Implementation, Signature, Universal};
use crate::mono::types::erased;
use crate::{Callee, ClassKey, FunctionKey, InterfaceKey, Lowerer};
use apg_mir::{self as mir, slot};

/// The code of each slot.
type Table = Vec<Option<mir::FunctionId>>;
/// The table for one interface.
type InterfaceTable = (mir::InterfaceId, Table);

/// Number of functions above which a program is reported as unbounded.
const MAX_FUNCTIONS: usize = 200_000;

impl Lowerer<'_> {
    /// Lowers all requested functions, and those that they request.
    pub(crate) fn lower_reachable(&mut self) {
        loop {
            while let Some((key, id)) = self.worklist.pop() {
                if self.is_unbounded || self.too_large() {
                    return;
                }
                self.current = (Some(id), None);
                self.write(&key, id);
            }
            self.current = (None, None);
            self.fill_tables();
            self.custom_types();
            for (callee, _) in self.dispatchers.clone() {
                for (_, _, _, target) in self.dispatch_targets(&callee) {
                    if self.intrinsic(target.method).is_none() {
                        self.function(FunctionKey::Method(target));
                    }
                }
            }
            if self.worklist.is_empty() {
                break;
            }
        }
        for (callee, id) in self.dispatchers.clone() {
            self.write_dispatcher(&callee, id);
        }
        self.fill_fields();
        for (id, role) in std::mem::take(&mut self.roles) {
            self.program.functions[id.index()].role = role;
        }
    }

    /// Reports a program with too many functions although no type is deep.
    fn too_large(&mut self) -> bool {
        let too_large = self.program.functions.len() > MAX_FUNCTIONS;
        if too_large {
            let message = format!("the program needs more than {MAX_FUNCTIONS} functions");
            let error = crate::LowerError::new("build/too-large", message);
            let note = "generic classes or methods call each other with ever new type arguments; let them use the same ones";
            self.errors.push(error.note(note));
        }
        too_large
    }

    fn write(&mut self, key: &FunctionKey, id: mir::FunctionId) {
        match key {
            FunctionKey::Method(callee) => self.write_method(callee, false, id),
            FunctionKey::KernelMethod(callee) => self.write_method(callee, true, id),
            FunctionKey::Constructor(callee) => self.write_initialise(callee, id),
            FunctionKey::Creation(callee) => self.write_create(callee, id),
            FunctionKey::FieldInitializer(field, owner) => self.write_field_value(*field, Some(*owner), id),
            FunctionKey::RestoreTransient(ty) => self.write_restore(*ty, id),
            FunctionKey::StaticInitializer(field) => self.write_field_value(*field, None, id),
            FunctionKey::Default(universal, ty) => self.write_default(*universal, *ty, id),
            FunctionKey::Thunk(thunk) => self.write_thunk(thunk, id),
            FunctionKey::AnyEqual => self.write_any_equal(id),
            FunctionKey::StructEqual(ty) => self.write_struct_equal(*ty, id),
            FunctionKey::BoxEqual(ty) => self.write_box_equal(*ty, id),
            // Completed at the end.
            FunctionKey::Dispatch(_) => {}
            FunctionKey::MainAdapter(callee) => self.write_main(callee, id),
        }
    }

    fn write_method(&mut self, callee: &Callee, kernel_only: bool, id: mir::FunctionId) {
        let db = self.db;
        let (params, result) = self.concrete_signature(callee);
        let machine = self.machine(result);
        let is_static = apg_analysis::program::items::method_is_static(db, callee.method);
        let name = format!("{}.{}", self.short_name(callee.owner), callee.method.name(db));
        let this_machine = self.machine(callee.owner);
        if let Some(intrinsic) = self.intrinsic(callee.method) {
            let source = self.synthetic(Some(callee.method), callee.owner);
            let mut builder = Builder::new(self, source, Returns::Value(result));
            let mut args = Vec::new();
            if !is_static {
                let this = builder.new_local("this", this_machine, false);
                args.push(builder.local(this));
            }
            for (i, param) in params.iter().enumerate() {
                let machine = builder.lowerer.machine(*param);
                let local = builder.new_local(format!("p{i}"), machine, false);
                args.push(builder.local(local));
            }
            let count = args.len() as u32;
            let value = builder.expand(&intrinsic, args, result, Default::default());
            if machine == mir::Ty::Void {
                builder.push(mir::StmtKind::Expr(value));
            } else {
                builder.push(mir::StmtKind::Return(Some(value)));
            }
            builder.finish(id, name, count, machine);
            return;
        }
        let source = self.method_source(callee);
        let body = source.body.clone();
        let mut builder = Builder::new(self, source, Returns::Value(result));
        builder.kernel_only = kernel_only;
        let item = method_item(db, callee.method);
        let says = |name| item.as_ref().is_some_and(|it| has_annotation(&it.annotations, name));
        builder.fast = kernel_only && says("FastMath");
        builder.inlining = match (says("Cold"), says("NoInline")) {
            (true, _) => mir::Inlining::Cold,
            (_, true) => mir::Inlining::Never,
            _ => mir::Inlining::Free,
        };
        let mut count = body.params.len() as u32;
        if !is_static {
            builder.this = Some(builder.new_local("this", this_machine, false));
            count += 1;
        }
        builder.declare_params(&body.params);
        match (builder.native_method(callee), body.root) {
            (Some(code), _) if !kernel_only => builder.native_code(code, callee, result),
            (_, Some(root)) => {
                builder.stmt(root);
                builder.end_of_value(machine);
            }
            _ => builder.no_code(callee, machine),
        }
        builder.finish(id, name, count, machine);
    }

    /// The initialiser of an instance field (`owner` given) or a static one.
    fn write_field_value(
        &mut self,
        field: apg_analysis::program::items::FieldId,
        owner: Option<Ty>,
        id: mir::FunctionId,
    ) {
        let ty = match owner {
            Some(owner) => self.field_of(field, owner),
            None => self.static_type(field),
        };
        let machine = self.machine(ty);
        let source = self.field_source(field, owner);
        let name = format!("{}.{}", field.class(self.db).name(self.db), field.name(self.db));
        let this_machine = owner.map(|it| self.machine(it));
        let root = source.body.root;
        let mut builder = Builder::new(self, source, Returns::Value(ty));
        if let Some(machine) = this_machine {
            builder.this = Some(builder.new_local("this", machine, false));
        }
        let (body, ()) = builder.nested(|it| {
            if let Some(root) = root {
                it.stmt(root);
            }
        });
        if owner.is_none() {
            builder.guard_initialiser(body);
        } else {
            builder.block().extend(body);
        }
        builder.end_of_value(machine);
        builder.finish(id, name, u32::from(this_machine.is_some()), machine);
    }

    /// `main` with the signature that the runtime calls, for a `main` without parameters.
    fn write_main(&mut self, callee: &Callee, id: mir::FunctionId) {
        let rail = Ty::rail(self.db, Ty::string(self.db));
        let machine = self.machine(rail);
        let source = self.synthetic(Some(callee.method), callee.owner);
        let void = Ty::void(self.db);
        let function = self.function(FunctionKey::Method(callee.clone()));
        let mut builder = Builder::new(self, source, Returns::Value(void));
        builder.new_local("args", machine, false);
        let call = mir::ExprKind::Call { function, args: Vec::new() };
        builder.push(mir::StmtKind::Expr(crate::builder::operands::expr(mir::Ty::Void, call)));
        builder.finish(id, "main".to_owned(), 1, mir::Ty::Void);
    }

    /// Fills the tables of all classes that have instances with the code of the slots that are called.
    fn fill_tables(&mut self) {
        for index in 0..self.class_data.len() {
            if !self.class_data[index].instantiated {
                continue;
            }
            let (vtable, interfaces) = match self.class_data[index].key.clone() {
                ClassKey::Instance(ty) => (self.vtable(ty), self.interface_tables(ty, false)),
                ClassKey::Boxed(ty) => (self.universal_table(ty, true), self.interface_tables(ty, true)),
                ClassKey::Closure(_) | ClassKey::Adapter(..) => self.closure_tables(index),
                ClassKey::Root | ClassKey::Cell(_) => continue,
            };
            let class = &mut self.program.classes[index];
            class.vtable = vtable;
            class.interfaces = interfaces;
        }
    }

    fn vtable(&mut self, ty: Ty) -> Table {
        let layout = self.layout(ty);
        let mut table = Vec::new();
        for (index, entry) in layout.slots.iter().enumerate() {
            let live = self.live_slots.contains(&(entry.introduced_by, index as u32));
            let function = if live {
                let result = self.slot_result(entry.introduced_by, index as u32);
                self.table_entry(&entry.implementation, ty, false, result)
            } else {
                None
            };
            table.push(function);
        }
        table
    }

    /// The result type of a slot: that of the method that introduced it.
    pub(crate) fn slot_result(&mut self, introduced_by: Option<Ty>, index: u32) -> Ty {
        let Some(owner) = introduced_by else { return self.universal_result(index) };
        let layout = self.layout(owner);
        let signature = layout.slots[index as usize].signature.clone();
        self.declared_result(owner, &signature)
    }

    /// The result of the method with that signature that `owner` itself declares.
    fn declared_result(&mut self, owner: Ty, signature: &Signature) -> Ty {
        let Some((class, _)) = owner.as_class(self.db) else { return Ty::void(self.db) };
        for &method in apg_analysis::program::items::methods(self.db, class) {
            if method.name(self.db) == &signature.name && self.signature(method, owner) == *signature {
                return self.concrete_signature(&Callee { method, owner, type_args: Vec::new() }).1;
            }
        }
        Ty::void(self.db)
    }

    fn universal_result(&self, index: u32) -> Ty {
        match index {
            slot::EQUALS => Ty::boolean(self.db),
            slot::HASH_CODE => Ty::int(self.db),
            _ => Ty::string(self.db),
        }
    }

    /// The universal slots of a struct's box, or of anything without slots of its own.
    fn universal_table(&mut self, ty: Ty, boxed: bool) -> Table {
        let layout = match self.shape(ty) {
            crate::mono::types::Shape::Any => None,
            _ => Some(self.layout(ty)),
        };
        let mut table = Vec::new();
        for universal in Universal::ALL {
            let index = universal.slot();
            if !self.live_slots.contains(&(None, index)) {
                table.push(None);
                continue;
            }
            let implementation = match &layout {
                Some(layout) => layout.slots[index as usize].implementation.clone(),
                None => Implementation::Default(universal),
            };
            let result = self.universal_result(index);
            table.push(self.table_entry(&implementation, ty, boxed, result));
        }
        table
    }

    /// Tables of the used interfaces of a class or boxed struct.
    fn interface_tables(&mut self, ty: Ty, boxed: bool) -> Vec<InterfaceTable> {
        let mut tables = Vec::new();
        for supertype in self.all_supertypes(ty).iter().copied() {
            if let Some((id, table)) = self.interface_table(ty, boxed, supertype) {
                tables.push((id, table));
            }
        }
        if boxed && let Some(&id) = self.interfaces.get(&InterfaceKey::Boxed) {
            let live = self.live_interface_slots.contains(&(id, BOXES_EQUAL));
            tables.push((id, vec![live.then(|| self.function(FunctionKey::BoxEqual(ty)))]));
        }
        tables.sort_by_key(|it| it.0);
        tables.dedup_by_key(|it| it.0);
        tables
    }

    fn interface_table(&mut self, ty: Ty, boxed: bool, supertype: Ty) -> Option<InterfaceTable> {
        if let TyKind::Function { params, result, .. } = supertype.kind(self.db) {
            let convention = self.calling_convention(supertype);
            let id = *self.interfaces.get(&InterfaceKey::Function(convention.0, convention.1))?;
            let name = SmolStr::new_static("operator()");
            let signature = Signature { name, reversed: false, type_params: 0, params: params.clone() };
            let found = self.implementation(ty, &signature)?;
            let live = self.live_interface_slots.contains(&(id, 0));
            let function = if live { self.table_entry(&found, ty, boxed, *result) } else { None };
            return Some((id, vec![function]));
        }
        let id = *self.interfaces.get(&InterfaceKey::Instance(supertype))?;
        let (class, _) = supertype.as_class(self.db)?;
        let mut table = Vec::new();
        for (index, &method) in apg_analysis::program::items::methods(self.db, class).iter().enumerate() {
            let live = self.live_interface_slots.contains(&(id, index as u32));
            let function = if live { self.interface_entry(ty, boxed, supertype, method) } else { None };
            table.push(function);
        }
        Some((id, table))
    }

    fn interface_entry(
        &mut self,
        ty: Ty,
        boxed: bool,
        supertype: Ty,
        method: apg_analysis::program::items::MethodId,
    ) -> Option<mir::FunctionId> {
        let signature = self.signature(method, supertype);
        let callee = Callee { method, owner: supertype, type_args: Vec::new() };
        let result = self.concrete_signature(&callee).1;
        let found = self.implementation(ty, &signature)?;
        self.table_entry(&found, ty, boxed, result)
    }

    fn closure_tables(&mut self, index: usize) -> (Table, Vec<InterfaceTable>) {
        let ty = self.class_data[index].function_type.unwrap_or_else(|| Ty::any(self.db));
        let apply = self.class_data[index].apply;
        let mut table = self.universal_table(ty, false);
        table.push(apply);
        let (params, result) = self.calling_convention(ty);
        let key = InterfaceKey::Function(params, erased(result));
        let interfaces = self.interfaces.get(&key).map(|id| (*id, vec![apply])).into_iter().collect();
        (table, interfaces)
    }

    fn fill_fields(&mut self) {
        let mut index = 0;
        // Fields may request further classes with fields.
        while index < self.class_data.len() && !self.is_unbounded {
            if let ClassKey::Instance(ty) = self.class_data[index].key
                && matches!(self.program.classes[index].kind, mir::ClassKind::Object)
            {
                let fields = self.instance_fields(ty);
                self.set_fields(mir::ClassId(index as u32), fields);
            }
            index += 1;
        }
    }
}

impl Builder<'_, '_> {
    /// Wraps exceptions of a static initialiser in an ExceptionInInitializer.
    fn guard_initialiser(&mut self, body: Vec<mir::Stmt>) {
        let mut calls = false;
        mir::walk::visit_exprs(&body, &mut |it, _| calls |= !self.is_constant(it));
        let throwable = self.lowerer.library_class("x10.lang.CheckedThrowable");
        let throwable = throwable.map(|it| Ty::class(self.lowerer.db, it, Vec::new()));
        let made =
            throwable.and_then(|it| self.lowerer.constructor_with("x10.lang.ExceptionInInitializer", it));
        let (Some(throwable), Some((owner, method)), true) = (throwable, made, calls) else {
            self.block().extend(body);
            return;
        };
        let class = self.lowerer.class_of(owner);
        self.lowerer.instantiate(class);
        let callee = Callee { method, owner, type_args: Vec::new() };
        let function = self.lowerer.function(FunctionKey::Creation(callee));
        let all = self.lowerer.class_of(throwable);
        let mut clause = |caught_class: mir::ClassId, again: bool| {
            let local = self.new_local("$e", mir::Ty::Ref(caught_class), false);
            let caught = self.local(local);
            let value = if again {
                caught
            } else {
                let kind = mir::ExprKind::Call { function, args: vec![caught] };
                crate::builder::operands::expr(mir::Ty::Ref(class), kind)
            };
            let (body, ()) = self.nested(|it| it.push(mir::StmtKind::Throw(value)));
            mir::Catch { class: caught_class, local, body }
        };
        let catches = vec![clause(class, true), clause(all, false)];
        self.push(mir::StmtKind::Try { body, catches, finally: Vec::new() });
    }

    /// The body of a native method that the compiler does not know.
    fn no_code(&mut self, callee: &Callee, machine: mir::Ty) {
        let name = callee.method.name(self.lowerer.db).clone();
        let class = self.lowerer.type_name(callee.owner);
        let error =
            crate::LowerError::new("build/no-code", format!("{class}.{name} has no code that can be called"));
        let error = error.note("a `native` method needs C++ code, @Native(\"c++\", \"...\"), that does without the runtime of X10's own implementation and is not \
             called by a kernel; or write it in X10");
        self.error(error, Default::default());
        if machine != mir::Ty::Void {
            self.push(mir::StmtKind::Return(Some(zero(machine))));
        }
    }
}
