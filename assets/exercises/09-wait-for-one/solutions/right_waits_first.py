# right
import headway as hw

others = 6
size = 24

a = hw.randn(size, size) * 0.1
needed = (a @ a).sum()
sums = [(a @ (a + i)).sum() for i in range(others)]
needed.wait_to_read()
value = needed.item()
print("value:", value)
hw.waitall()
