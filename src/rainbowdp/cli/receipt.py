# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp receipt``: read a receipt, and write it in other forms."""

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from rainbowdp.cli.output import note
from rainbowdp.cli.params import argument, described, new_file, option, page_path, require_distinct
from rainbowdp.errors import FileUnreadableError, ReceiptError, UsageError

ReceiptJson = Mapping[str, object]
_MARK = re.compile(rb'"schema"\s*:\s*"rainbowdp\.')
_HEAD = 1024

HELP = described(
    "Write what a receipt says as a page for the browser, or as an entry of the public registry of "
    "deployments of differential privacy.",
    "The page is for readers without Python: what was promised in words, and the probabilities, which it "
    "computes again. In the entry, what follows from the receipt is filled in: the notion of privacy and its "
    "parameters, who is protected, the mechanism. What only the publisher knows is marked FILL IN.",
    lines=("rainbowdp receipt receipt.json --html receipt.html --registry entry.yaml",),
)
RECEIPT = argument("RECEIPT", "A receipt as ask and keys write it.")
REGISTRY = option("--registry FILE", "Where the entry goes, as YAML: a new file.", new_file)
HTML = option("--html FILE", "Where the page goes; a page of this name is replaced.", page_path)


def receipt_command(
    *, receipt: str = RECEIPT, registry: Path | None = REGISTRY, html: Path | None = HTML
) -> int:
    """Write a receipt in other forms; see `HELP`."""
    if registry is None and html is None:
        raise UsageError("neither --html nor --registry is given", help="say where the receipt is written to")
    content = read_if_receipt(Path(receipt))
    if content is None and not Path(receipt).exists():
        raise FileUnreadableError(f"there is no file {receipt!r}", help="check the name and the directory")
    if content is None:
        raise ReceiptError(
            f"{receipt!r} is not a receipt", help="give a file that --receipt of ask or keys wrote"
        )
    require_distinct({"--registry": registry, "--html": html}, {"RECEIPT": receipt})
    if registry is not None:
        _write_entry(content, registry)
    return 0 if html is None else _write_page(content, html)


COMMANDS = {"receipt": (HELP, receipt_command)}
"""The command of this module by word: the help, and the function."""


def _write_entry(receipt: ReceiptJson, registry: Path) -> None:
    from rainbowdp.formats.files import write_whole
    from rainbowdp.release.registry import FILL_IN, as_yaml, registry_entry

    entry = as_yaml(registry_entry(receipt))
    write_whole(registry, entry)
    note(f"{entry.count(FILL_IN)} places are marked {FILL_IN}: a receipt does not know them")


def _write_page(receipt: ReceiptJson, html: Path) -> int:
    """Write the page, and return the exit code: 1 where the receipt does not follow from its terms."""
    from rainbowdp.explorer.reports import receipt_report
    from rainbowdp.formats.files import write_whole
    from rainbowdp.release import verify_receipt

    found = verify_receipt(receipt)
    write_whole(html, receipt_report(found))
    if not found:
        note("the receipt is BROKEN: the page says why")
    return 0 if found else 1


def read_if_receipt(path: Path) -> ReceiptJson | None:
    """Return the content of a file that is a receipt, also under another name; None for any other file.

    Raises
    ------
    ReceiptError
        If the file has the mark of a receipt, and is damaged.
    """
    text = _object_text(path)
    if text is None or not _MARK.search(text):
        return None
    try:
        # Of bytes the parser would guess the encoding.
        content: Any = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(
            f"{str(path)!r} is a damaged receipt: it is not JSON, or has a key twice",
            help="give a receipt as rainbowdp wrote it, unchanged",
        ) from error
    if not isinstance(content, dict) or not str(content.get("schema", "")).startswith("rainbowdp."):
        return None
    return cast("ReceiptJson", content)


def _object_text(path: Path) -> bytes | None:
    """Return the text of a file that begins like an object of JSON."""
    # The reader of mechanisms reports a file that cannot be read.
    with contextlib.suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
                    file.seek(0)
                    return file.read()
    return None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a JSON object; refuse one with a key twice, which two readers may read differently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found
