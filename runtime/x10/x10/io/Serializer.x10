package x10.io;

import x10.compiler.Intrinsic;
import x10.util.ArrayList;

/** Takes values that are to be sent, with all that they refer to; objects that are written twice arrive as one. */
public final class Serializer implements Unserializable {
    private var values:ArrayList[Any] = new ArrayList[Any]();

    /** Without any values yet. */
    public def this() { }

    /** Adds a value. */
    public def writeAny(v:Any):void { values.add(v); }
    /** What was written so far as bytes, for a Deserializer of this program. */
    public def toRail():Rail[Byte] = encode(values.toRail(), new Rail[Byte](0));
    /** That the bytes will be read extraCount times more than once; they may be read any number of times, so that nothing is to be done. */
    public def addDeserializeCount(extraCount:Long):void { }
    /** How many bytes that are. */
    public def dataBytesWritten():Int = toRail().size as Int;
    /** Objects written from now on are others than those written before, even if they were the same. */
    public def newObjectGraph():void {
        val before = values;
        values = at (here) before;
    }

    /** What v writes of itself. */
    static def saved(v:CustomSerialization):Rail[Any] {
        val s = new Serializer();
        v.serialize(s);
        return s.values.toRail();
    }

    @Intrinsic("rt.graph_encode") private static native def encode(graph:Any, sample:Any):Rail[Byte];
}
