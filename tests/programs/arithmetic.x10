/** Integers wrap, shifts are masked, division truncates; conversions saturate; mixed operands widen. */
public class arithmetic {
    static def divide(a:Int, b:Int):Int = a / b;

    /** A cast binds tighter than a sign: -1.0e20 as Long is -(1.0e20 as Long). */
    public static def main(args:Rail[String]) {
        Console.OUT.println(Int.MAX_VALUE + 1n);
        Console.OUT.println(Long.MIN_VALUE - 1);
        Console.OUT.println((-7n / 2n) + " " + (-7n % 2n) + " " + (7 % -3));
        Console.OUT.println((1n << 33) + " " + (-8n >> 1) + " " + (-8n >>> 28) + " " + (1 << 40));
        Console.OUT.println((5n & 3n) + " " + (5n | 3n) + " " + (5n ^ 3n) + " " + (~5n));
        Console.OUT.println(300n as Byte);
        Console.OUT.println((1.0e20 as Int) + " " + (-1.0e20 as Long) + " " + ((0.0 / 0.0) as Int));
        Console.OUT.println(3n * 2 + 0.5f);
        Console.OUT.println(7 / 2 + " " + 7.0 / 2 + " " + 1.0f / 3);
        Console.OUT.println(0x1Fl + " " + 017n + " " + 0b101n + " " + 1_000_000);
        Console.OUT.println(4000000000un + " " + (4000000000un > 1un) + " " + (0xFFFFFFFFFFFFFFFFu));
        Console.OUT.println((0xFFun as UByte) + " " + (200uy + 100uy));
        var x:Int = 10n;
        x += 5n; x -= 1n; x *= 2n; x /= 3n; x <<= 2;
        Console.OUT.println(x++ + " " + ++x + " " + x-- + " " + --x);
        Console.OUT.println(Math.sqrt(2.0) + " " + Math.abs(-3n) + " " + Math.max(2.5, 1.0) + " " + Math.pow(2.0, 10.0));
        Console.OUT.println('a' + 1n + " " + ('z' - 'a') + " " + ('a' < 'b'));
        Console.OUT.println(1.0 + " " + 1.0e10 + " " + 1.5f + " " + 1.0e-5 + " " + 100.0f + " " + 1.0e7);
        Console.OUT.println(Long.parse("-42") + Int.parse("ff", 16n));
        Console.OUT.println((255n).toHexString() + " " + (-1n).toHexString() + " " + (10).toBinaryString());
        Console.OUT.println(true & false | true ^ true);
        Console.OUT.println(1 == (1n as Long) ? "equal" : "different");
        try {
            Console.OUT.println(divide(1n, 0n));
        } catch (e:ArithmeticException) {
            Console.OUT.println("division by zero");
        }
    }
}
