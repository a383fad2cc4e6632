package x10.util;

/** An option of a program: "-s" or "--long", and what it is for. */
public struct Option {
    /** The short form, with its dash, or null. */
    public val shortForm:String;
    /** The long form, with its two dashes, or null. */
    public val longForm:String;
    /** What it is for. */
    public val description:String;

    /** The forms without dashes; an empty one is none. */
    public def this(shortName:String, longName:String, description:String) {
        this.shortForm = shortName == null || shortName.length() == 0n ? null : "-" + shortName;
        this.longForm = longName == null || longName.length() == 0n ? null : "--" + longName;
        this.description = description;
    }
    /** Whether key is one of its forms. */
    public def matches(key:String):Boolean = key.equals(shortForm) || key.equals(longForm);
    /** For the list of options. */
    public def toString():String =
        (shortForm == null ? "    " : shortForm + (longForm == null ? "" : ", ")) + (longForm == null ? "" : longForm) + "\t" + description;
}
