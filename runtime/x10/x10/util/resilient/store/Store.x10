package x10.util.resilient.store;

import x10.util.HashMap;
import x10.util.resilient.PlaceManager.ChangeDescription;
import x10.util.resilient.localstore.Cloneable;
import x10.util.resilient.localstore.ResilientNativeMap;
import x10.util.resilient.localstore.ResilientStore;

/** Values by name, a part at each place. */
public abstract class Store[V]{V haszero, V <: Cloneable} {
    /** An empty store at the places of a group. */
    public static def make[V](name:String, activePlaces:PlaceGroup){V haszero, V <: Cloneable}:Store[V] =
        new NativeStore[V](name, activePlaces);

    /** What this place has under that key. */
    public abstract def get(key:String):V;
    /** Keeps a value at this place. */
    public abstract def set(key:String, value:V):void;
    /** Keeps all values at this place. */
    public abstract def setAll(pairs:HashMap[String,V]):void;
    /** What another place has under that key. */
    public def getRemote(place:Place, key:String):V = at (place) get(key);
    /** Keeps a value at another place. */
    public def setRemote(place:Place, key:String, value:V):void { at (place) set(key, value); }
    /** Keeps one value at this place and one at another: both or none. */
    public abstract def set2(key:String, value:V, place:Place, key2:String, value2:V):void;
    /** Notes that other places are active. */
    public abstract def updateForChangedPlaces(changes:ChangeDescription):void;
    /** The places of the store. */
    public abstract def getActivePlaces():PlaceGroup;
}

class NativeStore[V]{V haszero, V <: Cloneable} extends Store[V] {
    private val store:ResilientStore;
    private val map:ResilientNativeMap;

    def this(name:String, activePlaces:PlaceGroup) {
        store = ResilientStore.make(activePlaces);
        map = store.makeMap(name);
    }

    public def get(key:String):V = map.get(key) as V;
    public def set(key:String, value:V):void { map.set(key, value); }
    public def setAll(pairs:HashMap[String,V]):void { for (entry in pairs.entries()) set(entry.getKey(), entry.getValue()); }
    public def set2(key:String, value:V, place:Place, key2:String, value2:V):void {
        finish {
            at (place) async map.set(key2, value2);
            map.set(key, value);
        }
    }
    public def updateForChangedPlaces(changes:ChangeDescription):void { store.updateForChangedPlaces(changes); }
    public def getActivePlaces():PlaceGroup = store.getActivePlaces();
}
