package x10.util;

import x10.compiler.Volatile;
import x10.io.Deserializer;
import x10.io.Serializer;

/**
 * A map whose keys are found by their hashCode and equals. Keys and values lie in two rails, in the order in which they
 * were put in (until one is taken out), so that going over them is fast; a table says where each key is.
 */
public class HashMap[K,V]{V haszero} implements Map[K,V] {
    private static MIN_SIZE:Long = 8;
    private static GREATEST_SIZE:Long = 1 << 30;
    /** The golden ratio spreads hashes whose lower bits are alike. */
    private static SPREAD:Long = 0x9e3779b97f4a7c15;

    private var keys:Rail[K];
    private var values:Rail[V];
    private var count:Long = 0;
    /** How often keys came or went: an iterator that is older must not go on. */
    private var changes:Long = 0;
    /**
     * Open addressing with linear probing: 0 is free, else the hash in the upper half and 1 + the position in the rails in
     * the lower. It is no part of what is sent to another place, for hashes of identities are others there: it is made
     * when it is first needed, perhaps by several activities that look for keys at once, each of which makes the same.
     */
    @Volatile private transient var table:Rail[Long] = null;

    /** An empty map. */
    public def this() { this(MIN_SIZE); }
    /** An empty map with room for sz keys. */
    public def this(sz:Long) {
        val room = Math.max(sz, MIN_SIZE);
        keys = Unsafe.allocRailUninitialized[K](room);
        values = Unsafe.allocRailUninitialized[V](room);
    }

    /** The map that serialize wrote. */
    public def this(ds:Deserializer) {
        this();
        val size = ds.readAny() as Long;
        for (i in 1..size) {
            val key = ds.readAny() as K;
            enter(key, ds.readAny() as V);
        }
    }
    /** Writes the keys and values, for a class that says itself what is sent of it and has a map in it. */
    public def serialize(s:Serializer):void {
        s.writeAny(count);
        for (i in 0..(count - 1)) {
            s.writeAny(keys(i));
            s.writeAny(values(i));
        }
    }

    /** Where a hash belongs in a table with that mask: each of these bits of the product depends on all of the hash. */
    private static def home(hash:Int, mask:Long):Long = (((hash as Long) * SPREAD) >>> 32) & mask;
    private static def hashOf(entry:Long):Int = (entry >> 32) as Int;
    private static def positionOf(entry:Long):Long = (entry & 0xffffffff) - 1;
    private static def entry(hash:Int, position:Long):Long = ((hash as Long) << 32) | (position + 1);

    /** The table, made if there is none. */
    private def slots():Rail[Long]{self!=null} {
        val slots = table;
        return slots == null ? rebuild() : slots as Rail[Long]{self!=null};
    }
    /** The slot of the key, or the free one where it belongs. */
    private def slot(slots:Rail[Long]{self!=null}, key:K, hash:Int):Long {
        val mask = slots.size - 1;
        var spot:Long = home(hash, mask);
        while (true) {
            val found = Unsafe.uncheckedRailApply(slots, spot);
            if (found == 0) return spot;
            if (hashOf(found) == hash && key.equals(Unsafe.uncheckedRailApply(keys, positionOf(found)))) return spot;
            spot = (spot + 1) & mask;
        }
    }
    /** The position of the key, or -1. */
    private def find(key:K):Long {
        val slots = slots();
        return positionOf(Unsafe.uncheckedRailApply(slots, slot(slots, key, key.hashCode())));
    }
    /** A table that is at most half full when the rails are full. */
    private def rebuild():Rail[Long]{self!=null} {
        if (keys.size > GREATEST_SIZE) throw new OutOfMemoryError("a HashMap for " + keys.size + " keys");
        var size:Long = 2 * MIN_SIZE;
        while (size < 2 * keys.size) size *= 2;
        val slots = new Rail[Long](size);
        val mask = size - 1;
        for (i in 0..(count - 1)) {
            val hash = keys(i).hashCode();
            var spot:Long = home(hash, mask);
            while (slots(spot) != 0) spot = (spot + 1) & mask;
            slots(spot) = entry(hash, i);
        }
        table = slots;
        return slots;
    }
    private def grow():void {
        val room = keys.size * 2;
        val moreKeys = Unsafe.allocRailUninitialized[K](room);
        val moreValues = Unsafe.allocRailUninitialized[V](room);
        Rail.copy(keys, 0, moreKeys, 0, count);
        Rail.copy(values, 0, moreValues, 0, count);
        keys = moreKeys;
        values = moreValues;
        rebuild();
    }

