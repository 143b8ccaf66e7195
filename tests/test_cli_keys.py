# SPDX-License-Identifier: Apache-2.0
"""What ``rainbowdp keys`` shows of categories whose signs would act on a terminal."""

import json
from pathlib import Path

import pytest

from command_line import Runner

ODD = "red\x1b[2J\x9b\u202eder\u200b\nblue"
SHOWN = '"red\\x1b[2J\\x9b\\u202eder\\u200b\\nblue"'
PLAIN = ["Größe\u00a0\u3000L", "日本"]


def test_signs_that_act_on_a_terminal_are_shown_and_json_has_the_exact_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps({"word": word}) + "\n" for word in (ODD, *PLAIN) for _ in range(60)]
    (tmp_path / "a.jsonl").write_text("".join(lines), encoding="utf-8")
    words = ("keys", tmp_path / "a.jsonl", "--column", "word", "--epsilon", "1", "--delta", "1e-6")
    run = Runner(capsys)
    text = run(*words)
    assert text.code == 0
    shown = text.out.removesuffix("\n").split("\n")
    assert len(shown) == 3
    assert set(shown) >= set(PLAIN)
    (odd,) = set(shown) - set(PLAIN)
    assert odd.strip('"') == SHOWN.strip('"')
    exact = run(*words, "--format", "json")
    assert json.loads(exact.out) == sorted([ODD, *PLAIN])
    assert "\x1b" not in exact.out
