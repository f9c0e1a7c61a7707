# wrong
# fails: ready, work
# says: on another device
import headway as hw

size = 24

a = hw.randn(size, size, device="cpu")
b = hw.randn(size, size, device="cpu").to("gpu")
hw.waitall()
begin = hw.clock()
c = a.to("gpu") @ b
issued = hw.clock() - begin
c.wait_to_read()
finished = hw.clock() - begin
asynchronous = issued < finished
print("issued:", issued, "finished:", finished)
