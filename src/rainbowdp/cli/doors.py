# SPDX-License-Identifier: Apache-2.0
"""Stdout and stderr so that writing to them can only fail in ways that a command knows.

Whatever stands behind the two streams, a closed descriptor, a full disk, a reader that went away, an encoding
without the signs of a text: inside `guarded` a result that cannot be written is a `FileWriteError`, a reader
that stops early (``| head``) ends the output quietly, what is said on stderr and cannot be is dropped, and
signs that the encoding lacks are written as escapes. Results that must not change are checked before they
come here, see `rainbowdp.cli.output`.
"""

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from typing import TextIO, cast

from rainbowdp.errors import FileWriteError

_STANDARD_DESCRIPTORS = 2
_BLANKS_AT_END = re.compile(" +$", re.MULTILINE)


class Door(io.TextIOBase):
    """A text stream in front of stdout or stderr; everybody who prints in a command goes through it.

    Parameters
    ----------
    stream : TextIO or None
        The real stream; None where the process was started with a closed one.
    is_result : bool
        Whether a failure matters: it does for results, and not for what is said beside them.
    """

    def __init__(self, stream: TextIO | None, *, is_result: bool) -> None:
        self._stream = stream
        self._is_result = is_result
        self._is_lost = False

    @property
    def is_lost(self) -> bool:
        """Whether nobody reads any more; what is written is dropped."""
        return self._is_lost

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the stream decides, and nobody sets it
        """The encoding of the real stream."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]  # the same as above: nobody sets it
        """What happens to signs that the encoding lacks."""
        return "backslashreplace"

    def writable(self) -> bool:
        """Return True."""
        return True

    def isatty(self) -> bool:
        """Tell whether a person is watching."""
        return self._stream is not None and not self._is_lost and self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the real stream.

        Raises
        ------
        OSError
            If there is none.
        """
        if self._stream is None:
            raise OSError("the stream is closed")
        return self._stream.fileno()

    def write(self, text: str) -> int:
        """Write a text; signs that the encoding lacks become escapes.

        Raises
        ------
        FileWriteError
            If this is the door of results, and they cannot be written.
        """
        if not isinstance(text, str):
            raise TypeError(f"text is written here, not {type(text).__name__}")
        self._try(self._fitting(text))
        return len(text)

    def flush(self) -> None:
        """Hand everything on.

        Raises
        ------
        FileWriteError
            If this is the door of results, and they cannot be written.
        """
        if self._stream is not None:
            self._try("")

    def _try(self, text: str) -> None:
        if self._is_lost:
            return
        if self._stream is None:
            self._is_lost = True
            self._fail("it is closed")
            return
        try:
            if text:
                self._stream.write(text)
            else:
                self._stream.flush()
        except BrokenPipeError:
            self._lose()
        except OSError as error:
            self._lose()
            self._fail(error.strerror or str(error))
        except ValueError as error:
            # A stream that somebody closed says so in this way.
            self._is_lost = True
            self._fail(str(error))

    def _fail(self, why: str) -> None:
        if self._is_result:
            raise FileWriteError(
                f"cannot write the result to stdout: {why}",
                help="check where it goes, and the free space there",
            )

    def _lose(self) -> None:
        """Point the descriptor at nothing, so that the interpreter's last flush does not fail either."""
        self._is_lost = True
        with contextlib.suppress(OSError, ValueError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self.fileno())
            os.close(nothing)

    def _fitting(self, text: str) -> str:
        if text.isascii():
            return text
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            plain = text.replace("─", "-").replace("…", "...")
            return plain.encode(self.encoding, self.errors).decode(self.encoding)
        return text


class _HelpText(io.TextIOBase):
    """A stream in front of stdout for help texts as the framework formats them.

    It fills lines up with blanks, so that one that ends in a backslash does not go on when it is copied into
    a shell, and says of every flag that it is a ``<bool>``, as if it took a value.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the stream decides, and nobody sets it
        return self._stream.encoding

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str) -> int:
        self._stream.write(_BLANKS_AT_END.sub("", text.replace("<bool>", "      ")))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()


@contextlib.contextmanager
def tidied_help() -> Iterator[None]:
    """Let what is printed to stdout for a while be a help text that can be copied into a shell."""
    with contextlib.redirect_stdout(cast("TextIO", _HelpText(sys.stdout))):
        yield


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Put a `Door` in front of stdout and stderr for a while."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _occupy_standard_descriptors()
    out = cast("TextIO", Door(sys.stdout, is_result=True))
    err = cast("TextIO", Door(sys.stderr, is_result=False))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


def _occupy_standard_descriptors() -> None:
    """Open nothing on every closed standard descriptor: a file opened later would take its place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_DESCRIPTORS:
        pass
    os.close(descriptor)
