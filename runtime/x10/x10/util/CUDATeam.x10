package x10.util;

import x10.compiler.Intrinsic;

/**
 * Collective operations over GlobalRails of several accelerators: those of this host place, or those of all members of a Team. Each
 * accelerator has a role, a number from 0 on: first those of the Team's first member, in the order that it gave them, and so on.
 *
 *     val topology = PlaceTopology.getTopology();
 *     val gpus = new Rail[Place](topology.numChildren(here), (i:Long)=>topology.getChild(here, i));
 *     val team = new CUDATeam(gpus);
 *     team.allreduce(partial, 0, total, 0, n, Team.ADD); // a GlobalRail of each in the rails partial and total
 *     team.delete();
 *
 * Every member calls the same operations in the same order, with one rail for each of its accelerators, after the finish of the
 * kernels that write them. An operation has ended for the rails of this host when it returns. Accelerators exchange the elements themselves,
 * by NCCL, where that is installed and knows the type and the operation; otherwise, and on hosts, elements go through the hosts' memory.
 * A CUDATeam belongs to the place that made it.
 */
public class CUDATeam {
    private val team:Team;
    private val devices:Rail[Place];
    private val home:Place;
    /** How many accelerators each member has. */
    private val counts:Rail[Int];
    /** The role of the first one of this member. */
    private val first:Long;
    private val total:Long;
    /** 0: there is none. */
    private var communicator:Long;

    /** A team of accelerators of this host; this host itself may be one. */
    public def this(devices:Rail[Place]) { this(Team(new SparsePlaceGroup(here)), devices); }

    /** A team of the accelerators of all members of team. Each member makes it, at the same time, with accelerators of its own. */
    public def this(team:Team, devices:Rail[Place]) {
        for (it in devices)
            if (it.host() != here) throw new BadPlaceException(it + " is no accelerator of " + here);
        this.team = team;
        this.devices = new Rail[Place](devices);
        this.home = here;
        val members = team.fromAll[DevicesOf](DevicesOf(here.id, devices.size));
        this.counts = new Rail[Int](members.size, (i:Long)=>members(i).count as Int);
        var before:Long = 0;
        var all:Long = 0;
        for (it in members) {
            if (it.place == here.id) before = all;
            all += it.count;
        }
        this.first = before;
        this.total = all;
        this.communicator = join(team, devices, before, all);
    }

    /** How many accelerators, everywhere. */
    public def size():Long = total;
    /** The role of the first of this place's accelerators; the others follow. */
    public def firstRole():Long = first;
    /** Ends the team; every member does so. */
    public def delete():void {
        check();
        if (communicator != 0) leave(communicator);
        communicator = 0;
    }

