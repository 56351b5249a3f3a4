# SPDX-License-Identifier: Apache-2.0
JOBS ?= $(shell nproc)
build:
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS)
	@ln -sfn release/firn build/firn
test: build
	@ctest --preset release
.PHONY: build test
