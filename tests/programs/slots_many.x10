import x10.util.*;

/** Thousands of slots: a ring of messages, a barrier and a sum over all. */
public class slots_many {
    static SLOTS = 4096;

    public static def main(Rail[String]) {
        val group = SlotGroup.make(SLOTS / Place.numPlaces(), 0);
        val last = GlobalRef(new Rail[Long](2));
        finish for (p in Place.places()) at (p) async {
            val slots = group.activities(here);
            for (i in 0..(slots.count - 1)) async {
                val me = slots(i);
                val token = new Rail[Long](1);
                // Each waits for the slot before it.
                if (me.rank > 0) me.recv(me.rank - 1, token, 0, 1);
                token(0) += me.rank;
                if (me.rank < SLOTS - 1) me.send(me.rank + 1, token, 0, 1);
                me.barrier();
                val sum = new Rail[Long](1);
                me.allreduce([me.rank], 0, sum, 0, 1, Team.ADD);
                if (me.rank == SLOTS - 1) {
                    val ring = token(0);
                    val all = sum(0);
                    at (last) { last()(0) = ring; last()(1) = all; }
                }
            }
        }
        Console.OUT.println("ring " + last()(0) + ", sum " + last()(1));
        group.delete();
    }
}
