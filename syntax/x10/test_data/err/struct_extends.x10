struct A extends B { }
interface C implements D { }
class E extends F, G { }
