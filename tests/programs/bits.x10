/** Counting and turning bits, against one bit at a time. */
public class bits {
  static def slow(x:Long):Int { var n:Int = 0n; for (i in 0..63) if (((x >>> i) & 1) != 0) n++; return n; }
  static def check(x:Long):Boolean {
    val i = x as Int; val u = i as UInt; val ul = x as ULong;
    var lead:Int = 0n; while (lead < 64n && ((x >>> (63 - lead)) & 1) == 0) lead++;
    var trail:Int = 0n; while (trail < 64n && ((x >>> trail) & 1) == 0) trail++;
    var rev:Long = 0; for (k in 0..63) rev |= ((x >>> k) & 1) << (63 - k);
    var rb:Long = 0; for (k in 0..7) rb |= ((x >>> (8*k)) & 255) << (56 - 8*k);
    val lo = x & 0xffffffff;
    var ilead:Int = 0n; while (ilead < 32n && ((lo >>> (31 - ilead)) & 1) == 0) ilead++;
    return slow(x) == x.bitCount() && slow(x) == ul.bitCount() && slow(lo) == i.bitCount() && slow(lo) == u.bitCount()
      && lead == x.numberOfLeadingZeros() && lead == ul.numberOfLeadingZeros() && ilead == i.numberOfLeadingZeros() && ilead == u.numberOfLeadingZeros()
      && trail == x.numberOfTrailingZeros() && trail == ul.numberOfTrailingZeros() && (lo == 0 ? 32n : trail) == i.numberOfTrailingZeros() && (lo == 0 ? 32n : trail) == u.numberOfTrailingZeros()
      && rev == x.reverse() && (rev as ULong) == ul.reverse() && (rev >>> 32) as Int == i.reverse() && (rev >>> 32) as UInt == u.reverse()
      && rb == x.reverseBytes() && (rb as ULong) == ul.reverseBytes() && (rb >>> 32) as Int == i.reverseBytes() && (rb >>> 32) as UInt == u.reverseBytes();
  }
  public static def main(Rail[String]) {
    val r = new x10.util.Random(5);
    var bad:Long = 0;
    for (k in 0..2000) { val x = r.nextLong() >>> (k % 64); if (!check(x)) { bad++; if (bad < 4) Console.OUT.println(x); } if (!check(1 << (k % 64))) bad++; if (!check(-1 << (k % 64))) bad++; }
    if (!check(0)) bad++;
    Console.OUT.println("bad " + bad);
  }
}
