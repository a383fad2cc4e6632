package x10.glb;

/** Tasks on their way from one place to another. */
public interface TaskBag {
    /** How many tasks. */
    public def size():Long;
}
