"""``python -m robustbandits``."""

from robustbandits.cli.app import main

main()
