package x10.util;

/** The keys of a map as a set. */
public abstract class MapSet[T] extends AbstractCollection[T] implements Set[T] {
    val map:Map[T,Boolean];

    /** The keys of map; what is added gets the value true. */
    public def this(map:Map[T,Boolean]) { this.map = map; }

    public def size():Long = map.size();
    public def contains(v:T):Boolean = map.containsKey(v);
    public def add(v:T):Boolean {
        val before = map.size();
        map.put(v, true);
        return map.size() > before;
    }
    public def remove(v:T):Boolean = map.delete(v);
    public def clear():void { map.clear(); }
    public def iterator():Iterator[T] = map.keySet().iterator();
}
