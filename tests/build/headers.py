#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# labels: slow
# What GPUs share with CPUs is device code: headers.cu includes every header that mentions FIRN_HD,
# calls each such function, itself or through another, and compiles for sm_90 in both precisions
# without a word from nvcc. The headers of the x86 lanes and the .inc.h files are for CPUs alone.
# timeout: 300
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(os.environ["FIRN_SOURCE_DIR"])
SOURCE = ROOT / "tests/build/headers.cu"
INCLUDES = [f"-I{ROOT}/src", f"-I{ROOT}/include"]
CPU_ONLY = re.compile(r"\.inc\.h$|/lane_(avx2|avx512|x86)\.h$|/(grid|flip)/\w+_lane\.h$")
FUNCTION = re.compile(r"__device__ static (?:inline|__forceinline__)\s[^;{}()]*?(\w+)\(")


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(1)


# As nvcc would see the text: which headers it reads, and which functions they define.
text = subprocess.run([os.environ.get("CC", "cc"), "-E", "-xc", "-D__CUDACC__", *INCLUDES, SOURCE],
                      check=True, capture_output=True, text=True).stdout
read = {os.path.relpath(name, ROOT) for name in re.findall(r'^# \d+ "([^"<]+)"', text, re.M)}
shared = {os.path.relpath(h, ROOT) for h in (ROOT / "src").rglob("*.h")
          if not CPU_ONLY.search(str(h)) and re.search(r"\bFIRN_HD(_INLINE)?\b", h.read_text())}
if missing := sorted(shared - read):
    fail("tests/build/headers.cu does not include " + ", ".join(missing))
body = re.sub(r"^#.*\n", "", text, flags=re.M)
defined, words = FUNCTION.findall(body), Counter(re.findall(r"\w+", body))
if missing := [f for f in defined if words[f] < 2]:
    fail("tests/build/headers.cu does not call " + ", ".join(missing))
if len(defined) < 100:
    fail(f"only {len(defined)} functions found; is FIRN_HD still what it was?")

nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
if not nvcc:
    print(f"skipped: no nvcc, in PATH or /usr/local/cuda/bin, to compile {len(defined)} functions")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    for define in ([], ["-DFIRN_DOUBLE"]):
        out = subprocess.run(
            [nvcc, "-std=c++17", "-arch=sm_90", "-Werror=all-warnings", "-Xcompiler=-Wall,-Wextra",
             *define, *INCLUDES, "-c", "-o", f"{folder}/headers.o", SOURCE],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if out.returncode or out.stdout.strip():
            fail(out.stdout)
print(f"{len(defined)} functions of {len(shared)} headers")
