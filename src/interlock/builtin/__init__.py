"""For plugins written before `interlock.plugin`."""
