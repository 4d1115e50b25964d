"""A network whose first layer reads zeros and ones, written by hand for speed."""
