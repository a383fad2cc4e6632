class A {
    val a = (x) => x;
    val b = (x:T, y:U){x != y}:V => x + y;
    val c = () => { f(); g() };
    val d = x as (T)=>U;
    val e:(x:T){x > 0}=>(U)=>V = null;
    val f = (x)+1;
    val g = c ? (x) : (y:T) => y;
    val h = () : void => { };
    val i = (x:T) => (y:U) => z;
}
