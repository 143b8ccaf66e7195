# SPDX-License-Identifier: Apache-2.0
"""The Spark session that a command works in: the running one, or one made as Spark is configured.

Master, memory and everything else come from where Spark looks for them: ``spark-submit``,
``spark-defaults.conf``, ``SPARK_CONF_DIR``, or a session that the caller has started.
"""

import os
import shutil
import sys
import warnings
from typing import Any

from rainbowdp.errors import MissingExtraError, UsageError


def open_session() -> Any:  # noqa: ANN401 - PySpark is no dependency of the checker
    """Return the running Spark session, or start one.

    Returns
    -------
    pyspark.sql.SparkSession

    Raises
    ------
    MissingExtraError
        If PySpark or pandas is not installed.
    UsageError
        If no session can be started, for example without Java.
    """
    try:
        import pandas as pd  # noqa: F401 - PySpark asks for it where batches are exchanged
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtraError(
            "this needs PySpark and pandas, which are not installed",
            help="install them with: pip install 'rainbowdp[spark]'",
        ) from error
    if SparkSession.getActiveSession() is None and shutil.which("java") is None and not _java_home():
        raise UsageError(
            "Spark needs Java, and there is no java on this machine",
            help="install a Java runtime (17 or newer), or set JAVA_HOME",
        )
    # Without it, workers on this machine would take the first python3 of the path, which may lack rainbowdp.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        # PySpark says which pandas it has not been tested with; pandas is not used here.
        warnings.simplefilter("ignore")
        try:
            # What Spark says in the middle of a terminal would hide what rainbowdp says there.
            builder = SparkSession.builder.appName("rainbowdp")
            builder = builder.config("spark.ui.showConsoleProgress", "false")
            session = builder.getOrCreate()
        except (PySparkException, OSError) as error:
            raise UsageError(
                f"no Spark session could be started: {str(error).splitlines()[0]}",
                help="check SPARK_HOME, JAVA_HOME and the master that Spark is configured with",
            ) from error
    return session


def _java_home() -> bool:
    return bool(os.environ.get("JAVA_HOME"))
