//! Declarations and function definitions (C17 6.7, 6.9).

use apg_c_syntax::ast;
use smol_str::SmolStr;

use super::specifiers::{Declared, Specified};
use super::{Lowerer, range};
use crate::hir::{
    Designator, Entity, ExprId, ExprKind, Function, FunctionId, Length, Storage, Type, Variable, VariableId,
};
use crate::initializers;

impl Lowerer {
    /// The objects that a declaration declares.
    pub(super) fn declaration(&mut self, declaration: &ast::Declaration) -> Vec<VariableId> {
        let specified = self.specifiers(declaration.decl_specifiers());
        let mut variables = Vec::new();
        for declarator in declaration.init_declarators() {
            let declared = self.declarator(declarator.declarator(), specified.ty.clone());
            let first_new = self.program.variables.len();
            if let Some(variable) = self.declared(&specified, declared) {
                variables.push(variable);
                if let Some(initializer) = declarator.initializer().filter(|_| !self.is_header) {
                    if variable.index() < first_new {
                        // An earlier declaration gets the initialiser.
                        self.note_completion();
                    }
                    self.initialize(variable, &initializer);
                }
            }
        }
        variables
    }

    fn declared(&mut self, specified: &Specified, declared: Declared) -> Option<VariableId> {
        let name = declared.name?;
        let text = SmolStr::new(name.text());
        if specified.is_typedef {
            self.declare(text, Entity::Typedef(declared.ty));
            return None;
        }
        if let Type::Function(result) = &declared.ty {
            self.declared_function(text, (**result).clone(), specified.is_static);
            return None;
        }
        let is_global = self.scopes.is_empty() || specified.is_extern;
        self.touches_file |= is_global && self.function.is_some();
        if is_global && let Some(known) = self.global(&text) {
            self.note_declare_target(known);
            let ty = &self.program.variable(known).ty;
            if matches!(ty, Type::Unknown | Type::Array(_, Length::Unknown)) {
                self.program.variables[known.index()].ty = declared.ty;
                self.note_completion();
            }
            if !self.scopes.is_empty() {
                self.declare(text, Entity::Variable(known));
            }
            return Some(known);
        }
        let storage = match (specified.is_thread_local, is_global, specified.is_static) {
            (true, ..) => Storage::ThreadLocal,
            (_, true, _) => Storage::Global,
            (_, _, true) => Storage::StaticLocal,
            _ => Storage::Automatic,
        };
        let variable = self.add_variable(Variable {
            name: text.clone(),
            ty: declared.ty,
            storage,
            is_const: declared.is_const.unwrap_or(specified.is_const),
            is_volatile: specified.is_volatile,
            is_atomic: specified.is_atomic,
            range: self.range(range(&name)),
            function: self.function,
            initializer: None,
        });
        if is_global {
            self.note_declare_target(variable);
            if !self.scopes.is_empty() {
                self.program.names.entry(text.clone()).or_insert(Entity::Variable(variable));
            }
        }
        self.declare(text, Entity::Variable(variable));
        Some(variable)
    }

    /// Notes a variable of file scope that `declare target` directives enclose.
    fn note_declare_target(&mut self, variable: VariableId) {
        if self.declare_targets > 0 {
            self.program.declare_target.insert(variable);
        }
    }

    /// The variable of file scope that a name means so far.
    fn global(&self, name: &str) -> Option<VariableId> {
        let found = self.program.names.get(name).filter(|_| self.is_declared(&self.layout.names, name));
        match found? {
            Entity::Variable(it) => Some(*it),
            _ => None,
        }
    }

    fn declared_function(&mut self, name: SmolStr, result: Type, is_static: bool) -> FunctionId {
        self.touches_file |= self.function.is_some();
        if let Some(Entity::Function(known)) = self.program.names.get(&name) {
            let known = *known;
            let function = &mut self.program.functions[known.index()];
            function.is_static |= is_static;
            function.is_declared_here |= !self.is_header;
            self.declare(name, Entity::Function(known));
            self.attach_variants(known);
            return known;
        }
        self.program.functions.push(Function {
            name: name.clone(),
            result,
            is_static,
            is_declared_here: !self.is_header,
            is_nested: false,
            has_nested: false,
            parameters: Vec::new(),
            body: None,
            range: None,
        });
        let id = FunctionId::new(self.program.functions.len() - 1);
        if !self.scopes.is_empty() {
            self.program.names.insert(name.clone(), Entity::Function(id));
        }
        self.declare(name, Entity::Function(id));
        self.attach_variants(id);
        id
    }

    fn initialize(&mut self, variable: VariableId, initializer: &ast::Initializer) {
        let value = self.initializer(initializer);
        let target = &mut self.program.variables[variable.index()];
        target.initializer = Some(value);
        // The number of elements follows from the initialiser.
        if let Type::Array(_, Length::Unknown) = &target.ty {
            let ty = target.ty.clone();
            let count = initializers::element_count(&self.program, &ty, value);
            if let (Some(count), Type::Array(_, length)) =
                (count, &mut self.program.variables[variable.index()].ty)
            {
                *length = Length::Constant(count);
            }
        }
    }

    /// The value of an initialiser.
    pub(super) fn initializer(&mut self, initializer: &ast::Initializer) -> ExprId {
        match initializer {
            ast::Initializer::Expr(it) => self.expr(Some(it.clone())),
            ast::Initializer::InitList(list) => self.init_list(list),
        }
    }

