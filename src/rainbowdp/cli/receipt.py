# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp receipt``: write a receipt in other forms."""

from pathlib import Path

from rainbowdp.cli.output import note
from rainbowdp.cli.params import argument, described, option, writable
from rainbowdp.cli.verify import read_if_receipt
from rainbowdp.errors import ReceiptError, UsageError

HELP = described(
    "Write what a receipt says as an entry of the public registry of deployments of differential privacy.",
    "What follows from the receipt is filled in: the notion of privacy and its parameters, who is protected, "
    "the mechanism. What only the publisher knows is marked FILL IN.",
    lines=("rainbowdp receipt receipt.json --registry entry.yaml",),
)
RECEIPT = argument("RECEIPT", "A receipt as ask and keys write it.")
REGISTRY = option(
    "--registry FILE",
    "Where the entry goes, as YAML: a new file.",
    writable,
    default=...,
)


def receipt_command(*, receipt: str = RECEIPT, registry: Path = REGISTRY) -> int:
    """Write a receipt as an entry of the registry; see `HELP`."""
    from rainbowdp.formats.files import replacing
    from rainbowdp.release.registry import FILL_IN, as_yaml, registry_entry

    content = read_if_receipt(Path(receipt))
    if content is None:
        raise ReceiptError(
            f"{receipt!r} is not a receipt", help="give a file that --receipt of ask or keys wrote"
        )
    if registry.exists() or registry.is_symlink():
        raise UsageError(f"--registry would replace {str(registry)!r}", help="write the entry to a new file")
    entry = as_yaml(registry_entry(content))
    with replacing(registry) as beside:
        beside.write_text(entry, encoding="utf-8")
    note(f"{entry.count(FILL_IN)} places are marked {FILL_IN}: a receipt does not know them")
    return 0


COMMANDS = {"receipt": (HELP, receipt_command)}
"""The command of this module by word: the help, and the function."""
