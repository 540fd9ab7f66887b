"""Live policies: choosing for one request at a time, learning late rewards, saving to a file."""

from robustbandits.agent.agent import Agent as Agent
from robustbandits.agent.decision import Decision as Decision
from robustbandits.agent.decision import Scores as Scores
from robustbandits.agent.file_format import SnapshotError as SnapshotError
