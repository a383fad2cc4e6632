package x10.io;

/** Something to read from. The end of the input raises an EOFException. */
public abstract class Reader {
    /** Ends the reading. */
    public abstract def close():void;
    /** The next byte. */
    public abstract def read():Byte;
    /** The next len bytes, into r from off on. */
    public abstract def read(r:Rail[Byte], off:Long, len:Long):void;
    /** How many bytes can be read without waiting. */
    public abstract def available():Long;

    /** Leaves out count bytes. */
    public def skip(count:Long):void { for (i in 1..count) read(); }
    /** The next value in the form that m gives it. */
    public final def read[T](m:Marshal[T]):T = m.read(this);
    /** Reads one byte. */
    public def readByte():Byte = read();
    /** Reads one byte; not 0 is true. */
    public def readBoolean():Boolean = Marshal.BOOLEAN.read(this);
    /** Reads four bytes. */
    public def readInt():Int = Marshal.INT.read(this);
    /** Reads eight bytes. */
    public def readLong():Long = Marshal.LONG.read(this);
    /** Reads four bytes. */
    public def readFloat():Float = Marshal.FLOAT.read(this);
    /** Reads eight bytes. */
    public def readDouble():Double = Marshal.DOUBLE.read(this);
    /** The next line without its end. */
    public def readLine():String = Marshal.LINE.read(this);
    /** The lines that are left. */
    public def lines():ReaderIterator[String] = new ReaderIterator[String](Marshal.LINE, this);
    /** The bytes that are left. */
    public def bytes():ReaderIterator[Byte] = new ReaderIterator[Byte](Marshal.BYTE, this);
}
