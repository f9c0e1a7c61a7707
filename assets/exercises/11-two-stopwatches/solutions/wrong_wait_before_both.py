# wrong
# fails: issued
# says: issued is
import headway as hw

size = 24

a = hw.randn(size, size, device="cpu")
b = hw.randn(size, size, device="cpu")
hw.waitall()
begin = hw.clock()
c = a @ b
c.wait_to_read()
issued = hw.clock() - begin
finished = hw.clock() - begin
asynchronous = issued < finished
print("issued:", issued, "finished:", finished)
