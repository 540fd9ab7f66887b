"""Live policies: deciding one request at a time, learning late rewards, saving to files."""

from robustbandits.agent.agent import Agent as Agent
from robustbandits.agent.decision import Decision as Decision
from robustbandits.agent.decision import Scores as Scores
