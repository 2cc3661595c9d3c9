"""An Ethernet switch between tap devices, whose links can be slow, lossy or cut.

    switch.py TAP...

makes the devices and says "ready". Lines on the standard input change a link: "TAP delay SECONDS",
"TAP loss SHARE", "TAP cut", "TAP mend". Frames on the way to a device wait there for the delays of both
links, and are lost with the chance of either. It ends with its input, and says how many frames it lost.
"""
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 2, 0x1000


class Link:
    def __init__(self, name):
        self.file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.file, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
        self.delay, self.loss, self.cut, self.lost, self.passed = 0.0, 0.0, False, 0, 0


links = {name: Link(name) for name in sys.argv[1:]}
waiting, number = [], 0
rng = random.Random(1)


def end(*_):
    for name, link in links.items():
        print(name, "passed", link.passed, "lost", link.lost, flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, end)
print("ready", flush=True)


def order(line):
    name, what, *value = line.split()
    link = links[name]
    if what == "delay":
        link.delay = float(value[0])
    elif what == "loss":
        link.loss = float(value[0])
    else:
        link.cut = what == "cut"


def deliver(now):
    while waiting and waiting[0][0] <= now:
        _, _, link, frame = heapq.heappop(waiting)
        if link.cut:
            continue
        try:
            os.write(link.file, frame)
        except OSError:
            pass  # The device is down.


def take(origin):
    global number
    try:
        frame = os.read(origin.file, 65536)
    except OSError:
        return
    for link in links.values():
        if link is origin:
            continue
        for end in (origin, link):
            if end.cut or rng.random() < end.loss:
                end.lost += 1
                break
        else:
            link.passed += 1
            number += 1
            due = time.monotonic() + origin.delay + link.delay
            heapq.heappush(waiting, (due, number, link, frame))


pending = b""
while True:
    now = time.monotonic()
    deliver(now)
    left = max(0.0, waiting[0][0] - now) if waiting else None
    files = [sys.stdin.fileno(), *(link.file for link in links.values())]
    readable = select.select(files, [], [], left)[0]
    if sys.stdin.fileno() in readable:
        read = os.read(sys.stdin.fileno(), 4096)
        *lines, pending = (pending + read).split(b"\n")
        for line in lines:
            order(line.decode())
        print("done", flush=True)
    for link in links.values():
        if link.file in readable:
            take(link)