    /** Combines count elements of everyone's src, element by element, into everyone's dst. The operations are those of Team. */
    public def allreduce[T](src:Rail[GlobalRail[T]], srcIndex:Long, dst:Rail[GlobalRail[T]], dstIndex:Long, count:Long, op:Int){T haszero}:void {
        reduce[T](ALL, src, srcIndex, dst, dstIndex, count, op);
    }
    /** Combines count elements of everyone's src, element by element, into the dst of the accelerator with the role root. */
    public def reduce[T](root:Long, src:Rail[GlobalRail[T]], srcIndex:Long, dst:Rail[GlobalRail[T]], dstIndex:Long, count:Long, op:Int){T haszero}:void {
        if (root != ALL) checkRole(root);
        check[T](src, srcIndex, count, ALL);
        check[T](dst, dstIndex, count, root);
        val sample = new Rail[T](0);
        if (communicator != 0 && knows(sample, op)) {
            run(communicator, REDUCE, sample, memory[T](src, ALL), srcIndex, memory[T](dst, root), dstIndex, count, root, op);
            return;
        }
        val sum = combined[T](src, srcIndex, count, op);
        if (root == ALL) team.allreduce[T](sum, 0, sum, 0, count, op);
        else team.reduce[T](memberOf(root), sum, 0, sum, 0, count, op);
        finish for (i in 0..(devices.size - 1)) if (root == ALL || root == first + i) Rail.asyncCopy(sum, 0, dst(i), dstIndex, count);
    }
    /** Copies count elements of the src of the accelerator with the role root to everyone's dst. */
    public def bcast[T](root:Long, src:Rail[GlobalRail[T]], srcIndex:Long, dst:Rail[GlobalRail[T]], dstIndex:Long, count:Long){T haszero}:void {
        checkRole(root);
        check[T](src, srcIndex, count, root);
        check[T](dst, dstIndex, count, ALL);
        if (communicator != 0) {
            run(communicator, BROADCAST, new Rail[T](0), memory[T](src, root), srcIndex, memory[T](dst, ALL), dstIndex, count, root, Team.ADD);
            return;
        }
        val elements = new Rail[T](count);
        if (has(root)) finish Rail.asyncCopy(src(root - first), srcIndex, elements, 0, count);
        team.bcast[T](memberOf(root), elements, 0, elements, 0, count);
        finish for (it in dst) Rail.asyncCopy(elements, 0, it, dstIndex, count);
    }
    /** Gives each accelerator count elements of the src of the one with the role root, in the order of their roles. */
    public def scatter[T](root:Long, src:Rail[GlobalRail[T]], srcIndex:Long, dst:Rail[GlobalRail[T]], dstIndex:Long, count:Long){T haszero}:void {
        checkRole(root);
        check[T](src, srcIndex, count * total, root);
        check[T](dst, dstIndex, count, ALL);
        if (communicator != 0) {
            run(communicator, SCATTER, new Rail[T](0), memory[T](src, root), srcIndex, memory[T](dst, ALL), dstIndex, count, root, Team.ADD);
            return;
        }
        val all = new Rail[T](has(root) ? count * total : 0);
        if (has(root)) finish Rail.asyncCopy(src(root - first), srcIndex, all, 0, all.size);
        val own = new Rail[T](count * devices.size);
        team.scatterv[T](memberOf(root), all, 0, own, 0, elementsOfMembers(count));
        finish for (i in 0..(devices.size - 1)) Rail.asyncCopy(own, i * count, dst(i), dstIndex, count);
    }
    /** Puts count elements of everyone's src into the dst of the accelerator with the role root, in the order of their roles. */
    public def gather[T](root:Long, src:Rail[GlobalRail[T]], srcIndex:Long, dst:Rail[GlobalRail[T]], dstIndex:Long, count:Long){T haszero}:void {
        checkRole(root);
        check[T](src, srcIndex, count, ALL);
        check[T](dst, dstIndex, count * total, root);
        if (communicator != 0) {
            run(communicator, GATHER, new Rail[T](0), memory[T](src, ALL), srcIndex, memory[T](dst, root), dstIndex, count, root, Team.ADD);
            return;
        }
        val all = new Rail[T](has(root) ? count * total : 0);
        team.gatherv[T](memberOf(root), fetched[T](src, srcIndex, count), 0, all, 0, elementsOfMembers(count));
        if (has(root)) finish Rail.asyncCopy(all, 0, dst(root - first), dstIndex, all.size);
    }
    /** Gives each accelerator count elements of everyone's src, in the order of the givers' roles. */
    public def alltoall[T](src:Rail[GlobalRail[T]], srcIndex:Long, dst:Rail[GlobalRail[T]], dstIndex:Long, count:Long){T haszero}:void {
        check[T](src, srcIndex, count * total, ALL);
        check[T](dst, dstIndex, count * total, ALL);
        if (communicator != 0) {
            run(communicator, EXCHANGE, new Rail[T](0), memory[T](src, ALL), srcIndex, memory[T](dst, ALL), dstIndex, count, ALL, Team.ADD);
            return;
        }
        val row = count * total;
        val all = new Rail[T](row * total);
        team.gatherv[T](team.place(0), fetched[T](src, srcIndex, row), 0, all, 0, elementsOfMembers(row));
        team.bcast[T](team.place(0), all, 0, all, 0, all.size);
        finish for (i in 0..(devices.size - 1)) for (giver in 0..(total - 1))
            Rail.asyncCopy(all, giver * row + (first + i) * count, dst(i), dstIndex + giver * count, count);
    }

    /** "CUDATeam(4 accelerators, NCCL)". */
    public def toString():String =
        "CUDATeam(" + total + (total == 1 ? " accelerator" : " accelerators") + (communicator != 0 ? ", NCCL)" : ")");

    /** In place of a role. */
    private static val ALL:Long = -1;
    private static val REDUCE:Int = 0n;
    private static val BROADCAST:Int = 1n;
    private static val SCATTER:Int = 2n;
    private static val GATHER:Int = 3n;
    private static val EXCHANGE:Int = 4n;

    /** Joins NCCL if all members can; what one cannot, none does. */
    private static def join(team:Team, devices:Rail[Place], first:Long, total:Long):Long {
        var usable:Boolean = ready() && devices.size > 0;
        for (i in 0..(devices.size - 1)) {
            usable = usable && devices(i).isCUDA();
            for (j in 0..(i - 1)) usable = usable && devices(i) != devices(j);
        }
        if (team.agree(usable ? 1n : 0n) == 0n) return 0;
        val mark = new Rail[Byte](128);
        val root = team.place(0);
        val marked = here != root || newMark(mark);
        if (team.agree(marked ? 1n : 0n) == 0n) return 0;
        team.bcast[Byte](root, mark, 0, mark, 0, mark.size);
        val made = join(new Rail[Long](devices.size, (i:Long)=>devices(i).id), first, total, mark);
        if (team.agree(made != 0 ? 1n : 0n) != 0n) return made;
        if (made != 0) leave(made);
        return 0;
    }