    pub(super) fn init_list(&mut self, list: &ast::InitList) -> ExprId {
        let mut values = Vec::new();
        for item in list.init_items() {
            let designators: Vec<_> = item.designation().iter().flat_map(|it| it.designators()).collect();
            let designators: Vec<_> = designators.iter().map(|it| self.designator(it)).collect();
            if let Some(value) = item.initializer() {
                values.push((designators, self.initializer(&value)));
            }
        }
        let has_designators = values.iter().any(|it| !it.0.is_empty());
        let kind = match has_designators {
            true => ExprKind::Designated(values),
            false => ExprKind::List(values.into_iter().map(|it| it.1).collect()),
        };
        self.add_expr(kind, Type::Unknown, range(list))
    }

    fn designator(&mut self, designator: &ast::Designator) -> Designator {
        match designator {
            ast::Designator::FieldDesignator(it) => {
                Designator::Field(it.name_ref().map(|it| SmolStr::new(it.text())).unwrap_or_default())
            }
            ast::Designator::IndexDesignator(it) => {
                let first = self.expr(it.from());
                match it.to() {
                    Some(last) => Designator::Elements(first, self.expr(Some(last))),
                    None => Designator::Element(first),
                }
            }
        }
    }

    /// GNU: a function in a function. Its body, which uses variables of the function around, stays unknown.
    pub(super) fn nested_function(&mut self, definition: &ast::FunctionDef) {
        let specified = self.specifiers(definition.decl_specifiers());
        let declared = self.declarator(definition.declarator(), specified.ty);
        let (Some(name), Type::Function(result)) = (declared.name, declared.ty) else { return };
        let (name, range) = (SmolStr::new(name.text()), self.range(range(&name)));
        self.touches_file = true;
        let (result, id) = ((*result).clone(), FunctionId::new(self.program.functions.len()));
        let function = Function {
            name: name.clone(),
            result,
            is_static: true,
            is_declared_here: true,
            is_nested: true,
            has_nested: false,
            parameters: Vec::new(),
            body: None,
            range,
        };
        self.program.functions.push(function);
        if let Some(around) = self.function {
            self.program.functions[around.index()].has_nested = true;
        }
        self.declare(name, Entity::Function(id));
    }

    /// Lowers the definition of a function; `None` if it is none.
    pub(super) fn function_definition(&mut self, definition: &ast::FunctionDef) -> Option<FunctionId> {
        let specified = self.specifiers(definition.decl_specifiers());
        let declared = self.declarator(definition.declarator(), specified.ty);
        let (Some(name), Type::Function(result)) = (declared.name, declared.ty) else { return None };
        let (name_text, is_static) = (SmolStr::new(name.text()), specified.is_static);
        let function = self.declared_function(name_text, (*result).clone(), is_static);
        let Some(body) = definition.body().filter(|_| !self.is_header) else { return Some(function) };
        self.function = Some(function);
        self.in_scope(|this| {
            let parameters = this.parameters(declared.parameters, definition);
            let function = &mut this.program.functions[function.index()];
            function.parameters = parameters;
            function.range = Some(range(&name));
            let body = this.block(&body);
            this.program.functions[this.function.map_or(0, FunctionId::index)].body = Some(body);
        });
        self.function = None;
        Some(function)
    }

    fn parameters(
        &mut self,
        declarator: Option<ast::FunctionDeclarator>,
        definition: &ast::FunctionDef,
    ) -> Vec<VariableId> {
        let mut parameters = Vec::new();
        let Some(declarator) = declarator else { return parameters };
        for parameter in declarator.param_list().iter().flat_map(ast::ParamList::param_decls) {
            let specified = self.specifiers(parameter.decl_specifiers());
            let declared = self.declarator(parameter.declarator(), specified.ty.clone());
            if let Some(name) = declared.name {
                // Of an array the elements are `const`: the parameter is a pointer to them.
                let is_array = matches!(declared.ty, Type::Array(..));
                let is_const = !is_array && declared.is_const.unwrap_or(specified.is_const);
                let specified = Specified { is_const, ..specified };
                parameters.push(self.parameter(&name, declared.ty, &specified));
            }
        }
        // K&R: the names, then their declarations.
        let names = declarator.identifier_list();
        for name in names.iter().flat_map(ast::IdentifierList::names) {
            parameters.push(self.parameter(&name, Type::INT, &Specified::default()));
        }
        for declaration in definition.declarations() {
            let specified = self.specifiers(declaration.decl_specifiers());
            for item in declaration.init_declarators() {
                let declared = self.declarator(item.declarator(), specified.ty.clone());
                let name = declared.name.map(|it| SmolStr::new(it.text()));
                let known =
                    parameters.iter().find(|it| Some(&self.program.variable(**it).name) == name.as_ref());
                if let Some(known) = known.copied() {
                    self.program.variables[known.index()].ty = declared.ty.decayed();
                }
            }
        }
        parameters
    }

    pub(super) fn parameter(&mut self, name: &ast::Name, ty: Type, specified: &Specified) -> VariableId {
        let text = SmolStr::new(name.text());
        let variable = self.add_variable(Variable {
            name: text.clone(),
            ty: ty.decayed(),
            storage: Storage::Parameter,
            is_const: specified.is_const,
            is_volatile: specified.is_volatile,
            is_atomic: specified.is_atomic,
            range: Some(range(name)),
            function: self.function,
            initializer: None,
        });
        self.declare(text, Entity::Variable(variable));
        variable
    }
}
