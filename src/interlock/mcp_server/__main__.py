"""`python -I -m interlock.mcp_server`: what clients are told to start."""

import sys

from interlock.features.mcp.start import main

sys.exit(main())
