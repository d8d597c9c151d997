"""Reading and writing files safely, and finding the files and programs we need."""
