#if __cplusplus > 202000L
#error "flags of another file"
#endif

void fill(int *host, int n) {
  for (int i = 0; i < n; ++i)
    host[i] = i + FIRST;
}
