/** Constraints that only the running program can decide: each check that fails raises an exception. */
class Box(size:Long) {
    def this(size:Long):Box{self.size==size} { property(size); }
    def put(i:Long){i != 0}:Long = i;
    def same(other:Box){this.size == other.size}:Long = size;
}

class Named(left:Long, right:Long) {
    def this(left:Long, right:Long){left != right} { property(left, right); }
}

public class constraint_checks {
    static def positive(n:Long{self != 0}):Long = 100 / n;
    static def equal(a:Long, b:Long{self == a}):Long = b;
    static def both(a:Long, b:Long){a == b}:Long = a + b;
    static def next(cell:Rail[Long]):Long { cell(0) += 1; return cell(0); }
    static def box(n:Long):Box = new Box(n);

    static def attempt(name:String, code:()=>Long) {
        try {
            Console.OUT.println(name + ": " + code());
        } catch (e:FailedDynamicCheckException) {
            Console.OUT.println(name + ": refused");
        }
    }

    public static def main(args:Rail[String]) {
        val zero = args.size;
        val one = args.size + 1;
        val uno = args.size + 1;
        attempt("argument", () => positive(one));
        attempt("argument", () => positive(zero));
        attempt("initialiser", () => { val n:Long{self != 0} = zero; return n; });
        attempt("assignment", () => { var n:Long{self == 1} = 1; n = one; n = zero; return n; });
        attempt("result", () => result(zero));
        // Arguments without a name are evaluated once, in order.
        val cell = new Rail[Long](1);
        attempt("nameless", () => equal(next(cell), next(cell)));
        attempt("nameless", () => equal(next(cell), next(cell) - 1));
        Console.OUT.println("evaluated: " + cell(0));
        attempt("guard", () => both(next(cell), 5));
        attempt("guard", () => both(next(cell), 5));
        Console.OUT.println("evaluated: " + cell(0));
        attempt("object", () => box(one).put(zero));
        attempt("object", () => box(one).put(one));
        attempt("receiver", () => box(next(cell)).same(box(7)));
        attempt("receiver", () => box(next(cell)).same(box(7)));
        Console.OUT.println("evaluated: " + cell(0));
        attempt("constructor", () => new Named(one, zero).left);
        attempt("constructor", () => new Named(one, uno).left);
        attempt("property", () => { val b:Box{self.size == 3} = box(one + 2); return b.size; });
        attempt("property", () => { val b:Box{self.size == 3} = box(one); return b.size; });
        attempt("element", () => { val r = new Rail[Long{self != 0}](1, 7); r(0) = zero; return r(0); });
        attempt("cast", () => (one as Long{self == 2}));
    }

    static def result(n:Long):Long{self == 1} { return n; }
}
