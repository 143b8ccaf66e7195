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
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

USER = "rainbow"
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
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


@dataclass
class PostgresServer:
    """A running server; see the module docstring."""

    port: int
    password: str
    process: subprocess.Popen[bytes]
    databases: int = field(default=0, init=False)

    def url(self, database: str) -> str:
        """Return the URL of a database, its password included."""
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def fresh_database(self, form: str = "") -> str:
        """Make an empty database, of a form that ``create database`` takes, and return its URL."""
        import psycopg

        self.databases += 1
        name = f"fresh_{os.getpid()}_{self.databases}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" {form}'.encode())
        return self.url(name)


def programs() -> Path | None:
    """Return the directory that holds both ``initdb`` and ``postgres``, or None where there is none."""
    found = [Path(pattern) for pattern in filter(None, [shutil.which("postgres")])]
    candidates = [path.resolve().parent for path in found]
    for place in _PLACES:
        candidates.extend(sorted(Path("/").glob(place.lstrip("/")), reverse=True))
    return next((place for place in candidates if (place / "initdb").exists()), None)


def missing() -> str:
    """Say what stands in the way of starting a server; nothing where all is there."""
    if programs() is None:
        return "PostgreSQL is not installed"
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    return ""


@contextlib.contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Run a server of one's own; afterwards it is stopped and its directory removed."""
    place = programs()
    assert place is not None, missing()
    with tempfile.TemporaryDirectory(prefix="rainbowdp-postgres-", ignore_cleanup_errors=True) as folder:
        account = _account()
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
        password = secrets.token_hex(12)
        _initialize(place, Path(folder), account, password)
        server = _start(place, Path(folder), account, password)
        try:
            yield server
        finally:
            # SIGINT is PostgreSQL's fast shutdown: open connections are ended.
            server.process.send_signal(signal.SIGINT)
            try:
                server.process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                server.process.send_signal(signal.SIGQUIT)
                server.process.wait(_SECONDS)


@functools.cache
def shared_server() -> PostgresServer:
    """Return the one server of this process, which ends with it."""
    stack = contextlib.ExitStack()
    server = stack.enter_context(postgres_server())
    owner = os.getpid()

    def stop() -> None:
        # A forked child that ends by the ordinary way must leave the server to its parent.
        if os.getpid() == owner:
            stack.close()

    atexit.register(stop)
    return server


def fresh_database(form: str = "") -> str:
    """Return the URL of an empty database, ``postgresql://...``; skip or fail where there can be none.

    Its form is what ``create database`` takes, for example an encoding.
    """
    if reason := missing():
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and CI is set: nothing may be skipped here")
        pytest.skip(reason)
    return shared_server().fresh_database(form)


def _account() -> pwd.struct_passwd | None:
    """Return the user that the server runs as, or None where this process may be that user."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _identity(account: pwd.struct_passwd | None) -> dict[str, int | list[int]]:
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _environment() -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C"}


def _initialize(place: Path, folder: Path, account: pwd.struct_passwd | None, password: str) -> None:
    secret = folder / "password"
    secret.write_text(password, encoding="ascii")
    if account is not None:
        os.chown(secret, account.pw_uid, account.pw_gid)
    done = subprocess.run(  # type: ignore[call-overload]  # the identity is a dictionary of its own keywords
        [
            place / "initdb",
            *("--pgdata", folder / "data", "--username", USER, "--pwfile", secret),
            *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync"),
        ],
        cwd=folder,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
        **_identity(account),
    )
    assert done.returncode == 0, done.stdout


def _start(place: Path, folder: Path, account: pwd.struct_passwd | None, password: str) -> PostgresServer:
    log = folder / "log"
    for _ in range(_ATTEMPTS):
        port = _free_port()
        settings = _SETTINGS | {"unix_socket_directories": str(folder), "port": str(port)}
        options = [part for name, text in settings.items() for part in ("-c", f"{name}={text}")]
        with log.open("wb") as output:
            process = subprocess.Popen(  # type: ignore[call-overload]  # the identity is a dictionary of its own keywords
                [*_dying_with_us(), place / "postgres", "-D", folder / "data", *options],
                cwd=folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Ctrl-C is for the tests; the server is stopped after them.
                start_new_session=True,
                **_identity(account),
            )
        server = PostgresServer(port, password, process)
        if _answers(server):
            return server
        # Somebody else may have taken the port in between; then another one will do.
    raise AssertionError(log.read_text(encoding="utf-8", errors="replace"))


def _dying_with_us() -> list[str]:
    """Return what makes a server end with this process even where that is killed; Linux alone has it."""
    tool = shutil.which("setpriv")
    return [tool, "--pdeathsig", "INT", "--"] if tool else []


def _answers(server: PostgresServer) -> bool:
    import psycopg

    end = time.monotonic() + _SECONDS
    while server.process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(server.url("postgres")):
            return True
        time.sleep(0.05)
    if server.process.poll() is None:
        server.process.kill()
        server.process.wait()
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
