import x10.util.HashMap;
import x10.util.RailUtils;

/** Whatever recursion without an end goes through, it is an exception that can be caught. */
public class stack_overflow_forms {
    static def down(n:Long):Long = down(n + 1) + 1;

    static def there(n:Long):Long { val r = new Rail[Long](4); r(0) = n; return back(n + 1) + r(0); }
    static def back(n:Long):Long = there(n) + 1;

    static class Base {
        def f(n:Long):Long = g(n) + 1;
        def g(n:Long):Long = 0;
        public def toString():String = "Base " + this;
    }
    static class Derived extends Base {
        def g(n:Long):Long = f(n + 1) + 1;
    }

    static interface Deep { def depth(n:Long):Long; }
    static class Looks implements Deep {
        var other:Deep = null;
        public def depth(n:Long):Long = other.depth(n + 1) + 1;
    }

    static class Generic[T] {
        val value:T;
        def this(value:T) { this.value = value; }
        def go(n:Long):Long = n < 0 ? 0 : new Generic[T](value).go(n + 1) + 1;
    }

    static class Knot { var f:(Long)=>Long = null; }
    static class Chain { val next:Chain; def this(n:Long) { next = new Chain(n + 1); } }
    static struct Value { val x:Long; def this(x:Long) { this.x = x; } def next():Long = Value(x + 1).next() + 1; }
    static class Fields { static val field:Long = make(0); static def make(n:Long):Long = make(n + 1) + 1; }
    static class Key {
        public def hashCode():Int = hashCode() + 1n;
        public def equals(other:Any):Boolean = equals(other);
    }

    static def composed(f:()=>Long, n:Long):Long = composed(() => f() + 1, n + 1) + 1;
    static def here1(n:Long):Long = at (here) here1(n + 1) + 1;
    static def next(n:Long):Long = (at (Place.places().next(here)) down(n + 1)) + 1;

    static def attempt(name:String, f:()=>Long) {
        try {
            Console.OUT.println(name + " returned " + f());
        } catch (e:StackOverflowError) {
            Console.OUT.println(name + ": " + (e.getMessage() != null));
        } catch (e:MultipleExceptions) {
            Console.OUT.println(name + ": " + e.exceptions().size + " " + e.exceptions()(0).typeName());
        } catch (e:CheckedThrowable) {
            Console.OUT.println(name + ": " + e.typeName());
        }
    }

    public static def main(args:Rail[String]) {
        attempt("itself", () => down(0));
        attempt("each other", () => there(0));
        attempt("virtual", () => new Derived().f(0));
        attempt("interface", () => { val c = new Looks(); c.other = c; return c.depth(0); });
        attempt("generic", () => new Generic[String]("a").go(0));
        attempt("closure", () => { val k = new Knot(); k.f = (n:Long) => k.f(n + 1) + 1; return k.f(0); });
        attempt("closures of closures", () => composed(() => 1, 0));
        attempt("constructor", () => { new Chain(0); return 0; });
        attempt("struct", () => Value(0).next());
        attempt("through the library", () => new Base().toString().length() as Long);
        attempt("of keys", () => { new HashMap[Key, Long]().put(new Key(), 1); return 1; });
        attempt("of an order", () => {
            RailUtils.sort(new Rail[Long](30, (i:Long) => (i * 7) % 11), (a:Long, b:Long) => down(a) as Int);
            return 1;
        });
        attempt("static", () => Fields.field);
        attempt("async", () => { finish async { down(1); } return 1; });
        attempt("at", () => here1(0));
        attempt("at another place", () => next(0));
    }
}
// without: thread
// ThreadSanitizer has room for 65,536 calls inside each other.
