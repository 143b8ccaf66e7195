# SPDX-License-Identifier: Apache-2.0
"""Derive examples/anes96.csv, one row per respondent of a real survey, from the data that statsmodels ships.

Source: the American National Election Study of 1996 by the American National Election Studies, in the subset
of 944 respondents that is ``statsmodels.datasets.anes96``, which states as its copyright: "This is public
domain."

Columns, in the order of the file; rows keep the order of the source:

========== ===================================================================================================
placement  the respondent's own place, ``selfLR`` folded: 1-3 ``left``, 4 ``moderate``, 5-7 ``right``
selfLR     the same as asked, from 1, extremely liberal, to 7, extremely conservative
PID        party identification, from 0, strong Democrat, through 3, independent, to 6, strong Republican
vote       expected vote, ``Clinton`` or ``Dole``
age        age in years
over45     whether the respondent is older than 45: ``yes`` or ``no``
income     household income in 24 ascending classes: 1 is up to 2,999 dollars, 15 is 25,000 to 29,999, 24 is
           105,000 and over
TVnews     how many times a week the respondent watches television news, 0 to 7
popul      population of the respondent's place, in thousands
========== ===================================================================================================

Run ``python examples/anes96.py`` with statsmodels installed; the result is always the same, byte for byte.
"""

from pathlib import Path

COLUMNS = ("placement", "selfLR", "PID", "vote", "age", "over45", "income", "TVnews", "popul")
PLACEMENTS = {1: "left", 2: "left", 3: "left", 4: "moderate", 5: "right", 6: "right", 7: "right"}
VOTES = {0: "Clinton", 1: "Dole"}


def derive() -> str:
    """Return the text of the file."""
    from statsmodels.datasets import anes96

    survey = anes96.load_pandas().data.astype(int)
    survey["placement"] = survey["selfLR"].map(PLACEMENTS)
    survey["vote"] = survey["vote"].map(VOTES)
    survey["over45"] = (survey["age"] > 45).map({True: "yes", False: "no"})
    return str(survey.to_csv(columns=list(COLUMNS), index=False, lineterminator="\n"))


def main() -> None:
    """Write the file beside this script."""
    path = Path(__file__).with_suffix(".csv")
    path.write_text(derive(), encoding="utf-8", newline="\n")
    print(f"{path.name}: written")


if __name__ == "__main__":
    main()
