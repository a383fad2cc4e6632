// args: x
/** Of several operands that raise exceptions the first one's is raised, whatever the C++ compiler thinks of their order. */
public class exception_order {
    static class Node {
        var value:Long = 1;
        var next:Node = null;
        def with(x:Long):Long = value + x;
    }

    static def sum(a:Long, b:Long) = a + b;

    static def attempt(what:String, f:() => Long) {
        try {
            Console.OUT.println(what + ": " + f());
        } catch (e:Exception) {
            Console.OUT.println(what + ": " + e.typeName());
        }
    }

    static def operands(a:Rail[Long], zero:Long, none:Node, other:Any) {
        attempt("element, quotient", () => sum(a(10), 1 / zero));
        attempt("quotient, element", () => sum(1 / zero, a(10)));
        attempt("quotient + element", () => 1 / zero + a(10));
        attempt("element + remainder", () => a(10) + 1 % zero);
        attempt("field, element", () => sum(none.value, a(10)));
        attempt("element, field", () => sum(a(10), none.value));
        attempt("cast, field", () => sum(other as Long, none.value));
        attempt("field, cast", () => sum(none.value, other as Long));
        attempt("field of an element", () => a(a(none.value) + 1 / zero));
        attempt("receiver, quotient", () => none.with(1 / zero));
        attempt("element of an element set", () => {
            a(a(10)) = 1 / zero;
            return 0;
        });
        attempt("field set", () => {
            none.next.value = 1 / zero;
            return 0;
        });
        attempt("none", () => sum(a(1) + a(2), 6 / (zero + 3)));
    }

    public static def main(args:Rail[String]) {
        val zero = args.size - 1;
        val nodes = new Rail[Node](1);
        operands(new Rail[Long](3, (i:Long) => i * 10), zero, nodes(zero), "text");
    }
}
