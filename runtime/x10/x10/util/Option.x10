package x10.util;

/** An option of a program's command line: "-s" or "--long", how many values follow it, and what it is for. */
public struct Option {
    /** The short form with its dash, or "". */
    public val shortForm:String;
    /** The long form with its two dashes, or "". */
    public val longForm:String;
    /** What it is for. */
    public val description:String;
    /** How many values follow at least. */
    public val minFollow:Int;
    /** Whether there may be more. */
    public val arbFollow:Boolean;
    /** Whether it must be given. */
    public val required:Boolean;
    /** Whether it was made for an option that the program does not know. */
    public val onTheFly:Boolean;

    /** A flag: no value follows. The forms are with or without dashes; "" is none. */
    public def this(s:String, l:String, d:String) { this(s, l, d, 0n, false, false, false); }
    /** With this number of values. */
    public def this(s:String, l:String, d:String, followers:Int) { this(s, l, d, followers, false, false, false); }
    /** With this number of values, or perhaps more. */
    public def this(s:String, l:String, d:String, followers:Int, mayBeMore:Boolean) { this(s, l, d, followers, mayBeMore, false, false); }
    /** With this number of values, or perhaps more; perhaps it must be given. */
    public def this(s:String, l:String, d:String, followers:Int, mayBeMore:Boolean, mustSee:Boolean) {
        this(s, l, d, followers, mayBeMore, mustSee, false);
    }
    /** All of it. */
    public def this(s:String, l:String, d:String, followers:Int, mayBeMore:Boolean, mustSee:Boolean, otf:Boolean) {
        this.shortForm = withDashes("-", s);
        this.longForm = withDashes("--", l);
        this.description = d;
        this.minFollow = followers;
        this.arbFollow = mayBeMore;
        this.required = mustSee;
        this.onTheFly = otf;
    }
    private static def withDashes(dashes:String, name:String):String =
        name == null || name.length() == 0n ? "" : name.startsWith(dashes) ? name : dashes + name;

    /** This as an option without values. */
    public def asFlag():Option =
        minFollow == 0n && !arbFollow ? this : Option(shortForm, longForm, description, 0n, false, false, onTheFly);
    /** This as an option with one value. */
    public def asSimpleParm():Option =
        minFollow == 1n && !arbFollow ? this : Option(shortForm, longForm, description, 1n, false, required, onTheFly);
    /** The long form for the short one and the reverse; null for any other key. */
    public def otherForm(key:String):String = key.equals(shortForm) ? longForm : key.equals(longForm) ? shortForm : null;
    /** All of it, for people. */
    public def toString():String =
        "Option(" + shortForm + ", " + longForm + ", " + minFollow + (arbFollow ? " or more" : "") + " values" +
        (required ? ", required" : "") + ", \"" + description + "\")";
    /** A line for the list of options. */
    public def usage():String {
        val both = shortForm.length() > 0n && longForm.length() > 0n;
        val keys = both ? shortForm + " or " + longForm : shortForm + longForm;
        val count = arbFollow ? " (" + minFollow + " or more values)" : minFollow == 0n ? "" : minFollow == 1n ? " (1 value)" : " (" + minFollow + " values)";
        return keys + count + ": " + description + (required ? " (required)" : "");
    }

    /** Asks for the list of options. */
    public static HELP:Option = Option("?", "help", "displays this message and exits");
    /** No option at all. */
    public static BAD:Option = Option("", "", "", 0n, true, true);
}
