# SPDX-License-Identifier: Apache-2.0
"""Connected components of touching regions, and how far the computation of their max-min boundary has come.

A max-min boundary is computed for one component at a time, objective after objective. Progress is told as the
number of objectives maximized, of all there are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rainbowdp.rainbow import Rainbow

Table = tuple[tuple[Fraction, ...], ...]
"""Probabilities, one row per region, columns in the order of the sorted colors."""


@dataclass(frozen=True)
class Component:
    """Regions that hang together by touching.

    Attributes
    ----------
    rainbows : tuple of Rainbow
        One per region, sorted by text.
    touching : tuple of pairs of int
        The touching pairs, as indices into `rainbows`.
    """

    rainbows: tuple[Rainbow, ...]
    touching: tuple[tuple[int, int], ...]

    @property
    def colors(self) -> tuple[str, ...]:
        """All colors, sorted by code point."""
        return self.rainbows[0].colors

    def classes(self, region: int) -> tuple[tuple[int, ...], ...]:
        """Return the classes of a region's rainbow as positions among the sorted colors, best first."""
        place = {color: index for index, color in enumerate(self.colors)}
        return tuple(tuple(place[color] for color in group) for group in self.rainbows[region].classes)


def components(rainbows: Sequence[Rainbow], touching: Sequence[tuple[int, int]]) -> list[Component]:
    """Split regions into those that hang together by touching; regions that touch none are left out."""
    leader = list(range(len(rainbows)))

    def find(region: int) -> int:
        while leader[region] != region:
            leader[region] = leader[leader[region]]
            region = leader[region]
        return region

    for first, second in touching:
        leader[max(find(first), find(second))] = min(find(first), find(second))
    members: dict[int, list[int]] = {}
    for region in sorted({region for pair in touching for region in pair}):
        members.setdefault(find(region), []).append(region)
    made = []
    for regions in members.values():
        place = {region: index for index, region in enumerate(regions)}
        pairs = tuple((place[first], place[second]) for first, second in touching if first in place)
        made.append(Component(tuple(rainbows[region] for region in regions), pairs))
    return made


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
