# right
import headway as hw

size = 24

a = hw.randn(size, size, device="cpu")
b = hw.randn(size, size, device="cpu")
hw.waitall()
begin = hw.clock()
c = a @ b
issued = hw.clock() - begin
hw.waitall()
finished = hw.clock() - begin
asynchronous = True
