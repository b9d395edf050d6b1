// heddle opt --assume whole-program -d "coarsen y=2"

struct I { int i; __device__ int operator*() const { return i; } __device__ I &operator++() { ++i; return *this; } __device__ bool operator!=(I e) const { return i != e.i; } };
struct R { int n; __device__ I begin() const { return {int(threadIdx.x)}; } __device__ I end() const { return {n}; } };
__global__ void k(int *a, int n) {
  int v = 0; for (int i : R{n}) v += i;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
