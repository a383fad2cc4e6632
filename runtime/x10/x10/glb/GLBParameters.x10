package x10.glb;

/**
 * How the load balancer works. `n`: tasks between polls of messages; `w`: random places that tasks are requested from before the lifelines;
 * `l` and `z`: base and number of digits of places' numbers, which differ in one digit along a lifeline; `m`: how many random places are
 * candidates; `v`: what is shown, a sum of flags.
 */
public struct GLBParameters(n:Int, w:Int, l:Int, z:Int, m:Int, v:Int) {
    /** Those parameters. */
    public def this(n:Int, w:Int, l:Int, z:Int, m:Int, v:Int) { property(n, w, l, z, m, v); }

    /** The least number of digits that p places need in base l. */
    public static def computeZ(p:Long, l:Int):Int {
        var digits:Int = 0n;
        var reach:Long = 1;
        do {
            digits++;
            reach *= l;
        } while (reach < p);
        return digits;
    }
    /** Parameters that suit most programs. */
    public static Default:GLBParameters = withBase(4n);
    private static def withBase(base:Int):GLBParameters = GLBParameters(100n, 4n, base, computeZ(Place.numPlaces(), base), 1024n, 15n);
    /** Show the result. */
    public static val SHOW_RESULT_FLAG:Int = 1n;
    /** Show how long it took. */
    public static val SHOW_TIMING_FLAG:Int = 2n;
    /** Let each place's queue print its log. */
    public static val SHOW_TASKFRAME_LOG_FLAG:Int = 4n;
    /** Show how tasks went from place to place. */
    public static val SHOW_GLB_FLAG:Int = 8n;
}
