"""The dashboard's pages, one file each."""
