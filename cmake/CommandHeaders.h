// What the command and the tuner read, beside the standard library: they ask all of Heddle, and answer in JSON. Precompiled.
#pragma once
#include "ClangHeaders.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
