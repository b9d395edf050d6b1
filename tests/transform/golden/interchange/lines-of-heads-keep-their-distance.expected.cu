// heddle opt --assume whole-program -d "interchange line=4"

__global__ void fill(float (*__restrict__ out)[64], const float *__restrict__ in) {
  for (int j = 0; j < 64; ++j)
    for (int i = 0;
         i < 64;
         ++i)
      out[i][j] = in[j];
}
