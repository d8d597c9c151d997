"""What is being worked on, by whom, and how far is it? Tasks, efforts and sessions, in the store."""
