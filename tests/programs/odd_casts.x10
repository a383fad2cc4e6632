/** Null is no value of a struct; functions are seen with wider types; traces name the line of a `finish`. */
public class odd_casts {
    static def nothing():Any = null;
    static def call(f:(Long)=>Any):Any = f(1);

    static def attempt(what:String, f:()=>void) {
        try {
            f();
            Console.OUT.println(what + ": nothing");
        } catch (e:CheckedThrowable) {
            Console.OUT.println(what + ": " + e);
        }
    }

    static def several_lines() {
        finish {
            async {
                throw new IllegalStateException("inside");
            }
        }
    }

    public static def main(args:Rail[String]) {
        attempt("null as Long", () => { Console.OUT.println(nothing() as Long); });
        attempt("literal null as Int", () => { Console.OUT.println(null as Any as Int); });
        attempt("null as String", () => { Console.OUT.println(nothing() as String == null); });
        val rail = [10n, 20n];
        Console.OUT.println(call(rail));
        Console.OUT.println(call((i:Any) => (i as Long) + 1));
        try {
            several_lines();
        } catch (e:MultipleExceptions) {
            Console.OUT.println(e.getStackTrace()(0));
            Console.OUT.println(e.exceptions()(0).getStackTrace()(0));
        }
    }
}
