package x10.lang;

/** The type names in it are known everywhere without an import. */
public class _ {
    /** Boolean */
    public static type boolean = Boolean;
    /** Byte */
    public static type byte = Byte;
    /** Short */
    public static type short = Short;
    /** Char */
    public static type char = Char;
    /** Int */
    public static type int = Int;
    /** Long */
    public static type long = Long;
    /** Float */
    public static type float = Float;
    /** Double */
    public static type double = Double;
    /** UByte */
    public static type ubyte = UByte;
    /** UShort */
    public static type ushort = UShort;
    /** UInt */
    public static type uint = UInt;
    /** ULong */
    public static type ulong = ULong;
    /** Int */
    public static type signed = Int;
    /** UInt */
    public static type unsigned = UInt;
    /** Byte */
    public static type int8 = Byte;
    /** Short */
    public static type int16 = Short;
    /** Int */
    public static type int32 = Int;
    /** Long */
    public static type int64 = Long;
    /** UByte */
    public static type uint8 = UByte;
    /** UShort */
    public static type uint16 = UShort;
    /** UInt */
    public static type uint32 = UInt;
    /** ULong */
    public static type uint64 = ULong;
    /** UByte */
    public static type nat8 = UByte;
    /** UShort */
    public static type nat16 = UShort;
    /** UInt */
    public static type nat32 = UInt;
    /** ULong */
    public static type nat64 = ULong;
    /** x10.io.Console */
    public static type Console = x10.io.Console;
    /** The Boolean that is equal to value. */
    public static type boolean(value:Boolean) = Boolean{self==value};
    /** The Byte that is equal to value. */
    public static type byte(value:Byte) = Byte{self==value};
    /** The Short that is equal to value. */
    public static type short(value:Short) = Short{self==value};
    /** The Char that is equal to value. */
    public static type char(value:Char) = Char{self==value};
    /** The Int that is equal to value. */
    public static type int(value:Int) = Int{self==value};
    /** The Long that is equal to value. */
    public static type long(value:Long) = Long{self==value};
    /** The Float that is equal to value. */
    public static type float(value:Float) = Float{self==value};
    /** The Double that is equal to value. */
    public static type double(value:Double) = Double{self==value};
    /** The String that is equal to value. */
    public static type string(value:String) = String{self==value};
}
