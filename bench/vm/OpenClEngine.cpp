// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL on the host's processors, as PoCL implements it.
#define CL_TARGET_OPENCL_VERSION 120
#include "Engine.h"

#include <CL/cl.h>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace heddle::bench {
namespace {

void demand(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  std::cerr << "OpenCL: " << what << " failed with " << status << "\n";
  exit(1);
}

/// The first processor that is no GPU.
cl_device_id findDevice() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS)
    return nullptr;
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  return nullptr;
}

class OpenClEngine : public Engine {
public:
  OpenClEngine(const Case &what, cl_device_id device, const std::string &text, const std::string &folder)
      : work(what) {
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    demand(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    demand(status, "clCreateCommandQueue");
    const char *source = text.c_str();
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    demand(status, "clCreateProgramWithSource");
    demand(clBuildProgram(program, 1, &device, ("-I " + folder).c_str(), nullptr, nullptr), "clBuildProgram");
    kernel = clCreateKernel(program, what.name.c_str(), &status);
    demand(status, "clCreateKernel");
    for (const Argument &each : what.arguments)
      add(each);
  }
  ~OpenClEngine() override {
    for (cl_mem each : arrays)
      if (each)
        clReleaseMemObject(each);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  void run() override {
    const size_t block[] = {work.block.x, work.block.y};
    const size_t all[] = {size_t(work.grid.x) * work.block.x, size_t(work.grid.y) * work.block.y};
    demand(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, all, block, 0, nullptr, nullptr),
           "clEnqueueNDRangeKernel");
    demand(clFinish(queue), "clFinish");
  }
  void reset() override {
    for (size_t i = 0; i < arrays.size(); ++i)
      if (work.arguments[i].isResult)
        write(i);
  }
  std::vector<uint8_t> read(size_t argument) override {
    std::vector<uint8_t> bytes(work.arguments[argument].bytes.size());
    demand(clEnqueueReadBuffer(queue, arrays[argument], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                               nullptr),
           "clEnqueueReadBuffer");
    return bytes;
  }

private:
  void add(const Argument &argument) {
    cl_int status = CL_SUCCESS;
    cl_mem array = nullptr;
    if (argument.isArray)
      array = clCreateBuffer(context, CL_MEM_READ_WRITE, argument.bytes.size(), nullptr, &status);
    demand(status, "clCreateBuffer");
    const cl_uint number = cl_uint(arrays.size());
    arrays.push_back(array);
    if (array)
      write(number);
    demand(array ? clSetKernelArg(kernel, number, sizeof array, &array)
                 : clSetKernelArg(kernel, number, argument.bytes.size(), argument.bytes.data()),
           "clSetKernelArg");
  }
  void write(size_t i) {
    const std::vector<uint8_t> &bytes = work.arguments[i].bytes;
    demand(
        clEnqueueWriteBuffer(queue, arrays[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  }

  const Case &work;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  std::vector<cl_mem> arrays;
};

} // namespace

std::unique_ptr<Engine> openClEngine(const Case &what, const std::string &folder, std::string &whyNot) {
  std::ifstream file(folder + "/" + what.name + ".cl");
  if (!file) {
    whyNot = "OpenCL cannot express it";
    return nullptr;
  }
  cl_device_id device = findDevice();
  if (!device) {
    whyNot = "there is no OpenCL implementation for this processor (Debian: pocl-opencl-icd)";
    return nullptr;
  }
  std::stringstream text;
  text << file.rdbuf();
  return std::make_unique<OpenClEngine>(what, device, text.str(), folder);
}

void limitOpenCl(unsigned cores) {
  const std::string count = std::to_string(cores);
  setenv("POCL_MAX_PTHREAD_COUNT", count.c_str(), 1); // PoCL 3
  setenv("POCL_CPU_MAX_CU_COUNT", count.c_str(), 1);  // later
}

} // namespace heddle::bench
