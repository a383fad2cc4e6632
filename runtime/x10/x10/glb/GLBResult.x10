package x10.glb;

/** What the tasks of a place have come to, and how the results of places are put together. */
public abstract class GLBResult[R] {
    /** The operator: one of Team's. */
    public abstract def getReduceOperator():Int;
    /** The result of this place. */
    public abstract def getResult():Rail[R];
    /** Shows the result of all places. */
    public abstract def display(result:Rail[R]):void;
}
