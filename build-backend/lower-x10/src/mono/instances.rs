//! Instances of classes, structs, interfaces, statics and functions, created on demand.

use apg_analysis::program::items::{ClassId, FieldId};
use apg_analysis::program::items::{Modifiers, has_annotation};
use apg_analysis::program::items::{field_is_mutable, field_item, qualified_name};
use apg_analysis::program::ty::Known;
use apg_analysis::program::ty::{Constraint, Ty, TyKind};
use smol_str::SmolStr;

use crate::layout::equality::BOX_SLOTS;
use crate::layout::slots::Universal;
use crate::mono::types::erased;
use crate::{ClassData, ClassKey, FunctionKey, InterfaceKey, LowerError, Lowerer};
use apg_mir as mir;

impl<'db> Lowerer<'db> {
    pub(crate) fn new(db: &'db dyn apg_analysis::Db, any_class: ClassId) -> Lowerer<'db> {
        let mut lowerer = Lowerer {
            db,
            program: mir::Program::default(),
            errors: Vec::new(),
            any_class,
            classes: Default::default(),
            class_data: Vec::new(),
            structs: Default::default(),
            structs_in_progress: Vec::new(),
            interfaces: Default::default(),
            interface_keys: Vec::new(),
            functions: Default::default(),
            roles: Default::default(),
            worklist: Vec::new(),
            current: (None, None),
            first_requests: Default::default(),
            statics: Default::default(),
            files: Default::default(),
            layouts: Default::default(),
            supertypes: Default::default(),
            live_slots: Default::default(),
            live_interface_slots: Default::default(),
            dispatchers: Vec::new(),
            closures: 0,
            is_unbounded: false,
        };
        lowerer.new_class(ClassKey::Root, "x10.lang.Any".to_owned(), mir::ClassKind::Object, None);
        for universal in [Universal::ToString, Universal::TypeName] {
            lowerer.live_slots.insert((None, universal.slot()));
        }
        lowerer
    }

    /// The superclass of all heap classes.
    pub(crate) fn root(&self) -> mir::ClassId {
        mir::ClassId(0)
    }

    pub(crate) fn new_class(
        &mut self,
        key: ClassKey,
        name: String,
        kind: mir::ClassKind,
        superclass: Option<mir::ClassId>,
    ) -> mir::ClassId {
        let id = mir::ClassId(self.program.classes.len() as u32);
        self.classes.insert(key.clone(), id);
        self.class_data.push(ClassData { key, instantiated: false, apply: None, function_type: None });
        let (fields, vtable, interfaces) = (Vec::new(), Vec::new(), Vec::new());
        self.program.classes.push(mir::Class {
            name,
            kind,
            superclass,
            fields,
            attributes: mir::TypeAttributes::default(),
            vtable,
            interfaces,
        });
        id
    }

    /// The heap class of a concrete class type. Its fields and tables are filled in at the end.
    pub(crate) fn class_of(&mut self, ty: Ty) -> mir::ClassId {
        let key = ClassKey::Instance(ty);
        if let Some(&id) = self.classes.get(&key) {
            return id;
        }
        if self.deep(ty) {
            return self.root();
        }
        let superclass = match self.superclass(ty) {
            Some(superclass) if superclass != ty => self.class_of(superclass),
            _ => self.root(),
        };
        let kind = match ty.rail_element(self.db) {
            Some(element) => mir::ClassKind::Rail { element: self.machine(element) },
            None if ty.is_known(self.db, Known::String) => mir::ClassKind::String,
            None => mir::ClassKind::Object,
        };
        // The element type may have requested this class.
        if let Some(&id) = self.classes.get(&key) {
            return id;
        }
        let name = self.type_name(ty);
        let id = self.new_class(key, name, kind, Some(superclass));
        let attributes = &mut self.program.classes[id.index()].attributes;
        attributes.records_stack_trace = ty.is_known(self.db, Known::CheckedThrowable);
        id
    }

    /// The heap class that holds a value of struct type `ty`.
    pub(crate) fn box_of(&mut self, ty: Ty) -> mir::ClassId {
        let key = ClassKey::Boxed(ty);
        if let Some(&id) = self.classes.get(&key) {
            return id;
        }
        let value = self.machine(ty);
        let name = self.type_name(ty);
        let root = self.root();
        let id = self.new_class(key, name, mir::ClassKind::Boxed { value }, Some(root));
        self.set_fields(id, vec![field("value", value)]);
        id
    }

    /// The heap class of a variable of type `ty` that activities share.
    pub(crate) fn cell_of(&mut self, ty: Ty) -> mir::ClassId {
        let key = ClassKey::Cell(ty);
        if let Some(&id) = self.classes.get(&key) {
            return id;
        }
        let value = self.machine(ty);
        let name = format!("var {}", self.type_name(ty));
        let root = self.root();
        let id = self.new_class(key, name, mir::ClassKind::Cell { value }, Some(root));
        self.set_fields(id, vec![field("value", value)]);
        self.instantiate(id);
        id
    }

    pub(crate) fn set_fields(&mut self, id: mir::ClassId, fields: Vec<ObjectField>) {
        let class = &mut self.program.classes[id.index()];
        let attributes;
        (class.fields, attributes) = fields.into_iter().unzip();
        class.attributes.set_fields(attributes);
    }

    /// Marks a class as instantiated.
    pub(crate) fn instantiate(&mut self, id: mir::ClassId) {
        self.class_data[id.index()].instantiated = true;
    }

    /// The struct of a concrete struct type that is not a primitive.
    pub(crate) fn struct_of(&mut self, ty: Ty) -> mir::StructId {
        if let Some(&id) = self.structs.get(&ty) {
            return id;
        }
        let fields = self.struct_fields(ty);
        if let Some(&id) = self.structs.get(&ty) {
            return id;
        }
        let id = mir::StructId(self.program.structs.len() as u32);
        let name = self.type_name(ty);
        self.structs.insert(ty, id);
        let (fields, attributes) = fields.into_iter().unzip();
        self.program.structs.push(mir::Struct { layout: None, name, fields });
        let mut of_struct = mir::TypeAttributes::default();
        of_struct.set_fields(attributes);
        self.program.set_attributes_of_struct(id, of_struct);
        if self.is_texture(ty) {
            self.program.textures.insert(id);
        }
        id
    }

    fn is_texture(&self, ty: Ty) -> bool {
        ty.as_class(self.db)
            .is_some_and(|(class, _)| &*qualified_name(self.db, class) == "x10.util.CUDATextureRail")
    }

    /// The fields of a struct. Contained structs are created first.
    fn struct_fields(&mut self, ty: Ty) -> Vec<ObjectField> {
        if self.deep(ty) || self.structs_in_progress.contains(&ty) {
            if !self.is_unbounded {
                let name = self.type_name(ty);
                let message = format!("the struct {name} contains itself");
                let note = "a struct's fields lie inside it; make one of them a class, which is a reference";
                let error = LowerError::new("build/endless-struct", message).note(note);
                self.errors.push(self.at_class(error, ty));
            }
            self.is_unbounded = true;
            return Vec::new();
        }
        self.structs_in_progress.push(ty);
        let fields = self.instance_fields(ty);
        self.structs_in_progress.pop();
        fields
    }

    /// The machine fields that a class or struct declares itself.
    pub(crate) fn instance_fields(&mut self, ty: Ty) -> Vec<ObjectField> {
        let mut result = Vec::new();
        for id in self.own_fields(ty) {
            let concrete = self.field_of(id, ty);
            let item = field_item(self.db, id);
            let transient = item.as_ref().is_some_and(|it| it.modifiers.has(Modifiers::TRANSIENT));
            let marked = item.as_ref().is_some_and(|it| has_annotation(&it.annotations, "Volatile"));
            let machine = self.machine(concrete);
            // CPUs access at most a word atomically.
            let volatile = marked && !matches!(machine, mir::Ty::Struct(_));
            let non_null = self.is_present(id);
            let immutable = !field_is_mutable(self.db, id);
            result.push((
                mir::Field { name: id.name(self.db).clone(), ty: machine },
                mir::FieldAttributes { transient, volatile, non_null, immutable },
            ));
        }
        result.extend(self.hidden_fields(ty));
        result
    }

    /// Whether a field of the class library is declared non-null. Fields of other classes are tested in any
    /// case.
    fn is_present(&self, id: FieldId) -> bool {
        let declared = self.field_type(id);
        let not_null = Constraint::not_null();
        let says = declared
            .constraint(self.db)
            .is_some_and(|it| not_null.terms.iter().all(|term| it.terms.contains(term)));
        says && id.class(self.db).file(self.db).origin(self.db) == apg_analysis::FileOrigin::Library
    }

    /// Reports a type with unbounded nesting, once.
    pub(crate) fn deep(&mut self, ty: Ty) -> bool {
        let deep = self.too_deep(ty);
        if deep && !self.is_unbounded {
            self.is_unbounded = true;
            let mut inner = ty;
            for _ in 0..20 {
                match inner.kind(self.db) {
                    TyKind::Class { args, .. } if !args.is_empty() => inner = args[0],
                    _ => break,
                }
            }
            let name = self.type_name(inner);
            let message = format!("the program needs endlessly many types around {name}");
            let note = "a generic class or method uses itself with a larger type argument each time; let it use the same one";
            let error = LowerError::new("build/endless-types", message).note(note);
            self.errors.push(self.at_class(error, inner));
        }
        deep
    }

    /// The MIR interface of a concrete interface or function type.
    pub(crate) fn interface_of(&mut self, ty: Ty) -> mir::InterfaceId {
        let key = match ty.kind(self.db) {
            TyKind::Function { params, result, .. } => {
                let (params, result) = (params.clone(), *result);
                let params = params.into_iter().map(|it| erased(self.machine(it))).collect();
                InterfaceKey::Function(params, erased(self.machine(result)))
            }
            _ => InterfaceKey::Instance(ty),
        };
        let slots = match &key {
            InterfaceKey::Instance(ty) => ty
                .as_class(self.db)
                .map_or(0, |(class, _)| apg_analysis::program::items::methods(self.db, class).len() as u32),
            InterfaceKey::Function(..) => 1,
            InterfaceKey::Boxed => BOX_SLOTS,
        };
        let name = self.type_name(ty);
        self.intern_interface(key, name, slots)
    }

    /// The interface of all boxes.
    pub(crate) fn boxed_interface(&mut self) -> mir::InterfaceId {
        self.intern_interface(InterfaceKey::Boxed, "struct".to_owned(), BOX_SLOTS)
    }

    fn intern_interface(&mut self, key: InterfaceKey, name: String, slots: u32) -> mir::InterfaceId {
        if let Some(&id) = self.interfaces.get(&key) {
            return id;
        }
        let id = mir::InterfaceId(self.program.interfaces.len() as u32);
        self.interfaces.insert(key.clone(), id);
        self.interface_keys.push(key);
        self.program.interfaces.push(mir::Interface { name, slots });
        id
    }

    /// The function of `key`. Its body is lowered later.
    pub(crate) fn function(&mut self, key: FunctionKey) -> mir::FunctionId {
        if let Some(&id) = self.functions.get(&key) {
            return id;
        }
        let id = self.reserve_function();
        self.functions.insert(key.clone(), id);
        if let Some(span) = self.current.1 {
            self.first_requests.insert(id, span);
        }
        self.worklist.push((key, id));
        id
    }

    /// Reserves a function id.
    pub(crate) fn reserve_function(&mut self) -> mir::FunctionId {
        let id = mir::FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(mir::Function {
            variables: Vec::new(),
            name: String::new(),
            span: mir::Span::of_line(mir::FileId(0), 1),
            locals: Vec::new(),
            params: 0,
            result: mir::Ty::Void,
            body: Vec::new(),
            device: false,
            kernel_only: false,
            recursion: mir::Recursion::default(),
            stack_objects: Vec::new(),
            inlining: mir::Inlining::Free,
            role: mir::FunctionRole::Plain,
        });
        id
    }

    /// The static field, initialised on first use.
    pub(crate) fn static_of(&mut self, id: FieldId) -> (mir::StaticId, Ty) {
        let ty = self.field_type(id);
        let ty = self.concrete(ty, &Default::default());
        if let Some(&known) = self.statics.get(&id) {
            return (known, ty);
        }
        let number = mir::StaticId(self.program.statics.len() as u32);
        self.statics.insert(id, number);
        let name = format!("{}.{}", qualified_name(self.db, id.class(self.db)), id.name(self.db));
        let init = self.function(FunctionKey::StaticInitializer(id));
        let machine = self.machine(ty);
        self.program.statics.push(mir::Static { name, ty: machine, init });
        (number, ty)
    }

    /// A class of the library by its full name.
    pub(crate) fn library_class(&mut self, name: &str) -> Option<ClassId> {
        let path = std::path::PathBuf::from(format!("{}.x10", name.replace('.', "/")));
        let file = apg_analysis::library_file(self.db, &path)?;
        let simple = name.rsplit('.').next().unwrap_or(name);
        Some(ClassId::new(self.db, file, None, SmolStr::new(simple), 0))
    }
}

/// A field of an object with its attributes.
pub(crate) type ObjectField = (mir::Field, mir::FieldAttributes);

/// A serialised field.
pub(crate) fn field(name: &str, ty: mir::Ty) -> ObjectField {
    (mir::Field { name: SmolStr::new(name), ty }, mir::FieldAttributes::default())
}

/// A serialised field that is assigned where the object is made only.
pub(crate) fn immutable_field(name: &str, ty: mir::Ty) -> ObjectField {
    (mir::Field { name: SmolStr::new(name), ty }, mir::FieldAttributes::IMMUTABLE)
}
