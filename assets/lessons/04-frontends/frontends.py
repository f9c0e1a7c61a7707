import headway as hw

n = 2000
size = 20000
wait = "once"

x = hw.ones(1, size)
(x + 1).wait_to_read()
hw.waitall()
hw.measure()
with hw.scope("from Python"):
    for _ in range(n):
        y = x + 1
        if wait == "each":
            y.wait_to_read()
    hw.waitall()
