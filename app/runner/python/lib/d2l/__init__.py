"""The helpers of the d2l book that the chapter uses."""
