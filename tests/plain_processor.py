# SPDX-License-Identifier: Apache-2.0
"""A processor without vector instructions, as far as numpy, OpenBLAS and the C library choose code by them.

They choose when they are loaded, so it is a process of its own that is told to do without::

    python tests/plain_processor.py pytest docs

numpy warns where it is to do without something that it was built for, or that the processor does not have; so
numpy is asked for what lies between.
"""

import os
import platform
import sys
from collections.abc import Mapping

import numpy as np

_LIBRARY_FEATURES = ("AVX2", "FMA", "FMA4", "AVX512F", "AVX2_Usable", "FMA_Usable", "AVX512F_Usable")


def without_vectors(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment whose processes run as on a processor without vector instructions."""
    # numpy leaves out what is empty.
    chosen = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    plain = {
        **environment,
        # Of these glibc skips what it does not know; other libraries do not read it.
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in _LIBRARY_FEATURES),
    }
    if chosen:
        plain["NPY_DISABLE_CPU_FEATURES"] = " ".join(chosen)
    if platform.machine() in ("x86_64", "AMD64"):
        plain["OPENBLAS_CORETYPE"] = "Prescott"
    return plain


if __name__ == "__main__":
    os.execvpe(sys.argv[1], sys.argv[1:], without_vectors())  # noqa: S606 - the point is to become this program