    private def check():void {
        if (here != home) throw new BadPlaceException("this CUDATeam belongs to " + home + ", not to " + here + ": make one there, too");
    }
    private def checkRole(role:Long):void {
        if (role < 0 || role >= total)
            throw new IllegalArgumentException("the role " + role + " is not one of 0 to " + (total - 1));
    }
    /** Whether rails are those of this place's accelerators, and, of all or of one role, long enough. */
    private def check[T](rails:Rail[GlobalRail[T]], index:Long, count:Long, role:Long):void {
        check();
        if (rails.size != devices.size)
            throw new IllegalArgumentException(rails.size + " rails for " + devices.size + " accelerators of " + here);
        if (count < 0) throw new IllegalArgumentException("a count of " + count);
        for (i in 0..(devices.size - 1)) {
            if (role != ALL && role != first + i) continue;
            if (rails(i).home() != devices(i))
                throw new BadPlaceException("rail " + i + " lives at " + rails(i).home() + ", but accelerator " + i + " is " + devices(i));
            if (index < 0 || index > rails(i).size - count)
                throw new ArrayIndexOutOfBoundsException(count + " elements from index " + index + " are not in " + rails(i));
        }
    }
    private def has(role:Long):Boolean = role >= first && role < first + devices.size;
    private def memberOf(role:Long):Place {
        var member:Long = 0;
        for (var before:Long = counts(0); before <= role; before += counts(member)) member++;
        return team.place(member);
    }
    private def elementsOfMembers(count:Long):Rail[Int] {
        for (it in counts) if (it * count > Int.MAX_VALUE)
            throw new UnsupportedOperationException(it * count + " elements of one place without NCCL; at most " + Int.MAX_VALUE + " are moved at once");
        return new Rail[Int](counts.size, (i:Long)=>(counts(i) * count) as Int);
    }
    /** Addresses, of all or of one role; 0 for others. */
    private def memory[T](rails:Rail[GlobalRail[T]], role:Long):Rail[Long] =
        new Rail[Long](devices.size, (i:Long)=>role == ALL || role == first + i ? rails(i).memory() : 0);
    /** count elements of each, one after the other. */
    private def fetched[T](rails:Rail[GlobalRail[T]], index:Long, count:Long){T haszero}:Rail[T] {
        val all = new Rail[T](count * devices.size);
        finish for (i in 0..(devices.size - 1)) Rail.asyncCopy(rails(i), index, all, i * count, count);
        return all;
    }
    /** count elements of each, combined element by element. A place without accelerators has nothing to combine. */
    private def combined[T](rails:Rail[GlobalRail[T]], index:Long, count:Long, op:Int){T haszero}:Rail[T] {
        if (devices.size == 0) throw new UnsupportedOperationException(here + " has no accelerator in " + this + ", and nothing to combine");
        val sum = new Rail[T](count);
        finish Rail.asyncCopy(rails(0), index, sum, 0, count);
        val other = new Rail[T](devices.size > 1 ? count : 0);
        for (i in 1..(devices.size - 1)) {
            finish Rail.asyncCopy(rails(i), index, other, 0, count);
            if (Team.combines(sum)) combine(sum, other, count, op);
            else for (e in 0..(count - 1)) sum(e) = Team.combine[T](sum(e), other(e), op);
        }
        return sum;
    }

    @Intrinsic("rt.collective_ready") private static native def ready():Boolean;
    @Intrinsic("rt.collective_mark") private static native def newMark(rail:Any):Boolean;
    @Intrinsic("rt.collective_join") private static native def join(places:Any, first:Long, size:Long, mark:Any):Long;
    @Intrinsic("rt.collective_leave") private static native def leave(number:Long):void;
    @Intrinsic("rt.collective_combines") private static native def knows(sample:Any, op:Int):Boolean;
    @Intrinsic("rt.collective_run") private static native def run(number:Long, what:Int, sample:Any, sources:Any, sourceIndex:Long, targets:Any, targetIndex:Long, count:Long, root:Long, op:Int):void;
    @Intrinsic("rt.collective_combine") private static native def combine(target:Any, source:Any, count:Long, op:Int):void;
}

/** What a member says when a CUDATeam is made. */
struct DevicesOf(place:Long, count:Long) { }
