// places: 1 2
// without: address thread
/** Activities that wait for one another without an end: an exception that can be caught, with any number of threads and places. */
public class endless_activities {
    static def nested() { finish async nested(); }
    static def clocked1() { clocked finish { clocked async clocked1(); } }
    static def there() { at (Place.places().next(here)) there(); }
    static def started() { finish async at (Place.places().next(here)) started(); }

    static def deep(n:Long) { if (n > 0) finish async deep(n - 1); }

    static def attempt(name:String, f:()=>void) {
        try {
            f();
            Console.OUT.println(name + " has ended");
        } catch (e:CheckedThrowable) {
            var inner:CheckedThrowable = e;
            while (inner instanceof MultipleExceptions) {
                val all = (inner as MultipleExceptions).exceptions();
                inner = all(all.size - 1);
            }
            Console.OUT.println(name + ": " + inner.typeName());
        }
    }

    public static def main(Rail[String]) {
        attempt("deep", () => { deep(50000); });
        attempt("nested", () => { nested(); });
        attempt("clocked", () => { clocked1(); });
        attempt("there", () => { there(); });
        attempt("started there", () => { started(); });
        attempt("deep again", () => { deep(50000); });
    }
}
