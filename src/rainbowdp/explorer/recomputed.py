# SPDX-License-Identifier: Apache-2.0
"""What the page of a report computes again: lines by distance, and the chances of the plans that it knows.

A report holds the numbers of the package, and what they follow from. The page computes them from that,
compares, and says whether they agree.
"""

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import islice, pairwise, takewhile

import numpy as np

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, enclose, format_fraction
from rainbowdp.goals import Asked
from rainbowdp.goals.question_line import QuestionLine, levels_of_count
from rainbowdp.graph import RainbowGraph
from rainbowdp.ledger.cost import parameters_of
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism
from rainbowdp.planning.columns import steps
from rainbowdp.privacy import Privacy, PureDP
from rainbowdp.questions import Winner, YesNo
from rainbowdp.questions.kinds import is_known
from rainbowdp.questions.measures import CountOf
from rainbowdp.questions.regions import touching_pairs
from rainbowdp.rainbow import Rainbow

Json = dict[str, object]

MOST_DATASETS = 500
"""Of greater graphs a report holds the regions alone; it is also what the page draws at most."""

MOST_REGIONS = 100
"""So many regions of a graph are in a report at most."""

_MOST_ANSWERS, _MOST_OPTIONS, _MOST_LEVELS = 12, 20, 8
_LONGEST, _BITS, _DIGITS = 40, 330, 45
_MOST_STEPS, _NEARLY_SURE = 18, 1 - 1e-6


def graph_lines(graph: RainbowGraph, mechanism: Mechanism, privacy: Privacy) -> Json:
    """Return the regions of a graph, with the probabilities of a mechanism by distance.

    Parameters
    ----------
    graph : RainbowGraph
        The graph.
    mechanism : Mechanism
        A mechanism of it. Of more than `MOST_DATASETS` datasets, some of the distances are told.
    privacy : PureDP, ApproxDP or GaussianDP
        What it promises.

    Examples
    --------
    >>> from rainbowdp.optimal import optimal_mechanism
    >>> graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["b>r", "b>r", "r>b"])
    >>> lines = graph_lines(graph, optimal_mechanism(graph, PureDP("ln 2"), "uniform"), PureDP("ln 2"))
    >>> lines["regions"][0]["boundary"], [each["distance"] for each in lines["regions"][0]["classes"]]
    (['1/2', '1/2'], [0, 1])
    """
    counts = np.bincount(mechanism.codes, minlength=mechanism.class_count).tolist()
    distances = mechanism.class_distance.tolist()
    classes: dict[Rainbow, list[int]] = {}
    for number, rainbow in enumerate(mechanism.class_rainbow):
        if counts[number]:
            classes.setdefault(rainbow, []).append(number)
    shown = dict(islice(classes.items(), MOST_REGIONS))
    regions = []
    for rainbow, numbers in shown.items():
        border = next((number for number in numbers if distances[number] == 0), None)
        columns = [mechanism.colors.index(color) for color in _best_first(rainbow)]
        told = numbers if mechanism.size <= MOST_DATASETS else _some(numbers)
        found = [
            _class(distances[number], mechanism.table[number, columns].tolist(), counts[number])
            for number in told
        ]
        regions.append(_region(rainbow, None if border is None else mechanism.rows[border], found))
    places = {rainbow: number for number, rainbow in enumerate(shown)}
    ends = ((graph.rainbows[touch.first], graph.rainbows[touch.second]) for touch in graph.touching)
    touching = [[places[one], places[other]] for one, other in ends if {one, other} <= places.keys()]
    left = len(classes) - len(shown)
    return {"privacy": parameters_of(privacy), "regions": regions, "touching": touching, "left": left}


