package x10.util;

import x10.compiler.Intrinsic;

/**
 * Collective operations over some host places: each member calls the same operations in the same order, with an activity
 * of its own. Rails of any type can be moved; numbers, Booleans and what implements Arithmetic, Bitwise or Ordered can be combined.
 */
public struct Team {
    private val number:Int;
    /** The places of the members in the order of their roles; null for all host places. */
    private val members:Rail[Long];

    private def this(number:Int, members:Rail[Long]) {
        this.number = number;
        this.members = members;
    }
    /** A team of these places. It may be sent to them like any value. */
    public def this(places:PlaceGroup) {
        this.number = newNumber();
        this.members = isWorld(places) ? null : new Rail[Long](places.numPlaces(), (i:Long)=>places(i).id);
    }

    /** The team of all host places. */
    public static WORLD:Team = Team(0n, null);

    /** Sum. */
    public static ADD:Int = 0n;
    /** Product. */
    public static MUL:Int = 1n;
    /** Bitwise and. */
    public static AND:Int = 3n;
    /** Bitwise or. */
    public static OR:Int = 4n;
    /** Bitwise exclusive or. */
    public static XOR:Int = 5n;
    /** Greatest. */
    public static MAX:Int = 6n;
    /** Least. */
    public static MIN:Int = 7n;

    /** The number of the team, its own. */
    public def id():Int = number;
    /** How many places. */
    public def size():Long = members == null ? Place.numPlaces() : members.size;
    /** The place with a role. */
    def place(role:Long):Place = Place(members == null ? role : members(role));
    private static def isWorld(places:PlaceGroup):Boolean {
        if (places.numPlaces() != Place.numPlaces()) return false;
        for (i in 0..(places.numPlaces() - 1)) if (places(i).id != i) return false;
        return true;
    }

    /** Waits for all members. */
    public def barrier():void { barrier(number, members); }
    /** The same as barrier. */
    public def nativeBarrier():void { barrier(number, members); }
    /** The same as barrier: a place that dies ends the program. */
    public def barrierIgnoreExceptions():void { barrier(number, members); }
    /** Waits for all members; the result is the bitwise and of their flags. */
    public def agree(flag:Int):Int = allreduce(flag, AND);

    /** Gives each member count elements of the place root's src, in the order of their roles. */
    public def scatter[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        scatter(number, members, root.id, src, srcIndex, dst, dstIndex, count, null);
    }
    /** Gives each member its part of the place root's src: counts(role) elements. */
    public def scatterv[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, counts:Rail[Int]):void {
        scatter(number, members, root.id, src, srcIndex, dst, dstIndex, 0, counts);
    }
    /** Puts count elements of each member's src into the place root's dst, in the order of their roles. */
    public def gather[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        gather(number, members, root.id, src, srcIndex, dst, dstIndex, count, null);
    }
    /** Puts counts(role) elements of each member's src into the place root's dst. */
    public def gatherv[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, counts:Rail[Int]):void {
        gather(number, members, root.id, src, srcIndex, dst, dstIndex, 0, counts);
    }
    /** Copies count elements of the place root's src to every member's dst. */
    public def bcast[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        broadcast(number, members, root.id, src, srcIndex, dst, dstIndex, count);
    }
    /** Gives each member count elements of everyone's src, in the order of the givers' roles. */
    public def alltoall[T](src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long):void {
        exchange(number, members, src, srcIndex, dst, dstIndex, count);
    }

    /** Combines count elements of every member's src, element by element, into the place root's dst. */
    public def reduce[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, op:Int):void {
        if (combines(src)) {
            reduce(number, members, root.id, src, srcIndex, dst, dstIndex, count, op);
        } else {
            combineAt[T](root, src, srcIndex, dst, dstIndex, count, op);
        }
    }
    /** Combines one value of every member; the result is defined at the place root. */
    public def reduce[T](root:Place, value:T, op:Int):T {
        val cell = new Rail[T](1, value);
        reduce[T](root, cell, 0, cell, 0, 1, op);
        return cell(0);
    }
    /** Combines count elements of every member's src, element by element, into every member's dst. */
    public def allreduce[T](src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, op:Int):void {
        if (combines(src)) {
            allReduce(number, members, src, srcIndex, dst, dstIndex, count, op);
        } else {
            combineAt[T](place(0), src, srcIndex, dst, dstIndex, count, op);
            bcast[T](place(0), dst, dstIndex, dst, dstIndex, count);
        }
    }
    /** Combines one value of every member. */
    public def allreduce[T](value:T, op:Int):T {
        val cell = new Rail[T](1, value);
        allreduce[T](cell, 0, cell, 0, 1, op);
        return cell(0);
    }
    /** The idx of the member with the greatest v; of several, the least idx. */
    public def indexOfMax(v:Double, idx:Int):Int = indexOfBest(v, idx, (a:Double, b:Double)=>a > b);
    /** The idx of the member with the least v; of several, the least idx. */
    public def indexOfMin(v:Double, idx:Int):Int = indexOfBest(v, idx, (a:Double, b:Double)=>a < b);

