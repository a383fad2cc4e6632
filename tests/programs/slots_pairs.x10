import x10.compiler.*;
import x10.util.*;

/**
 * Messages between all kinds of slots: activities and blocks, of one place and of different ones, of DCGN's sizes and of those around
 * which transports change: blocking, exchanged, begun early, and from any source.
 */
public class slots_pairs {
    static SIZES = [0, 1, 2, 3, 7, 64, 1000, 8191, 8192, 8193, 1048575, 1048576, 1048577];

    public static def main(Rail[String]) {
        // At one accelerator of each place.
        val parts = new Rail[SlotsAt](2 * Place.numPlaces(), (i:Long)=>i % 2 == 0 ? SlotsAt(Place(i / 2), 2, 0) : SlotsAt(SlotGroup.kernelPlaces(Place(i / 2))(0), 0, 2));
        val group = SlotGroup.make(parts);
        val last = Place.places()(Place.numPlaces() - 1);
        Console.OUT.println("slots: " + (group.size == 4 * Place.numPlaces()));
        // Two activities of a place, and of two places.
        bytes("activity to activity", group, group.activities(here)(0), here, group.activities(here)(1));
        bytes("activity to activity of the last place", group, group.activities(here)(0), last, group.activities(last)(1));
        // An activity and a block of its place, and of the last one.
        for (p in [here as Place, last]) {
            val kernelPlace = SlotGroup.kernelPlaces(p)(0);
            val me = group.activities(here)(0);
            val blocks = group.blocks(kernelPlace);
            finish {
                at (p) async echo(kernelPlace, blocks, me.rank);
                for (size in SIZES) {
                    val out = new Rail[Byte](size, (i:Long)=>((i * 7 + size) as Byte));
                    val back = new Rail[Byte](size + 1);
                    me.send(blocks.firstRank() + 1, out, 0, size);
                    val status = me.recv(blocks.firstRank() + 1, back, 0, size + 1);
                    if (status.elements != size || status.source != blocks.firstRank() + 1) Console.OUT.println("status " + status);
                    for (i in 0..(size - 1)) if (back(i) != out(i) + 1y) { Console.OUT.println("wrong at " + i + " of " + size); break; }
                }
            }
            Console.OUT.println("activity and block: done");
        }
        // Blocks of kernels of all places in a ring, with any source.
        val count = Place.numPlaces();
        finish for (p in Place.places()) at (p) async {
            val kernelPlace = SlotGroup.kernelPlaces(here)(0);
            val own = group.blocks(kernelPlace);
            val next = group.blocks(SlotGroup.kernelPlaces(Place((here.id + 1) % count))(0)).firstRank();
            val data = GlobalRail.allocate[Long](kernelPlace, 4);
            val sources = GlobalRail.allocate[Long](kernelPlace, 2);
            finish async at (kernelPlace) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        val me = own(block);
                        if (thread == 0n) data(2 * block) = me.rank;
                        Clock.advanceAll();
                        val sent = me.asyncSend(next + block, data, 2 * block, 1);
                        val status = me.recv(Slot.ANY_SOURCE, data, 2 * block + 1, 1);
                        me.wait(sent);
                        if (thread == 0n) sources(block) = status.source;
                        Clock.advanceAll();
                    }
                }
            }
            val found = new Rail[Long](4);
            val from = new Rail[Long](2);
            finish { Rail.asyncCopy(data, 0, found, 0, 4); Rail.asyncCopy(sources, 0, from, 0, 2); }
            for (b in 0..1) if (found(2 * b + 1) != from(b)) Console.OUT.println("block " + b + " has " + found(2 * b + 1) + " from " + from(b));
            data.free();
            sources.free();
        }
        Console.OUT.println("ring of blocks: done");
        group.delete();
    }

    /** Bytes to a slot of place p, and an exchange. */
    static def bytes(what:String, group:SlotGroup, me:Slot, p:Place, other:Slot) {
        finish {
            at (p) async {
                val room = new Rail[Byte](1048578);
                for (size in SIZES) {
                    val status = other.recv(me.rank, room, 1, size);
                    if (status.elements != size) Console.OUT.println("received " + status);
                    for (i in 0..(size - 1)) if (room(i + 1) != ((i * 7 + size) as Byte)) { Console.OUT.println("wrong at " + i + " of " + size); break; }
                    if (size > 0) other.sendRecvReplace(me.rank, me.rank, room, 1, size);
                }
                val request = other.asyncRecv(Slot.ANY_SOURCE, room, 0, 4, 5n);
                other.send(me.rank, room, 0, 0);
                Console.OUT.println(what + ": begun before " + !other.test(request) + ", " + other.wait(request).elements + " elements");
            }
            for (size in SIZES) {
                val out = new Rail[Byte](size, (i:Long)=>((i * 7 + size) as Byte));
                me.send(other.rank, out, 0, size);
                val back = new Rail[Byte](size);
                if (size > 0) me.sendRecv(other.rank, out, 0, size, other.rank, back, 0, size);
                for (i in 0..(size - 1)) if (back(i) != out(i)) { Console.OUT.println("wrong back at " + i + " of " + size); break; }
            }
            me.recv(other.rank, new Rail[Byte](0), 0, 0);
            System.sleep(20);
            me.send(other.rank, new Rail[Byte](4), 0, 4, 5n);
        }
    }

    /** A kernel whose block 1 sends back each message with one added to each byte. */
    static def echo(place:Place, blocks:Slots, asker:Long) {
        val data = GlobalRail.allocate[Byte](place, 1048577);
        val rounds = SIZES.size;
        finish async at (place) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    if (block == 1n) {
                        val me = blocks(block);
                        for (var round:Long = 0; round < rounds; ++round) {
                            val status = me.recv(asker, data, 0, 1048577);
                            for (var i:Long = thread; i < status.elements; i += 64) data(i) = data(i) + 1y;
                            me.send(asker, data, 0, status.elements);
                        }
                    }
                }
            }
        }
        data.free();
    }
}
