// places: 1
// status: 1
// stderr: deadlock: every activity of the program waits
/** Activities that all wait for each other end the program instead of hanging it. */
public class deadlock {
    static class Flag { var up:Boolean; }

    public static def main(args:Rail[String]) {
        val flag = new Flag();
        Console.OUT.println("before");
        finish {
            async when (flag.up) { Console.OUT.println("never"); }
        }
    }
}
