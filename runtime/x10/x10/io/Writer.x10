package x10.io;

/** Something to write to. Numbers are written in big-endian order, as Marshal does. */
public abstract class Writer {
    /** Ends the writing. */
    public abstract def close():void;
    /** Passes on what is held back. */
    public abstract def flush():void;
    /** Writes one byte. */
    public abstract def write(x:Byte):void;
    /** Writes a text in UTF-8. */
    public abstract def write(x:String):void;
    /** Writes len bytes of x from off on. */
    public abstract def write(x:Rail[Byte], off:Long, len:Long):void;

    /** Writes all bytes of buf. */
    public def write(buf:Rail[Byte]):void { write(buf, 0, buf.size); }
    /** Writes a value in the form that m gives it. */
    public final def write[T](m:Marshal[T], x:T):void { m.write(this, x); }
    /** Writes 0 or 1. */
    public def writeBoolean(x:Boolean):void { Marshal.BOOLEAN.write(this, x); }
    /** Writes one byte. */
    public def writeByte(x:Byte):void { Marshal.BYTE.write(this, x); }
    /** Writes one byte. */
    public def writeUByte(x:UByte):void { Marshal.UBYTE.write(this, x); }
    /** Writes a character in UTF-8. */
    public def writeChar(x:Char):void { Marshal.CHAR.write(this, x); }
    /** Writes two bytes. */
    public def writeShort(x:Short):void { Marshal.SHORT.write(this, x); }
    /** Writes two bytes. */
    public def writeUShort(x:UShort):void { Marshal.USHORT.write(this, x); }
    /** Writes four bytes. */
    public def writeInt(x:Int):void { Marshal.INT.write(this, x); }
    /** Writes four bytes. */
    public def writeUInt(x:UInt):void { Marshal.UINT.write(this, x); }
    /** Writes eight bytes. */
    public def writeLong(x:Long):void { Marshal.LONG.write(this, x); }
    /** Writes eight bytes. */
    public def writeULong(x:ULong):void { Marshal.ULONG.write(this, x); }
    /** Writes four bytes. */
    public def writeFloat(x:Float):void { Marshal.FLOAT.write(this, x); }
    /** Writes eight bytes. */
    public def writeDouble(x:Double):void { Marshal.DOUBLE.write(this, x); }
}
