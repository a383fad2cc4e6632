import x10.compiler.*;
import x10.util.*;

/**
 * Round trips of messages between two slots of one process, five times, in nanoseconds: of activities, or of blocks of a kernel on the host.
 *
 * apg run slot_ping_pong.x10 --accels none -- activities|blocks COUNT BYTES
 */
public class slot_ping_pong {
    static ROUNDS = 5;

    public static def main(args:Rail[String]) {
        val count = Long.parse(args(1));
        val size = Long.parse(args(2));
        for (round in 1..ROUNDS) Console.OUT.println(args(0).equals("blocks") ? ofBlocks(count, size) : ofActivities(count, size));
    }

    static def ofActivities(count:Long, size:Long):Long {
        val group = SlotGroup.make(new SparsePlaceGroup(here), 2, 0);
        val slots = group.activities(here);
        val begun = System.nanoTime();
        finish {
            async {
                val data = new Rail[Byte](size);
                for (trip in 1..count) {
                    slots(1).recv(0, data, 0, size);
                    slots(1).send(0, data, 0, size);
                }
            }
            val data = new Rail[Byte](size);
            for (trip in 1..count) {
                slots(0).send(1, data, 0, size);
                slots(0).recv(1, data, 0, size);
            }
        }
        val nanoseconds = System.nanoTime() - begun;
        group.delete();
        return nanoseconds;
    }

    static def ofBlocks(count:Long, size:Long):Long {
        val group = SlotGroup.make(new SparsePlaceGroup(here), 0, 2);
        val place = SlotGroup.kernelPlaces(here)(0);
        val blocks = group.blocks(place);
        val data = GlobalRail.allocate[Byte](place, 2 * size);
        val begun = System.nanoTime();
        finish async at (place) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val mine = blocks(block);
                    for (var trip:Long = 0; trip < count; ++trip) {
                        if (block == 0n) mine.send(1, data, 0, size);
                        mine.recv(1 - block, data, block * size, size);
                        if (block == 1n) mine.send(0, data, size, size);
                    }
                }
            }
        }
        val nanoseconds = System.nanoTime() - begun;
        data.free();
        group.delete();
        return nanoseconds;
    }
}
