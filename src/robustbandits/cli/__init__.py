"""The command ``robustbandits``. One file per command."""
