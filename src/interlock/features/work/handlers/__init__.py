"""What is done at each of the fifteen events, one file each."""