def question_lines(mechanism: object) -> Json | None:
    """Return the lines of a question that has one for each true answer, None where there are none or many.

    Examples
    --------
    >>> from rainbowdp.goals import mechanism_of
    >>> from rainbowdp.questions import yes_no
    >>> asked = Asked(yes_no("smoker", equals="yes", at_least=10), PureDP("ln 2"))
    >>> lines = question_lines(mechanism_of(asked))
    >>> [region["rainbow"] for region in lines["regions"]], lines["touching"]
    (['no>yes', 'yes>no'], [[0, 1]])
    """
    if not isinstance(mechanism, QuestionLine) or len(mechanism.forms) > _MOST_ANSWERS:
        return None
    asked = mechanism.asked
    met = touching_pairs(mechanism.in_table, asked.neighbors, asked.max_rows)
    return {
        "privacy": parameters_of(asked.privacy),
        "regions": [line_region(mechanism.line(answer)) for answer in mechanism.forms],
        "touching": [[int(one), int(other)] for one, other in zip(*met, strict=True)],
        "left": 0,
    }


def line_region(line: Line) -> Json:
    """Return one line as a region: its first distances, until the best class is nearly sure.

    Examples
    --------
    >>> region = line_region(Line("b>r", {"b": "1/3", "r": "2/3"}, PureDP("ln 2")))
    >>> [each["distance"] for each in region["classes"]][:4], region["boundary"]
    ([0, 1, 2, 5], ['1/3', '2/3'])
    """
    columns = [line.rainbow.colors.index(color) for color in _best_first(line.rainbow)]
    distances = [0, *islice(steps(), _MOST_STEPS)]
    table = line.probabilities(distances)[:, columns]
    sure = table[:, : len(line.rainbow.classes[0])].sum(axis=1) > _NEARLY_SURE
    end = int(sure.argmax()) + 1 if sure.any() else len(distances)
    rows = zip(distances[:end], table[:end].tolist(), strict=True)
    return _region(line.rainbow, line.boundary, [_class(distance, row) for distance, row in rows])


def page_question(asked: Asked) -> Json | None:
    """Return a question as the page's view Plan states it; None where the page cannot compute its chances.

    Examples
    --------
    >>> from rainbowdp.questions import winner
    >>> page_question(Asked(winner("party", ["A", "B"]), PureDP("ln 2")))["options"]
    2
    """
    question = asked.question
    if not isinstance(asked.privacy, PureDP) or not is_known(question):
        return None
    kind, options, width = None, len(question.answers), 0
    if isinstance(question, Winner) and question.approval is None and options <= _MOST_OPTIONS:
        kind = "winner"
    elif isinstance(question, YesNo) and isinstance(question.measure, CountOf) and question.false_yes is None:
        kind = "yes-no"
    elif (levels := levels_of_count(question)) is not None and options <= _MOST_LEVELS:
        # The page knows inner levels of one width, of which only those that follow each other touch.
        width, *others = {int(high - low) for low, high in pairwise(levels.edges)}
        kind = "level" if width >= 2 * asked.max_rows and not others else None
    if kind is None:
        return None
    (epsilon,) = parameters_of(asked.privacy).values()
    return {
        "question": kind,
        "options": options,
        "changed": asked.changed,
        "rows": asked.max_rows,
        "width": width,
        "epsilon": epsilon,
    }


def _best_first(rainbow: Rainbow) -> list[str]:
    return [color for tied in rainbow.classes for color in sorted(tied)]


def _class(distance: int | None, row: Sequence[float], datasets: int | None = None) -> Json:
    return {"distance": distance, "datasets": datasets, "row": row}


def _region(rainbow: Rainbow, boundary: Distribution | None, classes: Iterable[Json]) -> Json:
    masses = None if boundary is None else [_number(boundary[color]) for color in _best_first(rainbow)]
    return {"rainbow": str(rainbow), "boundary": masses, "classes": list(classes)}


def _some(numbers: Sequence[int]) -> list[int]:
    """Return the first, second, third, sixth, ... and the last two of some classes."""
    places = takewhile(lambda place: place < len(numbers), steps())
    kept = {0, *places, *range(max(len(numbers) - 2, 0), len(numbers))}
    return [numbers[place] for place in sorted(kept)]


def _number(value: Exact) -> str:
    """Return a probability as the page reads numbers: a short fraction, or a decimal of many digits."""
    if isinstance(value, Fraction) and len(text := format_fraction(value)) <= _LONGEST:
        return text
    low, _ = enclose(value, _BITS)
    digits = Context(prec=_DIGITS).divide(Decimal(low.numerator), Decimal(low.denominator))
    return f"{digits:.{_DIGITS}e}" if digits.adjusted() > -90 else "0"
