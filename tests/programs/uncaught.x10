// status: 1
// stderr: x10.lang.IllegalArgumentException: nobody catches this
// stderr: uncaught.
/** An exception that nothing catches ends the program with status 1 and a trace. */
public class uncaught {
    static def fail() { throw new IllegalArgumentException("nobody catches this"); }

    public static def main(args:Rail[String]) {
        Console.OUT.println("before");
        fail();
    }
}
