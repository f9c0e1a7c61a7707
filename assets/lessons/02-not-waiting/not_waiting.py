import headway as hw

reps = 10
size = 1000
wait = "once"


def product():
    a = hw.randn(size, size)
    return a @ a


# warm up
product().wait_to_read()
hw.measure()

with hw.timed("finished"):
    # issue
    with hw.timed("issued"):
        for _ in range(reps):
            b = product()
            if wait == "each":
                b.wait_to_read()
    # wait
    hw.waitall()
