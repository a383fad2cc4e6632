package x10.util;

/** What a collection can do by means of adding and removing one value. */
public abstract class AbstractCollection[T] extends AbstractContainer[T] implements Collection[T] {
    public abstract def add(v:T):Boolean;
    public abstract def remove(v:T):Boolean;
    public abstract def clone():Collection[T];

    public def addAll(c:Container[T]):Boolean = addAllWhere(c, (x:T)=>true);
    public def retainAll(c:Container[T]):Boolean = removeMembers(c, false);
    public def removeAll(c:Container[T]):Boolean = removeMembers(c, true);
    /** Takes out the values that are in c, or those that are not. */
    private def removeMembers(c:Container[T], inside:Boolean):Boolean = removeAllWhere((value:T)=>c.contains(value) == inside);
    public def addAllWhere(c:Container[T], p:(T)=>Boolean):Boolean {
        // Of itself only what was there at the start.
        val source:Container[T] = (c as Any) == (this as Any) ? c.clone() : c;
        var changed:Boolean = false;
        for (x:T in source) if (p(x) && add(x)) changed = true;
        return changed;
    }
    public def removeAllWhere(p:(T)=>Boolean):Boolean {
        var changed:Boolean = false;
        for (x:T in clone()) if (p(x) && remove(x)) changed = true;
        return changed;
    }
    public def clear():void { removeAllWhere((x:T)=>true); }
}
