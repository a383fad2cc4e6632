package x10.lang;

import x10.compiler.Intrinsic;

/** What the class library may do and programs should not. */
public final class Unsafe {
    /** A rail of size elements that the caller sets before anyone reads them; works for types without a zero. */
    @Intrinsic("rail.allocate_unwritten") public static native def allocRailUninitialized[T](size:Long):Rail[T]{self.size==size,self!=null};
    /** A rail of size zeros. */
    @Intrinsic("rail.allocate") public static native def allocRailZeroed[T](size:Long):Rail[T]{self.size==size,self!=null};
    /** Sets all elements to zero, also of a type that has none. */
    public static def clearRail[T](x:Rail[T]):void { clearRange(x, 0, x.size); }
    /** Sets numElems elements from start on to zero, also of a type that has none. */
    public static def clearRail[T](x:Rail[T], start:Long, numElems:Long):void { clearRange(x, start, numElems); }
    @Intrinsic("rt.rail_clear") private static native def clearRange(rail:Any, start:Long, count:Long):void;
    /** The element at an index that is known to be right. */
    @Intrinsic("rail.get_unchecked") public static native def uncheckedRailApply[T](r:Rail[T], i:Long):T;
    /** Sets the element at an index that is known to be right. */
    @Intrinsic("rail.set_unchecked") public static native def uncheckedRailSet[T](r:Rail[T], i:Long, v:T):T{self==v};
    /**
     * Lets the collector no longer see what the element at an index that is known to be right refers to: sets it to zero, also of a
     * type that has none. A number, which refers to nothing, may stay.
     */
    @Intrinsic("rail.clear_unchecked") public static native def clearElement[T](r:Rail[T], i:Long):void;
    /** Tells that o is not used any more; the collector finds out itself. */
    public static def dealloc[T](o:T){T isref}:void { }
    /** The same as allocRailUninitialized. */
    @Intrinsic("rail.allocate_unwritten") public static native def uninitialised[T](size:Long):Rail[T];
    /** The element at index, which the caller knows to be in the rail. */
    @Intrinsic("rail.get_unchecked") public static native def get[T](rail:Rail[T], index:Long):T;
    /** Sets the element at index, which the caller knows to be in the rail. */
    @Intrinsic("rail.set_unchecked") public static native def set[T](rail:Rail[T], index:Long, value:T):void;
    /** Sets count elements from start on to zero, also where the type has none and nobody reads it. */
    @Intrinsic("rt.rail_clear") public static native def clear(rail:Any, start:Long, count:Long):void;
    /** The point of that rank with these coordinates; those beyond its axes mean nothing. If there are more than four, all are in more. */
    public static def point(rank:Long, c0:Long, c1:Long, c2:Long, c3:Long, more:Rail[Long]):Point = new Point(rank, c0, c1, c2, c3, more);
    /** The first coordinate of a point, which the caller knows to have one. */
    public static def first(p:Point):Long = p.c0;
    /** The second coordinate of a point, which the caller knows to have two. */
    public static def second(p:Point):Long = p.c1;
    /** The third coordinate of a point, which the caller knows to have three. */
    public static def third(p:Point):Long = p.c2;
    /** The fourth coordinate of a point, which the caller knows to have four. */
    public static def fourth(p:Point):Long = p.c3;
    /** All coordinates of a point of more than four axes; else null. */
    public static def more(p:Point):Rail[Long] = p.more;
    /** The rail at dst that was made there as r was here, by the same number of calls of a congruent allocator before. */
    public static def getCongruentSibling[T](r:Rail[T]{self!=null}, dst:Place):GlobalRail[T]{self.size==r.size,self.home()==dst} {
        val number = x10.xrx.Congruent.numberOf(r);
        val sibling = dst == here ? GlobalRail[T](r) : at (dst) GlobalRail[T](x10.xrx.Congruent.numbered(number) as Rail[T]);
        return sibling as GlobalRail[T]{self.size==r.size,self.home()==dst};
    }
}
