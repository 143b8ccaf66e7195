# SPDX-License-Identifier: Apache-2.0
"""Tables of people: what a source is, how it is opened, and the few statistics that are read off it.

`open_table` takes a path, a pattern, standard input, an SQL URL or a frame, and judges the header.
`summarize`, `summarize_groups` and `count_keys` read rows; a `Range` is one of the filters that choose rows.
No content of a row makes any of them fail, and a row that cannot be read counts for nothing.
"""

from rainbowdp.tables.rows import Range
from rainbowdp.tables.summarizing import count_keys, summarize, summarize_groups
from rainbowdp.tables.table import Table, open_table

__all__ = ["Range", "Table", "count_keys", "open_table", "summarize", "summarize_groups"]
