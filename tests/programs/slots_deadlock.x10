import x10.util.*;

// places: 2
// options: --slot-timeout 1
// status: 1
// stderr: they wait for each other: slot 0 -> slot 1 -> slot 0
// stderr: slot 0 (at Place(0)) waits for
// stderr: slot 1 (at Place(1)) waits for

/**
 * The slots of two places that send to each other first, while another activity of the program works: the report names the
 * cycle.
 */
public class slots_deadlock {
    public static def main(Rail[String]) {
        val group = SlotGroup.make(1, 0);
        async System.sleep(60000);
        finish for (p in Place.places()) at (p) async {
            val me = group.activities(here)(0);
            me.send(1 - me.rank, new Rail[Int](2), 0, 2);
            me.recv(1 - me.rank, new Rail[Int](2), 0, 2);
        }
        Console.OUT.println("not reached");
    }
}
