"""What can be made anew: the names tools give to what they build, and the folders for temporary files."""

from __future__ import annotations

from typing import Final

# Globs of single names. What git does not ignore is not cleaned by its name alone.
REBUILDABLE: Final = tuple(
    """
    node_modules bower_components .next .nuxt .svelte-kit .astro .output .turbo .parcel-cache .vite .angular
    .docusaurus storybook-static _cacache .eslintcache .stylelintcache *.tsbuildinfo
    __pycache__ *.pyc *.pyo .venv venv .tox .nox .eggs *.egg-info .pytest_cache .mypy_cache .ruff_cache
    .hypothesis .ipynb_checkpoints htmlcov .coverage coverage .nyc_output .pytype .pyre wheelhouse
    build dist out target bin obj cmake-build-* CMakeFiles CMakeCache.txt .cmake bazel-*
    *.o *.obj *.a *.so *.dylib *.class *.jar *.war .gradle .kotlin .bloop .metals .dart_tool .build
    DerivedData Pods _build .elixir_ls .stack-work dist-newstyle .terraform .serverless
    .cache caches .sass-cache .jekyll-cache _site .ccache tmp temp .tmp *.log
    test-results playwright-report .DS_Store Thumbs.db *.swp *.orig *.rej *.tmp *.temp *.bak *~
    """.split()  # noqa: SIM905 - a table of words reads better in lines
)
# `$NAME` is taken from the environment; `~` is the person's home.
TEMPORARY: Final = ("$TMPDIR", "/tmp", "/var/tmp", "~/.cache", "~/Library/Caches")  # noqa: S108 - names, not files of ours
# What editors and tools leave beside the file itself.
LEFT_OVER: Final = (".bak", ".orig", ".rej", ".old", ".tmp", ".temp", ".swp", "~", ".log")
# What a package manager writes anew, and git has besides.
LOCK_FILES: Final = frozenset(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    poetry.lock uv.lock pdm.lock Pipfile.lock Cargo.lock Gemfile.lock composer.lock mix.lock pubspec.lock
    Podfile.lock flake.lock go.sum
    """.split()  # noqa: SIM905 - a table of words reads better in lines
)
