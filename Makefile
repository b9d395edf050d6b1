# The front door. Every target sets up what it needs first; `make help` lists them.

BUILD      ?= build
BUILD_TYPE ?= Release
PREFIX     ?= /usr/local
JOBS       ?= $(shell nproc)
# `make test SANITIZE=1` builds apart, so that switching back and forth costs nothing.
ifeq ($(SANITIZE),1)
  override BUILD := $(BUILD)-sanitize
  CONFIGURE += -DHEDDLE_SANITIZE=ON
endif

.DEFAULT_GOAL := build
.PHONY: help setup build demo test matrix bench format tidy install clean

help:            ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:           ## install what is missing (Debian packages)
	@tools/setup

$(BUILD)/build.ninja: CMakeLists.txt
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CONFIGURE)

build: setup $(BUILD)/build.ninja   ## build everything; the program is build/heddle
	@ninja -C $(BUILD) -j $(JOBS) --quiet

demo: setup $(BUILD)/build.ninja    ## build, then show the main job on an example
	@ninja -C $(BUILD) -j $(JOBS) --quiet heddle
	@tools/demo $(BUILD)

test: build      ## build and run all tests
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

matrix: build    ## coarsen every test program in every way, 2,000 random kernels and 3,000 random programs (an hour)
	@ninja -C $(BUILD) --quiet matrix

bench: build     ## run the benchmarks (ratios; absolute times only where a GPU is named)
	@ninja -C $(BUILD) -j $(JOBS) --quiet benchmarks
	@tools/bench $(BUILD)

format:          ## lay out the sources as .clang-format says
	@git ls-files '*.cpp' '*.h' '*.cuh' | xargs clang-format-22 -i

tidy: build      ## run clang-tidy over the sources
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-22 -p $(BUILD) --quiet

install: build   ## install to PREFIX
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:           ## remove the build folders
	@rm -rf build build-sanitize
