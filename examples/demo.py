# SPDX-License-Identifier: Apache-2.0
"""The paper's figures, and a real survey from table to answer, in words and pictures.

``python examples/demo.py [FOLDER]`` prints what it does and how long it took, and writes its figures to the
folder, ``demo`` beside ``examples`` if none is named. It needs no network and less than a minute.
"""

import csv
import sys
import time
from collections import Counter
from itertools import groupby
from pathlib import Path

import numpy as np
from survey_questions import show_questions

from rainbowdp import (
    Distribution,
    Line,
    Mechanism,
    PureDP,
    Rainbow,
    optimal_mechanism,
    read_boundary,
    read_graph,
    sample,
    verify,
    winner,
)
from rainbowdp.boundary import given
from rainbowdp.exact import format_exact, to_float
from rainbowdp.families import histograms
from rainbowdp.goals import Asked, mechanism_of
from rainbowdp.graph import boundary_morphism
from rainbowdp.plots import plot_line, plot_solution
from rainbowdp.questions import OptionCounts
from rainbowdp.verification import Verification

HERE = Path(__file__).resolve().parent
OPTIONS = ("left", "moderate", "right")


class Clock:
    """Prints lines with the seconds since the one before."""

    def __init__(self) -> None:
        self.start = self.last = time.perf_counter()

    def say(self, text: str) -> None:
        """Print a finished step and how long it took."""
        now = time.perf_counter()
        print(f"  {text}  [{now - self.last:.1f} s]")
        self.last = now


def head(text: str) -> None:
    """Print the head of a part."""
    print(f"\n{text}\n{'-' * len(text)}")


def checked(verification: Verification) -> str:
    """Say what a verification found."""
    verdict = "private" if verification else "NOT PRIVATE"
    return (
        f"checked all {verification.pairs:,} pairs of neighbors: {verdict} at {verification.asked}, "
        f"tight epsilon {verification.lower:.9f}"
    )


def show_figure_1(folder: Path, clock: Clock) -> None:
    """Solve, check and draw the rainbow graph of the paper's figure 1."""
    head("1. The paper's figure 1: a rainbow graph and its boundary graph")
    privacy = PureDP("ln 2")
    graph = read_graph(HERE / "figure1-nodes.csv", HERE / "figure1-edges.csv")
    image = boundary_morphism(graph).boundary_graph
    clock.say(
        f"read {graph.size} datasets, {graph.pair_count} pairs, {len(graph.rainbows)} regions; "
        f"largest distance {graph.largest_distance}; "
        f"boundary graph of {image.size} nodes and {image.pair_count} edges"
    )
    condition = given(read_boundary(HERE / "figure1-boundary.toml"))
    mechanism = optimal_mechanism(graph, privacy, condition)
    clock.say(f"solved for {privacy} with the boundary of figure1-boundary.toml")
    for name in ("c", "b", "a"):
        row = mechanism.distribution(name)
        chances = ", ".join(
            f"{color} {format_exact(row[color])}" for color in mechanism.rainbow_of(name).ordered
        )
        print(f"    dataset {name}, distance {mechanism.distance[mechanism.index(name)]}: {chances}")
    clock.say(checked(verify(mechanism, graph, privacy)))
    path = folder / "figure1.png"
    plot_solution(graph, mechanism, path)
    clock.say(f"drew both graphs: {path.name}")


def show_figure_2(folder: Path, clock: Clock) -> None:
    """Compute and draw the two examples of the paper's figure 2."""
    head("2. The paper's figure 2: two examples on a line, epsilon = ln(6/5)")
    rainbow = Rainbow.parse("blue>red>green")
    examples = {
        "example 1": {"blue": "3/55", "red": "9/55", "green": "43/55"},
        "example 2": {"blue": "9/55", "red": "3/55", "green": "43/55"},
    }
    for name, boundary in examples.items():
        line = Line(rainbow, Distribution(boundary), PureDP("ln(6/5)"))
        print(f"  {name}, boundary {', '.join(f'{color} {value}' for color, value in boundary.items())}")
        print(f"    thresholds: blue {line.thresholds[0]}, blue and red together {line.thresholds[1]}")
        for first, last, order in orders(line, 31):
            print(f"    distance {first:>2} to {last:>2}: {order}")
        path = folder / f"figure2-{name.replace(' ', '')}.png"
        plot_line(line, range(31), path)
        clock.say(f"drew the curves: {path.name}")


def orders(line: Line, count: int) -> list[tuple[int, int, str]]:
    """Return the stretches of distances below `count` on which the colors have one order of probability."""

    def order(distance: int) -> str:
        row = line.distribution(distance)
        return " < ".join(sorted(row, key=lambda color: row[color]))

    stretches = [(text, list(distances)) for text, distances in groupby(range(count), order)]
    return [(distances[0], distances[-1], text) for text, distances in stretches]


