"""Labels of attacks in the grid of a red team."""

NO_ATTACK = "NoAttack"


def attack_label(attack: str, budget: float) -> str:
    """Return the label of an attack with a budget."""
    name, _, rest = attack.partition("(")
    return f"{name}(budget={budget:.12g}" + (f", {rest}" if rest else ")")
