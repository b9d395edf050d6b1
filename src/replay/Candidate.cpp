// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Candidate.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace heddle::replay {
namespace {

/// What every kernel may have without asking.
constexpr uint32_t kSharedWithoutAsking = 48 << 10;
/// Every GPU with clusters has clusters of this size; larger ones need permission.
constexpr uint64_t kPortableCluster = 8;

std::string textOf(const Dim &dim) {
  return std::to_string(dim[0]) + "x" + std::to_string(dim[1]) + "x" + std::to_string(dim[2]);
}
uint64_t countOf(const Dim &dim) { return uint64_t(dim[0]) * dim[1] * dim[2]; }

} // namespace

Candidate::Candidate(Driver &driver, const Request &request, const capture::Manifest &manifest,
                     const TextureObjects &textures)
    : driver(driver), request(request) {
  std::ifstream file(request.module, std::ios::binary);
  if (!file)
    throw ReplayError("cannot read " + request.module);
  image.assign(std::istreambuf_iterator<char>(file), {});
  load();
  try {
    findKernel();
    findVariables(manifest);
    readModulePointers(manifest);
    takeParameters(manifest);
    textures.setIn(parameters);
    allowShared();
  } catch (...) {
    driver.moduleUnload(module);
    throw;
  }
}

Candidate::~Candidate() { driver.moduleUnload(module); }