    public def containsKey(k:K):Boolean = find(k) >= 0;
    public def get(k:K):V {
        val position = find(k);
        return position < 0 ? Zero.get[V]() : Unsafe.uncheckedRailApply(values, position);
    }
    public operator this(k:K):V = get(k);
    public def getOrElse(k:K, orelse:V):V {
        val position = find(k);
        return position < 0 ? orelse : Unsafe.uncheckedRailApply(values, position);
    }
    public def getOrThrow(k:K):V {
        val position = find(k);
        if (position < 0) throw new NoSuchElementException("no value for the key " + k);
        return Unsafe.uncheckedRailApply(values, position);
    }
    public def put(k:K, v:V):V = enter(k, v);
    private def enter(k:K, v:V):V {
        val hash = k.hashCode();
        val slots = slots();
        val spot = slot(slots, k, hash);
        val found = Unsafe.uncheckedRailApply(slots, spot);
        if (found != 0) {
            val position = positionOf(found);
            val old = values(position);
            values(position) = v;
            return old;
        }
        changes++;
        // Activities that enter keys at once may lose some, but write nowhere else.
        val end = count;
        if (end >= keys.size || end >= values.size) {
            grow();
            val more = slots();
            more(slot(more, k, hash)) = entry(hash, end);
        } else {
            slots(spot) = entry(hash, end);
        }
        keys(end) = k;
        values(end) = v;
        count = end + 1;
        return Zero.get[V]();
    }
    public operator this(k:K)=(v:V):V = put(k, v);
    public def remove(k:K):V {
        val slots = slots();
        val spot = slot(slots, k, k.hashCode());
        val found = slots(spot);
        if (found == 0) return Zero.get[V]();
        val value = values(positionOf(found));
        takeOut(slots, spot);
        return value;
    }
    public def delete(k:K):Boolean {
        val slots = slots();
        val spot = slot(slots, k, k.hashCode());
        if (slots(spot) == 0) return false;
        takeOut(slots, spot);
        return true;
    }
    /** Frees a slot; the last key moves to the position that becomes free. */
    private def takeOut(slots:Rail[Long]{self!=null}, slot:Long):void {
        changes++;
        val position = positionOf(slots(slot));
        val last = count - 1;
        if (position != last) {
            val moved = keys(last);
            val hash = moved.hashCode();
            val mask = slots.size - 1;
            var spot:Long = home(hash, mask);
            while (positionOf(slots(spot)) != last) spot = (spot + 1) & mask;
            slots(spot) = entry(hash, position);
            keys(position) = moved;
            values(position) = values(last);
        }
        Unsafe.clearElement(keys, last);
        Unsafe.clearElement(values, last);
        count = last;
        closeGap(slots, slot);
    }
    /** Moves back the entries after a slot that are not where they would be had it been free. */
    private static def closeGap(slots:Rail[Long]{self!=null}, slot:Long):void {
        val mask = slots.size - 1;
        var free:Long = slot;
        for (var spot:Long = (slot + 1) & mask; slots(spot) != 0; spot = (spot + 1) & mask) {
            val distance = (spot - home(hashOf(slots(spot)), mask)) & mask;
            if (distance < ((spot - free) & mask)) continue;
            slots(free) = slots(spot);
            free = spot;
        }
        slots(free) = 0;
    }
    public def clear():void {
        changes++;
        keys = Unsafe.allocRailUninitialized[K](MIN_SIZE);
        values = Unsafe.allocRailUninitialized[V](MIN_SIZE);
        count = 0;
        table = null;
    }
    /** Makes the table anew, for keys whose hashes have changed. */
    public def rehash():void { changes++; rebuild(); }

    public def size():Long = count;
    /** Whether there is no key. */
    public def isEmpty():Boolean = count == 0;
    public def keySet():Set[K] = new HashMapKeys[K,V](this);
    public def entries():Set[Map.Entry[K,V]] = new HashMapEntries[K,V](this);
    /** "{key=value,...}". */
    public def toString():String {
        val text = new StringBuilder();
        text.add('{');
        for (i in 0..(count - 1)) {
            if (i > 0) text.add(',');
            text.addString("" + keys(i)).add('=').addString("" + values(i));
        }
        return text.add('}').result();
    }

