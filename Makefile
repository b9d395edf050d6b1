# The front door; `make help` lists the targets. `make setup` installs packages; `make demo` and `make test` do so where it needs no password.

BUILD      ?= build
BUILD_TYPE ?= Release
PREFIX     ?= /usr/local
JOBS       ?= $(shell nproc)
# One more than there are cores: some tests wait for a time limit or for another process.
TEST_JOBS  ?= $(shell expr $(JOBS) + 1)
# `make test SANITIZE=1` builds apart, so that switching back and forth costs nothing.
ifeq ($(SANITIZE),1)
  override BUILD := $(BUILD)-sanitize
  CONFIGURE += -DHEDDLE_SANITIZE=ON
  # Leaks are not looked for: simulated programs and libraries of MPI have their own.
  export ASAN_OPTIONS ?= detect_leaks=0
endif
# What is only tried here is compiled quickly; what is installed is optimized, and built apart.
RELEASE ?= $(BUILD)-release
QUICK   ?= ON

.DEFAULT_GOAL := build
.NOTPARALLEL: # packages come before the build; ninja uses all cores by itself
.PHONY: help setup packages checked-packages build release demo test matrix bench format format-check tidy tidy-changed install package clean

help:            ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:           ## install what is missing (Debian packages)
	@tools/setup

packages:
	@tools/setup permitted

checked-packages:
	@tools/setup check

$(BUILD)/build.ninja: CMakeLists.txt
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DHEDDLE_QUICK=$(QUICK) $(CONFIGURE)

build: checked-packages $(BUILD)/build.ninja   ## build everything; the program is build/heddle
	@tools/build $(BUILD) $(JOBS)

demo: packages $(BUILD)/build.ninja    ## build, then show the main job on an example
	@tools/build $(BUILD) $(JOBS) heddle
	@tools/demo $(BUILD)

test: packages build ## build and run all tests
	@tools/setup permitted tests
	@cd $(BUILD) && HEDDLE_HEADER_CACHE="$$PWD/headers" HEDDLE_COMPILE_CACHE="$$PWD/compiled" ctest --output-on-failure -j $(TEST_JOBS)

matrix: build    ## coarsen every test program in every way, 2,000 random kernels and 3,000 random programs; run 100,000 random PTX kernels on each engine (hours)
	@tools/build $(BUILD) $(JOBS) matrix

bench: release   ## run the benchmarks (ratios; absolute times only where a GPU is named)
	@tools/build $(RELEASE) $(JOBS) benchmarks
	@tools/bench $(RELEASE)

format:          ## lay out the sources as .clang-format says
	@git ls-files '*.cpp' '*.h' '*.cuh' ':!tests/*golden*' | xargs clang-format-22 -i

format-check:    ## report sources that are not laid out as .clang-format says
	@tools/lint format

tidy-changed: $(BUILD)/build.ninja ## run clang-tidy over what changed since the merge base, warnings as errors
	@tools/lint tidy $(BUILD) $(JOBS)

tidy: build      ## run clang-tidy over the sources
	@tools/lint commands $(BUILD)
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-22 -p $(BUILD)/single --quiet

release: checked-packages ## what is installed and packaged, optimized throughout, in BUILD-release
	@cmake -S . -B $(RELEASE) -G Ninja -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DHEDDLE_QUICK=OFF $(CONFIGURE)
	@tools/build $(RELEASE) $(JOBS) heddle heddle-runner manuals

install: release ## install to PREFIX
	@cmake --install $(RELEASE) --prefix $(PREFIX)

package: release ## a .deb and a relocatable archive, in BUILD/packages
	@tools/package $(RELEASE) all $(abspath $(BUILD))/packages

clean:           ## remove the build folders
	@rm -rf build build-sanitize build-release
