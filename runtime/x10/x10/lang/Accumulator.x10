package x10.lang;

/**
 * Makes one value of all that activities add to it, at any place: acc <- value. It is to be read after the finish of those
 * activities; it lives where it was made, and others go there.
 */
public class Accumulator[T] extends Acc {
    protected val red:Reducible[T];
    private val root:GlobalRef[Cell[T]];

    /** Starts with the zero of red. */
    public def this(red:Reducible[T]) {
        this.red = red;
        this.root = GlobalRef[Cell[T]](new Cell[T](red.zero()));
    }

    /** Adds t. */
    public operator this <- (t:T):void { add(t); }
    /** Forgets what was added and starts from t. */
    public operator this()=(t:T):void {
        val root = this.root;
        at (root) { atomic root().value = t; }
    }
    /** What has been made of all that was added. */
    public operator this():T {
        val root = this.root;
        return at (root) root().value;
    }
    private def add(t:T):void {
        val root = this.root;
        val red = this.red;
        at (root) { atomic root().value = red(root().value, t); }
    }
    public def supply(t:Any):void { add(t as T); }
    public def reset(t:Any):void { this() = t as T; }
    public def result():Any = this();
    public def home():Place = root.home;
}
