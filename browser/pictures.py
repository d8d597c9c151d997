"""`python -m browser.pictures`: takes the pictures in docs/images anew."""

from __future__ import annotations

import os
import sys
from typing import Final

from browser import install, scene
from browser.window import opened
from playwright.sync_api import sync_playwright

FOLDER: Final = install.ROOT / "docs" / "images"
SIZE: Final = (1280, 600)
PAGES: Final = {
    "live": "/live",
    "approvals": "/approvals",
    "session": f"/session?id={scene.MAIN}",
    "call": "/calls/{changed}",
}


def main() -> None:
    """One picture a page, of a home in which two sessions were."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, scene.staged() as home:
        scene.play(home)
        changed = next(one.seq for one in home.entries("decision") if one.body.get("updated_input"))
        chromium = playwright.chromium.launch(executable_path=install.chromium(), args=flags)
        with opened(chromium, home, size=SIZE) as window:
            window.log_in()
            for name, path in PAGES.items():
                window.open(path.format(changed=changed))
                if name == "live":
                    window.listening()
                window.page.screenshot(path=FOLDER / f"{name}.png", full_page=name in {"approvals", "call"})
                sys.stdout.write(f"{FOLDER / name}.png\n")
        chromium.close()


if __name__ == "__main__":
    main()