def ask_survey(folder: Path, clock: Clock) -> None:
    """Answer a question about a real survey, over the whole family of tables that it might have been."""
    head("3. A real survey: where did voters of 1996 place themselves?")
    with (HERE / "anes96.csv").open(encoding="utf-8", newline="") as file:
        counts = Counter(row["placement"] for row in csv.DictReader(file))
    table = [counts[option] for option in OPTIONS]
    records = sum(table)
    print("  American National Election Study 1996, public domain. Public data: a real custodian would show")
    print("  only the draw at the end, and neither these counts nor the distance.")
    print(f"    {', '.join(f'{option} {count}' for option, count in zip(OPTIONS, table, strict=True))}")

    family = histograms(records, len(OPTIONS), neighbors="change-one")
    clock.say(
        f"built every table of {records} answers: {family.structure.size:,} datasets, "
        f"{family.structure.pair_count:,} pairs that differ in one answer"
    )
    palette = [f"{best}>{'='.join(rest)}" for best in OPTIONS if (rest := [o for o in OPTIONS if o != best])]
    # A graph has one true answer for every table: here the first of several largest counts.
    graph = family.rainbow_graph(palette, np.argmax(family.values, axis=1))
    clock.say(f"region of a table: its winner; largest distance {graph.largest_distance}")
    privacy = PureDP(1)
    mechanism = optimal_mechanism(graph, privacy, "randomized-response")
    clock.say(f"solved for {privacy}, randomized response on the boundary")
    clock.say(checked(verify(mechanism, graph, privacy)))

    name = str(family.labels[family.index_of(table)])
    line = report_answer(mechanism, name, privacy)
    clock.say(f"drew from the survey's own distribution: the answer is {sample(mechanism, name)[0]!r}")
    share, left_over = divmod(records, len(OPTIONS))
    even = [share + (place < left_over) for place in range(len(OPTIONS))]
    close = str(family.labels[family.index_of(even)])
    drawn = Counter(sample(mechanism, close, count=1000))
    clock.say(f"1,000 draws for a made-up table as close as can be, {close}: {parts(drawn)}")
    asked = Asked(winner("placement", OPTIONS), privacy, "change-one")
    located = mechanism_of(asked).at(OptionCounts(tuple(even)))
    drawn = Counter(str(located.draw()) for _ in range(1000))
    clock.say(f"the same by flip, as `ask` does, which treats tied options alike: {parts(drawn)}")
    near, far = folder / "survey-line.png", folder / "survey.png"
    plot_line(line, range(13), near)
    plot_solution(graph, mechanism, far)
    clock.say(f"drew the chances near the boundary, {near.name}, and the whole family, {far.name}")


def parts(drawn: Counter[str]) -> str:
    """Say how often each option was drawn."""
    return ", ".join(f"{option} {drawn[option]}" for option in OPTIONS)


def report_answer(mechanism: Mechanism, name: str, privacy: PureDP) -> Line:
    """Print how sure the answer is, here and at smaller leads; return the line of the region."""
    rainbow, row = mechanism.rainbow_of(name), mechanism.distribution(name)
    best = rainbow.ordered[0]
    distance = int(mechanism.distance[mechanism.index(name)])
    miss = to_float(1 - row[best], "up")
    print(f"    the survey lies {distance} changed answers inside the region of {best!r};")
    print(f"    the mechanism answers {best!r} there, but for a chance of {miss:.1e}")
    at_boundary = mechanism.rows[mechanism.class_rainbow.index(rainbow)]
    line = Line(rainbow, at_boundary, privacy)
    steps = ", ".join(
        f"{chance:.1%} at {step}"
        for step, chance in enumerate(line.probabilities(range(6))[:, rainbow.colors.index(best)])
    )
    print(f"    chance of the true winner by distance: {steps};")
    print(f"    at least 99.9% from distance {line.distance_for('0.999')} on")
    return line


def main(arguments: list[str]) -> None:
    """Run all four parts."""
    folder = Path(arguments[0]) if arguments else HERE.parent / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    clock = Clock()
    show_figure_1(folder, clock)
    show_figure_2(folder, clock)
    ask_survey(folder, clock)
    head("4. A data custodian's day: plan, ask, check, and be refused")
    show_questions(folder)
    clock.say("asked the survey on the command line")
    print(f"\nDone in {time.perf_counter() - clock.start:.0f} s. The figures are in {folder}.")


if __name__ == "__main__":
    main(sys.argv[1:])
