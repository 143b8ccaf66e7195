# SPDX-License-Identifier: Apache-2.0
"""Questions with finitely many answers about tables: who won, which level, which bracket.

A question is a frozen value that knows its answers, which cells it reads, and for every summary of a table
the true answer and the distance to the nearest other one, by a formula that `check_question` compares with
brute force.
"""

from rainbowdp.questions.checking import QuestionCheck as QuestionCheck
from rainbowdp.questions.checking import check_question as check_question
from rainbowdp.questions.kinds import question_from as question_from
from rainbowdp.questions.levels import Bracket as Bracket
from rainbowdp.questions.levels import Level as Level
from rainbowdp.questions.levels import YesNo as YesNo
from rainbowdp.questions.levels import bracket as bracket
from rainbowdp.questions.levels import level as level
from rainbowdp.questions.levels import yes_no as yes_no
from rainbowdp.questions.question import Neighbors as Neighbors
from rainbowdp.questions.question import Question as Question
from rainbowdp.questions.question import in_table as in_table
from rainbowdp.questions.readings import BracketCounts as BracketCounts
from rainbowdp.questions.readings import BracketReading as BracketReading
from rainbowdp.questions.readings import ClampedSum as ClampedSum
from rainbowdp.questions.readings import Location as Location
from rainbowdp.questions.readings import MatchCount as MatchCount
from rainbowdp.questions.readings import MatchReading as MatchReading
from rainbowdp.questions.readings import OptionCounts as OptionCounts
from rainbowdp.questions.readings import OptionReading as OptionReading
from rainbowdp.questions.readings import Reading as Reading
from rainbowdp.questions.readings import ScoreValues as ScoreValues
from rainbowdp.questions.readings import Summary as Summary
from rainbowdp.questions.readings import SumReading as SumReading
from rainbowdp.questions.regions import QuestionLines as QuestionLines
from rainbowdp.questions.regions import answer_line as answer_line
from rainbowdp.questions.regions import question_boundary as question_boundary
from rainbowdp.questions.regions import region_graph as region_graph
from rainbowdp.questions.scores import Scores as Scores
from rainbowdp.questions.scores import scores as scores
from rainbowdp.questions.selection import Ranking as Ranking
from rainbowdp.questions.selection import Winner as Winner
from rainbowdp.questions.selection import ranking as ranking
from rainbowdp.questions.selection import winner as winner
