# SPDX-License-Identifier: Apache-2.0
"""``python -m rainbowdp`` is the command ``rainbowdp``."""

import sys

from rainbowdp.cli import main

if __name__ == "__main__":
    sys.exit(main())
