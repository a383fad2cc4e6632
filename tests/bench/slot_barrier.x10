import x10.compiler.*;
import x10.util.*;

/**
 * The time of a barrier of all slots of 1, 2, 4 and more accelerators, with the launches.
 *
 * apg run slot_barrier.x10 --accels all [-- BLOCKS ROUNDS]
 */
public class slot_barrier {
    public static def main(args:Rail[String]) {
        val blocks = args.size > 0 ? Int.parse(args(0)) : 132n;
        val rounds = args.size > 1 ? Long.parse(args(1)) : 2000;
        val places = SlotGroup.kernelPlaces(here);
        for (var count:Long = 1; count <= places.size; count *= 2) {
            val used = new Rail[Place](count, (i:Long) => places(i));
            val group = SlotGroup.make(new Rail[SlotsAt](count, (i:Long) => SlotsAt(used(i), 0, blocks as Long)));
            meet(group, used, blocks, 1);
            val begun = System.nanoTime();
            meet(group, used, blocks, rounds);
            Console.OUT.println("barrier of " + blocks + " blocks on each of " + count + " accelerators: " + ((System.nanoTime() - begun) / 1e3 / rounds) + " us");
            group.delete();
        }
    }

    static def meet(group:SlotGroup, places:Rail[Place], blocks:Int, rounds:Long) {
        finish for (place in places) {
            val slots = group.blocks(place);
            async at (place) @CUDA {
                finish for (block in 0n..(blocks - 1n)) async {
                    clocked finish for (thread in 0n..127n) clocked async {
                        for (var round:Long = 0; round < rounds; ++round) slots(block).barrier();
                    }
                }
            }
        }
    }
}
