// heddle opt --assume whole-program -d "regroup by=profile"

#define EACH(i, n) for (int i = 0; i < (n); ++i)
#define RAISE(s)                                                                                                       \
  if ((s) < 100) {                                                                                                     \
    ++(s);                                                                                                             \
  }

__global__ void k(int *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int s = 0, left = work[i];
  for (int j = 0; j < left; ++j)
    if (j & 1) {
      s += j;
    }
  for (int j = 0; j < left; ++j)
    for (int l = 0; l < j; ++l)
      if (l & 1)
        s += l;
      else {
        s -= j;
      }
  while (left > 0)
    switch (left & 1) {
    case 0: left -= 2; break;
    default: --left;
    }
  for (int step : {1, 2})
    while (s % 3) {
      s += step;
    }
  EACH(j, s)
    RAISE(s)
  for (int j = 0; j < 3; ++j)
    do {
      ++s;
    } while (s % 5);
  a[i] = s;
}
void f(int *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
