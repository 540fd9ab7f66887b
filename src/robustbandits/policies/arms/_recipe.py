"""What all recipes for fixed arms share."""

from __future__ import annotations

from typing import ClassVar

from robustbandits.game.recipe import Recipe


class ArmsRecipe(Recipe):
    """Mixin for policies that know arms by their number and ignore their contexts."""

    #: Tells an agent that every call must show all arms, in the same order.
    fixed_arms: ClassVar[bool] = True
