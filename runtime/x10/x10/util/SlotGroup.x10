package x10.util;

import x10.compiler.Intrinsic;

/**
 * Virtual ranks over activities of host places and blocks of kernels, which send each other messages while they run (as in DCGN, by Stuart
 * and Owens). Each rank is a slot. Ranks are numbered node by node: a host's activities first, then the blocks of each of its accelerators.
 *
 *     val group = SlotGroup.make(1, 8);              // one activity of each host, eight blocks at each accelerator
 *     val gpu = SlotGroup.kernelPlaces(here)(0);     // an accelerator, or this host if it has none
 *     val blocks = group.blocks(gpu);
 *     val data = GlobalRail.allocate[Float](gpu, 8 * 1000);
 *     finish {
 *         async at (gpu) @CUDA {
 *             finish for (block in 0n..7n) async clocked finish for (thread in 0n..127n) clocked async {
 *                 val me = blocks(block);
 *                 me.recv(0, data, block * 1000, 1000);
 *             }
 *         }
 *         val me = group.activities(here)(0);
 *         val part = new Rail[Float](1000, 1.0f);
 *         for (i in 0..7) me.send(blocks.firstRank() + i, part, 0, 1000);
 *     }
 *     group.delete();
 *
 * The operations are those of Slot. A group may be sent to its places, and captured by kernels, like any value.
 */
public struct SlotGroup(size:Long) {
    private val number:Long;

    private def this(size:Long, number:Long) {
        property(size);
        this.number = number;
    }

    /** A group over all host places: `activities` slots for activities of each, and `blocks` slots for blocks of kernels at each of the kernelPlaces of each. */
    public static def make(activities:Long, blocks:Long):SlotGroup = make(Place.places(), activities, blocks);
    /** A group over these host places: `activities` slots for activities of each, and `blocks` slots for blocks of kernels at each of the kernelPlaces of each. */
    public static def make(hosts:PlaceGroup, activities:Long, blocks:Long):SlotGroup {
        val parts = new ArrayList[SlotsAt]();
        for (host in hosts) {
            parts.add(SlotsAt(host, activities, 0));
            for (it in kernelPlaces(host)) parts.add(SlotsAt(it, 0, blocks));
        }
        return make(parts.toRail());
    }
    /** A group of these slots, whose ranks are in this order; of each part first those of activities. */
    public static def make(parts:Rail[SlotsAt]):SlotGroup {
        val table = new Rail[Long](6 * parts.size);
        val hosts = new ArrayList[Long]();
        var size:Long = 0;
        for (i in parts.range) {
            val part = parts(i);
            if (part.activities > 0 && part.place.isCUDA()) throw new BadPlaceException(part.place + " is an accelerator, which runs no activities");
            table(6 * i) = part.place.id;
            table(6 * i + 1) = ACTIVITIES;
            table(6 * i + 2) = part.activities;
            table(6 * i + 3) = part.place.id;
            table(6 * i + 4) = BLOCKS;
            table(6 * i + 5) = part.blocks;
            size += part.activities + part.blocks;
            val host = part.place.host().id;
            if (!hosts.contains(host)) hosts.add(host);
        }
        val number = newNumber();
        if (!hosts.contains(here.id)) hosts.add(here.id);
        finish for (host in hosts) at (Place(host)) async register(number, table);
        return new SlotGroup(size, number);
    }

    /** Where kernels of a host run: its accelerators, or the host itself if it has none. */
    public static def kernelPlaces(host:Place):Rail[Place] {
        val topology = PlaceTopology.getTopology();
        val count = topology.numChildren(host);
        return count == 0 ? [host as Place] : new Rail[Place](count, (i:Long)=>topology.getChild(host, i));
    }

    /** The slots for activities of a host place. */
    public def activities(host:Place):Slots = slots(host, ACTIVITIES);
    /** The slots for blocks of kernels at a place. */
    public def blocks(place:Place):Slots = slots(place, BLOCKS);
    private def slots(place:Place, side:Long):Slots = new Slots(number, firstOf(number, place.id, side), countOf(number, place.id, side), size);

    /** The group is not used any more, at any of its places. */
    public def delete():void {
        val number = this.number;
        finish for (p in Place.places()) at (p) async forget(number);
    }

    /** "SlotGroup(n)". */
    public def toString():String = "SlotGroup(" + size + ")";

    private static ACTIVITIES:Long = 0;
    private static BLOCKS:Long = 1;

    @Intrinsic("rt.slot_group_number") private static native def newNumber():Long;
    @Intrinsic("rt.slot_group_register") private static native def register(number:Long, table:Any):void;
    @Intrinsic("rt.slot_group_forget") private static native def forget(number:Long):void;
    @Intrinsic("rt.slot_group_first") private static native def firstOf(number:Long, place:Long, side:Long):Long;
    @Intrinsic("rt.slot_group_count") private static native def countOf(number:Long, place:Long, side:Long):Long;
}
