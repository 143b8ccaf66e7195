# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp receipt``: write a receipt in other forms."""

from pathlib import Path

from rainbowdp.cli.output import note
from rainbowdp.cli.params import argument, described, option, page_path, require_distinct, writable
from rainbowdp.cli.verify import Receipt, read_if_receipt
from rainbowdp.errors import FileUnreadableError, ReceiptError, UsageError

HELP = described(
    "Write what a receipt says as a page for the browser, or as an entry of the public registry of "
    "deployments of differential privacy.",
    "The page is for readers without Python: what was promised in words, and the probabilities, which it "
    "computes again. In the entry, what follows from the receipt is filled in: the notion of privacy and its "
    "parameters, who is protected, the mechanism. What only the publisher knows is marked FILL IN.",
    lines=("rainbowdp receipt receipt.json --html receipt.html --registry entry.yaml",),
)
RECEIPT = argument("RECEIPT", "A receipt as ask and keys write it.")
REGISTRY = option("--registry FILE", "Where the entry goes, as YAML: a new file.", writable)
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
    if registry is not None and (registry.exists() or registry.is_symlink()):
        raise UsageError(f"--registry would replace {str(registry)!r}", help="write the entry to a new file")
    require_distinct({"--registry": registry, "--html": html}, {"RECEIPT": receipt})
    if registry is not None:
        _write_entry(content, registry)
    return 0 if html is None else _write_page(content, html)


COMMANDS = {"receipt": (HELP, receipt_command)}
"""The command of this module by word: the help, and the function."""


def _write_entry(receipt: Receipt, registry: Path) -> None:
    from rainbowdp.formats.files import write_whole
    from rainbowdp.release.registry import FILL_IN, as_yaml, registry_entry

    entry = as_yaml(registry_entry(receipt))
    write_whole(registry, entry)
    note(f"{entry.count(FILL_IN)} places are marked {FILL_IN}: a receipt does not know them")


def _write_page(receipt: Receipt, html: Path) -> int:
    """Write the page, and return the exit code: 1 where the receipt does not follow from its terms."""
    from rainbowdp.explorer.reports import receipt_report
    from rainbowdp.formats.files import write_whole
    from rainbowdp.release import verify_receipt

    found = verify_receipt(receipt)
    write_whole(html, receipt_report(found))
    if not found:
        note("the receipt is BROKEN: the page says why")
    return 0 if found else 1
