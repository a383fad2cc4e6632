import x10.compiler.*;
import x10.util.*;

/**
 * A message that goes to and fro between two slots, for all four pairs of an activity and a block of a kernel. The block is on an
 * accelerator, or on this host if it has none: nothing else changes.
 *
 * apg run ping_pong.x10 [-- ROUNDS ELEMENTS]
 */
public class PingPong {
    public static def main(args:Rail[String]) {
        val rounds = args.size > 0 ? Long.parse(args(0)) : 100;
        val elements = args.size > 1 ? Long.parse(args(1)) : 1000;
        val group = SlotGroup.make(2, 2);
        val place = SlotGroup.kernelPlaces(here)(0);
        val activities = group.activities(here);
        val blocks = group.blocks(place);
        var good:Boolean = true;

        // Between two activities.
        val firstData = new Rail[Long](elements, (i:Long)=>i);
        val secondData = new Rail[Long](elements);
        finish {
            async answer(activities(1), activities.firstRank(), secondData, rounds);
            ask(activities(0), activities.firstRank() + 1, firstData, rounds);
        }
        good &= check("activity and activity", firstData, rounds);

        // Between an activity and a block, which adds one to each element by all its threads.
        val data = GlobalRail.allocate[Long](place, 2 * elements);
        val one = new Rail[Long](elements, (i:Long)=>i);
        finish {
            async at (place) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        val me = blocks(block);
                        for (var round:Long = 0; round < rounds; ++round) {
                            me.recv(0, data, 0, elements);
                            for (var i:Long = thread; i < elements; i += 64) data(i) = data(i) + 1;
                            me.send(0, data, 0, elements);
                        }
                    }
                }
            }
            ask(activities(0), blocks.firstRank(), one, rounds);
        }
        good &= check("activity and block", one, rounds);

        // Between two blocks of one kernel.
        val start = new Rail[Long](2 * elements, (i:Long)=>i % elements);
        finish Rail.asyncCopy(start, 0, data, 0, 2 * elements);
        val first = blocks.firstRank();
        finish async at (place) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val me = blocks(block);
                    val other = first + 1 - block;
                    val offset = block * elements;
                    for (var round:Long = 0; round < rounds; ++round) {
                        if (block == 1n) {
                            me.recv(other, data, offset, elements);
                            for (var i:Long = thread; i < elements; i += 64) data(offset + i) = data(offset + i) + 1;
                            me.send(other, data, offset, elements);
                        } else {
                            me.send(other, data, offset, elements);
                            me.recv(other, data, offset, elements);
                        }
                    }
                }
            }
        }
        val result = new Rail[Long](elements);
        finish Rail.asyncCopy(data, 0, result, 0, elements);
        good &= check("block and block", result, rounds);
        data.free();
        group.delete();
        Console.OUT.println(good ? "all messages were right" : "messages were WRONG");
        if (!good) System.setExitCode(1n);
    }

    /** Sends, and receives what the other slot makes of it. */
    static def ask(me:Slot, other:Long, data:Rail[Long], rounds:Long) {
        for (round in 1..rounds) {
            me.send(other, data, 0, data.size);
            val status = me.recv(other, data, 0, data.size);
            assert status.source == other && status.elements == data.size : status;
        }
    }
    /** Receives, adds one to each element, and sends. */
    static def answer(me:Slot, other:Long, data:Rail[Long], rounds:Long) {
        for (round in 1..rounds) {
            me.recv(other, data, 0, data.size);
            for (i in data.range) data(i)++;
            me.send(other, data, 0, data.size);
        }
    }
    static def check(what:String, data:Rail[Long], rounds:Long):Boolean {
        for (i in data.range) {
            if (data(i) != i + rounds) {
                Console.OUT.println(what + ": element " + i + " is " + data(i) + " instead of " + (i + rounds));
                return false;
            }
        }
        Console.OUT.println(what + ": " + rounds + " rounds");
        return true;
    }
}
