"""Where hooks come from: policy files become the same records, whatever their format and layer."""
