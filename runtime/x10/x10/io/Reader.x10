package x10.io;

/** Something to read from. The end of the input raises an EOFException. */
public abstract class Reader {
    /** Ends the reading. */
    public abstract def close():void;
    /** The next byte. */
    public abstract def read():Byte;
    /** The next len bytes, into r from off on. */
    public abstract def read(r:Rail[Byte], off:Long, len:Long):void;
    /** The number of bytes that are there already: reading them does not wait. */
    public abstract def available():Long;

    /** Leaves out v bytes. */
    public def skip(v:Long):void { for (i in 1..v) read(); }
    /** Remembers this position for reset, for at least the next m bytes. Raises an IOException if the reader cannot do it. */
    public def mark(m:Long):void { throw new IOException(typeName() + " cannot go back in its input"); }
    /** Goes back to what mark has remembered. Raises an IOException if there is none. */
    public def reset():void { throw new IOException(typeName() + " cannot go back in its input"); }
    /** Whether mark and reset work. */
    public def markSupported():Boolean = false;

    /** Reads one byte; not 0 is true. */
    public def readBoolean():Boolean = Marshal.BOOLEAN.read(this);
    /** Reads one byte. */
    public def readByte():Byte = Marshal.BYTE.read(this);
    /** Reads one byte. */
    public def readUByte():UByte = Marshal.UBYTE.read(this);
    /** Reads a character in UTF-8. */
    public def readChar():Char = Marshal.CHAR.read(this);
    /** Reads two bytes. */
    public def readShort():Short = Marshal.SHORT.read(this);
    /** Reads two bytes. */
    public def readUShort():UShort = Marshal.USHORT.read(this);
    /** Reads four bytes. */
    public def readInt():Int = Marshal.INT.read(this);
    /** Reads four bytes. */
    public def readUInt():UInt = Marshal.UINT.read(this);
    /** Reads eight bytes. */
    public def readLong():Long = Marshal.LONG.read(this);
    /** Reads eight bytes. */
    public def readULong():ULong = Marshal.ULONG.read(this);
    /** Reads four bytes. */
    public def readFloat():Float = Marshal.FLOAT.read(this);
    /** Reads eight bytes. */
    public def readDouble():Double = Marshal.DOUBLE.read(this);
    /** The next line without its end. */
    public def readLine():String = Marshal.LINE.read(this);
    /** The next value in the form that m gives it. */
    public final def read[T](m:Marshal[T]):T = m.read(this);
    /** Fills a with values in the form that m gives them. */
    public final def read[T](m:Marshal[T], a:Rail[T]):void {
        for (i in a.range) a(i) = m.read(this);
    }
    /** The next len values in the form that m gives them, into a from off on. */
    public final def read[T](m:Marshal[T], a:Rail[T], off:Long, len:Long):void {
        for (i in off..(off + len - 1)) a(i) = m.read(this);
    }
    /** The lines that are left. */
    public def lines():ReaderIterator[String] = new ReaderIterator[String](Marshal.LINE, this);
    /** The characters that are left. */
    public def chars():ReaderIterator[Char] = new ReaderIterator[Char](Marshal.CHAR, this);
    /** The bytes that are left. */
    public def bytes():ReaderIterator[Byte] = new ReaderIterator[Byte](Marshal.BYTE, this);
}
