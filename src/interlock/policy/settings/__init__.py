"""The settings of the kernel: what may be written of each, and how the layers are merged."""
