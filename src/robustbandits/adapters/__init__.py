"""Adapters: policies of other libraries play our games, and our policies play theirs.

Nothing of another library is imported before it is used: ``pip install 'robustbandits[adapters]'``
installs all of them. The page docs/adapters.md has an example of each.
"""

from robustbandits._lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
