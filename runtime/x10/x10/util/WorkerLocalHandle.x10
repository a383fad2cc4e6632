package x10.util;

import x10.compiler.WorkerLocal;

/** An object for each thread of each place. The handle can be sent to other places. */
public class WorkerLocalHandle[T]{T isref, T haszero} implements ()=>T, (T)=>void {
    private val objects:PlaceLocalHandle[WorkerLocal[T]];

    /** Objects are set by the threads. */
    public def this() { this(()=>Zero.get[T]()); }
    /** Each thread's object is made by init at the first access. */
    public def this(init:()=>T) { objects = PlaceLocalHandle.make[WorkerLocal[T]](Place.places(), ()=>new WorkerLocal[T](init)); }

    /** This thread's object. */
    public operator this():T = objects()();
    /** Makes t this thread's object. */
    public operator this(t:T):void { objects()(t); }
    /** Forgets all objects of this place; new ones are made by init. */
    public def initLocal(init:()=>T):void { objects().resetAll(init); }
    /** Runs op with each object that there is at this place, and waits. */
    public def applyLocal(op:(t:T)=>void):void { objects().applyToAll(op); }
    /** All objects that there are at this place, combined by op; null if there is none. */
    public def reduceLocal(op:(a:T, b:T)=>T):T = objects().reduce(op);
    /** result and all objects that there are at this place, combined by op. */
    public def reduceLocal(result:T, op:(a:T, b:T)=>T):T = objects().reduce(result, op);
}
