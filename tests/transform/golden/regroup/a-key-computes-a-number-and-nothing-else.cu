// heddle opt --assume whole-program -d "regroup by=a[i]=2"
// heddle opt --assume whole-program -d "regroup by=i++"
// heddle opt --assume whole-program -d "regroup by=atomicAdd(a,1)"
// heddle opt --assume whole-program -d "regroup by=next(i)"
// heddle opt --assume whole-program -d "regroup by=rounds"
// heddle opt --assume whole-program -d "regroup by=n"

__device__ int calls;
__device__ int next(int i) { return i + ++calls; }
__global__ void k(int *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int rounds = 0, limit = n;
  if (i >= n)
    return;
  for (; rounds < work[i]; ++rounds)
    a[i] += limit;
}
void f(int *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
