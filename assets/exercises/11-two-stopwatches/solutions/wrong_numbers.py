# wrong
# fails: issued, finished
# says: issued is
import headway as hw

size = 24

a = hw.randn(size, size, device="cpu")
b = hw.randn(size, size, device="cpu")
hw.waitall()
begin = hw.clock()
c = a @ b
issued = 0.001
c.wait_to_read()
finished = 0.002
asynchronous = issued < finished
print("issued:", issued, "finished:", finished)
