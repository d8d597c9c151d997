"""Policies that are shipped with the package, one `NAME.key` each; `settings.packs` names them."""
