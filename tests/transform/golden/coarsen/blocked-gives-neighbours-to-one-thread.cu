// heddle opt --assume whole-program -d "coarsen x=4 map=blocked"

__global__ void k(float *a, const float *b, int n) {
  a[threadIdx.x] = 1.0f;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
