"""Attacks with a budget, one a file. They propose changes; the purse in `game` limits them."""

from robustbandits.attacks.context_dilation import ContextDilation
from robustbandits.attacks.flip_theta import FlipTheta
from robustbandits.attacks.garcelon import Garcelon
from robustbandits.attacks.oracle import Oracle
from robustbandits.game.no_attack import NoAttack

__all__ = ["NoAttack", "Garcelon", "Oracle", "FlipTheta", "ContextDilation"]
