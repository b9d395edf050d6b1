/* A driver library that knows one device, or answers cuInit with the error in FAKE_INIT. */
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags) {
  const char *error = getenv("FAKE_INIT");
  return flags != 0 ? 1 : error ? atoi(error) : 0;
}
int cuDriverGetVersion(int *version) { return *version = 12080, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = 40 + ordinal, 0; }
int cuDeviceGetName(char *name, int size, int device) {
  if (device != 40)
    return 101; /* CUDA_ERROR_INVALID_DEVICE */
  strncpy(name, "Loom 9000", (size_t)size);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 16 ? 7 : attribute == 75 ? 9 : attribute == 76 ? 1 : -1;
  return device == 40 ? 0 : 101;
}