    private def indexOfBest(v:Double, idx:Int, better:(Double, Double)=>Boolean):Int {
        val all = fromAll[Candidate](Candidate(v, idx));
        var best:Candidate = all(0);
        for (it in all) {
            if (better(it.value, best.value) || it.value == best.value && it.index < best.index) best = it;
        }
        return best.index;
    }

    /** New teams: of the members with the same color, in the order of their new roles. */
    public def split(color:Int, new_role:Long):Team {
        val own = here.id;
        val all = fromAll[Role](Role(color, new_role, own, newNumber()));
        val chosen = new ArrayList[Role]();
        for (it in all) if (it.color == color) chosen.add(it);
        chosen.sort((a:Role, b:Role)=>a.role.compareTo(b.role));
        // Everyone offers a number; that of the first member is taken.
        return Team(chosen(0).number, new Rail[Long](chosen.size(), (i:Long)=>chosen(i).place));
    }
    /** The team is not used any more. */
    public def delete():void { forget(number); }

    /** "Team(n)". */
    public def toString():String = "Team(" + number + ")";
    /** Whether that is the same team. */
    public def equals(that:Team):Boolean = that.number == number;
    /** Whether that is the same team. */
    public def equals(that:Any):Boolean = that instanceof Team && (that as Team).number == number;
    /** The number. */
    public def hashCode():Int = number;

    /** Every member's value, in the order of their roles. */
    def fromAll[T](value:T):Rail[T] {
        val all = new Rail[T](size(), value);
        gather[T](place(0), new Rail[T](1, value), 0, all, 0, 1);
        bcast[T](place(0), all, 0, all, 0, size());
        return all;
    }

    private def combineAt[T](root:Place, src:Rail[T], srcIndex:Long, dst:Rail[T], dstIndex:Long, count:Long, op:Int):void {
        if (count == 0) return;
        val all = new Rail[T](here == root ? size() * count : 1, src(srcIndex));
        gather[T](root, src, srcIndex, all, 0, count);
        if (here != root) return;
        for (i in 0..(count - 1)) {
            var combined:T = all(i);
            for (role in 1..(size() - 1)) combined = combine[T](combined, all(role * count + i), op);
            dst(dstIndex + i) = combined;
        }
    }
    static def combine[T](a:T, b:T, op:Int):T {
        if (op == ADD) return (a as Any as Arithmetic[T]) + b;
        if (op == MUL) return (a as Any as Arithmetic[T]) * b;
        if (op == AND) return (a as Any as Bitwise[T]) & b;
        if (op == OR) return (a as Any as Bitwise[T]) | b;
        if (op == XOR) return (a as Any as Bitwise[T]) ^ b;
        if (op == MAX) return (a as Any as Ordered[T]) < b ? b : a;
        if (op == MIN) return (a as Any as Ordered[T]) > b ? b : a;
        throw new IllegalArgumentException(op + " is none of the operations of Team");
    }

    @Intrinsic("rt.team_number") private static native def newNumber():Int;
    @Intrinsic("rt.team_forget") private static native def forget(team:Long):void;
    @Intrinsic("rt.team_barrier") private static native def barrier(team:Long, members:Any):void;
    @Intrinsic("rt.team_broadcast") private static native def broadcast(team:Long, members:Any, root:Long, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long):void;
    @Intrinsic("rt.team_scatter") private static native def scatter(team:Long, members:Any, root:Long, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long, counts:Any):void;
    @Intrinsic("rt.team_gather") private static native def gather(team:Long, members:Any, root:Long, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long, counts:Any):void;
    @Intrinsic("rt.team_exchange") private static native def exchange(team:Long, members:Any, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long):void;
    @Intrinsic("rt.team_combines") static native def combines(rail:Any):Boolean;
    @Intrinsic("rt.team_reduce") private static native def reduce(team:Long, members:Any, root:Long, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long, op:Int):void;
    @Intrinsic("rt.team_all_reduce") private static native def allReduce(team:Long, members:Any, src:Any, srcIndex:Long, dst:Any, dstIndex:Long, count:Long, op:Int):void;
}

/** What a member of a team offers in indexOfMax. */
struct Candidate(value:Double, index:Int) { }

/** What a member of a team says in split. */
struct Role(color:Int, role:Long, place:Long, number:Int) { }
