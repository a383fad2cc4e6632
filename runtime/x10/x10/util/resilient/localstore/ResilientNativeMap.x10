package x10.util.resilient.localstore;

import x10.util.HashMap;
import x10.util.Set;

/** A map from names to values; each place has a part of its own. */
public class ResilientNativeMap(name:String) {
    private val maps:PlaceLocalHandle[HashMap[String,HashMap[String,Cloneable]]];

    def this(name:String, maps:PlaceLocalHandle[HashMap[String,HashMap[String,Cloneable]]]) {
        property(name);
        this.maps = maps;
    }

    private def part():HashMap[String,Cloneable] {
        val all = maps();
        val found = all.getOrElse(name, null);
        if (found != null) return found;
        val made = new HashMap[String,Cloneable]();
        all.put(name, made);
        return made;
    }

    /** A copy of what this place has under that key, or null. */
    public def get(k:String):Cloneable {
        atomic {
            val value = part().getOrElse(k, null);
            return value == null ? null : value.clone();
        }
    }
    /** Keeps a copy of a value at this place. */
    public def set(k:String, v:Cloneable):void { atomic part().put(k, v == null ? null : v.clone()); }
    /** Keeps copies of all values at this place. */
    public def setAll(data:HashMap[String,Cloneable]):void { for (entry in data.entries()) set(entry.getKey(), entry.getValue()); }
    /** Forgets what this place has under that key. */
    public def delete(k:String):void { atomic part().remove(k); }
    /** The keys at this place. */
    public def keySet():Set[String] = part().keySet();
}
