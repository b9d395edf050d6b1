// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instrument/Layout.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::instrument {

/// One image of device code that the program registers.
struct Module {
  std::string hash;
  std::string image;                         ///< with counters; empty: there is none
  std::map<std::string, KernelRows> kernels; ///< by mangled name
  char symbol[sizeof(Header)] = {};          ///< represents the header for the host
  bool isMarker = false;                     ///< the text comes by __heddleProvidePtx
};

/// What goes between this library and the process that has started the program: a folder (HEDDLE_COUNTING). With
/// HEDDLE_COUNTING_LIST, images are written there as they are, and main is not called.
class Images {
public:
  static Images &instance();

  bool isOn() const { return !folder.empty(); }
  bool isListing() const { return lists; }
  const std::string &path() const { return folder; }

  /// The module of an image, by its content.
  Module *of(const void *image);
  /// Text that is provided for a marker; what is to be provided instead.
  const char *provided(const char *marker, const char *text);

private:
  Images();
  Module *moduleOf(const char *bytes, size_t count);
  void load(Module &module) const;

  std::string folder;
  bool lists = false;
  std::map<std::string, Module> modules; ///< by hash
  std::map<std::string, Module *> byMarker;
};

} // namespace heddle::instrument
