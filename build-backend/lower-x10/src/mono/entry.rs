//! Roots of monomorphisation: `main`, and the classes and functions that the runtime needs.

use apg_analysis::SourceFile;
use apg_analysis::program::items::Modifiers;
use apg_analysis::program::items::{ClassId, MethodId};
use apg_analysis::program::items::{all_classes, method_item, own_methods, qualified_name};
use apg_analysis::program::ty::Ty;
use apg_runtime::abi::ExceptionKind;

use crate::{Callee, FunctionKey, LowerError, Lowerer};

/// The entry point of the program.
#[derive(Clone, Debug)]
pub struct MainTarget {
    /// The file that the user named.
    pub file: SourceFile,
    /// The class whose `main` is meant, when the file has several.
    pub class: Option<String>,
}

/// Advice on the signature of `main`.
const MAIN_SIGNATURE_ADVICE: &str = "write `public static def main(args:Rail[String]) { ... }`";

impl Lowerer<'_> {
    pub(crate) fn program(&mut self, target: &MainTarget) {
        let Some(main) = self.find_main(target) else { return };
        self.require_runtime_classes();
        let callee = Callee {
            method: main,
            owner: Ty::class(self.db, main.class(self.db), Vec::new()),
            type_args: Vec::new(),
        };
        let key = if self.param_types(main).is_empty() {
            FunctionKey::MainAdapter(callee)
        } else {
            FunctionKey::Method(callee)
        };
        self.program.main = Some(self.function(key));
        self.lower_reachable();
        self.mark_device_functions();
        self.mark_recursive_functions();
    }

    /// Classes and functions that the runtime uses by itself.
    fn require_runtime_classes(&mut self) {
        let string = Ty::string(self.db);
        let throwable =
            self.library_class("x10.lang.CheckedThrowable").map(|it| Ty::class(self.db, it, Vec::new()));
        let rails = [Some(string), throwable].into_iter().flatten().map(|it| Ty::rail(self.db, it));
        for ty in [string].into_iter().chain(rails.collect::<Vec<_>>()) {
            let class = self.class_of(ty);
            self.instantiate(class);
        }
        for kind in ExceptionKind::ALL {
            let found = match (*kind, throwable) {
                (ExceptionKind::Multiple, Some(throwable)) => {
                    let rail = Ty::rail(self.db, throwable);
                    self.constructor_with(kind.class(), rail)
                }
                _ => self.constructor_with_message(kind.class()),
            };
            let Some((owner, method)) = found.or_else(|| self.constructor_with_message("x10.lang.Exception"))
            else {
                let name = kind.class();
                self.errors
                    .push(LowerError::new("build/no-library", format!("the class library has no {name}")));
                continue;
            };
            let class = self.class_of(owner);
            self.instantiate(class);
            let callee = Callee { method, owner, type_args: Vec::new() };
            let function = self.function(FunctionKey::Creation(callee));
            self.program.runtime_exceptions.push(function);
        }
    }

    /// The class of that name and its constructor with one parameter of that type.
    pub(crate) fn constructor_with(&mut self, name: &str, param: Ty) -> Option<(Ty, MethodId)> {
        let class = self.library_class(name)?;
        let owner = Ty::class(self.db, class, Vec::new());
        let candidates = own_methods(self.db, class, "this").to_vec();
        let found = candidates.into_iter().find(|it| {
            let params = self.param_types(*it);
            self.concrete_all(&params, &Default::default()) == [param]
        })?;
        Some((owner, found))
    }

    fn find_main(&mut self, target: &MainTarget) -> Option<MethodId> {
        let db = self.db;
        let wanted = |class: &ClassId| {
            target
                .class
                .as_ref()
                .is_none_or(|it| it == qualified_name(db, *class).as_str() || it == class.name(db))
        };
        let named: Vec<MethodId> = all_classes(db, target.file)
            .iter()
            .filter(|it| wanted(it))
            .flat_map(|it| own_methods(db, *it, "main").iter().copied())
            .collect();
        let rail = Ty::rail(db, Ty::string(db));
        let (fit, unfit): (Vec<_>, Vec<_>) = named.into_iter().partition(|it| {
            let is_static = method_item(db, *it).is_some_and(|it| it.modifiers.has(Modifiers::STATIC));
            let params = self.param_types(*it);
            let params = self.concrete_all(&params, &Default::default());
            let gives_nothing = apg_analysis::program::items::result_type(db, *it).is_void(db);
            is_static && gives_nothing && (params.is_empty() || params == [rail])
        });
        // Prefers a `main` with arguments, and top-level classes.
        let fit = prefer(fit, |it| !self.param_types(*it).is_empty());
        let fit = prefer(fit, |it| it.class(db).outer(db).is_none());
        // The class named after the file is the public one.
        let stem = target.file.path(db).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let fit = prefer(fit, |it| Some(it.class(db).name(db).as_str()) == stem.as_deref());
        match (fit.as_slice(), unfit.first()) {
            ([one], _) => Some(*one),
            ([], None) => {
                self.errors.push(
                    LowerError::new("build/no-main", "this file has no `main` method to start")
                        .note(MAIN_SIGNATURE_ADVICE),
                );
                None
            }
            ([], Some(unfit)) => {
                let class = qualified_name(db, unfit.class(db));
                let message =
                    format!("`main` of {class} cannot be started: it is not static, or takes something else");
                self.errors.push(self.at_method(
                    LowerError::new("build/bad-main", message).note(MAIN_SIGNATURE_ADVICE),
                    *unfit,
                ));
                None
            }
            (several, _) => {
                let classes: Vec<_> =
                    several.iter().map(|it| qualified_name(db, it.class(db)).to_string()).collect();
                let message = format!("several classes have a `main` method: {}", classes.join(", "));
                let error = LowerError::new("build/two-mains", message)
                    .note("say which one is meant with `--main CLASS`");
                self.errors.push(self.at_method(error, several[1]));
                None
            }
        }
    }
}

/// The items that fit, or all if none does.
fn prefer(all: Vec<MethodId>, fits: impl Fn(&MethodId) -> bool) -> Vec<MethodId> {
    let some: Vec<MethodId> = all.iter().copied().filter(|it| fits(it)).collect();
    if some.is_empty() { all } else { some }
}
