package x10.regionarray;

/** A reference to an array at any place, with its region. */
public final class RemoteArray[T](region:Region, size:Long, array:GlobalRef[Array[T]]) {
    /** The rail of the elements. */
    val rawData:GlobalRail[T];

    /** The number of axes. */
    public property rank():Long = region.rank;
    /** Where the array is. */
    public property home():Place = array.home;

    /** Of an array that is here. */
    public def this(a:Array[T]{self!=null}):RemoteArray[T]{self.region==a.region,self.array.home==here} {
        property(a.region, a.size, GlobalRef[Array[T]](a));
        val elements = a.raw();
        rawData = new GlobalRail[T](elements);
    }
    /** The array, at its place. */
    public operator this(){here==this.array.home}:Array[T]{self.rank==this.rank} = (array as GlobalRef[Array[T]]{self.home==here})() as Array[T]{self.rank==this.rank};
    /** The element at i, at the array's place. */
    public operator this(i:Int){this.rank==1,here==this.array.home}:T = (this() as Array[T](1))(i as Long);
    /** The element at p, at the array's place. */
    public operator this(p:Point{self.rank==this.rank}){here==this.array.home}:T = this()(p as Point(this().rank));
    /** Sets the element at i, at the array's place; the value is v. */
    public operator this(i:Int)=(v:T){this.rank==1,here==this.array.home}:T{self==v} = ((this() as Array[T](1))(i as Long) = v);
    /** Sets the element at p, at the array's place; the value is v. */
    public operator this(p:Point{self.rank==this.rank})=(v:T){here==this.array.home}:T{self==v} = (this()(p as Point(this().rank)) = v);
    /** Whether other refers to the same array. */
    public def equals(other:Any):Boolean = other instanceof RemoteArray[T] && (other as RemoteArray[T]).array == array;
    /** A hash of the reference. */
    public def hashCode():Int = array.hashCode();
}
