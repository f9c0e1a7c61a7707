# wrong
# fails: issued, finished
# says: issued is
import headway as hw

size = 24

a = hw.randn(size, size, device="cpu")
b = hw.randn(size, size, device="cpu")
begin = hw.clock()
hw.waitall()
c = a @ b
issued = hw.clock() - begin
c.wait_to_read()
finished = hw.clock() - begin
asynchronous = issued < finished
print("issued:", issued, "finished:", finished)
