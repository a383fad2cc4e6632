package x10.util.resilient.iterative;

import x10.util.HashMap;

/**
 * A plan of which places die at which step, to try how a program lives with it. Programs of this runtime end with a place, so that
 * the executors do not ask for it.
 */
public class SimplePlaceHammer {
    private val plan = new HashMap[Long,Long]();

    /** The plan that KILL_STEPS and KILL_PLACES, lists of numbers with commas, make. */
    public def this() { this(System.getenv("KILL_STEPS"), System.getenv("KILL_TIMES"), System.getenv("KILL_PLACES")); }
    /** The plan that lists of steps and places make. */
    public def this(steps:String, times:String, places:String) {
        if (steps != null && times != null)
            throw new IllegalArgumentException("places die at steps or after times, not both");
        if (steps == null || places == null) return;
        val numbers = steps.split(",");
        val victims = places.split(",");
        for (i in 0..(Math.min(numbers.size, victims.size) - 1)) plan.put(Long.parse(numbers(i)), Long.parse(victims(i)));
    }

    /** Prints the plan. */
    public def printPlan():void {
        for (entry in plan.entries()) Console.OUT.println("step " + entry.getKey() + ": place " + entry.getValue());
    }
    /** Whether this place dies at that step. */
    public def sayGoodBye(curStep:Long):Boolean = getVictimPlaceId(curStep) == here.id;
    /** The place that dies at that step, or -1. */
    public def getVictimPlaceId(curStep:Long):Long = plan.getOrElse(curStep, -1);
    /** Starts the clocks of places that die after a time: none does. */
    public def scheduleTimers():void { }
}
