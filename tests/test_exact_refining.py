# SPDX-License-Identifier: Apache-2.0
"""The precision at work is put back, belongs to one thread at a time, and is set at one place."""

import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import flint
import pytest

import rainbowdp
from rainbowdp.exact import NormalExpression, enclose, sign, to_float, working_precision
from rainbowdp.privacy import GaussianDP, PureDP


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_the_precision_is_put_back_whatever_happens() -> None:
    before = flint.ctx.prec
    with pytest.raises(ZeroDivisionError), working_precision(300):
        raise ZeroDivisionError(flint.ctx.prec)
    assert flint.ctx.prec == before
    with working_precision(300):
        with working_precision(100):
            assert flint.ctx.prec == 100
        assert flint.ctx.prec == 300
    assert flint.ctx.prec == before


def close_to(mass: NormalExpression, bits: int) -> Fraction:
    """Return a fraction so close above a number that only more than these bits tell the two apart."""
    return enclose(mass, bits)[1] + Fraction(1, 2**bits)


def test_threads_that_compute_at_once_get_what_one_gets(impatient_threads: None) -> None:  # noqa: ARG001 - a fixture
    mass = GaussianDP(1).propagate(Fraction(1, 3))
    assert isinstance(mass, NormalExpression)
    near = close_to(mass, 1900)

    def far() -> object:
        # 1900 bits are needed, and another thread's 128 would leave the sign undecided.
        return sign(mass - near), sign(near - mass)

    def quick() -> object:
        return to_float(mass, "nearest"), enclose(mass, 40), PureDP(1).threshold(Fraction(1, 10**6))

    tasks = list(itertools.islice(itertools.cycle([far, quick, quick]), 90))
    expected, before = [task() for task in tasks], flint.ctx.prec
    assert expected[0] == (-1, 1)
    with ThreadPoolExecutor(max_workers=6) as pool:
        found = list(pool.map(lambda task: task(), tasks))
    assert found == expected
    assert flint.ctx.prec == before


def test_nothing_else_sets_the_precision() -> None:
    root = Path(rainbowdp.__file__).parent
    setting = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if "workprec" in (text := path.read_text(encoding="utf-8")) or "ctx.prec =" in text
    ]
    assert setting == ["exact/real.py"]
