//! Resolution of names and types in small programs.

use crate::fixture::report;

#[track_caller]
fn clean(text: &str) {
    assert_eq!(report(text), "");
}

#[track_caller]
fn finds(text: &str, expected: &str) {
    let found = report(text);
    assert_eq!(found.trim_end(), expected.trim_matches('\n'), "{found}");
}

#[test]
fn names_are_found_in_all_scopes() {
    clean(
        "
package shop;
import x10.util.ArrayList;
import x10.util.*;

class Example[T] {
    static class Inner {}
    type Pairs = ArrayList[Pair[T,Long]];
    def fields(a:int, b:Console, c:Inner, d:Example[T], e:Example.Inner, f:x10.util.HashMap[T,String]):Pairs = null;
    def method[U](u:U, t:T, c:Cousin, s:shop.Cousin):U = u;
}
class Cousin {}
",
    );
}

#[test]
fn unknown_types_say_what_was_meant() {
    finds(
        "
class Example {
    def a(x:Strng):void {}
    def b(x:ArrayList[Long]):void {}
    def c(x:x10.util.Arraylist):void {}
    def d(x:nowhere.Thing):void {}
}
",
        "
2:13 [name/unknown-type] there is no type `Strng` here
    did you mean `String`?
3:13 [name/unknown-type] there is no type `ArrayList` here
    there is `x10.util.ArrayList`: import it with `import x10.util.ArrayList;`
4:22 [name/unknown-type] there is no type `x10.util.Arraylist` here
    the package `x10.util` has no type `Arraylist`
5:21 [name/unknown-type] there is no type `nowhere.Thing` here
    there is no class and no package `nowhere` either
",
    );
}

/// With both files open, as in an editor.
#[test]
fn types_of_named_files_may_be_meant() {
    finds(
        "
class Example extends Shap {}
// file: Shapes.x10
class Shape {}
",
        "
1:23 [name/unknown-type] there is no type `Shap` here
    did you mean `Shape`?
",
    );
}

#[test]
fn imports_are_checked() {
    finds(
        "
import x10.lang.ArrayList;
import nowhere.*;
class Example {}
",
        "
1:8 [name/unknown-import] there is no type `x10.lang.ArrayList` to import
    there is `x10.util.ArrayList`
2:8 [name/unknown-import] there is no package or class `nowhere` to import
    check the spelling, or add the folder that holds it with `--source-path`
",
    );
}

/// Problems of an imported file are reported; they cause no further reports of unknown names.
#[test]
fn imports_of_files_that_declare_something_else() {
    finds(
        "
// file: a/Main.x10
package a;
import b.Baz;
import b.Bas;
class Main {}
// file: b/Bar.x10
package c;
public class Bar {}
// file: b/Bat.x10
package b;
public class Bat {}
// file: b/Baz.x10
package b;
public class Quux {}
",
        "
2:8 [name/unknown-import] there is no type `b.Baz` to import
    `b/Baz.x10` declares no `Baz`, but `Quux`
3:8 [name/unknown-import] there is no type `b.Bas` to import
    there is `b.Bat`
",
    );
}

#[test]
fn of_two_misplaced_types_the_nearer_one_is_explained() {
    finds(
        "
// file: a/Uses.x10
package a;
class Uses { def use(yak:Yak, gnu:Gnu) {} }
// file: a/Yak.x10
package wrong;
public class Yak {}
// file: b/Yak.x10
package b;
class Other {}
// file: c/Gnu.x10
package c;
class More {}
// file: d/Gnu.x10
package wrong;
public class Gnu {}
",
        "
2:26 [name/unknown-type] there is no type `Yak` here
    `a/Yak.x10` says `package wrong;`, but is in the folder of `a`
2:35 [name/unknown-type] there is no type `Gnu` here
    `d/Gnu.x10` says `package wrong;`, but is in the folder of `d`
",
    );
}

