# SPDX-License-Identifier: Apache-2.0
"""How far a max-min boundary has come: objectives maximized, of all there are."""

from collections.abc import Callable

from rainbowdp.leximin.component import Component

Progress = Callable[[int, int], None]
"""Called with the number of steps done and the number of steps in all."""


def silent(done: int, total: int) -> None:
    """Report nothing."""


def objective_count(component: Component) -> int:
    """Return the number of objectives of a component: best classes, longer prefixes, tied classes."""
    regions = range(len(component.rainbows))
    classes = [component.classes(region) for region in regions]
    longer = sum(max(len(groups) - 2, 0) for groups in classes)
    return len(regions) + longer + sum(len(group) > 1 for groups in classes for group in groups)


def stretch(progress: Progress, start: int, total: int) -> Progress:
    """Return what reports a part of the work as such: after `start` steps, of `total` in all.

    Examples
    --------
    >>> stretch(lambda done, total: print(done, "of", total), 10, 30)(5, 20)
    15 of 30
    """

    def report(done: int, _: int) -> None:
        progress(min(start + done, total), total)

    return report
