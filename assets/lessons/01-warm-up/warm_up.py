import headway as hw

size = 600
products = 6

a = hw.randn(size, size)
hw.waitall()
for i in range(products):
    begin = hw.clock()
    b = a @ a
    b.wait_to_read()
    print(f"product {i + 1}: {hw.time_text(hw.clock() - begin)}")
    if i == 1:
        hw.measure()
