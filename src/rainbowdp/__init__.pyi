# SPDX-License-Identifier: Apache-2.0
# The public names. Type checkers read this file, and __init__.py reads from it where each name comes from.
from rainbowdp import boundary as boundary
from rainbowdp import distribution as distribution
from rainbowdp import errors as errors
from rainbowdp import exact as exact
from rainbowdp import families as families
from rainbowdp import formats as formats
from rainbowdp import goals as goals
from rainbowdp import graph as graph
from rainbowdp import interop as interop
from rainbowdp import keys as keys
from rainbowdp import ledger as ledger
from rainbowdp import mechanism as mechanism
from rainbowdp import optimality as optimality
from rainbowdp import planning as planning
from rainbowdp import plots as plots
from rainbowdp import privacy as privacy
from rainbowdp import questions as questions
from rainbowdp import release as release
from rainbowdp import sampling as sampling
from rainbowdp import spark as spark
from rainbowdp import tables as tables
from rainbowdp import verification as verification
from rainbowdp.distribution import Distribution as Distribution
from rainbowdp.errors import RainbowError as RainbowError
from rainbowdp.formats import read_boundary as read_boundary
from rainbowdp.formats import read_graph as read_graph
from rainbowdp.formats import read_mechanism as read_mechanism
from rainbowdp.formats import read_neighbors as read_neighbors
from rainbowdp.formats import write_mechanism as write_mechanism
from rainbowdp.graph import RainbowGraph as RainbowGraph
from rainbowdp.ledger import open_ledger as open_ledger
from rainbowdp.line import Line as Line
from rainbowdp.mechanism import Mechanism as Mechanism
from rainbowdp.optimal import optimal_mechanism as optimal_mechanism
from rainbowdp.planning.plan import plan as plan  # mypy takes rainbowdp.planning.plan for the module
from rainbowdp.privacy import ApproxDP as ApproxDP
from rainbowdp.privacy import GaussianDP as GaussianDP
from rainbowdp.privacy import PureDP as PureDP
from rainbowdp.questions import bracket as bracket
from rainbowdp.questions import check_question as check_question
from rainbowdp.questions import level as level
from rainbowdp.questions import ranking as ranking
from rainbowdp.questions import scores as scores
from rainbowdp.questions import winner as winner
from rainbowdp.questions import yes_no as yes_no
from rainbowdp.rainbow import Rainbow as Rainbow
from rainbowdp.release import ask as ask
from rainbowdp.release import ask_keys as ask_keys
from rainbowdp.release import verify_receipt as verify_receipt
from rainbowdp.sampling import sample as sample
from rainbowdp.tables import Range as Range
from rainbowdp.verification import verify as verify

__all__: list[str]  # noqa: PYI035 - __init__.py makes it of the names above
__version__: str
