// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  int i = threadIdx.x;
  auto mine = [=] { return i; };
  a[i] = mine();
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
