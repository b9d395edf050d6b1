// heddle opt --assume whole-program -d "coarsen x=2"

struct V { float x, y; __device__ V(float x, float y) : x(x), y(y) {}
  __device__ V operator+(const V &o) const { return V(x + o.x, y + o.y); } };
__global__ void k(float *a) { V p(threadIdx.x, 1); V q = p + V(2, 3); a[threadIdx.x] = q.x; }
int main() { k<<<1, 64>>>(nullptr); }