void Candidate::load() {
  if (image.empty())
    throw ReplayError(request.module + " is empty");
  char log[2048] = "";
  int options[] = {cu::JitErrorLog, cu::JitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  const cu::Result result = driver.moduleLoadDataEx(&module, image.c_str(), 2, options, values);
  if (result == cu::Success)
    return;
  std::string text = request.module + " cannot be loaded: " + driver.describe(result);
  // The simulator takes no cubin, for whatever GPU; its log states this.
  if (result == cu::ErrorNoBinary && !driver.isSimulator())
    text += ": it was compiled for another GPU; this one is " + driver.arch();
  if (*log)
    text += std::string("\n") + log;
  throw CudaError(result, text);
}

std::string Candidate::kernelNames() const {
  unsigned count = 0;
  if (!driver.moduleGetFunctionCount || !driver.moduleEnumerateFunctions || !driver.funcGetName ||
      driver.moduleGetFunctionCount(&count, module) != cu::Success)
    return {};
  std::vector<cu::Function> functions(count);
  if (driver.moduleEnumerateFunctions(functions.data(), count, module) != cu::Success)
    return {};
  std::string names;
  for (cu::Function each : functions)
    if (const char *name = nullptr; driver.funcGetName(&name, each) == cu::Success)
      names += (names.empty() ? "" : ", ") + std::string(name);
  return names.empty() ? "; it has none" : "; it has " + names;
}

void Candidate::findKernel() {
  const cu::Result result = driver.moduleGetFunction(&function, module, request.kernel.c_str());
  if (result == cu::ErrorNotFound)
    throw ReplayError(request.module + " has no kernel '" + request.kernel + "'" + kernelNames());
  driver.check(result, "kernel '" + request.kernel + "'");
}

/// A module need not have all variables of the program: what a kernel does not use, a compiler leaves out.
void Candidate::findVariables(const capture::Manifest &manifest) {
  for (const capture::Variable &variable : manifest.variables) {
    cu::Pointer address = 0;
    size_t bytes = 0;
    const cu::Result result = driver.moduleGetGlobal(&address, &bytes, module, variable.name.c_str());
    if (result == cu::ErrorNotFound)
      address = 0;
    else
      driver.check(result, "variable '" + variable.name + "'");
    if (address && bytes != variable.bytes)
      throw ReplayError("variable '" + variable.name + "' has " + std::to_string(bytes) +
                        " bytes in this module and " + std::to_string(variable.bytes) + " in the capture");
    moduleVariables.addresses.push_back(address);
    if (!address)
      continue;
    const auto &pointed = manifest.pointsIntoVariables;
    if (!variable.address && std::find(pointed.begin(), pointed.end(), variable.name) != pointed.end())
      throw ReplayError("the captured data has pointers into variable '" + variable.name +
                        "', whose address it does not have: capture the launch again");
  }
}

/// Just after the module was loaded: nothing has been written to its variables yet.
void Candidate::readModulePointers(const capture::Manifest &manifest) {
  for (const capture::Manifest::ModulePointer &pointer : manifest.modulePointers) {
    const auto named = [&](const capture::Variable &variable) { return variable.name == pointer.variable; };
    const auto found = std::find_if(manifest.variables.begin(), manifest.variables.end(), named);
    const cu::Pointer address = found == manifest.variables.end()
                                    ? 0
                                    : moduleVariables.addresses[size_t(found - manifest.variables.begin())];
    uint64_t value = 0;
    if (address)
      driver.check(driver.copyNow(Driver::pointerTo(&value), address + pointer.offset, sizeof value),
                   "reading variable '" + pointer.variable + "'");
    moduleVariables.modulePointers.push_back(value);
  }
}

void Candidate::takeParameters(const capture::Manifest &manifest) {
  if (request.parameters)
    parameters = *request.parameters;
  else
    for (const capture::Parameter &parameter : manifest.parameters) {
      parameters.resize(std::max<size_t>(parameters.size(), parameter.offset + parameter.bytes.size()));
      std::memcpy(parameters.data() + parameter.offset, parameter.bytes.data(), parameter.bytes.size());
    }
  std::vector<PointerIntoVariable> pointers;
  if (VariableSearch search(manifest); search.isNeeded())
    search.search(parameters.data(), parameters.size(), 4, 0, pointers);
  for (const PointerIntoVariable &pointer : pointers)
    if (const uint64_t variable = moduleVariables.addresses[pointer.variable]) {
      const uint64_t value = variable + pointer.delta;
      std::memcpy(parameters.data() + pointer.offset, &value, sizeof value);
    }
  size_t needed = 0, offset = 0, bytes = 0;
  if (!driver.funcGetParamInfo)
    return;
  for (size_t i = 0; driver.funcGetParamInfo(function, i, &offset, &bytes) == cu::Success; ++i)
    needed = std::max(needed, offset + bytes);
  if (needed != parameters.size())
    throw ReplayError("kernel '" + request.kernel + "' has " + std::to_string(needed) +
                      " bytes of parameters, and the captured launch " + std::to_string(parameters.size()));
}

void Candidate::allowShared() {
  if (request.sharedBytes > kSharedWithoutAsking)
    driver.check(driver.funcSetAttribute(function, cu::FunctionMaxDynamicShared, int(request.sharedBytes)),
                 std::to_string(request.sharedBytes) + " bytes of dynamic shared memory are not allowed");
  if (countOf(request.cluster) > kPortableCluster)
    driver.check(driver.funcSetAttribute(function, cu::FunctionNonPortableCluster, 1),
                 "clusters of " + std::to_string(countOf(request.cluster)) + " blocks are not allowed");
}

std::string Candidate::shape() const {
  std::string text = "grid " + textOf(request.grid) + ", block " + textOf(request.block) + ", " +
                     std::to_string(request.sharedBytes) + " bytes of dynamic shared memory";
  if (countOf(request.cluster) > 1)
    text += ", cluster " + textOf(request.cluster);
  int most = 0;
  if (driver.funcGetAttribute(&most, cu::FunctionMaxThreads, function) == cu::Success &&
      countOf(request.block) > uint64_t(most))
    text += " (this kernel can have " + std::to_string(most) + " threads per block)";
  return text;
}

void Candidate::launch(cu::Stream stream) {
  size_t bytes = parameters.size();
  void *extra[] = {reinterpret_cast<void *>(1), parameters.data(), reinterpret_cast<void *>(2), &bytes,
                   nullptr};
  void **arguments = bytes ? extra : nullptr;
  const bool hasCluster = countOf(request.cluster) > 1;
  if (!hasCluster && !request.isCooperative) {
    const cu::Result result = driver.launchKernel(function, request.grid[0], request.grid[1], request.grid[2],
                                                  request.block[0], request.block[1], request.block[2],
                                                  request.sharedBytes, stream, nullptr, arguments);
    return driver.check(result, "the launch was refused: " + shape());
  }
  if (!driver.launchKernelEx)
    throw ReplayError(
        "the CUDA driver has no cuLaunchKernelEx: it is too old for clusters and cooperative launches");
  cu::LaunchAttribute attributes[2];
  cu::LaunchConfig config;
  config.gridX = request.grid[0], config.gridY = request.grid[1], config.gridZ = request.grid[2];
  config.blockX = request.block[0], config.blockY = request.block[1], config.blockZ = request.block[2];
  config.sharedBytes = request.sharedBytes;
  config.stream = stream;
  config.attributes = attributes;
  if (hasCluster) {
    cu::LaunchAttribute &cluster = attributes[config.attributeCount++];
    cluster.id = cu::AttributeCluster;
    cluster.value.cluster = {request.cluster[0], request.cluster[1], request.cluster[2]};
  }
  if (request.isCooperative) {
    cu::LaunchAttribute &cooperative = attributes[config.attributeCount++];
    cooperative.id = cu::AttributeCooperative;
    cooperative.value.cooperative = 1;
  }
  driver.check(driver.launchKernelEx(&config, function, nullptr, arguments),
               "the launch was refused: " + shape());
}

Candidate::Needs Candidate::needs() const {
  Needs needs;
  driver.funcGetAttribute(&needs.registers, cu::FunctionRegisters, function);
  driver.funcGetAttribute(&needs.localBytes, cu::FunctionLocalBytes, function);
  driver.funcGetAttribute(&needs.sharedBytes, cu::FunctionSharedBytes, function);
  needs.sharedBytes += int(request.sharedBytes);
  const uint64_t threads = (countOf(request.block) + 31) / 32 * 32;
  int blocks = 0;
  const int most = driver.attribute(cu::MaxThreadsPerSm);
  if (most > 0 &&
      driver.activeBlocks(&blocks, function, int(countOf(request.block)), request.sharedBytes) == cu::Success)
    needs.occupancy = 100.0 * blocks * double(threads) / most;
  return needs;
}

} // namespace heddle::replay
