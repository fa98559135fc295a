#!/usr/bin/env python
"""Django's command line for Handoff, in a checkout: `handoff` does the same where Handoff is installed."""

from config.command_line import main

if __name__ == "__main__":
    main()
