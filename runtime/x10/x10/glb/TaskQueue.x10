package x10.glb;

/** What a program gives to the load balancer: the tasks of one place, how they are done, and what they have come to. */
public interface TaskQueue[Queue, R] {
    /** Does n tasks or so; whether there are more. */
    public def process(n:Long, context:Context[Queue, R]){Queue<:TaskQueue[Queue, R]}:Boolean;
    /** Takes out tasks for another place; null if there are too few. */
    public def split():TaskBag;
    /** Adds the tasks of a bag. */
    public def merge(tb:TaskBag):void;
    /** How many tasks were done. */
    public def count():Long;
    /** What the tasks done here have come to. */
    public def getResult():GLBResult[R];
    /** Prints what the queue has to say of itself. */
    public def printLog():void;
}
