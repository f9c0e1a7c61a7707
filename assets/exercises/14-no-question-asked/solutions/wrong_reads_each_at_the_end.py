# wrong
# fails: number
# says: reads 10 values, and one is enough
import headway as hw

steps = 10
size = 16

means = [hw.randn(size, size).mean() for _ in range(steps)]
total = sum(max(m.item(), 0.0) for m in means)
