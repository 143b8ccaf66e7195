# SPDX-License-Identifier: Apache-2.0
"""Make OpenDP measurements that answer a question with a mechanism of `rainbowdp.goals`.

OpenDP measures the distance between two inputs, rainbowdp that from an input to the nearest input with
another answer. A measurement
reads a vector of counts, or the rows themselves, and draws one answer exactly; its privacy map says what
inputs at a distance `d_in` can reveal. Adding or removing a row changes one count by 1, so an L1 distance of
`d_in` between counts is that many rows added or removed, one after the other, and the map is the group
privacy of `ceil(d_in / max_rows)` steps. Maps return floats, each rounded up from an enclosure of the real
number.

Arguments are checked when a measurement is made, without data. `drawn` works for every summary;
where a question's own code fails in it, the error says so and nothing else.

OpenDP asks for the features ``contrib`` and ``honest-but-curious`` for every measurement written in Python.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Literal, cast

from rainbowdp.errors import InternalError, UsageError
from rainbowdp.exact import Number, parse_fraction, to_float
from rainbowdp.goals import Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.mechanism import require_goal
from rainbowdp.interop import delta_above, epsilon_above, gaussian_epsilon, library, rho_above
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import BracketCounts, Neighbors, OptionCounts, Question, Summary, winner
from rainbowdp.questions.kinds import form_text, text_reading
from rainbowdp.questions.question import require_question
from rainbowdp.questions.readings import BracketReading, OptionReading

if TYPE_CHECKING:
    from opendp.mod import Domain, Measure, Measurement, Metric

Loss = float | tuple[float, float]

_ROW_METRICS: dict[str, Neighbors] = {
    "SymmetricDistance": "add-remove",
    "InsertDeleteDistance": "add-remove",
    "ChangeOneDistance": "change-one",
    "HammingDistance": "change-one",
}
_WHOLE = frozenset({"Vec<i32>", "Vec<i64>", "Vec<u32>", "Vec<u64>"})
_COLUMN = "OpenDP input"


def drawn(mechanism: QuestionMechanism, summarize: Callable[[], Summary]) -> str:
    """Make a summary and draw one answer from it; every error becomes one fixed message.

    Parameters
    ----------
    mechanism : QuestionMechanism
        The mechanism of the question.
    summarize : callable
        Makes a summary of the kind that the question's reading makes.

    Returns
    -------
    str
        The answer; an order has ``>`` between its options, a set has commas.

    Raises
    ------
    InternalError
        If anything goes wrong that could depend on the summary; the message is always the same.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> mechanism = mechanism_of(Asked(winner("party", ["red", "blue"]), PureDP("1/2")))
    >>> drawn(mechanism, lambda: OptionCounts((900, 100)))
    'red'
    """
    try:
        return form_text(mechanism.asked.question, mechanism.at(summarize()).draw())
    except Exception:  # noqa: BLE001, S110 - OpenDP prints causes and contexts, so none may be kept
        pass
    raise InternalError(
        "an answer could not be drawn", help="ask the question with rainbowdp.ask, which explains more"
    )


def make_rainbow(
    input_domain: "Domain",
    input_metric: "Metric",
    question: Question,
    epsilon: Number,
    *,
    delta: Number | None = None,
    goal: Goal = "typical",
    boundary: str = "default",
    max_rows: int = 1,
) -> "Measurement":
    """Return a measurement that answers a question under pure or approximate privacy.

    Parameters
    ----------
    input_domain : opendp.mod.Domain
        Counts (vectors of integers) or rows (vectors of anything).
    input_metric : opendp.mod.Metric
        `L1Distance` for counts; for rows `SymmetricDistance` or `InsertDeleteDistance` (rows are added and
        removed), `ChangeOneDistance` or `HammingDistance` (rows change).
    question : Question
        With counts, one that needs nothing but counts: a winner, a ranking or a bracket. The counts stand in
        the order of its options or brackets, and a count below 0 counts as 0. The column of the question is
        not used.
    epsilon : number or text
        Between inputs that differ in at most `max_rows` rows. OpenDP's searches put it in.
    delta : number or text, optional
        Approximate privacy, if it is given.
    goal : str
        ``typical`` or ``guarantee``, see `rainbowdp.goals`.
    boundary : str
        For a question of your own: ``default``, ``max-min``, ``randomized-response`` or ``uniform``.
    max_rows : int
        How many rows of one person there are at most. With 1, several rows of a person are group privacy.

    Returns
    -------
    opendp.mod.Measurement
        From counts or rows to the text of the answer; the output measure is `max_divergence()`, or
        `approximate(max_divergence())` with a delta.

    Raises
    ------
    MissingExtraError
        If opendp is not installed.
    UsageError
        If the question cannot be answered from this domain and metric.
    PrivacyParameterError, NumberError
        If epsilon or delta is not a parameter of privacy.
    opendp.mod.OpenDPException
        If the features are not enabled; or, from a call, if there is not one count per option.

    References
    ----------
    docs/theory/center.md; Zhou et al. 2022, Theorems 4 and 5; Vadhan 2017, lemma 2.2 (group privacy, for the
    map).

    Examples
    --------
    >>> import opendp.prelude as dp
    >>> from rainbowdp.questions import winner
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> counts = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    >>> leader = make_rainbow(*counts, winner("party", ["red", "blue", "green"]), "1/2")
    >>> leader([40, 900, 60]), leader.map(1), leader.map(2)
    ('blue', 0.5, 1.0)
    """
    privacy = PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)
    dp = _library()
    mechanism = _mechanism(question, privacy, input_metric, (goal, boundary), max_rows)
    charged = mechanism.charged
    assert not isinstance(charged, GaussianDP)  # noqa: S101 - not asked for

    def loss(steps: int) -> Loss:
        epsilon = epsilon_above(charged, steps)
        return epsilon if delta is None else (epsilon, delta_above(charged, steps))

    measure = dp.max_divergence() if delta is None else dp.approximate(dp.max_divergence())
    return _measurement((input_domain, input_metric, measure), mechanism, loss)


def make_rainbow_winner(
    input_domain: "Domain",
    input_metric: "Metric",
    options: Sequence[str],
    epsilon: Number,
    *,
    delta: Number | None = None,
    goal: Goal = "typical",
    max_rows: int = 1,
) -> "Measurement":
    """Return a measurement that names a most frequent option.

    Parameters
    ----------
    input_domain, input_metric
        As for `make_rainbow`.
    options : sequence of str
        The options, at least two.
    epsilon, delta, goal, max_rows
        As for `make_rainbow`.

    Returns
    -------
    opendp.mod.Measurement

    Raises
    ------
    QuestionError
        If the options do not make a question.
    MissingExtraError, UsageError, PrivacyParameterError, NumberError
        As for `make_rainbow`.

    Examples
    --------
    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> rows = dp.vector_domain(dp.atom_domain(T=str)), dp.change_one_distance()
    >>> leader = make_rainbow_winner(*rows, ["yes", "no"], "1/2")
    >>> leader(["yes"] * 300 + ["no"] * 100), leader.map(3)
    ('yes', 1.5)
    """
    asked = winner(_COLUMN, options)
    return make_rainbow(input_domain, input_metric, asked, epsilon, delta=delta, goal=goal, max_rows=max_rows)


def make_rainbow_gaussian(
    input_domain: "Domain",
    input_metric: "Metric",
    question: Question,
    mu: Number,
    *,
    delta: Number | None = None,
    goal: Goal = "typical",
    boundary: str = "default",
    max_rows: int = 1,
) -> "Measurement":
    """Return a measurement that answers a question under Gaussian privacy.

    OpenDP has no measure for Gaussian privacy itself, and takes no privacy profile from Python. Two of its
    measures hold what mu implies: zero-concentrated divergence, with rho = mu^2 / 2, and approximate
    divergence at one delta, with the epsilon of the Gaussian curve there. In both, k steps count as k mu.

    Parameters
    ----------
    input_domain, input_metric, question
        As for `make_rainbow`.
    mu : number or text
        Between inputs that differ in at most `max_rows` rows.
    delta : number or text, optional
        Measure the privacy as epsilon at this delta; as rho unless given.
    goal, boundary, max_rows
        As for `make_rainbow`.

    Returns
    -------
    opendp.mod.Measurement
        Its output measure is `zero_concentrated_divergence()`, or with a delta
        `approximate(max_divergence())`.

    Raises
    ------
    PrivacyParameterError
        If mu is not a parameter of privacy, or delta is not in (0, 1].
    MissingExtraError, UsageError, NumberError
        As for `make_rainbow`.

    References
    ----------
    Dong, Roth and Su 2022, on the epsilon and delta of mu, and on groups: k steps are k mu.

    Examples
    --------
    >>> import opendp.prelude as dp
    >>> from rainbowdp.questions import winner
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> counts = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    >>> question = winner("party", ["red", "blue"])
    >>> make_rainbow_gaussian(*counts, question, "1/2").map(1)
    0.125
    >>> epsilon, delta = make_rainbow_gaussian(*counts, question, "1/2", delta="1/1024").map(1)
    >>> round(epsilon, 3), delta
    (1.356, 0.0009765625)
    """
    privacy = GaussianDP(mu)
    dp = _library()
    measure = dp.zero_concentrated_divergence()
    if delta is not None:
        gaussian_epsilon(privacy, delta)  # refuses a delta without an epsilon now, not inside OpenDP
        measure = dp.approximate(dp.max_divergence())

    def loss(steps: int) -> Loss:
        if delta is None:
            return rho_above(privacy, steps)
        return gaussian_epsilon(privacy, delta, steps), to_float(
            parse_fraction(delta), "up"
        ) if steps else 0.0

    mechanism = _mechanism(question, privacy, input_metric, (goal, boundary), max_rows)
    return _measurement((input_domain, input_metric, measure), mechanism, loss)


def register() -> None:
    """Make the measurements known to OpenDP's Context API.

    They are called `rainbow`, `rainbow_winner` and `rainbow_gaussian` there. A query solves the last
    parameter, epsilon or mu, for its share of the budget. Calling this again does nothing.

    Raises
    ------
    MissingExtraError
        If opendp is not installed.

    Examples
    --------
    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> register()
    >>> context = dp.Context.compositor(
    ...     data=["red"] * 300 + ["blue"] * 100,
    ...     privacy_unit=dp.unit_of(contributions=1),
    ...     privacy_loss=dp.loss_of(epsilon=1.0),
    ...     split_evenly_over=2,
    ...     domain=dp.vector_domain(dp.atom_domain(T=str)),
    ... )
    >>> context.query().rainbow_winner(["red", "blue"]).release()
    'red'
    """
    dp = _library()
    from opendp.context import constructors

    for constructor in (make_rainbow, make_rainbow_winner, make_rainbow_gaussian):
        if constructor.__name__.removeprefix("make_") not in constructors:
            dp.register(constructor)


def _library() -> ModuleType:
    return library("opendp.prelude", "opendp")


def _kind(input_metric: "Metric") -> Neighbors | Literal["counts"]:
    """Return what a metric measures: how rows differ, or how counts do."""
    name = str(getattr(input_metric.type, "origin", input_metric.type))
    if name == "L1Distance":
        return "counts"
    if name in _ROW_METRICS:
        return _ROW_METRICS[name]
    raise UsageError(
        f"a question cannot be answered under {name}",
        help=f"use L1Distance between counts, or one of {', '.join(_ROW_METRICS)} between rows",
    )


def _mechanism(
    question: Question, privacy: Privacy, input_metric: "Metric", chosen: tuple[Goal, str], max_rows: int
) -> QuestionMechanism:
    require_question(question)
    kind, (goal, boundary) = _kind(input_metric), chosen
    asked = Asked(question, privacy, "add-remove" if kind == "counts" else kind, max_rows)
    return mechanism_of(asked, require_goal(goal), boundary)


def _measurement(
    space: "tuple[Domain, Metric, Measure]", mechanism: QuestionMechanism, loss: Callable[[int], Loss]
) -> "Measurement":
    domain, metric, measure = space
    carrier = str(domain.carrier_type)
    counts = _kind(metric) == "counts"
    if counts and carrier not in _WHOLE:
        raise UsageError(
            f"counts cannot come as {carrier}", help='use a vector of integers, as in atom_domain(T="i64")'
        )
    if not carrier.startswith("Vec<"):
        raise UsageError(f"rows cannot come as {carrier}", help="use a vector domain: one cell per row")
    made = _library().m.make_user_measurement(
        domain,
        metric,
        output_measure=measure,
        function=_from_counts(mechanism) if counts else _from_rows(mechanism),
        privacy_map=lambda distance: loss(_steps(distance, mechanism.asked.max_rows)),
        TO=str,
    )
    return cast("Measurement", made)


def _from_counts(mechanism: QuestionMechanism) -> Callable[[Sequence[int]], str]:
    question = mechanism.asked.question
    reading = question.reading
    # With another reading one row may change several counts, or one count mean several rows.
    if type(reading) not in (OptionReading, BracketReading):
        raise UsageError(
            f"the question {question.kind!r} needs more than counts",
            help="measure the rows themselves, under SymmetricDistance or ChangeOneDistance",
        )
    empty = cast("OptionCounts | BracketCounts", reading.summary(()))
    summary_of, number = type(empty), len(empty.counts)

    def answer(counts: Sequence[int]) -> str:
        # Vectors of different lengths are not neighbors under the L1 distance, so this reveals nothing.
        if len(counts) != number:
            raise UsageError(
                f"there is not one count for each of the {number} options of the question",
                help="count the same categories in the same order, with null_category=False",
            )
        return drawn(mechanism, lambda: summary_of(tuple(max(0, int(count)) for count in counts)))

    return answer


def _from_rows(mechanism: QuestionMechanism) -> Callable[[Iterable[object]], str]:
    reading = text_reading(mechanism.asked.question.reading)

    def answer(rows: Iterable[object]) -> str:
        # One by one: rows that Python takes for equal, such as 1 and true, may say different things.
        return drawn(mechanism, lambda: reading.summary((row, 1) for row in rows))

    return answer


def _steps(distance: float, max_rows: int) -> int:
    """Return how many steps of `max_rows` rows lead from one input to another one at a distance."""
    if not math.isfinite(distance) or distance < 0:
        raise UsageError("an input distance is not a number of at least 0", help="give a finite d_in")
    return math.ceil(Fraction(distance) / max_rows)
