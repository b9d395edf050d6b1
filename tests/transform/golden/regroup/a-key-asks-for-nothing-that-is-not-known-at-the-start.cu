// heddle opt --assume whole-program -d "regroup by=k"
// heddle opt --assume whole-program -d "regroup by=wrok[i]"
// heddle opt --assume whole-program -d "regroup by=work[i"
// heddle opt --assume whole-program -d "regroup by=late%4"
// heddle opt --assume whole-program -d "regroup by=pair.x"

struct Pair {
  int x, y;
};
__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int late;
  Pair pair;
  if (i >= n)
    return;
  late = i / 2, pair.x = i / 3;
  for (int k = 0; k < work[i]; ++k)
    a[i] += late + pair.x;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
