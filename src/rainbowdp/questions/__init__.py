# SPDX-License-Identifier: Apache-2.0
"""Questions with finitely many answers about tables: who won, which level, which bracket.

A question is a frozen value that knows its answers, which cells it reads, and for every summary of a table
the true answer and the distance to the nearest other one, by a formula that `check_question` compares with
brute force.
"""

from rainbowdp.questions.checking import QuestionCheck, check_question
from rainbowdp.questions.kinds import question_from
from rainbowdp.questions.levels import Bracket, Level, YesNo, bracket, level, yes_no
from rainbowdp.questions.question import Neighbors, Question, in_table, nearest_first, own_answer_first
from rainbowdp.questions.readings import (
    BracketCounts,
    BracketReading,
    ClampedSum,
    Location,
    MatchCount,
    MatchReading,
    OptionCounts,
    OptionReading,
    Reading,
    ScoreValues,
    Summary,
    SumReading,
)
from rainbowdp.questions.regions import QuestionLines, answer_line, question_boundary, region_graph
from rainbowdp.questions.scores import Scores, scores
from rainbowdp.questions.selection import Ranking, Winner, ranking, winner

__all__ = [
    "Bracket",
    "BracketCounts",
    "BracketReading",
    "ClampedSum",
    "Level",
    "Location",
    "MatchCount",
    "MatchReading",
    "Neighbors",
    "OptionCounts",
    "OptionReading",
    "Question",
    "QuestionCheck",
    "QuestionLines",
    "Ranking",
    "Reading",
    "ScoreValues",
    "Scores",
    "SumReading",
    "Summary",
    "Winner",
    "YesNo",
    "answer_line",
    "bracket",
    "check_question",
    "in_table",
    "level",
    "nearest_first",
    "own_answer_first",
    "question_boundary",
    "question_from",
    "ranking",
    "region_graph",
    "scores",
    "winner",
    "yes_no",
]
