// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image is recognized by its content, so that nothing depends on the order in which modules are registered. It is
// a container of nvcc's (Fatbin.h), PTX as text, or a marker for text that is provided apart (build/Build.cpp).
#include "instrument/preload/Images.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace heddle::instrument {
namespace {

constexpr uint32_t ContainerMagic = 0xba55ed50;
constexpr const char *MarkerBegin = "//heddle:";

std::string textFrom(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? text : "";
}

size_t bytesOf(const void *image) {
  struct {
    uint32_t magic;
    uint16_t version, headerBytes;
    uint64_t payloadBytes;
  } header;
  std::memcpy(&header, image, sizeof header.magic);
  if (header.magic != ContainerMagic)
    return std::strlen(static_cast<const char *>(image));
  std::memcpy(&header, image, sizeof header);
  return header.headerBytes + header.payloadBytes;
}

std::string hashOf(const char *bytes, size_t count) {
  uint64_t hash = 14695981039346656037u; // FNV-1a
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ uint8_t(bytes[i])) * 1099511628211u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string contentOf(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in)
    text << in.rdbuf();
  return text.str();
}

} // namespace

Images &Images::instance() {
  static auto *images = new Images; // the program's exit handlers may come after our own
  return *images;
}

Images::Images() : folder(textFrom("HEDDLE_COUNTING")), lists(!textFrom("HEDDLE_COUNTING_LIST").empty()) {}

Module *Images::of(const void *image) {
  const char *bytes = static_cast<const char *>(image);
  if (std::strncmp(bytes, MarkerBegin, std::strlen(MarkerBegin)) != 0)
    return moduleOf(bytes, bytesOf(image));
  Module *&module = byMarker[bytes];
  if (!module) {
    module = &modules[bytes]; // until its text comes
    module->isMarker = true;
  }
  return module;
}

const char *Images::provided(const char *marker, const char *text) {
  Module *module = moduleOf(text, std::strlen(text));
  if (Module *&known = byMarker[marker]; known)
    *known = *module;
  else
    known = module;
  return module->image.empty() ? text : module->image.c_str();
}

Module *Images::moduleOf(const char *bytes, size_t count) {
  const std::string hash = hashOf(bytes, count);
  const bool isNew = !modules.contains(hash);
  Module &module = modules[hash];
  module.hash = hash;
  if (isNew && lists)
    std::ofstream(folder + "/" + hash + ".found", std::ios::binary).write(bytes, std::streamsize(count));
  else if (isNew)
    load(module);
  return &module;
}

/// NAME ROWS-OF-THREADS ROWS-OF-WARPS ROWS-OF-VALUES and then, to the end of the line, the rows of divergences.
void Images::load(Module &module) const {
  module.image = contentOf(folder + "/" + module.hash + ".image");
  std::ifstream in(folder + "/" + module.hash + ".rows");
  for (std::string line, name; std::getline(in, line);) {
    std::istringstream words(line);
    words >> name;
    KernelRows &rows = module.kernels[name];
    words >> rows.ofThreads >> rows.ofWarps >> rows.ofValues;
    for (uint32_t row; words >> row;)
      rows.divergences.push_back(row);
  }
}

} // namespace heddle::instrument
