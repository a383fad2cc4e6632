package x10.io;

import x10.util.GrowableRail;

/** A reader that bytes can be put back into; the last one put back is read first. */
public class PutbackReader extends FilterReader {
    private val waiting:GrowableRail[Byte] = new GrowableRail[Byte]();

    /** Takes from r. */
    public def this(r:Reader) { super(r); }
    public def read():Byte = waiting.isEmpty() ? super.read() : waiting.removeLast();
    public def read(r:Rail[Byte], off:Long, len:Long):void {
        var done:Long = 0;
        while (done < len && !waiting.isEmpty()) r(off + done++) = waiting.removeLast();
        if (done < len) super.read(r, off + done, len - done);
    }
    public def available():Long = waiting.size() + super.available();
    public def skip(off:Long):void {
        var left:Long = off;
        while (left > 0 && !waiting.isEmpty()) { waiting.removeLast(); left--; }
        super.skip(left);
    }
    /** Makes p the next byte that is read. */
    public def putback(p:Byte):void { waiting.add(p); }
}
