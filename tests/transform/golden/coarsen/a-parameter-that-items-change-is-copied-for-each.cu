// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  a += threadIdx.x;
  *a = 1.0f;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
