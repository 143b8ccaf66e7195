# SPDX-License-Identifier: Apache-2.0
"""Where numbers come from: processors, memory, system, versions, and how busy the machine was."""

import contextlib
import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path


def machine() -> str:
    """Return one line about the machine, without its name."""
    processors = os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"{processors} processors ({_processor()}), {memory:.0f} GiB of memory, "
        f"{platform.system()} {platform.machine()}, {python}"
    )


def versions(packages: Iterable[str]) -> str:
    """Return the versions of those packages that are installed.

    Examples
    --------
    >>> versions(["pip", "there-is-no-such-package"]).startswith("pip ")
    True
    """
    found = []
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{package} {importlib.metadata.version(package)}")
    return ", ".join(found)


def load() -> str:
    """Return how many processes wanted a processor during the last minute, on average."""
    return f"{os.getloadavg()[0]:.1f}"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()
