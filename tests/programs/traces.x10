// stderr: at traces.small (traces.x10:16)
// stderr: at traces.outer (traces.x10:20)
// stderr: at Bad.this (traces.x10:13)
// stderr: Caused by: x10.lang.ArithmeticException: divide by zero
// stderr: at traces.down (traces.x10:23)
// stderr: more times
// stderr: Uncaught exception in main: x10.lang.Exception: end
// status: 1
/** Where exceptions were raised: functions, lines and causes, constructors, and recursion in few lines. */
public class traces {
    static class Bad {
        val x:Long;
        def this(n:Long) { x = 10 / n; }
    }

    static def small(n:Long) = 10 / n;

    static def outer(n:Long):Long {
        try {
            return small(n) + 1;
        } catch (e:ArithmeticException) { throw new Exception("outer", e); }
    }
    static def down(n:Long):Long { if (n == 0) throw new Exception("deep"); return 1 + down(n - 1) % 7; }
    static def attempt(f:()=>Any) {
        try { f(); } catch (e:Exception) { e.printStackTrace(); Console.OUT.println(e.getStackTrace().size > 1); }
    }

    public static def main(args:Rail[String]) {
        attempt(()=>outer(args.size));
        attempt(()=>new Bad(args.size));
        attempt(()=>down(50));
        throw new Exception("end");
    }
}
