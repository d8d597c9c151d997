"""What takes long the first time, done while the dashboard starts and nobody has logged in yet."""

from __future__ import annotations

import logging
from typing import Final

from interlock.daemon.paths import Places
from interlock.web.policies import policies_of
from interlock.web.rendering import templates

_log: Final = logging.getLogger(__name__)


def warm(places: Places) -> None:
    """Load the policy and the templates; whatever is wrong is told by the page that needs it."""
    try:
        policies_of(places).for_folder("")
        for name in templates().list_templates():
            templates().get_template(name)
    except Exception as error:  # noqa: BLE001 - a head start that fails is none, and no more than that
        _log.warning("the pages could not be prepared", exc_info=error)
