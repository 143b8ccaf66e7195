# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL server for tests, and a fresh database on it whenever one is asked for.

The server lives in a temporary directory, listens on a free loopback port with a random password, keeps
nothing safe (``fsync=off``) and ends with the process that started it. PostgreSQL does not run as root, so
root starts it as another user. Tests call `fresh_database`; the first call of a process starts the one
server that all its tests share. Where PostgreSQL or its driver is absent such a test is skipped, except where
``CI`` is set: there it fails.
"""

import atexit
import contextlib
import functools
import importlib.util
import itertools
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

_PLACES = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql*/bin")
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "100",
    "shared_buffers": "32MB",
    "synchronous_commit": "off",
}
_SECONDS = 60
_ATTEMPTS = 5
_NUMBERS = itertools.count(1)


def fresh_database(form: str = "") -> str:
    """Return the URL of an empty database, ``postgresql://...``; skip or fail where there can be none.

    Its form is what ``create database`` takes, for example an encoding.
    """
    place = programs()
    if place is None or importlib.util.find_spec("psycopg") is None:
        reason = "PostgreSQL or psycopg is not installed"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and CI is set: nothing may be skipped here")
        pytest.skip(reason)
    import psycopg

    server, name = _server(place), f"fresh_{os.getpid()}_{next(_NUMBERS)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" {form}'.encode())
    return f"{server}/{name}"


def programs() -> Path | None:
    """Return the directory that holds both ``initdb`` and ``postgres``, or None where there is none."""
    found = shutil.which("postgres")
    candidates = [Path(found).resolve().parent] if found else []
    for place in _PLACES:
        candidates.extend(sorted(Path("/").glob(place), reverse=True))
    return next((place for place in candidates if (place / "initdb").exists()), None)


@functools.cache
def _server(place: Path) -> str:
    """Start the one server of this process, which ends with it, and return its URL, the password included."""
    folder = Path(tempfile.mkdtemp(prefix="rainbowdp-postgres-"))
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    options: dict[str, Any] = {"cwd": folder, "env": kept | {"LC_ALL": "C"}, "stderr": subprocess.STDOUT}
    secret = folder / "password"
    secret.write_text(secrets.token_hex(12), encoding="ascii")
    if os.geteuid() == 0:
        names = {entry.pw_name: entry for entry in pwd.getpwall()}
        account = names.get("postgres") or names["nobody"]
        options |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        for path in (folder, secret):
            os.chown(path, account.pw_uid, account.pw_gid)
    words: list[str | Path] = [
        *("--pgdata", "data", "--username", "rainbow", "--pwfile", secret, "--auth", "scram-sha-256"),
        *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
    ]
    made = subprocess.run([place / "initdb", *words], stdout=subprocess.PIPE, check=False, **options)
    assert made.returncode == 0, made.stdout
    process, url = _started(place, folder, secret.read_text(encoding="ascii"), options)
    owner = os.getpid()

    def stop() -> None:
        # A forked child that ends by the ordinary way must leave the server to its parent.
        if os.getpid() == owner:
            # PostgreSQL's fast shutdown: open connections are ended.
            process.send_signal(signal.SIGINT)
            try:
                process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGQUIT)
                process.wait(_SECONDS)
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return url


def _started(
    place: Path, folder: Path, password: str, options: dict[str, Any]
) -> tuple[subprocess.Popen[bytes], str]:
    """Start a server on a free port, and return it and its URL once it answers."""
    log, tool = folder / "log", shutil.which("setpriv")
    # This makes a server end with this process even where that is killed; Linux alone has it.
    dying_with_us = [tool, "--pdeathsig", "INT", "--"] if tool else []
    for _ in range(_ATTEMPTS):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        settings = _SETTINGS | {"unix_socket_directories": str(folder), "port": str(port)}
        words = [part for name, text in settings.items() for part in ("-c", f"{name}={text}")]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*dying_with_us, place / "postgres", "-D", "data", *words],
                stdout=output,
                # Ctrl-C is for the tests; the server is stopped after them.
                start_new_session=True,
                **options,
            )
        url = f"postgresql://rainbow:{password}@127.0.0.1:{port}"
        if _answers(process, url):
            return process, url
        # Another program may have taken the port in between; then another one will do.
    raise AssertionError(log.read_text(encoding="utf-8", errors="replace"))


def _answers(process: subprocess.Popen[bytes], url: str) -> bool:
    import psycopg

    end = time.monotonic() + _SECONDS
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(f"{url}/postgres"):
            return True
        time.sleep(0.05)
    if process.poll() is None:
        process.kill()
        process.wait()
    return False
