// heddle opt --assume whole-program -d "coarsen x=4"

__global__ void k(float *a, int n) {
  // which element
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return; // none
  a[i] *= 2.0f;
}
void f(float *a) { k<<<8, 256>>>(a, 9); }
