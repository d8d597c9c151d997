"""What is wrong with a policy that loads? Rules that do nothing, too much, or not what they say."""
