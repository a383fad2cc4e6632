/** Strings: methods, formatting, building, splitting. */
public class strings {
    public static def main(args:Rail[String]) {
        val s = "Hello, World";
        Console.OUT.println(s.length() + " " + s.substring(7n) + " " + s.substring(0n, 5n) + " " + s.indexOf("o") + " " + s.lastIndexOf('o'));
        Console.OUT.println(s.toUpperCase() + " " + s.charAt(4n) + " " + s(0n) + " " + s.contains("World") + " " + s.startsWith("Hell"));
        Console.OUT.println("a" + 1 + 2n + 'c' + true + null + 1.5);
        Console.OUT.println("a,b,,c".split(",").size + " " + "a,b,,c".split(",")(3));
        Console.OUT.println(("x" + 1 != null) + " " + ("x" + 1).equals("x1") + " " + "abc".compareTo("abd") + " " + ("a" < "b"));
        Console.OUT.println(String.format("%d|%5d|%-5d|%05d|%s|%.2f|%8.3f|%e|%x|%c|%b|%%", [1 as Any, 42n, 7, 9, "text", 3.14159, 2.5f, 12345.678, 255n, 'q', true]));
        Console.OUT.printf("%s and %s\n", "one", 2);
        Console.OUT.println("  trim ".trim() + "|");
        Console.OUT.println("tab\tquote\" backslash\\ unicode \u00e9");
        val builder = new x10.util.StringBuilder();
        for (i in 0..4) builder.add(i).add(" ");
        Console.OUT.println(builder.result());
        Console.OUT.println("hash " + ("abc".hashCode() == ("ab" + "c").hashCode()));
        Console.OUT.println([1, 2, 3] + " " + new Rail[String](2, "x"));
        Console.OUT.println(Place(0) + " " + here.id * 0);
    }
}
