# SPDX-License-Identifier: Apache-2.0
"""The results of the paper, computed with the package: a marimo notebook.

``marimo edit examples/notebooks/paper_results.py`` opens it; ``python paper_results.py`` runs it to its end.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium")

with app.setup:
    from fractions import Fraction
    from pathlib import Path

    import marimo as mo

    from rainbowdp import Line, PureDP, optimal_mechanism, read_boundary, read_graph, verify
    from rainbowdp.graph import boundary_morphism
    from rainbowdp.optimality import check_optimal
    from rainbowdp.plots import plot_line, plot_solution

    EXAMPLES = Path(__file__).resolve().parents[1]


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # The paper's results in numbers

    Zhou, Günlü, D'Oliveira, Médard, Sadeghi and Schaefer, *Rainbow Differential Privacy* (2022), see
    differential privacy as the coloring of a graph. Its nodes are datasets, lines join neighbors, and each
    dataset ranks the answers. Every number below is exact.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Figure 1: a rainbow graph and its boundary graph

    The right picture has one node for all datasets with the same ranking and the same distance to the
    boundary of their region.
    """)


@app.cell
def _():
    graph = read_graph(EXAMPLES / "figure1-nodes.csv", EXAMPLES / "figure1-edges.csv")
    boundary = read_boundary(EXAMPLES / "figure1-boundary.toml")
    privacy = PureDP("ln 2")
    mechanism = optimal_mechanism(graph, privacy, boundary)
    plot_solution(graph, mechanism)
    return graph, mechanism, privacy


@app.cell
def _(graph):
    image = boundary_morphism(graph).boundary_graph.structure
    assert (image.size, image.pair_count) == (11, 16)
    mo.md(f"""
    The boundary graph has **{image.size} nodes and {image.pair_count} edges**. Figure 1(b) of the paper draws
    one edge more, between (green, red, blue) and (green, blue, red), which figure 1(a) has not.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Theorem 2: the boundary decides everything else

    The boundary probabilities are given. Dataset a is two steps inside its region, and the best that
    privacy allows there follows. No mechanism with this boundary gives a better answer at any dataset.
    """)


@app.cell
def _(graph, mechanism, privacy):
    checked = verify(mechanism, graph, privacy)
    assert checked
    assert check_optimal(mechanism, graph, privacy)
    {name: mechanism.distribution(name) for name in ("c", "b", "a")}
    return (checked,)


@app.cell
def _(checked):
    mo.md(
        f"Private at {checked.asked}: all {checked.pairs} pairs of neighbors were checked, without rounding."
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Theorems 4 and 5, figure 2: the line

    $e^\varepsilon = 6/5$. The paper prints the boundary of its examples with four digits, which sum to
    0.9999; these are the numbers behind them.
    """)


@app.cell
def _():
    privacy_line = PureDP("ln(6/5)")
    first = Line("blue>red>green", {"blue": "3/55", "red": "9/55", "green": "43/55"}, privacy_line)
    second = Line("blue>red>green", {"blue": "9/55", "red": "3/55", "green": "43/55"}, privacy_line)
    assert (first.thresholds, second.thresholds) == ((12, 5), (6, 5))
    plot_line(first, range(31))
    return first, second


@app.cell
def _(second):
    plot_line(second, range(31))


@app.cell
def _(first):
    def blue(distance):
        """Theorem 4 as it is printed: growth up to the threshold, then what is lacking to 1 shrinks."""
        start, odds, threshold = Fraction(3, 55), Fraction(6, 5), first.thresholds[0]
        if distance <= threshold:
            return odds**distance * start
        return 1 - odds ** (threshold - distance) * (1 - odds**threshold * start)

    assert all(first.distribution(distance)["blue"] == blue(distance) for distance in range(100))
    mo.md("The formula of theorem 4 and the package agree at 100 distances, as fractions.")


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Corollary 2: two answers

    With two answers this is the known optimum for yes-no questions.
    """)


@app.cell
def _():
    yes_no = Line("yes>no", {"yes": "1/2", "no": "1/2"}, PureDP("ln 3"))
    assert yes_no.distribution(2)["yes"] == Fraction(17, 18)
    mo.ui.table(
        [{"distance": distance, "yes": str(yes_no.distribution(distance)["yes"])} for distance in range(5)]
    )


if __name__ == "__main__":
    app.run()
