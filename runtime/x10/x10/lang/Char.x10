package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;
import x10.util.Ordered;

/** A character: a Unicode code point. */
public struct Char implements Comparable[Char], Ordered[Char] {
    /** The least character. */
    public static MIN_VALUE:Char = '\0';
    /** The greatest character of the Basic Multilingual Plane. */
    public static MAX_VALUE:Char = 65535n as Char;

    /** The character of this code. */
    @Intrinsic("op.convert") public native static operator (x:Byte) as Char;
    /** The character of this code. */
    @Intrinsic("op.convert") public native static operator (x:Short) as Char;
    /** The character of this code. */
    @Intrinsic("op.convert") public native static operator (x:Int) as Char;
    /** The character of this code. */
    @Intrinsic("op.convert") public native static operator (x:Long) as Char;

    /** The character y codes further on. */
    @CUDA public static operator (x:Char) + (y:Int):Char = (x.ord() + y) as Char;
    /** The character x codes further on. */
    @CUDA public static operator (x:Int) + (y:Char):Char = (x + y.ord()) as Char;
    /** The character y codes back. */
    @CUDA public static operator (x:Char) - (y:Int):Char = (x.ord() - y) as Char;
    /** The distance between two codes. */
    @CUDA public static operator (x:Char) - (y:Char):Int = x.ord() - y.ord();
    /** Whether the code is less than that of x. */
    @Intrinsic("op.lt") public native operator this < (x:Char):Boolean;
    /** Whether the code is greater than that of x. */
    @Intrinsic("op.gt") public native operator this > (x:Char):Boolean;
    /** Whether the code is at most that of x. */
    @Intrinsic("op.le") public native operator this <= (x:Char):Boolean;
    /** Whether the code is at least that of x. */
    @Intrinsic("op.ge") public native operator this >= (x:Char):Boolean;

    /** A string of this one character. */
    @Intrinsic("rt.string_from_char") public native def toString():String;
    /** The code. */
    @Intrinsic("op.convert") public native def ord():Int;
    /** The code of c. */
    @CUDA public static def ord(c:Char):Int = c.ord();
    /** The character of code x. */
    @CUDA public static def chr(x:Int):Char = x as Char;
    /** Whether this is a lower case letter. */
    @Intrinsic("rt.char_is_lower") public native def isLowerCase():Boolean;
    /** Whether this is an upper case letter. */
    @Intrinsic("rt.char_is_upper") public native def isUpperCase():Boolean;
    /** Whether this is a decimal digit. */
    @Intrinsic("rt.char_is_digit") public native def isDigit():Boolean;
    /** Whether this is a letter. */
    @Intrinsic("rt.char_is_letter") public native def isLetter():Boolean;
    /** Whether this is a letter or a digit. */
    public def isLetterOrDigit():Boolean = isLetter() || isDigit();
    /** Whether this is white space. */
    @Intrinsic("rt.char_is_whitespace") public native def isWhitespace():Boolean;
    /** Whether this is a space. */
    @CUDA public def isSpaceChar():Boolean = this == ' ' || ord() == 160n;
    /** Whether this is a control character. */
    @CUDA public def isISOControl():Boolean = ord() < 32n || (ord() >= 127n && ord() < 160n);
    /** The lower case of a letter; else the same. */
    @Intrinsic("rt.char_to_lower") public native def toLowerCase():Char;
    /** The upper case of a letter; else the same. */
    @Intrinsic("rt.char_to_upper") public native def toUpperCase():Char;
    /** The code. */
    @CUDA public def hashCode():Int = ord();
    /** Whether x is the same character. */
    public def equals(x:Any):Boolean = x instanceof Char && (x as Char) == this;
    /** Whether x is the same. */
    @CUDA public def equals(x:Char):Boolean = this == x;
    /** Order of the codes. */
    @CUDA public def compareTo(x:Char):Int = ord() - x.ord();
    /** Whether this is a letter in the case of titles; such are neither upper nor lower case. */
    @CUDA public def isTitleCase():Boolean = ord() == 0x1c5n || ord() == 0x1c8n || ord() == 0x1cbn || ord() == 0x1f2n;
    /** The title case of a letter, as a rule its upper case; else the same. */
    public def toTitleCase():Char {
        val code = ord();
        val isGroup = code >= 0x1c4n && code <= 0x1ccn || code >= 0x1f1n && code <= 0x1f3n;
        if (!isGroup) return toUpperCase();
        // Groups of three: upper, title and lower case.
        val first = code < 0x1f1n ? 0x1c4n : 0x1f1n;
        return (code - (code - first) % 3n + 1n) as Char;
    }
}

/** The Char that is equal to value. */
public type Char(value:Char) = Char{self==value};