    def keyAt(position:Long):K = keys(position);
    def valueAt(position:Long):V = values(position);
    def changes():Long = changes;
    /** Makes v the value of k, which was at this position when the entry was made. */
    def update(position:Long, k:K, v:V):void {
        if (position < count && keys(position).equals(k)) values(position) = v;
        else if (containsKey(k)) put(k, v);
    }
}

/** Gives the positions in a map one after another. */
class HashMapPositions[K,V]{V haszero} {
    protected val map:HashMap[K,V];
    private val changes:Long;
    private var position:Long = 0;

    def this(map:HashMap[K,V]) { this.map = map; this.changes = map.changes(); }

    public def hasNext():Boolean = position < map.size();
    protected def nextPosition():Long {
        if (changes != map.changes()) throw new IllegalStateException("the HashMap has changed since the iterator was made");
        if (position >= map.size()) throw new NoSuchElementException("no more keys in the HashMap");
        return position++;
    }
}

final class HashMapKeyIterator[K,V]{V haszero} extends HashMapPositions[K,V] implements Iterator[K] {
    def this(map:HashMap[K,V]) { super(map); }
    public def next():K = map.keyAt(nextPosition());
}

final class HashMapEntryIterator[K,V]{V haszero} extends HashMapPositions[K,V] implements Iterator[Map.Entry[K,V]] {
    def this(map:HashMap[K,V]) { super(map); }
    public def next():Map.Entry[K,V] {
        val position = nextPosition();
        return new HashMapEntry[K,V](map, position, map.keyAt(position), map.valueAt(position));
    }
}

final class HashMapEntry[K,V]{V haszero} implements Map.Entry[K,V] {
    private val map:HashMap[K,V];
    private val position:Long;
    private val key:K;
    private var value:V;

    def this(map:HashMap[K,V], position:Long, key:K, value:V) {
        this.map = map;
        this.position = position;
        this.key = key;
        this.value = value;
    }

    public def getKey():K = key;
    public def getValue():V = value;
    public def setValue(v:V):void {
        value = v;
        map.update(position, key, v);
    }
    public def equals(that:Any):Boolean {
        if (!(that instanceof Map.Entry[K,V])) return false;
        val other = that as Map.Entry[K,V];
        return key.equals(other.getKey()) && (value == null ? other.getValue() == null : value.equals(other.getValue()));
    }
    public def hashCode():Int = key.hashCode() ^ (value == null ? 0n : value.hashCode());
    public def toString():String = key + "=" + value;
}

final class HashMapKeys[K,V]{V haszero} extends AbstractCollection[K] implements Set[K] {
    private val map:HashMap[K,V];

    def this(map:HashMap[K,V]) { this.map = map; }

    public def size():Long = map.size();
    public def contains(k:K):Boolean = map.containsKey(k);
    public def add(k:K):Boolean { throw new UnsupportedOperationException("a key without a value cannot be put into a HashMap"); }
    public def remove(k:K):Boolean = map.delete(k);
    public def iterator():Iterator[K] = new HashMapKeyIterator[K,V](map);
    public def clone():HashSet[K] {
        val copy = new HashSet[K]();
        for (k in this) copy.add(k);
        return copy;
    }
}

final class HashMapEntries[K,V]{V haszero} extends AbstractCollection[Map.Entry[K,V]] implements Set[Map.Entry[K,V]] {
    private val map:HashMap[K,V];

    def this(map:HashMap[K,V]) { this.map = map; }

    public def size():Long = map.size();
    public def contains(e:Map.Entry[K,V]):Boolean {
        if (!map.containsKey(e.getKey())) return false;
        val value = map.get(e.getKey());
        return value == null ? e.getValue() == null : value.equals(e.getValue());
    }
    public def add(e:Map.Entry[K,V]):Boolean {
        if (contains(e)) return false;
        map.put(e.getKey(), e.getValue());
        return true;
    }
    public def remove(e:Map.Entry[K,V]):Boolean = contains(e) && map.delete(e.getKey());
    public def iterator():Iterator[Map.Entry[K,V]] = new HashMapEntryIterator[K,V](map);
    public def clone():HashSet[Map.Entry[K,V]] {
        val copy = new HashSet[Map.Entry[K,V]]();
        for (e in this) copy.add(e);
        return copy;
    }
}
