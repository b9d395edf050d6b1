// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors: the thread's last one, names and texts.
#include "cudart/Runtime.h"

#include <cctype>

using namespace heddle::cudart;

namespace {

HEDDLE_ANY_NUMBER const char *nameOf(cudaError_t error) {
  switch (int(error)) {
#define HEDDLE_CUDA_ERROR(name, value)                                                                       \
  case value: return #name;
#include "heddle/error_codes.def"
#undef HEDDLE_CUDA_ERROR
  }
  return nullptr;
}

/// "cudaErrorStreamCaptureMerge" as "stream capture merge".
std::string wordsOf(std::string_view name) {
  std::string words;
  for (char c : name.substr(std::string_view("cudaError").size())) {
    if (std::isupper(static_cast<unsigned char>(c)) && !words.empty())
      words += ' ';
    words += char(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

HEDDLE_ANY_NUMBER const char *textOf(cudaError_t error) {
  switch (int(error)) {
#define HEDDLE_CUDA_ERROR_TEXT(name, text)                                                                   \
  case name: return text;
#include "cudart/ErrorStrings.def"
#undef HEDDLE_CUDA_ERROR_TEXT
  }
  const char *name = nameOf(error);
  if (!name)
    return "unrecognized error code";
  static std::mutex guard;
  static std::map<int, std::string> made;
  std::lock_guard lock(guard);
  return made.try_emplace(error, wordsOf(name)).first->second.c_str();
}

} // namespace

HEDDLE_ANY_NUMBER const char *heddle::cudart::errorName(cudaError_t error) {
  const char *name = nameOf(error);
  return name ? name : "an unknown error";
}

extern "C" {

/// A device that failed keeps answering with its error; the thread's own copy of it is still handed out once.
cudaError_t cudaGetLastError() {
  cudaError_t error = lastError;
  lastError = cudaSuccess;
  Runtime::instance().noteErrorSeen();
  return error;
}

cudaError_t cudaPeekAtLastError() {
  Runtime::instance().noteErrorSeen();
  return lastError;
}

HEDDLE_ANY_NUMBER const char *cudaGetErrorName(cudaError_t error) {
  if (error != cudaSuccess)
    Runtime::instance().noteErrorSeen();
  const char *name = nameOf(error);
  return name ? name : "unrecognized error code";
}

HEDDLE_ANY_NUMBER const char *cudaGetErrorString(cudaError_t error) {
  if (error != cudaSuccess)
    Runtime::instance().noteErrorSeen();
  return textOf(error);
}
}
