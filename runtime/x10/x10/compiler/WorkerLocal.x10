package x10.compiler;

import x10.xrx.Runtime;

/** An object for each thread that runs activities at this place: activities of one thread share it, others have theirs. */
public final class WorkerLocal[T]{T isref, T haszero} implements ()=>T, (T)=>void {
    private val store:Rail[T] = new Rail[T](Runtime.MAX_THREADS as Long);
    private var init:()=>T;

    /** Each thread's object is made by init at the first access. */
    public def this(init:()=>T) { this.init = init; }

    /** This thread's object. */
    public operator this():T {
        val mine = Runtime.workerId() as Long;
        if (store(mine) == null) store(mine) = init();
        return store(mine);
    }
    /** Makes t this thread's object. */
    public operator this(t:T):void { store(Runtime.workerId() as Long) = t; }
    /** Forgets all objects; new ones are made by init. */
    public def resetAll(init:()=>T):void {
        store.clear();
        this.init = init;
    }
    /** Runs op with each object that there is, and waits. */
    public def applyToAll(op:(t:T)=>void):void {
        finish for (t in store) if (t != null) async op(t);
    }
    /** All objects that there are, combined by op; null if there is none. */
    public def reduce(op:(a:T, b:T)=>T):T = reduce(Zero.get[T](), op);
    /** result and all objects that there are, combined by op. */
    public def reduce(result:T, op:(a:T, b:T)=>T):T {
        var all:T = result;
        for (t in store) if (t != null) all = all == null ? t : op(all, t);
        return all;
    }
}
