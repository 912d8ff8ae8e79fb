"""The command line of the engine: ``komainu``, or ``python -m komainu``. Without a command it speaks USI."""

import signal
import sys


def main():
    """Runs the command line and ends the process with its exit code."""
    # Ctrl-C is the affair of the command, or ends the process: Python's handler would wait until the command is over.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from komainu import _komainu

    sys.exit(_komainu.run_command_line(["komainu", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
