# SPDX-License-Identifier: Apache-2.0
"""A receipt becomes an entry of the public registry of deployments, complete but for what is marked."""

import datetime as dt
from typing import Any

import jsonschema
import polars as pl
import pytest
import yaml

from rainbowdp import ask, ask_keys, ranking, winner
from rainbowdp.errors import ReceiptError
from rainbowdp.release.registry import FILL_IN, as_yaml, registry_entry

PEOPLE = pl.DataFrame({"id": range(30), "vote": ["red"] * 20 + ["blue"] * 10, "town": ["A", "B"] * 15})


def shape(required: str = "", **properties: dict[str, Any]) -> dict[str, Any]:
    form = {"type": "object", "additionalProperties": False}
    return {**form, "required": required.split(), "properties": properties}


def one_of(*texts: str) -> dict[str, Any]:
    return {"type": "string", "enum": [*texts]}


TEXT, TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}
# Names, types and enumerations of the registry's schemas/deployments-schema.yaml, as of July 2026.
SCHEMA = shape(
    "url_slug status tier deployment",
    url_slug=TEXT,
    status=one_of("Draft", "Pending", "Approved"),
    tier={"enum": [1, 2, 3]},
    deployment=shape(
        "basic",
        basic=shape(
            "name data_curators description intended_use "
            "data_product_type data_product_region publication_date",
            name=TEXT,
            data_curators=TEXTS,
            intended_use=TEXT,
            data_product_type=one_of("Summary statistics", "Dataset", "Synthetic data", "SQL queries"),
            data_product_region=TEXT,
            description=TEXT,
            publication_date={"type": "string", "format": "date"},
            data_product_sector=TEXT,
        ),
        dp_variant=shape(
            variant_name=one_of("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"),
            data_domain=TEXT,
            unprotected_quantities=TEXT,
        ),
        privacy_loss=shape(
            privacy_unit=TEXT,
            privacy_unit_details=TEXT,
            privacy_parameters=shape(
                epsilon={"type": "number"}, delta={"type": ["number", "string"]}, rho={"type": "number"}
            ),
            privacy_parameters_details=TEXT,
        ),
        deployment_model=shape(
            model_name=one_of("Central", "Local", "Shuffle"),
            model_name_details=TEXT,
            actors=TEXT,
            release_type=one_of("One release", "Many releases"),
            release_type_details=TEXT,
            data_source_type=one_of("Static", "Dynamic"),
            access_type=one_of("Interactive", "Non-interactive"),
        ),
        accounting=shape(post_processing=TEXT, composition=TEXT),
        implementation=shape(
            preprocessing_and_hyperparameter_tuning=TEXT, mechanisms=TEXT, justification=TEXT
        ),
        administrative=shape("registry_authors", sources=TEXT, notes=TEXT, registry_authors=TEXTS),
    ),
)
ENUMERATED = {"release_type": "One release", "data_source_type": "Static"}


def filled(value: Any, name: str = "") -> Any:  # noqa: ANN401 - any part of a document
    """Return an entry with something written wherever it says that something is to be filled in."""
    if isinstance(value, dict):
        return {key: filled(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, name) for part in value]
    return ENUMERATED.get(name, "something") if value == FILL_IN else value


@pytest.mark.parametrize(
    ("asked", "variant", "parameters"),
    [
        ({"epsilon": "ln 3"}, "Pure DP", {"epsilon": pytest.approx(1.0986122886681098, rel=1e-15)}),
        (
            {"epsilon": 1, "delta": "1e-6", "goal": "guarantee"},
            "Approximate DP",
            {"epsilon": 1.0, "delta": 1e-6},
        ),
        # Flip does not use delta, and costs epsilon alone.
        ({"epsilon": 1, "delta": "1e-6"}, "Pure DP", {"epsilon": 1.0}),
        ({"mu": "1/2"}, "Custom", {"rho": 0.125}),
        (
            {"epsilon": 1, "neighbors": "change-one", "by": "town", "groups": ["A", "B"]},
            "Pure DP",
            {"epsilon": 2.0},
        ),
        ({"epsilon": 1, "unit": "id", "max_rows": 2, "where": {"town": "A"}}, "Pure DP", {"epsilon": 1.0}),
    ],
)
def test_an_entry_is_valid_once_it_is_filled_in(
    asked: dict[str, Any], variant: str, parameters: dict[str, Any]
) -> None:
    for question in (winner("vote", ["red", "blue", "green"]), ranking("vote", ["red", "blue", "green"])):
        if asked.get("goal") and question.kind == "ranking":
            continue
        receipt = ask(PEOPLE, question, **asked).receipt
        written = yaml.safe_load(as_yaml(registry_entry(receipt)))
        assert written == registry_entry(receipt)
        entry = filled(written)
        jsonschema.validate(entry, SCHEMA)
        deployment = entry["deployment"]
        dt.date.fromisoformat(deployment["basic"]["publication_date"])
        assert deployment["dp_variant"]["variant_name"] == variant
        assert deployment["privacy_loss"]["privacy_parameters"] == parameters
        assert registry_entry({**receipt, "answer": "other"}) == written


def test_categories_have_an_entry_and_other_files_have_none() -> None:
    entry = filled(registry_entry(ask_keys(PEOPLE, "vote", epsilon=1, delta="1/1000").receipt))
    jsonschema.validate(entry, SCHEMA)
    assert entry["deployment"]["dp_variant"]["variant_name"] == "Approximate DP"
    with pytest.raises(ReceiptError):
        registry_entry({"schema": "something"})
