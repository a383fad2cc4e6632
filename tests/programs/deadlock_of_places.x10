// places: 2 3
// status: 1
// stderr: deadlock: every activity of the program waits
// stderr: apg: at place 0:
// stderr: apg: at place 1:
// stderr: 3 activities wait
// stderr: at deadlock_of_places.waits (deadlock_of_places.x10:13)
/** A deadlock of several places is seen, and where each activity waits. */
public class deadlock_of_places {
    static val GO = new Cell[Boolean](false);

    static def waits(n:Long) {
        when (GO()) {
            Console.OUT.println("never " + n);
        }
    }

    public static def main(args:Rail[String]) {
        Console.OUT.println("before");
        finish for (p in Place.places()) at (p) async {
            for (i in 1..3) async waits(i);
        }
    }
}
