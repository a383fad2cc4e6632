import x10.util.*;

/** Lists, sets, maps, stacks and builders, at their edges too. */
public class containers {
  static def show(what:String, value:Any) { Console.OUT.println(what + ": " + value); }
  static def raises(what:String, body:()=>void) {
    try { body(); show(what, "nothing raised"); }
    catch (e:Exception) { show(what, e.typeName()); }
  }
  /** All keys have the same hash. */
  static struct Clash(id:Long) {
    public def hashCode():Int = 7n;
    public def toString():String = "#" + id;
  }
  static class Name implements Comparable[Name] {
    val text:String;
    def this(text:String) { this.text = text; }
    public def compareTo(that:Name):Int = text.compareTo(that.text);
    public def equals(that:Any):Boolean = that instanceof Name && (that as Name).text.equals(text);
    public def hashCode():Int = text.hashCode();
    public def toString():String = text;
  }

  static def lists() {
    val list = new ArrayList[Long]();
    show("empty", list + " " + list.size() + " " + list.isEmpty());
    for (i in 1..20) list.add(i * 7 % 11);
    show("list", list);
    show("contains", list.contains(3) + " " + list.contains(99));
    show("indexOf", list.indexOf(3) + " " + list.indexOf(4, 3) + " " + list.lastIndexOf(3) + " " + list.indexOf(99));
    list.sort();
    show("sorted", list.toRail().toString(20));
    list.sort((a:Long, b:Long)=>b.compareTo(a));
    list.reverse();
    show("search", list.binarySearch(5) + " " + list.binarySearch(-1) + " " + list.binarySearch(50));
    list.addBefore(0, -5);
    list.addBefore(list.size(), 77);
    list(1) = 1000;
    list(list.size()) = 78;
    show("ends", list.getFirst() + " " + list(1) + " " + list.getLast() + " " + list.size());
    show("removed", list.removeFirst() + " " + list.removeLast() + " " + list.removeAt(0) + " " + list.remove(77) + " " + list.remove(-1));
    show("section", list.moveSectionToRail(2, 4) + " " + list.moveSectionToRail(3, 2) + " " + list.size());
    show("part", list.subList(1, 4) + " " + list.subList(3, 1) + " " + list.subList(10, 99));
    show("indices", list.subList(0, 3).indices());
    list.removeAllWhere((x:Long)=>x % 2 == 0);
    show("odd", list);
    val few = new ArrayList[Long]();
    few.addAll([1, 3, 5]);
    show("bulk", list.containsAll(few) + " " + list.retainAll(few) + " " + list + " " + list.addAll(list) + " " + list + " " + list.removeAll(few) + " " + list);
    few.resize(5);
    few.resize(6, 9);
    show("resized", few);
    few.resize(1);
    show("resized", few + " " + ArrayList.make[Long](few) + " " + few.clone());
    few.clear();
    raises("get", ()=>{ few.get(0); });
    raises("set", ()=>{ few.set(1, -1); });
    raises("last", ()=>{ few.removeLast(); });
    raises("before", ()=>{ few.addBefore(1, 1); });
    val names = new ArrayList[Name]();
    names.add(new Name("pear"));
    names.add(null);
    names.add(new Name("fig"));
    show("names", names.indexOf(null) + " " + names.indexOf(new Name("fig")) + " " + names.remove(null) + " " + names);
    names.sort();
    show("names", names);
  }

  static def iterators() {
    val list = new ArrayList[String]();
    for (word in "a b c d".split(" ")) list.add(word);
    val it = list.iterator();
    it.add("start");
    while (it.hasNext()) {
      val index = it.nextIndex();
      val word = it.next();
      if (word.equals("b")) it.remove(); else it.set(word + index);
    }
    show("after", list + " " + it.previousIndex());
    var back:String = "";
    while (it.hasPrevious()) back += it.previous();
    show("back", back);
    raises("twice", ()=>{ val i = list.iterator(); i.next(); i.remove(); i.remove(); });
    val collection:Collection[String] = list;
    var count:Long = 0;
    for (word in collection) count += word.length();
    show("length", count);
  }

