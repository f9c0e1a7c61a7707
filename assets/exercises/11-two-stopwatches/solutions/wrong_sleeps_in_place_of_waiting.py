# wrong
# fails: finished
# says: finished is
import headway as hw
import time

size = 24

a = hw.randn(size, size, device="cpu")
b = hw.randn(size, size, device="cpu")
hw.waitall()
begin = hw.clock()
c = a @ b
issued = hw.clock() - begin
time.sleep(0.001)
finished = hw.clock() - begin
asynchronous = issued < finished
print("issued:", issued, "finished:", finished)
