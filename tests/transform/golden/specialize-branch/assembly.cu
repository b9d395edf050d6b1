// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane;
  asm("mov.u32 %0, %%warpid;" : "=r"(lane));
  if (kind[i] == 1)
    a[i] = 1.0f;
  else
    a[i] = a[i] * 2.0f;
  a[i] += lane;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
