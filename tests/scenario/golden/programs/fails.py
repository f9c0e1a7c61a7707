"""Raises while ops are pending."""
import headway as hw

a = hw.randn(50, 50)
for i in range(10):
    a = a @ a * 0.1
    if i == 6:
        a.wait_to_read()
raise ValueError("the learner's mistake")