/// A missing method is explained by a property of the same name only if the property's value would fit.
#[test]
fn a_property_explains_a_missing_method_of_its_type() {
    finds(
        "
interface Has[T] { def get():T; }
class Good(get:Long) implements Has[Long] {}
class Bad(get:Long) implements Has[String] {}
",
        "
2:7 [type/not-implemented] the class `Good` does not implement `get():T`
    promised by `Has[Long]`: write the method, or declare the class `abstract`
    a property is no method: write `public def get() = get;`
3:7 [type/not-implemented] the class `Bad` does not implement `get():T`
    promised by `Has[String]`: write the method, or declare the class `abstract`
",
    );
}

/// As in an editor's workspace: only the importing file is open.
#[test]
fn a_type_in_a_file_of_another_name_cannot_be_imported() {
    let mut host = crate::fixture::host(
        "// file: main/Main.x10
package main;
import shop.Cousin;
class Main { def cousin(c:Cousin) = c; }
// file: shop/Example.x10
package shop;
public class Example {}
class Cousin {}
",
    );
    let path = std::path::Path::new("/test/main/Main.x10");
    host.set_roots(&[path.to_owned()]);
    let file = host.snapshot().file(path).expect("known");
    let found = host.snapshot().with(|db| crate::check::file_diagnostics(db, file)).expect("nothing changes");
    let lines: Vec<String> =
        found.iter().map(|it| format!("[{}] {} {:?}", it.code, it.message, it.notes)).collect();
    assert_eq!(
        lines,
        [
            "[name/unknown-import] there is no type `shop.Cousin` to import [\"`Example.x10` of `shop` declares `Cousin`, but \
          other packages find a type only in the file that is named after it\", \"move `Cousin` to a file `Cousin.x10` \
          beside `Example.x10`\"]"
        ]
    );
}

#[test]
fn two_imports_on_demand_of_one_name() {
    let files = "
// file: one/Shape.x10
package one;
public class Shape {}
// file: two/Shape.x10
package two;
public class Shape {}
";
    finds(
        &format!("import one.*;\nimport two.*;\nclass Example {{ def a(s:Shape):void {{}} }}\n{files}"),
        "
3:25 [name/ambiguous-type] `Shape` may be `one.Shape` and `two.Shape`: several imports provide it
    import the one you mean by name: `import one.Shape;`
",
    );
    clean(&format!(
        "import one.*;\nimport two.*;\nimport two.Shape;\nclass Example {{ def a(s:Shape):void {{}} }}\n{files}"
    ));
}

#[test]
fn type_arguments_are_counted() {
    finds(
        "
class Example {
    def a(x:Rail, y:Long[Int], z:Rail[Long,Long], w:void):void {}
}
",
        "
2:13 [type/wrong-type-arguments] `Rail` needs a type argument
    write `Rail[T]` with the types in the brackets
2:21 [type/wrong-type-arguments] `Long` takes no type arguments
    write `Long` alone
2:34 [type/wrong-type-arguments] `Rail` takes one type argument, not 2
    write `Rail[T]` with the types in the brackets
2:53 [type/void-value] `void` is not a type of values
    only the result of a method or function may be `void`
",
    );
}

#[test]
fn cycles_end() {
    finds(
        "
class Hen extends Egg {}
class Egg extends Hen {}
interface Self extends Self {}
class Chick extends Hen {}
class Example {
    static type A = B;
    static type B = Rail[A];
}
",
        "
1:7 [type/cyclic-inheritance] `Hen` is among its own supertypes
    a class cannot extend itself, directly or through others: remove one of the `extends` or `implements`
2:7 [type/cyclic-inheritance] `Egg` is among its own supertypes
    a class cannot extend itself, directly or through others: remove one of the `extends` or `implements`
3:11 [type/cyclic-inheritance] `Self` is among its own supertypes
    a class cannot extend itself, directly or through others: remove one of the `extends` or `implements`
6:21 [type/cyclic-typedef] the type definition `A` stands for itself
    a type definition is an abbreviation; what it stands for must not mention it
7:26 [type/cyclic-typedef] the type definition `B` stands for itself
    a type definition is an abbreviation; what it stands for must not mention it
",
    );
}

