// stderr: Uncaught exception in uncounted activity: told by 2 activities
import x10.compiler.Uncounted;
import x10.util.concurrent.AtomicLong;

/** What an activity raises that nobody waits for is printed, whatever its text is made with. */
public class uncounted_text {
    static val asked = new AtomicLong(0);

    static class Told extends Exception {
        public def toString():String {
            val count = new AtomicLong(0);
            finish {
                async count.incrementAndGet();
                async count.incrementAndGet();
            }
            asked.incrementAndGet();
            return "told by " + count.get() + " activities";
        }
    }

    public static def main(Rail[String]) {
        val zero = asked.get();
        @Uncounted async { if (zero == 0) throw new Told(); }
        while (asked.get() == 0) System.sleep(1);
        System.sleep(50);
        Console.OUT.println("done");
    }
}
