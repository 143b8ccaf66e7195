# SPDX-License-Identifier: Apache-2.0
"""The command line, with one module for each command; `rainbowdp.cli.app` lists them.

Only the result goes to stdout; notes, progress and errors go to stderr. An error is two lines,
``error[RDPnnn]: what`` and ``help: what to do``, also if typer refuses an option; ``rainbowdp --debug ...``
shows the traceback as well. Exit codes:

====  ====================================================================================
0     done
1     checked and found wanting: a mechanism or boundary condition that is not private, an installation
2     misuse: an option, a number, a color or a dataset that does not fit, or a problem that is too large
3     refused: the budget does not cover what was asked
4     data unreadable: a file that is missing, damaged, cannot be written, or whose content does not have the
      documented form
70    a defect of rainbowdp (RDP406, RDP999); never a statement about the input
130   interrupted (Ctrl-C); 143 and 129 after SIGTERM and SIGHUP
====  ====================================================================================

This module and the declarations of options import little, so that the shell gets help and completions
quickly: every command imports what it needs when it runs.
"""

import contextlib
import sys
from collections.abc import Sequence

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``rainbowdp``; those of the process if left out.

    Returns
    -------
    int
        The exit code.

    Examples
    --------
    >>> main(["line", "--rainbow", "yes>no", "--boundary", "yes=1/2,no=1/2",
    ...       "--epsilon", "ln 2", "--distances", "0:3", "--exact", "--format", "csv"])
    distance,yes,no
    0,1/2,1/2
    1,3/4,1/4
    2,7/8,1/8
    0
    """
    try:
        from rainbowdp.cli.output import write_utf8
        from rainbowdp.cli.progress import Signals

        write_utf8()
        with Signals() as signals:
            from rainbowdp.cli.app import run

            return run(arguments, signals)
    except KeyboardInterrupt:
        # Before the signals are listened to, or a second time while the first one ends the command.
        if sys.stderr is not None:
            with contextlib.suppress(OSError):
                sys.stderr.write("interrupted\n")
        return _INTERRUPTED
    return signals.exit_code
