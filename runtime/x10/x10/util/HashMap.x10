package x10.util;

/** A map from keys to values, found by hashCode and equals of the keys. Order of iteration is that of insertion. */
public class HashMap[K,V] {
    private val keyList:ArrayList[K] = new ArrayList[K]();
    private val valueList:ArrayList[V] = new ArrayList[V]();
    /** Open addressing: 0 is free, else 1 + the position in the lists. */
    private var table:Rail[Long] = new Rail[Long](16);

    /** An empty map. */
    public def this() { }

    /** The slot of the key, or the free one where it belongs. */
    private def slot(key:K):Long {
        val mask = table.size - 1;
        val hash = key.hashCode() as Long;
        var found:Long = (hash ^ (hash >>> 15)) & mask;
        while (table(found) != 0 && !keyList(table(found) - 1).equals(key)) found = (found + 1) & mask;
        return found;
    }
    private def rebuild(size:Long):void {
        table = new Rail[Long](size);
        for (i in keyList.indices()) table(slot(keyList(i))) = i + 1;
    }

    /** Sets the value of key. */
    public def put(key:K, value:V):void {
        val free = slot(key);
        if (table(free) != 0) { valueList(table(free) - 1) = value; return; }
        keyList.add(key);
        valueList.add(value);
        table(free) = keyList.size();
        if (keyList.size() * 2 > table.size) rebuild(table.size * 2);
    }
    /** The value of key; raises a NoSuchElementException if it has none. */
    public operator this(key:K):V {
        val entry = table(slot(key));
        if (entry == 0) throw new NoSuchElementException("no value for the key " + key);
        return valueList(entry - 1);
    }
    /** Sets the value of key. */
    public operator this(key:K)=(value:V):V { put(key, value); return value; }
    /** The value of key, or null or zero. */
    public def get(key:K){V haszero}:V = getOrElse(key, Zero.get[V]());
    /** The value of key, or orElse. */
    public def getOrElse(key:K, orElse:V):V {
        val entry = table(slot(key));
        return entry == 0 ? orElse : valueList(entry - 1);
    }
    /** Whether key has a value. */
    public def containsKey(key:K):Boolean = table(slot(key)) != 0;
    /** Takes out key; false if it had no value. */
    public def delete(key:K):Boolean {
        val entry = table(slot(key));
        if (entry == 0) return false;
        keyList.removeAt(entry - 1);
        valueList.removeAt(entry - 1);
        rebuild(table.size);
        return true;
    }
    /** How many keys. */
    public def size():Long = keyList.size();
    /** Whether there is none. */
    public def isEmpty():Boolean = size() == 0;
    /** The keys. */
    public def keys():ArrayList[K] = keyList;
    /** Takes out all. */
    public def clear():void { keyList.clear(); valueList.clear(); table = new Rail[Long](16); }
}
