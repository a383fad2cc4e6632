import x10.compiler.*;
import x10.util.*;

/** Collective operations of slots, by activities and by blocks of kernels, of all and of subgroups. */
public class slots_collectives {
    static B = 3n;

    public static def main(Rail[String]) {
        // At one accelerator of each place.
        val parts = new Rail[SlotsAt](2 * Place.numPlaces(), (i:Long)=>i % 2 == 0 ? SlotsAt(Place(i / 2), 1, 0) : SlotsAt(SlotGroup.kernelPlaces(Place(i / 2))(0), 0, B));
        val group = SlotGroup.make(parts);
        val n = group.size;
        val places = Place.numPlaces();
        finish for (p in Place.places()) at (p) async {
            finish {
                async kernel(group);
                activity(group.activities(here)(0));
            }
        }
        Console.OUT.println("all: done");
        // Rows and columns of a grid of activities: the last place's columns.
        val grid = SlotGroup.make(4, 0);
        finish for (p in Place.places()) at (p) async {
            for (i in 0..3) async {
                val me = grid.activities(here)(i);
                val column = me.among(i, Place.numPlaces(), 4);
                val row = me.among(here.id * 4, 4, 1);
                val mine = new Rail[Long](1, me.rank);
                val sum = new Rail[Long](1);
                row.allreduce(mine, 0, sum, 0, 1, Team.ADD);
                check("row", sum(0) == 4 * 4 * here.id + 6);
                column.reduce(i, mine, 0, sum, 0, 1, Team.MAX);
                if (here.id == 0) check("column", sum(0) == i + 4 * (Place.numPlaces() - 1));
                me.barrier();
            }
        }
        Console.OUT.println("subgroups: done");
        // Structs, which are moved and not combined.
        val two = SlotGroup.make(2, 0);
        finish for (p in Place.places()) at (p) async for (i in 0..1) async {
            val me = two.activities(here)(i);
            val all = new Rail[Pair[Int, Double]](me.size);
            me.allgather([Pair[Int, Double](me.rank as Int, 0.5 * me.rank)], 0, all, 0, 1);
            for (r in all.range) check("struct", all(r) == Pair[Int, Double](r as Int, 0.5 * r));
        }
        Console.OUT.println("structs: done");
    }
    static def check(what:String, good:Boolean) { if (!good) Console.OUT.println(what + " is wrong at " + here); }

    /** The same operations in the same order as the blocks of kernel(). */
    static def activity(me:Slot) {
        val n = me.size;
        val data = new Rail[Double](1, me.rank == 0 ? 42.0 : 0.0);
        me.broadcast(0, data, 0, 1);
        check("broadcast", data(0) == 42.0);
        val all = new Rail[Double](n);
        me.allgather([me.rank as Double], 0, all, 0, 1);
        for (r in 0..(n - 1)) check("allgather", all(r) == (r as Double));
        val sum = new Rail[Double](1);
        me.allreduce([0.1 * me.rank], 0, sum, 0, 1, Team.ADD);
        var expected:Double = 0.0;
        for (r in 1..(n - 1)) expected += 0.1 * r;
        check("allreduce", sum(0) == expected);
        me.reduce(n - 1, [me.rank as Double], 0, sum, 0, 1, Team.MIN);
        val parts = new Rail[Double](n, (r:Long)=>(100.0 * me.rank + r));
        val exchanged = new Rail[Double](n);
        me.alltoall(parts, 0, exchanged, 0, 1);
        for (r in 0..(n - 1)) check("alltoall", exchanged(r) == 100.0 * r + me.rank);
        me.gather(1, [me.rank as Double], 0, all, 0, 1);
        val mine = new Rail[Double](1);
        me.scatter(0, parts, 0, mine, 0, 1);
        check("scatter", mine(0) == (me.rank as Double));
        me.barrier();
    }

    static def kernel(group:SlotGroup) {
        val place = SlotGroup.kernelPlaces(here)(0);
        val blocks = group.blocks(place);
        val n = group.size;
        val room = 4 * n + 4;
        val data = GlobalRail.allocate[Double](place, B * room);
        val bad = GlobalRail.allocate[Int](place, 8);
        finish async at (place) @CUDA {
            finish for (block in 0n..(B - 1n)) async {
                val own = new Rail[Double](4, 0.0);
                clocked finish for (thread in 0n..31n) clocked async {
                    val me = blocks(block);
                    val offset = block * room;
                    // Shared rails as buffers, and a global rail.
                    me.broadcast(0, own, 0, 1);
                    if (thread == 0n && own(0) != 42.0) CUDAAtomic.add(bad, 0, 1n);
                    if (thread == 0n) own(1) = me.rank as Double;
                    if (thread == 0n) data(offset) = me.rank as Double;
                    Clock.advanceAll();
                    me.allgather(data, offset, data, offset + 1, 1);
                    for (var r:Long = thread; r < n; r += 32) if (data(offset + 1 + r) != (r as Double)) CUDAAtomic.add(bad, 1, 1n);
                    Clock.advanceAll();
                    if (thread == 0n) own(1) = 0.1 * me.rank;
                    Clock.advanceAll();
                    me.allreduce(own, 1, own, 2, 1, Team.ADD);
                    if (thread == 0n) {
                        var expected:Double = 0.0;
                        for (var r:Long = 1; r < n; ++r) expected += 0.1 * r;
                        if (own(2) != expected) CUDAAtomic.add(bad, 2, 1n);
                        own(1) = me.rank as Double;
                    }
                    Clock.advanceAll();
                    me.reduce(n - 1, own, 1, own, 3, 1, Team.MIN);
                    if (thread == 0n && me.rank == n - 1 && own(3) != 0.0) CUDAAtomic.add(bad, 3, 1n);
                    for (var r:Long = thread; r < n; r += 32) data(offset + r) = 100.0 * me.rank + r;
                    Clock.advanceAll();
                    me.alltoall(data, offset, data, offset + n, 1);
                    for (var r:Long = thread; r < n; r += 32) if (data(offset + n + r) != 100.0 * r + me.rank) CUDAAtomic.add(bad, 4, 1n);
                    Clock.advanceAll();
                    if (thread == 0n) data(offset + n) = me.rank as Double;
                    Clock.advanceAll();
                    me.gather(1, data, offset + n, data, offset, 1);
                    if (me.rank == 1) for (var r:Long = thread; r < n; r += 32) if (data(offset + r) != (r as Double)) CUDAAtomic.add(bad, 6, 1n);
                    Clock.advanceAll();
                    me.scatter(0, own, 0, own, 0, 1);
                    if (thread == 0n && own(0) != (me.rank as Double)) CUDAAtomic.add(bad, 5, 1n);
                    me.barrier();
                }
            }
        }
        val found = new Rail[Int](8);
        finish Rail.asyncCopy(bad, 0, found, 0, 8);
        for (i in found.range) check("operation " + i + " of a kernel", found(i) == 0n);
        data.free();
        bad.free();
    }
}
