"""Headway's own small edition of the book's helpers: what the chapter uses."""
