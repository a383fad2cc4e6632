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
    public def this(brief:String, full:String, purpose:String) { this(brief, full, purpose, 0n); }
    /** With this number of values. */
    public def this(brief:String, full:String, purpose:String, least:Int) { this(brief, full, purpose, least, false); }
    /** With this number of values, or perhaps more. */
    public def this(brief:String, full:String, purpose:String, least:Int, open:Boolean) { this(brief, full, purpose, least, open, false); }
    /** With this number of values, or perhaps more; perhaps it must be given. */
    public def this(brief:String, full:String, purpose:String, least:Int, open:Boolean, needed:Boolean) {
        shortForm = withDashes("-", brief);
        longForm = withDashes("--", full);
        description = purpose;
        minFollow = least;
        arbFollow = open;
        required = needed;
        onTheFly = false;
    }
    /** All of it. */
    public def this(brief:String, full:String, purpose:String, least:Int, open:Boolean, needed:Boolean, unknown:Boolean) {
        onTheFly = unknown;
        required = needed;
        arbFollow = open;
        minFollow = least;
        description = purpose;
        longForm = withDashes("--", full);
        shortForm = withDashes("-", brief);
    }
    /** As model, but with exactly count values. */
    private def this(model:Option, count:Int, needed:Boolean) {
        onTheFly = model.onTheFly;
        required = needed;
        arbFollow = false;
        minFollow = count;
        description = model.description;
        longForm = model.longForm;
        shortForm = model.shortForm;
    }
    private static def withDashes(dashes:String, name:String):String =
        name == null || name.length() == 0n ? "" : name.startsWith(dashes) ? name : dashes + name;
    private def takesExactly(count:Int):Boolean = !arbFollow && count == minFollow;

    /** This as an option without values. */
    public def asFlag():Option = takesExactly(0n) ? this : Option(this, 0n, false);
    /** This as an option with one value. */
    public def asSimpleParm():Option = takesExactly(1n) ? this : Option(this, 1n, required);
    /** The long form for the short one and the reverse; null for any other key. */
    public def otherForm(key:String):String {
        if (shortForm.equals(key)) return longForm;
        if (longForm.equals(key)) return shortForm;
        return null;
    }
    /** All of it, for people. */
    public def toString():String =
        "Option(" + shortForm + ", " + longForm + ", " + minFollow + (arbFollow ? " or more" : "") + " values" +
        (required ? ", required" : "") + ", \"" + description + "\")";
    /** A line for the list of options. */
    public def usage():String {
        val line = new StringBuilder();
        line.add(shortForm);
        if (shortForm.length() > 0n && longForm.length() > 0n) line.add(", ");
        line.add(longForm);
        if (!takesExactly(0n)) line.add(" [").add(minFollow).add(arbFollow ? " values at least]" : minFollow == 1n ? " value]" : " values]");
        line.add("  ").add(description);
        if (required) line.add("; must be given");
        return line.result();
    }

    /** Asks for the list of options. */
    public static HELP:Option = Option("?", "help", "shows these options, and does nothing else");
    /** No option at all. */
    public static BAD:Option = Option("", "", "", 0n, true, true, false);
}
