import x10.compiler.*;
import x10.util.*;

/**
 * Messages and collective operations of blocks alone, of lengths that grow, with blocks that come late: all that a GPU does without the host, and
 * what it leaves to the host in between.
 */
public class slots_blocks {
    static BLOCKS = 6n;
    static THREADS = 32n;
    static MOST = 1100;
    static ROUNDS = 24;

    public static def main(args:Rail[String]) {
        val place = SlotGroup.kernelPlaces(here)(0);
        val group = SlotGroup.make([SlotsAt(place, 0, BLOCKS as Long)]);
        val blocks = group.blocks(place);
        val sent = GlobalRail.allocate[Long](place, BLOCKS * BLOCKS * MOST);
        val found = GlobalRail.allocate[Long](place, BLOCKS * BLOCKS * MOST);
        val wrong = GlobalRail.allocate[Long](place, BLOCKS * THREADS);
        finish async at (place) @CUDA {
            finish for (block in 0n..(BLOCKS - 1n)) async {
                val kept = new Rail[Long](MOST);
                clocked finish for (thread in 0n..(THREADS - 1n)) clocked async {
                    val me = blocks(block);
                    val own = block * BLOCKS * MOST;
                    val next = (block + 1n) % BLOCKS;
                    val before = (block + BLOCKS - 1n) % BLOCKS;
                    var bad:Long = 0;
                    for (var round:Long = 0; round < ROUNDS; ++round) {
                        val count = round * round * 2 + (round & 1);
                        val root = round % BLOCKS;
                        for (var i:Long = thread; i < BLOCKS * count; i += THREADS) sent(own + i) = value(round, block, i);
                        // One block is late by some thousands of operations.
                        if (block == root as Int) for (var i:Long = 0; i < 2000; ++i) if (sent(own + thread % (count + 1)) < 0) bad += 1;
                        val status = me.sendRecv(next, sent, own, count, before, found, own, MOST);
                        if (status.source != before as Long || status.elements != count) bad += 1;
                        for (var i:Long = thread; i < count; i += THREADS) if (found(own + i) != value(round, before, i)) bad += 1;
                        for (var i:Long = thread; i < count; i += THREADS) kept(i) = value(round, block, i);
                        me.sendRecvReplace(before, next, kept, 0, count);
                        for (var i:Long = thread; i < count; i += THREADS) if (kept(i) != value(round, next, i)) bad += 1;
                        me.barrier();
                        if (block == root as Int) {
                            for (var from:Long = 1; from < BLOCKS; ++from) {
                                val came = me.recv(round % 2 == 0 ? Slot.ANY_SOURCE : (root + from) % BLOCKS, found, own, count);
                                for (var i:Long = thread; i < count; i += THREADS) if (found(own + i) != value(round, came.source, i)) bad += 1;
                                Clock.advanceAll();
                            }
                        } else me.send(root, sent, own, count);
                        for (var i:Long = thread; i < count; i += THREADS) kept(i) = block == root as Int ? value(round, root, i) : -1;
                        me.broadcast(root, kept, 0, count);
                        for (var i:Long = thread; i < count; i += THREADS) if (kept(i) != value(round, root, i)) bad += 1;
                        me.gather(root, sent, own, found, own, count);
                        if (block == root as Int) {
                            for (var from:Long = 0; from < BLOCKS; ++from) {
                                for (var i:Long = thread; i < count; i += THREADS) if (found(own + from * count + i) != value(round, from, i)) bad += 1;
                            }
                        }
                        me.scatter(root, sent, own, found, own, count);
                        for (var i:Long = thread; i < count; i += THREADS) if (found(own + i) != value(round, root, block * count + i)) bad += 1;
                        me.allgather(sent, own, found, own, count);
                        for (var from:Long = 0; from < BLOCKS; ++from) {
                            for (var i:Long = thread; i < count; i += THREADS) if (found(own + from * count + i) != value(round, from, i)) bad += 1;
                        }
                        me.alltoall(sent, own, found, own, count);
                        for (var from:Long = 0; from < BLOCKS; ++from) {
                            for (var i:Long = thread; i < count; i += THREADS) if (found(own + from * count + i) != value(round, from, block * count + i)) bad += 1;
                        }
                    }
                    wrong(block * THREADS + thread) = bad;
                }
            }
        }
        val all = new Rail[Long](wrong.size);
        finish Rail.asyncCopy(wrong, 0, all, 0, all.size);
        var sum:Long = 0;
        for (it in all) sum += it;
        Console.OUT.println(sum + " elements are wrong");
        sent.free();
        found.free();
        wrong.free();
        group.delete();
    }

    @CUDA static def value(round:Long, slot:Long, i:Long):Long = round * 1000003 + slot * 10007 + i;
}
