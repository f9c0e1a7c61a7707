# wrong
# fails: answer
# says: asynchronous is no; the line returns after
import headway as hw

size = 24

a = hw.randn(size, size, device="cpu")
b = hw.randn(size, size, device="cpu")
hw.waitall()
begin = hw.clock()
c = a @ b
issued = hw.clock() - begin
c.wait_to_read()
finished = hw.clock() - begin
asynchronous = issued > finished
print("issued:", issued, "finished:", finished)
