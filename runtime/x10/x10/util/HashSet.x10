package x10.util;

/** A set whose values are found by their hashCode and equals. */
public class HashSet[T] extends MapSet[T] {
    /** An empty set. */
    public def this() { super(new HashMap[T,Boolean]()); }
    /** An empty set with room for sz values. */
    public def this(sz:Int) { super(new HashMap[T,Boolean](sz as Long)); }
    /** The keys of map. */
    public def this(map:HashMap[T,Boolean]) { super(map); }

    public def clone():HashSet[T] {
        val room = size();
        val twin = new HashMap[T,Boolean](room);
        for (v in this) twin.put(v, true);
        return new HashSet[T](twin);
    }
    /** The values in braces. */
    public def toString():String {
        val text = new StringBuilder();
        text.add('{');
        var first:Boolean = true;
        for (v in this) {
            if (first) first = false; else text.add(',');
            text.add("" + v);
        }
        return text.add('}').result();
    }
}
