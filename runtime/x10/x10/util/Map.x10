package x10.util;

/** Keys, no two of them equal, and a value for each. */
public interface Map[K,V]{V haszero} {
    /** Whether k has a value. */
    public def containsKey(k:K):Boolean;
    /** The value of k, or the zero of V. */
    public def get(k:K):V;
    /** The value of k, or the zero of V. */
    public operator this(k:K):V;
    /** The value of k, or orelse. */
    public def getOrElse(k:K, orelse:V):V;
    /** The value of k; raises a NoSuchElementException if it has none. */
    public def getOrThrow(k:K):V;
    /** Makes v the value of k; gives the one before, or the zero of V. */
    public def put(k:K, v:V):V;
    /** Makes v the value of k; gives the one before, or the zero of V. */
    public operator this(k:K)=(v:V):V;
    /** Takes k out; whether it had a value. */
    public def delete(k:K):Boolean;
    /** Takes k out; gives its value, or the zero of V. */
    public def remove(k:K):V;
    /** Takes out all keys. */
    public def clear():void;
    /** The keys, as the map has them at any time. */
    public def keySet():Set[K];
    /** The keys with their values, as the map has them at any time. */
    public def entries():Set[Entry[K,V]];
    /** How many keys. */
    public def size():Long;

    /** A key of a map and its value. */
    public static interface Entry[Key,Val] {
        /** The key. */
        public def getKey():Key;
        /** Its value. */
        public def getValue():Val;
        /** Makes v its value, in the map as well. */
        public def setValue(v:Val):void;
    }
}
