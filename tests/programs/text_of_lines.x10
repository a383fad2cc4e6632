/** Strings of several lines. */
public class text_of_lines {
    static val usage = "usage: text
  -a  all \"quoted\"
  -b	tab";
    public static def main(args:Rail[String]) {
        Console.OUT.println(usage);
        Console.OUT.println(usage.length() + " " + usage.indexOf('\n') + " " + usage.split("\n").size);
        val s = "one
two" + "three";
        Console.OUT.println(s.equals("one\ntwothree"));
    }
}
