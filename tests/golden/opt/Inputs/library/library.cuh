namespace library {
template <class T> __global__ void empty() {}
template <class T> void use() {
  void (*unused)() = empty<T>;
  (void)unused;
}
} // namespace library
