"""First layers that read zeros and ones, in compiled code."""
