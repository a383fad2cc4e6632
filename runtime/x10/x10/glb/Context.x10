package x10.glb;

/** The load balancer as a task sees it. */
public class Context[Queue, R]{Queue<:TaskQueue[Queue, R]} implements ContextI {
    private val st:PlaceLocalHandle[Worker[Queue, R]];

    /** Of the workers of that handle. */
    public def this(st:PlaceLocalHandle[Worker[Queue, R]]){Queue<:TaskQueue[Queue, R]} { this.st = st; }
    /** Serves other places: tasks that take long call it now and then. */
    public def yield():void { st().serve(st); }
    /** As yield. */
    public def yielding():void { yield(); }
}
