# SPDX-License-Identifier: Apache-2.0
"""How to cite the software and the papers behind it, as ``CITATION.cff`` has it: as text and as BibTeX."""

from collections.abc import Iterator, Mapping

_2022 = (
    "Ziqi Zhou",
    "Onur Günlü",
    "Rafael G. L. D'Oliveira",
    "Muriel Médard",
    "Parastoo Sadeghi",
    "Rafael F. Schaefer",
)
_2024 = ("Yuzhou Gu", *_2022[:3], "Parastoo Sadeghi", "Muriel Médard", "Rafael F. Schaefer")
_PAPERS: Mapping[str, Mapping[str, str]] = {
    "@inproceedings{zhou2022rainbow": {
        "author": " and ".join(_2022),
        "title": "Rainbow Differential Privacy",
        "booktitle": "2022 IEEE International Symposium on Information Theory (ISIT)",
        "year": "2022",
        "note": "arXiv:2202.03974",
    },
    "@article{gu2024generalized": {
        "author": " and ".join(_2024),
        "title": "Generalized Rainbow Differential Privacy",
        "journal": "Journal of Privacy and Confidentiality",
        "volume": "14",
        "number": "2",
        "year": "2024",
        "doi": "10.29012/jpc.896",
    },
}


def citation() -> Iterator[str]:
    """Yield the lines: a sentence, the works in words, and their BibTeX entries."""
    from rainbowdp import __version__

    software = {
        "author": "{The rainbowdp authors}",
        "title": "rainbowdp: differentially private answers to questions with finitely many answers",
        "version": __version__,
    }
    works = {"@software{rainbowdp": software, **_PAPERS}
    yield "Please cite the software and the papers whose mathematics it implements:"
    for facts in works.values():
        yield ""
        yield _in_words(**facts)
    for head, facts in works.items():
        yield ""
        yield f"{head},"
        yield from (f"  {name} = {{{value}}}," for name, value in facts.items())
        yield "}"


def _in_words(*, author: str, title: str, **rest: str) -> str:
    named = {"version": "version ", "volume": "volume ", "number": "number ", "doi": "doi:"}
    about = ", ".join(f"{named.get(name, '')}{value}" for name, value in rest.items())
    return f"{author.replace(' and ', ', ').strip('{}')}: {title}. {about}."
