/** Conditions of functions: what is not known where one is called is checked when the program runs. */
public class function_conditions {
    static def inverse(n:Long) {
        val f = (x:Long){x != 0} => 100 / x;
        return f(n);
    }
    static def next(n:Long):Long {
        Console.OUT.println("  argument " + n);
        return n + 1;
    }
    static def attempt(what:String, code:()=>Long) {
        try {
            Console.OUT.println(what + " gives " + code());
        } catch (e:FailedDynamicCheckException) {
            Console.OUT.println(what + " is refused");
        }
    }
    static def call(f:(a:Long, b:Long{self == a})=>Long, g:(a:Long, b:Long){a != b}=>Long, n:Long) {
        attempt("f(n, 4)", () => f(n, 4));
        attempt("g(next(n), 5)", () => g(next(n), 5));
    }
    public static def main(args:Rail[String]) {
        attempt("inverse(4)", () => inverse(4));
        attempt("inverse(0)", () => inverse(0));
        val f = (a:Long, b:Long{self == a}) => a + b;
        val g = (a:Long, b:Long){a != b} => a - b;
        call(f, g, 3);
        call(f, g, 4);
        val p = Place.places().next(here);
        attempt("at another place", () => at (p) f(next(1), next(1)));
    }
}
