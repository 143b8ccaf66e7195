# SPDX-License-Identifier: Apache-2.0
"""Morphisms, rainbow-preserving maps and the boundary morphism, from the paper's definitions."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pair_cases import PairCase, pair_cases
from rainbowdp.errors import GraphShapeError
from rainbowdp.graph import DatasetGraph, boundary_morphism, check_morphism, check_rainbow_preserving, listed
from rainbowdp.rainbow import Rainbow


@given(pair_cases(14), pair_cases(14), st.data())
def test_definition_4_morphism(case: PairCase, image_case: PairCase, data: st.DataObject) -> None:
    source, target = case.simple(), image_case.simple()
    image = st.integers(0, len(image_case.rainbows) - 1)
    mapping = data.draw(st.lists(image, min_size=len(case.rainbows), max_size=len(case.rainbows)))
    verdict = check_morphism(mapping, case.built().structure, image_case.built().structure)
    torn = sorted(
        tuple(sorted(edge))
        for edge in source.edges()
        if mapping[edge[0]] != mapping[edge[1]] and not target.has_edge(mapping[edge[0]], mapping[edge[1]])
    )
    assert bool(verdict) == (not torn)
    assert verdict.violation == (torn[0] if torn else None)
    if verdict.violation is not None:
        assert verdict.images == (mapping[verdict.violation[0]], mapping[verdict.violation[1]])


@given(pair_cases(14), st.data())
def test_rainbow_preserving_is_a_morphism_that_keeps_rainbows(case: PairCase, data: st.DataObject) -> None:
    graph = case.built()
    number = st.integers(0, graph.size - 1)
    mapping = data.draw(
        st.just(list(range(graph.size))) | st.lists(number, min_size=graph.size, max_size=graph.size)
    )
    verdict = check_rainbow_preserving(mapping, graph, graph)
    morphism = check_morphism(mapping, graph.structure, graph.structure)
    rainbows = [Rainbow.parse(text) for text in case.rainbows]
    changed = [dataset for dataset, image in enumerate(mapping) if rainbows[dataset] != rainbows[image]]
    assert bool(verdict) == (bool(morphism) and not changed)
    assert verdict.violation == morphism.violation
    if morphism and changed:
        assert verdict.dataset == changed[0]
        assert verdict.rainbow == rainbows[changed[0]]
        assert verdict.image_rainbow == rainbows[mapping[changed[0]]]
    else:
        assert verdict.dataset is None


@given(pair_cases(14))
def test_definition_8_boundary_graph(case: PairCase) -> None:
    graph, oracle = case.built(), case.simple()
    morphism = boundary_morphism(graph)
    steps = graph.distance.tolist()
    names = [
        f"{Rainbow.parse(text)} @ {'-' if d is None else d}"
        for text, d in zip(case.rainbows, steps, strict=True)
    ]
    image = morphism.boundary_graph
    assert [image.label(int(code)) for code in morphism.codes] == names
    assert sorted(map(image.label, range(image.size))) == sorted(set(names))
    edges = {frozenset((names[u], names[v])) for u, v in oracle.edges() if names[u] != names[v]}
    source, target = listed(image.structure).pairs()
    found = [
        frozenset((image.label(int(u)), image.label(int(v)))) for u, v in zip(source, target, strict=True)
    ]
    assert sorted(map(sorted, found)) == sorted(map(sorted, edges))
    assert image.notes == ()


@given(pair_cases(14), st.randoms())
def test_the_boundary_morphism_keeps_rainbows_and_distances_and_depends_on_no_numbering(
    case: PairCase, random: Random
) -> None:
    graph = case.built()
    morphism = boundary_morphism(graph)
    image = morphism.boundary_graph
    assert check_rainbow_preserving(morphism.codes, graph, image)
    assert image.distance.tolist() == morphism.class_distance.tolist()
    assert morphism.class_distance[morphism.codes].tolist() == graph.distance.tolist()
    assert np.array_equal(morphism.class_region[morphism.codes], graph.regions)
    assert [touch[:2] for touch in image.touching] == [touch[:2] for touch in graph.touching]
    # Classes are ordered by region, then by distance, the unconstrained one last; each of them occurs.
    distances = [float("inf") if d is None else d for d in morphism.class_distance.tolist()]
    classes = list(zip(morphism.class_region.tolist(), distances, strict=True))
    assert classes == sorted(set(classes))
    assert set(morphism.codes.tolist()) == set(range(morphism.size))
    order = list(range(graph.size))
    random.shuffle(order)
    pairs = [(order[u], order[v]) for u, v in case.pairs]
    codes = [case.codes[order.index(at)] for at in range(case.size)]
    moved = boundary_morphism(PairCase(case.size, pairs, codes, []).built())
    assert morphism.codes.tolist() == moved.codes[order].tolist()
    again = boundary_morphism(image)
    assert again.codes.tolist() == list(range(image.size))
    for other in (moved, again):
        assert other.class_distance.tolist() == morphism.class_distance.tolist()
        neighbors = listed(other.boundary_graph.structure).indices
        assert np.array_equal(neighbors, listed(image.structure).indices)


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ([0], "1 images for 2 datasets"),
        ([0, 2], "dataset 1 has the image 2"),
        ([-1, 0], "dataset 0 has the image -1"),
    ],
)
def test_mappings_of_the_wrong_form_are_refused(mapping: list[int], said: str) -> None:
    structure = DatasetGraph.from_pairs(2, [0], [1])
    with pytest.raises(GraphShapeError, match=said):
        check_morphism(mapping, structure, structure)
    with pytest.raises(GraphShapeError, match="must be integers"):
        check_morphism([0.5, 1.0], structure, structure)
