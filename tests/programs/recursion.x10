// places: 1
// status: 1
// stderr: x10.lang.StackOverflowError
// stderr: recursion.down
/** Endless recursion is reported with the method it happens in. */
public class recursion {
    static def down(n:Long):Long = down(n + 1) + n;

    public static def main(args:Rail[String]) {
        Console.OUT.println("before");
        Console.OUT.println(down(0));
    }
}
// without: thread
// ThreadSanitizer has room for 65,536 calls inside each other.