  static def maps() {
    val map = new HashMap[String,Long]();
    show("empty", map + " " + map("x") + " " + map.getOrElse("x", 5) + " " + map.containsKey("x") + " " + map.delete("x"));
    raises("none", ()=>{ map.getOrThrow("x"); });
    for (i in 1..1000) map("key" + i) = i;
    var sum:Long = 0;
    for (i in 1..1000) sum += map("key" + i);
    show("sum", sum + " " + map.size());
    for (i in 1..1000) if (i % 3 != 0) map.remove("key" + i);
    sum = 0;
    for (entry in map.entries()) sum += entry.getValue();
    show("rest", sum + " " + map.size() + " " + map.containsKey("key3") + " " + map.containsKey("key4") + " " + map.put("key3", 8) + " " + map.put("new", 1));
    for (entry in map.entries()) entry.setValue(-entry.getValue());
    show("negative", map("key6") + " " + map.get("new"));
    var keys:Long = 0;
    for (key in map.keySet()) keys += key.length();
    show("keys", keys + " " + map.keySet().contains("new"));
    raises("changed", ()=>{ for (key in map.keySet()) map(key + "x") = 0; });
    map.clear();
    show("cleared", map.size() + " " + map("key3"));
    val clash = new HashMap[Clash,String]();
    for (i in 1..50) clash(Clash(i)) = "v" + i;
    for (i in 1..50) if (i % 7 != 0) clash.delete(Clash(i));
    show("clash", clash + " " + clash(Clash(8)));
    val minus = new HashMap[Int,Int]();
    for (i in -500n..500n) minus(i * 65536n) = i;
    var wrong:Long = 0;
    for (i in -500n..500n) if (minus(i * 65536n) != i) wrong++;
    show("wrong", wrong + " " + minus.size());
    // Identities are others where it is sent to.
    val objects = new HashMap[Empty,Long](100);
    val first = new Empty();
    objects(first) = 1;
    for (i in 2..40) objects(new Empty()) = i;
    val there = Place.places().next(here);
    show("sent", at (there) objects(first) + " " + objects.size());
  }

  static def sets() {
    val set = new HashSet[Long]();
    show("add", set.add(4) + " " + set.add(4) + " " + set.add(5) + " " + set.size());
    for (i in 0..9) set.add(i);
    val even = new HashSet[Long]();
    for (i in 0..20) if (i % 2 == 0) even.add(i);
    val both = set.clone();
    both.retainAll(even);
    show("both", both.size() + " " + both.contains(4) + " " + both.contains(5) + " " + set.containsAll(both) + " " + both.containsAll(set));
    set.removeAll(even);
    show("odd", set.size() + " " + set.remove(7) + " " + set.remove(7) + " " + set.contains(7));
    set.clear();
    show("cleared", set.size() + " " + set);
  }

  static def others() {
    val stack = new Stack[String]();
    for (word in "one two three four".split(" ")) stack.push(word);
    show("stack", stack.peek() + " " + stack.search("two") + " " + stack.search("five") + " " + stack.pop() + " " + stack.pop(2) + " " + stack.pop(2) + " " + stack);
    val growing = new GrowableRail[Int]();
    for (i in 1n..30n) growing.add(i);
    growing.insert(2, [100n as Int, 101n]);
    growing(growing.size()) = 7n;
    show("growing", growing + " " + growing.size() + " " + growing.removeLast() + " " + growing.moveSectionToRail(0, 3) + " " + growing.contains(101n));
    raises("gap", ()=>{ growing(100) = 1n; });
    raises("range", ()=>{ growing(-1) = 1n; });
    growing.shrink(2);
    show("shrunk", growing + " " + growing.capacity());
    val builder = new RailBuilder[Char]();
    builder.add('b').add('c').insert(0, ['a' as Char]);
    show("built", builder.result() + " " + builder.length());
    show("pair", Pair[Long,String](1, "x") + " " + Pair[Long,String](1, "x").equals(Pair[Long,String](1, "x")));
    show("triple", Triple[Long,Double,Char](1, 2.5, 'z'));
    val box = new Box[Long](5);
    show("box", box() + " " + box + " " + box.equals(new Box[Long](5)) + " " + box.equals(new Box[Long](6)) + " " + box.hashCode());
    val data = [5, 2, 9, 2, 7, 1, 8, 2, 3, 6, 4, 11, 15, 13, 12, 14, 10];
    val order = new Rail[Pair[Long,Long]](data.size, (i:Long)=>Pair[Long,Long](data(i) / 3, i));
    RailUtils.sort(order, (a:Pair[Long,Long], b:Pair[Long,Long])=>a.first.compareTo(b.first));
    var stable:Boolean = true;
    for (i in 1..(order.size - 1)) if (order(i-1).first > order(i).first || order(i-1).first == order(i).first && order(i-1).second > order(i).second) stable = false;
    RailUtils.sort(data);
    show("sorted", data.toString(20) + " " + stable);
    show("found", RailUtils.binarySearch(data, 9) + " " + RailUtils.binarySearch(data, 100));
    show("reduced", RailUtils.reduce(data, (a:Long, b:Long)=>a + b, 0));
    show("mapped", RailUtils.map(data, new Rail[String](data.size), (x:Long)=>"<" + x + ">"));
    show("scanned", RailUtils.scan(data, (a:Long, b:Long)=>a + b, 0) + " " + RailUtils.scanExclusive(data, (a:Long, b:Long)=>a + b, 0));
  }

  public static def main(Rail[String]) {
    lists();
    iterators();
    maps();
    sets();
    others();
  }
}
