/** Recursion that an optimising C++ compiler inlines, splits and merges; an `at` inside calls. */
public class Recursion {
    static def line(n:Long) { if (n == 0) throw new Exception("line"); line(n - 1); }
    static def lines(n:Long):Long {
        if (n == 0)
            throw new Exception("lines");
        return lines(n - 1) +
            1;
    }
    static def even(n:Long):Long { if (n == 0) throw new Exception("even"); return odd(n - 1); }
    static def odd(n:Long):Long { if (n == 0) throw new Exception("odd"); return even(n - 1); }
    static def element(n:Long):Long {
        if (n == 0)
            return new Rail[Long](3)(7);
        return element(n - 1) + 1;
    }
    static def hop(n:Long) {
        if (n == 0) throw new Exception("hop");
        at (Place.places().next(here)) hop(n - 1);
    }
    static def deepThere() {
        at (Place.places().next(here)) line(100);
    }

    static def attempt(name:String, f:()=>void) {
        Console.OUT.println(name);
        try { f(); } catch (e:Exception) {
            for (frame in e.getStackTrace()) if (!frame.startsWith("Recursion.attempt")) Console.OUT.println(frame);
        }
    }

    public static def main(args:Rail[String]) {
        val n = Long.parse(args(0));
        attempt("line", () => line(n));
        attempt("lines", () => { lines(n); });
        attempt("even", () => { even(n); });
        attempt("element", () => { element(n); });
        attempt("hop", () => hop(3));
        attempt("deepThere", () => deepThere());
        attempt("value", () => { val zero = n - n; at (Place.places().next(here)) (1 / zero); });
    }
}
