import x10.compiler.*;
import x10.util.*;

/**
 * DCGN's tests by kind: send, receive, ping, broadcast and barrier of two activities, of two blocks, of an activity and a block, and of a block
 * and an activity, of one place and of two, from 1 byte to 1 MiB by doubling.
 */
public class slots_kinds {
    static MOST = 1048576;
    static KINDS = ["cpu", "gpu", "cpu to gpu", "gpu to cpu"];

    public static def main(Rail[String]) {
        // At one accelerator of each place.
        val parts = new Rail[SlotsAt](2 * Place.numPlaces(), (i:Long)=>i % 2 == 0 ? SlotsAt(Place(i / 2), 2, 0) : SlotsAt(SlotGroup.kernelPlaces(Place(i / 2))(0), 0, 2));
        val group = SlotGroup.make(parts);
        val places = [here as Place, Place.places()(Place.numPlaces() - 1)];
        for (distance in 0..1) for (kind in 0..3) {
            val p = places(distance);
            val first = rank(group, here, isBlock(kind, 0), 0);
            val second = at (p) rank(group, here, isBlock(kind, 1), 1);
            // Two blocks of one place are of one kernel.
            val isOne = kind == 1 && p == here;
            finish {
                if (!isOne) at (p) async side(group, isBlock(kind, 1), 1, 1, second, first);
                side(group, isBlock(kind, 0), 0, isOne ? 1 : 0, first, second);
            }
            Console.OUT.println(KINDS(kind) + " " + distance + ": done");
        }
        group.delete();
    }

    static def isBlock(kind:Long, side:Long) = kind == 1 || kind == 3 - side;
    static def rank(group:SlotGroup, p:Place, isBlock:Boolean, index:Long) = isBlock ? group.blocks(SlotGroup.kernelPlaces(p)(0)).firstRank() + index : group.activities(p)(index).rank;

    /** Slots of this place by index, 0 that which begins. */
    static def side(group:SlotGroup, isBlock:Boolean, from:Long, to:Long, own:Long, other:Long) {
        val wrong = isBlock ? blocks(group, from, to, own, other) : activity(group.activities(here)(from), other, from == 0);
        if (wrong > 0) Console.OUT.println(wrong + " bytes of " + here + " are wrong");
    }

    static def activity(me:Slot, other:Long, isFirst:Boolean):Long {
        val data = new Rail[Byte](MOST);
        val both = me.among(Math.min(me.rank, other), 2, Math.abs(me.rank - other));
        var wrong:Long = 0;
        for (var size:Long = 1; size <= MOST; size *= 2) {
            // Sends, receives, and a ping: whoever begins is the first, the second, and the first.
            for (step in 0..3) {
                val sends = (step == 0 || step == 2) == isFirst;
                val from = sends ? me.rank : other;
                if (sends) {
                    for (i in 0..(size - 1)) data(i) = (i * 7 + size + step + from) as Byte;
                    me.send(other, data, 0, size);
                } else {
                    if (me.recv(other, data, 0, size).elements != size) wrong++;
                    for (i in 0..(size - 1)) if (data(i) != ((i * 7 + size + step + from) as Byte)) wrong++;
                }
            }
            if (isFirst) for (i in 0..(size - 1)) data(i) = (i * 5 + size) as Byte;
            both.broadcast(isFirst ? me.rank : other, data, 0, size);
            for (i in 0..(size - 1)) if (data(i) != ((i * 5 + size) as Byte)) wrong++;
            both.barrier();
        }
        return wrong;
    }

    /** The same by a block of a kernel, or by both. */
    static def blocks(group:SlotGroup, from:Long, to:Long, own:Long, partner:Long):Long {
        val place = SlotGroup.kernelPlaces(here)(0);
        val slots = group.blocks(place);
        val data = GlobalRail.allocate[Byte](place, 2 * MOST);
        val wrong = GlobalRail.allocate[Long](place, 128);
        val most = MOST;
        finish async at (place) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    if (block >= from && block <= to) {
                        val me = slots(block);
                        val isFirst = block == 0n;
                        val other = me.rank == own ? partner : own;
                        val both = me.among(Math.min(me.rank, other), 2, Math.abs(me.rank - other));
                        val start = block * most;
                        var found:Long = 0;
                        for (var size:Long = 1; size <= most; size *= 2) {
                            for (var step:Long = 0; step <= 3; ++step) {
                                val sends = (step == 0 || step == 2) == isFirst;
                                val sender = sends ? me.rank : other;
                                if (sends) {
                                    for (var i:Long = thread; i < size; i += 64) data(start + i) = (i * 7 + size + step + sender) as Byte;
                                    Clock.advanceAll();
                                    me.send(other, data, start, size);
                                } else {
                                    if (me.recv(other, data, start, size).elements != size) found++;
                                    for (var i:Long = thread; i < size; i += 64) if (data(start + i) != ((i * 7 + size + step + sender) as Byte)) found++;
                                    Clock.advanceAll();
                                }
                            }
                            if (isFirst) for (var i:Long = thread; i < size; i += 64) data(start + i) = (i * 5 + size) as Byte;
                            Clock.advanceAll();
                            both.broadcast(isFirst ? me.rank : other, data, start, size);
                            for (var i:Long = thread; i < size; i += 64) if (data(start + i) != ((i * 5 + size) as Byte)) found++;
                            both.barrier();
                        }
                        wrong(block * 64 + thread) = found;
                    }
                }
            }
        }
        val all = new Rail[Long](128);
        finish Rail.asyncCopy(wrong, 0, all, 0, 128);
        data.free();
        wrong.free();
        var sum:Long = 0;
        for (count in all) sum += count;
        return sum;
    }
}
