// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto f = [&](float x, float y = float(threadIdx.x)) { return x * y; };
  if (kind[i] == 1)
    a[i] = 1.0f;
  else
    a[i] = f(a[i]);
}
int main() { k<<<4, 128>>>(nullptr, nullptr); }
