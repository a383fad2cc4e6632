package x10.xrx;

import x10.util.ArrayList;

/** The rails of congruent allocators at this place, in the order in which they were made: that is how they are found at others. */
public final class Congruent {
    private static RAILS:ArrayList[Any] = new ArrayList[Any]();

    private def this() { }

    static def add(rail:Any):void { atomic RAILS.add(rail); }
    /** Which one a rail of this place is. */
    public static def numberOf(rail:Any):Long {
        atomic for (i in 0..(RAILS.size() - 1)) if (System.identityEquals(RAILS(i), rail)) return i;
        throw new IllegalArgumentException("the rail was not made with a congruent allocator");
    }
    /** The one with that number at this place. */
    public static def numbered(number:Long):Any {
        atomic if (number < RAILS.size()) return RAILS(number);
        throw new IllegalArgumentException("no congruent rail with number " + number + " was made at " + here);
    }
}
