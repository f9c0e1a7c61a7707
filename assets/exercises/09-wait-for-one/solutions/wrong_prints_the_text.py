# wrong
# fails: values, work
# says: not that of
import headway as hw

others = 6
size = 24
value = 1.0
sums = []
print("value: 1.0")
x = hw.zeros(1)
hw.waitall()
