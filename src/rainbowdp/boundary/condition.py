# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions: one distribution per rainbow, for the datasets where regions meet.

A boundary is homogeneous (Zhou et al. 2022, Definition 6) because it is kept by rainbow and not by dataset.
Keys are compared as rainbows, so spelling does not matter, and distributions given dataset by dataset are
accepted only if they agree within every region.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

from rainbowdp.distribution import Distribution, Probabilities
from rainbowdp.errors import ColorError, DistributionError, NotHomogeneousError, NumberError, UsageError
from rainbowdp.exact import show
from rainbowdp.exact.arguments import kind_of, require
from rainbowdp.graph import RainbowGraph
from rainbowdp.rainbow import Rainbow, quote_color


@dataclass(frozen=True)
class BoundaryCondition:
    """The distributions that a mechanism must have on the boundary of every region.

    Whether they are private where regions touch is asked by `check_boundary`.

    Parameters
    ----------
    distributions : mapping of Rainbow to Distribution
        One distribution per rainbow; kept read-only, sorted by the text of the rainbows. What is still to be
        read is read by `given`.
    notes : tuple of str
        What a user should know about where the numbers come from, such as a rounding.

    Raises
    ------
    ColorError
        If a distribution does not have the colors of its rainbow.
    UsageError
        If it is not a mapping from rainbows to distributions.

    References
    ----------
    Zhou et al. 2022, Definition 6 and Theorem 2.

    Examples
    --------
    >>> rainbow = Rainbow.parse("blue>red")
    >>> condition = BoundaryCondition({rainbow: Distribution({"blue": "2/3", "red": "1/3"})})
    >>> condition.distributions[Rainbow.parse("blue > red")]
    Distribution(blue=2/3, red=1/3)
    """

    distributions: Mapping[Rainbow, Distribution]
    notes: tuple[str, ...] = ()

    def __reduce__(
        self,
    ) -> tuple[type["BoundaryCondition"], tuple[dict[Rainbow, Distribution], tuple[str, ...]]]:
        return BoundaryCondition, (dict(self.distributions), self.notes)

    def __post_init__(self) -> None:
        _require_mapping(self.distributions)
        for rainbow, distribution in self.distributions.items():
            require(rainbow, "distributions", Rainbow)
            require(distribution, "distributions", Distribution)
            with _placed(f"the boundary distribution of {rainbow}"):
                distribution.require_colors(rainbow)
        ordered = dict(sorted(self.distributions.items(), key=lambda item: str(item[0])))
        object.__setattr__(self, "distributions", MappingProxyType(ordered))
        object.__setattr__(self, "notes", tuple(self.notes))


def given(
    distributions: Mapping[Rainbow, Probabilities] | Mapping[str, Probabilities], *, normalize: bool = False
) -> BoundaryCondition:
    """Make a boundary condition of given distributions.

    Parameters
    ----------
    distributions : mapping of Rainbow or str to Distribution or mapping
        One distribution per rainbow. Text keys are read as rainbows, in any spelling; probabilities that are
        not exact yet are read by `rainbowdp.exact.parse_fraction`.
    normalize : bool, keyword-only
        Divide the probabilities of a rainbow by their sum where it is not 1.

    Returns
    -------
    BoundaryCondition

    Raises
    ------
    ColorError
        If a distribution does not have the colors of its rainbow, or two keys are the same rainbow.
    DistributionError
        If probabilities are negative or do not sum to 1; the message names the rainbow.
    NumberError
        If a probability is not an exact number.
    RainbowSyntaxError
        If a key is not a rainbow.
    UsageError
        If `distributions` is not a mapping.

    Examples
    --------
    >>> given({"red > blue": {"blue": "1/3", "red": "2/3"}}).distributions
    mappingproxy({Rainbow(classes=(('red',), ('blue',))): Distribution(blue=1/3, red=2/3)})
    """
    read: dict[Rainbow, Distribution] = {}
    _require_mapping(distributions)
    for key, probabilities in distributions.items():
        rainbow = Rainbow.of(key)
        if rainbow in read:
            raise ColorError(
                f"the boundary distribution of {rainbow} is given twice",
                help="give one distribution per rainbow; blanks and the order of tied colors do not matter",
                rainbow=str(rainbow),
            )
        read[rainbow] = _read(probabilities, f"the boundary distribution of {rainbow}", normalize=normalize)
    return BoundaryCondition(read)


