"""``python -m robustbandits``."""

from robustbandits.cli.app import main

if __name__ == "__main__":
    main()