#[test]
fn supertypes_have_their_kinds() {
    finds(
        "
class A extends Comparable[A] { public def compareTo(a:A):Int = 0n; }
class B implements A, (Long)=>Long { public operator this(x:Long):Long = x; }
class C extends Long {}
interface D extends A {}
",
        "
1:17 [type/not-extendable] `Comparable[A]` is not a class that can be extended
    an interface is implemented: write `implements`
2:20 [type/not-an-interface] class `A` is not an interface
    only interfaces and function types can be implemented; a class has one superclass, after `extends`
3:17 [type/not-extendable] `Long` is not a class that can be extended
    structs have no subtypes; use a class, or hold the struct in a field
4:21 [type/not-an-interface] class `A` is not an interface
    only interfaces and function types can be implemented; a class has one superclass, after `extends`
",
    );
}

#[test]
fn constraints_name_what_is_in_scope() {
    clean(
        "
class Example(size:Long) {
    val gpu:Place = here;
    val a:GlobalRail[Float]{home==gpu} = x10.util.CUDAUtilities.makeGlobalRail[Float](gpu, 1);
    static val LIMIT:Long = 3;
    def b(p:Place, r:GlobalRail[Float]{self.home()==p}, n:Long{self==LIMIT, self!=size}):Rail[Long]{self.size==n} = null;
    def c[T](x:T){T haszero, T <: Comparable[T]}:void {}
    static type Sized(n:Long) = Example{self.size==n};
    def d(x:Sized(3), y:Example(4)):void {}
}
",
    );
    finds(
        "
class Example(size:Long) {
    def a(r:Rail[Long]{self.size==sise}):void {}
    def b(e:Example(1,2)):void {}
}
",
        "
2:35 [name/unresolved] nothing named `sise` can be used in this constraint
    did you mean `size`?
3:13 [type/wrong-property-count] `Example` has one property, but 2 values are given for them
",
    );
}

#[test]
fn members_are_checked() {
    finds(
        "
interface Shape {
    def area():Long;
    def name():String;
}
class Square implements Shape {
    val side:Long = 1;
    val side:Long = 2;
    def area():Long = side;
    def area(x:Long{self==1}):Long = 1;
    def area(y:Long):Long = 2;
    def lost():void;
    abstract def vague():void;
}
",
        "
5:7 [type/not-implemented] the class `Square` does not implement `name():String`
    promised by `Shape`: write the method, or declare the class `abstract`
6:9 [type/duplicate-member] `Square` has several fields or properties named `side`
8:9 [type/bad-override] this method can be seen less far than `area` of `Shape`, which it overrides
    every caller of that method must be able to call this one: write `public` before it
10:9 [type/duplicate-member] `Square` has another method `area` with formals of these types
    a call could not tell them apart: rename one, or give it other formals
11:9 [type/no-body] `lost` has no body
    write one, or declare the method `abstract` or `native`
12:18 [type/no-body] `vague` is abstract, but `Square` is not
    declare the class `abstract`, or give the method a body
",
    );
}

#[test]
fn generic_methods_override() {
    clean(
        "
interface Mapper[A] {
    def map[B](f:(A)=>B, x:A):B;
}
class Twice implements Mapper[Long] {
    public def map[C](f:(Long)=>C, x:Long):C = f(2 * x);
}
abstract class Named {
    abstract def name():Any;
    public def toString():String = \"\";
}
class Person extends Named implements Comparable[Person] {
    def name():String = \"\";
    public def compareTo(other:Person):Int = 0n;
}
",
    );
}

#[test]
fn deep_hierarchies_inherit_from_their_first_class() {
    let chain: String = (1..600).map(|n| format!("class C{n} extends C{} {{}}\n", n - 1)).collect();
    clean(&format!(
        "class C0 {{ def first() = 0; }}\n{chain}class Last {{ def use() = new C599().first(); }}\n"
    ));
}
