# SPDX-License-Identifier: Apache-2.0
"""Whether two tables of a PostgreSQL server are a ledger: all that guards it is there, and nothing else.

The server has no one text of a table's form that would be the same in all its versions. So its columns, what
they are unique or refer by, its triggers and the number of its checks are looked at.
"""

from rainbowdp.ledger.database import Row, Run
from rainbowdp.ledger.schema import ENTRIES, GUARDED, LEDGER
from rainbowdp.ledger.statements import COLUMNS

# Two guards and nothing else; both keys, one charge, one answer, one close, and no other index; two tables
# that are kept; what they are checked for.
_COUNTS = """
SELECT
    (SELECT count(DISTINCT t.tgrelid) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
        WHERE t.tgrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype = :kind AND t.tgqual IS NULL
        AND t.tgattr::text = '' AND p.proname = 'rainbowdp_guard' AND p.prosrc = :guard),
    (SELECT count(*) FROM pg_trigger t
        WHERE t.tgrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND NOT t.tgisinternal),
    (SELECT count(*) FROM pg_rewrite
        WHERE ev_class IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))),
    (SELECT count(*) FROM pg_class
        WHERE oid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries')) AND relrowsecurity),
    (SELECT count(*) FROM pg_index
        WHERE indrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND indisunique AND indisvalid AND indexprs IS NULL),
    (SELECT count(*) FROM pg_index
        WHERE indrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))),
    (SELECT count(*) FROM pg_class
        WHERE oid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND relkind = 'r' AND relpersistence = 'p' AND NOT relhassubclass AND NOT relispartition),
    (SELECT count(*) FROM pg_constraint
        WHERE conrelid = to_regclass('rainbowdp_entries') AND contype = 'c' AND convalidated
        AND conkey IS NOT NULL),
    (SELECT count(*) FROM pg_constraint
        WHERE conrelid = to_regclass('rainbowdp_entries') AND contype = 'f' AND convalidated)
"""
# Of pg_trigger: before statements that update (16), delete (8) or truncate (32).
_BEFORE_CHANGES = 2 + 16 + 8 + 32
_COLUMNS = """
SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    a.attgenerated = '' AND a.attidentity = '' AND NOT a.atthasdef AND a.attcollation = t.typcollation
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
    AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.relname::text COLLATE "C", a.attname::text COLLATE "C"
"""
# Else what a check or an index is about may be told with quotes.
_PLAIN_NAMES = "SELECT set_config('quote_all_identifiers', 'off', true)"
_NUMBERS = {"charge", "number", "previous"}
_NEEDED = {"budget", "event", "number", "recorded_at"}
# Which columns a unique index or a reference is about, and of which entries or to which columns.
_KEYS = """
WITH tables AS (
    SELECT oid FROM pg_class WHERE oid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
), keys AS (
    SELECT indrelid AS of, indkey::int2[] AS these, coalesce(pg_get_expr(indpred, indrelid), '') AS entries,
        '{}'::int2[] AS those
    FROM pg_index JOIN tables ON indrelid = oid
    UNION ALL SELECT conrelid, conkey, '', confkey FROM pg_constraint
    WHERE contype = 'f' AND conrelid IN (SELECT oid FROM tables) AND confrelid = conrelid
), named AS (
    SELECT entries, ARRAY(
        SELECT attname::text FROM unnest(these) WITH ORDINALITY AS k (at, n)
        JOIN pg_attribute ON attrelid = of AND attnum = at ORDER BY n
    ) AS these, ARRAY(
        SELECT attname::text FROM unnest(those) WITH ORDINALITY AS k (at, n)
        JOIN pg_attribute ON attrelid = of AND attnum = at ORDER BY n
    ) AS those FROM keys
)
SELECT these, entries, those FROM named
ORDER BY array_to_string(these, ',') COLLATE "C", entries COLLATE "C"
"""
_FORM_OF_A_LEDGER: list[Row] = [
    (2, 2, 0, 0, 5, 5, 2, 18, 2),
    *(
        (ENTRIES, name, "integer" if name in _NUMBERS else "text", name in _NEEDED, True)
        for name in sorted(COLUMNS)
    ),
    (LEDGER, "recorded_at", "text", True, True),
    (LEDGER, "version", "integer", True, True),
    (["budget"], "(event = 'close'::text)", []),
    (["budget", "charge"], "", ["budget", "number"]),
    (["budget", "charge"], "(event = 'answer'::text)", []),
    (["budget", "number"], "", []),
    (["budget", "previous"], "", ["budget", "number"]),
    (["request"], "(event = 'charge'::text)", []),
    (["version"], "", []),
]


def is_ledger(run: Run) -> bool:
    """Say whether the tables of a ledger, which are there, have its form.

    Parameters
    ----------
    run : callable
        Runs a statement in a transaction.
    """
    run(_PLAIN_NAMES, {})
    counts = run(_COUNTS, {"kind": _BEFORE_CHANGES, "guard": GUARDED})
    return [*counts, *run(_COLUMNS, {}), *run(_KEYS, {})] == _FORM_OF_A_LEDGER
