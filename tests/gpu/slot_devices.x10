// status: 0
import x10.compiler.CUDA;
import x10.util.*;

/** Blocks of all devices of this host exchange messages of sizes around those where transports change, and add up. */
public class slot_devices {
    static BLOCKS = 4n;
    static SIZES = [0, 1, 5, 2047, 2048, 2049, 16384, 32769, 65536, 65537, 300000, 1048577];

    public static def main(args:Rail[String]) {
        val places = SlotGroup.kernelPlaces(here);
        val group = SlotGroup.make(new SparsePlaceGroup(here), 0, BLOCKS as Long);
        val count = places.size;
        val most = SIZES(SIZES.size - 1);
        val rounds = SIZES.size;
        finish for (g in 0..(count - 1)) async {
            val p = places(g);
            val slots = group.blocks(p);
            val next = group.blocks(places((g + 1) % count)).firstRank();
            val last = group.blocks(places((g + count - 1) % count)).firstRank();
            val out = GlobalRail.allocate[Int](p, BLOCKS * most);
            val room = GlobalRail.allocate[Int](p, BLOCKS * most);
            val wrong = GlobalRail.allocate[Int](p, BLOCKS as Long);
            val sums = GlobalRail.allocate[Int](p, 2 * BLOCKS as Long);
            val sizes = SIZES;
            finish async at (p) @CUDA {
                finish for (block in 0n..(BLOCKS - 1n)) async {
                    val shared = new Rail[Int](128, 0n);
                    clocked finish for (thread in 0n..127n) clocked async {
                        val me = slots(block);
                        val own = block * most;
                        for (var i:Long = thread; i < most; i += 128) out(own + i) = (me.rank * 100000 + i) as Int;
                        Clock.advanceAll();
                        for (var round:Long = 0; round < rounds; ++round) {
                            val size = sizes(round);
                            me.sendRecv(next + block, out, own, size, last + block, room, own, size);
                            for (var i:Long = thread; i < size; i += 128) {
                                if (room(own + i) != ((last + block) * 100000 + i) as Int) wrong(block) = 1n;
                            }
                            Clock.advanceAll();
                        }
                        // Shared memory, and a sum over all.
                        shared(thread) = me.rank as Int;
                        Clock.advanceAll();
                        me.sendRecvReplace(next + block, last + block, shared, 0, 128);
                        if (shared(thread) != (last + block) as Int) wrong(block) = 1n;
                        if (thread == 0n) sums(2 * block) = me.rank as Int;
                        Clock.advanceAll();
                        me.allreduce(sums, 2 * block, sums, 2 * block + 1, 1, Team.ADD);
                    }
                }
            }
            val found = new Rail[Int](BLOCKS as Long);
            val total = new Rail[Int](2 * BLOCKS as Long);
            finish { Rail.asyncCopy(wrong, 0, found, 0, BLOCKS as Long); Rail.asyncCopy(sums, 0, total, 0, 2 * BLOCKS as Long); }
            val all = count * BLOCKS;
            for (b in 0..(BLOCKS - 1)) {
                if (found(b) != 0n) Console.OUT.println("block " + b + " of " + p + " has received something else");
                if (total(2 * b + 1) as Long != all * (all - 1) / 2) Console.OUT.println("the sum of block " + b + " of " + p + " is " + total(2 * b + 1));
            }
            out.free();
            room.free();
            wrong.free();
            sums.free();
        }
        group.delete();
        Console.OUT.println("done");
    }
}
