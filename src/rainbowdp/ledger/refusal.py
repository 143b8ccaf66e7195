# SPDX-License-Identifier: Apache-2.0
"""Why a budget does not pay: with what was spent, asked and left, and what would still fit."""

from fractions import Fraction

from rainbowdp.errors import BudgetRefusedError
from rainbowdp.exact import parse_fraction
from rainbowdp.ledger.amount import Amount
from rainbowdp.ledger.cost import Cost
from rainbowdp.ledger.records import BudgetState


def refused_closed(state: BudgetState) -> BudgetRefusedError:
    """Return the error of a budget that was closed."""
    return BudgetRefusedError(
        f"budget {state.name!r} is closed",
        help="a closed budget pays for nothing new; ask under another name",
        name=state.name,
    )


def refused_kind(state: BudgetState, asked: Cost) -> BudgetRefusedError:
    """Return the error of a cost that another kind of budget pays."""
    want = {
        "pure": "--epsilon alone",
        "approximate": "--epsilon, with or without --delta",
        "gaussian": "--mu",
    }
    return BudgetRefusedError(
        f"budget {state.name!r} is {state.kind} ({state.total}), and the question asks for {asked}",
        help=f"ask with {want[state.kind]}, or under the name of another budget",
        name=state.name,
        kind=state.kind,
        asked=str(asked),
    )


def refused_cost(state: BudgetState, asked: Cost) -> BudgetRefusedError:
    """Return the error of a cost beyond what is left."""
    spent = state.spent.shown(state.kind)
    wanted = asked.shown(state.kind)
    left = state.left.shown(state.kind, upward=False)
    raise_it = "raise the budget with a reason (rainbowdp budget raise)"
    fitting = still_fits(state)
    return BudgetRefusedError(
        f"budget {state.name!r} cannot pay for this: spent {spent}; asked {wanted}; left {left}",
        help=f"ask with {fitting}, or {raise_it}" if fitting else f"nothing is left: {raise_it}",
        name=state.name,
        spent=str(state.spent),
        asked=str(asked),
        left=str(state.left),
    )


def still_fits(state: BudgetState) -> str:
    """Return, in words, the largest cost that is easy to type and fits; nothing where none does.

    A decimal is rounded down, and is offered only where the exact comparison confirms it.
    """
    parts = {part.name: part.decimal(upward=False) for part in state.left.parts(state.kind)}
    exact = {name: parse_fraction(text) for name, text in parts.items()}
    if not any(exact.values()):
        return ""
    if state.kind == "gaussian":
        largest = Cost(mu_squared=exact["mu"] ** 2)
    else:
        largest = Cost(Amount(exact["epsilon"]), exact.get("delta", Fraction(0)))
    if not largest.within(state.left):
        return ""
    return " and ".join(f"{name} at most {text}" for name, text in parts.items())
