public struct Pair(
    x:Long,
    y:Long
  ) {
  public def first():Long {
    return x;
  }
  def second() = y;
};
class Box { var content:Long; };
class Empty {};
