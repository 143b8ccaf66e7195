# SPDX-License-Identifier: Apache-2.0
"""Refuse what a budget does not pay, with what it has left and the way on."""

from dataclasses import replace
from fractions import Fraction

from rainbowdp.errors import BudgetRefusedError
from rainbowdp.exact import parse_fraction, rational_ball
from rainbowdp.ledger.cost import Amount, Cost, rounded
from rainbowdp.ledger.entries import BudgetState
from rainbowdp.ledger.protection import Protection

_OPTIONS = {
    "pure": "--epsilon alone",
    "approximate": "--epsilon, with or without --delta",
    "gaussian": "--mu",
}


def check_affordable(state: BudgetState, cost: Cost, protection: Protection) -> None:
    """Refuse an answer that a budget does not pay.

    Raises
    ------
    BudgetRefusedError
        If the budget is closed, promises what the answer does not hide, is of another kind, or has too little
        left.
    """
    promise, price = state.protection, state.price(cost, protection)
    if state.closed:
        raise refused_closed(state)
    if promise is not None and (way_on := promise.way_on(protection)):
        raise BudgetRefusedError(
            f"budget {state.name!r} hides that {promise}, and the answer hides only that {protection}",
            help=f"{way_on}, or pay from another budget",
            name=state.name,
        )
    if not cost.pays_from(state.kind):
        raise BudgetRefusedError(
            f"budget {state.name!r} is {state.kind} ({state.total}), and the question asks for {cost}",
            help=f"ask with {_OPTIONS[state.kind]}, or under the name of another budget",
            name=state.name,
            kind=state.kind,
            asked=str(cost),
        )
    if not price.within(state.left):
        spent, wanted = state.spent.shown(state.kind), cost.shown(state.kind)
        if price != cost:
            wanted += f", which costs {price.shown(state.kind)} here"
        left, fitting = state.left.shown(state.kind, upward=False), still_fits(state, protection)
        first = f"ask with {fitting}, or" if fitting else "nothing is left:"
        raise BudgetRefusedError(
            f"budget {state.name!r} cannot pay for this: spent {spent}; asked {wanted}; left {left}",
            help=f"{first} raise the budget with a reason (rainbowdp budget raise)",
            name=state.name,
            spent=str(state.spent),
            asked=str(cost),
            left=str(state.left),
        )


def refused_closed(state: BudgetState) -> BudgetRefusedError:
    """Return the error of a budget that was closed."""
    return BudgetRefusedError(
        f"budget {state.name!r} is closed",
        help="a closed budget pays for nothing new; ask under another name",
        name=state.name,
    )


def still_fits(state: BudgetState, protection: Protection) -> str:
    """Return, in words, the largest cost that is easy to type and fits; nothing where none does.

    A decimal is rounded down, and is offered only where the exact comparison confirms it.
    """
    left = {part.name: parse_fraction(part.decimal(upward=False)) for part in state.left.parts(state.kind)}
    if not any(left.values()):
        return ""
    steps = 1 if state.protection is None else 2 ** state.protection.doublings(protection)
    if state.kind == "gaussian":
        largest = Cost(mu_squared=(left["mu"] / steps) ** 2)
    else:
        largest = Cost(Amount(left["epsilon"] / steps), left.get("delta", Fraction(0)))
        if (charged := state.price(largest, protection).delta) > largest.delta:
            # What is charged grows with delta in proportion.
            fitting = largest.delta**2 / charged
            largest = replace(
                largest, delta=parse_fraction(rounded(lambda: rational_ball(fitting), upward=False))
            )
    if not state.price(largest, protection).within(state.left):
        return ""
    parts = largest.parts(state.kind)
    return " and ".join(f"{part.name} at most {part.decimal(upward=False)}" for part in parts)