def from_datasets(graph: RainbowGraph, distributions: Mapping[str, Probabilities]) -> BoundaryCondition:
    """Make a boundary condition of distributions given dataset by dataset.

    With different distributions in one region there may be no optimal mechanism at all, so they are refused.
    For three colors or more not even the smallest prefix masses over the datasets make a private mechanism.

    Parameters
    ----------
    graph : RainbowGraph
        Its datasets are named by `graph.label`.
    distributions : mapping of str to Distribution or mapping
        Dataset to distribution, for some datasets of the graph; one dataset speaks for its whole region.

    Returns
    -------
    BoundaryCondition

    Raises
    ------
    NotHomogeneousError
        If two datasets of one region have different distributions; the message names them.
    UnknownDatasetError
        If the graph has no such dataset.
    ColorError, DistributionError, NumberError
        If something is not a distribution over the graph's colors; the message names the dataset.
    UsageError
        If `graph` is not a `RainbowGraph`, or `distributions` not a mapping.

    References
    ----------
    Zhou et al. 2022, Definition 6 and Theorem 2.

    Examples
    --------
    >>> graph = RainbowGraph.from_edges([("a", "b")], {"a": "blue>red", "b": "red>blue"})
    >>> even = {"blue": "1/2", "red": "1/2"}
    >>> from_datasets(graph, {"a": even, "b": even}).distributions[Rainbow.parse("blue>red")]
    Distribution(blue=1/2, red=1/2)
    """
    read: dict[Rainbow, Distribution] = {}
    speaker: dict[Rainbow, str] = {}
    require(graph, "graph", RainbowGraph)
    _require_mapping(distributions)
    for name, probabilities in distributions.items():
        dataset = graph.index(name)
        rainbow = graph.rainbows[int(graph.regions[dataset])]
        place = f"the distribution of the dataset {name!r}"
        distribution = _read(probabilities, place)
        with _placed(place):
            distribution.require_colors(rainbow)
        if rainbow not in read:
            read[rainbow], speaker[rainbow] = distribution, name
        elif read[rainbow] != distribution:
            raise NotHomogeneousError(
                f"the datasets {speaker[rainbow]!r} and {name!r} of the region {rainbow} have different "
                f"distributions: {_show(read[rainbow])} and {_show(distribution)}",
                help="give all boundary datasets of a region the same distribution; with different ones "
                "there may be no optimal mechanism",
                rainbow=rainbow,
                datasets=(speaker[rainbow], name),
            )
    return BoundaryCondition(read)


def _require_mapping(distributions: object) -> None:
    if not isinstance(distributions, Mapping):
        raise UsageError(
            f"`distributions` must be a mapping, and is {kind_of(distributions)}",
            help='write for example {"blue>red": {"blue": "2/3", "red": "1/3"}}',
            argument="distributions",
        )


def _read(probabilities: Probabilities, place: str, *, normalize: bool = False) -> Distribution:
    with _placed(place):
        if isinstance(probabilities, Distribution):
            return probabilities
        return Distribution(probabilities, normalize=normalize)


@contextmanager
def _placed(place: str) -> Iterator[None]:
    """Name the place in errors about a distribution."""
    try:
        yield
    except (ColorError, DistributionError, NumberError) as error:
        raise error.at(place) from error


def _show(distribution: Distribution) -> str:
    return ", ".join(f"{quote_color(color)}={show(value)}" for color, value in distribution.items())
