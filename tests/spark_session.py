# SPDX-License-Identifier: Apache-2.0
"""A local Spark session for tests, started once per process, with all its files in a temporary directory.

Tests ask `spark`; the first call of a process starts the session, and it ends with the process. Where
PySpark or Java is absent such a test is skipped, except where ``CI`` is set: there it fails.
"""

import atexit
import functools
import importlib.util
import os
import shutil
import sys
import tempfile
import warnings
from typing import Any

import pytest


def missing() -> str:
    """Say what stands in the way of starting a session; nothing where all is there."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Java is not installed"
    return ""


def spark() -> Any:  # noqa: ANN401 - PySpark is no dependency of the checker
    """Return the session that all tests of this process share."""
    if (why := missing()) and not os.environ.get("CI"):
        pytest.skip(why)
    return _session()


@functools.cache
def _session() -> Any:  # noqa: ANN401 - see spark
    directory = tempfile.mkdtemp(prefix="rainbowdp-spark-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    # Workers would take the first python3 of the path, which may be another one.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        # PySpark says that it does not know the newest pandas yet, and leaves sockets to the collector.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").appName("rainbowdp-tests")
        settings = {
            "spark.driver.bindAddress": "127.0.0.1",
            # What saves time in short runs: no optimizing compiler, no checks of classes, no generated code.
            "spark.driver.defaultJavaOptions": (
                "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
                " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
            ),
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "512m",
            "spark.local.dir": directory,
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": f"{directory}/warehouse",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    atexit.register(session.stop)
    return session
