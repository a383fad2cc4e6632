package x10.util.resilient.localstore;

import x10.util.HashMap;
import x10.util.resilient.PlaceManager.ChangeDescription;

/** Maps from names to values, one part of each at every place. Values are copied as they go in and come out. */
public class ResilientStore {
    private val maps:PlaceLocalHandle[HashMap[String,HashMap[String,Cloneable]]];
    private var active:PlaceGroup;

    private def this(active:PlaceGroup) {
        this.active = active;
        this.maps = PlaceLocalHandle.make[HashMap[String,HashMap[String,Cloneable]]](active,
            () => new HashMap[String,HashMap[String,Cloneable]]());
    }

    /** An empty store at the places of a group. */
    public static def make(pg:PlaceGroup):ResilientStore = new ResilientStore(pg);

    /** The map of that name. */
    public def makeMap(name:String):ResilientNativeMap = new ResilientNativeMap(name, maps);
    /** The number of this place among the active ones. */
    public def getVirtualPlaceId():Long = active.indexOf(here);
    /** The places of the store. */
    public def getActivePlaces():PlaceGroup = active;
    /** Notes that other places are active. */
    public def updateForChangedPlaces(changes:ChangeDescription):void { active = changes.newActivePlaces; }
}
