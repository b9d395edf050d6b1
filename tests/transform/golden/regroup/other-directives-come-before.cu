// heddle opt --assume whole-program -d "regroup by=work[i]" -d "coarsen x=2"
// heddle opt --assume whole-program -d "regroup by=work[i]" -d "consolidate delegate=off"

__global__ void k(float *a, const int *work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < work[i]; ++j)
    sum += j;
  a[i] = sum;
}
void f(float *a, int *w, int n) { k<<<n / 64, 64>>>(a, w); }
