"""The command ``robustbandits``. One file a command."""
