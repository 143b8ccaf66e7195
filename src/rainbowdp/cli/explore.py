# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp explore``: write a page on which a level of privacy is tried out."""

from pathlib import Path

from rainbowdp.cli.output import emit, note, visible
from rainbowdp.cli.params import described, option, page_path

HELP = described(
    "Write a page for the browser on which a level of privacy is tried out, by sliders.",
    "The page is one file. It computes everything itself, sends and loads nothing, and works without a "
    "network.",
    lines=("rainbowdp explore --out page.html --open",),
)
OUT = option(
    "--out FILE", "Where the page goes; a page of this name is replaced.", page_path, default="rainbowdp.html"
)
OPEN = option("--open", "Open the page in the browser.", default=False)


def explore_command(*, out: Path = OUT, open_page: bool = OPEN) -> int:
    """Write the page, and print where it is; see `HELP`."""
    from rainbowdp.explorer import page
    from rainbowdp.formats.files import write_whole

    write_whole(out, page())
    emit([visible(str(out))])
    if open_page:
        import webbrowser

        if not webbrowser.open(out.resolve().as_uri()):
            note("no browser was found: open the file in one")
    return 0


COMMANDS = {"explore": (HELP, explore_command)}
"""The command of this module by word: the help, and the function."""
