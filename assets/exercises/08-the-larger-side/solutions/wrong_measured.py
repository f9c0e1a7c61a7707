# wrong
# fails: predicted
# says: alone
import headway as hw

n = 10
t1 = 1
t2 = 0.95
t3 = 1

begin = hw.clock()

x = hw.zeros(1)
hw.waitall()
hw.measure()
begin = hw.clock()
for _ in range(n):
    x = x + 1
hw.waitall()
total = (hw.clock() - begin) * 1e6
