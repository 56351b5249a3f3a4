# SPDX-License-Identifier: Apache-2.0
# The front door: short names for what CMake and the scripts do. `make help` lists them.

JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX  ?= /usr/local
DESTDIR ?=
ARGS    ?=
OUT     ?= demo-out
SECONDS ?= 600
PRECISIONS ?= f32;f64
SLOW    ?= ON
PRECISION ?= float

# The program computes in float; PRECISION=double builds, shows and installs the other one.
preset := $(if $(filter float,$(PRECISION)),release,$(if $(filter double,$(PRECISION)),double))
ifeq ($(preset),)
  $(error PRECISION=$(PRECISION): there are float and double)
endif

# A build folder that was copied or moved with its tree still names the old place, and would be built
# there: it is made anew.
moved := $(foreach cache,$(wildcard build/*/CMakeCache.txt),$(shell \
  was=$$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' '$(cache)'); \
  [ "$$was" -ef '$(dir $(cache))' ] || { rm -rf '$(dir $(cache))'; \
    echo "$(dir $(cache)) was configured in $$was; it is made anew here" >&2; }))

# So is one that another compiler was configured for: a preset cannot change that of a folder.
unlike := $(shell grep -qs '^CMAKE_C_COMPILER:.*clang' build/asan/CMakeCache.txt || rm -rf build/asan)

export JOBS DESTDIR
.NOTPARALLEL: # the tools below use the cores themselves
.DELETE_ON_ERROR:

help: ## this list
	@echo "firn: snow simulation. Start with  make demo  and  make test."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Variables: JOBS=$(JOBS)  PREFIX=$(PREFIX)  OUT=$(OUT)  ARGS='arguments of the program'"
	@echo "           PRECISION=$(PRECISION) (or double: of build, demo, bench, torture and install)"

demo: setup build ## burst a snowball, and say where the picture is; ARGS=--quick is quicker
	@build/firn demo -o "$(OUT)" $(ARGS)
	@scripts/show-picture "$(OUT)"

build: build/$(preset)/build.ninja ## the library and the program build/firn; PRECISION=double
	@cmake --build build/$(preset) --target product -j $(JOBS)
	@ln -sfn $(preset)/firn build/firn

test: setup ## build everything and run the tests, both precisions
	@cmake --log-level=NOTICE --preset release -DFIRN_LONG_TESTS=OFF
	@cmake --build build/release -j $(JOBS)
	@ln -sfn release/firn build/firn
	@ctest --preset release -j $(JOBS) $(ARGS)

test-long: setup ## the same with the tests that take minutes, some of them in ParaView and Blender
	@scripts/setup.sh viewers
	@cmake --log-level=NOTICE --preset release -DFIRN_LONG_TESTS=ON
	@cmake --build build/release -j $(JOBS)
	@ln -sfn release/firn build/firn
	@ctest --preset release -j $(JOBS) $(ARGS)

bench: build ## speed of this machine; ARGS="mpm --json" selects
	@build/firn bench $(ARGS)

lint: ## format, includes, cppcheck, clang-tidy; ARGS=--deep looks longer
	@scripts/setup.sh build lint
	@cmake --log-level=NOTICE --preset release >/dev/null
	@scripts/lint $(ARGS) build/release

fmt: ## rewrite the layout of all C files
	@scripts/setup.sh lint
	@git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' | \
	  xargs -0 -r clang-format -i

asan: ## tests under AddressSanitizer and UBSan (clang); SLOW=OFF PRECISIONS=f32 is quicker
	@scripts/setup.sh build test asan
	@$(MAKE) --no-print-directory run-asan

tsan: ## tests under ThreadSanitizer (clang)
	@scripts/setup.sh build test tsan
	@$(MAKE) --no-print-directory run-tsan

valgrind: ## tests under valgrind
	@scripts/setup.sh build test valgrind
	@$(MAKE) --no-print-directory run-valgrind

mutation: ## break the code in known ways; every break must fail a test
	@scripts/setup.sh build test mutation
	@scripts/mutation.py $(ARGS)

fuzz: ## look for inputs that crash the readers, for 10 minutes; SECONDS=60 for one
	@scripts/setup.sh build asan
	@cmake --log-level=NOTICE --preset asan
	@cmake --build build/asan --target fuzz_scene fuzz_mesh fuzz_points fuzz_cache -j $(JOBS)
	@scripts/fuzz $(SECONDS) $(ARGS)

torture: build ## kill, fail and damage runs, for twenty minutes; nothing may be lost; SECONDS=60 for one
	@cmake --build build/$(preset) --target torture_shim -j $(JOBS)
	@scripts/torture.py build/$(preset)/firn build/$(preset)/tests/torture_shim.so --jobs $(JOBS) \
	  $(if $(filter command%,$(origin SECONDS)),--seconds $(SECONDS)) $(ARGS)

install: build ## into PREFIX, below DESTDIR where given
	@cmake --install build/$(preset) --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then /sbin/ldconfig || true; fi

clean: ## remove build/ and the demo's output
	@rm -rf build demo-out

setup: # installs missing Debian packages
	@scripts/setup.sh build test

run-%:
	@cmake --log-level=NOTICE --preset $* "-DFIRN_TEST_PRECISIONS=$(PRECISIONS)" \
	  -DFIRN_SLOW_TESTS=$(SLOW)
	@cmake --build build/$* -j $(JOBS)
	@ctest --preset $* -j $(JOBS) $(if $(filter OFF,$(SLOW)),-LE slow) $(ARGS)

build/%/build.ninja: CMakePresets.json
	@cmake --log-level=NOTICE --preset $*
	@touch $@

.PRECIOUS: build/%/build.ninja
.PHONY: help demo build test test-long bench lint fmt asan tsan valgrind mutation fuzz torture install clean setup
