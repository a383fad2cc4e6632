class box[t] {}
class holder[u]{box[u] <: Any} {
    def g[v](){box[v] haszero} = 1;
    val x² = f[long](1), price€ = 2;
}
