package x10.io;

import x10.compiler.Intrinsic;

/** Gives back the values that a Serializer took, in the same order. */
public final class Deserializer implements Unserializable {
    private val values:Rail[Any];
    private var next:Long = 0;

    /** Gives copies of what s took so far. */
    public def this(s:Serializer) { this(s.toRail()); }
    /** Gives what is in the bytes of Serializer.toRail. */
    public def this(r:Rail[Byte]) { this.values = decode(r) as Rail[Any]; }
    private def this(values:Rail[Any]) { this.values = values; }

    /** The next value; raises a SerializationException after the last. */
    public def readAny():Any {
        if (next == values.size) throw new SerializationException("all " + next + " values have been read");
        return values(next++);
    }

    /** Gives these. */
    static def over(values:Rail[Any]):Deserializer = new Deserializer(values);

    @Intrinsic("rt.graph_decode") private static native def decode(bytes:Rail[Byte]):Any;
}
