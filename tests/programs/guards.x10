/** Conditions of methods and constructors that are only known when the program runs; conversions of numbers that saturate. */
public class guards {
    static class Number(n:Long) {
        def this(n:Long){n != 13}:Number{self.n==n} { property(n); }
        def nine(){this.n == 9} = "nine";
        def same(m:Long){m == this.n} = "same " + m;
        class Inside(k:Long) {
            def this(k:Long){k != 0} { property(k); }
        }
        /** Not the caller's `n`. */
        def other(that:Number):String {
            try { return that.nine(); } catch (e:FailedDynamicCheckException) { return n + " asked, refused"; }
        }
    }
    static def pick(i:Long, j:Long){i == j}:Long = i;

    static def refused(what:String, run:()=>Any):void {
        try {
            Console.OUT.println(what + " " + run());
        } catch (e:FailedDynamicCheckException) {
            Console.OUT.println(what + " refused");
        }
    }

    public static def main(args:Rail[String]) {
        val one = args.size + 1;
        val numbers = [new Number(8) as Number, new Number(9)];
        for (n in numbers) refused("nine of " + n.n, () => n.nine());
        for (n in numbers) refused("same as 8", () => n.same(one * 8));
        Console.OUT.println(new Number(9).other(numbers(0)) + ", " + numbers(0).other(numbers(1)));
        refused("pick 3 3", () => pick(one + 2, one * 3));
        refused("pick 3 4", () => pick(one + 2, one * 4));
        refused("make 13", () => new Number(one * 13).n);
        refused("make 12", () => new Number(one * 12).n);
        refused("inside 0", () => numbers(0).new Inside(one - 1).k);
        refused("inside 1", () => numbers(0).new Inside(one).k);
        Console.OUT.println((1e20 as Byte) + " " + ((-1e20) as Short) + " " + ((-1.5) as UByte) + " " + (70000.9f as UShort) + " " + (3.99 as Int));
    }
}
