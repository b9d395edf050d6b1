// heddle opt --assume whole-program -d "coarsen y=2"

namespace std { template <class T> struct tuple_size; template <unsigned long I, class T> struct tuple_element; }
struct P { int a; };
template <> struct std::tuple_size<P> { static constexpr unsigned long value = 1; };
template <unsigned long I> struct std::tuple_element<I, P> { using type = int; };
template <unsigned long I> __device__ int get(const P &p) { return p.a + threadIdx.x; }
__global__ void k(int *a, int n) {
  auto [x] = P{n}; int v = x;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
